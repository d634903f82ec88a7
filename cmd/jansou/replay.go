package main

import (
	"github.com/spf13/cobra"

	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/record"
)

func newReplayCommand() *cobra.Command {
	var match uint64
	var hand, player int
	cmd := &cobra.Command{
		Use:   "replay DIR",
		Short: "Print a match of a dataset as text",
		Long: `Replay plays a match of a dataset again from its seed and its actions and prints
it, one line for a turn, as docs/transcript.md describes. Matches and their hands
are counted from 0.`,
		Example: `  jansou replay runs/first --match 12
  jansou replay runs/first --match 12 --hand 3 --player 0`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			oneHand, oneView := cmd.Flags().Changed("hand"), cmd.Flags().Changed("player")
			switch {
			case !cmd.Flags().Changed("match"):
				return usagef("--match is missing: which match of %s?", args[0])
			case oneView && (player < 0 || player >= sim.NumPlayers):
				return usagef("--player: %d; allowed: 0 to %d", player, sim.NumPlayers-1)
			}
			script, err := transcript(args[0], match)
			if err != nil {
				return err
			}
			if oneView {
				script = script.For(sim.Player(player))
			}
			if oneHand {
				return script.WriteHand(cmd.OutOrStdout(), hand)
			}
			return script.Write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().Uint64Var(&match, "match", 0, "number of the match, from 0")
	cmd.Flags().IntVar(&hand, "hand", 0, "print one hand only, by its number from 0")
	cmd.Flags().IntVar(&player, "player", 0, "print only what this player saw, 0 to 3")
	return cmd
}

// transcript returns the transcript of a match of the dataset in a folder.
func transcript(dir string, index uint64) (script record.Transcript, err error) {
	d, err := export.Open(dir)
	if err != nil {
		return script, err
	}
	m, err := d.Match(index)
	if err != nil {
		return script, err
	}
	var names [sim.NumPlayers]string
	for p, a := range m.Agents {
		names[p] = d.Run.Agents[a]
	}
	return record.NewTranscript(d.Rules(), m, names), nil
}
