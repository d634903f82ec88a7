package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/importing"
	"github.com/sparrowhall/sparrowhall/internal/nearest"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// importOptions are the flags of import.
type importOptions struct {
	datasetFlags
	importing importing.Options
	ruleset   string
}

func newImportCommand() *cobra.Command {
	var o importOptions
	var names []string
	for _, f := range importing.Formats {
		names = append(names, f.Name)
	}
	cmd := &cobra.Command{
		Use:   "import FORMAT FILE|DIR...",
		Short: "Replay records of matches played elsewhere, and write them as a dataset",
		Long: `Import reads records of matches, plays them at a table as they were played, and
says where the table and the record are not of one mind: an illegal action,
another wall, other patterns, points or payments. Of a folder it takes all files
whose names end as the format's do. Formats: ` + strings.Join(names, ", ") + `; docs/formats.md describes them.

With --out the matches in which nothing differs are written to a folder, as play
does, with the legal actions and the choice of every decision; verify and replay
work on it. Records that cannot be read and matches that differ are named and left
out, and the exit status is then 1. With --partial the whole hands of records that
break off, or begin in the midst of a match, are taken too.

Without --ruleset the rules are the format's preset with what each record itself
says about red fives, open tanyao and the length of the match. If the records are
of several rulesets, each is written to a folder of its own below --out.`,
		Example: `  sparrowhall import tenhou records/2023 --out runs/tenhou
  sparrowhall import mjai game.mjson.gz --ruleset mleague`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("a format and at least one file or folder must be named; usage: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.Index(names, args[0])
			if i < 0 {
				return usagef("unknown format %q; allowed: %s, nearest %s", args[0], strings.Join(names, ", "), nearest.To(args[0], names, 1)[0])
			}
			o.importing.Format = importing.Formats[i]
			return o.run(cmd, args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "", "preset or file the records must be played by")
	f.BoolVar(&o.importing.Partial, "partial", false, "take the whole hands of records of a part of a match")
	o.add(cmd, export.Decisions, "records replayed at a time")
	return cmd
}

func (o *importOptions) run(cmd *cobra.Command, paths []string) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	im := &o.importing
	im.Out, im.FileMatches, im.Force, im.Workers = o.out, uint64(o.fileMatches), o.force, o.number()
	var err error
	if im.Table, err = o.table(); err != nil {
		return err
	}
	files, err := importing.Find(im.Format, paths)
	if err != nil {
		return err
	}
	if o.ruleset != "" {
		if im.Ruleset, err = configs.Open(o.ruleset); err != nil {
			return err
		}
	}
	sign, err := o.signer()
	if err != nil {
		return err
	}
	p := newProgress(nil, "", 0, time.Now)
	im.Begin = func(what string, total uint64) func(int) {
		p.end()
		p = o.progress(cmd, what, total)
		return p.add
	}
	r, err := importing.Import(cmd.Context(), files, im)
	p.end()
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; the same command goes on")
	case errors.Is(err, export.ErrOccupied) && !o.force:
		return fmt.Errorf("%w; --force starts over there", err)
	case err != nil:
		return err
	}
	for i := range r.Rulesets {
		if dir := r.Rulesets[i].Folder; dir != "" {
			if err := sign(dir); err != nil {
				return err
			}
		}
	}
	if o.json {
		err = writeJSON(cmd.OutOrStdout(), r)
	} else {
		err = writeImportReport(cmd.OutOrStdout(), r)
	}
	if err != nil {
		return err
	}
	n := r.Differ.Records + r.Unusable.Records
	switch all := n + r.Imported.Records; {
	case n == 0:
		return nil
	case r.Differ.Partial > 0:
		return fmt.Errorf("%d of %d records were left out; --partial takes the whole hands of %d, which are parts of matches", n, all, r.Differ.Partial)
	default:
		return fmt.Errorf("%d of %d records were left out", n, all)
	}
}

// writeImportReport writes what is wrong with records, what there is to know of
// others, how many there are of
// each kind, and if several rulesets are imported where each is.
func writeImportReport(w io.Writer, r *importing.Report) error {
	for _, list := range [][]importing.Note{r.Differences, r.Notes} {
		for i := range list {
			if _, err := fmt.Fprintln(w, plain.Line(list[i].String())); err != nil {
				return err
			}
		}
		if len(list) > 0 {
			fmt.Fprintln(w)
		}
	}
	partial := r.Imported.Partial > 0
	row := func(name string, c *importing.Count, more ...string) []string {
		cells := []string{name, fmt.Sprint(c.Records), fmt.Sprint(c.Hands), fmt.Sprint(c.Decisions)}
		if partial {
			cells = append(cells, fmt.Sprint(c.Partial))
		}
		return append(cells, more...)
	}
	heading := []string{"", "records", "hands", "decisions"}
	if partial {
		heading = append(heading, "partial")
	}
	counts := [][]string{heading, row("imported", &r.Imported), row("differ", &r.Differ), row("unusable", &r.Unusable)}
	if r.Doubles.Records > 0 {
		counts = append(counts, row("doubles", &r.Doubles))
	}
	err := writeTable(w, counts)
	if err != nil || len(r.Rulesets) < 2 {
		return err
	}
	rows := [][]string{append(slices.Clone(heading), "folder")}
	for i := range r.Rulesets {
		s := &r.Rulesets[i]
		rows = append(rows, row(s.Name, &s.Count, s.Folder))
	}
	fmt.Fprintln(w)
	return writeTable(w, rows)
}
