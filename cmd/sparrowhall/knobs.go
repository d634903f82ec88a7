package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:generate go test -run ^TestKnobsPage$ . -update

func newRulesKnobsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "knobs",
		Short:   "List all knobs with their values and meaning, as Markdown",
		Example: "  sparrowhall rules knobs",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), knobsPage())
			return err
		},
	}
}

// knobsPage returns the schema of ruleset files as a page of documentation.
func knobsPage() string {
	var b strings.Builder
	fmt.Fprintln(&b, "# Knobs")
	fmt.Fprintln(&b)
	fmt.Fprintln(&b, "Every knob of a ruleset file: the name of the key, the values it takes and what it means. The middle column gives the name in the family's rule text where that differs.")
	section := func(title string, of func(ruleset.Knob) bool, knobs []ruleset.Knob) {
		fmt.Fprintf(&b, "\n## %s\n\n| knob | in the rule text | values | meaning |\n| --- | --- | --- | --- |\n", title)
		for _, k := range knobs {
			if of(k) {
				meaning := k.Doc
				for _, w := range k.Words() {
					meaning += fmt.Sprintf("<br>`%s`: %s", w.Text, w.Meaning)
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Key, strings.Join(k.Spec, ", "), k.Allowed, meaning)
			}
		}
	}
	for i, f := range configs.Families {
		knobs := f.Knobs(f.New())
		if i == 0 {
			section("All families", func(k ruleset.Knob) bool { return k.Family == "" }, knobs)
		}
		section("Family "+f.Name, func(k ruleset.Knob) bool { return k.Family == f.Name }, knobs)
		if len(f.Undefined) > 0 {
			fmt.Fprintf(&b, "\nSwitches of its rule text that rulesets do not have:\n\n")
			for _, key := range slices.Sorted(maps.Keys(f.Undefined)) {
				fmt.Fprintf(&b, "- `%s`: %s\n", key, f.Undefined[key])
			}
		}
	}
	return b.String()
}
