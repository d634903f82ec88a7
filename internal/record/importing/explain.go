package importing

import (
	"fmt"
	"maps"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
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
	{"extension_renchan_priority": false},
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
	rules map[string]*configs.Ruleset
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
	agrees := func(e *explanation) (advice string) {
		base, knobs := e.preset, map[string]any{}
		if base == "" {
			base = v.ruleset.Name
			if im.options.Ruleset == nil {
				maps.Copy(knobs, g.Knobs)
			}
			maps.Copy(knobs, e.knobs)
		}
		changed := x.change(base, withOka(base, knobs), v.ruleset.Family.Name)
		if changed == nil || changed.Rules().Hash == v.rules.Hash {
			return ""
		}
		d := record.Replay(changed.Rules(), g, &sim.Match{})
		if !record.Agrees(d) && !(im.options.Partial && record.AgreesInPart(d)) {
			return ""
		}
		return adviceFor(base, changed)
	}
	for i := range x.successes {
		if advice := agrees(&x.successes[i]); advice != "" {
			return advice
		}
	}
	if x.failed == maxFailed {
		return ""
	}
	var list []explanation
	for _, knobs := range commonChanges {
		list = append(list, explanation{knobs: knobs})
	}
	for _, preset := range append([]string{im.options.Format.Ruleset}, configs.Names()...) {
		if preset != v.ruleset.Name {
			list = append(list, explanation{preset: preset})
		}
	}
	for _, e := range list {
		if advice := agrees(&e); advice != "" {
			x.successes = append(x.successes, e)
			return advice
		}
	}
	x.failed++
	return ""
}

// change returns a preset with changed knobs, nil if it is not of the family or no match can have
// such rules.
func (x *explainer) change(base string, knobs map[string]any, family string) *configs.Ruleset {
	key := fmt.Sprint(base, knobs) // in the order of the keys
	changed, tried := x.rules[key]
	if !tried {
		if r, err := configs.Change(base, knobs); err == nil && r.Family.Name == family {
			changed = r
		}
		if x.rules == nil {
			x.rules = map[string]*configs.Ruleset{}
		}
		x.rules[key] = changed
	}
	return changed
}

// adviceFor returns how the user imports a record under a changed preset. The file that it
// describes has every knob that differs, those that the record itself states included: with
// --ruleset they do not count.
func adviceFor(base string, changed *configs.Ruleset) string {
	preset, err := configs.Open(base)
	if err != nil {
		return ""
	}
	var list []string
	for _, d := range configs.Diff(preset, changed) {
		list = append(list, d.Knob+" = "+d.TextB)
	}
	if len(list) == 0 {
		return fmt.Sprintf("nothing would differ with --ruleset %s", base)
	}
	return fmt.Sprintf("nothing would differ with %s: name a ruleset file that says base = %q and this with --ruleset", strings.Join(list, " and "), base)
}
