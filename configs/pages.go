package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// KnobsPage returns the knobs of all families with their values and meaning, as Markdown.
func KnobsPage() string {
	var b strings.Builder
	fmt.Fprintln(&b, "# Knobs")
	fmt.Fprintln(&b)
	fmt.Fprintln(&b, "Every knob of a ruleset file: the name of the key, the values it takes and what it means. The middle column gives the name in the family's rule text where that differs. [What is public](rules/public.md) shows what players see of each other.")
	section := func(title string, include func(ruleset.Knob) bool, knobs []ruleset.Knob) {
		fmt.Fprintf(&b, "\n## %s\n\n| knob | in the rule text | values | meaning |\n| --- | --- | --- | --- |\n", title)
		for _, k := range knobs {
			if include(k) {
				meaning := k.Doc
				for _, w := range k.Words {
					meaning += fmt.Sprintf("<br>`%s`: %s", w.Text, w.Meaning)
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Key, strings.Join(k.Spec, ", "), k.Allowed, meaning)
			}
		}
	}
	for i, f := range Families {
		knobs := f.Knobs(f.New())
		if i == 0 {
			section("All families", func(k ruleset.Knob) bool { return k.Family == "" }, knobs)
		}
		section("Family "+f.Name, func(k ruleset.Knob) bool { return k.Family == f.Name }, f.Knobs(f.NewThree()))
		if len(f.Undefined) > 0 {
			fmt.Fprintf(&b, "\nSwitches of its rule text that rulesets do not have:\n\n")
			for _, key := range slices.Sorted(maps.Keys(f.Undefined)) {
				fmt.Fprintf(&b, "- `%s`: %s\n", key, f.Undefined[key])
			}
		}
	}
	return b.String()
}

// PatternsPage returns the patterns of all families with their prices, as Markdown.
func PatternsPage() string {
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

Patterns that the table does not name are as in the file's base. On the command line ` + "`--knob patterns.pinfu=2`" + ` says the same, in a scoring case ` + "`\"config\":{\"patterns.pinfu\":2}`" + `. The pages of the families (` + strings.Join(rulePages(), ", ") + `) show what follows from a pattern that is switched off.

"Listed" is what the rule text gives, of two values first that of a closed hand (in hktw: of concealed sets). "By a knob" stands where knobs such as ` + "`renhou`, `flower_points` or `base_fan`" + ` give it; a price stands in place of theirs.
`)
	for _, f := range Families {
		cfg := f.NewThree()
		for _, k := range f.Knobs(cfg) {
			prices := k.Prices()
			if prices == nil {
				continue
			}
			fmt.Fprintf(&b, "\n## Family %s\n\n| pattern | name | native | listed | prices | source |\n| --- | --- | --- | --- | --- | --- |\n", f.Name)
			patterns := cfg.Compile().Patterns()
			for i, l := range k.Listings() {
				p := &patterns[i]
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", p.ID, p.Name, p.Native, formatListed(l), prices[i].Allowed, p.Source)
			}
		}
	}
	return b.String()
}

// rulePages returns links to the pages of the families' rules.
func rulePages() []string {
	links := make([]string, len(Families))
	for i, f := range Families {
		links[i] = fmt.Sprintf("[%s](rules/%s.md)", f.Title, f.Name)
	}
	return links
}

// formatListed returns the price of a pattern in its family's rule text.
func formatListed(l ruleset.Listing) string {
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
