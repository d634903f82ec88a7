package tune_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/tune"
)

func parse(t *testing.T, text string) ([]tune.Target, error) {
	t.Helper()
	rules, err := configs.Load("universal")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"value"}
	return tune.ParseTargets(text, stats.Keys(rules, names), stats.Units(rules, names))
}

func targets(t *testing.T, text string) []tune.Target {
	t.Helper()
	list, err := parse(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTargets(t *testing.T) {
	for text, want := range map[string]struct {
		key       string
		low, high float64
		rest      bool
	}{
		"match.hands=10..12":   {"match hands", 10, 12, false},
		"hand.discards = 40":   {"hand discards", 40, 40, false},
		"skill>45%":            {"skill skill", 0.45, math.Inf(1), false},
		"draws<8%":             {"hand won", math.Inf(-1), 0.08, true},
		"draws = 5 .. 10 %":    {"hand won", 0.05, 0.1, true},
		"wire_to_wire=10..20%": {"match wire to wire", 0.1, 0.2, false},
		"won>= 0.9":            {"hand won", 0.9, math.Inf(1), false},
		"first_mover_edge~0":   {"dealer first mover edge", 0, 0, false},
		"seat.points:east<1e3": {"seat points, east", math.Inf(-1), 1000, false},
	} {
		w := targets(t, text)[0]
		if w.Key.String() != want.key || w.Low != want.low || w.High != want.high || w.Complement != want.rest {
			t.Errorf("%s: %+v", text, w)
		}
	}
	w := targets(t, "draws=8%..10%")[0]
	if w.Distance(0.05) != 0.03 || w.Distance(0.09) != 0 || math.Abs(w.Distance(0.12)-0.02) > 1e-12 {
		t.Errorf("missed by %v, %v, %v", w.Distance(0.05), w.Distance(0.09), w.Distance(0.12))
	}
}

func TestBadTargets(t *testing.T) {
	for text, want := range map[string]string{
		"":                               `"" is no target; allowed: FIGURE=4..12`,
		"draws":                          `"draws" is no target`,
		"draws<x":                        `"x" is no number`,
		"draws=1..":                      `is no number`,
		"draws<1..2":                     `"1..2" is no number`,
		"draws<nan":                      `is no number`,
		"hans=1":                         `there is no figure "hans"; nearest: `,
		"rank<2":                         "may be several figures: seat.rank:east",
		"win.value=9..3":                 "nothing is from 9 to 3",
		"draws=8":                        "a share is from 0% to 100%",
		"draws<8%, draws>9%":             `the targets "draws<8%" and "draws>9%" contradict each other`,
		"skill>45%,skill<40%":            "contradict each other",
		"skill>120%":                     "a share is from 0% to 100%",
		"draws<8":                        "a share is from 0% to 100%",
		"wire_to_wire>30":                "a share is from 0% to 100%",
		"first_mover_edge~2":             "a difference of shares is from -100% to 100%",
		"hands<8%":                       "match hands is no share, so it is not in percent but in hands",
		"draws=5..4%":                    "nothing is from 5% to 4%",
		"skil>4%":                        "draws and skill are known as well",
		"draws<8%,won<90%":               "contradict each other",
		"win.value<5,value>6":            "contradict each other",
		"self_draw>60%,draws>50%":        "contradict each other: hands are won or not",
		"exhausted>60%,hand.discard>50%": "contradict each other: a hand ends in one way",
	} {
		if _, err := parse(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// planted is a search whose figures are known: two knobs with numbers and one of three
// sorts, of which one combination alone meets both targets.
func planted(t *testing.T, played *[]string) *tune.Search {
	s := &tune.Search{
		Targets:    targets(t, "draws=10%,win.value~20"),
		Dimensions: []tune.Dimension{{Values: 12, Ordered: true}, {Values: 9, Ordered: true}, {Values: 3}},
		Start:      tune.Candidate{0, 0, 0}, Unit: 64, Matches: 1024, Tries: 40, NumBest: 3, Seed: 1,
		Legal: func(c tune.Candidate) bool { return c[0]+c[1] < 19 },
	}
	s.Evaluate = func(_ context.Context, list []tune.Candidate, matches int) ([][]tune.Measured, error) {
		var out [][]tune.Measured
		for _, c := range list {
			*played = append(*played, fmt.Sprint(c, matches))
			x, y := float64(c[0]), float64(c[1])
			draws := 0.10 + 0.01*(x-7) + 0.02*(y-3)
			value := 20 + 1.5*(x-7) - 1.0*(y-3) + 4*math.Abs(float64(c[2]-1))
			rng := rand.New(rand.NewPCG(uint64(c[0]*100+c[1]*10+c[2]), uint64(matches)))
			var row []tune.Measured
			for i, v := range []float64{draws, value} {
				spread := []float64{0.1, 8}[i]
				err := spread / math.Sqrt(float64(matches)*8) // walls are shared
				row = append(row, tune.Measured{Value: v + err*rng.NormFloat64(), Error: err, Spread: spread})
			}
			out = append(out, row)
		}
		return out, nil
	}
	return s
}

// The planted optimum is found among 300 candidates by trying 40.
func TestPlanted(t *testing.T) {
	var played, again []string
	r, err := planted(t, &played).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	best := r.Best[0].Candidate
	if best[2] != 1 || math.Abs(float64(best[0]-7)) > 1 || math.Abs(float64(best[1]-3)) > 1 {
		t.Errorf("best %v, want [7 3 1] or a neighbor", best)
	}
	if len(r.Best) != 3 || len(r.Trials) != 40 || r.Best[0].Matches != 1024 || !r.Best[0].Front || r.Start.Loss < 10*r.Best[0].Loss {
		t.Errorf("%d best of %d trials, start %+v, best %+v", len(r.Best), len(r.Trials), r.Start, r.Best[0])
	}
	if !slices.IsSortedFunc(r.Best, func(a, b tune.Trial) int {
		if a.Loss < b.Loss {
			return -1
		}
		return 1
	}) {
		t.Errorf("the best do not come first: %+v", r.Best)
	}
	s, err := planted(t, &again).Run(t.Context())
	if diff := cmp.Diff(r, s); err != nil || diff != "" || !slices.Equal(played, again) {
		t.Errorf("the same search again: %v\n%s", err, diff)
	}
}

// The best keeps a hard target, whatever the others would gain by breaking it.
func TestHardTarget(t *testing.T) {
	for text, keeps := range map[string]bool{"draws<8%!,win.value>30": true, "draws<8%,win.value>30": false} {
		s := &tune.Search{
			Targets: targets(t, text), Dimensions: []tune.Dimension{{Values: 12, Ordered: true}}, Start: tune.Candidate{0},
			Unit: 64, Matches: 1024, Tries: 12, NumBest: 1, Seed: 1, Legal: func(tune.Candidate) bool { return true },
		}
		s.Evaluate = func(_ context.Context, list []tune.Candidate, _ int) (out [][]tune.Measured, err error) {
			for _, c := range list {
				x := float64(c[0])
				out = append(out, []tune.Measured{{Value: 0.05 + 0.01*x, Spread: 0.3}, {Value: 10 + 2*x, Spread: 8}})
			}
			return out, nil
		}
		r, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if draws := r.Best[0].Measured[0].Value; (draws <= 0.08) != keeps {
			t.Errorf("%s: the best has %v draws", text, draws)
		}
	}
}

// A candidate that lacks a figure meets no target, and none of its numbers is written.
func TestMissing(t *testing.T) {
	s := &tune.Search{
		Targets: targets(t, "win.value<20,hand.discards~60"), Dimensions: []tune.Dimension{{Values: 3}}, Start: tune.Candidate{0},
		Unit: 64, Matches: 1024, Tries: 3, NumBest: 3, Seed: 1, Legal: func(tune.Candidate) bool { return true },
	}
	s.Evaluate = func(_ context.Context, list []tune.Candidate, _ int) (out [][]tune.Measured, err error) {
		for _, c := range list {
			out = append(out, []tune.Measured{
				{Value: []float64{math.NaN(), 30, math.NaN()}[c[0]], Spread: 8}, {Value: []float64{60, 40, 60}[c[0]], Spread: 8},
			})
		}
		return out, nil
	}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if best := r.Best[0]; best.Candidate[0] != 1 || r.Scales[0] != 0.8 || !math.IsInf(float64(r.Start.Loss), 1) || !best.Front {
		t.Errorf("best %+v, start %+v, scales %v", best, r.Start, r.Scales)
	}
	text, err := json.Marshal(r.Best[1])
	if err != nil || !strings.Contains(string(text), `"measured":[null,{`) || !strings.Contains(string(text), `"loss":null`) {
		t.Errorf("%s: %v", text, err)
	}
	o := tune.Outcome{Search: s, Result: r}
	if value, verdict := o.Verdict(0, r.Start.Measured[0]); value != "-" || verdict != "not measured" {
		t.Errorf("verdict %q, %q", value, verdict)
	}
}

// A figure that is exact has no interval, one that is estimated has.
func TestVerdict(t *testing.T) {
	o := tune.Outcome{Search: &tune.Search{Targets: targets(t, "hands=10..12")}}
	for m, want := range map[tune.Measured][2]string{
		{Unit: stats.Hands, Value: 16, Low: 16, High: 16}:                   {"16", "missed by 4.00"},
		{Unit: stats.Hands, Value: 12.5, Error: 0.5, Low: 11.5, High: 13.5}: {"12.5 [11.5, 13.5]", "met within the interval"},
		{Unit: stats.Hands, Value: 11, Low: 11, High: 11}:                   {"11", "met"},
	} {
		if value, verdict := o.Verdict(0, m); value != want[0] || verdict != want[1] {
			t.Errorf("%v: %q, %q, want %q", m, value, verdict, want)
		}
	}
}

// Where all can be tried, the best is found without a model.
func TestFew(t *testing.T) {
	var played []string
	s := planted(t, &played)
	s.Dimensions = []tune.Dimension{{Values: 1, Ordered: true}, {Values: 1, Ordered: true}, {Values: 3}}
	r, err := s.Run(t.Context())
	if err != nil || r.Legal != 3 || len(r.Trials) != 3 || len(r.Best) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSearchErrors(t *testing.T) {
	var played []string
	s := planted(t, &played)
	s.Legal = func(tune.Candidate) bool { return false }
	if _, err := s.Run(t.Context()); !errors.Is(err, tune.ErrNone) {
		t.Errorf("error %v, want ErrNone", err)
	}
	s = planted(t, &played)
	broken := errors.New("broken")
	s.Evaluate = func(context.Context, []tune.Candidate, int) ([][]tune.Measured, error) { return nil, broken }
	if _, err := s.Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the evaluation", err)
	}
}
