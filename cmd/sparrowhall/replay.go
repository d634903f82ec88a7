package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record/page"
	"github.com/sparrowhall/sparrowhall/sim/record/transcript"
)

func newReplayCommand() *cobra.Command {
	var match uint64
	var hand, player int
	var html, seal string
	var force bool
	cmd := &cobra.Command{
		Use:   "replay DIR",
		Short: "Show a match of a dataset as text or as a web page",
		Long: `Replay plays a match of a dataset again from its seed and its actions and prints
it, one line for a turn, as docs/transcript.md describes. Matches and their hands
are counted from 0.

With --html it writes a web page instead that shows the table step by step, with
the legal actions and the choice at every decision; see docs/viewer.md. The page is
one file and needs no network.`,
		Example: `  sparrowhall replay runs/first --match 12
  sparrowhall replay runs/first --match 12 --hand 3 --player 0
  sparrowhall replay runs/first --match 12 --html match12.html`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			changed := cmd.Flags().Changed
			oneHand, oneView := changed("hand"), changed("player")
			switch {
			case !changed("match"):
				return usagef("--match is missing: which match of %s?", args[0])
			case oneView && (player < 0 || player >= sim.NumPlayers):
				return usagef("--player: %d; allowed: 0 to %d", player, sim.NumPlayers-1)
			case changed("html") && html == "":
				return usagef("--html: no file is named")
			case html != "" && (oneHand || oneView):
				return usagef("--hand and --player are for text; the page of --html shows all hands and views")
			case force && html == "":
				return usagef("--force replaces the file of --html, which is not given")
			}
			rules, m, names, err := recorded(args[0], match, seal)
			if err != nil {
				return err
			}
			if html != "" {
				return writeFile(html, force, func(w io.Writer) error { return page.Write(w, rules, m, names, quick(names)) })
			}
			script := transcript.New(rules, m, names)
			if oneView {
				script = script.For(sim.Player(player))
			}
			if oneHand {
				return script.WriteHand(cmd.OutOrStdout(), hand)
			}
			return script.Write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&html, "html", "", "write a web page to this file instead of printing text")
	cmd.Flags().BoolVar(&force, "force", false, "replace the file of --html if it is there")
	sealFileFlag(cmd, &seal, "file with the seed of a sealed run that is not complete")
	cmd.Flags().Uint64Var(&match, "match", 0, "number of the match, from 0")
	cmd.Flags().IntVar(&hand, "hand", 0, "print one hand only, by its number from 0")
	cmd.Flags().IntVar(&player, "player", 0, "print only what this player saw, 0 to 3")
	return cmd
}

// quick returns those of some names who can be asked what they would do.
func quick(names [sim.NumPlayers]string) (players [sim.NumPlayers]sim.Agent) {
	for p, name := range names {
		players[p] = agents.Quick(name)
	}
	return players
}

// recorded returns a match of the dataset in a folder, its rules and the names of
// those who played for players 0 to 3. A seal file may be named.
func recorded(dir string, index uint64, seal string) (r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, err error) {
	d, err := export.Open(dir)
	if err != nil {
		return nil, nil, names, err
	}
	if err := unseal(d, seal); err != nil {
		return nil, nil, names, err
	}
	m, err = d.Match(index)
	if err != nil {
		return nil, nil, names, err
	}
	names, err = d.Names(m)
	for p := range names {
		names[p] = plain.Line(names[p])
	}
	rules := *d.Rules()
	rules.Name = plain.Line(rules.Name)
	return &rules, m, names, err
}

// checkFile tells what stands in the way of a file that writeFile is to write, so
// that whoever works long for it is told before the work.
func checkFile(path string, force bool) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no folder %s; make it first", path, dir)
	} else if err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %s is no folder", path, dir)
	}
	switch info, err := os.Lstat(path); {
	case err != nil: // most often nothing is there
	case info.IsDir():
		return fmt.Errorf("%s: a folder is there; name a file", path)
	case info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0: // the new file would take its place
		return fmt.Errorf("%s: what is there is no file; name a file", path)
	case !force:
		return fmt.Errorf("%s: %w; --force replaces it", path, fs.ErrExist)
	}
	return nil
}

// writeFile lets write write a file that appears under its name only when it is
// complete. A file that is there already is replaced on request only.
func writeFile(path string, force bool, write func(io.Writer) error) error {
	if err := checkFile(path, force); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok { // not of the name it would have had meanwhile
			err = fmt.Errorf("%s: %w", path, e.Err)
		}
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// writeWhole writes a file as writeFile does, in the place of what is there.
func writeWhole(path string, data []byte) error {
	return writeFile(path, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
