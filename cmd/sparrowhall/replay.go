package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/pages/transcript"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func newReplayCommand() *cobra.Command {
	var match uint64
	var hand, player int
	var seal string
	var page pageFlags
	cmd := &cobra.Command{
		Use:   "replay DIR",
		Short: "Show a match as text or as a web page",
		Long: `Replay replays a match of a dataset from its seed and its actions and prints
it, one line per turn, as docs/transcript.md describes. Matches and their hands
are counted from 0.

With --html it writes a web page instead that shows the table step by step,
with the legal actions and the choice at every decision; see docs/review.md.
The page is one file and needs no network.`,
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
			case page.html != "" && (oneHand || oneView):
				return usagef("--hand and --player are for text; the page of --html shows all hands and views")
			}
			rules, m, names, err := openMatch(cmd.Context(), args[0], match, seal)
			if err != nil {
				return err
			}
			if oneView {
				if err := checkPlayer(player, rules.NumSeats()); err != nil {
					return err
				}
			}
			if page.html != "" {
				return page.write(func(w io.Writer) error { return viewer.Write(w, rules, m, names, quickAgents(names), nil) })
			}
			script := transcript.New(rules, m, names)
			if oneView {
				script = script.SeenBy(sim.Player(player))
			}
			if oneHand {
				return script.WriteHand(cmd.OutOrStdout(), hand)
			}
			return script.Write(cmd.OutOrStdout())
		},
	}
	page.addPage(cmd, "write a web page to this file instead of printing text")
	sealFileFlag(cmd, &seal, sealHelp)
	matchFlag(cmd, &match, "match")
	cmd.Flags().IntVar(&hand, "hand", 0, "print this hand only, by its number from 0")
	cmd.Flags().IntVar(&player, "player", 0, "print only what this player saw, from 0")
	return cmd
}

// checkPlayer returns what is wrong with a player of --player among so many.
func checkPlayer(player, seats int) error {
	if player < 0 || player >= seats {
		return usagef("--player: %d; allowed: 0 to %d", player, seats-1)
	}
	return nil
}

// quickAgents returns the agents of some names that answer at once, nil for the others.
func quickAgents(names [sim.NumPlayers]string) (players [sim.NumPlayers]sim.Agent) {
	for p, name := range names {
		players[p] = agents.Quick(name)
	}
	return players
}

// openMatch returns a match of the dataset in a folder, its rules and the names of its players.
// seal is the file of --seal-file or empty.
func openMatch(ctx context.Context, dir string, index uint64, seal string) (r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, err error) {
	d, err := openDataset(ctx, dir, seal)
	if err != nil {
		return nil, nil, names, err
	}
	return report.ReadMatch(d, index)
}
