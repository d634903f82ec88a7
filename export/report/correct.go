package report

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/export"
)

// Adjust corrects the probabilities of comparisons for their number, so that
// among all that are below a level none is there by chance with a probability
// above that level: Holm, A simple sequentially rejective multiple test
// procedure, 1979.
func Adjust(list []*Difference) {
	var order []int
	for i := range list {
		if list[i].P.Known() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case list[a].P < list[b].P:
			return -1
		case list[a].P > list[b].P:
			return 1
		}
		return 0
	})
	var least export.Number
	for rank, i := range order {
		least = max(least, min(1, list[i].P*export.Number(len(order)-rank)))
		list[i].Adjusted = least
	}
}
