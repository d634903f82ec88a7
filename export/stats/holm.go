package stats

import (
	"cmp"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/summary"
)

// adjustAll calls [Adjust] with a difference of each element of a list.
func adjustAll[T any](list []T, of func(*T) *Difference) {
	differences := make([]*Difference, len(list))
	for i := range list {
		differences[i] = of(&list[i])
	}
	Adjust(differences)
}

// Adjust sets Adjusted: P corrected for the number of comparisons, so that the probability of
// any false one below a level is at most that level. Source: Holm, A simple sequentially
// rejective multiple test procedure, 1979.
func Adjust(list []*Difference) {
	var order []int
	for i := range list {
		if list[i].P.Known() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].P, list[b].P) })
	var least summary.Number
	for rank, i := range order {
		least = max(least, min(1, list[i].P*summary.Number(len(order)-rank)))
		list[i].Adjusted = least
	}
}
