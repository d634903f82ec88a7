package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// steady is a figure that does not change clearly.
type steady struct {
	id   string // its entry of package findings
	noun findings.Text
	// bound is by how much it changes at most, as text and in the unit of the figure. It is
	// the zero Text if too few matches differ. same is set if none does.
	bound findings.Text
	size  float64
	same  bool
}

// unchanged returns who wins and the headlines, as far as they do not change clearly.
func (r *Report) unchanged(a *Answer) (list []steady) {
	if s := r.whoWins(a.Dataset); s.id != "" {
		list = append(list, s)
	}
	for _, k := range stats.Headlines {
		named := func(s Statement) bool { return s.Key == k }
		id, _ := phraseOf(k)
		s := steady{id: id, noun: r.nounOf(k), same: slices.ContainsFunc(a.Same, named)}
		if slices.ContainsFunc(a.Bounded, named) {
			s.bound, s.size = r.bound(r.Comparison(a.Dataset, k))
		} else if !s.same {
			continue
		}
		list = append(list, s)
	}
	return list
}

// bound returns the larger end of the interval of a difference, as an amount and in the unit of
// the figure. The amount is the zero Text if it has none.
func (r *Report) bound(c *stats.Comparison) (findings.Text, float64) {
	if !c.Low.Known() {
		return findings.Text{}, 0
	}
	bound := math.Max(math.Abs(float64(c.Low)), math.Abs(float64(c.High)))
	return amount(c, r.Datasets[0].Figure(c.Key), bound, bound, bound), bound
}

// whoWins returns by how much the shares of the first place change at most, of all seats and,
// where they differ, of all agents. It is empty if one of them changes clearly.
func (r *Report) whoWins(dataset int) steady {
	var largest float64
	var of *stats.Comparison
	s := steady{id: "who_wins", same: true}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if c.Dataset != dataset || c.Name != "first" || c.Section != stats.SectionSeat && c.Section != stats.SectionAgent || !c.P.Known() {
			continue
		}
		if c.Clear() {
			return steady{}
		}
		if c.Section == stats.SectionAgent && c.Of != r.Datasets[0].Agents[0] {
			s.id = "who_wins.agents"
		}
		if c.Error > 0 {
			s.same = false
		}
		if !c.Low.Known() {
			continue
		}
		if bound := max(-float64(c.Low), float64(c.High)); of == nil || bound > largest {
			largest, of = bound, c
		}
	}
	s.noun = findings.NewText(s.id)
	switch {
	case of != nil:
		s.bound, s.size, s.same = amount(of, r.Datasets[0].Figure(of.Key), largest, largest, largest), largest, false
	case !s.same || !r.paired(dataset):
		return steady{}
	}
	return s
}

// unchangedSentences returns sentences on figures that do not change clearly in so many matches.
func unchangedSentences(figures []steady, matches uint64) (list []findings.Text) {
	var few, same []findings.Text
	for _, f := range figures {
		switch {
		case f.same:
			same = append(same, f.noun)
		case f.bound.ID == "":
			few = append(few, f.noun)
		default:
			list = append(list, findings.NewText(boundOf(f.id), f.noun, f.bound))
		}
	}
	if len(few) > 0 {
		list = append(list, findings.NewText("few", few))
	}
	if len(same) > 0 {
		list = append(list, findings.NewText("same", same, matches, unseen(matches)))
	}
	return list
}

// unseen returns the share of matches that may differ where none of so many does.
func unseen(matches uint64) string {
	_, high := interval.Share(0, float64(matches))
	return digits.Share(high)
}

// label returns the figure with the unit of its bound.
func (f *steady) label() findings.Text {
	unit := "per." + strings.TrimPrefix(f.bound.ID, "unit.")
	if id := "per." + f.id; findings.HasEntry(id) {
		unit = id
	}
	if !findings.HasEntry(unit) { // it has no bound
		return f.noun
	}
	return findings.NewText("bounds.label", f.noun, findings.NewText(unit))
}

// cell returns the bound without its unit.
func (f *steady) cell() findings.Text {
	switch {
	case f.same:
		return findings.NewText("bounds.same")
	case f.bound.ID == "":
		return findings.NewText("bounds.few")
	}
	return findings.PlainText(f.bound.Args[0].(string))
}

// mostColumns is the largest number of rulesets that have a column each in the table of bounds.
const mostColumns = 8

// bounds returns the table of what does not change clearly under several rulesets.
func (r *Report) bounds(answers []*Answer) *findings.Table {
	t := &findings.Table{Head: []findings.Text{findings.NewText("bounds.figure")}}
	var lists [][]steady
	for _, a := range answers {
		t.Head = append(t.Head, findings.PlainText(r.Label(a.Dataset)))
		lists = append(lists, r.unchanged(a))
	}
	wide := len(answers) > mostColumns
	if wide {
		t.Head = []findings.Text{t.Head[0], findings.NewText("bounds.all", len(answers)), findings.NewText("bounds.clear")}
	}
	used := map[string]bool{}
	add := func(id string, clear func(*Answer) bool) {
		var label, largest findings.Text
		var cells []findings.Text
		size, differ := -1.0, 0
		for i, a := range answers {
			cell := findings.PlainText("-")
			n := slices.IndexFunc(lists[i], func(f steady) bool { return f.id == id })
			switch {
			case n >= 0:
				f := &lists[i][n]
				if cell = f.cell(); f.size > size {
					label, largest, size = f.label(), cell, f.size
				}
			case clear(a):
				cell = findings.NewText("bounds.differs")
				differ++
			}
			used[cell.ID] = true
			cells = append(cells, cell)
		}
		if wide {
			cells = []findings.Text{largest, findings.PlainText(strconv.Itoa(differ))}
		}
		if label.ID != "" {
			t.Rows = append(t.Rows, findings.Row{Label: label, Cells: cells})
		}
	}
	for _, id := range []string{"who_wins", "who_wins.agents"} {
		add(id, func(*Answer) bool { return true })
	}
	for _, k := range stats.Headlines {
		id, _ := phraseOf(k)
		add(id, func(a *Answer) bool {
			c := r.Comparison(a.Dataset, k)
			return c != nil && c.Clear()
		})
	}
	matches := r.Datasets[0].Matches
	t.Notes = append(t.Notes, findings.NewText("bounds.about"))
	if used["bounds.same"] {
		t.Notes = append(t.Notes, findings.NewText("bounds.about.same", matches, unseen(matches)))
	}
	if used["bounds.few"] {
		t.Notes = append(t.Notes, findings.NewText("bounds.about.few"))
	}
	return t
}
