package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:generate go test -run ^TestPatternsPage$ . -update

func newRulesPatternsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "patterns",
		Short:   "List all patterns with their prices, as Markdown",
		Example: "  sparrowhall rules patterns",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), patternsPage())
			return err
		},
	}
}

// patternsPage returns the patterns of all families as a page of documentation.
func patternsPage() string {
	var b strings.Builder
	b.WriteString(`# Patterns

Every pattern that gives a hand value, by the id that scoring, datasets and ruleset files use. The table ` + "`[patterns]`" + ` of a ruleset file changes what they are worth:

` + "```toml" + `
base = "ema_2016"

[patterns]
pinfu = 2              # closed and open, as far as it has both
honitsu = [3, 1]       # closed, open
kokushi_musou = 2      # a yakuman by its multiple
chiitoitsu = "off"     # does not exist
tanyao = "listed"      # as in the list below, whatever the base says
` + "```" + `

Patterns that the table does not name are as in the file's base. On the command line ` + "`--knob patterns.pinfu=2`" + ` says the same, in a scoring case ` + "`\"config\":{\"patterns.pinfu\":2}`" + `. The pages of the families ([riichi](rules/riichi.md), [MCR](rules/mcr.md), [Zung Jung](rules/zungjung.md), [Hong Kong-style Taiwanese](rules/hktw.md)) tell what follows from a pattern that is switched off.

"Listed" is what the rule text gives, of two values first that of a closed hand (in hktw: of concealed sets). "By a knob" stands where knobs such as ` + "`renhou`, `flower_points` or `base_fan`" + ` give it; a price stands in place of theirs.
`)
	for _, f := range configs.Families {
		cfg := f.New()
		for _, k := range f.Knobs(cfg) {
			prices := k.Prices()
			if prices == nil {
				continue
			}
			fmt.Fprintf(&b, "\n## Family %s\n\n| pattern | name | native | listed | prices | source |\n| --- | --- | --- | --- | --- | --- |\n", f.Name)
			patterns := cfg.Compile().Patterns()
			for i, l := range k.Listings() {
				p := &patterns[i]
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", p.ID, p.Name, p.Native, listed(l), prices[i].Allowed, p.Source)
			}
		}
	}
	return b.String()
}

func listed(l ruleset.Listing) string {
	switch p := l.Listed; {
	case p.Closed == 0:
		return "by a knob"
	case p.Open == 0:
		return fmt.Sprintf("%d, closed hands only", p.Closed)
	case p.Open != p.Closed:
		return fmt.Sprintf("%d, %d", p.Closed, p.Open)
	default:
		return fmt.Sprint(p.Closed)
	}
}
