package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// reportOptions are the flags of report.
type reportOptions struct {
	out     string
	partial string
	force   bool
	json    bool
	luck    string
	offered bool
	quietFlag
}

func newReportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Work out statistics from datasets, and compare several",
		Long: `Report reads datasets and prints what the seats are worth, how hands end, what
they are worth and of which patterns, how matches go, how the agents do, and how
much of it is luck. Every figure has its count and 95 % interval.

Several datasets are compared with the first, figure by figure, with
probabilities corrected for the number of comparisons; those of the same agents
and seed match by match.

With --luck every match is played again and the luck of its tiles measured. Points
less luck have the same mean as points and tell agents apart with fewer matches.
--luck=fast takes no longer than reading and takes less of the luck off; see
docs/luck.md.

With --offered every match is played again, and prices of patterns are set beside how
often the players are offered them, whether they go for them or not. With --out prices
that are far from those of others as rare are suggested in the file suggested.toml,
which sweep --variant tries.

With --out the report is written to a folder as well: a page with tables and
pictures, JSON, Arrow tables, and the pictures as PNG and SVG.

With --partial only what a report needs of these datasets is written, to a small
file. Those of all shards of a run are joined by report merge.`,
		Example: `  sparrowhall report runs/first
  sparrowhall report runs/ema runs/tenhou --out runs/comparison
  sparrowhall report --luck runs/cup
  sparrowhall report --offered runs/first --out runs/economy
  sparrowhall report runs/big-2 --partial runs/big-2.part`,
		Args: arguments(1, 64),
		RunE: func(cmd *cobra.Command, args []string) error { return o.report(cmd, args) },
	}
	addLuckFlag(cmd, &o.luck, "play all matches again and tell luck from play")
	cmd.Flags().BoolVar(&o.offered, "offered", false, "play all matches again and tell which patterns players are offered")
	o.addQuiet(cmd)
	o.add(cmd)
	cmd.AddCommand(newReportMergeCommand())
	return cmd
}

// add adds the flags that say what is written.
func (o *reportOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder to write the report to")
	f.StringVar(&o.partial, "partial", "", "file to write the partial report to, instead of a report")
	f.BoolVar(&o.force, "force", false, "replace a report that is in the folder, or the file of a partial one")
	jsonFlag(cmd, &o.json)
}

// check returns what is wrong with the flags themselves, and the error of a folder
// that is occupied.
func (o *reportOptions) check(cmd *cobra.Command) error {
	switch f := cmd.Flags(); {
	case o.luck != "" && o.luck != luckStrong && o.luck != luckFast:
		return luckUsage(o.luck)
	case f.Changed("out") && o.out == "":
		return usagef("--out: no folder is named")
	case f.Changed("partial") && o.partial == "":
		return usagef("--partial: no file is named")
	case o.partial != "" && o.offered:
		return usagef("--partial holds nothing of --offered; report it of the whole")
	case o.partial != "" && (o.out != "" || o.json):
		return usagef("--partial writes no report; report merge does, with --out and --json")
	case o.force && o.out == "" && o.partial == "":
		return usagef("--force says how to write a report; name its folder with --out")
	case o.partial != "":
		return checkFile(o.partial, o.force)
	case o.out == "":
		return nil
	}
	return explainReport(report.Check(o.out, o.force), o.force)
}

// writePartial writes the file of a partial report.
func (o *reportOptions) writePartial(cmd *cobra.Command, p *report.Partial) error {
	if err := writeFile(o.partial, o.force, p.Write); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s holds the partial report; report merge joins it with the others\n", plain.Line(o.partial))
	return err
}

func newReportMergeCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Join the partial reports of shards",
		Long: `Merge joins the files that report --partial has written of all shards of a run, in
any order, to the report that one reader of all of it would have written, figure by
figure. With --partial it writes a partial report again, so that many are joined in
steps; those of a step follow each other.`,
		Example: "  sparrowhall report merge runs/big-*.part --out runs/big-report",
		Args:    arguments(1, 1<<16),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			var list []*report.Partial
			for _, file := range files {
				p, err := report.ReadPartial(file)
				if err != nil {
					return err
				}
				list = append(list, p)
			}
			p, err := report.Join(list)
			if err != nil {
				return err
			}
			if o.partial != "" {
				return o.writePartial(cmd, p)
			}
			if err := p.Whole(); err != nil {
				return err
			}
			return writeReport(cmd, p.Report(), o.out, o.force, o.json)
		},
	}
	o.add(cmd)
	return cmd
}

func (o *reportOptions) report(cmd *cobra.Command, dirs []string) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	var total uint64
	for _, dir := range dirs {
		d, err := export.Open(dir)
		if err != nil {
			return err
		}
		total += d.Matches()
	}
	var measure report.Measure
	matches := total
	if o.luck != "" {
		total += matches // each match is played again and read
	}
	if o.offered {
		total += matches
	}
	p := o.progress(cmd, "matches", total)
	defer p.end()
	if o.luck != "" {
		measure = func(d *export.Dataset) ([]export.MatchLuck, error) {
			return d.Luck(cmd.Context(), export.LuckOptions{Places: true, Player: agents.Quick, Fast: o.luck == luckFast, Workers: runtime.GOMAXPROCS(0), Read: p.add})
		}
	}
	if o.partial != "" {
		partial, err := report.CollectPartial(cmd.Context(), dirs, measure, p.add)
		if err != nil {
			return err
		}
		return o.writePartial(cmd, partial)
	}
	r, err := report.Collect(cmd.Context(), dirs, measure, p.add)
	if err == nil && o.offered {
		err = r.Offer(cmd.Context(), p.add)
	}
	if err != nil {
		return err
	}
	p.end()
	return writeReport(cmd, r, o.out, o.force, o.json)
}

// explainReport says what replaces a report.
func explainReport(err error, force bool) error {
	if errors.Is(err, report.ErrOccupied) && !force {
		return fmt.Errorf("%w; --force replaces a report", err)
	}
	return err
}

// writeReport prints a report and writes it to a folder if one is named.
func writeReport(cmd *cobra.Command, r *report.Report, out string, force, asJSON bool) error {
	if out != "" {
		if err := r.Write(out, force); err != nil {
			return explainReport(err, force)
		}
	}
	if asJSON {
		return r.JSON(cmd.OutOrStdout())
	}
	return printReport(cmd.OutOrStdout(), r)
}

// printReport prints the tables of a report.
func printReport(w io.Writer, r *report.Report) error {
	for i := range r.Datasets {
		d := &r.Datasets[i]
		if err := printParagraph(w, fmt.Sprintf("%s: %s, %s, %d matches, agents %s", plain.Line(r.Label(i)), plain.Line(d.Ruleset), d.SeedText(), d.Matches, plain.Line(strings.Join(d.Agents, ", ")))); err != nil {
			return err
		}
	}
	for i := range r.Datasets {
		for _, m := range r.Datasets[i].MatchWorth {
			if _, err := fmt.Fprintf(w, "%s: less its luck, one match of %s is worth %.2f\n", plain.Line(r.Label(i)), plain.Line(m.Agent), m.Worth); err != nil {
				return err
			}
		}
	}
	if len(r.Datasets) > 1 {
		if _, err := fmt.Fprintf(w, "* clear at 5 %% among all %d comparisons together (Holm)\n", r.Compared()); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return printTables(w, r.Tables())
}
