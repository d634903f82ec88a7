package standings

import (
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// HeadToHead is the results of pairs of agents, counted by duplicate sets.
type HeadToHead struct {
	agents int
	pairs  []headPair // of a and b at a*agents+b, for a < b
}

// headPair is the sums over the duplicate sets in which two agents met: of the shares of
// matches in which the first was ahead, and of their squares.
type headPair struct{ sets, share, squares float64 }

// NewHeadToHead returns that of so many agents without matches.
func NewHeadToHead(agents int) *HeadToHead {
	return &HeadToHead{agents: agents, pairs: make([]headPair, agents*agents)}
}

// Add adds a duplicate set.
func (h *HeadToHead) Add(set []Ranking) {
	lineup := set[0].Agents
	seats := set[0].Seats
	for x, a := range lineup[:seats] {
		for _, b := range lineup[:seats] {
			if a >= b || slices.Contains(lineup[:x], a) {
				continue
			}
			var ahead, all float64
			for i := range set {
				m := &set[i]
				for p, c := range m.Agents[:seats] {
					for q, d := range m.Agents[:seats] {
						if c != a || d != b {
							continue
						}
						all++
						switch {
						case m.Ranks[p] < m.Ranks[q]:
							ahead++
						case m.Ranks[p] == m.Ranks[q]:
							ahead += 0.5
						}
					}
				}
			}
			k := &h.pairs[int(a)*h.agents+int(b)]
			k.sets++
			k.share += ahead / all
			k.squares += ahead / all * (ahead / all)
		}
	}
}

// LeastSets is the least number of duplicate sets from which an interval is estimated. The spread
// of fewer says little: two sets that happen to agree would give one of zero width.
const LeastSets = 4

// Share returns the share of matches in which a is ahead of b, the half-width of its 95 %
// interval, and the number of duplicate sets. Without [LeastSets] of them the two are not
// compared, and half is not a number.
func (h *HeadToHead) Share(a, b uint8) (share, half, sets float64) {
	turned := a > b
	if turned {
		a, b = b, a
	}
	k := h.pairs[int(a)*h.agents+int(b)]
	if k.sets == 0 {
		return 0, math.NaN(), 0
	}
	share, half = k.share/k.sets, math.NaN()
	if k.sets >= LeastSets {
		half = interval.StudentT(k.sets-1) * math.Sqrt(max(k.squares/k.sets-share*share, 0.0625/k.sets)/(k.sets-1))
	}
	if turned {
		share = 1 - share
	}
	return share, half, k.sets
}
