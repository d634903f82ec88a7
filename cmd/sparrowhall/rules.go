package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

//go:generate go test -run ^(TestKnobsPage|TestPatternsPage|TestPythonRulesets|TestServingLimits)$ . -update

func newRulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rules",
		Short:   "Show, check and compare rulesets; re-score records",
		Long:    "Rules lists the presets, shows, checks and compares rulesets, and re-scores\nrecorded matches under another rule.",
		Example: "  sparrowhall rules show ema_2016",
	}
	addVerbs(cmd, newRulesListCommand(), newRulesShowCommand(), newRulesCheckCommand(), newRulesDiffCommand(),
		newRulesWhatIfCommand(),
		newRulesPageCommand("knobs", "List all knobs with their values and meaning, as Markdown", configs.KnobsPage),
		newRulesPageCommand("patterns", "List all patterns with their prices, as Markdown", configs.PatternsPage),
	)
	return cmd
}

func newRulesListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the presets", Example: "  sparrowhall rules list", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := []rulesetJSON{}
			for _, name := range configs.Names() {
				r, err := configs.Open(name)
				if err != nil {
					return err
				}
				list = append(list, newRulesetJSON(r))
			}
			rows := [][]string{{"preset", "family", "base", "description"}}
			for _, r := range list {
				rows = append(rows, []string{r.Name, r.Family, r.Base, r.Description})
			}
			return printResult(cmd, asJSON, list, func(p *printer) { p.aligned(rows) })
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func newRulesShowCommand() *cobra.Command {
	var asJSON, words bool
	cmd := &cobra.Command{
		Use:   "show RULESET",
		Short: "Print a ruleset with all knobs, as a ruleset file",
		Example: `  sparrowhall rules show ema_2016
  sparrowhall rules show ema_2016 --words
  sparrowhall rules show tenhou > house.toml`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := openRuleset(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			switch {
			case words && asJSON:
				return usagef("--words is text; leave --json out")
			case words:
				_, err := io.WriteString(cmd.OutOrStdout(), rulesInWords(r))
				return err
			}
			full := newRulesetJSON(r)
			full.Knobs = map[string]any{}
			for _, k := range r.Knobs() {
				full.Knobs[k.Key] = k.Value()
			}
			return printResult(cmd, asJSON, full, func(p *printer) {
				p.printf("# Ruleset %s, hash %s\n", sanitize.Line(r.Name), full.Hash)
				if list := r.Inherited(); list != nil {
					p.printf("# Not set, and so kept from %s:\n#   %s\n", sanitize.Line(r.Base), strings.Join(list, "\n#   "))
				}
				p.printf("%s", r.TOML())
			})
		},
	}
	cmd.Flags().BoolVar(&words, "words", false, "print what each knob means and what patterns are worth")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// rulesInWords returns each knob of a ruleset with its value and what that means, then the
// patterns with their prices.
func rulesInWords(r *configs.Ruleset) string {
	var knobs, patterns strings.Builder
	for _, k := range r.Knobs() {
		if prices := k.Prices(); prices != nil {
			// The last prices may be those of patterns that only three players have.
			for i, p := range r.Config.Compile().Patterns() {
				fmt.Fprintf(&patterns, "- %s = %s: %s (%s)\n", p.ID, prices[i].Describe(), p.Name, p.Native)
			}
			continue
		}
		text := k.Text()
		fmt.Fprintf(&knobs, "- %s = %s: %s", k.Key, text, k.Doc)
		for _, w := range k.Words {
			if strings.Contains(text, strconv.Quote(w.Text)) {
				fmt.Fprintf(&knobs, "; here %s", w.Meaning)
			}
		}
		knobs.WriteByte('\n')
	}
	return fmt.Sprintf("%s, family %s: %s\n\n%s\nPatterns with their prices, \"listed\" as in the rule text or by a knob:\n\n%s",
		r.Name, r.Family.Name, r.Description, knobs.String(), patterns.String())
}

func newRulesCheckCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "check FILE", Short: "Check a ruleset file and print all its errors",
		Example: "  sparrowhall rules check house.toml", Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := configs.OpenContext(cmd.Context(), args[0])
			if _, ok := errors.AsType[configs.Errors](err); !ok && err != nil && cmd.Context().Err() == nil {
				err = wrongUsage{err} // there is no such file
			}
			if asJSON {
				answer := struct {
					OK        bool           `json:"ok"`
					Errors    configs.Errors `json:"errors"`
					Inherited []string       `json:"inherited,omitempty"`
				}{OK: err == nil, Errors: configs.Errors{}}
				if err == nil {
					answer.Inherited = r.Inherited()
				}
				if errs, ok := errors.AsType[configs.Errors](err); ok {
					answer.Errors = errs
				} else if err != nil {
					answer.Errors = configs.Errors{{File: args[0], Message: err.Error()}}
				}
				if err := printJSON(cmd.OutOrStdout(), answer); err != nil {
					return err
				}
			}
			if err != nil || asJSON {
				return err
			}
			p := newPrinter(cmd.OutOrStdout())
			p.printf("%s: a complete ruleset of family %s, hash %x\n", sanitize.Line(args[0]), r.Family.Name, r.Hash())
			if list := r.Inherited(); list != nil {
				p.printf("It does not set, and so keeps from %s:\n  %s\n", sanitize.Line(r.Base), strings.Join(list, "\n  "))
			}
			return p.Flush()
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func newRulesDiffCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Print the knobs in which two rulesets differ",
		Example: "  sparrowhall rules diff tenhou mahjong_soul", Args: arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := openRuleset(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			b, err := openRuleset(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			differences := configs.Diff(a, b)
			rows := [][]string{{"knob", a.Name, b.Name}}
			for _, d := range differences {
				rows = append(rows, []string{d.Knob, d.ShownA, d.ShownB})
			}
			return printResult(cmd, asJSON, differences, func(p *printer) {
				if len(differences) == 0 {
					p.printf("no difference\n")
					return
				}
				p.aligned(rows)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// newRulesPageCommand returns a verb that prints a page of the documentation.
func newRulesPageCommand(name, short string, page func() string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Example: "  sparrowhall rules " + name, Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), page())
			return err
		},
	}
}

// rulesetJSON is a ruleset in JSON.
type rulesetJSON struct {
	Name        string         `json:"name"`
	Family      string         `json:"family"`
	Base        string         `json:"base,omitempty"`
	Description string         `json:"description,omitempty"`
	Hash        string         `json:"hash"`
	Knobs       map[string]any `json:"knobs,omitempty"`
}

func newRulesetJSON(r *configs.Ruleset) rulesetJSON {
	hash := r.Hash()
	return rulesetJSON{
		Name: r.Name, Family: r.Family.Name, Base: r.Base, Description: r.Description,
		Hash: hex.EncodeToString(hash[:]),
	}
}
