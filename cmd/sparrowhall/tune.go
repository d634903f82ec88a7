package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/balance"
	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/tune"
	"github.com/sparrowhall/sparrowhall/internal/analysis/variant"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/sim"
)

// tuneOptions are the flags of tune.
type tuneOptions struct {
	playOptions
	knobs       []string
	want        string
	tries, best int
	// fieldList are the agents whose ranks measure skill.
	fieldList string
	patience  time.Duration
}

func newTuneCommand() *cobra.Command {
	var o tuneOptions
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Search for a ruleset with the figures you want",
		Long: `Tune searches the values of some knobs for rulesets whose figures meet targets.
A target is a figure of report and its bounds: hands=10..12, draws<8%,
win.value>20, first_mover_edge~0; commas separate targets. skill>45% is measured
by the ranks of the agents of --field, which differ in strength and change
seats on the same walls.

Candidates are tried with few matches, those with the largest expected
improvement first; the better ones get more. All of them play the same walls.
The result is the best few, and with --out a folder with a ruleset file for
each, a page with a summary, and the figures of all candidates. The same
command continues a search that was interrupted, to the same result.

With --shard several machines that share the folder work on one search. A shard
that has waited for the others longer than --patience ends; the same command
continues it.`,
		Example: `  sparrowhall tune --ruleset universal --knob min_win=0..40:10 \
    --knob patterns.seven_pairs=20..60:10 --want "draws=10%"
  sparrowhall tune --ruleset universal --knob min_win=0..30:10 \
    --want "hands=16..18, draws<8%, skill>45%, first_mover_edge~0"
  sparrowhall tune --ruleset mcr_2006 --knob min_win=4..12 \
    --want "draws<8%, win.value>18" --out runs/tuned`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.tune(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	f.StringArrayVar(&o.knobs, "knob", nil, "knob that may change: KEY=VALUE,VALUE, KEY=FROM..TO:STEP or KEY; repeatable")
	f.StringVar(&o.want, "want", "", "targets for figures, such as draws<8%,first_mover_edge~0")
	f.Int64Var(&o.matches, "matches", 2048, "matches of each of the best candidates, a multiple of 1024")
	f.IntVar(&o.tries, "tries", 60, "candidates to try, each with a sixteenth of the matches")
	f.IntVar(&o.best, "best", 3, "candidates to print")
	o.addSeed(cmd)
	o.addFour(cmd, "value,value,value,value")
	f.StringVar(&o.fieldList, "field", strings.Join(balance.WithBeginner(sim.NumPlayers).Agents, ","), "agents of different strength, one for each player, whose ranks measure skill")
	f.StringVar(&o.out, "out", "", "folder to write the rulesets and the figures to")
	f.StringVar(&o.shard, "shard", "", "play one of n parts of the search in the folder of --out, such as 2/8")
	f.DurationVar(&o.patience, "patience", 10*time.Minute, "time that a shard waits for the others before it ends")
	o.addWork(cmd, "candidates played")
	jsonFlag(cmd, &o.json)
	return cmd
}

// tryShare is the share of the matches of the best that a first try has, as a divisor.
const tryShare = 16

func (o *tuneOptions) tune(cmd *cobra.Command) error {
	switch {
	case len(o.knobs) == 0:
		return usagef("--knob is missing: what may be changed?")
	case o.want == "":
		return usagef("--want is missing: which figures do you want? Such as --want draws<8%%")
	case o.matches < 1 || o.matches%(tryShare*sim.BlockSize) != 0:
		return usagef("--matches: %d; allowed: multiples of %d", o.matches, tryShare*sim.BlockSize)
	case o.tries < 1 || o.best < 1 || o.best > o.tries:
		return usagef("--tries %d, --best %d; allowed: at least 1, and no more best than tries", o.tries, o.best)
	case o.shard != "" && o.out == "":
		return usagef("--shard plays for a search in a folder; name it with --out")
	}
	o.record, o.fileMatches = schema.Hands.String(), o.matches/tryShare
	if err := o.check(cmd); err != nil {
		return err
	}
	shard, err := parseShard(o.shard)
	if err != nil {
		return err
	}
	o.shard = "" // of the search, not of its runs
	run, newAgents, err := o.run(cmd.Context())
	if err != nil {
		return err
	}
	rules := run.Ruleset.Rules()
	targets, err := tune.ParseTargets(o.want, stats.Keys(rules, run.Agents), stats.Units(rules, run.Agents))
	if err != nil {
		return usagef("--want: %w", err)
	}
	space, err := tune.NewSpace(variant.Source{Path: o.ruleset, Ruleset: run.Ruleset}, o.knobs)
	if err != nil {
		return usagef("--knob: %w", err)
	}
	field, err := o.fieldLineup(cmd, targets, run)
	if err != nil {
		return err
	}
	evaluator := &tune.Evaluator{
		Targets: targets, Ruleset: space.Ruleset, Field: field,
		Agents: &experiment.Lineup{Run: run, NewAgent: newJob(run, run.Agents, newAgents, 1).NewAgent},
		Parts:  experiment.Parts{Workers: o.number(), Shard: shard, Wait: o.wait()},
	}
	if o.out == "" {
		temp, err := tempdir.New(os.TempDir(), "sparrowhall-tune-")
		if err != nil {
			return err
		}
		defer temp.Remove()
		evaluator.Parts.Dir = temp.Path
	} else if err := o.openFolder(evaluator); err != nil {
		return err
	}
	search := &tune.Search{
		Targets: targets, Unit: int(o.fileMatches), Matches: int(o.matches), Tries: o.tries, NumBest: o.best, Seed: o.seed,
		Legal: space.Legal, Evaluate: evaluator.Evaluate,
	}
	search.Dimensions, search.Start = space.Dimensions()
	progress := o.progress(cmd, "matches", search.MaxMatches()*evaluator.Lineups())
	progress.AtMost = true
	evaluator.Parts.Played = progress.Add
	result, err := search.Run(cmd.Context())
	progress.End()
	if err != nil {
		return o.explain(err, space)
	}
	outcome := &tune.Outcome{Search: search, Result: result, Space: space, Run: run, Field: o.fieldList, TargetText: o.want, Command: commandText(cmd, nil)}
	if o.out != "" {
		if err := outcome.Write(o.out); err != nil {
			return err
		}
	}
	first := "" // the best as a ruleset file, if none is written
	if o.out == "" && len(result.Best) > 0 {
		if first, err = outcome.File(&result.Best[0]); err != nil {
			return err
		}
	}
	return printResult(cmd, o.json, outcome.JSON(), func(p *printer) {
		p.outcome(outcome)
		switch {
		case o.out != "":
			p.printf("%s holds a page (tune.html), a ruleset file for each, tradeoff.svg and the figures of all candidates\n", sanitize.Line(o.out))
		case first != "":
			p.printf("The first as a ruleset file:\n\n%s", first)
		}
	})
}

// openFolder prepares the folder of --out, before anything is played.
func (o *tuneOptions) openFolder(e *tune.Evaluator) error {
	if err := tune.CheckFolder(o.out, o.best); err != nil {
		return err
	}
	return e.OpenFolder(o.out, o.fieldList)
}

// fieldLineup returns the agents whose ranks measure skill, nil if no target does.
func (o *tuneOptions) fieldLineup(cmd *cobra.Command, targets []tune.Target, run *dataset.Run) (*experiment.Lineup, error) {
	if !slices.ContainsFunc(targets, func(w tune.Target) bool { return w.Skill }) {
		if cmd.Flags().Changed("field") {
			return nil, usagef("--field measures skill, and no target names skill")
		}
		return nil, nil
	}
	seats := len(run.Agents)
	if !cmd.Flags().Changed("field") {
		o.fieldList = strings.Join(balance.WithBeginner(seats).Agents, ",")
	}
	if run.FileMatches%uint64(seats) != 0 { // a part holds whole duplicate sets
		return nil, usagef("--matches: %d; for skill among %d players allowed: multiples of %d", o.matches, seats, seats*tryShare*sim.BlockSize)
	}
	field, newAgents, err := o.field(o.fieldList).run(cmd.Context())
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(field.Agents, func(a string) bool { return a != field.Agents[0] }) {
		return nil, usagef("--field %s: equal agents show no skill; name agents of different strength", o.fieldList)
	}
	rotating := balance.Field{Agents: field.Agents, Duplicate: true}
	if field.Tournament, err = rotating.Schedule(run.Seed, run.Matches); err != nil {
		return nil, err
	}
	return &experiment.Lineup{Run: field, NewAgent: newJob(field, field.Agents, newAgents, 1).NewAgent}, nil
}

// wait returns the function that waits for other shards, a second at a time and no longer than
// --patience.
func (o *tuneOptions) wait() func(context.Context) error {
	var since time.Time
	return func(ctx context.Context) error {
		now := time.Now()
		if since.IsZero() || now.Sub(since) > o.patience+time.Minute {
			since = now // the wait before has ended
		}
		if now.Sub(since) >= o.patience {
			return experiment.ErrWaiting
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(time.Second, o.patience)):
			return nil
		}
	}
}

// explain adds to the error of a search how to continue it.
func (o *tuneOptions) explain(err error, space *tune.Space) error {
	switch {
	case errors.Is(err, experiment.ErrWaiting):
		return fmt.Errorf("%w; when they have, and their files are in %s, the same command continues", err, filepath.Join(o.out, "parts"))
	case errors.Is(err, tune.ErrNone):
		_, why := space.Ruleset(make(tune.Candidate, len(o.knobs)))
		return usagef("--knob: %w: %w", err, why)
	}
	if err = explainInterrupt(err); o.out == "" {
		return err
	}
	return fmt.Errorf("%w; the same command continues where it stopped", err)
}

// outcome prints the best candidates and the ruleset without changes.
func (p *printer) outcome(o *tune.Outcome) {
	name := sanitize.Line(o.Run.Ruleset.Name)
	p.summary(o.Summary())
	trial := func(title string, t *tune.Trial) {
		p.paragraph("%s", title)
		p.table(o.Table(t))
		p.printf("\n")
	}
	for i := range o.Result.Best {
		b := &o.Result.Best[i]
		trial(fmt.Sprintf("%d. %s", i+1, sanitize.Line(o.Name(b.Candidate))), b)
	}
	trial(name+" without changes", &o.Result.Start)
}
