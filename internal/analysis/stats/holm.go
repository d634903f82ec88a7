package stats

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// AdjustAll calls [Adjust] with a difference of each element of a list.
func AdjustAll[T any](list []T, of func(*T) *Difference) { Adjust(differencesOf(list, of)) }

// differencesOf returns a difference of each element of a list.
func differencesOf[T any](list []T, of func(*T) *Difference) []*Difference {
	differences := make([]*Difference, len(list))
	for i := range list {
		differences[i] = of(&list[i])
	}
	return differences
}

// Adjust sets Adjusted: P corrected for the number of comparisons (see [interval.Holm]).
func Adjust(list []*Difference) { adjust(list, nil) }

// HeadlineWeight is the part of the weight of Holm's correction that the headlines share.
const HeadlineWeight = 0.9

// adjust corrects with HeadlineWeight for some of the comparisons where others are left.
func adjust(list []*Difference, first func(i int) bool) {
	var known []int
	var p, weights []float64
	firsts := 0
	for i, d := range list {
		if d.P.Known() {
			known, p, weights = append(known, i), append(p, float64(d.P)), append(weights, 1)
			if first != nil && first(i) {
				firsts++
			}
		}
	}
	for n, i := range known {
		if firsts > 0 && firsts < len(known) && first(i) {
			weights[n] = HeadlineWeight / (1 - HeadlineWeight) * float64(len(known)-firsts) / float64(firsts)
		}
	}
	for n, x := range interval.Holm(p, weights) {
		list[known[n]].Adjusted = interval.Number(x)
	}
}

// adjustComparisons corrects the comparisons of a report together. Most of the weight is for the
// headlines, of which there are few beside all patterns.
func adjustComparisons(list []Comparison) {
	adjust(differencesOf(list, func(c *Comparison) *Difference { return &c.Difference }), func(i int) bool { return slices.Contains(Headlines, list[i].Key) })
}
