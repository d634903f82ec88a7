package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// String returns the key as text, such as "win value" or "seat first east".
func (k Key) String() string {
	s := k.Section + " " + label(k.Name)
	if k.Of != "" {
		s += ", " + k.Of
	}
	return s
}

// Label names a dataset in a line of text: by its ruleset if the rulesets differ,
// else by the folder.
func (r *Report) Label(i int) string { return plain.Line(r.nameOf(i)) }

func (r *Report) nameOf(i int) string {
	same := func(f func(s *Summary) string) bool {
		n := 0
		for j := range r.Datasets {
			if f(&r.Datasets[j]) == f(&r.Datasets[i]) {
				n++
			}
		}
		return n > 1
	}
	d := &r.Datasets[i]
	ruleset := func(s *Summary) string { return s.Ruleset }
	folder := func(s *Summary) string { return filepath.Base(s.Dir) }
	switch {
	case !same(ruleset):
		return d.Ruleset
	case !same(folder):
		return folder(d)
	}
	return fmt.Sprintf("%d: %s", i+1, folder(d))
}

// Figure returns the figure of a key, nil if the dataset has none.
func (s *Summary) Figure(k Key) *Figure {
	for i := range s.Figures {
		if s.Figures[i].Key == k {
			return &s.Figures[i]
		}
	}
	return nil
}

// forfeits returns how many agents forfeited a match.
func (s *Summary) forfeits() float64 { return s.Figure(Key{sectionMatch, "forfeits", ""}).Sum }

// Distribution returns the distribution of a name, nil if the dataset has none.
func (s *Summary) Distribution(name string) *Distribution {
	for i := range s.Distributions {
		if s.Distributions[i].Name == name {
			return &s.Distributions[i]
		}
	}
	return nil
}

// Comparison returns how a figure of a dataset differs from the first, nil if
// one of the two has none.
func (r *Report) Comparison(dataset int, k Key) *Comparison {
	for i := range r.Comparisons {
		if c := &r.Comparisons[i]; c.Dataset == dataset && c.Key == k {
			return c
		}
	}
	return nil
}

// level is the probability below which a difference is called clear.
const level = 0.05

// clear returns the comparisons of a dataset with the first that are clear, the
// clearest first. The figures of an agent that plays alone are those of all hands and
// are left out.
func (r *Report) clear(dataset int) []*Comparison {
	var list []*Comparison
	names := r.Datasets[0].Agents
	alone := !slices.ContainsFunc(names, func(name string) bool { return name != names[0] })
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if c.Dataset == dataset && c.Clear() && !(c.Section == sectionAgent && alone) {
			list = append(list, c)
		}
	}
	// Beyond what probabilities can tell, differences are clearer by their errors.
	slices.SortStableFunc(list, func(a, b *Comparison) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(b.clearness(), a.clearness()))
	})
	return list
}

// clearness returns how many errors the difference is away from none.
func (d *Difference) clearness() float64 { return math.Abs(d.Value) / d.Error }

// Clear returns up to n figures in which datasets clearly differ from the first: the
// clearest of each dataset in turn.
func (r *Report) Clear(n int) []Key {
	var keys []Key
	lists := make([][]*Comparison, len(r.Datasets))
	longest := 0
	for i := 1; i < len(r.Datasets); i++ {
		lists[i] = r.clear(i)
		longest = max(longest, len(lists[i]))
	}
	for at := range longest {
		for _, list := range lists {
			if at < len(list) && !slices.Contains(keys, list[at].Key) {
				keys = append(keys, list[at].Key)
			}
		}
	}
	return keys[:min(len(keys), n)]
}

// Headlines are the figures that show first what rules do to play.
var Headlines = []Key{
	{sectionMatch, "hands", ""},
	{sectionMatch, "lead", ""},
	{sectionMatch, "lead_changes", ""},
	{sectionMatch, "last_hand_decides", ""},
	{sectionSeat, "points", winds[0]},
	{sectionDealer, "first_mover_edge", ""},
	{sectionDealer, "points_edge", ""},
	{sectionHand, "won", ""},
	{sectionHand, "self_draw", ""},
	{sectionHand, "ready", ""},
	{sectionHand, "open", ""},
	{sectionWin, "value", ""},
	{sectionWin, "turns", ""},
}

// mostEffects is how many figures Effects has of a dataset beside the headlines.
const mostEffects = 20

// Effects returns what the datasets do: a table of the headlines, with the figure of
// the first dataset and the differences of the others from it, and for each other
// dataset that clearly differs from the first a table of the figures in which it does,
// the clearest first.
func (r *Report) Effects() []Table {
	t := Table{Title: "Differences", Head: []string{"figure", r.Label(0)}}
	for i := range r.Datasets[1:] {
		t.Head = append(t.Head, r.Label(i+1))
	}
	for _, k := range Headlines {
		f := r.Datasets[0].Figure(k)
		if f == nil || f.Count == 0 {
			continue
		}
		row := Row{Label: k.String(), About: f.about(), Cells: []string{f.Text(f.Unit)}}
		for i := range r.Datasets[1:] {
			row.Cells = append(row.Cells, r.differenceText(i+1, k))
		}
		t.Rows = append(t.Rows, row)
	}
	list := []Table{t}
	for i := 1; i < len(r.Datasets); i++ {
		if t := r.effectsOf(i); len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// effectsOf returns the figures beside the headlines in which a dataset clearly differs
// from the first.
func (r *Report) effectsOf(dataset int) Table {
	t := Table{
		Title: "Differences of " + r.Label(dataset),
		Head:  []string{"figure", r.Label(0), r.Label(dataset), "difference"},
	}
	more := 0
	for _, c := range r.clear(dataset) {
		switch {
		case slices.Contains(Headlines, c.Key):
		case len(t.Rows) == mostEffects:
			more++
		default:
			row := Row{Label: c.Key.String(), About: c.about()}
			for _, i := range []int{0, dataset} {
				f := r.Datasets[i].Figure(c.Key)
				row.Cells = append(row.Cells, f.Text(f.Unit))
			}
			t.Rows = append(t.Rows, Row{row.Label, row.About, append(row.Cells, c.Text(c.Unit))})
		}
	}
	if more > 0 {
		t.Note = fmt.Sprintf("%d more figures differ clearly; --json has all.", more)
	}
	return t
}
