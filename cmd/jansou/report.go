package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/export/report"
	"github.com/jansou/jansou/internal/plain"
)

// reportOptions are the flags of report.
type reportOptions struct {
	out   string
	force bool
	json  bool
	quiet bool
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

With --out the report is written to a folder as well: a page with tables and
pictures, JSON, Arrow tables, and the pictures as PNG and SVG.`,
		Example: `  jansou report runs/first
  jansou report runs/ema runs/tenhou --out runs/comparison`,
		Args: arguments(1, 64),
		RunE: func(cmd *cobra.Command, args []string) error { return o.report(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder to write the report to")
	f.BoolVar(&o.force, "force", false, "replace a report that is in the folder")
	f.BoolVar(&o.quiet, "quiet", false, "show no progress")
	jsonFlag(cmd, &o.json)
	return cmd
}

func (o *reportOptions) report(cmd *cobra.Command, dirs []string) error {
	switch f := cmd.Flags(); {
	case f.Changed("out") && o.out == "":
		return usagef("--out: no folder is named")
	case o.force && o.out == "":
		return usagef("--force says how to write a report; name its folder with --out")
	}
	if o.out != "" {
		if err := report.Check(o.out, o.force); err != nil {
			return explainReport(err, o.force)
		}
	}
	var total uint64
	for _, dir := range dirs {
		d, err := export.Open(dir)
		if err != nil {
			return err
		}
		total += d.Matches()
	}
	var progressTo io.Writer
	if !o.quiet {
		progressTo = cmd.ErrOrStderr()
	}
	p := newProgress(progressTo, "matches", total, time.Now)
	r, err := report.Collect(cmd.Context(), dirs, p.add)
	p.end()
	if err != nil {
		return err
	}
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
		if _, err := fmt.Fprintf(w, "%s: %s, %s, %d matches, agents %s\n", plain.Line(r.Label(i)), plain.Line(d.Ruleset), d.SeedText(), d.Matches, plain.Line(strings.Join(d.Agents, ", "))); err != nil {
			return err
		}
	}
	if len(r.Datasets) > 1 {
		if _, err := fmt.Fprintf(w, "* clear at 5 %% among all %d comparisons together (Holm)\n", r.Compared()); err != nil {
			return err
		}
	}
	for _, t := range r.Tables() {
		if _, err := fmt.Fprintf(w, "\n%s\n", strings.ToUpper(t.Title)); err != nil {
			return err
		}
		if err := printTable(w, &t); err != nil {
			return err
		}
	}
	return nil
}

// reportWidth is the width of tables in characters; a table with more columns
// goes on below.
const reportWidth = 100

func printTable(w io.Writer, t *report.Table) error {
	_, err := fmt.Fprintln(w, strings.Join(t.Lines(reportWidth), "\n"))
	return err
}
