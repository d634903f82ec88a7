package fitting

import (
	"context"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic/search"
	"github.com/sparrowhall/sparrowhall/internal/ordered"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TrustJob describes how to measure what searches at close decisions know.
type TrustJob struct {
	Rules *ruleset.Rules
	// Seed and Matches are those of the self-play.
	Seed, Matches uint64
	// NewExpert returns an expert without a search. It plays for all players, and finishes the
	// hands by which actions are measured.
	NewExpert func() *heuristic.Expert
	// NewFinisher returns the agent that finishes the hands of searches.
	NewFinisher func() sim.Agent
	// PlaceWorth is what a place at the end of the match is worth, in thousandths of the scale.
	PlaceWorth int32
	// Share is the probability, in 1/1000, that a decision is examined.
	Share int
	// Redeals is the number of tables of each of the two searches at a decision, Walls that of the
	// walls with the true hands by which actions are measured. Both are at least 2.
	Redeals, Walls int
	// Workers is the number of goroutines. The result does not depend on it.
	Workers int
}

// Trust is what searches know at decisions of a kind, beyond what the network predicts, in squares
// of the scale. Low and High of the gains are the ends of 95 % intervals.
type Trust struct {
	// Decisions is the number of decisions examined.
	Decisions int
	// Noise is the variance of a single table, a mean over decisions.
	Noise float64
	// All is the product of what two searches find, Truth that of what a search finds and what
	// actions bring at the true hands. N counts differences from the network's choice.
	All, Truth MeanGain
}

// trustSums are the sums of a kind in one match.
type trustSums struct {
	decisions  int
	noise      float64
	all, truth gainSum
}

// trustMatch is the result of one match: the kinds of decisions.
type trustMatch [heuristic.NumSearchKinds]trustSums

// MeasureTrust plays matches and measures what searches know, by kind of decision; the last is of
// all kinds. At close decisions, drawn by lot, two searches with other redeals compare the same
// actions. Their product has the mean of the square of what both find, whatever the noise. The
// actions are also played with the true hands of all players and shuffled walls.
func MeasureTrust(ctx context.Context, j *TrustJob) ([]Trust, error) {
	numbers := func(yield func(uint64) bool) {
		for i := range j.Matches {
			if !yield(i) {
				return
			}
		}
	}
	const kinds = heuristic.NumSearchKinds
	result := make([]Trust, kinds+1)
	var noise [kinds + 1]float64
	var all, truth [kinds + 1]clusters
	err := ordered.Run(ctx, j.Workers, numbers,
		func() ordered.Worker[uint64, trustMatch] {
			w := newTrustWorker(j)
			return ordered.Worker[uint64, trustMatch]{Work: func(_ context.Context, i uint64, m *trustMatch) error { return w.play(i, m) }}
		},
		func() *trustMatch { return new(trustMatch) },
		func(m *trustMatch) error {
			var sum trustSums
			for k := range kinds {
				s := &m[k]
				sum.decisions += s.decisions
				sum.noise += s.noise
				sum.all = gainSum{sum.all.n + s.all.n, sum.all.sum + s.all.sum}
				sum.truth = gainSum{sum.truth.n + s.truth.n, sum.truth.sum + s.truth.sum}
			}
			for k := range kinds + 1 {
				s := &sum
				if k < kinds {
					s = &m[k]
				}
				result[k].Decisions += s.decisions
				noise[k] += s.noise
				all[k].add(s.all)
				truth[k].add(s.truth)
			}
			return nil
		})
	for k := range result {
		result[k].All, result[k].Truth = all[k].gain(), truth[k].gain()
		result[k].Noise = noise[k] / float64(max(1, result[k].All.N))
	}
	return result, err
}

// trustWorker examines one match after another.
type trustWorker struct {
	job             *TrustJob
	player          *heuristic.Expert
	searcher, truth *search.Searcher
	table           sim.Table
	events          []sim.Event
	rng             *rand.Rand
	indices         []int
	actions         []sim.Action
}

func newTrustWorker(j *TrustJob) *trustWorker {
	return &trustWorker{
		job: j, player: j.NewExpert(), searcher: search.New(j.NewFinisher),
		truth: search.New(func() sim.Agent { return j.NewExpert() }),
	}
}

// trustStream is the second half of the seed of the random numbers of a match.
const trustStream = 0x7472757374

// play plays match i and examines its decisions.
func (w *trustWorker) play(i uint64, m *trustMatch) error {
	*m = trustMatch{}
	seed := sim.MatchSeed(w.job.Seed, i)
	w.rng = rand.New(rand.NewPCG(seed, trustStream))
	t := &w.table
	*t = sim.NewTable(w.job.Rules, seed)
	for !t.Over() {
		w.events = t.StartHand(w.events[:0])
		for p := range t.RestOfHand() {
			a := w.player.Act(t.View(p))
			const certain = 1000
			if w.player.NumCandidates() > 1 && w.rng.IntN(certain) < w.job.Share {
				w.examine(t.View(p), m)
			}
			var err error
			if w.events, err = t.Step(p, a, w.events[:0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// examine adds what searches find at a decision that the player has just answered, if it is close.
func (w *trustWorker) examine(v sim.View, m *trustMatch) {
	w.indices = w.player.CloseCandidates(w.indices[:0])
	if len(w.indices) < 2 {
		return
	}
	w.actions = w.actions[:0]
	var predicted [search.MaxActions]float64
	for i, index := range w.indices {
		w.actions = append(w.actions, w.player.Candidate(index))
		predicted[i] = float64(w.player.PredictedGain(index)-w.player.PredictedGain(w.indices[0])) / 1000
	}
	kind := w.player.SearchKind(v, w.indices)
	c := search.Comparison{Actions: w.actions, PlaceWorth: w.job.PlaceWorth, Redeals: w.job.Redeals, Random: w.rng, Beliefs: true}
	var found, noise [2][search.MaxActions]float64
	for half := range found {
		if w.searcher.Compare(v, &c) == 0 {
			return
		}
		for i := range w.actions {
			found[half][i], noise[half][i] = w.searcher.Difference(i)
		}
	}
	c.Redeals = w.job.Walls
	c.Deal = func(dst *sim.Table, seed uint64) bool {
		*dst = w.table
		dst.ShuffleWall(seed)
		return true
	}
	w.truth.Compare(v, &c)
	s := &m[kind]
	s.decisions++
	for i := 1; i < len(w.actions); i++ {
		a, b := found[0][i]-predicted[i], found[1][i]-predicted[i]
		real, _ := w.truth.Difference(i)
		s.noise += (noise[0][i] + noise[1][i]) / 2
		s.all = gainSum{s.all.n + 1, s.all.sum + a*b}
		s.truth = gainSum{s.truth.n + 1, s.truth.sum + (real-predicted[i])*(a+b)/2}
	}
}
