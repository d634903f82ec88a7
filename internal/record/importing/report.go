package importing

import "fmt"

// Report is the result of an import.
type Report struct {
	// Format is the name of the format.
	Format string `json:"format"`
	// Rulesets are those of the imported records, in the order of their first records.
	Rulesets []Ruleset `json:"rulesets"`
	// Imported counts the records without differences, Differ those that differ from the
	// rules, and Unusable those that cannot be parsed or name other rules than
	// Options.Ruleset.
	Imported Count `json:"imported"`
	Differ   Count `json:"differ"`
	Unusable Count `json:"unusable"`
	// Doubles counts the records that are left out because another record of the same
	// match, at least as complete, is imported. Notes names both.
	Doubles Count `json:"doubles"`
	// Differences describes the records of Differ and Unusable.
	Differences []Note `json:"differences"`
	// Notes are remarks about imported records and doubles.
	Notes []Note `json:"notes"`
}

// Ruleset is the records imported under one ruleset.
type Ruleset struct {
	// Name is the name of the preset or file, with the knobs that differ.
	Name string `json:"name"`
	// Folder is the folder of the dataset, empty if none is written.
	Folder string `json:"folder,omitempty"`
	Count
}

// Count counts records, and the hands and decisions in them.
type Count struct {
	Records   int    `json:"records"`
	Hands     int    `json:"hands"`
	Decisions uint64 `json:"decisions"`
	// Partial is the number of records of a part of a match that have no other difference.
	Partial int `json:"partial"`
}

// add adds a record if sign is 1, and removes it if sign is -1.
func (c *Count) add(g *checkedRecord, sign int) {
	c.Records += sign
	c.Hands += sign * g.hands
	c.Decisions += uint64(sign * int(g.decisions))
	if g.partial {
		c.Partial += sign
	}
}

// Note is a remark about a record. Part is the number of the record in its file, nil if the
// file has only one. Hand is nil and Place empty if the remark concerns all of the record.
type Note struct {
	Record string `json:"record"`
	Part   *int   `json:"part,omitempty"`
	Hand   *int   `json:"hand,omitempty"`
	Place  string `json:"place,omitempty"`
	// Message describes what differs, and what to do if that is known.
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

// name returns the name of the record in a line.
func (n *Note) name() string {
	if n.Part == nil {
		return n.Record
	}
	return fmt.Sprintf("%s: match %d", n.Record, *n.Part)
}
