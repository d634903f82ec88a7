package configs_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:generate go test -run "^(TestEvidence|TestVisible)$" . -update

// sitePresets are the presets that repeat the rules of a site or a league, which are not read in a
// text of the project.
var sitePresets = []string{"tenhou", "mahjong_soul", "mleague", "tenhou_sanma", "mahjong_soul_sanma", "botzone"}

// evidenceFile is docs/rules/evidence.toml.
type evidenceFile struct {
	Sources map[string]string
	Row     []evidenceRow
}

// evidenceRow is what some knobs of some presets rest on. Like, instead of Knobs, means those of
// another preset that no other row has.
type evidenceRow struct {
	Presets, Knobs                []string
	Like, Kind, Evidence, Settles string
	Doubt                         bool
}

// TestEvidence checks that each knob of each preset of a site has one row, that a row names nothing
// unknown, and that a quotation is one; and it writes the page.
func TestEvidence(t *testing.T) {
	text, err := os.ReadFile("../docs/rules/evidence.toml")
	if err != nil {
		t.Fatal(err)
	}
	var file evidenceFile
	if err := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields().Decode(&file); err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString(evidenceHeading)
	for _, tag := range slices.Sorted(maps.Keys(file.Sources)) {
		fmt.Fprintf(&page, "| %s | %s |\n", tag, file.Sources[tag])
	}
	used := map[string]bool{}
	for _, preset := range sitePresets {
		r, err := configs.Open(preset)
		if err != nil {
			t.Fatal(err)
		}
		left := map[string]string{} // the values of knobs without a row
		for _, k := range r.Knobs() {
			left[k.Key] = k.Text()
		}
		fmt.Fprintf(&page, "\n## %s\n\n| knobs | kind | evidence | settled by |\n| --- | --- | --- | --- |\n", preset)
		for i := range file.Row {
			row := &file.Row[i]
			if !slices.Contains(row.Presets, preset) {
				continue
			}
			row.check(t, file.Sources, used)
			keys := row.Knobs
			if row.Like != "" {
				base, err := configs.Open(row.Like)
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range base.Knobs() {
					if _, ok := left[k.Key]; ok {
						keys = append(keys, k.Key)
					}
				}
			}
			var values []string
			for _, key := range keys {
				value, ok := left[key]
				if !ok {
					t.Errorf("%s: a row has %s, which is no knob of it or has a row already", preset, key)
				}
				delete(left, key)
				values = append(values, fmt.Sprintf("`%s = %s`", key, value))
			}
			kind := row.Kind
			if row.Doubt {
				kind += ", doubted"
			}
			fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", strings.Join(values, "<br>"), kind, row.Evidence, row.Settles)
		}
		for key := range left {
			t.Errorf("%s: %s has no row in docs/rules/evidence.toml", preset, key)
		}
	}
	for _, row := range file.Row {
		for _, preset := range row.Presets {
			if !slices.Contains(sitePresets, preset) {
				t.Errorf("a row is for %s, which is no preset of a site", preset)
			}
		}
	}
	for tag := range file.Sources {
		if !used[tag] && !strings.Contains(evidenceHeading, tag+" ") {
			t.Errorf("no row has the source %s", tag)
		}
	}
	golden.Hold(t, "../docs/rules/evidence.md", page.String())
}

// check checks the words of a row, and notes the sources that it names.
func (r *evidenceRow) check(t *testing.T, sources map[string]string, used map[string]bool) {
	t.Helper()
	for _, word := range strings.FieldsFunc(r.Evidence, func(c rune) bool { return !('A' <= c && c <= 'Z' || '0' <= c && c <= '9') }) {
		if _, ok := sources[word]; ok {
			used[word] = true
		}
	}
	quoted := strings.Contains(r.Evidence, "“")
	switch {
	case !slices.Contains([]string{"text", "replay", "program", "inference"}, r.Kind):
		t.Errorf("%q is no kind of evidence", r.Kind)
	case r.Evidence == "" || r.Settles == "":
		t.Errorf("a row for %v has no evidence, or no event that settles it", r.Knobs)
	case quoted != (r.Kind == "text"):
		t.Errorf("%q: evidence of kind text, and no other, is quoted", r.Evidence)
	case r.Doubt && r.Settles == "decided":
		t.Errorf("%q is doubted and decided", r.Evidence)
	case (len(r.Knobs) > 0) == (r.Like != ""):
		t.Errorf("%q: a row has knobs or is like another preset", r.Evidence)
	}
}

// TestVisible writes the page on what is public.
func TestVisible(t *testing.T) {
	var b strings.Builder
	writeVisible(&b)
	golden.Hold(t, "../docs/rules/public.md", b.String())
}

// writeVisible writes a table of what the players of each preset see of each other.
func writeVisible(b *strings.Builder) {
	b.WriteString(`# What is public

Under every ruleset all see the discards, who made them and who claimed them, melds, flowers and Norths set aside, dora indicators, ready declarations, the tiles left, points, debts, sticks and the counter. Concealed tiles, the wall, and wins and calls that were passed are hidden. A winner shows the hand. The rest is below; the pages of the families name the clauses; this page is made from the presets.

| preset | kind of a closed kan | drawn or hand discard | ready hands after an exhausted wall |
| --- | --- | --- | --- |
`)
	shown := map[bool]string{true: "public", false: "hidden until the hand ends"}
	for _, name := range configs.Names() {
		r, err := configs.Open(name)
		if err != nil {
			panic(err) // presets are tested
		}
		flow, hands := r.Config.Common(), "not shown"
		switch flow.TenpaiDeclaration {
		case ruleset.TenpaiAutomatic:
			hands = "shown"
		case ruleset.TenpaiOptional:
			hands = "shown by those who declare tenpai"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, shown[flow.ClosedKanVisible],
			map[bool]string{false: "public", true: "the discarder's secret"}[flow.OriginHidden], hands)
	}
	b.WriteString("\nNo other rule text speaks of drawn and hand discards, which are public there as on the tables of the sites. That of `hk_old_style` says nothing of closed kans either.\n")
}

const evidenceHeading = `# Evidence for the presets of sites

No full text of the rules of these sites and leagues was read. This page has for each knob what its value rests on, and the event that would settle it. It is made from ` + "`docs/rules/evidence.toml`" + `.

| kind | meaning |
| --- | --- |
| text | a public statement, quoted |
| replay | public records that do not replay, or have other results, under another value |
| program | other programs do the same; two that descend from one reading prove little |
| inference | by the form of the game, or from a relative |

Doubted values are those that a source contradicts, or that rest on nothing but custom.

## Two doubted values

**What waits on a robbed second kan.** A player whose open or added kan has an indicator still to turn adds another tile to a pon, and it is won on. Here the indicator stays down, since it is turned before a replacement or with a discard, and neither comes. MJ says that Tenhou does so too. RiichiEnv turns it; its replays of Mahjong Soul prove the order for Norths set aside alone. A record of either site with such a win would settle it.

**Which tile of a dealt hand wins.** Everywhere here, in play, in ` + "`score`" + ` and in ` + "`import`" + `, the last tile dealt to the dealer is the winning tile. It counts only where yakuman are doubled, so under Mahjong Soul. IJ reports that the site doubles a dealt kokushi, suuankou and chuuren whatever tile came last, and RiichiEnv does so for kokushi. A record of such a hand would settle it; until then the value is doubted.

## Sources

| tag | source |
| --- | --- |
`
