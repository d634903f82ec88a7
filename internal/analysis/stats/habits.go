package stats

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Habit is an event of hands, such as a call or a pattern, that a tuned player has at another
// rate than the untuned players at its table.
type Habit struct {
	// Name is that of the event; Pattern reports whether it is a pattern of a win.
	Name    string `json:"name"`
	Pattern bool   `json:"pattern"`
	// Rate is the share of the tuned player's hands with the event, Others the mean share of
	// the others.
	Rate   float64 `json:"rate"`
	Others float64 `json:"others"`
	// P is the probability of a difference at least as large if all had the same rate, Twice
	// if the tuned player's rate were twice theirs. Both are corrected for the number of
	// comparisons.
	P     interval.Number `json:"p_adjusted"`
	Twice interval.Number `json:"p_twice_adjusted"`
	ratio float64         // of the rates, with half a case added to both
}

// Dominant reports whether the tuned player's rate is clearly more than twice that of the
// others.
func (h *Habit) Dominant() bool { return h.Twice < level }

// habits counts the events of hands.
type habits struct {
	// names are the numHabits actions, then the patterns of the ruleset.
	names []string
	// counts are the hands with each event: of the tuned player, and of the others together.
	counts [][2]int
	hands  int
	seats  int // players
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
	h := &habits{seats: rules.NumSeats(), names: []string{"win", "win by self-draw", "give the winning tile", "declare ready", "call"}}
	for _, p := range rules.Patterns() {
		h.names = append(h.names, p.ID)
	}
	h.counts = make([][2]int, len(h.names))
	return h
}

// add adds a hand in which player tuned is the tuned one.
func (h *habits) add(row *schema.HandRow, tuned int) {
	h.hands++
	count := func(i, player int) {
		if player == tuned {
			h.counts[i][0]++
		} else {
			h.counts[i][1]++
		}
	}
	for p := range h.seats {
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
			if at := slices.Index(h.names[numHabits:], p.ID); at >= 0 {
				count(numHabits+at, int(w.Player))
			}
		}
	}
}

// list returns the habits in descending order of the ratio of the rates. Given the number of
// events of all players, those of the tuned player are binomial: among four with probability
// 1/4 if all have the same rate, 2/5 if its rate is twice theirs. Source: Przyborowski and Wilenski,
// Homogeneity of results in testing samples from Poisson series, 1940.
func (h *habits) list() (list []Habit) {
	var differ, twice []*Difference
	same, double := 1/float64(h.seats), 2/float64(h.seats+1)
	for i, c := range h.counts {
		n := c[0] + c[1]
		if n == 0 {
			continue
		}
		list = append(list, Habit{
			Name: h.names[i], Pattern: i >= numHabits,
			Rate: float64(c[0]) / float64(h.hands), Others: float64(c[1]) / float64(h.hands) / float64(h.seats-1),
			ratio: (float64(c[0]) + 0.5) / (float64(c[1]) + 0.5),
		})
		differ = append(differ, &Difference{P: interval.Number(min(1, 2*min(atLeast(c[0], n, same), 1-atLeast(c[0]+1, n, same))))})
		twice = append(twice, &Difference{P: interval.Number(atLeast(c[0], n, double))})
	}
	Adjust(differ)
	Adjust(twice)
	for i := range list {
		list[i].P, list[i].Twice = differ[i].Adjusted, twice[i].Adjusted
	}
	list = slices.DeleteFunc(list, func(h Habit) bool { return h.P >= level })
	slices.SortStableFunc(list, func(a, b Habit) int { return cmp.Compare(b.ratio, a.ratio) })
	return list
}

// atLeast returns the probability of k or more successes in n trials of probability p.
func atLeast(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return distuv.Binomial{N: float64(n), P: p}.Survival(float64(k - 1))
}
