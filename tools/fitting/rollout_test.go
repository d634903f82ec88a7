package fitting_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// rollouts returns pairs of matches of expert and value under the preset tenhou, and its rules.
func rollouts(t *testing.T, matches uint64) (*rollout.Reader, *ruleset.Rules) {
	t.Helper()
	file, err := configs.Open("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	var newAgents [2]func() sim.Agent
	for i, name := range []string{"expert", "value"} {
		if newAgents[i], err = agents.New(name); err != nil {
			t.Fatal(err)
		}
	}
	var text bytes.Buffer
	w, err := rollout.NewWriter(&text, rollout.Header{Name: "tenhou", Ruleset: file.TOML(), Matches: matches})
	if err != nil {
		t.Fatal(err)
	}
	job := &rollout.Job{
		Rules: file.Rules(), Seed: 5, Matches: matches, Workers: 2, Share: 300, Learns: [sim.NumPlayers]bool{0: true, 2: true},
		NewAgent: func(n int) sim.Agent { return newAgents[n%2]() },
	}
	if err := rollout.Generate(t.Context(), job, w.Write); err != nil {
		t.Fatal(err)
	}
	in, err := rollout.NewReader(&text)
	if err != nil {
		t.Fatal(err)
	}
	return in, file.Rules()
}

// TestPlaceModel subtracts the luck from the places that pairs gain, which then vary less.
func TestPlaceModel(t *testing.T) {
	in, rules := rollouts(t, 16)
	places := fitting.NewPlaceModel(rules)
	var matches []rollout.Match
	for {
		var m rollout.Match
		if err := in.Read(&m); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		places.Add(&m)
		matches = append(matches, m)
	}
	var plain, adjusted, n float64
	for _, m := range matches {
		for _, p := range m.Pairs {
			g := places.Gained(&m, &p)
			adjusted += g * g
			p.Luck = 0
			g = places.Gained(&m, &p)
			plain += g * g
			n++
		}
	}
	if n < 500 || adjusted > 0.85*plain {
		t.Errorf("%v pairs: sums of squares %.4g, luck-adjusted %.4g", n, plain, adjusted)
	}
}

// TestExamine checks that an expert considers both actions of the pairs of a file.
func TestExamine(t *testing.T) {
	in, rules := rollouts(t, 3)
	expert, err := agents.New("expert:net=off")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = fitting.Examine(t.Context(), in, rules, 2,
		func() fitting.FeatureSource { return expert().(fitting.FeatureSource) },
		func() *int { return new(int) },
		func(n *int, _ *rollout.Match, x *fitting.ExaminedPair) {
			*n++
			if len(x.Situation) == 0 || len(x.First) == 0 || len(x.Second) == 0 || x.Played == sim.Action(x.Action) {
				t.Errorf("%v and %v: %d, %d and %d inputs", x.Played, sim.Action(x.Action), len(x.Situation), len(x.First), len(x.Second))
			}
		},
		func(more *int) error { n += *more; *more = 0; return nil })
	if err != nil || n < 150 {
		t.Errorf("%d pairs: %v", n, err)
	}
}
