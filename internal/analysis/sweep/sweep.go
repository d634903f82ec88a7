// Package sweep plays one ruleset and variants of it with common random numbers (the same
// walls and agents), and reports what the changes do to the figures of a match.
//
//	s := &sweep.Sweep{Dir: "runs/sweep", Lineups: lineups, NewAgent: agents.New, Workers: 2}
//	err := s.NewAdapters()
//	matches, err := s.Begin(rulesets)
//	err = s.Play(ctx)
//	reports, err := s.Reports(ctx)
package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Sweep is a ruleset and its variants, played by one or more lineups.
type Sweep struct {
	// Dir is the folder of the datasets.
	Dir     string
	Lineups []*Lineup
	// Adapt is the number of matches within which an agent adapts to each ruleset, or 0.
	Adapt int64
	// Force replaces what another sweep has written in Dir.
	Force bool
	// NewAgent returns the constructor of the agent of a spec.
	NewAgent func(spec string) (func() sim.Agent, error)
	// Workers is the number of matches that are played at a time, at least 1.
	Workers int
	// Figures are the figures that curves show, nil for those that change most clearly.
	Figures []stats.Key

	adapters []*Adapter
	// adapted has the results of each lineup that adapts, by run.
	adapted map[int][]*stats.Adaptation
}

// NewAdapters prepares the agents that adapt to rulesets within Adapt matches; call it before
// Begin. Lineups after the first whose agents have no weights do not adapt.
func (s *Sweep) NewAdapters() error {
	s.adapters = make([]*Adapter, len(s.Lineups))
	if s.Adapt == 0 {
		return nil
	}
	for i, l := range s.Lineups {
		a, err := NewAdapter(l, s.Adapt, filepath.Join(s.Dir, lineupFolder(i), "adapt"), s.NewAgent)
		if err != nil && (i == 0 || !errors.Is(err, ErrCannotAdapt)) {
			return err
		}
		if err == nil {
			a.Force, s.adapters[i] = s.Force, a
		}
	}
	return nil
}

// Begin creates the datasets of all rulesets, the first of which is the one without changes,
// and returns the number of matches to play.
func (s *Sweep) Begin(rulesets []*configs.Ruleset) (matches uint64, err error) {
	for i, l := range s.Lineups {
		for n, r := range rulesets {
			run := *l.Base
			run.Ruleset = r
			l.Runs = append(l.Runs, &run)
			l.Dirs = append(l.Dirs, filepath.Join(s.Dir, lineupFolder(i), fmt.Sprintf("%02d_%s", n, unsafeCharacters.ReplaceAllString(r.Name, "_"))))
		}
		if err := l.Create(s.Force); err != nil {
			return 0, err
		}
		matches += l.Matches * uint64(len(l.Runs))
		if s.adapters[i] != nil {
			matches += s.adapters[i].totalMatches()
		}
	}
	return matches, nil
}

// Play plays the matches that are missing.
func (s *Sweep) Play(ctx context.Context) error {
	for _, l := range s.Lineups {
		for i := range l.Runs {
			if err := l.Play(ctx, i); err != nil {
				return err
			}
		}
	}
	s.adapted = map[int][]*stats.Adaptation{}
	for i, a := range s.adapters {
		if a == nil {
			continue
		}
		var err error
		if s.adapted[i], err = a.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Reports returns the report of each lineup.
func (s *Sweep) Reports(ctx context.Context) ([]*report.Report, error) {
	var list []*report.Report
	for i, l := range s.Lineups {
		results, err := stats.Collect(ctx, l.Dirs, nil, nil)
		if err != nil {
			return nil, err
		}
		if len(s.Figures) > 0 {
			results.DrawCurves(s.Figures)
		}
		r := report.New(results)
		for n := range r.Datasets {
			// Neither where the sweep is nor the name of a temporary folder changes the report.
			if name, err := filepath.Rel(s.Dir, l.Dirs[n]); err == nil {
				r.Datasets[n].Dir = filepath.ToSlash(name)
			}
		}
		if err := s.compareAnswers(ctx, r, l.Dirs); err != nil {
			return nil, err
		}
		if a := s.adapted[i]; a != nil {
			r.Adaptation = a[0]
			for k := range r.Answers {
				r.Answers[k].Adaptation = a[r.Answers[k].Dataset]
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// ReportFolder returns the folder of the report of lineup i below that of the sweep.
func ReportFolder(i int) string { return filepath.Join(lineupFolder(i), "report") }

// maxCompared is the number of matches in which the decisions under two rulesets are compared.
const maxCompared = 100

// compareAnswers adds to a report how often the agents decide differently under each variant.
func (s *Sweep) compareAnswers(ctx context.Context, r *report.Report, dirs []string) error {
	if len(r.Answers) == 0 {
		return nil
	}
	base, err := dataset.Open(dirs[0])
	if err != nil {
		return err
	}
	job := &policydiff.Job{
		Base: base.Rules(), Schedule: base.Run.Schedule(),
		Matches: int(min(base.Run.Matches, maxCompared)), Workers: s.Workers,
	}
	if job.NewAgent, err = AgentsOf(base.Run, s.NewAgent); err != nil {
		return err
	}
	for i := range r.Answers {
		d, err := dataset.Open(dirs[r.Answers[i].Dataset])
		if err != nil {
			return err
		}
		job.Variants = append(job.Variants, d.Rules())
	}
	list, err := policydiff.Run(ctx, job)
	if errors.Is(err, policydiff.ErrOutside) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range r.Answers {
		r.Answers[i].Response = &list[i]
	}
	return nil
}

// CheckFolder returns an error if the folder of a sweep holds a dataset.
func CheckFolder(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err == nil {
		return fmt.Errorf("%s holds a dataset; name another folder for the sweep", dir)
	}
	return nil
}

// lineupFolder returns the folder of lineup i below that of the sweep: the first has none.
func lineupFolder(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("field%d", i+1)
}

// unsafeCharacters matches characters that some file system refuses.
var unsafeCharacters = regexp.MustCompile(`[^A-Za-z0-9._=-]+`)
