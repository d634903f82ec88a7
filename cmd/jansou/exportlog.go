package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/internal/plain"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/record/mjai"
)

// exportLogOptions are the flags of export-log.
type exportLogOptions struct {
	format string
	match  uint64
	player int
	out    string
	gzip   bool
	force  bool
	quiet  bool
}

func newExportLogCommand() *cobra.Command {
	var o exportLogOptions
	cmd := &cobra.Command{
		Use:   "export-log DIR",
		Short: "Write matches of a dataset in the form of other programs",
		Long: `Export-log plays matches of a dataset again and writes them as logs that other
programs read: mjai JSON lines, for riichi matches. docs/formats.md lists the lines
and their order.

With --match one match is printed, or written to the file --out names. Otherwise
all matches are written to the folder --out names, a file each: 000000.mjson and so
on.`,
		Example: `  jansou export-log runs/first --format mjai --match 12
  jansou export-log runs/first --format mjai --out logs --gzip`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "mjai", "form of the logs: mjai")
	f.Uint64Var(&o.match, "match", 0, "number of the only match to write, from 0")
	f.IntVar(&o.player, "player", 0, "write only what this player saw, 0 to 3")
	f.StringVar(&o.out, "out", "", "folder to write to, or with --match the file")
	f.BoolVar(&o.gzip, "gzip", false, "pack the logs")
	f.BoolVar(&o.force, "force", false, "replace files that are there")
	f.BoolVar(&o.quiet, "quiet", false, "show no progress")
	return cmd
}

func (o *exportLogOptions) run(cmd *cobra.Command, dir string) error {
	f := cmd.Flags()
	one := f.Changed("match")
	switch {
	case o.format != "mjai":
		return usagef("--format: %q; allowed: mjai", o.format)
	case f.Changed("player") && (o.player < 0 || o.player >= sim.NumPlayers):
		return usagef("--player: %d; allowed: 0 to %d", o.player, sim.NumPlayers-1)
	case f.Changed("out") && o.out == "":
		return usagef("--out: nothing is named")
	case !one && o.out == "":
		return usagef("name the folder to write to with --out, or one match with --match")
	case o.force && o.out == "":
		return usagef("--force replaces what --out names, which is not given")
	}
	d, err := export.Open(dir)
	if err != nil {
		return err
	}
	l := &logWriter{exportLogOptions: o, dataset: d, limited: f.Changed("player")}
	if !one {
		return l.all(cmd)
	}
	m, err := d.Match(o.match)
	if err != nil {
		return err
	}
	names, err := d.Names(m)
	if err != nil {
		return err
	}
	text, err := l.log(m, names)
	if err != nil {
		return err
	}
	if o.out == "" {
		out := cmd.OutOrStdout()
		if p, ok := out.(*plain.Writer); ok && l.gzip {
			out = p.W
		}
		return l.pack(out, text)
	}
	return writeFile(o.out, o.force, func(w io.Writer) error { return l.pack(w, text) })
}

// logWriter writes the matches of a dataset.
type logWriter struct {
	*exportLogOptions
	dataset *export.Dataset
	limited bool
}

// log returns a match as lines.
func (l *logWriter) log(m *sim.Match, names [sim.NumPlayers]string) ([]byte, error) {
	e, err := mjai.NewWriter(l.dataset.Rules(), names)
	if err != nil {
		return nil, err
	}
	if l.limited {
		e.For(sim.Player(l.player))
	}
	return e.Append(nil, m.Events), nil
}

// pack writes a log, packed if that is asked for.
func (l *logWriter) pack(w io.Writer, text []byte) error {
	if !l.gzip {
		_, err := w.Write(text)
		return err
	}
	z := gzip.NewWriter(w)
	_, err := z.Write(text)
	return errors.Join(err, z.Close())
}

// all writes every match to a file of its own.
func (l *logWriter) all(cmd *cobra.Command) error {
	if _, err := mjai.NewWriter(l.dataset.Rules(), [sim.NumPlayers]string{}); err != nil {
		return err
	}
	if err := os.MkdirAll(l.out, 0o777); err != nil {
		return err
	}
	suffix := ".mjson"
	if l.gzip {
		suffix += ".gz"
	}
	var progressTo io.Writer
	if !l.quiet {
		progressTo = cmd.ErrOrStderr()
	}
	n := l.dataset.Matches()
	p := newProgress(progressTo, "matches", n, time.Now)
	defer p.end()
	for m, err := range l.dataset.Replays(0) {
		if err == nil && cmd.Context().Err() != nil {
			err = fmt.Errorf("interrupted; %d of %d logs are written", p.done, n)
		}
		if err != nil {
			return err
		}
		text, err := l.log(m.Match, m.Names)
		if err != nil {
			return err
		}
		path := filepath.Join(l.out, fmt.Sprintf("%06d%s", m.Index, suffix))
		if err := writeFile(path, l.force, func(w io.Writer) error { return l.pack(w, text) }); err != nil {
			return err
		}
		p.add(1)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %d logs\n", l.out, n)
	return err
}
