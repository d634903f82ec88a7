// Package review estimates what the choices of a match cost. At each decision where a judge
// would have answered differently, it deals the tiles that the player cannot see many times and
// plays the hand on with either answer. These are rollouts with common random numbers, in which
// the judge plays for all players.
//
//	r, err := review.Match(ctx, rules, match, review.Options{NewJudge: judge, Deals: 100, Players: all, Workers: 2})
//	fmt.Println(r.Decisions[0].Cost)
package review

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/ordered"
)

// Options say how to review.
type Options struct {
	// NewJudge returns an agent that judges and plays on. Its answers must depend on its view
	// alone.
	NewJudge func() sim.Agent
	// Deals is the number of deals of the unseen tiles at a decision, at least 2.
	Deals int
	// Players are those whose decisions are reviewed.
	Players sim.Players
	// Workers is the number of decisions judged at a time, at least 1. It does not change the
	// result.
	Workers int
	// Done, if not nil, is called from one goroutine with the number of decisions judged since
	// its last call.
	Done func(decisions int)
}

// Decision is a decision at which the judge would have answered differently.
type Decision struct {
	// Hand is the number of the hand in the match, Step that of the decision in the match,
	// both from 0.
	Hand int `json:"hand"`
	Step int `json:"step"`
	// Event is the number of events before it.
	Event  int        `json:"event"`
	Player sim.Player `json:"player"`
	Choice sim.Action `json:"choice"`
	// Better is the answer of the judge.
	Better sim.Action `json:"better"`
	// Drawn is the tile that the player had drawn, NoFace if there was none.
	Drawn tile.Face `json:"-"`
	// Cost is the mean loss of points in the hand by Choice instead of Better, debts to and of
	// the player included. Low and High are its 95 % interval by Student's t.
	Cost summary.Number `json:"cost"`
	Low  summary.Number `json:"low"`
	High summary.Number `json:"high"`

	table    sim.Table
	variance float64 // of Cost
}

// Clear reports whether the interval of the cost lies above zero.
func (d *Decision) Clear() bool { return d.Low > 0 }

// Summary is the costs of one player.
type Summary struct {
	Player sim.Player `json:"player"`
	// Decisions is the number of decisions with more than one legal action, Other that of
	// those at which the judge would have answered differently, Clear that of those whose
	// cost is clearly above 0.
	Decisions int `json:"decisions"`
	Other     int `json:"other"`
	Clear     int `json:"clear"`
	// Cost is the sum of all costs, in points, with its 95 % interval.
	Cost summary.Number `json:"cost"`
	Low  summary.Number `json:"low"`
	High summary.Number `json:"high"`
}

// Review is the result of a review of a match.
type Review struct {
	// Players are the summaries of the reviewed players in ascending order.
	Players []Summary `json:"players"`
	// Decisions are those at which the judge would have answered differently, in the order of
	// the match.
	Decisions []Decision `json:"decisions"`
}

// Match reviews a match that was played under the rules, with its choices kept.
func Match(ctx context.Context, r *ruleset.Rules, m *sim.Match, o Options) (*Review, error) {
	all, counts, err := differences(r, m, o)
	if err != nil {
		return nil, err
	}
	review := &Review{Decisions: make([]Decision, 0, len(all))}
	items := func(yield func(*Decision) bool) {
		for i := range all {
			if !yield(&all[i]) {
				return
			}
		}
	}
	newWorker := func() ordered.Worker[*Decision, Decision] {
		judge, _ := newJudge(r, o) // which has worked in differences
		p := rollouts{judge: judge, deals: o.Deals, unit: float64(r.Unit())}
		return ordered.Worker[*Decision, Decision]{Work: func(_ context.Context, d *Decision, result *Decision) error {
			*result = *d
			return p.judgeAt(result)
		}}
	}
	err = ordered.Run(ctx, o.Workers, items, newWorker, func() *Decision { return new(Decision) }, func(d *Decision) error {
		review.Decisions = append(review.Decisions, *d)
		if o.Done != nil {
			o.Done(1)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for players := o.Players; players != 0; players = players.Rest() {
		review.Players = append(review.Players, review.summary(players.First(), counts[players.First()]))
	}
	return review, nil
}

// newJudge returns a judge that was started for the rules.
func newJudge(r *ruleset.Rules, o Options) (sim.Agent, error) {
	judge := o.NewJudge()
	if s, ok := judge.(sim.Starter); ok {
		return judge, s.Start(r)
	}
	return judge, nil
}

// differences replays a match and returns the decisions at which the judge answers differently,
// and the number of decisions of each player.
func differences(r *ruleset.Rules, m *sim.Match, o Options) (all []Decision, counts [sim.NumPlayers]int, err error) {
	judge, err := newJudge(r, o)
	if err != nil {
		return nil, counts, err
	}
	hand, next := 0, 0
	err = m.ReplaySteps(r, func(t *sim.Table, p sim.Player, a sim.Action, _ []sim.Event) {
		if t == nil {
			return
		}
		for hand+1 < len(m.Hands) && m.Hands[hand+1].FirstAction <= next {
			hand++
		}
		if legal := t.Legal(p); o.Players.Has(p) && legal.Len() > 1 && t.Phase() != sim.PhaseBetween {
			counts[p]++
			if better := judge.Act(t.View(p)); better != a {
				all = append(all, Decision{
					Hand: hand, Step: next, Event: int(m.Choices[next].EventIndex), Player: p, Choice: a, Better: better,
					Drawn: t.View(p).Drawn(), table: *t,
				})
			}
		}
		next++
	})
	return all, counts, err
}

// rollouts plays hands to their end from decisions.
type rollouts struct {
	judge  sim.Agent
	deals  int
	unit   float64
	events []sim.Event
	costs  []float64
}

// judgeAt sets the cost of a decision.
func (o *rollouts) judgeAt(d *Decision) error {
	o.costs = o.costs[:0]
	seeds := rand.New(rand.NewPCG(uint64(d.Step), reviewStream))
	for range o.deals {
		dealt := d.table.View(d.Player).Redeal(seeds.Uint64())
		choice, err := o.outcome(dealt, d.Player, d.Choice)
		if err != nil {
			return err
		}
		better, err := o.outcome(dealt, d.Player, d.Better)
		if err != nil {
			return err
		}
		o.costs = append(o.costs, float64(better-choice)/o.unit)
	}
	d.setCost(o.costs)
	return nil
}

// setCost sets the cost and its interval, given the costs of the deals.
func (d *Decision) setCost(costs []float64) {
	sum, squares := 0.0, 0.0
	for _, x := range costs {
		sum += x
		squares += x * x
	}
	n := float64(len(costs))
	mean := sum / n
	d.variance = max(0, squares/n-mean*mean) / (n - 1)
	d.Cost = summary.Number(mean)
	d.Low, d.High = summary.Around(mean, interval.StudentT(n-1)*math.Sqrt(d.variance))
}

// reviewStream is the second word of the seed of the deals.
const reviewStream = 0x726576696577

// outcome returns the points of a player in units, debts included, when the hand has been played
// to its end from an action.
func (o *rollouts) outcome(t sim.Table, p sim.Player, a sim.Action) (units int32, err error) {
	o.events, err = t.Step(p, a, o.events[:0])
	for err == nil && !t.Over() && t.Phase() != sim.PhaseDeal {
		q := t.Asked().First()
		o.events, err = t.Step(q, o.judge.Act(t.View(q)), o.events[:0])
	}
	if err != nil {
		return 0, fmt.Errorf("review: playing on: %w", err)
	}
	v := t.View(p)
	units = v.Points()[p]
	for q := range sim.Player(sim.NumPlayers) {
		units += v.Debts(p)[q].Points - v.Debts(q)[p].Points
	}
	return units, nil
}

// summary returns the summary of a player with a number of decisions.
func (r *Review) summary(p sim.Player, decisions int) Summary {
	s := Summary{Player: p, Decisions: decisions}
	cost, variance := 0.0, 0.0
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if d.Player != p {
			continue
		}
		s.Other++
		if d.Clear() {
			s.Clear++
		}
		cost += float64(d.Cost)
		variance += d.variance
	}
	s.Cost = summary.Number(cost)
	s.Low, s.High = summary.Around(cost, interval.Normal*math.Sqrt(variance))
	return s
}
