package tune

import (
	"strings"
	"testing"
)

// A target that every ruleset meets leaves an axis whose ticks have different labels.
func TestPlotOfMetTarget(t *testing.T) {
	s := &Search{Targets: []Target{{Text: "draws=10%"}, {Text: "hands=16..18"}}, Matches: 2}
	trial := func(won float64) Trial {
		return Trial{Matches: 2, Measured: []Measured{{Value: won}, {Value: 17}}}
	}
	r := &Result{Start: trial(0.9), Trials: []Trial{trial(0.85), trial(0.95)}}
	picture, err := s.plot(r)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := picture.SVG(&text); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), ">0</text>"); n > 2 {
		t.Errorf("%d ticks are 0", n)
	}
}
