// Package suggest finds the names that a user may have meant.
//
//	suggest.Nearest("tenho", []string{"mleague", "tenhou"}, 1) // ["tenhou"]
package suggest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the n names nearest to word, nearest first, by Levenshtein distance. A name
// that contains word, or is contained in it, has distance 1. Equal names keep their order.
func Nearest(word string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, name := range names {
		d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(name))
		if word != "" && (strings.Contains(name, word) || strings.Contains(word, name)) {
			d = 1
		}
		near = append(near, candidate{name, d})
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var best []string
	for _, c := range near[:min(n, len(near))] {
		best = append(best, c.name)
	}
	return best
}
