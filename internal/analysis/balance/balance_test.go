package balance

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/testkit/pagetest"
)

// TestSums works out the figures of two hands by hand.
func TestSums(t *testing.T) {
	s := newSums(4)
	s.addMatch([]int32{30, -10, -10, -10})
	win := func(player uint8, points int32, patterns ...schema.Pattern) []schema.Win {
		return []schema.Win{{Player: player, Points: points, Patterns: patterns}}
	}
	s.addHand(&schema.HandRow{Payments: [...]int32{30, -10, -10, -10}, Wins: win(0, 30, schema.Pattern{ID: "a", Value: 2}, schema.Pattern{ID: "b", Value: 1})}, nil)
	s.addHand(&schema.HandRow{Payments: [...]int32{0, 10, -10, 0}, Wins: win(1, 10, schema.Pattern{ID: "b", Value: 5})}, nil)
	f := s.figures()
	for at, want := range map[int]float64{
		swing:     math.Sqrt((1200.0/4+200.0/4)/2) / 20,
		spread:    40.0 / 20,
		variation: 10.0 / 20,
		tenth:     30 * 0.2 / 40, // a fifth of the dearest win
		patterns:  40.0 * 40 / (20*20 + 20*20),
		largest:   0.5,
	} {
		if math.Abs(f[at]-want) > 1e-12 {
			t.Errorf("figure %d is %v, want %v", at, f[at], want)
		}
	}
}

// TestScaleOfPoints pays everything threefold and starts with more points: figures that are
// compared between rulesets do not depend on either.
func TestScaleOfPoints(t *testing.T) {
	var figures [2][numDerived]float64
	for i, by := range []int32{1, 3} {
		start := int32(i) * 30000
		s := newSums(4)
		s.addMatch([]int32{start + 40*by, start - 10*by, start - 20*by, start - 10*by})
		for _, points := range []int32{8, 12, 30, 64} {
			s.addHand(&schema.HandRow{Payments: [...]int32{points * by, -points * by, 0, 0}, Wins: []schema.Win{
				{Player: 0, Points: points * by, Patterns: []schema.Pattern{{ID: "a", Value: 2}, {ID: "b", Value: int16(points)}}},
			}}, nil)
		}
		figures[i] = s.figures()
	}
	for at, f := range figures[0] {
		if math.Abs(f-figures[1][at]) > 1e-12 {
			t.Errorf("figure %d is %v, and %v with other amounts", at, f, figures[1][at])
		}
	}
}

func figure(name string, g Group, u stats.Unit, value, half float64) Figure {
	return Figure{Group: g, Name: name, Unit: u, Value: value, Error: half / 2, Low: interval.Number(value - half), High: interval.Number(value + half), Cases: 10, Per: "matches"}
}

func TestCompare(t *testing.T) {
	presets := []Profile{
		{Ruleset: "a", Hash: "1", Figures: []Figure{figure("hands", Length, stats.Hands, 8, 1), figure("rank, starts East", Seats, stats.Rank, 0, 1)}},
		{Ruleset: "b", Hash: "2", Figures: []Figure{figure("hands", Length, stats.Hands, 4, 1)}},
		{Ruleset: "c", Hash: "3", Figures: []Figure{figure("hands", Length, stats.Hands, 1, 1)}},
	}
	v := &Profile{Players: 4, Ruleset: "mine <b>", Hash: "3", Family: "mcr", Figures: []Figure{
		figure("rank, starts East", Seats, stats.Rank, -0.2, 0.1), figure("hands", Length, stats.Hands, 2, 1), figure("new", Length, stats.Hands, 2, 1),
	}}
	list := v.Compare(presets)
	hands := &list[1]
	// The preset of the same rules is left out.
	if hands.Range() != "4.0 to 8.0" || hands.Above != 0 || hands.Out != -1 || hands.Place() != "above 0 of 2" {
		t.Errorf("hands: %s, above %d, out %d, %s", hands.Range(), hands.Above, hands.Out, hands.Place())
	}
	if n := &list[2]; n.Range() != "-" || n.Place() != "-" || n.Out != 0 {
		t.Errorf("a figure that no preset has: %s, %s", n.Range(), n.Place())
	}
	remarks := Remarks(list)
	want := []string{
		"hands: 2.0 [1.0, 3.0], less than any preset; the nearest is b with 4.0",
		"rank, starts East: -0.20 [-0.30, -0.10] from the mean of all, clearly better",
	}
	if !slices.Equal(remarks, want) {
		t.Errorf("remarks %q\nwant %q", remarks, want)
	}
	var page strings.Builder
	if err := v.HTML(&page, presets, "sparrowhall balance --seed=7"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Balance of mine &lt;b&gt;", "<span>a 8.0</span>", "Too few patterns", " sparrowhall balance --seed=<wbr>7<", "hands: less than under any preset. The nearest is b with 4.0."} {
		if !strings.Contains(page.String(), part) {
			t.Errorf("no %q in the page", part)
		}
	}
	for _, text := range pagetest.Untranslated(page.String(), "mine", "sparrowhall", "value", "greedy", "seed", "new") {
		t.Errorf("in English alone: %s", text)
	}
}

// TestOnePreset writes the summary of a figure that is clearly beyond the only preset for as many
// players.
func TestOnePreset(t *testing.T) {
	v := &Profile{Players: 3, Ruleset: "mine", Hash: "1", Figures: []Figure{figure("hands", Length, stats.Hands, 2, 0.1)}}
	presets := []Profile{
		{Players: 3, Ruleset: "a", Hash: "1", Figures: []Figure{figure("hands", Length, stats.Hands, 2, 0.1)}},
		{Players: 3, Ruleset: "b", Hash: "2", Figures: []Figure{figure("hands", Length, stats.Hands, 4, 0.1)}},
	}
	s := v.Summary(v.Compare(presets), presets)
	if _, err := json.Marshal(s); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Findings); n != 1 || math.Abs(s.Findings[0].Size+10) > 1e-9 {
		t.Errorf("%+v", s.Findings)
	}
	if text := s.Compared[1].Translate("en"); text != "presets for as many players, played in the same way: 1" {
		t.Error(text)
	}
	if b := v.Compare(presets)[0]; b.Range() != "4.00" {
		t.Error(b.Range())
	}
}

// TestDearer sets prices beside rarity: three patterns of which the rarest costs least.
func TestDearer(t *testing.T) {
	list := []stats.PatternPrice{
		{Pattern: "a", Price: 8, Frequency: 0.1},
		{Pattern: "b", Price: 2, Frequency: 0.2},
		{Pattern: "c", Price: 1, Frequency: 0.05},
		{Pattern: "d", Price: 1, Frequency: 0.3},
		{Pattern: "e", Price: 2, Frequency: 0.3},
	}
	// Of the eight pairs that differ in price a is dearer and rarer than b, d and e, b and
	// e are more frequent than c; b is rarer than d, and e is as rare as d.
	if got, want := shareDearer(list, -1), (3+1+0.5)/8; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := shareDearer(list, 2), (3+1+0.5)/5; math.Abs(got-want) > 1e-12 {
		t.Errorf("without the rarest %v, want %v", got, want)
	}
	if got := shareDearer(list[2:4], -1); got != 0.5 {
		t.Errorf("of patterns that cost the same %v", got)
	}
	v := &Profile{Offered: list}
	v.addOffered()
	if f := v.Figure("rarer is dearer"); f == nil || f.Unit != stats.Share || !(f.Low < interval.Number(f.Value)) || !(f.Error > 0) {
		t.Errorf("%+v", f)
	}
}

// TestAdapted sets what adapting is worth in relation to a win.
func TestAdapted(t *testing.T) {
	worth := stats.Estimate{Value: 30, Error: 5, Low: 20, High: 40, Count: 100}
	equal := &stats.Summary{Figures: []stats.Figure{{Key: stats.Key{Section: "win", Name: "value"}, Estimate: stats.Estimate{Value: 10, Count: 50}}}}
	v := &Profile{Adaptation: &stats.Adaptation{Worth: worth}}
	v.addAdapted(equal)
	if f := v.Figure("worth of adapting"); f == nil || f.Value != 3 || f.Low != 2 || f.High != 4 || f.Error != 0.5 || f.Group != Adapting {
		t.Errorf("%+v", f)
	}
	v = &Profile{}
	if v.addAdapted(equal); len(v.Figures) > 0 || v.DescribeAdaptation() != nil {
		t.Errorf("nobody has adapted: %+v", v.Figures)
	}
}

// TestRelate sets seats in relation to their mean.
func TestRelate(t *testing.T) {
	v := &Profile{Players: 4}
	for i, x := range []float64{0.3, 0.2, 0.2, 0.1} {
		v.Figures = append(v.Figures, figure("wins of the "+[]string{"first mover", "second", "third", "last"}[i], Seats, stats.Share, x, 0.02))
	}
	v.makeRelative("wins of the ", func(x, mean float64) float64 { return x / mean }, stats.Times)
	if f := v.Figures[0]; math.Abs(f.Value-1.5) > 1e-12 || math.Abs(float64(f.Low)-1.4) > 1e-12 || math.Abs(f.Error-0.05) > 1e-12 || f.Unit != stats.Times {
		t.Errorf("%+v", f)
	}
}
