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

// commonChanges are the knobs in which riichi records differ from a preset most often: the
// length of the match, older rules, those of other places and engines.
var commonChanges = []map[string]any{
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
	{"kan_dora_timing_open": "before_rinshan"},
	{"live_wait": "concealed"},
	{"live_wait": "concealed_and_melds"},
}

// explainer searches for other rules under which a record has no differences. A search takes
// dozens of replays, so the explanations of earlier records are tried first, and after maxFailed
// failed searches nothing else.
type explainer struct {
	successes []explanation
	failed    int // searches
	// rules are the rules tried so far, nil if no match can have them.
	rules map[string]*ruleset.Rules
}

// maxFailed is the number of failed searches after which only known explanations are tried.
const maxFailed = 8

// explanation is other rules: a preset, or changed knobs of the ruleset at hand.
type explanation struct {
	preset string
	knobs  map[string]any
}

// explain returns the rules under which a record would not differ, as advice for the user:
// one of the common changes or another preset of the family. It returns "" if it finds
// none.
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
		return record.Agrees(d) || im.Partial && record.AgreesInPart(d)
	}
	for i := range x.successes {
		if agrees(&x.successes[i]) {
			return x.successes[i].advice(v.ruleset.Name)
		}
	}
	if x.failed == maxFailed {
		return ""
	}
	var list []explanation
	for _, knobs := range commonChanges {
		list = append(list, explanation{knobs: knobs})
	}
	for _, preset := range append([]string{im.Format.Ruleset}, configs.Names()...) {
		if preset != v.ruleset.Name {
			list = append(list, explanation{preset: preset})
		}
	}
	for _, e := range list {
		if agrees(&e) {
			x.successes = append(x.successes, e)
			return e.advice(v.ruleset.Name)
		}
	}
	x.failed++
	return ""
}

// change returns the rules of a preset with changed knobs, nil if they are not of the family
// or no match can have them.
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

// advice returns how the user imports the record under these rules.
func (e *explanation) advice(base string) string {
	if e.preset != "" {
		return fmt.Sprintf("nothing would differ with --ruleset %s", e.preset)
	}
	return fmt.Sprintf("nothing would differ with %s: name a ruleset file that says base = %q and this with --ruleset", knobsText(e.knobs), base)
}

// knobsText returns knobs in the form of a ruleset file.
func knobsText(knobs map[string]any) string {
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
