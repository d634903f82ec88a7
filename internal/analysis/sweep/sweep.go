// Package sweep reports what changes of a ruleset do to the figures of a match. The ruleset and
// its variants are a plan of package experiment, whose cells share the walls and the agents.
//
//	plan := &experiment.Plan{Dir: "runs/sweep", Rulesets: rulesets, Lineups: lineups, NewAgent: agents.New, Workers: 2}
//	err := sweep.Adapt(plan, 5000)
//	matches, err := plan.Create()
//	err = plan.Play(ctx)
//	reports, err := sweep.Reports(ctx, plan, nil)
package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
)

// Adapt lets an agent of each line-up adapt to the rulesets of a plan within some matches; call it
// before the plan is created. Line-ups after the first whose agents have no weights do not adapt.
func Adapt(plan *experiment.Plan, matches int64) error {
	for i := range plan.Lineups {
		if err := plan.Adapt(i, matches); err != nil && (i == 0 || !errors.Is(err, experiment.ErrCannotAdapt)) {
			return err
		}
	}
	return nil
}

// Reports returns the report of each line-up of a plan that has been played. figures are the
// figures that curves show, nil for those that change most clearly.
func Reports(ctx context.Context, plan *experiment.Plan, figures []stats.Key) ([]*report.Report, error) {
	var list []*report.Report
	for i, cells := range plan.Cells {
		results, err := stats.Collect(ctx, cells.Dirs(), nil, nil)
		if err != nil {
			return nil, err
		}
		if len(figures) > 0 {
			results.DrawCurves(figures)
		}
		r := report.New(results)
		for n := range r.Datasets {
			// Neither where the sweep is nor the name of a temporary folder changes the report.
			if name, err := filepath.Rel(plan.Dir, cells[n].Dir); err == nil {
				r.Datasets[n].Dir = filepath.ToSlash(name)
			}
		}
		if err := compareAnswers(ctx, r, plan, cells.Dirs()); err != nil {
			return nil, err
		}
		if i < len(plan.Adapted) && plan.Adapted[i] != nil {
			a := plan.Adapted[i]
			r.Adaptation = a[0]
			for k := range r.Answers {
				r.Answers[k].Adaptation = a[r.Answers[k].Dataset]
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// ReportFolder returns the folder of the report of line-up i below that of the sweep.
func ReportFolder(i int) string { return filepath.Join(experiment.LineupFolder(i), "report") }

// maxCompared is the number of matches in which the decisions under two rulesets are compared.
const maxCompared = 100

// compareAnswers adds to a report how often the agents decide differently under each variant.
func compareAnswers(ctx context.Context, r *report.Report, plan *experiment.Plan, dirs []string) error {
	if len(r.Answers) == 0 {
		return nil
	}
	base, err := dataset.Open(dirs[0])
	if err != nil {
		return err
	}
	job := &policydiff.Job{
		Base: base.Rules(), Schedule: base.Run.Schedule(),
		Matches: int(min(base.Run.Matches, maxCompared)), Workers: plan.Workers,
	}
	if job.NewAgent, err = experiment.NewAgents(base.Run, plan.NewAgent); err != nil {
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
