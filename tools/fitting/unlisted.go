package fitting

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// UnlistedJob describes a search for good actions that players never consider.
type UnlistedJob struct {
	Rules *ruleset.Rules
	// Seed and Matches are those of the self-play.
	Seed, Matches uint64
	// NewAgent returns the agent of a number, 0 to 3. Agents move on by one player from match
	// to match. The decisions of those that are a rollout.Considerer are examined.
	NewAgent func(number int) sim.Agent
	// NewFinisher returns the agent that plays for all players in rollouts. With nil the agents
	// of the match do.
	NewFinisher func() sim.Agent
	// Share is the probability, in 1/1000, that a decision is examined; DiscardShare is that
	// of decisions at which only discards without declaring ready are legal, which are most.
	Share, DiscardShare int
	// Redeals is the number of deals of the tiles that the player does not see by which promising
	// actions are selected. Deals is that of the walls with the true hands of the others by which
	// actions are measured. Both are at least 1.
	Redeals, Deals int
	// Workers is the number of goroutines. The result does not depend on it.
	Workers int
}

// Unlisted is the result of an UnlistedJob.
type Unlisted struct {
	// Decisions is the number of decisions examined, Legal that of the legal actions there
	// other than the ones played.
	Decisions, Legal int
	// Kinds are the kinds of actions, by name.
	Kinds []UnlistedKind
}

// UnlistedKind is the actions of a kind other than the ones played.
type UnlistedKind struct {
	// Name is that of the kind, as the tables print it.
	Name string
	// Listed is the number of actions that the player considered, Unlisted that of others.
	Listed, Unlisted int
	// Gain is how much more the unlisted actions bring than the ones played.
	Gain MeanGain
	// Promising is the same of a part: at each decision the best of the unlisted actions of the
	// kind by the redeals, if their mean gain is above zero. The redeals select by what the
	// player could know; the gain is that with the true hands, so the selection adds no bias.
	// It shows good actions of a kind that is bad on average.
	Promising MeanGain
}

// MeanGain is a mean gain in multiples of the scale of the rules, in points of the hand alone.
type MeanGain struct {
	// N is the number of actions.
	N int
	// Mean is their mean gain, Low and High are the ends of its 95 % interval, with matches as
	// clusters. The interval is infinite for a single match.
	Mean, Low, High float64
	// Clear reports whether the mean is above zero after correction for the number of figures
	// of the result, at an error rate of 2.5 %.
	Clear bool

	p float64 // of a mean of zero or less
}

// gainSum is the sum of the gains of a kind in one match.
type gainSum struct {
	n   int
	sum float64
}

// clusters sums gains over matches.
type clusters struct {
	n, matches               int
	sum, squares, mixed, sqN float64
}

func (c *clusters) add(g gainSum) {
	if g.n == 0 {
		return
	}
	n := float64(g.n)
	c.matches++
	c.n += g.n
	c.sum += g.sum
	c.squares += g.sum * g.sum
	c.mixed += g.sum * n
	c.sqN += n * n
}

// gain returns the mean as a ratio of sums over matches, with the interval of Student's t.
func (c *clusters) gain() MeanGain {
	g := MeanGain{N: c.n, Low: math.Inf(-1), High: math.Inf(1), p: 1}
	if c.n == 0 {
		return g
	}
	g.Mean = c.sum / float64(c.n)
	if c.matches < 2 {
		return g
	}
	m := float64(c.matches)
	variance := max(0, c.squares-2*g.Mean*c.mixed+g.Mean*g.Mean*c.sqN) * m / (m - 1)
	deviation := math.Sqrt(variance) / float64(c.n)
	half := interval.StudentT(m-1) * deviation
	g.Low, g.High = g.Mean-half, g.Mean+half
	switch {
	case deviation > 0:
		g.p = distuv.StudentsT{Sigma: 1, Nu: m - 1}.Survival(g.Mean / deviation)
	case g.Mean > 0:
		g.p = 0
	}
	return g
}

// kindSums are the sums of a kind in one match.
type kindSums struct {
	listed              int
	unlisted, promising gainSum
	best, bestByRedeals float64 // of the decision in progress: gain by the deals and the redeals
	found               bool    // whether there is a best
}

// matchSums is the result of one match.
type matchSums struct {
	decisions, legal int
	kinds            map[string]*kindSums
}

// FindUnlisted plays matches. At decisions drawn by lot it tries the legal actions that were not
// considered by rollouts with common random numbers. For each deal it shuffles the wall and keeps
// the true hands. For each redeal it deals the hands again by beliefs. Then it plays the hand to its
// end after each action.
func FindUnlisted(ctx context.Context, j *UnlistedJob) (*Unlisted, error) {
	numbers := func(yield func(uint64) bool) {
		for i := range j.Matches {
			if !yield(i) {
				return
			}
		}
	}
	result := new(Unlisted)
	listed, all, promising := map[string]int{}, map[string]*clusters{}, map[string]*clusters{}
	err := ordered.Run(ctx, j.Workers, numbers,
		func() ordered.Worker[uint64, matchSums] {
			s := newUnlistedSearch(j)
			return ordered.Worker[uint64, matchSums]{Work: func(_ context.Context, i uint64, m *matchSums) error { return s.play(i, m) }}
		},
		func() *matchSums { return new(matchSums) },
		func(m *matchSums) error {
			result.Decisions += m.decisions
			result.Legal += m.legal
			for name, k := range m.kinds {
				if all[name] == nil {
					all[name], promising[name] = new(clusters), new(clusters)
				}
				listed[name] += k.listed
				all[name].add(k.unlisted)
				promising[name].add(k.promising)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	for name := range all {
		result.Kinds = append(result.Kinds, UnlistedKind{
			Name: name, Listed: listed[name], Unlisted: all[name].n, Gain: all[name].gain(), Promising: promising[name].gain(),
		})
	}
	slices.SortFunc(result.Kinds, func(a, b UnlistedKind) int { return cmp.Compare(a.Name, b.Name) })
	result.correct()
	return result, nil
}

// correct sets Clear by the method of Holm.
func (u *Unlisted) correct() {
	var gains []*MeanGain
	var p, weights []float64
	for i := range u.Kinds {
		for _, g := range []*MeanGain{&u.Kinds[i].Gain, &u.Kinds[i].Promising} {
			if g.N > 0 {
				gains, p, weights = append(gains, g), append(p, g.p), append(weights, 1)
			}
		}
	}
	for i, p := range interval.Holm(p, weights) {
		gains[i].Clear = p < (1-interval.Confidence)/2
	}
}

// unlistedSearch examines one match after another.
type unlistedSearch struct {
	job           *UnlistedJob
	agents        [sim.NumPlayers]sim.Agent
	considerers   [sim.NumPlayers]rollout.Considerer
	finisher      sim.Agent // nil if the agents of the match finish hands
	book          *aim.Book
	table         sim.Table
	events        []sim.Event
	variate, temp *luck.LinearControlVariate // of the match, and of a rollout; nil where there is none
	seated        [sim.NumPlayers]uint8
	rng           *rand.Rand
	sums          *matchSums
	started       bool

	tried  []triedAction
	reader belief.Estimator
	starts []start // of the rollouts at this decision: redeals, then deals
}

// start is a table at which rollouts begin, with the result of the action played.
type start struct {
	table  sim.Table
	played float64
}

// triedAction is a legal action other than the one played.
type triedAction struct {
	action sim.Action
	kind   string
	listed bool
}

func newUnlistedSearch(j *UnlistedJob) *unlistedSearch {
	s := &unlistedSearch{job: j, book: aim.NewBook(j.Rules), starts: make([]start, j.Redeals+j.Deals)}
	if e, err := luck.ValueFunctionFor(j.Rules); err == nil {
		s.variate, s.temp = luck.NewLinearControlVariate(j.Rules, &e.Linear), luck.NewLinearControlVariate(j.Rules, &e.Linear)
	}
	for i := range j.Rules.NumSeats() {
		s.agents[i] = j.NewAgent(i)
		s.considerers[i], _ = s.agents[i].(rollout.Considerer)
	}
	if j.NewFinisher != nil {
		s.finisher = j.NewFinisher()
	}
	return s
}

func (s *unlistedSearch) start() error {
	s.started = true
	for _, a := range append(s.agents[:s.job.Rules.NumSeats():s.job.Rules.NumSeats()], s.finisher) {
		if err := sim.StartAgent(a, s.job.Rules); err != nil {
			return err
		}
	}
	return nil
}

// unlistedStream is the second half of the seed of the random numbers of a match.
const unlistedStream = 0x756e6c6973746564

// play plays match i and examines its decisions.
func (s *unlistedSearch) play(i uint64, m *matchSums) error {
	if !s.started {
		if err := s.start(); err != nil {
			return err
		}
	}
	j := s.job
	var seed uint64
	seed, s.seated = sim.Rotation{Seed: j.Seed, Seats: j.Rules.NumSeats()}.Match(i)
	*m = matchSums{kinds: map[string]*kindSums{}}
	s.sums, s.rng = m, rand.New(rand.NewPCG(seed, unlistedStream))
	t := &s.table
	*t = sim.NewTable(j.Rules, seed)
	if s.variate != nil {
		s.variate.Reset()
	}
	for !t.Over() {
		s.events = t.StartHand(s.events[:0])
		s.follow(s.variate)
		for p := range t.RestOfHand() {
			n := s.seated[p]
			a := s.agents[n].Act(t.View(p))
			if err := s.examine(p, s.considerers[n], a); err != nil {
				return fmt.Errorf("fitting: match %d: %w", i, err)
			}
			var err error
			if s.events, err = t.Step(p, a, s.events[:0]); err != nil {
				return err
			}
			s.follow(s.variate)
		}
	}
	return nil
}

// follow returns the luck of s.events in units. It is zero if v is nil.
func (s *unlistedSearch) follow(v *luck.LinearControlVariate) (sum luck.Points) {
	if v == nil {
		return sum
	}
	for _, e := range s.events {
		l := v.Follow(e)
		sum.Add(&l)
	}
	return sum
}

// examine tries all legal actions, with the probability of the job, at a decision that c has
// just answered by a.
func (s *unlistedSearch) examine(p sim.Player, c rollout.Considerer, a sim.Action) error {
	v := s.table.View(p)
	legal := v.Legal()
	if c == nil || legal.Len() < 2 || v.Phase() == sim.PhaseBetween {
		return nil
	}
	s.list(v, &legal, c, a)
	share := s.job.DiscardShare
	for _, x := range append(s.tried, triedAction{action: a}) {
		if !x.action.IsDiscard() || x.action.DeclaresReady() {
			share = s.job.Share
		}
	}
	const certain = 1000
	if s.rng.IntN(certain) >= share || len(s.tried) == 0 {
		return nil
	}
	s.sums.decisions++
	s.reader.Observe(v)
	odds := s.reader.Odds()
	for i := range s.starts {
		x, seed := &s.starts[i], s.rng.Uint64()
		if i < s.job.Redeals {
			x.table = v.RedealWithOdds(odds, seed)
		} else {
			x.table = s.table
			x.table.ShuffleWall(seed)
		}
		var err error
		if x.played, err = s.playOut(i, p, a); err != nil {
			return err
		}
	}
	for i := range s.tried {
		if err := s.tryAction(p, &s.tried[i]); err != nil {
			return err
		}
	}
	for _, k := range s.sums.kinds {
		if k.found && k.bestByRedeals > 0 {
			k.promising.n++
			k.promising.sum += k.best
		}
		k.found = false
	}
	return nil
}

// list sets s.tried to the legal actions other than a.
func (s *unlistedSearch) list(v sim.View, legal *sim.ActionSet, c rollout.Considerer, a sim.Action) {
	s.tried = s.tried[:0]
	for x := range sim.Action(sim.NumAllActions) {
		if !legal.Has(x) || sameAction(v, x, a) || isCopyOfDrawn(v, legal, x) {
			continue
		}
		t := triedAction{action: x, kind: s.kindOf(v, legal, x)}
		for i := range c.NumCandidates() {
			t.listed = t.listed || sameAction(v, c.Candidate(i), x)
		}
		s.tried = append(s.tried, t)
	}
}

// tryAction adds the gains of an action.
func (s *unlistedSearch) tryAction(p sim.Player, x *triedAction) error {
	k := s.sums.kinds[x.kind]
	if k == nil {
		k = new(kindSums)
		s.sums.kinds[x.kind] = k
	}
	s.sums.legal++
	if x.listed {
		k.listed++
		return nil
	}
	byRedeals, byDeals := 0.0, 0.0
	for i := range s.starts {
		result, err := s.playOut(i, p, x.action)
		if err != nil {
			return err
		}
		if g := result - s.starts[i].played; i < s.job.Redeals {
			byRedeals += g
		} else {
			byDeals += g / float64(s.job.Deals)
		}
	}
	k.unlisted.n++
	k.unlisted.sum += byDeals
	if !k.found || byRedeals > k.bestByRedeals {
		k.found, k.bestByRedeals, k.best = true, byRedeals, byDeals
	}
	return nil
}

// playOut plays an action of player p from a start, then the hand to its end. It returns the points
// of the player in multiples of the scale. With the true hands they are luck-adjusted.
func (s *unlistedSearch) playOut(from int, p sim.Player, a sim.Action) (float64, error) {
	t := s.starts[from].table
	variate := s.temp
	if from < s.job.Redeals {
		variate = nil // it knows the true hands
	}
	if variate != nil {
		*variate = *s.variate
	}
	lucky := int64(0)
	step := func(q sim.Player, a sim.Action) (err error) {
		s.events, err = t.Step(q, a, s.events[:0])
		if err == nil {
			gained := s.follow(variate)
			lucky += gained[p]
		}
		return err
	}
	if err := step(p, a); err != nil {
		return 0, err
	}
	for q := range t.RestOfHand() {
		player := s.agents[s.seated[q]]
		if s.finisher != nil {
			player = s.finisher
		}
		if err := step(q, player.Act(t.View(q))); err != nil {
			return 0, err
		}
	}
	points := rollout.NewOutcome(&t).Points[p]
	return (float64(points) - float64(lucky)/luck.Unit) / float64(s.job.Rules.Traits.Scale), nil
}
