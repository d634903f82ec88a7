package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/record/logs"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

// exportLogOptions are the flags of export-log.
type exportLogOptions struct {
	format string
	match  uint64
	player int
	out    string
	gzip   bool
	force  bool
	progressFlags
}

func newExportLogCommand() *cobra.Command {
	var o exportLogOptions
	cmd := &cobra.Command{
		Use:   "export-log DIR",
		Short: "Write matches in the formats of other programs",
		Long: `Export-log replays matches of a dataset and writes them as logs that other
programs read. Riichi matches become mjai JSON lines, or the JSON of
tenhou.net/6, whose viewer shows them. Programs of three players that come from
Mortal read mjai-nukidora, which is mjai with nukidora for kita. Matches of
ruleset botzone become match logs of Botzone, or the text format of its
competitions. docs/formats.md describes the formats.

With --match one match is printed, or written to the file of --out. Otherwise
all matches are written to the folder of --out, a file each: 000000.json and so
on.`,
		Example: `  sparrowhall export-log runs/first --format mjai --match 12
  sparrowhall export-log runs/first --format mjai --out logs --gzip
  sparrowhall export-log runs/first --format tenhou6 --out logs`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "mjai", "format of the logs: "+strings.Join(logs.Names(), ", "))
	matchFlag(cmd, &o.match, "only match to write")
	f.IntVar(&o.player, "player", 0, "write only what this player saw, from 0")
	f.StringVar(&o.out, "out", "", "folder to write to, or with --match the file")
	f.BoolVar(&o.gzip, "gzip", false, "compress the logs")
	f.BoolVar(&o.force, "force", false, "replace files that are there")
	o.addProgress(cmd)
	return cmd
}

func (o *exportLogOptions) run(cmd *cobra.Command, dir string) error {
	f := cmd.Flags()
	one := f.Changed("match")
	format, err := logs.Find(o.format)
	if err != nil {
		return usagef("--format: %w", err)
	}
	switch {
	case f.Changed("player") && !format.Views:
		return usagef("--player: %s logs show everything; allowed with mjai", o.format)
	case f.Changed("out") && o.out == "":
		return usagef("--out: name a folder, or with --match a file")
	case !one && o.out == "":
		return usagef("name the folder to write to with --out, or one match with --match")
	case o.force && o.out == "":
		return usagef("--force replaces files of --out, which is missing")
	}
	d, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	viewer := logs.All
	if f.Changed("player") {
		if last := d.Rules().NumSeats() - 1; o.player < 0 || o.player > last {
			return usagef("--player: %d; allowed: 0 to %d", o.player, last)
		}
		viewer = sim.Player(o.player)
	}
	log := func(m *sim.Match, names [sim.NumPlayers]string) ([]byte, error) {
		return format.Write(d.Rules(), m, names, viewer)
	}
	if !one {
		if err := format.Check(d.Rules()); err != nil {
			return err
		}
		return o.writeAll(cmd, d, format.Suffix, log)
	}
	m, err := d.Match(o.match)
	if err != nil {
		return err
	}
	names, err := d.Names(m)
	if err != nil {
		return err
	}
	text, err := log(m, names)
	switch {
	case err != nil:
		return err
	case o.out != "":
		return writeFile(o.out, o.force, func(w io.Writer) error { return o.pack(w, text) })
	case o.gzip:
		return o.pack(rawOutput(cmd), text)
	}
	return o.pack(cmd.OutOrStdout(), text)
}

// pack writes a log, compressed if --gzip is given.
func (o *exportLogOptions) pack(w io.Writer, text []byte) error {
	if !o.gzip {
		_, err := w.Write(text)
		return err
	}
	z := gzip.NewWriter(w)
	_, err := z.Write(text)
	return errors.Join(err, z.Close())
}

// writeAll writes every match to a file.
func (o *exportLogOptions) writeAll(cmd *cobra.Command, d *dataset.Dataset, suffix string, log func(*sim.Match, [sim.NumPlayers]string) ([]byte, error)) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	if o.gzip {
		suffix += ".gz"
	}
	n := d.Matches()
	p := o.progress(cmd, "matches", n)
	defer p.End()
	for m, err := range d.Replays(sim.KeepValues | sim.KeepChoices) {
		if err == nil && cmd.Context().Err() != nil {
			err = fmt.Errorf("interrupted; %d of %d logs are written", p.Done(), n)
		}
		if err != nil {
			return err
		}
		text, err := log(m.Match, m.Names)
		if err != nil {
			return err
		}
		path := filepath.Join(o.out, fmt.Sprintf("%06d%s", m.Match.Index, suffix))
		if err := writeFile(path, o.force, func(w io.Writer) error { return o.pack(w, text) }); err != nil {
			return err
		}
		p.Add(1)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %d logs\n", sanitize.Line(o.out), n)
	return err
}
