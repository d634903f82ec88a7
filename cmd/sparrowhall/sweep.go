package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/sweep"
	"github.com/sparrowhall/sparrowhall/internal/analysis/variant"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	playOptions
	knobs, files, figures, fields []string
	cross                         bool
	adapt                         int64
}

func newSweepCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Measure what a rule does: change knobs and compare",
		Long: `Sweep plays a ruleset and variants of it with the same seeds and agents, and
prints how each variant changes the figures of report. Matches are compared in
pairs (common random numbers), so that small effects show, and probabilities
are corrected for the number of comparisons.

Each --knob gives variants: KEY=VALUE with a value as in a ruleset file,
KEY=4,6,10 for several, and KEY=4..12 or KEY=4..12:2 for a range of whole
numbers. KEY alone gives all other values of a knob that has a list of them.
Each --variant is a ruleset file, such as the suggested.toml of report
--offered.
With --cross all combinations of the knobs are played, and the report shows
what they do together beyond the sum of their effects.

A range shows how figures follow the knob: those of --figure, or those that
change most clearly. With --field other agents play all variants too, and
effects that depend on the agents are listed.

With --adapt an agent adapts to each ruleset: its weights are tuned within that
many matches, then it plays among agents that are not tuned, on new walls. The
report shows what adapting gains, compared with an agent tuned for the ruleset
without changes, and which patterns and habits become more frequent.

With --out the folder keeps a dataset for each variant, and the report in its
folder report. The same command continues a sweep that was interrupted. With
--shard the folder holds a part of the matches; sweep merge joins the parts.`,
		Example: `  sparrowhall sweep --ruleset ema_2016 --knob kiriage_mangan=true --matches 2000
  sparrowhall sweep --ruleset mcr_2006 --knob min_win=4..12:2 --figure won
  sparrowhall sweep --ruleset ema_2016 --knob noten_total=0,1200,6000 \
    --field greedy,greedy,greedy,greedy
  sparrowhall sweep --knob patterns.pinfu=2 --adapt 5000
  sparrowhall sweep --knob multi_win --knob ura_dora=false --out runs/sweep`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.sweep(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	f.StringArrayVar(&o.knobs, "knob", nil, "knob to change: KEY=VALUE,VALUE, KEY=FROM..TO:STEP or KEY; repeatable")
	f.StringArrayVar(&o.files, "variant", nil, "preset or ruleset file to play as a variant; repeatable")
	f.StringArrayVar(&o.figures, "figure", nil, "figure to draw along a range, such as won or win.value; repeatable")
	f.StringArrayVar(&o.fields, "field", nil, "other agents, one for each player, that play all of it too; repeatable")
	f.Int64Var(&o.adapt, "adapt", 0, "matches within which an agent adapts to each ruleset; 0 for none")
	f.BoolVar(&o.cross, "cross", false, "play all combinations of the knobs")
	f.Int64Var(&o.matches, "matches", 1000, "matches of each variant")
	o.addSeed(cmd)
	o.addFour(cmd, "value,value,value,value")
	f.StringVar(&o.out, "out", "", "folder to write datasets and report to")
	f.BoolVar(&o.force, "force", false, "start over, replacing an earlier sweep in the folder")
	o.addFileMatches(cmd)
	o.addShard(cmd)
	o.addWork(cmd, "matches played")
	jsonFlag(cmd, &o.json)
	cmd.AddCommand(newMergeCommand("sweep", "  sparrowhall sweep merge --out runs/sweep runs/sweep-1 runs/sweep-2", false, mergeSweep))
	return cmd
}

func (o *sweepOptions) sweep(cmd *cobra.Command) error {
	switch {
	case len(o.knobs)+len(o.files) == 0:
		return usagef("--knob is missing: which rule shall change? (Or --variant, a ruleset file.)")
	case o.adapt < 0:
		return usagef("--adapt: %d matches; at least 0", o.adapt)
	case o.adapt > 0 && o.shard != "":
		return usagef("--adapt plays no shards; leave out --shard")
	}
	o.record = schema.Hands.String()
	if err := o.check(cmd); err != nil {
		return err
	}
	lineups, err := o.lineups(cmd.Context())
	if err != nil {
		return err
	}
	run := lineups[0].Run
	rulesets, err := o.rulesets(cmd.Context(), run.Ruleset)
	if err != nil {
		return err
	}
	plan := &experiment.Plan{Dir: o.out, Rulesets: rulesets, Lineups: lineups, Force: o.force, NewAgent: agents.New, Workers: o.number()}
	var figures []stats.Key
	for _, name := range o.figures {
		k, err := stats.FindKey(stats.Keys(run.Ruleset.Rules(), run.Agents), name)
		if err != nil {
			return usagef("--figure: %w", err)
		}
		figures = append(figures, k)
	}
	if o.out == "" {
		temp, err := tempdir.New(os.TempDir(), "sparrowhall-sweep-")
		if err != nil {
			return err
		}
		defer temp.Remove()
		plan.Dir = temp.Path
	} else if err := o.checkOut(len(lineups)); err != nil {
		return err
	}
	if o.adapt > 0 {
		if err := sweep.Adapt(plan, o.adapt); err != nil {
			return usagef("--adapt: %w", err)
		}
	}
	matches, err := plan.Create()
	if err != nil {
		return o.explain(err)
	}
	p := o.progress(cmd, "matches", matches)
	plan.Progress = p
	err = plan.Play(cmd.Context())
	p.End()
	if err != nil {
		return o.explain(err)
	}
	if run.Shard.Of > 0 {
		c := plan.Cells[0][0]
		return o.reportShard(cmd, c.First, c.First+c.Matches)
	}
	return reportSweep(cmd, plan, figures, o.out, o.json)
}

// checkOut returns an error if the folder of --out or that of a report holds something else.
func (o *sweepOptions) checkOut(lineups int) error {
	if err := sweep.CheckFolder(o.out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for i := range lineups {
		if err := report.Check(filepath.Join(o.out, sweep.ReportFolder(i)), true); err != nil {
			return err
		}
	}
	return nil
}

// lineups returns the agents of --agents and of each --field.
func (o *sweepOptions) lineups(ctx context.Context) ([]*experiment.Lineup, error) {
	l, err := o.lineup(ctx)
	if err != nil {
		return nil, err
	}
	list := []*experiment.Lineup{l}
	for _, agents := range o.fields {
		l, err := o.field(agents).lineup(ctx)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(m *experiment.Lineup) bool { return slices.Equal(m.Run.Agents, l.Run.Agents) }) {
			return nil, usagef("--field %s: these agents play already", agents)
		}
		list = append(list, l)
	}
	return list, nil
}

// lineup returns the agents with the run that they play without changes.
func (o *playOptions) lineup(ctx context.Context) (*experiment.Lineup, error) {
	run, newAgents, err := o.run(ctx)
	if err != nil {
		return nil, err
	}
	job := newJob(run, run.Agents, newAgents, o.workers)
	return &experiment.Lineup{Run: run, NewAgent: job.NewAgent, Overlap: job.Overlap}, nil
}

// rulesets returns the ruleset without changes and the variants.
func (o *sweepOptions) rulesets(ctx context.Context, base *configs.Ruleset) ([]*configs.Ruleset, error) {
	source := variant.Source{Path: o.ruleset, Ruleset: base}
	list, err := source.Variants(o.knobs, o.cross)
	if err != nil {
		return nil, usagef("--knob: %w", err)
	}
	for _, file := range o.files {
		r, err := openRuleset(ctx, file)
		if err != nil {
			return nil, err
		}
		if list, err = source.Append(list, r); err != nil {
			return nil, usagef("--variant: %w", err)
		}
	}
	return slices.Insert(list, 0, base), nil
}

// explain adds to the error of a sweep how to continue it.
func (o *sweepOptions) explain(err error) error {
	if errors.Is(err, dataset.ErrOccupied) || o.out == "" {
		return explainInterrupt(explainOccupied(err))
	}
	return fmt.Errorf("%w; the same command continues where it stopped", explainInterrupt(err))
}

func mergeSweep(o *mergeOptions, cmd *cobra.Command, dirs []string) error {
	shards, err := experiment.FindShards(dirs)
	if err != nil {
		return err
	}
	plan := &experiment.Plan{Dir: o.out, Cells: experiment.Merged(o.out, shards.Names), NewAgent: agents.New, Workers: o.number()}
	var merged []string
	for i, cells := range plan.Cells {
		merged = append(merged, cells.Dirs()...)
		if err := report.Check(filepath.Join(o.out, sweep.ReportFolder(i)), true); err != nil {
			return err
		}
	}
	first, err := dataset.Open(shards.Dirs[0][0])
	if err != nil {
		return err
	}
	if err := experiment.Claim(o.out, shards.Names, first.Run, o.force); err != nil {
		return explainOccupied(err)
	}
	if err := o.join(cmd, merged, shards.Dirs); err != nil {
		return err
	}
	return reportSweep(cmd, plan, nil, o.out, o.json)
}

// reportSweep prints the effects that each line-up shows, and writes the reports to the folder
// out unless it is empty.
func reportSweep(cmd *cobra.Command, plan *experiment.Plan, figures []stats.Key, out string, asJSON bool) error {
	list, err := sweep.Reports(cmd.Context(), plan, figures)
	if err != nil {
		return err
	}
	if out != "" {
		for i, r := range list {
			r.Command = commandText(cmd, nil)
			// The report follows from the datasets, so an earlier one is replaced.
			if err := r.Write(filepath.Join(out, sweep.ReportFolder(i)), true); err != nil {
				return err
			}
		}
	}
	if asJSON && len(list) == 1 {
		return list[0].JSON(cmd.OutOrStdout())
	}
	return printResult(cmd, asJSON, struct {
		Fields        []*report.Report     `json:"fields"`
		Disagreements []stats.Disagreement `json:"disagreements"`
	}{list, report.Disagreements(list)}, func(p *printer) {
		for i, r := range list {
			if i > 0 {
				p.printf("\n")
			}
			p.effects(r)
		}
		if len(list) > 1 {
			p.printf("\n")
			p.tables(report.DisagreementTable(list))
		}
	})
}

// effects prints what the variants change.
func (p *printer) effects(r *report.Report) {
	p.summary(r.Summary())
	p.paragraph("Differences are those of matches in pairs, with 95 %% intervals; * is clear at 5 %% among all %d comparisons together (Holm).", r.Compared())
	p.printf("\n")
	if a := r.Adaptation; a != nil {
		p.paragraphs(append([]string{r.Label(0) + " without changes:"}, report.DescribeAdaptation(a)...)...)
	}
	for i := range r.Answers {
		p.answer(&r.Answers[i])
	}
	tables := r.Effects()[:1]
	if t := r.ContrastTable(); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	p.tables(append(tables, r.CurveTables()...)...)
}

// maxEffects is the number of effects of a variant that are printed.
const maxEffects = 12

// answer prints what a variant changes.
func (p *printer) answer(a *report.Answer) {
	p.paragraph("%s:", a.Title)
	for _, e := range a.Effects[:min(len(a.Effects), maxEffects)] {
		p.item(fmt.Sprintf("%s (%.2fσ)", e.Text, e.Magnitude()))
	}
	if more := len(a.Effects) - maxEffects; more > 0 {
		p.item(fmt.Sprintf("and %d more effects, which --json and the page of --out list", more))
	}
	switch {
	case len(a.Effects) == 0 && len(a.Priced) > 0:
		p.item("nothing changes clearly but what the rule text changes by itself")
	case len(a.Effects) == 0:
		p.item("nothing changes clearly")
	}
	lines := report.DescribeAdaptation(a.Adaptation)
	if a.Response != nil {
		lines = slices.Insert(lines, 0, a.Response.String())
	}
	if len(a.Priced) > 0 {
		lines = append(lines, a.Sentences()[0].String())
	}
	p.paragraphs(lines...) // the summary has what is bounded or the same
}
