package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Progress counts matches while they are played. Its methods may be called by any goroutine.
type Progress interface {
	// Add counts matches that were played.
	Add(matches int)
	// Skip counts matches that an earlier run has played.
	Skip(matches uint64)
}

// Lineup is one agent for each player and the walls that they play.
type Lineup struct {
	// Run is the run under the ruleset without changes.
	Run *dataset.Run
	// NewAgent returns the agent of a number in Run.Agents, Overlap is the field of the
	// [sim.Job].
	NewAgent func(number int) sim.Agent
	Overlap  bool
}

// NewAgents returns the constructor of the agents of a run by number. newAgent returns the
// constructor of the agent of a spec.
func NewAgents(run *dataset.Run, newAgent func(spec string) (func() sim.Agent, error)) (func(number int) sim.Agent, error) {
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

// Cell is a ruleset that a line-up plays, kept as a dataset.
type Cell struct {
	Lineup *Lineup
	// Run is that of the line-up with the ruleset of the cell, Dir the folder of the dataset.
	Run *dataset.Run
	Dir string
	// First is the first match of the run that is played here, Matches their number: fewer than
	// those of the run if it has a shard. Create sets both.
	First, Matches uint64
}

func (l *Lineup) under(r *configs.Ruleset, dir string) *Cell {
	// A copy, since cells differ in the ruleset and a shard or seed may be set for each.
	run := *l.Run
	run.Ruleset = r
	return &Cell{Lineup: l, Run: &run, Dir: dir}
}

// Create creates the dataset, or opens it if an earlier call was interrupted. The dataset of
// another run is an error, unless force replaces it.
func (c *Cell) Create(force bool) error {
	// Created and closed before anything is played: a folder that another plan occupies is found
	// now and not after hours.
	w, err := dataset.Create(c.Dir, c.Run, force)
	if err != nil {
		return err
	}
	c.First, c.Matches = w.First(), w.End()-w.First()
	return w.Close()
}

// Play plays the missing matches of the dataset, which must have been created.
func (c *Cell) Play(ctx context.Context, workers int, p Progress) error {
	w, err := dataset.Create(c.Dir, c.Run, false)
	if err != nil {
		return err
	}
	// Matches in journals are replayed without being counted again: the job recalls them and
	// records only what it plays.
	p.Skip(w.WholeMatches() + w.KeptMatches())
	return w.Play(ctx, &sim.Job{Workers: workers, NewAgent: c.Lineup.NewAgent, Overlap: c.Lineup.Overlap, Journal: &countedJournal{w.Journal(), p}})
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

// Cells are the cells of one line-up, a ruleset each.
type Cells []*Cell

// Dirs returns the folders of the datasets.
func (list Cells) Dirs() []string {
	var dirs []string
	for _, c := range list {
		dirs = append(dirs, c.Dir)
	}
	return dirs
}

// Plan is rulesets that line-ups play.
type Plan struct {
	// Dir is the folder of the datasets.
	Dir string
	// Rulesets are played by all Lineups; the first is the one without changes.
	Rulesets []*configs.Ruleset
	Lineups  []*Lineup
	// Force replaces what another plan has written in Dir.
	Force bool
	// NewAgent returns the constructor of the agent of a spec.
	NewAgent func(spec string) (func() sim.Agent, error)
	// Workers is the number of matches that are played at a time, at least 1.
	Workers  int
	Progress Progress

	// Cells has the cells of each line-up, by ruleset; Create and [Merged] set it.
	Cells []Cells
	// Adapted has the results of line-ups that adapt, by ruleset, and nil for others; Play sets
	// it.
	Adapted [][]*stats.Adaptation

	adapters map[int]*adapter
}

// Create creates the datasets of all cells and returns the number of matches to play. The folder of
// another plan is an error, unless Force replaces it.
func (p *Plan) Create() (matches uint64, err error) {
	p.Cells = nil
	if err := Claim(p.Dir, p.names(), p.Lineups[0].Run, p.Force); err != nil {
		return 0, err
	}
	for i, l := range p.Lineups {
		var cells Cells
		for n, r := range p.Rulesets {
			c := l.under(r, filepath.Join(p.Dir, LineupFolder(i), folderName(n, r)))
			if err := c.Create(p.Force); err != nil {
				return 0, err
			}
			matches += c.Matches
			cells = append(cells, c)
		}
		p.Cells = append(p.Cells, cells)
		if a := p.adapters[i]; a != nil {
			matches += a.totalMatches()
		}
	}
	return matches, nil
}

// Play plays the matches that are missing, then those of the agents that adapt.
func (p *Plan) Play(ctx context.Context) error {
	for _, cells := range p.Cells {
		for _, c := range cells {
			if err := c.Play(ctx, p.Workers, p.Progress); err != nil {
				return err
			}
		}
	}
	p.Adapted = make([][]*stats.Adaptation, len(p.Lineups))
	for i := range p.Lineups {
		if a := p.adapters[i]; a != nil {
			var err error
			if p.Adapted[i], err = a.run(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// LineupFolder returns the folder of line-up i below that of the plan: the first has none.
func LineupFolder(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("field%d", i+1)
}

func folderName(n int, r *configs.Ruleset) string {
	return fmt.Sprintf("%02d_%s", n, unsafeCharacters.ReplaceAllString(r.Name, "_"))
}

// unsafeCharacters matches characters that some file system refuses.
var unsafeCharacters = regexp.MustCompile(`[^A-Za-z0-9._=-]+`)
