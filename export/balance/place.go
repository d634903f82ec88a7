package balance

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// Minutes of play, and figures of players that get better, so go generate leaves it:
//
//	go test ./cmd/sparrowhall -run '^TestBalancePresets$' -timeout 60m -update
//
//go:embed presets.json
var presetsText []byte

// Presets returns the views of the presets as they were played when the program was made,
// in the order of their names.
func Presets() ([]View, error) {
	var list []View
	if err := json.Unmarshal(presetsText, &list); err != nil {
		return nil, fmt.Errorf("balance: presets: %w", err)
	}
	return list, nil
}

// Beside is a figure beside those of the presets.
type Beside struct {
	*Figure
	// Presets are the figures of the presets that have it, the least first.
	Presets []Preset `json:"presets"`
	// Above is how many of them are below the figure.
	Above int `json:"above"`
	// Out is 1 where the whole interval is above all presets, -1 where it is below.
	Out int `json:"out"`
}

// Preset is the figure of a preset.
type Preset struct {
	// Name is the name of the preset, Value its figure.
	Name  string  `json:"preset"`
	Value float64 `json:"value"`
	// Text is the value as it is printed.
	Text string `json:"-"`
}

// Beside sets each figure of a view beside those of other rulesets. One that is the same
// ruleset is left out.
func (v *View) Beside(presets []View) (list []Beside) {
	for i := range v.Figures {
		b := Beside{Figure: &v.Figures[i], Presets: []Preset{}}
		for j := range presets {
			p := &presets[j]
			f := p.Figure(b.Name)
			if f == nil || p.Hash == v.Hash {
				continue
			}
			b.Presets = append(b.Presets, Preset{p.Ruleset, f.Value, f.Short()})
			if f.Value < b.Value {
				b.Above++
			}
		}
		slices.SortStableFunc(b.Presets, func(a, b Preset) int { return cmp.Compare(a.Value, b.Value) })
		if n := len(b.Presets); n > 0 && b.Low.Known() {
			switch {
			case float64(b.Low) > b.Presets[n-1].Value:
				b.Out = 1
			case float64(b.High) < b.Presets[0].Value:
				b.Out = -1
			}
		}
		list = append(list, b)
	}
	return list
}

// Range returns the least and the largest figure of the presets.
func (b *Beside) Range() string {
	if len(b.Presets) == 0 {
		return "-"
	}
	return b.Presets[0].Text + " to " + b.Presets[len(b.Presets)-1].Text
}

// Place says between how many presets the figure stands.
func (b *Beside) Place() string {
	if len(b.Presets) == 0 {
		return "-"
	}
	return fmt.Sprintf("above %d of %d", b.Above, len(b.Presets))
}

// Remarks say in sentences where the view is beyond all presets, and where the seats are
// not worth the same.
func (v *View) Remarks(list []Beside) (remarks []string) {
	for i := range list {
		b := &list[i]
		n := len(b.Presets)
		if b.Out == 0 {
			continue
		}
		way, nearest := "more", &b.Presets[n-1]
		if b.Out < 0 {
			way, nearest = "less", &b.Presets[0]
		}
		remarks = append(remarks, fmt.Sprintf("%s: %s, %s than any preset; the nearest is %s with %s", b.Name, b.Text(), way, plain.Line(nearest.Name), nearest.Text))
	}
	for i := range list {
		b := &list[i]
		if b.Unit != report.Rank || !b.Low.Known() {
			continue
		}
		switch {
		case b.High < 0:
			remarks = append(remarks, fmt.Sprintf("%s: %s from the mean of all, clearly better", b.Name, b.Text()))
		case b.Low > 0:
			remarks = append(remarks, fmt.Sprintf("%s: %s from the mean of all, clearly worse", b.Name, b.Text()))
		}
	}
	return remarks
}
