package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// What two changes do together is told beyond what each does: points that are counted
// twice over are twice as many, where each doubles them.
func TestContrasts(t *testing.T) {
	names := []string{"tsumogiri", "tsumogiri", "tsumogiri", "tsumogiri"}
	var dirs []string
	for _, v := range []string{"", "noten_total = 6000", "honba_value = 900", "noten_total = 6000\nhonba_value = 900"} {
		dirs = append(dirs, play(t, variant(t, "v", "base = \"ema_2016\"\n"+v+"\n"), 128, schema.Matches, names...))
	}
	r := collect(t, dirs...)
	if len(r.Contrasts) == 0 {
		t.Fatal("no contrasts")
	}
	for _, c := range r.Contrasts {
		if c.Together != 3 || c.Apart != [2]int{1, 2} {
			t.Fatalf("contrast of %d with %v", c.Together, c.Apart)
		}
		value := func(i int) float64 { return r.Datasets[i].Figure(c.Key).Value }
		if want := value(3) - value(1) - value(2) + value(0); math.Abs(c.Value-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%v: %v, want %v", c.Key, c.Value, want)
		}
		if c.Adjusted < c.P {
			t.Errorf("%v: probability %v, corrected %v", c.Key, c.P, c.Adjusted)
		}
	}
}

// The variance of a contrast is that of the contrasts of single matches where every
// match has one case.
func TestContrastError(t *testing.T) {
	names := []string{"greedy", "greedy", "greedy", "greedy"}
	var dirs []string
	points := [4][]float64{}
	for i, v := range []string{"", "noten_total = 6000", "kiriage_mangan = true\none_shot = false", "noten_total = 6000\nkiriage_mangan = true\none_shot = false"} {
		dir := play(t, variant(t, "v", "base = \"ema_2016\"\n"+v+"\n"), 64, schema.Matches, names...)
		d, err := dataset.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range d.MatchRows() {
			if err != nil {
				t.Fatal(err)
			}
			if row.Player == 0 {
				points[i] = append(points[i], float64(row.Points))
			}
		}
		dirs = append(dirs, dir)
	}
	r := collect(t, dirs...)
	var mean, squares float64
	n := float64(len(points[0]))
	each := func(m int) float64 { return points[3][m] - points[2][m] - points[1][m] + points[0][m] }
	for m := range points[0] {
		mean += each(m) / n
	}
	for m := range points[0] {
		squares += (each(m) - mean) * (each(m) - mean)
	}
	want := math.Sqrt(squares / (n - 1) / n)
	for _, c := range r.Contrasts {
		if c.Key == (stats.Key{Section: "seat", Name: "points", Of: "east"}) {
			if math.Abs(c.Value-mean) > 1e-6*math.Abs(mean)+1e-9 || math.Abs(c.Error-want) > 1e-6*want {
				t.Errorf("contrast %v, error %v; want %v, %v", c.Value, c.Error, mean, want)
			}
			return
		}
	}
	t.Error("no contrast of the points of East")
}

func TestCurves(t *testing.T) {
	names := []string{"greedy", "greedy", "greedy", "greedy"}
	var dirs []string
	for _, v := range []string{"", "noten_total = 6000", "noten_total = 0", "one_shot = false"} {
		dirs = append(dirs, play(t, variant(t, "v", "base = \"ema_2016\"\n"+v+"\n"), 64, schema.Hands, names...))
	}
	r := collect(t, dirs...)
	key := stats.Key{Section: "match", Name: "spread"}
	r.DrawCurves([]stats.Key{key})
	if len(r.Curves) != 1 || r.Curves[0].Knob != "noten_total" {
		t.Fatalf("curves %+v", r.Curves)
	}
	for i, p := range r.Curves[0].Points {
		if want := []float64{0, 3000, 6000}[i]; p.Knob != want || math.Abs(p.Value-r.Datasets[p.Dataset].Figure(key).Value) > 1e-6 {
			t.Errorf("point %d: %+v, want that of %v", i, p, want)
		}
		if p.Dataset == 0 && (float64(p.Low) != p.Value || p.High != p.Low) {
			t.Errorf("the band has a width where it is measured from: %+v", p)
		}
		if p.Low.Known() && (float64(p.Low) > p.Value || float64(p.High) < p.Value) {
			t.Errorf("point %d is outside the band: %+v", i, p)
		}
	}
	pictures, err := r.Pictures()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for i := range pictures {
		found = found || pictures[i].Name == "curve_noten_total_match.spread"
	}
	if tables := r.CurveTables(); !found || len(tables) != 1 || len(tables[0].Rows) != 3 {
		t.Errorf("picture %v, tables %+v", found, tables)
	}
}

func TestFindKey(t *testing.T) {
	rules, err := configs.Load("mcr_2006")
	if err != nil {
		t.Fatal(err)
	}
	keys := stats.Keys(rules, []string{"greedy", "greedy", "greedy", "random"})
	for name, want := range map[string]string{
		"won": "hand won", "self_draw": "hand self draw", "hand.won": "hand won", "win.value": "win value", "frequency:seven_pairs": "pattern frequency, seven_pairs",
		"seat.points:east": "seat points, east", "hans": "nearest: ", "rank": `"rank" may be several figures: seat.rank:east, `,
	} {
		k, err := stats.FindKey(keys, name)
		if got := k.String(); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

// Effects that are the same in two fields do not depend on who plays; others do.
func TestDisagreements(t *testing.T) {
	effects := func(agent string) *report.Report {
		names := []string{agent, agent, agent, agent}
		return collect(t, play(t, "mcr_2006", 64, schema.Hands, names...),
			play(t, variant(t, "v", "base = \"mcr_2006\"\nmin_win = 2\n"), 64, schema.Hands, names...))
	}
	greedy, random := effects("greedy"), effects("random")
	for _, d := range report.Disagreements([]*report.Report{greedy, greedy}) {
		if d.Value != 0 || d.Clear() {
			t.Errorf("a field disagrees with itself: %+v", d)
		}
	}
	if table := report.DisagreementTable([]*report.Report{greedy, greedy}); len(table.Rows) > 0 || !strings.HasPrefix(table.Note, "No effect") {
		t.Errorf("%+v", table)
	}
	if table := report.DisagreementTable([]*report.Report{greedy, random}); len(table.Rows) == 0 {
		t.Errorf("a lower minimum does the same to greedy and random: %+v", table)
	}
}
