package rollout

import (
	"context"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/ordered"
)

// Considerer is an agent that chooses from a list of options; see heuristic.Expert.
type Considerer interface {
	sim.Agent
	// Considered returns how many actions the last Act chose from.
	Considered() int
	// Option returns the i-th of them.
	Option(i int) sim.Action
	// PredictedGain returns what the agent expects of it beside the others, in thousandths of
	// what a win is worth.
	PredictedGain(i int) int
}

// Collector is a Considerer with options so rare that they are tried whenever they
// occur.
type Collector interface {
	Considerer
	// Rare reports whether the i-th option is one.
	Rare(i int) bool
}

// Job describes the pairs to make.
type Job struct {
	Rules *ruleset.Rules
	// Seed is that of the matches, Matches their number. The first of them are left out.
	Seed, Matches, First uint64
	// NewAgent returns the agent of a number, 0 to 3. From match to match they move on
	// by one player.
	NewAgent func(number int) sim.Agent
	// Learns[n] reports whether pairs are made for agent n, which must be a Considerer.
	Learns  [sim.NumPlayers]bool
	Workers int
	// Share is the part, in thousandths, of the quiet decisions at which a pair is made.
	// At claims and under threat it is twice that.
	Share int
}

// Generate plays the matches and calls done for each in order.
func Generate(ctx context.Context, j *Job, done func(*Match) error) error {
	numbers := func(yield func(uint64) bool) {
		for i := j.First; i < j.Matches; i++ {
			if !yield(i) {
				return
			}
		}
	}
	return ordered.Run(ctx, j.Workers, numbers,
		func() ordered.Worker[uint64, Match] {
			g := &generator{job: j}
			if e, err := luck.ValueFunctionFor(j.Rules); err == nil {
				g.meter, g.copyMeter = luck.NewLinearControlVariate(j.Rules, &e.Linear), luck.NewLinearControlVariate(j.Rules, &e.Linear)
			}
			for i := range g.agents {
				g.agents[i] = j.NewAgent(i)
				g.considerers[i], _ = g.agents[i].(Considerer)
			}
			return ordered.Worker[uint64, Match]{Work: func(_ context.Context, i uint64, m *Match) error { return g.play(i, m) }}
		},
		func() *Match { return new(Match) }, done)
}

// generator plays one match after another.
type generator struct {
	job         *Job
	agents      [sim.NumPlayers]sim.Agent
	considerers [sim.NumPlayers]Considerer
	table, copy sim.Table
	events      []sim.Event
	// meter measures the luck in the tiles that come, copyMeter that at the copy; nil where
	// there is no estimate for it. luck is that of the hand.
	meter, copyMeter *luck.LinearControlVariate
	luck             luck.Points
	// seated[p] is the number of the agent that plays for player p.
	seated  [sim.NumPlayers]uint8
	rng     *rand.Rand
	started bool
}

// start calls Start of the agents that have it.
func (g *generator) start() error {
	g.started = true
	for _, a := range g.agents {
		if s, ok := a.(sim.Starter); ok {
			if err := s.Start(g.job.Rules); err != nil {
				return err
			}
		}
	}
	return nil
}

// play plays match i and makes its pairs.
func (g *generator) play(i uint64, m *Match) error {
	if !g.started {
		if err := g.start(); err != nil {
			return err
		}
	}
	j := g.job
	m.Seed, g.seated = sim.Rotation{Seed: j.Seed}.Match(i)
	m.Actions, m.Pairs, m.Baselines = m.Actions[:0], m.Pairs[:0], m.Baselines[:0]
	g.rng = rand.New(rand.NewPCG(m.Seed, pairStream))
	t := &g.table
	*t = sim.NewTable(j.Rules, m.Seed)
	if g.meter != nil {
		g.meter.Reset()
	}
	g.luck = luck.Points{}
	hand := 0 // the first of its pairs
	for !t.Over() {
		if t.Phase() == sim.PhaseDeal {
			if t.Hands() > 0 {
				m.Baselines = append(m.Baselines, outcome(t))
				g.endHand(m.Pairs[hand:])
				hand = len(m.Pairs)
			}
			g.events = t.StartHand(g.events[:0])
			follow(g.meter, &g.luck, g.events)
			continue
		}
		for asked := t.Asked(); asked != 0; asked = asked.Rest() {
			p := asked.First()
			a := g.answer(t, p)
			n := g.seated[p]
			if j.Learns[n] && g.considerers[n].Considered() > 1 && t.Phase() != sim.PhaseBetween {
				if err := g.try(m, p, a); err != nil {
					return err
				}
			}
			m.Actions = append(m.Actions, byte(a))
			var err error
			if g.events, err = t.Step(p, a, g.events[:0]); err != nil {
				return err
			}
			follow(g.meter, &g.luck, g.events)
		}
	}
	m.Baselines = append(m.Baselines, outcome(t))
	g.endHand(m.Pairs[hand:])
	return nil
}

// follow adds the luck of events, unless m is nil.
func follow(m *luck.LinearControlVariate, luck *luck.Points, events []sim.Event) {
	if m == nil {
		return
	}
	for _, e := range events {
		l := m.Follow(e)
		luck.Add(&l)
	}
}

// endHand subtracts the luck of a hand that has ended from its pairs, which held that
// of the copy.
func (g *generator) endHand(pairs []Pair) {
	for i := range pairs {
		pairs[i].Luck -= int32(g.luck[pairs[i].Player] / luck.Unit)
	}
	g.luck = luck.Points{}
}

// pairStream is the second half of the seed of the choices in a match.
const pairStream = 0x70616972

func (g *generator) answer(t *sim.Table, p sim.Player) sim.Action {
	return g.agents[g.seated[p]].Act(t.View(p))
}

// always is all of a thousand decisions.
const always = 1000

// try makes a pair of a decision that the player's agent has just answered by a, with
// the probability of the job's Share.
func (g *generator) try(m *Match, p sim.Player, a sim.Action) error {
	c := g.considerers[g.seated[p]]
	n := c.Considered()
	share := g.job.Share
	rare := -1
	if c, ok := c.(Collector); ok {
		for i := range n {
			if c.Rare(i) && c.Option(i) != a {
				rare = i
			}
		}
	}
	switch {
	case rare >= 0:
		share = always
	case g.matters(p, a, c):
		share *= 2
	}
	lot, draw := g.rng.IntN(always), g.rng.Uint64()
	if lot >= share {
		return nil
	}
	played := 0
	for played < n && c.Option(played) != a {
		played++
	}
	if played == n {
		return nil
	}
	// Options with a similar predicted gain are tried more often.
	var lots [64]uint64
	all := uint64(0)
	for i := range n {
		switch {
		case i == played:
		case c.PredictedGain(i) >= c.PredictedGain(played)-near:
			lots[i] = nearLots
		default:
			lots[i] = 1
		}
		all += lots[i]
	}
	draw %= all
	pick := 0
	for ; draw >= lots[pick]; pick++ {
		draw -= lots[pick]
	}
	if rare >= 0 {
		pick = rare
	}
	action := c.Option(pick)
	pair := Pair{At: uint32(len(m.Actions)), Hand: uint16(g.table.Hands()), Action: uint8(action), Player: uint8(p)}
	t := &g.copy
	*t = g.table
	gained := g.luck
	if g.meter != nil {
		*g.copyMeter = *g.meter
	}
	var err error
	if g.events, err = t.Step(p, action, g.events[:0]); err != nil {
		return err
	}
	follow(g.copyMeter, &gained, g.events)
	for !t.Over() && t.Phase() != sim.PhaseDeal {
		for asked := t.Asked(); asked != 0; asked = asked.Rest() {
			q := asked.First()
			if g.events, err = t.Step(q, g.answer(t, q), g.events[:0]); err != nil {
				return err
			}
			follow(g.copyMeter, &gained, g.events)
		}
	}
	pair.Other, pair.Luck = outcome(t), int32(gained[p]/luck.Unit)
	m.Pairs = append(m.Pairs, pair)
	return nil
}

// An option whose predicted gain is less than that of the action played by at most
// near, in thousandths of the scale, is tried nearLots times as often as others.
const near, nearLots = 100, 6

// matters reports whether much is at stake at a decision: a claim, a declaration or
// kan, or any decision while another player is ready or has several melds.
func (g *generator) matters(p sim.Player, a sim.Action, c Considerer) bool {
	t := &g.table
	if t.Phase() != sim.PhaseTurn {
		return true
	}
	for i := range c.Considered() {
		if o := c.Option(i); o.DeclaresReady() || !o.IsDiscard() {
			return true
		}
	}
	v := t.View(p)
	for i := 1; i < sim.NumPlayers; i++ {
		if q := v.PlayerAfter(i); v.Ready(q) != sim.NotReady || v.NumMelds(q) > 1 {
			return true
		}
	}
	return false
}
