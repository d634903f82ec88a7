package strength

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Ranking is the result of a match.
type Ranking struct {
	// Agents and Ranks are the agents, from 0, and their places from 1, by seat.
	Agents, Ranks [sim.NumPlayers]uint8
	// Seats is the number of players.
	Seats uint8
	// Luck is that of the players, in any unit; zero if it is not known.
	Luck [sim.NumPlayers]float32
}

// NewRanking returns the result of a match by the rows of its players, without luck.
func NewRanking(rows []schema.MatchRow) Ranking {
	m := Ranking{Seats: uint8(len(rows))}
	for p := range rows {
		m.Agents[p], m.Ranks[p] = rows[p].Agent, rows[p].Rank
	}
	return m
}

// choice is the agents of whom one is ahead of the others, in ascending order. An agent with
// several seats occurs several times.
type choice struct {
	agents [sim.NumPlayers]uint8
	n      uint8
}

func (c *choice) all() []uint8 { return c.agents[:c.n] }

// orders is the number of orders of four players. The number of orders of any ties divides it, so
// that weights in 1/orders are whole numbers, whose sums are exact.
const orders = 24

// visit calls f for the choices of the match with the agent that is ahead: the first among all,
// the first among the others, and so on. The weight of a choice, in 1/orders, is divided equally
// among the orders of tied players. Choices among the seats of one agent are left out.
func (r *Ranking) visit(f func(c choice, ahead uint8, weight int)) {
	r.visitLeft(1<<r.Seats-1, orders, f)
}

// visitLeft is visit for the players in left.
func (r *Ranking) visitLeft(left sim.Players, weight int, f func(c choice, ahead uint8, weight int)) {
	var c choice
	best, ties := uint8(0xff), 0
	for p := range r.Seats {
		if !left.Has(sim.Player(p)) {
			continue
		}
		c.agents[c.n] = r.Agents[p]
		c.n++
		switch rank := r.Ranks[p]; {
		case rank < best:
			best, ties = rank, 1
		case rank == best:
			ties++
		}
	}
	// Sorted agents are the key by which a pool adds up equal choices, whatever the seats.
	slices.Sort(c.all())
	// All that are left are one agent: its own seats say nothing of its strength. The recursion
	// ends here, at the latest with one player.
	if c.agents[0] == c.agents[c.n-1] {
		return
	}
	for p := range r.Seats {
		if left.Has(sim.Player(p)) && r.Ranks[p] == best {
			// Each of the tied players is ahead in an equal part of the orders. The division leaves
			// no remainder, see orders.
			f(c, r.Agents[p], weight/ties)
			r.visitLeft(left&^sim.Player(p).Bit(), weight/ties, f)
		}
	}
}

// lineup returns the different agents of the match in dst.
func (r *Ranking) lineup(dst []uint8) []uint8 {
	for _, a := range r.Agents[:r.Seats] {
		if !slices.Contains(dst, a) {
			dst = append(dst, a)
		}
	}
	slices.Sort(dst)
	return dst
}

// ahead returns the number of pairs of seats of agents a and b, and of those in which a is ahead,
// ties by half.
func (r *Ranking) ahead(a, b uint8) (ahead, all float64) {
	for p, c := range r.Agents[:r.Seats] {
		for q, d := range r.Agents[:r.Seats] {
			if c != a || d != b {
				continue
			}
			all++
			switch {
			case r.Ranks[p] < r.Ranks[q]:
				ahead++
			case r.Ranks[p] == r.Ranks[q]:
				ahead += 0.5
			}
		}
	}
	return ahead, all
}
