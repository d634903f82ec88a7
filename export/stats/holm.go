package stats

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/export/summary"
)

// Adjust corrects the probabilities of comparisons for their number. The probability that
// any of those below a level is there by chance is then at most that level. Source: Holm,
// A simple sequentially rejective multiple test procedure, 1979.
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
	var least summary.Number
	for rank, i := range order {
		least = max(least, min(1, list[i].P*summary.Number(len(order)-rank)))
		list[i].Adjusted = least
	}
}
