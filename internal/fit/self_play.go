package fit

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Gather plays the matches of a job. For each it calls a function that newWorker returned, one
// for each worker, which appends to a list. Gather returns all that was appended, in the order
// of the matches.
func Gather[T any](ctx context.Context, job *sim.Job, newWorker func() func([]T, *sim.Match) ([]T, error)) (all []T, err error) {
	type block struct {
		add  func([]T, *sim.Match) ([]T, error)
		list []T
	}
	err = sim.Run(ctx, job,
		func() *block { return &block{add: newWorker()} },
		func(b *block, m *sim.Match) (err error) {
			b.list, err = b.add(b.list, m)
			return err
		},
		func(b *block) error {
			all = append(all, b.list...)
			clear(b.list)
			b.list = b.list[:0]
			return nil
		})
	return all, err
}

// Following returns a job of count matches that come after those of another job in its
// schedule.
func Following(job *sim.Job, count uint64) *sim.Job {
	later := *job
	blocks := (job.First + job.Count + sim.BlockSize - 1) / sim.BlockSize
	later.First, later.Count = blocks*sim.BlockSize, count
	return &later
}

// SelfPlay fits a value function to matches of self-play.
type SelfPlay struct {
	// Jobs are the matches, under one or more rulesets of a family. The linear terms, the
	// discard model and the blend are fitted to those of the first.
	Jobs []*sim.Job
	// Every keeps one draw of so many, at least 1.
	Every int
	// BlendMatches is the number of further matches to which the weights of the network and of
	// the linear terms are fitted. With From, 0 leaves these weights as they are.
	BlendMatches uint64
	// From is the value function to start from, nil to start from random weights.
	From *luck.ValueFunction
	// NewPolicies returns, for one worker, the function that returns the agents of a match whose
	// discards are known, nil for the others.
	NewPolicies func() func(m *sim.Match) [sim.NumPlayers]sim.Agent
	// Log receives a line of text after each step.
	Log io.Writer
	// Begin, if not nil, is called before a number of matches is played, and returns the
	// function to call for each of them.
	Begin func(matches uint64) func()
	// Options are those of the network; Fit sets From, DiscardWeights and Progress.
	Options ValueOptions
}

const (
	// linearMatches is the largest number of matches to which the linear terms are fitted:
	// enough for their small number.
	linearMatches = 2_500
	// discardMatches is the largest number of matches to which the discard model is fitted.
	discardMatches = 250
)

// Fit plays the matches and returns the value function.
func (s *SelfPlay) Fit(ctx context.Context) (*luck.ValueFunction, error) {
	first := s.Jobs[0]
	var linear luck.Linear
	if s.From != nil {
		s.Options.From, s.Options.DiscardWeights, s.Options.Scale = s.From, s.From.DiscardWeights, s.From.Scale
		linear = s.From.Linear
	} else {
		if err := s.fitDiscards(ctx, first); err != nil {
			return nil, err
		}
		l, err := s.fitLinear(ctx, first)
		if err != nil {
			return nil, err
		}
		linear = *l
	}
	var samples []luck.Sample
	matches := uint64(0)
	for _, job := range slices.Backward(s.Jobs) {
		list, err := s.sample(ctx, job)
		if err != nil {
			return nil, err
		}
		samples = append(samples, list...)
		matches += job.Count
	}
	fmt.Fprintf(s.Log, "%d samples of %d matches\n", len(samples), matches)
	s.Options.Progress = func(epoch int, explained float64) {
		fmt.Fprintf(s.Log, "epoch %d: explains %.4f of the variance of hands\n", epoch, explained)
	}
	e, err := ValueFunction(ctx, samples, &s.Options)
	if err != nil {
		return nil, err
	}
	e.Linear = linear
	if s.BlendMatches == 0 {
		e.Blend = s.From.Blend
		return e, nil
	}
	return e, s.fitBlend(ctx, first, e)
}

// fitDiscards fits the discard model to the first matches of a job.
func (s *SelfPlay) fitDiscards(ctx context.Context, job *sim.Job) error {
	early := *job
	early.Count = min(early.Count, discardMatches)
	choices, err := Gather(ctx, &early, func() func([]luck.DiscardChoice, *sim.Match) ([]luck.DiscardChoice, error) {
		meter := luck.NewControlVariate(job.Rules, new(luck.ValueFunction))
		return func(list []luck.DiscardChoice, m *sim.Match) ([]luck.DiscardChoice, error) {
			return meter.AppendChoices(list, m.Events), nil
		}
	})
	if err != nil {
		return err
	}
	var right, loss float64
	s.Options.DiscardWeights, err = DiscardModel(ctx, choices, s.Options.Seed, func(_ int, r, l float64) { right, loss = r, l })
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Log, "%d discards: %.3f are the most probable one, mean loss %.3f\n", len(choices), right, loss)
	return nil
}

// fitLinear fits the linear terms to the first matches of a job.
func (s *SelfPlay) fitLinear(ctx context.Context, job *sim.Job) (*luck.Linear, error) {
	early := *job
	early.Count = min(early.Count, linearMatches)
	samples, err := Gather(ctx, &early, func() func([]luck.LinearSample, *sim.Match) ([]luck.LinearSample, error) {
		return func(list []luck.LinearSample, m *sim.Match) ([]luck.LinearSample, error) {
			return luck.AppendLinearSamples(list, job.Rules, m.Events), nil
		}
	})
	if err != nil {
		return nil, err
	}
	line, explained, err := Linear(samples)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.Log, "linear: explains %.4f of the variance of %d hands beyond self-draws\n", explained, len(samples)/job.Rules.NumSeats())
	return line, nil
}

// fitBlend fits the weights of the network and of the linear terms to matches that follow those
// of a job.
func (s *SelfPlay) fitBlend(ctx context.Context, job *sim.Job, e *luck.ValueFunction) error {
	samples, err := Gather(ctx, Following(job, s.BlendMatches), func() func([]luck.BlendSample, *sim.Match) ([]luck.BlendSample, error) {
		meter, policies := luck.NewControlVariate(job.Rules, e), s.NewPolicies()
		return func(list []luck.BlendSample, m *sim.Match) ([]luck.BlendSample, error) {
			meter.SetPolicies(policies(m))
			return meter.AppendBlendSamples(list, m)
		}
	})
	if err != nil {
		return err
	}
	var explained float64
	if e.Blend, explained, err = Blend(samples); err != nil {
		return err
	}
	fmt.Fprintf(s.Log, "blended: explains %.4f of the variance of %d further hands\n", explained, len(samples)/job.Rules.NumSeats())
	return nil
}

// sample returns one draw of Every of all matches, and the last draw of each hand.
func (s *SelfPlay) sample(ctx context.Context, job *sim.Job) ([]luck.Sample, error) {
	played := func() {}
	if s.Begin != nil {
		played = s.Begin(job.Count)
	}
	return Gather(ctx, job, func() func([]luck.Sample, *sim.Match) ([]luck.Sample, error) {
		meter, policies := luck.NewControlVariate(job.Rules, &luck.ValueFunction{DiscardWeights: s.Options.DiscardWeights}), s.NewPolicies()
		var all []luck.Sample
		return func(list []luck.Sample, m *sim.Match) (_ []luck.Sample, err error) {
			meter.SetPolicies(policies(m))
			if all, err = meter.AppendSamples(all[:0], s.Options.Scale, m); err != nil {
				return nil, err
			}
			for i := range all {
				if all[i].Last || (uint64(i)+m.Index)%uint64(s.Every) == 0 {
					list = append(list, all[i])
				}
			}
			played()
			return list, nil
		}
	})
}
