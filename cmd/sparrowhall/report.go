package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/analysis/outfolder"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// reportOptions are the flags of report.
type reportOptions struct {
	out       string
	partial   string
	force     bool
	json      bool
	luck      luckFlag
	luckTable string
	offered   bool
	seal      string
	workFlags
}

func newReportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Print statistics of datasets, compare several, measure luck",
		Long: `Report reads datasets and prints what the seats are worth, how hands end, their
values and patterns, the course of matches, the results of the agents, and how
much of them is luck. Every figure has its count and 95 % interval.

Several datasets are compared with the first, figure by figure, with
probabilities corrected for the number of comparisons. Datasets of the same
agents and seed are compared match by match.

With --luck every match is replayed, and the luck of its tiles is measured with
a value function (a control variate). Luck-adjusted points have the same mean
as points and need fewer matches to separate agents. --luck=fast takes no
longer than reading and explains less of the luck; see docs/luck.md.
--luck-table writes the luck of every player in every hand as an Arrow IPC
file.

With --offered every match is replayed, and the price of each pattern is
compared with how often a player could have gone for it. With --out, prices
that are out of line with those of equally rare patterns are suggested in
suggested.toml, which sweep --variant tries.

With --out the report is written to a folder as well: a page with tables and
pictures, JSON, Arrow tables, and the pictures as PNG and SVG.

With --partial the sums that a report needs are written to a small file; report
merge joins the files of all shards of a run.`,
		Example: `  sparrowhall report runs/first
  sparrowhall report runs/ema runs/tenhou --out runs/comparison
  sparrowhall report --luck runs/cup
  sparrowhall report --luck=fast --luck-table luck.arrow runs/club
  sparrowhall report --offered runs/first --out runs/economy
  sparrowhall report runs/big-2 --partial runs/big-2.part`,
		Args: arguments(1, 64),
		RunE: func(cmd *cobra.Command, args []string) error { return o.report(cmd, args) },
	}
	o.luck.add(cmd, "replay all matches and measure luck")
	cmd.Flags().StringVar(&o.luckTable, "luck-table", "", "file to write the luck of every player in every hand to")
	cmd.Flags().BoolVar(&o.offered, "offered", false, "replay all matches and compare prices of patterns with how often they are possible")
	sealFileFlag(cmd, &o.seal, sealHelp)
	o.addWork(cmd, "matches replayed")
	o.add(cmd)
	cmd.AddCommand(newReportMergeCommand(), newReportHabitsCommand())
	return cmd
}

// add adds the flags that say what is written.
func (o *reportOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder to write the report to")
	f.StringVar(&o.partial, "partial", "", "file to write the partial report to, instead of a report")
	f.BoolVar(&o.force, "force", false, "replace an earlier report or file")
	jsonFlag(cmd, &o.json)
}

// check returns what is wrong with the flags, and the error of a folder that is occupied.
func (o *reportOptions) check(cmd *cobra.Command, dirs int) error {
	switch f := cmd.Flags(); {
	case f.Changed("out") && o.out == "":
		return usagef("--out: name a folder")
	case f.Changed("partial") && o.partial == "":
		return usagef("--partial: name a file")
	case f.Changed("luck-table") && o.luckTable == "":
		return usagef("--luck-table: name a file")
	case o.luckTable != "" && o.luck == "":
		return usagef("--luck-table writes what --luck measures; add --luck or --luck=fast")
	case o.seal != "" && o.luck == "" && !o.offered:
		return usagef("--seal-file is for matches that are replayed; add --luck or --offered")
	case o.luckTable != "" && dirs > 1:
		return usagef("--luck-table is of one dataset; name one folder")
	case o.partial != "" && o.offered:
		return usagef("--partial holds nothing of --offered; use --offered on the whole run")
	case o.partial != "" && (o.out != "" || o.json):
		return usagef("--partial writes no report; report merge does, with --out and --json")
	case o.force && o.out == "" && o.partial == "" && o.luckTable == "":
		return usagef("--force says how to write a report; name its folder with --out")
	}
	for _, file := range []string{o.partial, o.luckTable} {
		if file != "" {
			if err := checkFile(file, o.force); err != nil {
				return err
			}
		}
	}
	if o.out == "" {
		return nil
	}
	return explainReport(report.Check(o.out, o.force), o.force)
}

// writePartial writes the file of a partial report.
func (o *reportOptions) writePartial(cmd *cobra.Command, p *stats.Partial) error {
	if err := writeFile(o.partial, o.force, p.Write); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s holds the partial report; report merge joins it with the others\n", sanitize.Line(o.partial))
	return err
}

func newReportMergeCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Join the partial reports of shards",
		Long: `Merge joins the files that report --partial has written of all shards of a run,
in any order, to the report of the whole run, figure by figure. With --partial
it writes a partial report again, so that many are joined in steps; the files
of a step must follow each other.`,
		Example: "  sparrowhall report merge runs/big-*.part --out runs/big-report",
		Args:    arguments(1, 1<<16),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := o.check(cmd, len(files)); err != nil {
				return err
			}
			var list []*stats.Partial
			for _, file := range files {
				p, err := stats.ReadPartial(cmd.Context(), file)
				if err != nil {
					return err
				}
				list = append(list, p)
			}
			p, err := stats.Join(list)
			if err != nil {
				return err
			}
			if o.partial != "" {
				return o.writePartial(cmd, p)
			}
			if err := p.CheckComplete(); err != nil {
				return err
			}
			return o.write(cmd, report.New(p.Results()), files)
		},
	}
	o.add(cmd)
	return cmd
}

func (o *reportOptions) report(cmd *cobra.Command, dirs []string) error {
	if err := o.check(cmd, len(dirs)); err != nil {
		return err
	}
	r, err := o.collect(cmd, dirs)
	if err != nil || r == nil {
		return explainInterrupt(err)
	}
	return o.write(cmd, r, dirs)
}

// open opens a dataset, with the seed of --seal-file if it is sealed.
func (o *reportOptions) open(ctx context.Context, dir string) (*dataset.Dataset, error) {
	d, err := dataset.Open(dir)
	if err == nil {
		err = o.unseal(ctx, d)
	}
	return d, err
}

// unseal gives a dataset that is sealed the seed of --seal-file.
func (o *reportOptions) unseal(ctx context.Context, d *dataset.Dataset) error {
	if d.Run.Seal == nil {
		return nil
	}
	return unseal(ctx, d, o.seal)
}

// collect returns the report of datasets, or writes a partial report and returns nil.
func (o *reportOptions) collect(cmd *cobra.Command, dirs []string) (*report.Report, error) {
	ctx := cmd.Context()
	var matches uint64
	sealed := false
	for _, dir := range dirs {
		d, err := o.open(ctx, dir)
		if err != nil {
			return nil, err
		}
		sealed = sealed || d.Run.Seal != nil
		matches += d.Matches()
	}
	if o.seal != "" && !sealed {
		return nil, usagef("--seal-file: none of the datasets is sealed")
	}
	total := matches
	if o.luck != "" {
		total += matches
	}
	if o.offered {
		total += matches
	}
	what := "matches"
	if total > matches {
		what = "readings of matches" // each match is read more than once
	}
	p := o.progress(cmd, what, total)
	defer p.End()
	var measure stats.MeasureLuck
	if o.luck != "" {
		options := o.luck.options(o.number())
		options.Places, options.Hands, options.Read = true, o.luckTable != "", p.Add
		measure = func(d *dataset.Dataset) ([]matchluck.Match, error) {
			if err := o.unseal(ctx, d); err != nil {
				return nil, err
			}
			list, err := matchluck.Measure(ctx, d, options)
			if err != nil || o.luckTable == "" {
				return list, err
			}
			return list, writeFile(o.luckTable, o.force, func(w io.Writer) error {
				return report.WriteLuck(w.(io.WriteSeeker), d, list) // it is a file
			})
		}
	}
	if o.partial != "" {
		partial, err := stats.CollectPartial(ctx, dirs, measure, p.Add)
		if err != nil {
			return nil, err
		}
		return nil, o.writePartial(cmd, partial)
	}
	results, err := stats.Collect(ctx, dirs, measure, p.Add)
	if err == nil && o.offered {
		open := func(dir string) (*dataset.Dataset, error) { return o.open(ctx, dir) }
		err = results.MeasureOpportunities(ctx, open, o.number(), p.Add)
	}
	if err != nil {
		return nil, err
	}
	return report.New(results), nil
}

// explainReport adds to the error of an occupied folder how to replace a report.
func explainReport(err error, force bool) error {
	if errors.Is(err, outfolder.ErrOccupied) && !force {
		return fmt.Errorf("%w; --force replaces a report", err)
	}
	return err
}

// write prints the report of a command with arguments and writes it to the folder of --out.
func (o *reportOptions) write(cmd *cobra.Command, r *report.Report, args []string) error {
	if o.out != "" {
		r.Command = commandText(cmd, args)
		if err := r.Write(o.out, o.force); err != nil {
			return explainReport(err, o.force)
		}
	}
	if o.json {
		return r.JSON(cmd.OutOrStdout())
	}
	p := newPrinter(cmd.OutOrStdout())
	p.summary(r.Summary())
	for i := range r.Datasets {
		for _, m := range r.Datasets[i].MatchWorth {
			p.paragraph("%s: a luck-adjusted match of %s is worth %s", r.Label(i), sanitize.Line(m.Agent), m.Text())
		}
	}
	if len(r.Datasets) > 1 {
		p.paragraph("* clear at 5 %% among all %d comparisons together (Holm)", r.Compared())
		p.printf("\n")
	}
	p.tables(r.Tables()...)
	return p.Flush()
}
