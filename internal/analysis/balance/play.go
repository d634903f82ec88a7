package balance

import (
	"context"
	"os"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	defaultMatches = 1000
	leastHands     = 6000
	// DefaultAdapt is the number of matches within which an agent adapts in the profiles of the
	// presets: few, so that a profile does not take minutes.
	DefaultAdapt = 2000
)

// DefaultMatches returns the number of matches of each field in the profile of a preset: all
// rotations of as many duplicate sets as 1,000 matches hold, or 6,000 hands where matches are short.
// With fewer hands the wide intervals of one preset would hide what differs from all others.
func DefaultMatches(r *ruleset.Rules) uint64 {
	n := max(defaultMatches, leastHands/max(1, r.Rounds*r.HandsPerRound))
	return uint64(n - n%r.NumSeats())
}

// Job is a ruleset to play.
type Job struct {
	Ruleset *configs.Ruleset
	// Matches is the number of matches of each field, a multiple of the number of players.
	Matches uint64
	Seed    uint64
	// Adapt is the number of matches within which an agent adapts to the ruleset, or 0.
	Adapt int64
	// NewAgent returns the constructor of the agent of a spec.
	NewAgent func(spec string) (func() sim.Agent, error)
	// Workers is the number of matches that are played at a time, at least 1.
	Workers int

	plan *experiment.Plan
}

// Check prepares the job. It returns an error if the ruleset cannot be played.
func (j *Job) Check() error {
	j.plan = &experiment.Plan{Rulesets: []*configs.Ruleset{j.Ruleset}, NewAgent: j.NewAgent, Workers: j.Workers}
	fields := Fields(j.Ruleset.Rules().NumSeats())
	for i := range fields {
		f := &fields[i]
		run := &dataset.Run{
			Ruleset: j.Ruleset, Seed: j.Seed, Matches: j.Matches, Agents: f.Agents, Record: schema.Hands,
			FileMatches: dataset.DefaultFileMatches,
		}
		var err error
		if run.Tournament, err = f.Schedule(run.Seed, run.Matches); err != nil {
			return err
		}
		if err := run.Check(); err != nil {
			return err
		}
		newAgent, err := experiment.NewAgents(run, j.NewAgent)
		if err != nil {
			return err
		}
		j.plan.Lineups = append(j.plan.Lineups, &experiment.Lineup{Run: run, NewAgent: newAgent})
	}
	return nil
}

// CheckAdapt prepares the agent that adapts, after Check. It returns an error if Adapt is too
// small.
func (j *Job) CheckAdapt() error {
	if j.Adapt == 0 {
		return nil
	}
	return j.plan.Adapt(0, j.Adapt)
}

// MaxMatches returns the largest number of matches that are played.
func (j *Job) MaxMatches() uint64 {
	n := j.Matches * NumFields
	if j.Adapt > 0 {
		n += uint64(j.Adapt) + j.Matches
	}
	return n
}

// Play plays a job that has been checked.
func Play(ctx context.Context, j *Job, p experiment.Progress) (*Profile, error) {
	temp, err := tempdir.New(os.TempDir(), "sparrowhall-balance-")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	j.plan.Dir, j.plan.Progress = temp.Path, p
	if _, err := j.plan.Create(); err != nil {
		return nil, err
	}
	if err := j.plan.Play(ctx); err != nil {
		return nil, err
	}
	var dirs []string
	for _, cells := range j.plan.Cells {
		dirs = append(dirs, cells.Dirs()...)
	}
	var adaptation *stats.Adaptation
	if a := j.plan.Adapted[0]; a != nil {
		adaptation = a[0]
	}
	return collect(ctx, dirs, adaptation, j.Workers)
}
