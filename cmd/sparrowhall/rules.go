package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

func newRulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rules",
		Short:   "Show, check and compare rulesets",
		Example: "  sparrowhall rules show ema_2016",
	}
	group(cmd,
		newRulesListCommand(),
		newRulesShowCommand(),
		newRulesCheckCommand(),
		newRulesDiffCommand(),
		newRulesKnobsCommand(),
		newRulesPatternsCommand(),
	)
	return cmd
}

func newRulesListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the presets",
		Example: "  sparrowhall rules list",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := []rulesetJSON{}
			for _, name := range configs.Names() {
				r, err := configs.Open(name)
				if err != nil {
					return err
				}
				list = append(list, describe(r))
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), list)
			}
			rows := [][]string{{"preset", "family", "base", "description"}}
			for _, r := range list {
				rows = append(rows, []string{r.Name, r.Family, r.Base, r.Description})
			}
			return writeTable(cmd.OutOrStdout(), rows)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func newRulesShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RULESET",
		Short: "Print a ruleset with all knobs, as a file that can be used again",
		Example: `  sparrowhall rules show ema_2016
  sparrowhall rules show tenhou > house.toml`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := configs.Open(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				full := describe(r)
				full.Knobs = map[string]any{}
				for _, k := range r.Knobs() {
					full.Knobs[k.Key] = k.Value()
				}
				return writeJSON(cmd.OutOrStdout(), full)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "# Ruleset %s, hash %x\n%s", plain.Line(r.Name), r.Hash(), r.TOML())
			return err
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func newRulesCheckCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "check FILE",
		Short:   "Check a ruleset file and name all that is wrong with it",
		Example: "  sparrowhall rules check house.toml",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := configs.Open(args[0])
			if asJSON {
				answer := struct {
					OK     bool           `json:"ok"`
					Errors configs.Errors `json:"errors"`
				}{err == nil, configs.Errors{}}
				if errs, ok := errors.AsType[configs.Errors](err); ok {
					answer.Errors = errs
				} else if err != nil {
					answer.Errors = configs.Errors{{File: args[0], Message: err.Error()}}
				}
				if err := writeJSON(cmd.OutOrStdout(), answer); err != nil {
					return err
				}
			}
			if err != nil || asJSON {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: a complete ruleset of family %s, hash %x\n", plain.Line(args[0]), r.Family.Name, r.Hash())
			return err
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func newRulesDiffCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "diff A B",
		Short:   "Print the knobs in which two rulesets differ",
		Example: "  sparrowhall rules diff tenhou mahjong_soul",
		Args:    arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := configs.Open(args[0])
			if err != nil {
				return err
			}
			b, err := configs.Open(args[1])
			if err != nil {
				return err
			}
			differences := diff(a, b)
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), differences)
			}
			if len(differences) == 0 {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "no difference")
				return err
			}
			rows := [][]string{{"knob", a.Name, b.Name}}
			for _, d := range differences {
				rows = append(rows, []string{d.Knob, d.textA, d.textB})
			}
			return writeTable(cmd.OutOrStdout(), rows)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// rulesetJSON is a ruleset as machines read it.
type rulesetJSON struct {
	Name        string         `json:"name"`
	Family      string         `json:"family"`
	Base        string         `json:"base,omitempty"`
	Description string         `json:"description,omitempty"`
	Hash        string         `json:"hash"`
	Knobs       map[string]any `json:"knobs,omitempty"`
}

func describe(r *configs.Ruleset) rulesetJSON {
	hash := r.Hash()
	return rulesetJSON{
		Name:        r.Name,
		Family:      r.Family.Name,
		Base:        r.Base,
		Description: r.Description,
		Hash:        hex.EncodeToString(hash[:]),
	}
}

// difference is a knob with two values; one is nil where the family of the
// ruleset has no such knob.
type difference struct {
	Knob         string `json:"knob"`
	A            any    `json:"a"`
	B            any    `json:"b"`
	textA, textB string
}

// diff returns the knobs in which a and b differ, the prices of patterns each on
// its own, in the order of a's knobs and then b's.
func diff(a, b *configs.Ruleset) []difference {
	find := func(knobs []ruleset.Knob, key string) (any, string) {
		k, ok := ruleset.FindKnob(knobs, key)
		if !ok {
			return nil, "-"
		}
		return k.Value(), k.Text()
	}
	each := func(r *configs.Ruleset) (list []ruleset.Knob) {
		for _, k := range r.Knobs() {
			if prices := k.Prices(); prices != nil && a.Family == b.Family {
				list = append(list, prices...)
			} else {
				list = append(list, k)
			}
		}
		return list
	}
	knobsA, knobsB := each(a), each(b)
	seen := map[string]bool{}
	differences := []difference{}
	for _, k := range slices.Concat(knobsA, knobsB) {
		if seen[k.Key] {
			continue
		}
		seen[k.Key] = true
		d := difference{Knob: k.Key}
		d.A, d.textA = find(knobsA, k.Key)
		d.B, d.textB = find(knobsB, k.Key)
		if d.textA != d.textB {
			differences = append(differences, d)
		}
	}
	return differences
}

func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeTable writes rows in aligned columns.
func writeTable(w io.Writer, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(plain.Lines(row), "\t"))
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}
