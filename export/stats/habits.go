package stats

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Habit is what a player who has adapted does, beside the others at his table.
type Habit struct {
	// Name is that of a pattern, or of what a player does in a hand.
	Name    string `json:"name"`
	Pattern bool   `json:"pattern"`
	// Rate and Others are in what share of their hands he and each of the others do it.
	Rate   float64 `json:"rate"`
	Others float64 `json:"others"`
	// P is the probability of a difference at least as large if all had the same rate.
	// Twice is that of one as large if this player's rate were twice theirs. Both are
	// corrected for the number of comparisons.
	P     summary.Number `json:"p_adjusted"`
	Twice summary.Number `json:"p_twice_adjusted"`
	// order is how many times as often he does it, half a case being added on both sides.
	order float64
}

// Dominant reports whether this player clearly does it more than twice as often.
func (h *Habit) Dominant() bool { return h.Twice < level }

// habits counts what is done in hands: by the player who has adapted, and by the others.
type habits struct {
	names []string
	// patterns of names are those of the ruleset; what players do stands before.
	first  int
	counts [][2]int
	hands  int
}

const (
	habitWin = iota
	habitSelfDraw
	habitDealIn
	habitReady
	habitCall
	numHabits
)

func newHabits(rules *ruleset.Rules) *habits {
	h := &habits{names: []string{"win", "win by self-draw", "give the winning tile", "declare ready", "call"}, first: numHabits}
	for _, p := range rules.Patterns() {
		h.names = append(h.names, p.ID)
	}
	h.counts = make([][2]int, len(h.names))
	return h
}

// add adds a hand in which he is a player.
func (h *habits) add(row *schema.HandRow, me int) {
	h.hands++
	count := func(i, player int) {
		if player == me {
			h.counts[i][0]++
		} else {
			h.counts[i][1]++
		}
	}
	for p := range sim.NumPlayers {
		if row.Ready[p] != 0 {
			count(habitReady, p)
		}
		if row.Called[p] {
			count(habitCall, p)
		}
	}
	if row.Giver != schema.NoPlayer {
		count(habitDealIn, int(row.Giver))
	}
	for i := range row.Wins {
		w := &row.Wins[i]
		count(habitWin, int(w.Player))
		if row.End == sim.WinSelfDraw.String() {
			count(habitSelfDraw, int(w.Player))
		}
		for k, p := range w.Patterns {
			if slices.ContainsFunc(w.Patterns[:k], func(q schema.Pattern) bool { return q.ID == p.ID }) {
				continue // a win may count a pattern more than once
			}
			if at := slices.Index(h.names[h.first:], p.ID); at >= 0 {
				count(h.first+at, int(w.Player))
			}
		}
	}
}

// list compares the rates. Of how often something is done by all, he alone does it as
// often as a throw of a coin says that shows his side once in four, or twice in five if he
// does it twice as often as each of the others (Przyborowski and Wilenski, Homogeneity of
// results in testing samples from Poisson series, 1940).
func (h *habits) list() (list []Habit) {
	var differ, twice []*Difference
	for i, c := range h.counts {
		n := c[0] + c[1]
		if n == 0 {
			continue
		}
		list = append(list, Habit{
			Name: h.names[i], Pattern: i >= h.first,
			Rate: float64(c[0]) / float64(h.hands), Others: float64(c[1]) / float64(h.hands) / (sim.NumPlayers - 1),
			order: (float64(c[0]) + 0.5) / (float64(c[1]) + 0.5),
		})
		differ = append(differ, &Difference{P: summary.Number(min(1, 2*min(atLeast(c[0], n, 0.25), 1-atLeast(c[0]+1, n, 0.25))))})
		twice = append(twice, &Difference{P: summary.Number(atLeast(c[0], n, 0.4))})
	}
	Adjust(differ)
	Adjust(twice)
	for i := range list {
		list[i].P, list[i].Twice = differ[i].Adjusted, twice[i].Adjusted
	}
	list = slices.DeleteFunc(list, func(h Habit) bool { return h.P >= level })
	slices.SortStableFunc(list, func(a, b Habit) int { return cmp.Compare(b.order, a.order) })
	return list
}

// atLeast returns the probability of k or more of n cases of probability p.
func atLeast(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return distuv.Binomial{N: float64(n), P: p}.Survival(float64(k - 1))
}
