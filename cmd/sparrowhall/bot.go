package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

func newBotCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bot",
		Short:   "Check external agents, and play as one",
		Long:    "Bot checks external agents, and lets agents play in other programs.",
		Example: `  sparrowhall bot check "mjai:python3 python/examples/mjai_bot.py"`,
	}
	addVerbs(cmd, newBotCheckCommand(), newBotPlayCommand())
	return cmd
}

func newBotCheckCommand() *cobra.Command {
	var asJSON bool
	var seats int
	var wrapper botWrapper
	cmd := &cobra.Command{
		Use:   "check AGENT",
		Short: "Play crafted hands with a program and list its faults",
		Long: `Check plays crafted hands with a program, mjai:COMMAND or botzone:COMMAND as
docs/bots.md describes them. Together they contain every kind of
decision: each claim and kan, riichi, wins by self-draw, on discards and by
robbing a kan, alone and with others; then a slow machine and a whole match.
With --seats 3 they are of three-player riichi. Check prints the faults of the
program and the lines of each, also deviations from the protocol that
sparrowhall tolerates and other servers may reject. The exit status is 1 if
there is any fault.

Options stand before the command, as in "mjai:timeout=2s COMMAND":

` + outside.OptionsHelp("mjai", "botzone"),
		Example: `  sparrowhall bot check "mjai:python3 python/examples/mjai_bot.py"
  sparrowhall bot check --seats 3 "mjai:python3 python/examples/mjai_bot.py"
  sparrowhall bot check --json "botzone:./a.out"`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isProgram(args[0]) {
				return usagef("%q is no program; allowed: mjai:COMMAND, botzone:COMMAND", args[0])
			}
			count := ruleset.FourSeats
			switch {
			case seats == ruleset.ThreeSeats.Count() && !strings.HasPrefix(args[0], "mjai:"):
				return usagef("--seats %d: only mjai:COMMAND plays with three", seats)
			case seats == ruleset.ThreeSeats.Count():
				count = ruleset.ThreeSeats
			case seats != ruleset.FourSeats.Count():
				return usagef("--seats: %d; allowed: 3, 4", seats)
			}
			out := cmd.OutOrStdout()
			all := []outside.CheckResult{}
			wrong, left := 0, 0
			rules := func(preset string, knobs map[string]any) (*ruleset.Rules, error) {
				return configs.LoadWith(preset, knobs)
			}
			form, err := outside.Check(cmd.Context(), wrapper.around(args[0]), count, rules, func(c outside.CheckResult) {
				all = append(all, c)
				if len(c.Wrong) > 0 {
					wrong++
				}
				if c.LeftOut != "" {
					left++
				}
				if !asJSON {
					printChecked(cmd, c)
				}
			})
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(out, struct {
					Program    string                `json:"program"`
					Form       string                `json:"form"`
					Situations []outside.CheckResult `json:"situations"`
				}{args[0], form, all})
			} else {
				_, err = fmt.Fprintf(out, "\n%s, %s: %d situations, %d without a fault, %d wrong, %d left out\n", sanitize.Line(args[0]), form, len(all), len(all)-wrong-left, wrong, left)
			}
			if err == nil && wrong > 0 {
				err = fmt.Errorf("%s has faults in %d of %d situations", args[0], wrong, len(all))
			}
			return err
		},
	}
	cmd.Flags().IntVar(&seats, "seats", ruleset.FourSeats.Count(), "number of players, 3 or 4")
	wrapper.add(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

func printChecked(cmd *cobra.Command, c outside.CheckResult) {
	result := "ok   "
	switch {
	case len(c.Wrong) > 0:
		result = "wrong"
	case c.LeftOut != "":
		result = "-    "
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s  %s (%d decisions, slowest answer %d ms)\n", result, c.Situation, c.Asked, c.Slowest)
	if c.LeftOut != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "       left out: %s\n", sanitize.Line(c.LeftOut))
	}
	for _, w := range c.Wrong {
		for _, line := range []struct{ mark, text string }{{">", w.Asked}, {"<", w.Answer}, {"!", w.Why}} {
			if line.text != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "       %s %s\n", line.mark, sanitize.Line(line.text))
			}
		}
	}
}
