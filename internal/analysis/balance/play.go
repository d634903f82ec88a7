package balance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/sweep"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	defaultMatches = 1000
	// DefaultAdapt is the number of matches within which an agent adapts in the profiles of the
	// presets: few, so that a profile does not take minutes.
	DefaultAdapt = 2000
)

// DefaultMatches returns the number of matches of each field in the profiles of the presets for
// 3 or 4 players: all rotations of as many duplicate sets as 1,000 matches hold.
func DefaultMatches(players int) uint64 {
	return uint64(defaultMatches - defaultMatches%players)
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

	lineups []*sweep.Lineup
	adapter *sweep.Adapter
}

// Check prepares the job. It returns an error if the ruleset cannot be played.
func (j *Job) Check() error {
	j.lineups = nil
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
		newAgent, err := sweep.AgentsOf(run, j.NewAgent)
		if err != nil {
			return err
		}
		j.lineups = append(j.lineups, &sweep.Lineup{Base: run, Runs: []*dataset.Run{run}, Workers: j.Workers, NewAgent: newAgent})
	}
	return nil
}

// CheckAdapt prepares the agent that adapts, after Check. It returns an error if Adapt is too
// small.
func (j *Job) CheckAdapt() (err error) {
	if j.Adapt > 0 {
		j.adapter, err = sweep.NewAdapter(j.lineups[0], j.Adapt, "", j.NewAgent)
	}
	return err
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
func Play(ctx context.Context, j *Job, p sweep.Progress) (*Profile, error) {
	temp, err := tempdir.New(os.TempDir(), "sparrowhall-balance-")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	var dirs []string
	for i, l := range j.lineups {
		dir := filepath.Join(temp.Path, fmt.Sprint(i))
		l.Dirs, l.Progress = []string{dir}, p
		if err := l.Create(false); err != nil {
			return nil, err
		}
		if err := l.Play(ctx, 0); err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	var adaptation *stats.Adaptation
	if j.adapter != nil {
		j.adapter.Dir = filepath.Join(temp.Path, "adapt")
		adapted, err := j.adapter.Run(ctx)
		if err != nil {
			return nil, err
		}
		adaptation = adapted[0]
	}
	return collect(ctx, dirs, adaptation, j.Workers)
}
