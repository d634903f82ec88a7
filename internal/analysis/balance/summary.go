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
	tested, within := 0, 0
	for i := range list {
		b := &list[i]
		if len(b.Presets) == 0 || !b.Low.Known() {
			continue
		}
		if tested++; b.Out == 0 {
			within++
			continue
		}
		nearest := &b.Presets[0]
		if b.Out > 0 {
			nearest = &b.Presets[len(b.Presets)-1]
		}
		name := findings.PlainText(b.Name)
		if id := "figure." + b.Name; findings.HasEntry(id) {
			name = findings.NewText(id)
		}
		f := findings.Finding{
			Text: findings.NewText("balance.beyond", name, nearest.Name, nearest.Text), Number: findings.NewText("balance.has", v.Ruleset, b.Figure.Text()),
			P: b.P, Topic: string(b.Group), Picture: b.picture(), Size: (b.Value - nearest.Value) / b.scale(),
		}
		f.Text.Down = b.Out < 0
		f.Picture.Lines = []findings.Mark{{At: nearest.Value, Name: findings.PlainText(nearest.Name)}}
		found = append(found, f)
	}
	s.Findings = findings.Choose(found)
	for i := range s.Findings {
		findings.Align(&s.Findings[i].Picture)
	}
	s.Further = len(found) - len(s.Findings)
	s.Unchanged = append(s.Unchanged, findings.NewText("balance.within", within, tested))
	if like := v.nearest(list, presets); len(like) > 0 {
		s.Unchanged = append(s.Unchanged, findings.NewText("balance.nearest", strings.Join(like, ", ")))
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

// nearest returns the presets with the smallest mean distance of all figures, in ranges of the
// presets: up to three of them, and no more than half.
func (v *Profile) nearest(list []Comparison, presets []Profile) (names []string) {
	type preset struct {
		name     string
		distance float64
	}
	var all []preset
	for i := range presets {
		p := &presets[i]
		n, sum := 0.0, 0.0
		for j := range list {
			b := &list[j]
			if g := p.Figure(b.Name); g != nil && len(b.Presets) > 1 && b.spread() > 0 {
				n++
				sum += math.Abs(b.Value-g.Value) / b.spread()
			}
		}
		if n > 0 && p.Hash != v.Hash {
			all = append(all, preset{p.Ruleset, sum / n})
		}
	}
	slices.SortStableFunc(all, func(a, b preset) int { return cmp.Compare(a.distance, b.distance) })
	for _, l := range all[:min((len(all)+1)/2, 3)] {
		names = append(names, l.name)
	}
	return names
}
