package stats

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// String returns the key as text, such as "win value" or "seat first east".
func (k Key) String() string {
	s := k.Section + " " + Label(k.Name)
	if k.Of != "" {
		s += ", " + k.Of
	}
	return s
}

// Label names a dataset in a line of text: by its ruleset if the rulesets differ,
// else by the folder.
func (r *Results) Label(i int) string { return sanitize.Line(r.nameOf(i)) }

func (r *Results) nameOf(i int) string {
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
func (r *Results) Comparison(dataset int, k Key) *Comparison {
	for i := range r.Comparisons {
		if c := &r.Comparisons[i]; c.Dataset == dataset && c.Key == k {
			return c
		}
	}
	return nil
}

// clear returns the comparisons of a dataset with the first that are clear, the
// clearest first. The figures of an agent that plays alone are those of all hands and
// are left out.
func (r *Results) ClearComparisons(dataset int) []*Comparison {
	var list []*Comparison
	names := r.Datasets[0].Agents
	alone := !slices.ContainsFunc(names, func(name string) bool { return name != names[0] })
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if c.Dataset == dataset && c.Clear() && !(c.Section == SectionAgent && alone) {
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
func (r *Results) Clear(n int) []Key {
	var keys []Key
	lists := make([][]*Comparison, len(r.Datasets))
	longest := 0
	for i := 1; i < len(r.Datasets); i++ {
		lists[i] = r.ClearComparisons(i)
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
	{SectionMatch, "hands", ""},
	{SectionMatch, "lead", ""},
	{SectionMatch, "lead_changes", ""},
	{SectionMatch, "last_hand_decides", ""},
	{SectionSeat, "points", Winds[0]},
	{SectionDealer, "first_mover_edge", ""},
	{SectionDealer, "points_edge", ""},
	{SectionHand, "won", ""},
	{SectionHand, "self_draw", ""},
	{SectionHand, "ready", ""},
	{SectionHand, "open", ""},
	{SectionWin, "value", ""},
	{SectionWin, "turns", ""},
}

// Meaning returns the meaning of a figure, empty if no dataset has it.
func (r *Results) Meaning(k Key) Meaning {
	for i := range r.Datasets {
		if f := r.Datasets[i].Figure(k); f != nil {
			return f.Meaning
		}
	}
	return Meaning{}
}

// Label returns the name of a figure as text.
func Label(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Describe returns the description of a figure, with "share of" before that of a share.
func (m *Meaning) Describe() string {
	if m.Unit == Share {
		return "share of " + m.About
	}
	return m.About
}
