package importing

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/record"
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
	{"kiriage_mangan": true},
	{"nagashi_mangan": "none"},
}

// explain returns what rules would make a record agree that differs, empty if it
// finds none: another preset of the family, or one or two of the usual changes.
func (im *importer) explain(g *record.Game, v *variant) string {
	agrees := func(base string, knobs map[string]any) bool {
		r, err := configs.Change(base, knobs)
		if err != nil || r.Family.Name != v.ruleset.Family.Name {
			return false
		}
		d := record.Replay(r.Rules(), g, &sim.Match{})
		return record.Whole(d) || im.Partial && record.Partial(d)
	}
	base, named := v.ruleset.Name, map[string]any{}
	if im.Ruleset == nil {
		maps.Copy(named, g.Knobs)
	}
	for _, knobs := range usual {
		all := maps.Clone(named)
		maps.Copy(all, knobs)
		if agrees(base, all) {
			return fmt.Sprintf("nothing would differ with %s: name a ruleset file that says base = %q and this with --ruleset", written(knobs), base)
		}
	}
	for _, preset := range append([]string{im.Format.Ruleset}, configs.Names()...) {
		if preset != base && agrees(preset, nil) {
			return fmt.Sprintf("nothing would differ with --ruleset %s", preset)
		}
	}
	return ""
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
