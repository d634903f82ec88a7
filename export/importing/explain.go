package importing

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// usual are the rules in which riichi records differ from a preset most often:
// other lengths, older rules, those of another place.
var usual = []map[string]any{
	{"rounds": int64(1)},
	{"rounds": int64(2)},
	{"tenpai_yame": "none"},
	{"agari_yame": "none", "tenpai_yame": "none"},
	{"agari_yame": "auto", "tenpai_yame": "none"},
	{"extension": "none"},
	{"tobi": "none"},
	{"multi_win": "all"},
	{"multi_win": "nearest"},
	{"kuitan": false},
	{"aka_dora": []any{int64(0), int64(0), int64(0)}},
	{"aka_dora": []any{int64(1), int64(1), int64(1)}},
	{"double_yakuman": []any{"daisuushii", "suuankou_tanki", "junsei_chuuren_poutou", "kokushi_musou_13"}},
	{"kiriage_mangan": true},
	{"nagashi_mangan": "none"},
}

// explainer looks for the rules by which records would agree that differ. Looking
// takes dozens of replays, so it gives up after some records in vain, and tries on
// others first what has explained one before.
type explainer struct {
	known []explanation
	vain  int
	// rules are what has been tried, by what was changed, nil if no match can have it.
	rules map[string]*ruleset.Rules
}

// vainSearches is how many records are looked at in vain.
const vainSearches = 8

// explanation is other rules: a preset, or a change of the ruleset at hand.
type explanation struct {
	preset string
	knobs  map[string]any
}

// explain returns what rules would make a record agree that differs, empty if it
// finds none: another preset of the family, or one of the usual changes.
func (im *importer) explain(g *record.Game, v *variant) string {
	x := &im.explainer
	agrees := func(e *explanation) bool {
		base, knobs := e.preset, map[string]any{}
		if base == "" {
			base = v.ruleset.Name
			if im.Ruleset == nil {
				maps.Copy(knobs, g.Knobs)
			}
			maps.Copy(knobs, e.knobs)
		}
		r := x.change(base, withOka(base, knobs), v.ruleset.Family.Name)
		if r == nil || r.Hash == v.rules.Hash {
			return false
		}
		d := record.Replay(r, g, &sim.Match{})
		return record.Whole(d) || im.Partial && record.Partial(d)
	}
	for i := range x.known {
		if agrees(&x.known[i]) {
			return x.known[i].say(v.ruleset.Name)
		}
	}
	if x.vain == vainSearches {
		return ""
	}
	for _, e := range im.explanations(v) {
		if agrees(&e) {
			x.known = append(x.known, e)
			return e.say(v.ruleset.Name)
		}
	}
	x.vain++
	return ""
}

// explanations lists what can be tried on records of some rules.
func (im *importer) explanations(v *variant) []explanation {
	var list []explanation
	for _, knobs := range usual {
		list = append(list, explanation{knobs: knobs})
	}
	for _, preset := range append([]string{im.Format.Ruleset}, configs.Names()...) {
		if preset != v.ruleset.Name {
			list = append(list, explanation{preset: preset})
		}
	}
	return list
}

// change returns changed rules, nil if they are not of the family or no match can
// have them.
func (x *explainer) change(base string, knobs map[string]any, family string) *ruleset.Rules {
	key := fmt.Sprint(base, knobs) // in the order of the keys
	rules, tried := x.rules[key]
	if !tried {
		if r, err := configs.Change(base, knobs); err == nil && r.Family.Name == family {
			rules = r.Rules()
		}
		if x.rules == nil {
			x.rules = map[string]*ruleset.Rules{}
		}
		x.rules[key] = rules
	}
	return rules
}

// say tells what to do so that a record is played by these rules.
func (e *explanation) say(base string) string {
	if e.preset != "" {
		return fmt.Sprintf("nothing would differ with --ruleset %s", e.preset)
	}
	return fmt.Sprintf("nothing would differ with %s: name a ruleset file that says base = %q and this with --ruleset", written(e.knobs), base)
}

// written returns knobs as a ruleset file has them.
func written(knobs map[string]any) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(knobs)) {
		switch v := knobs[key].(type) {
		case string:
			list = append(list, fmt.Sprintf("%s = %q", key, v))
		case []any:
			list = append(list, fmt.Sprintf("%s = %s", key, strings.ReplaceAll(fmt.Sprint(v), " ", ", ")))
		default:
			list = append(list, fmt.Sprintf("%s = %v", key, v))
		}
	}
	return strings.Join(list, " and ")
}
