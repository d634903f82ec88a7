package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/progress"
	"github.com/sparrowhall/sparrowhall/internal/record/importing"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

// importOptions are the flags of import.
type importOptions struct {
	datasetFlags
	importing importing.Options
	ruleset   string
}

// importMemory is the number of bytes of memory at which import collects garbage more often.
const importMemory = 256 << 20

func newImportCommand() *cobra.Command {
	var o importOptions
	var names []string
	for _, f := range importing.Formats {
		names = append(names, f.Name)
	}
	cmd := &cobra.Command{
		Use:   "import FORMAT FILE|DIR...",
		Short: "Read records of other programs as a dataset",
		Long: `Import reads records of matches, replays them, and reports where the replay
differs from the record: an illegal action, another wall, other patterns,
points or payments. Of a folder it reads all files with the suffix of the
format. docs/formats.md describes the formats:
` + strings.Join(names, ", ") + `.

With --out the matches without a difference are written to a folder, as play
does, with the legal actions and the choice of every decision; verify and
replay read it. Unreadable records and matches with a difference are listed and
left out, and the exit status is then 1. With --partial the whole hands of
records that break off, or that begin in the middle of a match, are taken too.

Without --ruleset the rules are the preset of the format, with the red fives,
the open tanyao and the length of match that each record states. If the records
are of several rulesets, each has a folder of its own below --out. Records of
three players are those of Tenhou and mjai; they need rules for three.`,
		Example: `  sparrowhall import tenhou records/2023 --out runs/tenhou
  sparrowhall import mjai game.mjson.gz --ruleset mleague`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("name a format and at least one file or folder; usage: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.Index(names, args[0])
			if i < 0 {
				return usagef("unknown format %q; did you mean %s? Allowed: %s", args[0], suggest.Nearest(args[0], names, 1)[0], strings.Join(names, ", "))
			}
			o.importing.Format = importing.Formats[i]
			return o.run(cmd, args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "", "preset or ruleset file of the records")
	f.BoolVar(&o.importing.Partial, "partial", false, "take the whole hands of incomplete records")
	o.add(cmd, schema.Decisions, "records replayed")
	return cmd
}

func (o *importOptions) run(cmd *cobra.Command, paths []string) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	// Garbage of large records is collected before it takes as much again as they do.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), importMemory)))
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
		if im.Ruleset, err = openRuleset(cmd.Context(), o.ruleset); err != nil {
			return err
		}
	}
	if err := o.sign.read(cmd.Context()); err != nil {
		return err
	}
	p := progress.New(nil, "", 0)
	im.Begin = func(what string, total uint64) func(int) {
		p.End()
		p = o.progress(cmd, what, total)
		return p.Add
	}
	r, err := importing.Import(cmd.Context(), files, im)
	p.End()
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w; the same command continues", o.explain(err, nil))
	case err != nil:
		return explainOccupied(err)
	}
	for i := range r.Rulesets {
		if dir := r.Rulesets[i].Folder; dir != "" {
			if err := o.sign.apply(dir); err != nil {
				return err
			}
		}
	}
	if err := printResult(cmd, o.json, r, func(p *printer) { p.imported(r) }); err != nil {
		return err
	}
	n := r.Differ.Records + r.Unusable.Records
	switch all := n + r.Imported.Records; {
	case n == 0:
		return nil
	case r.Differ.Partial > 0:
		return fmt.Errorf("%d of %d records were left out; the same command with --partial imports the whole hands of %d of them, parts of matches", n, all, r.Differ.Partial)
	default:
		return fmt.Errorf("%d of %d records were left out; correct each at the place above or as it is advised, or get it again", n, all)
	}
}

// imported prints the differences and notes of an import, the number of records of each kind,
// and the folder of each ruleset if there are several.
func (p *printer) imported(r *importing.Report) {
	for _, list := range [][]importing.Note{r.Differences, r.Notes} {
		for i := range list {
			p.printf("%s\n", sanitize.Line(list[i].String()))
		}
		if len(list) > 0 {
			p.printf("\n")
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
	p.aligned(counts)
	if len(r.Rulesets) < 2 {
		return
	}
	rows := [][]string{append(slices.Clone(heading), "folder")}
	for i := range r.Rulesets {
		s := &r.Rulesets[i]
		rows = append(rows, row(s.Name, &s.Count, s.Folder))
	}
	p.printf("\n")
	p.aligned(rows)
}
