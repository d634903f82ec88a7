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

// Label returns the name of a dataset in a report, in printable characters: its ruleset if no
// other has it, otherwise its folder, with its number if that is not unique either.
func (r *Results) Label(i int) string { return sanitize.Line(r.nameOf(i)) }

func (r *Results) nameOf(i int) string {
	shared := func(f func(s *Summary) string) bool {
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
	case !shared(ruleset):
		return d.Ruleset
	case !shared(folder):
		return folder(d)
	}
	return fmt.Sprintf("%d: %s", i+1, folder(d))
}

// Figure returns the figure of a key, nil if the dataset has none.
func (s *Summary) Figure(k Key) *Figure {
	return find(s.Figures, func(f *Figure) bool { return f.Key == k })
}

// Distribution returns the distribution of a name, nil if the dataset has none.
func (s *Summary) Distribution(name string) *Distribution {
	return find(s.Distributions, func(d *Distribution) bool { return d.Name == name })
}

// Comparison returns the comparison of a figure of a dataset with the first, nil if one of
// the two has none.
func (r *Results) Comparison(dataset int, k Key) *Comparison {
	return find(r.Comparisons, func(c *Comparison) bool { return c.Dataset == dataset && c.Key == k })
}

// find returns the first element for which match returns true, nil if there is none.
func find[T any](list []T, match func(*T) bool) *T {
	for i := range list {
		if match(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// ClearComparisons returns the comparisons of a dataset with the first that are clear, the
// clearest first. It leaves out the figures of a single agent that all players are, which
// repeat those of all hands.
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
	// Probabilities that round to 0 are equal; the number of errors decides then.
	slices.SortStableFunc(list, func(a, b *Comparison) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(b.clearness(), a.clearness()))
	})
	return list
}

// clearness returns the distance of the difference from 0 in standard errors.
func (d *Difference) clearness() float64 { return math.Abs(d.Value) / d.Error }

// ClearKeys returns up to n figures in which datasets clearly differ from the first: the
// clearest of each dataset in turn.
func (r *Results) ClearKeys(n int) []Key {
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

// Headlines are the figures that a comparison of rulesets shows first.
var Headlines = []Key{
	{SectionMatch, "hands", ""},
	{SectionMatch, "lead", ""},
	{SectionMatch, "lead_changes", ""},
	{SectionMatch, "last_hand_decides", ""},
	{SectionSeat, "points", "east"},
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
