// Package search compares actions at a decision by rollouts. It deals the tiles that the player
// does not see again and again, plays each action at a copy of each of these tables, and lets
// agents play the hand to its end. That the tables are the same for all actions (common random
// numbers) makes their differences vary less, and so does the luck that is subtracted.
//
//	s := search.New(newAgent)
//	random := view.Rand()
//	n := s.Compare(view, &search.Comparison{Actions: actions, Redeals: 32, Random: &random})
//	mean, variance := s.Difference(1)
//
// This is a Monte Carlo search with determinizations (Ginsberg, Imperfect Information in a
// Computationally Challenging Game, Journal of Artificial Intelligence Research, 2001). Its
// differences have the errors of the beliefs and of the agents, however many tables are dealt.
package search

import (
	"math/rand/v2"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// MaxActions is the largest number of actions that a search compares.
const MaxActions = 3

// Comparison is what a search compares, and how.
type Comparison struct {
	// Actions are one to MaxActions legal actions of the viewer.
	Actions []sim.Action
	// Redeals is the number of tables at which each action is played.
	Redeals int
	// Deadline is when no further table is dealt. The zero time sets no limit.
	Deadline time.Time
	// PlaceWorth is what a place at the end of the match is worth, in thousandths of the scale of
	// the rules ([ruleset.Traits]).
	PlaceWorth int32
	// Random draws the seeds of the tables, such as the stream of the viewer ([sim.View.Rand]).
	Random rand.Source
	// Beliefs deals by the odds of package belief, where there is a network for the rules, and not
	// by chance alone.
	Beliefs bool
}

// Searcher compares actions. Its answers depend on the view and the comparison alone, unless there
// is a deadline. It is used by one goroutine at a time. After the first comparison under its
// rules it allocates the odds of the beliefs alone.
type Searcher struct {
	// finishers play the hands to their end. Each player has one, whose caches are of its seat.
	finishers     [sim.NumPlayers]sim.Agent
	reader        belief.Estimator
	dealt, played sim.Table
	events        []sim.Event

	// Of the rules. variate measures luck, nil where there is no value function for it.
	rules      *ruleset.Rules
	scale      int64
	handSpread float64
	variate    *luck.LinearControlVariate

	// Of the decision: what a place is worth, in thousandths of the scale, and what a unit of
	// luck is worth in points and places, in 1/OutputUnit.
	placeWorth, luckWorth int64
	// redeals is the number of tables played. sums and squares are those of the differences of
	// each action from the first, in 1/OutputUnit of the scale.
	redeals       int
	sums, squares [MaxActions]int64
}

// New returns a searcher that plays hands to their end by agents of newAgent. They must answer by
// the view alone.
func New(newAgent func() sim.Agent) *Searcher {
	s := new(Searcher)
	for p := range s.finishers {
		s.finishers[p] = newAgent()
	}
	return s
}

// Compare plays the actions out and returns the number of tables at which it did. That is
// c.Redeals, fewer after the deadline, and 0 where no hand is found for a player who has declared
// ready. The viewer must be asked.
func (s *Searcher) Compare(v sim.View, c *Comparison) int {
	s.begin(v, c)
	var odds *sim.Odds
	if c.Beliefs {
		s.reader.Observe(v)
		odds = s.reader.Odds()
	}
	for s.redeals < c.Redeals {
		if !v.RedealInto(&s.dealt, odds, c.Random.Uint64()) {
			s.redeals = 0
			break
		}
		s.playActions(v.Player(), c.Actions)
		if !c.Deadline.IsZero() && !time.Now().Before(c.Deadline) {
			break
		}
	}
	return s.redeals
}

// Difference returns by how much more action i of the last comparison brings than action 0, in
// multiples of the scale: the mean, and the variance of a single table. At least two tables must
// have been played.
func (s *Searcher) Difference(i int) (mean, variance float64) {
	const unit = perceptron.OutputUnit
	n := float64(s.redeals)
	mean = float64(s.sums[i]) / unit / n
	squares := float64(s.squares[i]) / (unit * unit)
	return mean, (float64(squares) - float64(n*mean*mean)) / (n - 1)
}

func (s *Searcher) begin(v sim.View, c *Comparison) {
	if r := v.Rules(); s.rules != r {
		s.rules, s.scale, s.handSpread, s.variate = r, int64(r.Traits.Scale), handSpreadOf(r), nil
		if f, err := luck.ValueFunctionFor(r); err == nil {
			s.variate = luck.NewLinearControlVariate(r, &f.Linear)
		}
	}
	s.redeals, s.sums, s.squares = 0, [MaxActions]int64{}, [MaxActions]int64{}
	s.placeWorth, s.luckWorth = int64(c.PlaceWorth), perceptron.OutputUnit
	if s.placeWorth == 0 {
		return
	}
	// What a point is worth in places is taken from where the player stands now, so that luck
	// keeps its mean of zero.
	step, seats := int32(s.scale), int32(v.Rules().NumSeats())
	var places [2]int64
	for i, d := range [...]int32{-step, step} {
		points := v.Points()
		for q := range points[:seats] {
			points[q] -= d / (seats - 1)
		}
		points[v.Player()] += d + d/(seats-1)
		places[i] = s.placeBy(v, &points)
	}
	s.luckWorth += (places[0] - places[1]) / 2 * s.placeWorth / 1000
}

// playActions plays the actions of player p at the dealt table.
func (s *Searcher) playActions(p sim.Player, actions []sim.Action) {
	s.redeals++
	first := int64(0)
	for i, a := range actions {
		result := s.playOut(p, a)
		if i == 0 {
			first = result
			continue
		}
		s.sums[i] += result - first
		s.squares[i] += (result - first) * (result - first)
	}
}

// playOut returns what the hand and the places are worth to player p who takes an action at the
// dealt table, in 1/OutputUnit of the scale.
func (s *Searcher) playOut(p sim.Player, a sim.Action) int64 {
	t := &s.played
	*t = s.dealt
	if s.variate != nil {
		s.variate.SetTable(t)
	}
	lucky := s.step(t, p, a, p)
	for q := range t.RestOfHand() {
		answer, _ := sim.Ask(s.finishers[q], t.View(q))
		lucky += s.step(t, q, answer, p)
	}
	points := netPoints(t)
	worth := int64(points[p]) * perceptron.OutputUnit / s.scale
	if s.placeWorth > 0 {
		worth -= s.place(t, &points, p) * s.placeWorth / 1000
	}
	return worth - lucky*s.luckWorth/(luck.Unit*s.scale)
}

// step plays a legal answer of player q and returns how lucky its events are for player p.
func (s *Searcher) step(t *sim.Table, q sim.Player, a sim.Action, p sim.Player) (lucky int64) {
	var err error
	if s.events, err = t.Step(q, a, s.events[:0]); err != nil {
		panic(err) // the actions and the answers are legal
	}
	if s.variate != nil {
		for _, e := range s.events {
			lucky += s.variate.Follow(e)[p]
		}
	}
	return lucky
}

// netPoints returns the points of the players with debts counted as paid.
func netPoints(t *sim.Table) [sim.NumPlayers]int32 {
	points, v := t.Points(), t.View(0)
	if v.HasDebts() {
		for creditor := range sim.Player(sim.NumPlayers) {
			for debtor, d := range v.Debts(creditor) {
				points[creditor] += d.Points
				points[debtor] -= d.Points
			}
		}
	}
	return points
}
