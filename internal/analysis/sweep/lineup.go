package sweep

import (
	"context"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Progress counts matches while they are played. Its methods may be called by any goroutine.
type Progress interface {
	// Add counts matches that were played.
	Add(matches int)
	// Skip counts matches that an earlier run has played.
	Skip(matches uint64)
}

// Lineup is one agent for each player and the runs that they play.
type Lineup struct {
	// Base is the run under the ruleset without changes.
	Base *dataset.Run
	// NewAgent returns the agent of a number in Base.Agents.
	NewAgent func(number int) sim.Agent
	// Overlap is the field of the [sim.Job], Workers is at least 1.
	Overlap  bool
	Workers  int
	Progress Progress

	// Runs are played into the folders Dirs.
	Runs []*dataset.Run
	Dirs []string
	// First is the first match of each run that is played, Matches their number: fewer than
	// those of the run if it has a shard. Create sets both.
	First, Matches uint64
}

// AgentsOf returns the constructor of the agents of a run by number. newAgent returns the
// constructor of the agent of a spec.
func AgentsOf(run *dataset.Run, newAgent func(spec string) (func() sim.Agent, error)) (func(number int) sim.Agent, error) {
	var list []func() sim.Agent
	for _, spec := range run.Agents {
		f, err := newAgent(spec)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return func(number int) sim.Agent { return list[number]() }, nil
}

// Create creates the datasets of all runs, or opens them if an earlier call was interrupted.
// With force it replaces other datasets that are there.
func (l *Lineup) Create(force bool) error {
	for i, run := range l.Runs {
		w, err := dataset.Create(l.Dirs[i], run, force)
		if err != nil {
			return err
		}
		l.First, l.Matches = w.First(), w.End()-w.First()
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Play plays the missing matches of run i.
func (l *Lineup) Play(ctx context.Context, i int) error {
	w, err := dataset.Create(l.Dirs[i], l.Runs[i], false)
	if err != nil {
		return err
	}
	l.Progress.Skip(w.WholeMatches() + w.KeptMatches())
	return w.Play(ctx, &sim.Job{
		Workers: l.Workers, NewAgent: l.NewAgent, Overlap: l.Overlap, Journal: &countedJournal{w.Journal(), l.Progress},
	})
}

// countedJournal is a journal that counts the matches.
type countedJournal struct {
	sim.Journal
	progress Progress
}

// Record implements [sim.Journal].
func (j *countedJournal) Record(m *sim.Match) error {
	j.progress.Add(1)
	return j.Journal.Record(m)
}
