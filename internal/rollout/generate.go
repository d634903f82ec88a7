package rollout

import (
	"context"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Considerer is an agent that chooses from a list of options; see heuristic.Expert.
type Considerer interface {
	sim.Agent
	// NumCandidates returns how many actions the last Act chose from.
	NumCandidates() int
	// Candidate returns the i-th of them.
	Candidate(i int) sim.Action
	// PredictedGain returns by how much the agent prefers it to others, in 1/1000 of what a
	// win is worth. Only differences have a meaning.
	PredictedGain(i int) int
}

// TenpaiConsiderer is a Considerer some of whose options are so rare that they are tried
// whenever they occur.
type TenpaiConsiderer interface {
	Considerer
	// OnlyForTenpai reports whether the i-th option is such a one.
	OnlyForTenpai(i int) bool
}

// Job describes the pairs to make.
type Job struct {
	Rules *ruleset.Rules
	// Seed is that of the matches. Those from First to Matches-1 are played.
	Seed, Matches, First uint64
	// NewAgent returns the agent of a number, 0 to 3. Agents move on by one player from match
	// to match.
	NewAgent func(number int) sim.Agent
	// Learns[n] reports whether pairs are made for agent n, which must be a Considerer.
	Learns [sim.NumPlayers]bool
	// Workers is the number of goroutines. The pairs do not depend on it.
	Workers int
	// Share is the probability, in 1/1000, of a pair at a decision. Where much is at stake,
	// as at claims and under threat, it is twice that.
	Share int
	// Near leaves out options whose predicted gain is below that of the action played by more
	// than this, in 1/1000 of what a win is worth; 0 leaves out none.
	Near int
}

// Generate plays the matches and calls done for each in order.
func Generate(ctx context.Context, j *Job, done func(*Match) error) error {
	return ordered.Run(ctx, j.Workers, ordered.Numbers(j.First, j.Matches, 1),
		func() ordered.Worker[uint64, Match] {
			g := &generator{job: j}
			if e, err := luck.ValueFunctionFor(j.Rules); err == nil {
				g.variate, g.branchVariate = luck.NewLinearControlVariate(j.Rules, &e.Linear), luck.NewLinearControlVariate(j.Rules, &e.Linear)
			}
			for i := range j.Rules.NumSeats() {
				g.agents[i] = j.NewAgent(i)
				g.considerers[i], _ = sim.As[Considerer](g.agents[i])
			}
			return ordered.Worker[uint64, Match]{Work: func(_ context.Context, i uint64, m *Match) error { return g.play(i, m) }}
		},
		func() *Match { return new(Match) }, done)
}

// generator plays one match after another.
type generator struct {
	job           *Job
	agents        [sim.NumPlayers]sim.Agent
	considerers   [sim.NumPlayers]Considerer
	table, branch sim.Table // of the match, and the copy of a rollout
	events        []sim.Event
	// variate measures the luck of the match, branchVariate that of the rollout; both are nil
	// for families without a value function. luck is that of the hand so far.
	variate, branchVariate *luck.LinearControlVariate
	luck                   luck.Points
	// seated[p] is the number of the agent that plays for player p.
	seated  [sim.NumPlayers]uint8
	rng     *rand.Rand
	started bool
}

// start calls Start of the agents that have it.
func (g *generator) start() error {
	g.started = true
	for _, a := range g.agents[:g.job.Rules.NumSeats()] {
		if err := sim.StartAgent(a, g.job.Rules); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) play(i uint64, m *Match) error {
	if !g.started {
		if err := g.start(); err != nil {
			return err
		}
	}
	j := g.job
	m.Seed, g.seated = sim.Rotation{Seed: j.Seed, Seats: j.Rules.NumSeats()}.Match(i)
	m.Actions, m.Pairs, m.Baselines = m.Actions[:0], m.Pairs[:0], m.Baselines[:0]
	g.rng = rand.New(rand.NewPCG(m.Seed, pairStream))
	t := &g.table
	*t = sim.NewTable(j.Rules, m.Seed)
	if g.variate != nil {
		g.variate.Reset()
	}
	g.luck = luck.Points{}
	hand := 0 // the first of its pairs
	for !t.Over() {
		g.events = t.StartHand(g.events[:0])
		follow(g.variate, &g.luck, g.events)
		for p := range t.RestOfHand() {
			a, err := g.answer(t, p)
			if err != nil {
				return err
			}
			n := g.seated[p]
			if j.Learns[n] && g.considerers[n].NumCandidates() > 1 && t.Phase() != sim.PhaseBetween {
				if err := g.try(m, p, a); err != nil {
					return err
				}
			}
			m.Actions = append(m.Actions, byte(a))
			if g.events, err = t.Step(p, a, g.events[:0]); err != nil {
				return err
			}
			follow(g.variate, &g.luck, g.events)
		}
		m.Baselines = append(m.Baselines, NewOutcome(t))
		g.endHand(m.Pairs[hand:])
		hand = len(m.Pairs)
	}
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

// endHand subtracts the luck of a hand that has ended from that of its pairs.
func (g *generator) endHand(pairs []Pair) {
	for i := range pairs {
		pairs[i].Luck -= int32(g.luck[pairs[i].Player] / luck.Unit)
	}
	g.luck = luck.Points{}
}

// pairStream is the second half of the seed of the random numbers by which pairs are chosen.
const pairStream = 0x70616972

// answer asks the agent of a player. An illegal answer ends the run: the default that takes its
// place was not chosen by any agent.
func (g *generator) answer(t *sim.Table, p sim.Player) (sim.Action, error) {
	return sim.Ask(g.agents[g.seated[p]], t.View(p))
}

// always is the Share of all decisions.
const always = 1000

// try makes a pair at a decision that the player's agent has just answered by a, with the
// probability of the job's Share.
func (g *generator) try(m *Match, p sim.Player, a sim.Action) error {
	c := g.considerers[g.seated[p]]
	share, rare := g.job.Share, g.rareOption(c, a)
	switch {
	case rare >= 0:
		share = always
	case g.highStakes(p, c):
		share *= 2
	}
	lot, draw := g.rng.IntN(always), g.rng.Uint64()
	if lot >= share {
		return nil
	}
	other := g.drawAlternative(c, a, draw)
	if other < 0 {
		return nil
	}
	if rare >= 0 {
		other = rare
	}
	pair, err := g.playOut(p, c.Candidate(other))
	if err == nil {
		pair.At = uint32(len(m.Actions))
		m.Pairs = append(m.Pairs, pair)
	}
	return err
}

// indexOf returns the index of the option of an action, -1 if there is none.
func indexOf(c Considerer, a sim.Action) int {
	for i := range c.NumCandidates() {
		if c.Candidate(i) == a {
			return i
		}
	}
	return -1
}

// tries reports whether option i may be tried where option played is played.
func (g *generator) tries(c Considerer, i, played int) bool {
	return i != played && (g.job.Near == 0 || c.PredictedGain(i) >= c.PredictedGain(played)-g.job.Near)
}

// rareOption returns the index of a rare option other than action a, -1 if there is none.
func (g *generator) rareOption(c Considerer, a sim.Action) int {
	rare, played := -1, indexOf(c, a)
	if c, ok := c.(TenpaiConsiderer); ok && played >= 0 {
		for i := range c.NumCandidates() {
			if c.OnlyForTenpai(i) && g.tries(c, i, played) {
				rare = i
			}
		}
	}
	return rare
}

// drawAlternative draws an option other than action a by a random number: those of a similar
// predicted gain more often. It returns the index of the option, -1 if a is none of them.
func (g *generator) drawAlternative(c Considerer, a sim.Action, random uint64) int {
	played := indexOf(c, a)
	if played < 0 {
		return -1
	}
	lots, all := [64]uint64{}, uint64(0)
	for i := range c.NumCandidates() {
		switch {
		case !g.tries(c, i, played):
		case c.PredictedGain(i) >= c.PredictedGain(played)-near:
			lots[i] = nearLots
		default:
			lots[i] = 1
		}
		all += lots[i]
	}
	if all == 0 {
		return -1 // nothing is near enough
	}
	random %= all
	pick := 0
	for ; random >= lots[pick]; pick++ {
		random -= lots[pick]
	}
	return pick
}

// playOut plays an action of player p at a copy of the table, and the hand to its end by the
// agents of the match.
func (g *generator) playOut(p sim.Player, a sim.Action) (Pair, error) {
	pair := Pair{Hand: uint16(g.table.Hands()), Action: uint8(a), Player: uint8(p)}
	t := &g.branch
	*t = g.table
	gained := g.luck
	if g.variate != nil {
		*g.branchVariate = *g.variate
	}
	var err error
	if g.events, err = t.Step(p, a, g.events[:0]); err != nil {
		return pair, err
	}
	follow(g.branchVariate, &gained, g.events)
	for q := range t.RestOfHand() {
		a, err := g.answer(t, q)
		if err != nil {
			return pair, err
		}
		if g.events, err = t.Step(q, a, g.events[:0]); err != nil {
			return pair, err
		}
		follow(g.branchVariate, &gained, g.events)
	}
	pair.Other, pair.Luck = NewOutcome(t), int32(gained[p]/luck.Unit)
	return pair, nil
}

// An option whose predicted gain is less than that of the action played by at most
// near, in thousandths of the scale, is tried nearLots times as often as others.
const near, nearLots = 100, 6

// highStakes reports whether much is at stake at a decision: a claim, a declaration or
// kan, or any decision while another player is ready or has several melds.
func (g *generator) highStakes(p sim.Player, c Considerer) bool {
	t := &g.table
	if t.Phase() != sim.PhaseTurn {
		return true
	}
	for i := range c.NumCandidates() {
		if o := c.Candidate(i); o.DeclaresReady() || !o.IsDiscard() {
			return true
		}
	}
	v := t.View(p)
	for i := 1; i < g.job.Rules.NumSeats(); i++ {
		if q := v.PlayerAfter(i); v.Ready(q) != sim.NotReady || v.NumMelds(q) > 1 {
			return true
		}
	}
	return false
}
