package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents/outside"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

func newBotCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bot",
		Short:   "Check programs that play",
		Example: `  sparrowhall bot check "mjai:python3 python/examples/mjai_bot.py"`,
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return usagef("name a verb: check") },
	}
	cmd.AddCommand(newBotCheckCommand())
	return cmd
}

func newBotCheckCommand() *cobra.Command {
	var asJSON bool
	var wrapper botWrapper
	cmd := &cobra.Command{
		Use:   "check AGENT",
		Short: "Play crafted situations against a program and tell what it does wrong",
		Long: `Check lets a program, mjai:COMMAND or botzone:COMMAND as docs/outside-players.md
describes them, play hands that are laid out so that it is asked everything it can
be asked: each claim and kan, riichi, wins by self-draw, on discards and by robbing
a kan, alone and with others, then on a slow machine and through a whole match. It
prints what the program did wrong and on which lines, also what is tolerated here
but not as the protocol has it. The exit status is 1 if anything is wrong.`,
		Example: `  sparrowhall bot check "mjai:python3 python/examples/mjai_bot.py"
  sparrowhall bot check --json "botzone:./a.out"`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isProgram(args[0]) {
				return usagef("%q is no program; allowed: mjai:COMMAND, botzone:COMMAND", args[0])
			}
			out := cmd.OutOrStdout()
			all := []outside.Checked{}
			wrong, left := 0, 0
			rules := func(preset string, knobs map[string]any) (*ruleset.Rules, error) { return configs.With(preset, knobs) }
			form, err := outside.Check(wrapper.around(args[0]), rules, func(c outside.Checked) {
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
				err = writeJSON(out, struct {
					Program    string            `json:"program"`
					Form       string            `json:"form"`
					Situations []outside.Checked `json:"situations"`
				}{args[0], form, all})
			} else {
				_, err = fmt.Fprintf(out, "\n%s, %s: %d situations, %d without a fault, %d wrong, %d left out\n", plain.Line(args[0]), form, len(all), len(all)-wrong-left, wrong, left)
			}
			if err == nil && wrong > 0 {
				err = fmt.Errorf("%s does something wrong in %d of %d situations", args[0], wrong, len(all))
			}
			return err
		},
	}
	wrapper.add(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printChecked prints what a program did in a situation.
func printChecked(cmd *cobra.Command, c outside.Checked) {
	result := "ok   "
	switch {
	case len(c.Wrong) > 0:
		result = "wrong"
	case c.LeftOut != "":
		result = "-    "
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s  %s (%d decisions, slowest answer %d ms)\n", result, c.Situation, c.Asked, c.Slowest)
	if c.LeftOut != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "       left out: %s\n", plain.Line(c.LeftOut))
	}
	for _, w := range c.Wrong {
		for _, line := range []struct{ mark, text string }{{">", w.Asked}, {"<", w.Answer}, {"!", w.Why}} {
			if line.text != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "       %s %s\n", line.mark, plain.Line(line.text))
			}
		}
	}
}
