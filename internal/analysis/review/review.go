// Package review estimates what the choices of a match cost. At each decision where a judge
// would have answered differently, it deals the tiles that the player cannot see many times and
// plays the hand on with either answer. These are rollouts with common random numbers, in which
// the judge plays for all players. Choices whose cost is above zero after correction for the
// number of choices are its mistakes, with the reason in words.
//
//	r, err := review.Match(ctx, rules, match, review.Options{NewJudge: judge, Deals: 100, Players: all, Workers: 2})
//	fmt.Println(r.Decisions[0].Cost)
package review

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/insight/placement"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Options configure a review.
type Options struct {
	// NewJudge returns an agent that judges and plays on. Its answers must depend on its view
	// alone.
	NewJudge func() sim.Agent
	// Deals is the number of deals of the unseen tiles at a decision, at least 2. Decisions
	// that seem costly then are dealt again, four times as often.
	Deals int
	// Players are those whose decisions are reviewed.
	Players sim.Players
	// Workers is the number of decisions judged at a time, at least 1. It does not change the
	// result.
	Workers int
	// Begin, if not nil, is called with the number of decisions to be judged: those at which
	// the judge answers differently.
	Begin func(decisions int)
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
	// Kind is what the decision is about, Reason why the judge's answer is better, in words,
	// empty where no reason stands out.
	Kind   Kind   `json:"kind"`
	Reason string `json:"reason,omitempty"`
	// Cost is the mean loss of points in the hand by Choice instead of Better, debts to and of
	// the player included. If Again is set, it is that of the further deals alone, which had
	// no part in the selection of the decision.
	Cost
	Again bool `json:"dealt_again"`
	// Places is the mean loss of expected placement points at the end of the match, nil where
	// they cannot be estimated.
	Places *Cost `json:"placement,omitempty"`
	// Mistake is set if the loss of points, or for kind Placement that of placement points,
	// is above zero after correction for the number of decisions. Corrected is then its
	// interval, which holds the loss of 95 % of the mistakes.
	Mistake   bool                `json:"mistake"`
	Corrected *[2]interval.Number `json:"corrected,omitempty"`

	first   Cost // of the first deals
	table   sim.Table
	words   wording
	reasons []phrase
}

// Cost is a mean loss with its 95 % interval by Student's t.
type Cost struct {
	// Cost is the mean, Low and High are the ends of the interval.
	Cost interval.Number `json:"cost"`
	Low  interval.Number `json:"low"`
	High interval.Number `json:"high"`

	variance float64 // of Cost
	n        float64 // deals
	changed  int     // deals in which both answers differ
}

// Clear reports whether the interval of the cost lies above zero.
func (c *Cost) Clear() bool { return c.Low > 0 }

// Rating is a decision with the judge's evaluations of its answers.
type Rating struct {
	// Step is that of [Decision].
	Step   int        `json:"step"`
	Player sim.Player `json:"player"`
	// Losses are those of the answers that the judge evaluates, its own first; none if it evaluates none.
	Losses []Loss `json:"losses"`

	agrees bool
	kind   Kind // what the best two answers differ in, if the player and the judge agree
}

// Loss is by how many points the judge rates an answer below its own.
type Loss struct {
	Action sim.Action      `json:"action"`
	Points interval.Number `json:"points"`
}

// Total is the costs of one player, or of those of one kind.
type Total struct {
	// Decisions is the number of decisions with more than one legal action.
	Decisions int `json:"decisions"`
	// Other is the number of decisions at which the judge would have answered differently,
	// Mistakes that of the mistakes among them. The other figures are of the first deals.
	Other    int `json:"other"`
	Mistakes int `json:"mistakes"`
	// Cost is the sum of all costs, in points, with its 95 % interval.
	Cost interval.Number `json:"cost"`
	Low  interval.Number `json:"low"`
	High interval.Number `json:"high"`

	variance float64
}

// Summary is the costs of one player.
type Summary struct {
	Player sim.Player `json:"player"`
	Total
	// Kinds are the totals of the kinds that occur.
	Kinds []KindTotal `json:"kinds"`
}

// KindTotal is the costs of the decisions of one kind.
type KindTotal struct {
	Kind Kind `json:"kind"`
	Total
}

// Review is the result of a review of a match.
type Review struct {
	// Players are the summaries of the reviewed players in ascending order.
	Players []Summary `json:"players"`
	Noise   Noise     `json:"noise"`
	// Decisions are those at which the judge would have answered differently, in the order of
	// the match.
	Decisions []Decision `json:"decisions"`
	// Ratings are of all decisions of the reviewed players, in the order of the match.
	Ratings []Rating `json:"ratings"`
}

// Match reviews a match that was played under the rules, with its choices kept.
func Match(ctx context.Context, r *ruleset.Rules, m *sim.Match, o Options) (*Review, error) {
	all, ratings, err := differences(r, m, o)
	if err != nil {
		return nil, err
	}
	if o.Begin != nil {
		o.Begin(len(all))
	}
	review := &Review{Decisions: make([]Decision, 0, len(all)), Ratings: ratings}
	places, _ := placement.EvaluatorFor(r) // nil where they cannot be estimated
	newWorker := func() ordered.Worker[*Decision, Decision] {
		judge, _ := newJudge(r, o) // which has worked in differences
		p := rollouts{judge: judge, deals: o.Deals, unit: float64(r.Unit()), places: places}
		return ordered.Worker[*Decision, Decision]{Work: func(_ context.Context, d *Decision, result *Decision) error {
			*result = *d
			if err := p.judgeAt(result); err != nil {
				return err
			}
			p.explain(result)
			return nil
		}}
	}
	err = ordered.Run(ctx, o.Workers, pointers(all), newWorker, func() *Decision { return new(Decision) }, func(d *Decision) error {
		review.Decisions = append(review.Decisions, *d)
		if o.Done != nil {
			o.Done(1)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	review.findMistakes()
	for players := o.Players; players != 0; players = players.Rest() {
		review.Players = append(review.Players, review.summary(players.First()))
	}
	return review, nil
}

// pointers yields a pointer to each element of a list.
func pointers[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// newJudge returns a judge that was started for the rules.
func newJudge(r *ruleset.Rules, o Options) (sim.Agent, error) {
	judge := o.NewJudge()
	return judge, sim.StartAgent(judge, r)
}

// differences replays a match and returns the decisions at which the judge answers differently,
// and its ratings of all.
func differences(r *ruleset.Rules, m *sim.Match, o Options) (all []Decision, ratings []Rating, err error) {
	judge, err := newJudge(r, o)
	if err != nil {
		return nil, nil, err
	}
	rater := rollouts{judge: judge, unit: float64(r.Unit())}
	ratings = []Rating{}
	hand, next := 0, 0
	err = m.ReplaySteps(r, func(t *sim.Table, p sim.Player, a sim.Action, _ []sim.Event) {
		if t == nil {
			return
		}
		for hand+1 < len(m.Hands) && m.Hands[hand+1].FirstAction <= next {
			hand++
		}
		if legal := t.Legal(p); o.Players.Has(p) && legal.Len() > 1 && t.Phase() != sim.PhaseBetween {
			better, _ := sim.Ask(judge, t.View(p))
			d := Decision{
				Hand: hand, Step: next, Event: int(m.Choices[next].EventIndex), Player: p, Choice: a, Better: better,
				Drawn: t.View(p).Drawn(), table: *t,
			}
			ratings = append(ratings, rater.rate(d))
			if better != a {
				all = append(all, d)
			}
		}
		next++
	})
	return all, ratings, err
}

// rollouts plays hands to their end from decisions.
type rollouts struct {
	judge  sim.Agent
	deals  int
	unit   float64
	places *placement.Evaluator // nil to leave placement points out
	events []sim.Event
	// costs are those of the deals in points, lost those in placement points.
	costs, lost []float64
	reader      reasons.Reader
	candidates  []sim.Candidate
}

func (o *rollouts) judgeAt(d *Decision) error {
	if err := o.deal(d, o.deals, reviewStream); err != nil {
		return err
	}
	d.first = d.Cost
	if d.Again = seemsCostly(&d.Cost) || d.Places != nil && seemsCostly(d.Places); d.Again {
		return o.deal(d, againTimes*o.deals, againStream)
	}
	return nil
}

// againTimes is how many times as often a decision that seems costly is dealt again.
const againTimes = 4

// seemsBelow is the p-value below which a cost above zero makes a decision seem costly.
const seemsBelow = 0.2

func seemsCostly(c *Cost) bool { return c.Cost > 0 && c.pValue() < seemsBelow }

// deal sets the cost of a decision by a number of deals.
func (o *rollouts) deal(d *Decision, deals int, stream uint64) error {
	o.costs, o.lost = o.costs[:0], o.lost[:0]
	seeds := rand.New(rand.NewPCG(uint64(d.Step), stream))
	for range deals {
		dealt := d.table.View(d.Player).Redeal(seeds.Uint64())
		choice, err := o.outcome(dealt, d.Player, d.Choice)
		if err != nil {
			return err
		}
		better, err := o.outcome(dealt, d.Player, d.Better)
		if err != nil {
			return err
		}
		o.costs = append(o.costs, float64(better.units-choice.units)/o.unit)
		o.lost = append(o.lost, float64(better.placement-choice.placement)/placement.Unit)
	}
	d.Cost = costOf(o.costs)
	if o.places != nil {
		lost := costOf(o.lost)
		d.Places = &lost
	}
	return nil
}

// costOf returns the mean of the costs of the deals with its interval.
func costOf(costs []float64) (c Cost) {
	sum, squares := 0.0, 0.0
	for _, x := range costs {
		sum += x
		squares += x * x
		if x != 0 {
			c.changed++
		}
	}
	c.n = float64(len(costs))
	mean := sum / c.n
	c.variance = max(0, squares/c.n-mean*mean) / (c.n - 1)
	c.Cost = interval.Number(mean)
	c.Low, c.High = interval.Around(mean, interval.StudentT(c.n-1)*math.Sqrt(c.variance))
	return c
}

// reviewStream is the second word of the seed of the first deals, againStream that of the
// further ones.
const (
	reviewStream = 0x726576696577
	againStream  = 0x616761696e
)

// outcome is the points of a player in units, debts included, and the expected placement
// points in 1/placement.Unit.
type outcome struct {
	units     int32
	placement int64
}

// outcome returns the outcome for a player when the hand has been played to its end from an
// action.
func (o *rollouts) outcome(t sim.Table, p sim.Player, a sim.Action) (result outcome, err error) {
	o.events, err = t.Step(p, a, o.events[:0])
	if err != nil {
		return result, fmt.Errorf("review: playing on: %w", err)
	}
	for q := range t.RestOfHand() {
		answer, _ := sim.Ask(o.judge, t.View(q))
		o.events, _ = t.Step(q, answer, o.events[:0])
	}
	v := t.View(p)
	result.units = v.Points()[p]
	for q := range sim.Player(sim.NumPlayers) {
		result.units += v.Debts(p)[q].Points - v.Debts(q)[p].Points
	}
	switch {
	case o.places == nil:
	case t.Over():
		result.placement = int64(t.Final().Placement[p]) * placement.Unit / ruleset.PlacementUnit
	default:
		state := t.MatchState()
		result.placement = o.places.BeforeHand(&state)[p]
	}
	return result, nil
}

func (r *Review) summary(p sim.Player) Summary {
	s := Summary{Player: p, Kinds: []KindTotal{}}
	var kinds [numKinds]Total
	for i := range r.Ratings {
		if x := &r.Ratings[i]; x.Player == p && x.agrees {
			s.Decisions++
			kinds[x.kind].Decisions++
		}
	}
	for i := range r.Decisions {
		if d := &r.Decisions[i]; d.Player == p {
			s.add(d)
			kinds[d.Kind].add(d)
		}
	}
	s.finish()
	for k := range kinds {
		if t := &kinds[k]; t.Decisions > 0 {
			t.finish()
			s.Kinds = append(s.Kinds, KindTotal{Kind(k), *t})
		}
	}
	return s
}

func (t *Total) add(d *Decision) {
	t.Decisions++
	t.Other++
	if d.Mistake {
		t.Mistakes++
	}
	t.Cost += d.first.Cost
	t.variance += d.first.variance
}

func (t *Total) finish() {
	t.Low, t.High = interval.Around(float64(t.Cost), interval.Normal*math.Sqrt(t.variance))
}
