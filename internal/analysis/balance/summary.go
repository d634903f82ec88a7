package balance

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
)

// Summary returns the summary of a comparison of the profile with some presets.
func (v *Profile) Summary(list []Comparison, presets []Profile) *findings.Summary {
	s := &findings.Summary{Scale: findings.NewText("balance.scale"), Alone: true}
	others := slices.DeleteFunc(slices.Clone(presets), func(p Profile) bool { return p.Hash == v.Hash })
	s.Compared = []findings.Text{findings.NewText("balance.compared", v.Ruleset, v.Seed, v.Matches), findings.NewText("balance.presets", len(others))}
	var found []findings.Finding
	var byText []findings.Text
	tested, within := 0, 0
	for i := range list {
		b := &list[i]
		name := findings.PlainText(b.Name)
		if id := "figure." + b.Name; findings.HasEntry(id) {
			name = findings.NewText(id)
		}
		if b.ByText {
			byText = append(byText, name)
		}
		if len(b.Presets) == 0 || !b.Low.Known() || b.ByText {
			continue
		}
		if tested++; b.Out == 0 {
			within++
		}
		if b.Out == 0 && (b.Beside == nil || b.Beside.Out == 0) {
			continue
		}
		id, nearest, out, p := "balance.beyond", &b.Presets[0], b.Out, b.P
		switch {
		case out > 0:
			nearest = &b.Presets[len(b.Presets)-1]
		case out == 0:
			id, nearest, out, p = "balance.beside", &b.Beside.Preset, b.Beside.Out, b.Beside.P
		}
		f := findings.Finding{
			Text: findings.NewText(id, name, nearest.Name, nearest.Text), Number: findings.NewText("balance.has", v.Ruleset, b.Figure.Text()),
			P: p, Topic: string(b.Group), Picture: b.picture(), Size: (b.Value - nearest.Value) / b.scale(),
		}
		f.Text.Down = out < 0
		f.Picture.Lines = []findings.Mark{{At: nearest.Value, Name: findings.PlainText(nearest.Name)}}
		found = append(found, f)
	}
	s.Findings = findings.Choose(found)
	for i := range s.Findings {
		findings.Align(&s.Findings[i].Picture)
	}
	s.Further = len(found) - len(s.Findings)
	s.Unchanged = append(s.Unchanged, findings.NewText("balance.within", within, tested))
	var names []string
	for _, p := range v.mostLike(list, presets) {
		names = append(names, p.Ruleset)
	}
	if len(names) > 0 {
		s.Unchanged = append(s.Unchanged, findings.NewText("balance.nearest", strings.Join(names, ", ")))
	}
	if byText != nil {
		s.Unchanged = append(s.Unchanged, findings.NewText("balance.one_hand", byText))
	}
	s.Certainty = []findings.Text{
		findings.NewText("balance.corrected", tested), findings.NewText("balance.meaning"), findings.NewText("sure.more", 4*v.Matches), findings.NewText("sure.programs"),
	}
	return s
}

// spread returns the range of the presets.
func (b *Comparison) spread() float64 {
	return b.Presets[len(b.Presets)-1].Value - b.Presets[0].Value
}

// scale returns the range of the presets, or if they have none the width of the interval of the
// figure.
func (b *Comparison) scale() float64 {
	if s := b.spread(); s > 0 {
		return s
	}
	return float64(b.High - b.Low)
}

// picture returns the figure among the presets.
func (b *Comparison) picture() findings.Picture {
	p := findings.Picture{Value: b.Value, Low: b.Value, High: b.Value}
	if b.Low.Known() {
		p.Low, p.High = float64(b.Low), float64(b.High)
	}
	for _, q := range b.Presets {
		p.Marks = append(p.Marks, findings.Mark{At: q.Value, Name: findings.PlainText(q.Name)})
	}
	p.Text = b.Unit.Text
	return p
}

// mostLike returns the presets that are the likeliest to have the figures, the likeliest first: up
// to three of them, and no more than half. Distances count in the errors of both, so that a preset
// is not taken for another whose certain figures are far off. Far ones count by their logarithm,
// as the log-likelihood of a Cauchy distribution, so that no single figure decides.
func (v *Profile) mostLike(list []Comparison, presets []Profile) (like []*Profile) {
	distances := map[*Profile]float64{}
	for i := range presets {
		p := &presets[i]
		n, sum := 0.0, 0.0
		for j := range list {
			b := &list[j]
			if g := p.Figure(b.Name); g != nil && b.Low.Known() && !b.ByText && float64(b.High-b.Low) > 0 {
				d := distance(b.Figure, g)
				n++
				sum += math.Log1p(d * d)
			}
		}
		if n > 0 && p.Hash != v.Hash {
			like, distances[p] = append(like, p), sum/n
		}
	}
	slices.SortStableFunc(like, func(a, b *Profile) int { return cmp.Compare(distances[a], distances[b]) })
	return like[:min((len(like)+1)/2, 3)]
}
