package whatif_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/whatif"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
)

func played(t *testing.T, preset string, knobs map[string]any, matches uint64, names ...string) *dataset.Dataset {
	t.Helper()
	r, err := configs.Change(preset, knobs)
	if err != nil {
		t.Fatal(err)
	}
	return exporttest.Open(t, &dataset.Run{Ruleset: r, Seed: 5, Matches: matches, FileMatches: 64, Agents: names, Record: schema.Hands})
}

// whatIf re-scores a dataset with some knobs changed.
func whatIf(t *testing.T, d *dataset.Dataset, knobs map[string]any, judge string) (*whatif.Result, error) {
	t.Helper()
	from, err := d.Manifest.ReadRuleset()
	if err != nil {
		t.Fatal(err)
	}
	other, err := from.Changed(knobs)
	if err != nil {
		t.Fatal(err)
	}
	o := &whatif.Options{Other: other.Rules(), Workers: 2}
	for key := range knobs {
		o.Keys = append(o.Keys, key)
	}
	if judge != "" {
		if o.NewJudge, err = agents.New(judge); err != nil {
			t.Fatal(err)
		}
	}
	return whatif.Run(t.Context(), d, o)
}

func find(t *testing.T, r *whatif.Result, name string) *whatif.Figure {
	t.Helper()
	i := slices.IndexFunc(r.Figures, func(f whatif.Figure) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no figure %s", name)
	}
	return &r.Figures[i]
}

// TestScoring re-scores matches of every family under a rule of values or payments: all hands
// are re-scored, and amounts change as the rule says.
func TestScoring(t *testing.T) {
	four := []string{"value", "greedy", "value", "greedy"}
	for _, c := range []struct {
		preset, figure string
		knobs          map[string]any
		factor         float64 // of the figure, 0 for any change
	}{
		{"ema_2016", "draw_payment", map[string]any{"noten_total": int64(1200)}, 0.4},
		{"ema_2016", "win_value", map[string]any{"patterns": map[string]any{"riichi": int64(2)}}, 0},
		{"mcr_2006", "moved", map[string]any{"dealer_factor": int64(2)}, 0},
		{"universal", "moved", map[string]any{"dealer_factor": int64(2)}, 0},
		{"hkma_hktw", "win_value", map[string]any{"base_fan": int64(20)}, 0},
		{"hk_old_style", "moved", map[string]any{"discarder_share": int64(6)}, 0},
		{"taiwanese", "moved", map[string]any{"tai_points": int64(20)}, 0},
		{"tenhou_sanma", "moved", map[string]any{"honba_value": int64(3000)}, 0},
	} {
		t.Run(c.preset+" "+c.figure, func(t *testing.T) {
			t.Parallel()
			names := four
			if c.preset == "tenhou_sanma" {
				names = four[:3]
			}
			d := played(t, c.preset, map[string]any{"max_hands": int64(4)}, 30, names...)
			r, err := whatIf(t, d, c.knobs, "")
			if err != nil {
				t.Fatal(err)
			}
			if r.Matches != 30 || r.Apart.Hands != 0 || r.Hands < 100 || r.ChangedHands.Sum == 0 {
				t.Fatalf("%+v", r)
			}
			f := find(t, r, c.figure)
			if f.Difference.Value == 0 || c.factor != 0 && math.Abs(f.After.Value-c.factor*f.Before.Value) > 1e-9 {
				t.Errorf("%+v", f)
			}
			if text, _ := json.Marshal(r); !strings.Contains(string(text), `"whole_matches":`) {
				t.Error(string(text))
			}
		})
	}
}

// TestPlaces re-scores whole matches with other places: the amounts of hands stay, and the
// figures of places are those of the knob.
func TestPlaces(t *testing.T) {
	d := played(t, "ema_2016", nil, 20, "value", "value", "value", "value")
	r, err := whatIf(t, d, map[string]any{"placement": []any{int64(90), int64(10), int64(-10), int64(-90)}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if r.WholeMatches != 20 || r.OtherCourse+r.Incomplete+r.OtherPoints != 0 || r.ChangedHands.Sum != 0 || r.OtherPlaces.Sum != 0 {
		t.Fatalf("%+v", r)
	}
	// Equal points share places, so that the mean is of the knob but for ties.
	if f := find(t, r, "placement_first"); math.Abs(f.Difference.Value-75) > 5 {
		t.Errorf("%+v", f)
	}
}

// TestApart changes rules on which choices depend: hands are set apart for the right cause, the
// rest is re-scored, and what most hands depend on is refused by name.
func TestApart(t *testing.T) {
	four := []string{"value", "value", "value", "value"}
	d := played(t, "ema_2016", map[string]any{"max_hands": int64(4)}, 30, four...)
	r, err := whatIf(t, d, map[string]any{"kuitan": false}, "value")
	if err != nil && !errors.Is(err, whatif.ErrDepends) {
		t.Fatal(err)
	}
	if r.Apart.Hands == 0 || r.Apart.Causes[0].Cause != "a win would have been possible under one of the rules only" || r.WholeMatches == 30 {
		t.Errorf("%+v", r)
	}
	if x := r.Response; x == nil || x.Decisions == 0 || x.Changed == 0 || x.Matches != 30 {
		t.Errorf("value does not respond to closed tanyao: %+v", x)
	}
	for _, c := range []struct {
		knobs map[string]any
		want  string
	}{
		{map[string]any{"aka_dora": []any{int64(1), int64(1), int64(1)}}, "aka_dora: the recorded decisions depend on it: in"},
		{map[string]any{"swap_ban": "none", "river_lock": "off", "pass_lock": "off", "ready": "none"}, "depend on it: in"},
	} {
		if _, err := whatIf(t, d, c.knobs, ""); !errors.Is(err, whatif.ErrDepends) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.knobs, err)
		}
	}
	_, err = whatIf(t, d, map[string]any{"river_lock": "off", "pass_lock": "off"}, "value")
	if !errors.Is(err, whatif.ErrDepends) || !strings.Contains(err.Error(), "the judge answers") {
		t.Errorf("without furiten: %v", err)
	}
	d = played(t, "ema_2016", nil, 2, "greedy", "greedy", "greedy", "greedy")
	const want = "rounds: the recorded decisions depend on it: no payment of a hand changes, and all 2 matches would have taken another course"
	if _, err := whatIf(t, d, map[string]any{"rounds": int64(1)}, ""); err == nil || err.Error() != want {
		t.Errorf("one round: %v", err)
	}
}

// TestSame holds that the same rules by another name change nothing: every hand and match is
// re-scored to what it was.
func TestSame(t *testing.T) {
	for _, preset := range []string{"tenhou", "hkma_hktw", "mcr_2006"} {
		d := played(t, preset, nil, 3, "greedy", "greedy", "greedy", "greedy")
		r, err := whatIf(t, d, nil, "greedy")
		if err != nil {
			t.Fatal(err)
		}
		if r.WholeMatches != 3 || r.Apart.Hands != 0 || r.ChangedHands.Sum != 0 || r.Response.Changed != 0 || r.Response.Decisions == 0 {
			t.Errorf("%s: %+v", preset, r)
		}
		for _, f := range r.Figures {
			if f.Difference.Value != 0 {
				t.Errorf("%s: %+v", preset, f)
			}
		}
	}
}
