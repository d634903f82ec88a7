package stats

import (
	"cmp"
	"math"
	"slices"
)

// moved is a match in which a figure differs between two datasets, and by how much.
type moved struct {
	Match uint64  `json:"match"`
	By    float64 `json:"by"`
}

// keepMoved returns the two matches that moved most in either direction, the largest first.
func keepMoved(list []moved) []moved {
	slices.SortFunc(list, func(a, b moved) int {
		return cmp.Or(cmp.Compare(math.Abs(b.By), math.Abs(a.By)), cmp.Compare(a.Match, b.Match))
	})
	up, down := 0, 0
	return slices.DeleteFunc(list, func(m moved) bool {
		n := &down
		if m.By > 0 {
			n = &up
		}
		*n++
		return *n > 2
	})
}

// note notes the figure of a match in both datasets.
func (j *crossSums) note(match uint64, y1, x1, y2, x2 float64) {
	if x1 > 0 && x2 > 0 {
		y1, y2 = y1/x1, y2/x2
	}
	if y1 != y2 {
		j.Most = keepMoved(append(j.Most, moved{match, y2 - y1}))
	}
}

// matches returns the matches that moved most in the direction of a difference.
func (j *crossSums) matches(difference float64) (list []uint64) {
	for i := 0; j != nil && i < len(j.Most); i++ {
		if m := j.Most[i]; m.By*difference > 0 {
			list = append(list, m.Match)
		}
	}
	return list
}
