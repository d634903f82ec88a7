package cmaes_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/cmaes"
	"github.com/sparrowhall/sparrowhall/sim"
)

// torn plays as greedy does at a part of its decisions and else discards what it draws.
type torn struct {
	greedy, tsumogiri sim.Agent
	part              float64
}

func (a *torn) Act(v sim.View) sim.Action {
	if float64(v.Decision()*7%10) < 10*a.part {
		return a.greedy.Act(v)
	}
	return a.tsumogiri.Act(v)
}

// newAgent makes torn players of "torn:part=NUMBER" and others by their names.
func newAgent(text string) (func() sim.Agent, error) {
	if !strings.HasPrefix(text, "torn:part=") {
		return agents.New(text)
	}
	var part float64
	if _, err := fmt.Sscanf(text, "torn:part=%v", &part); err != nil {
		return nil, err
	}
	greedy, err := agents.New("greedy")
	if err != nil {
		return nil, err
	}
	tsumogiri, err := agents.New("tsumogiri")
	return func() sim.Agent { return &torn{greedy(), tsumogiri(), part} }, err
}

// search returns one for the part of torn.
func search(t *testing.T, workers int) *cmaes.Search {
	t.Helper()
	rules, err := configs.Load("botzone")
	if err != nil {
		t.Fatal(err)
	}
	return &cmaes.Search{
		Plan: cmaes.Plan{
			Name: "botzone", Agent: "torn", Weights: []sim.Weight{{Name: "part", Value: 300, Min: 0, Max: 1000}},
			Against: []string{"greedy", "tsumogiri"}, Walls: 12, Generations: 8, Population: 6, Spread: 0.5, Seed: 3,
		},
		Rules: rules, NewAgent: newAgent, Workers: workers,
	}
}

// journal is a file in memory.
type journal struct {
	bytes.Buffer
	all []byte
}

func (j *journal) Write(p []byte) (int, error) {
	j.all = append(j.all, p...)
	return len(p), nil
}

// run runs a search that finds a journal.
func run(t *testing.T, s *cmaes.Search, known string) (values []int32, whole string, err error) {
	t.Helper()
	j := &journal{Buffer: *bytes.NewBufferString(known)}
	values, err = s.Run(t.Context(), j, func(end int64) error {
		j.all = []byte(known[:end])
		return nil
	})
	return values, string(j.all), err
}

// TestRun finds that more of greedy is better, with any number of workers, and again when
// it is stopped anywhere.
func TestRun(t *testing.T) {
	s := search(t, 1)
	generations := 0
	s.Progress = func(*cmaes.Generation) { generations++ }
	values, whole, err := run(t, s, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(values) != 1 || values[0] < 600 || generations != 8 || strings.Count(whole, "\n") != 49 {
		t.Errorf("found %v after %d generations, from 300 where 1000 is best; the journal has %d lines", values, generations, strings.Count(whole, "\n"))
	}
	for _, at := range []int{len(whole) / 3, len(whole) * 9 / 10} {
		again, rest, err := run(t, search(t, 3), whole[:at])
		if err != nil || !slices.Equal(again, values) || rest != whole {
			t.Errorf("stopped after %d of %d bytes: %v, want %v; journals alike: %v; %v", at, len(whole), again, values, rest == whole, err)
		}
	}
}

// TestRefused goes on with journals of something else.
func TestRefused(t *testing.T) {
	s := search(t, 2)
	s.Plan.Generations = 1
	_, whole, err := run(t, s, "")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(whole, "\n")
	for _, c := range []struct {
		want, known string
		change      func(*cmaes.Search)
	}{
		{"other flags", whole, func(s *cmaes.Search) { s.Plan.Seed++ }},
		{"no journal of a search", "PK\x03\x04\nsomething else\n", nil},
		{"trial 1 of the journal is damaged", lines[0] + lines[1] + "{\"Values\":[1\n", nil},
		{"trial 0 of the journal differs", lines[0] + strings.Replace(lines[1], "[", "[1", 1), nil},
		{"no weight is to be tuned", "", func(s *cmaes.Search) { s.Plan.Weights = nil }},
		{"at least 4", "", func(s *cmaes.Search) { s.Plan.Population = 3 }},
	} {
		s := search(t, 2)
		s.Plan.Generations = 1
		if c.change != nil {
			c.change(s)
		}
		if _, _, err := run(t, s, c.known); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
}

func TestText(t *testing.T) {
	p := cmaes.Plan{Agent: "value", Weights: []sim.Weight{{Name: "pushed"}, {Name: "silent"}}}
	if got := p.Text([]int32{400, 1005}); got != "value:pushed=0.4,silent=1.005" {
		t.Error(got)
	}
	p.Agent = "expert:places=3"
	if got := p.Text([]int32{0, 12000}); got != "expert:places=3,pushed=0,silent=12" {
		t.Error(got)
	}
	p.Agent = "expert:silent=2,places=3,pushed=0.1"
	if got := p.Text([]int32{8, 12000}); got != "expert:places=3,pushed=0.008,silent=12" {
		t.Error(got)
	}
}
