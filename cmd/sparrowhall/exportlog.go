package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record/botzone"
	"github.com/sparrowhall/sparrowhall/sim/record/mjai"
	"github.com/sparrowhall/sparrowhall/sim/record/tenhou"
)

// logForm is a form in which matches are written for other programs.
type logForm struct {
	name, suffix string
	// views tells whether what one player saw can be written.
	views bool
	// check returns why matches under some rules cannot be written.
	check func(*ruleset.Rules) error
	// write returns a match as a log, or what player seen saw if it is one.
	write func(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, seen sim.Player) ([]byte, error)
}

// everything stands for a player who sees all.
const everything sim.Player = -1

// logForms lists the forms; a new one needs an element here and a page in
// docs/formats.md.
var logForms = []logForm{
	{
		name: "mjai", suffix: ".json", views: true,
		check: func(r *ruleset.Rules) error {
			_, err := mjai.NewWriter(r, [sim.NumPlayers]string{})
			return err
		},
		write: func(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, seen sim.Player) ([]byte, error) {
			w, err := mjai.NewWriter(r, names)
			if err != nil {
				return nil, err
			}
			if seen != everything {
				w.For(seen)
			}
			return w.Valued(m.Values).Append(nil, m.Events), nil
		},
	},
	{
		name: "tenhou6", suffix: ".json",
		check: tenhou.CheckRules,
		write: func(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, _ sim.Player) ([]byte, error) {
			return tenhou.WriteJSON(r, m, names)
		},
	},
	{
		name: "botzone", suffix: ".json",
		check: botzone.CheckRules,
		write: func(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, _ sim.Player) ([]byte, error) {
			return botzone.WriteLog(r, m, names)
		},
	},
	{
		name: "botzone-text", suffix: ".txt",
		check: botzone.CheckRules,
		write: func(r *ruleset.Rules, m *sim.Match, _ [sim.NumPlayers]string, _ sim.Player) ([]byte, error) {
			return botzone.WriteText(r, m)
		},
	},
}

// exportLogOptions are the flags of export-log.
type exportLogOptions struct {
	format string
	match  uint64
	player int
	out    string
	gzip   bool
	force  bool
	quietFlag
}

func newExportLogCommand() *cobra.Command {
	var o exportLogOptions
	cmd := &cobra.Command{
		Use:   "export-log DIR",
		Short: "Write matches of a dataset in the form of other programs",
		Long: `Export-log plays matches of a dataset again and writes them as logs that other
programs read: riichi matches as mjai JSON lines or as the JSON of tenhou.net/6, whose viewer
shows them, matches of ruleset botzone as match logs of Botzone or in the text form of its
competitions. docs/formats.md describes the forms.

With --match one match is printed, or written to the file --out names. Otherwise
all matches are written to the folder --out names, a file each: 000000.json and so
on.`,
		Example: `  sparrowhall export-log runs/first --format mjai --match 12
  sparrowhall export-log runs/first --format mjai --out logs --gzip
  sparrowhall export-log runs/first --format tenhou6 --out logs`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "mjai", "form of the logs: "+strings.Join(logFormNames(), ", "))
	f.Uint64Var(&o.match, "match", 0, "number of the only match to write, from 0")
	f.IntVar(&o.player, "player", 0, "write only what this player saw, 0 to 3")
	f.StringVar(&o.out, "out", "", "folder to write to, or with --match the file")
	f.BoolVar(&o.gzip, "gzip", false, "pack the logs")
	f.BoolVar(&o.force, "force", false, "replace files that are there")
	o.addQuiet(cmd)
	return cmd
}

// logFormNames returns the names of the forms.
func logFormNames() []string {
	var names []string
	for _, f := range logForms {
		names = append(names, f.name)
	}
	return names
}

func (o *exportLogOptions) run(cmd *cobra.Command, dir string) error {
	f := cmd.Flags()
	one := f.Changed("match")
	form := slices.IndexFunc(logForms, func(f logForm) bool { return f.name == o.format })
	switch {
	case form < 0:
		return usagef("--format: %q; allowed: %s", o.format, strings.Join(logFormNames(), ", "))
	case f.Changed("player") && !logForms[form].views:
		return usagef("--player: %s logs show everything; allowed with mjai", o.format)
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
	l := &logWriter{exportLogOptions: o, form: &logForms[form], dataset: d, seen: everything}
	if f.Changed("player") {
		l.seen = sim.Player(o.player)
	}
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
	form    *logForm
	dataset *export.Dataset
	seen    sim.Player
}

// log returns a match as a log.
func (l *logWriter) log(m *sim.Match, names [sim.NumPlayers]string) ([]byte, error) {
	return l.form.write(l.dataset.Rules(), m, names, l.seen)
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
	if err := l.form.check(l.dataset.Rules()); err != nil {
		return err
	}
	if err := os.MkdirAll(l.out, 0o777); err != nil {
		return err
	}
	suffix := l.form.suffix
	if l.gzip {
		suffix += ".gz"
	}
	n := l.dataset.Matches()
	p := l.progress(cmd, "matches", n)
	defer p.end()
	for m, err := range l.dataset.Replays(sim.KeepValues | sim.KeepChoices) {
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
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %d logs\n", plain.Line(l.out), n)
	return err
}
