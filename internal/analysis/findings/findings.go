// Package findings writes the summary of two printed pages at the top of a report: what was
// compared, what was found, what did not change, and how sure one can be. The packages report,
// balance and tune fill in a [Summary]; sweep shows that of report.
//
//	s := &findings.Summary{Compared: compared, Findings: findings.Choose(list)}
//	for _, part := range s.Parts() {
//		fmt.Println(part.Title, part.Lines)
//	}
//
// A finding is a figure that survives the correction for the number of figures looked at. Where
// nothing differs, at most one summary in twenty has one. Source: Holm, A simple sequentially
// rejective multiple test procedure, 1979.
package findings

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Summary is the summary of a report.
type Summary struct {
	// Compared describes what was played and compared.
	Compared []Text `json:"compared"`
	// Findings are figures that survive the correction, the largest first. Further is the
	// number of other figures that survive it.
	Findings []Finding `json:"findings"`
	Further  int       `json:"further"`
	// Scale explains the pictures of the findings.
	Scale Text `json:"-"`
	// Players describes whether the players play differently.
	Players []Text `json:"players,omitempty"`
	// Alone is set where no ruleset is compared with a changed one.
	Alone bool `json:"-"`
	// Unchanged lists what did not change, each with its bound.
	Unchanged []Text `json:"unchanged"`
	// Bounds has Unchanged as a table where several rulesets are compared, otherwise nil.
	Bounds *Table `json:"-"`
	// Certainty describes how sure one can be, and how to become surer.
	Certainty []Text `json:"certainty"`
}

// Table is a table of a summary.
type Table struct {
	// Notes are sentences that explain the cells.
	Notes []Text
	// Head has the titles of the columns.
	Head []Text
	Rows []Row
}

// Row is a row of a table.
type Row struct {
	// Label is the first cell, Cells are the others.
	Label Text
	Cells []Text
}

// Finding is a figure that survives the correction.
type Finding struct {
	// Text is a sentence without its full stop, Number the figure with its 95 % interval.
	Text   Text `json:"text"`
	Number Text `json:"number"`
	// P is the corrected p-value.
	P interval.Number `json:"p_adjusted"`
	// Size is the effect in units that make the figures of a summary comparable. Topic is what
	// the figure is about: [Choose] takes one finding of a topic before it takes two.
	Size    float64 `json:"size"`
	Topic   string  `json:"-"`
	Picture Picture `json:"-"`
	// Dataset is the number of the dataset that the finding is about.
	Dataset int `json:"dataset,omitempty"`
	// Matches are the matches in which the figure changed most.
	Matches []Match `json:"matches,omitempty"`
}

// Match is a match of a dataset.
type Match struct {
	// Dir is the folder of the dataset, Number the number of the match.
	Dir    string `json:"dataset"`
	Number uint64 `json:"match"`
	// Page is the replay beside the page of the report, empty if there is none.
	Page string `json:"page,omitempty"`
}

// A summary has at most maxFindings, and fewer than minFindings only if no more figures survive
// the correction.
const (
	minFindings = 3
	maxFindings = 7
)

// Choose returns the findings of a summary, the largest first: one of each topic, and others
// only where there would be fewer than three.
func Choose(list []Finding) []Finding {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(math.Abs(b.Size), math.Abs(a.Size)) })
	var first, others []Finding
	for _, f := range list {
		if slices.ContainsFunc(first, func(g Finding) bool { return g.Topic == f.Topic }) {
			others = append(others, f)
		} else {
			first = append(first, f)
		}
	}
	first = first[:min(len(first), maxFindings)]
	if lacking := minFindings - len(first); lacking > 0 {
		first = append(first, others[:min(len(others), lacking)]...)
	}
	return first
}

// AlignAll gives the pictures of findings the same scale.
func AlignAll(list []Finding) {
	pictures := make([]*Picture, len(list))
	for i := range list {
		pictures[i] = &list[i].Picture
	}
	Align(pictures...)
}
