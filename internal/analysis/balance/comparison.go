package balance

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// The presets take minutes to play and depend on tuned players, so go generate leaves
// them as they are:
//
//	go test ./cmd/sparrowhall -run '^TestBalancePresets$' -timeout 60m -update
//
//go:embed presets.json
var presetsText []byte

// Presets returns the profiles of the presets for 3 or 4 players in the order of their names,
// as they were when the program was released.
func Presets(players int) ([]Profile, error) {
	var list []Profile
	if err := json.Unmarshal(presetsText, &list); err != nil {
		return nil, fmt.Errorf("balance: presets: %w", err)
	}
	return slices.DeleteFunc(list, func(v Profile) bool { return v.Players != players }), nil
}

// Comparison compares a figure with those of the presets.
type Comparison struct {
	*Figure
	// Presets are the figures of the presets that have it, in ascending order.
	Presets []Preset `json:"presets"`
	// Above is the number of presets with a smaller figure.
	Above int `json:"above"`
	// Out is 1 if the figure is clearly above all presets, -1 if it is clearly below.
	// Seat is 1 if a rank is clearly above the mean of the seats, -1 if clearly below.
	Out  int `json:"out"`
	Seat int `json:"seat,omitempty"`
	// P is the corrected p-value of the hypothesis that the figure is not beyond the presets.
	P interval.Number `json:"p_adjusted"`
	// Beside is the figure of the preset that the ruleset is most like, nil if it has none.
	Beside *Beside `json:"beside,omitempty"`
	// ByText is set if the figure follows from the rule text, whatever is played: the course of a
	// match of one hand. It is not tested.
	ByText bool `json:"by_text,omitempty"`
}

// Beside compares a figure with that of the preset that the ruleset is most like.
type Beside struct {
	Preset
	// Out is 1 if the figure is clearly above that of the preset, -1 if it is clearly below.
	Out int `json:"out"`
	// P is the corrected p-value of the hypothesis that both are equal.
	P interval.Number `json:"p_adjusted"`
}

// Preset is the figure of a preset.
type Preset struct {
	// Name is the name of the preset, Value its figure.
	Name  string  `json:"preset"`
	Value float64 `json:"value"`
	// Text is the value as it is printed.
	Text string `json:"-"`
}

// significance is the probability of any false positive among all tests.
const significance = 0.05

// Compare compares each figure of a profile with those of [Presets] for as many players, and with
// that of the preset that it is most like. It leaves out one that is the same ruleset.
//
// A figure is clearly beyond the presets if it differs from each of them by more than the
// errors of both allow (an intersection-union test: Berger, Multiparameter hypothesis
// testing and acceptance sampling, 1982). Intervals of a difference follow from those of
// its parts (Zou and Donner, Construction of confidence limits about effect measures,
// 2008). To choose the most similar preset by the same figures makes differences from it smaller,
// never larger. Probabilities are corrected for all tests together by Holm's method.
func (v *Profile) Compare(presets []Profile) (list []Comparison) {
	const beyond, seat, beside = 0, 1, 2 // the tests of a figure
	tests := make([][3]stats.Difference, len(v.Figures))
	var all []*stats.Difference
	for i := range v.Figures {
		f := &v.Figures[i]
		b := Comparison{Figure: f, Presets: []Preset{}, ByText: v.byText(f)}
		for j := range tests[i] {
			tests[i][j] = stats.Difference{P: interval.Missing, Adjusted: interval.Missing}
			all = append(all, &tests[i][j])
		}
		nearest := math.Inf(1) // distance of the nearest preset
		for j := range presets {
			p := &presets[j]
			g := p.Figure(f.Name)
			if g == nil || p.Hash == v.Hash {
				continue
			}
			b.Presets = append(b.Presets, Preset{p.Ruleset, g.Value, g.rounded()})
			if g.Value < f.Value {
				b.Above++
			}
			nearest = min(nearest, distance(f, g))
		}
		if n := len(b.Presets); n > 0 && f.Low.Known() && !b.ByText {
			if tests[i][beyond].P = 1; b.Above == 0 || b.Above == n {
				tests[i][beyond].P = probability(nearest)
			}
		}
		if f.Unit == stats.Rank && f.Low.Known() {
			tests[i][seat].P = probability(distance(f, &Figure{}))
		}
		slices.SortStableFunc(b.Presets, func(a, b Preset) int { return cmp.Compare(a.Value, b.Value) })
		list = append(list, b)
	}
	if like := v.mostLike(list, presets); len(like) > 0 {
		for i := range list {
			if g := like[0].Figure(list[i].Name); g != nil {
				list[i].Beside = &Beside{Preset: Preset{like[0].Ruleset, g.Value, g.rounded()}}
				if list[i].Low.Known() && !list[i].ByText {
					tests[i][beside].P = probability(distance(list[i].Figure, g))
				}
			}
		}
	}
	stats.Adjust(all)
	for i := range list {
		b := &list[i]
		if b.P = tests[i][beyond].Adjusted; b.P < significance {
			b.Out = -1
			if b.Above > 0 {
				b.Out = 1
			}
		}
		if tests[i][seat].Adjusted < significance {
			b.Seat = cmp.Compare(b.Value, 0)
		}
		if o := b.Beside; o != nil {
			if o.P = tests[i][beside].Adjusted; o.P < significance {
				o.Out = cmp.Compare(b.Value, o.Value)
			}
		}
	}
	return list
}

// byText reports whether a figure follows from the rule text: in a match of one hand, its number of
// hands and the course of the match.
func (v *Profile) byText(f *Figure) bool {
	hands := v.Figure(handsAMatch)
	return hands != nil && hands.Value == 1 && (f.Group == Comeback || f.Name == handsAMatch)
}

// distance returns the distance of two figures as a part of the half width of the interval
// of their difference. A figure without an interval counts as exact.
func distance(f, g *Figure) float64 {
	if f.Value < g.Value {
		f, g = g, f
	}
	below, above := 0.0, 0.0
	if f.Low.Known() {
		below = f.Value - float64(f.Low)
	}
	if g.High.Known() {
		above = float64(g.High) - g.Value
	}
	if f.Value == g.Value {
		return 0
	}
	return (f.Value - g.Value) / math.Hypot(below, above)
}

// probability returns the two-sided p-value of no difference for a distance. The errors have at
// least the degrees of freedom of the jackknife.
func probability(distance float64) interval.Number {
	t := distuv.StudentsT{Sigma: 1, Nu: groups - 1}
	return interval.Number(2 * t.Survival(distance*interval.StudentT(groups-1)))
}

// Range returns the least and the largest figure of the presets as text.
func (b *Comparison) Range() string {
	if len(b.Presets) == 0 {
		return "-"
	}
	low, high := b.Presets[0].Text, b.Presets[len(b.Presets)-1].Text
	if low == high {
		return low
	}
	return low + " to " + high
}

// Place returns how many of the presets are below the figure as text.
func (b *Comparison) Place() string {
	if len(b.Presets) == 0 {
		return "-"
	}
	return fmt.Sprintf("above %d of %d", b.Above, len(b.Presets))
}

// BesideTable returns the figures that clearly differ from those of the preset that the ruleset is
// most like, nil if there is no other preset.
func BesideTable(list []Comparison) *page.Table {
	var t *page.Table
	for i := range list {
		o := list[i].Beside
		if o == nil {
			continue
		}
		if t == nil {
			t = &page.Table{Title: "Beside the preset that it is most like", Head: []string{"figure", "here", sanitize.Line(o.Name)}}
		}
		if o.Out != 0 {
			t.Rows = append(t.Rows, page.Row{Label: list[i].Name, About: list[i].About, Cells: []string{list[i].Figure.Text(), o.Text}})
		}
	}
	if t != nil && t.Rows == nil {
		t.Note = "No figure differs clearly."
	}
	return t
}

// Remarks returns a sentence for each figure that is clearly beyond all presets and for
// each seat that is clearly better or worse than the mean.
func Remarks(list []Comparison) (remarks []string) {
	for i := range list {
		b := &list[i]
		way, nearest := "more", len(b.Presets)-1
		if b.Out < 0 {
			way, nearest = "less", 0
		}
		if b.Out != 0 {
			p := &b.Presets[nearest]
			remarks = append(remarks, fmt.Sprintf("%s: %s, %s than any preset; the nearest is %s with %s", b.Name, b.Text(), way, sanitize.Line(p.Name), p.Text))
		}
	}
	return append(remarks, SeatRemarks(list)...)
}

// SeatRemarks returns a sentence for each seat that is clearly better or worse than the mean.
func SeatRemarks(list []Comparison) (remarks []string) {
	for i := range list {
		if b := &list[i]; b.Seat != 0 {
			verdict := "worse"
			if b.Seat < 0 {
				verdict = "better"
			}
			remarks = append(remarks, fmt.Sprintf("%s: %s from the mean of all, clearly %s", b.Name, b.Text(), verdict))
		}
	}
	return remarks
}
