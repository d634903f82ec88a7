// Package review estimates what the choices of a match cost. At each decision where a
// judge would have answered differently, it deals the tiles that the player cannot see
// many times and plays the hand on with either answer. Both have the same tiles, and the
// judge plays for all players: rollouts with common random numbers.
package review

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/ordered"
)

// Options say how to review.
type Options struct {
	// NewJudge makes the agents that judge and play on. What they answer depends on
	// what they see alone.
	NewJudge func() sim.Agent
	// Deals is how often the unseen tiles are dealt again at a decision, at least 2.
	Deals int
	// Players are those whose decisions are reviewed.
	Players sim.Players
	Workers int
	// Done, if not nil, is called with the number of decisions judged, from one
	// goroutine.
	Done func(decisions int)
}

// Decision is one at which the judge would have answered otherwise.
type Decision struct {
	// Hand is the number of the hand in the match, Step that of the decision among all
	// of the match, from 0.
	Hand int `json:"hand"`
	Step int `json:"step"`
	// Event is the number of events before it.
	Event  int        `json:"event"`
	Player sim.Player `json:"player"`
	Choice sim.Action `json:"choice"`
	// Better is what the judge would have answered.
	Better sim.Action `json:"better"`
	// Drawn is the tile the player had drawn, NoFace where he had not.
	Drawn tile.Face `json:"-"`
	// Cost is by how many points the hand brings the player less by his choice, on
	// average, with its 95 % interval by Student's t. What others owe him counts.
	Cost summary.Number `json:"cost"`
	Low  summary.Number `json:"low"`
	High summary.Number `json:"high"`

	table    sim.Table
	variance float64 // of Cost
}

// Clear reports whether the interval of the cost lies above zero.
func (d *Decision) Clear() bool { return d.Low > 0 }

// Summary is how a player did.
type Summary struct {
	Player sim.Player `json:"player"`
	// Decisions is the number of his decisions with more than one action, Other that of
	// those at which the judge would have answered otherwise, Clear that of those whose
	// cost lies above zero beyond doubt.
	Decisions int `json:"decisions"`
	Other     int `json:"other"`
	Clear     int `json:"clear"`
	// Cost is the sum of all costs, in points, with its 95 % interval.
	Cost summary.Number `json:"cost"`
	Low  summary.Number `json:"low"`
	High summary.Number `json:"high"`
}

// Review is a match that was reviewed.
type Review struct {
	// Players has those whose decisions were reviewed, in order.
	Players []Summary `json:"players"`
	// Decisions has those at which the judge would have answered otherwise, in order.
	Decisions []Decision `json:"decisions"`
}

// Match reviews a match that was played under the rules, with its choices kept.
// The same match has the same review whatever the number of workers is.
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
	worker := func() ordered.Worker[*Decision, Decision] {
		judge, _ := newJudge(r, o) // as the one that went through the match
		p := playouts{judge: judge, deals: o.Deals, unit: float64(r.Unit())}
		return ordered.Worker[*Decision, Decision]{Work: func(_ context.Context, d *Decision, result *Decision) error {
			*result = *d
			return p.judgeAt(result)
		}}
	}
	err = ordered.Run(ctx, o.Workers, items, worker, func() *Decision { return new(Decision) }, func(d *Decision) error {
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
		review.Players = append(review.Players, review.sum(players.First(), counts[players.First()]))
	}
	return review, nil
}

// newJudge makes a judge for the rules.
func newJudge(r *ruleset.Rules, o Options) (sim.Agent, error) {
	judge := o.NewJudge()
	if s, ok := judge.(sim.Starter); ok {
		return judge, s.Start(r)
	}
	return judge, nil
}

// differences goes through a match and returns the decisions at which the judge
// answers otherwise, and how many decisions each player had.
func differences(r *ruleset.Rules, m *sim.Match, o Options) (all []Decision, counts [sim.NumPlayers]int, err error) {
	table := sim.NewTable(r, m.Seed)
	if m.Start != nil {
		if table, err = sim.NewTableAt(r, m.Seed, *m.Start); err != nil {
			return nil, counts, err
		}
	}
	if m.Walls != nil {
		table.SetRoundWind(m.RoundWind)
	}
	judge, err := newJudge(r, o)
	if err != nil {
		return nil, counts, err
	}
	var events []sim.Event
	next := 0
	for h := range m.Hands {
		if m.Walls != nil {
			events = table.StartHandFrom(&m.Walls[h], events[:0])
		} else {
			events = table.StartHand(events[:0])
		}
		for table.Phase() != sim.PhaseDeal && !table.Over() && next < len(m.Actions) {
			p, a := table.Asked().First(), m.Actions[next]
			if legal := table.Legal(p); o.Players.Has(p) && legal.Len() > 1 && table.Phase() != sim.PhaseBetween {
				counts[p]++
				if better := judge.Act(table.View(p)); better != a {
					all = append(all, Decision{
						Hand: h, Step: next, Event: int(m.Choices[next].EventIndex), Player: p, Choice: a, Better: better,
						Drawn: table.View(p).Drawn(), table: table,
					})
				}
			}
			if events, err = table.Step(p, a, events[:0]); err != nil {
				return nil, counts, fmt.Errorf("review: decision %d: %w", next, err)
			}
			next++
		}
	}
	return all, counts, nil
}

// playouts plays hands on.
type playouts struct {
	judge  sim.Agent
	deals  int
	unit   float64
	events []sim.Event
	costs  []float64
}

// judgeAt measures what the choice of a decision costs.
func (o *playouts) judgeAt(d *Decision) error {
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
	d.judge(o.costs)
	return nil
}

// judge tells what the choice costs, by its costs where the unseen tiles lay so and so.
func (d *Decision) judge(costs []float64) {
	sum, squares := 0.0, 0.0
	for _, x := range costs {
		sum += x
		squares += x * x
	}
	n := float64(len(costs))
	mean := sum / n
	d.variance = max(0, squares/n-mean*mean) / (n - 1)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * math.Sqrt(d.variance)
	d.Cost, d.Low, d.High = summary.Number(mean), summary.Number(mean-half), summary.Number(mean+half)
}

// reviewStream is half of the seed of what is dealt.
const reviewStream = 0x726576696577

// outcome returns what a player has, in units and with what he is owed, when the hand
// has been played on from an action.
func (o *playouts) outcome(t sim.Table, p sim.Player, a sim.Action) (units int32, err error) {
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

// sum returns how a player did.
func (r *Review) sum(p sim.Player, decisions int) Summary {
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
	half := 1.959964 * math.Sqrt(variance)
	s.Cost, s.Low, s.High = summary.Number(cost), summary.Number(cost-half), summary.Number(cost+half)
	return s
}
