package importing

import "fmt"

// Report is what an import has found.
type Report struct {
	// Format is the name of the form of the records.
	Format string `json:"format"`
	// Rulesets are those of the records that are imported, in the order in which
	// they are first met.
	Rulesets []Ruleset `json:"rulesets"`
	// Imported counts the records in which nothing differs, Differ those that can
	// be read but are not as the rules have it, Unusable those that cannot be read
	// or are of other rules than they must be.
	Imported Count `json:"imported"`
	Differ   Count `json:"differ"`
	Unusable Count `json:"unusable"`
	// Doubles counts the records that are left out because another one of the same
	// match, which tells as much or more, is imported; Notes names both.
	Doubles Count `json:"doubles"`
	// Differences says what is wrong with the last two.
	Differences []Note `json:"differences"`
	// Notes says what there is to know of records that are imported.
	Notes []Note `json:"notes"`
}

// Ruleset is what is imported by one ruleset.
type Ruleset struct {
	// Name is that of the preset or file, with the knobs in which it differs.
	Name string `json:"name"`
	// Folder holds the dataset, empty if none is written.
	Folder string `json:"folder,omitempty"`
	Count
}

// Count counts records, and hands and decisions in them.
type Count struct {
	Records   int    `json:"records"`
	Hands     int    `json:"hands"`
	Decisions uint64 `json:"decisions"`
	// Partial is how many of the records are of a part of a match and have no other
	// fault.
	Partial int `json:"partial"`
}

func (c *Count) remove(g *checked) {
	c.Records--
	c.Hands -= g.hands
	c.Decisions -= g.decisions
	if g.partial {
		c.Partial--
	}
}

func (c *Count) add(g *checked) {
	c.Records++
	c.Hands += g.hands
	c.Decisions += g.decisions
	if g.partial {
		c.Partial++
	}
}

// Note is something about a record. Part is which record of its file is
// meant, from 0, nil if it has no other; Hand is nil and Place empty where they
// tell nothing.
type Note struct {
	Record string `json:"record"`
	Part   *int   `json:"part,omitempty"`
	Hand   *int   `json:"hand,omitempty"`
	Place  string `json:"place,omitempty"`
	// Message says what there is to know, or what is wrong and how it may be mended.
	Message string `json:"message"`
}

// String returns the note as a line.
func (n *Note) String() string {
	s := n.name()
	if n.Hand != nil {
		s += fmt.Sprintf(": hand %d", *n.Hand)
	}
	if n.Place != "" {
		s += ": " + n.Place
	}
	return s + ": " + n.Message
}

// name returns what the record is called in a line.
func (n *Note) name() string {
	if n.Part == nil {
		return n.Record
	}
	return fmt.Sprintf("%s: match %d", n.Record, *n.Part)
}
