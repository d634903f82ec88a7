package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/away"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func newBotPlayCommand() *cobra.Command {
	var rules, protocol, connect, tokenFile string
	var seed uint64
	var player int
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "play AGENT",
		Short: "Play as an external agent in another program",
		Long: `Play lets an agent play in another program. That program starts this command
and speaks to its standard input, or it has an address: ws://HOST/PATH or
wss://HOST/PATH for one match by RiichiLab, mjsonp://HOST:PORT/ROOM for mjai
lines until it ends. Play follows the matches by its own rules,
so that the agent sees what it sees at a table of sparrowhall and plays the
same. What it could not follow, or where the rules differ, is a line of
standard error with the number of the event. The exit status is 1 if a hand
could not be followed, or no match began among lines that could not be read.`,
		Example: `  sparrowhall bot play expert:level=3 --connect mjsonp://localhost:11600/default
  sparrowhall bot play expert --connect wss://HOST/ws/ranked --token-file token
  sparrowhall bot check "mjai:sparrowhall bot play value"
  sparrowhall bot check "botzone:sparrowhall bot play --protocol botzone value"`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			newAgent, err := agents.New(args[0])
			switch {
			case err != nil:
				return usagef("AGENT: %w", err)
			case isProgram(args[0]):
				return usagef("AGENT: %q is a program itself; name a built-in agent, a network or grpc:ADDRESS", args[0])
			case player < 0 || player >= sim.NumPlayers:
				return usagef("--player: %d; allowed: 0 to %d", player, sim.NumPlayers-1)
			case limit < 0:
				return usagef("--time: %v; allowed: 0 or more", limit)
			}
			play, known := away.Protocols[protocol]
			switch {
			case !known:
				return usagef("--protocol: %q; allowed: %s", protocol, away.ProtocolNames())
			case connect != "" && cmd.Flags().Changed("protocol"):
				return usagef("--protocol: an address names it; leave one of them out")
			case connect != "" && !slices.ContainsFunc([]string{"ws://", "wss://", "mjsonp://"}, func(s string) bool { return strings.HasPrefix(connect, s) }):
				return usagef("--connect: %q; want ws://HOST/PATH, wss://HOST/PATH or mjsonp://HOST:PORT/ROOM", connect)
			}
			token := ""
			if connect != "" {
				if token, err = readToken(cmd.Context(), tokenFile); err != nil {
					return err
				}
			}
			if rules != "" {
				if _, err := configs.Load(rules); err != nil {
					return usagef("--ruleset: %w", err)
				}
			}
			seat := away.NewSeat(away.Options{
				Rules: func(preset string, knobs map[string]any) (*ruleset.Rules, error) {
					if rules != "" {
						preset, knobs = rules, nil
					}
					return configs.LoadWith(preset, knobs)
				},
				NewAgent: newAgent, Seed: seed, Player: sim.Player(player), Limit: limit,
				Log: func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), sanitize.Line(line)) },
			})
			if connect != "" {
				err = away.Dial(cmd.Context(), seat, connect, token)
			} else {
				err = play(seat, cmd.InOrStdin(), cmd.OutOrStdout())
			}
			return errors.Join(err, seat.Close())
		},
	}
	f := cmd.Flags()
	f.StringVar(&rules, "ruleset", "", "rules of the matches: a preset or a file; by default those that the other program shows, tenhou or tenhou_sanma")
	f.Uint64Var(&seed, "seed", 1, "seed of random numbers, as of play")
	f.IntVar(&player, "player", 0, "player where the other program does not say")
	f.DurationVar(&limit, "time", 5*time.Second, "time for an answer, 0 for any; then it is the default action")
	f.StringVar(&protocol, "protocol", "mjai", "what the other program speaks: "+away.ProtocolNames())
	f.StringVar(&connect, "connect", "", "address of the other program, instead of standard input")
	f.StringVar(&tokenFile, "token-file", "", "file with the token that the address requires; default: the variable "+tokenVariable)
	return cmd
}
