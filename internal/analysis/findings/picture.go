package findings

import (
	"math"
)

// Picture shows a value with its interval on a line, among other values.
type Picture struct {
	// Value is the value; Low and High are its 95 % interval, both equal to Value if there is
	// none.
	Value, Low, High float64
	// Marks are other values, such as those of presets, each with its name.
	Marks []Mark
	// Lines are labeled places of the line, such as no change.
	Lines []Mark
	// Band is a target range; it is empty where both ends are equal. Its ends may be infinite.
	Band [2]float64
	// Text returns a number of the scale as text, for its ends.
	Text func(x float64) string
	// From and To are the ends of the line, which [Align] sets.
	From, To float64
}

// Mark is a place on the line of a picture.
type Mark struct {
	// At is the value, Name its label.
	At   float64
	Name Text
}

// Align gives pictures the same scale, from the least to the greatest of their values, so that the
// ends of the scale are possible values.
func Align(pictures ...*Picture) {
	from, to := math.Inf(1), math.Inf(-1)
	note := func(list ...float64) {
		for _, x := range list {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				from, to = min(from, x), max(to, x)
			}
		}
	}
	for _, p := range pictures {
		note(p.Value, p.Low, p.High)
		if p.Band[0] < p.Band[1] {
			note(p.Band[:]...)
		}
		for _, m := range append(p.Marks[:len(p.Marks):len(p.Marks)], p.Lines...) {
			note(m.At)
		}
	}
	if from == to {
		from, to = from-1, to+1
	}
	for _, p := range pictures {
		p.From, p.To = from, to
	}
}

// at returns the place of a value in percent of the line.
func (p *Picture) at(x float64) float64 {
	return min(max(100*(x-p.From)/(p.To-p.From), 0), 100)
}

// strip is a picture as a page draws it: places and lengths in percent of the line.
type strip struct {
	Value, Low, Length     float64
	BandFrom, BandLength   float64
	Marks, Lines           []stripMark
	Least, Most, Described string
}

// stripMark is a mark at a place in percent, Rest percent from the right end. A label in the right
// half ends at its mark, another begins there.
type stripMark struct {
	At, Rest float64
	Name     string
	Left     bool
}

// Strip returns the picture for a page in a language, with a text that describes it to screen
// readers.
func (p *Picture) Strip(language, described string) any {
	s := strip{Value: p.at(p.Value), Low: p.at(p.Low), Described: described}
	s.Length = p.at(p.High) - s.Low
	if p.Band[0] < p.Band[1] {
		s.BandFrom = p.at(p.Band[0])
		s.BandLength = p.at(p.Band[1]) - s.BandFrom
	}
	for _, m := range p.Marks {
		s.Marks = append(s.Marks, stripMark{At: p.at(m.At), Name: m.Name.Translate(language)})
	}
	for _, m := range p.Lines {
		at := p.at(m.At)
		s.Lines = append(s.Lines, stripMark{at, 100 - at, m.Name.Translate(language), at > 50})
	}
	if p.Text != nil {
		s.Least, s.Most = p.Text(p.From), p.Text(p.To)
	}
	return &s
}
