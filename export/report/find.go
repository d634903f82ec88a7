package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/jansou/jansou/export"
)

// String returns the key as text, such as "win value" or "seat first east".
func (k Key) String() string {
	s := k.Section + " " + label(k.Name)
	if k.Of != "" {
		s += ", " + k.Of
	}
	return s
}

// Label names a dataset: by its ruleset if the rulesets differ, else by the
// folder.
func (r *Report) Label(i int) string {
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

// Clear returns up to n figures in which some dataset clearly differs from the
// first, the clearest first. The figures of an agent that plays alone are those
// of all hands and are left out.
func (r *Report) Clear(n int) []Key {
	least := map[Key]export.Number{}
	var keys []Key
	names := r.Datasets[0].Agents
	alone := !slices.ContainsFunc(names, func(name string) bool { return name != names[0] })
	for _, c := range r.Comparisons {
		if !c.Clear() || c.Section == sectionAgent && alone {
			continue
		}
		p, ok := least[c.Key]
		if !ok {
			keys = append(keys, c.Key)
			p = c.P
		}
		least[c.Key] = min(p, c.P)
	}
	slices.SortStableFunc(keys, func(a, b Key) int { return cmp.Compare(least[a], least[b]) })
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

// moreEffects is how many figures Effects has beside the headlines.
const moreEffects = 20

// Effects returns a table of the headlines and of the figures in which some
// dataset differs most clearly from the first: the figure of the first dataset
// and the differences from it.
func (r *Report) Effects() Table {
	t := Table{Title: "Differences", Head: []string{"figure", r.Label(0)}}
	for i := range r.Datasets[1:] {
		t.Head = append(t.Head, r.Label(i+1))
	}
	keys := slices.Clone(Headlines)
	for _, k := range r.Clear(len(keys) + moreEffects) {
		if !slices.Contains(keys, k) && len(keys) < len(Headlines)+moreEffects {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
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
	return t
}
