package stats

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
)

// Conditions name knobs and values that exist, and patterns and figures that exist.
func TestExclusionsExist(t *testing.T) {
	rules, err := configs.Load(threePlayers)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]string{}
	figures := map[[2]string]bool{}
	for _, f := range configs.Families {
		values["family"] = append(values["family"], f.Name)
		cfg := f.NewThree()
		if f.SetSeats(cfg, 3) != nil {
			cfg = f.New()
		}
		for _, k := range f.Knobs(cfg) {
			for _, v := range k.Choices() {
				values[k.Key] = append(values[k.Key], strings.Trim(fmt.Sprint(v), `"`))
			}
			if len(k.Choices()) == 0 {
				values[k.Key] = nil
			}
		}
		for _, p := range cfg.Compile().Patterns() {
			figures[[2]string{SectionPattern, p.ID}] = true
		}
	}
	for _, d := range newTally(rules, nil, true, false).defs {
		figures[[2]string{d.Section, d.Name}] = true
	}
	for of, list := range exclusions {
		if !figures[of] {
			t.Errorf("%v is no figure", of)
		}
		for _, c := range list {
			for key, list := range c.terms() {
				words, ok := values[key]
				if !ok {
					t.Errorf("%v: no knob %s", of, key)
				}
				for _, v := range list {
					if words != nil && !slices.Contains(words, v) {
						t.Errorf("%v: %s has no value %s among %s", of, key, v, words)
					}
				}
			}
		}
	}
}

// threePlayers is a ruleset of three players, in which Norths are won on.
const threePlayers = "mahjong_soul_sanma"

// replaced are patterns in whose place another counts under some values of knobs, unless that
// other one is off.
var replaced = map[string]string{"no_honors": "no_honors_no_flowers", "ready": "concealed_ready"}

// What the rules exclude never occurs, and an event that a knob makes impossible in play is
// among the exclusions.
func TestExclusionsInPlay(t *testing.T) {
	// Each change of a knob is tried, or one of so many.
	matches, least, every := uint64(6), 25.0, 6
	if long {
		matches, every = 400, 1
	}
	for preset, more := range map[string]map[string]any{
		"ema_2016":  {"aka_dora": []any{int64(1), int64(1), int64(1)}, "kyuushu_kyuuhai": true, "renhou": "mangan_cumulative"},
		"mcr_2006":  {"multi_win": "all"},
		"hkma_hktw": nil,
		"taiwanese": nil,
		"universal": {"multi_win": "all"},
		// From no points tobi would end every match after its first hand.
		"hk_old_style": {"multi_win": "all", "starting_points": int64(500)},
		threePlayers:   nil,
	} {
		t.Run(filepath.Base(preset), func(t *testing.T) {
			t.Parallel()
			agents := []string{"value", "greedy", "random", "random"}
			if preset == threePlayers {
				agents = agents[:3]
			}
			first, err := configs.Open(preset)
			if err != nil {
				t.Fatal(err)
			}
			base := populate(t, preset, more, matches, agents...)
			if first, err = first.Changed(more); err != nil {
				t.Fatal(err)
			}
			tried := 0
			for _, k := range first.Knobs() {
				values := k.Choices()
				if len(values) == 0 {
					values = []any{int64(0)}
				}
				for _, v := range values {
					if tried++; tried%every != 0 {
						continue
					}
					r, err := first.Changed(map[string]any{k.Key: v})
					if err != nil || reflect.DeepEqual(k.Value(), v) {
						continue // a contradiction, or nothing new
					}
					knobs := map[string]any{}
					maps.Copy(knobs, more)
					knobs[k.Key] = v
					p := populate(t, preset, knobs, matches, agents...)
					for i, d := range base.defs {
						at := slices.IndexFunc(p.defs, func(q definition) bool { return q.Key == d.Key })
						if at < 0 || d.Unit != Share || d.Name == "value_share" || d.Section == SectionAgent || d.Section == SectionSeat {
							continue
						}
						before, after := base.sum(i), p.sum(at)
						switch out := excluded(d.Key, r); {
						case out && after > 0:
							t.Errorf("%s = %v excludes %s, which occurs %v times", k.Key, v, d.Key, after)
						case !out && replaced[d.Of] == "" && before >= least && after == 0:
							t.Errorf("%s = %v excludes %s, which occurs %v times without", k.Key, v, d.Key, before)
						}
					}
				}
			}
		})
	}
}

func (p *population) sum(figure int) (sum float64) {
	for _, y := range p.y {
		sum += y[figure]
	}
	return sum
}
