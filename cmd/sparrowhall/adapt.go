package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/internal/weights"
	"github.com/sparrowhall/sparrowhall/sim"
)

// How players adapt: each proposal takes every seat at a few wall sets, and a search of
// fewer generations finds nothing.
const (
	adaptWalls       = 10
	leastGenerations = 4
)

// adapter lets the players of a sweep adapt to each of its rulesets, and plays those who
// have among those who have not.
type adapter struct {
	*field
	plan weights.Plan
	// dir is where it keeps what it finds, so that a sweep that was interrupted goes on.
	dir   string
	force bool
}

// newAdapter returns what lets the players of a field adapt within some matches, nil if
// they shall not.
func newAdapter(f *field, matches int64, dir string, force bool) (*adapter, error) {
	if matches < 0 {
		return nil, usagef("--adapt: %d matches; at least 0", matches)
	}
	if matches == 0 {
		return nil, nil
	}
	agent := f.run.Agents[0]
	if slices.ContainsFunc(f.run.Agents, func(a string) bool { return a != agent }) {
		return nil, usagef("--adapt lets one of four equal players adapt; the agents are %s", plain.Line(fmt.Sprint(f.run.Agents)))
	}
	player, ok := f.factories[0]().(sim.Weighted)
	if !ok {
		return nil, usagef("--adapt: %s has no weights; agents that have: value, expert", plain.Line(agent))
	}
	a := &adapter{field: f, dir: dir, force: force}
	a.plan = weights.Plan{
		Agent: agent, Weights: player.Weights(), Against: []string{agent}, Walls: adaptWalls, Spread: 0.25, Seed: f.run.Seed,
	}
	a.plan.Population = usualPopulation(len(a.plan.Weights))
	each := int64(a.plan.Population * adaptWalls * sim.NumPlayers)
	if a.plan.Generations = int(matches / each); a.plan.Generations < leastGenerations {
		return nil, usagef("--adapt: %d matches; at least %d for the %d weights of %s", matches, leastGenerations*each, len(a.plan.Weights), plain.Line(agent))
	}
	return a, a.plan.Check()
}

// searched returns in how many matches players adapt to a ruleset.
func (a *adapter) searched() uint64 {
	return uint64(a.plan.Generations * a.plan.Population * a.plan.Walls * sim.NumPlayers)
}

// matches returns how many matches are played in all.
func (a *adapter) matches() uint64 {
	n := uint64(len(a.variants))
	return n*(a.searched()+a.run.Matches) + (n-1)*a.run.Matches
}

// adapt returns what adapting to each of the rulesets brings.
func (a *adapter) adapt(ctx context.Context) ([]*report.Adaptation, error) {
	if err := os.MkdirAll(a.dir, 0o777); err != nil {
		return nil, err
	}
	var list []*report.Adaptation
	usual := ""
	for i := range a.variants {
		found, err := a.search(ctx, i)
		if err != nil {
			return nil, err
		}
		d, err := a.look(ctx, i, "adapted", found)
		if err != nil {
			return nil, err
		}
		var before *export.Dataset
		if i == 0 {
			usual = found
		} else if before, err = a.look(ctx, i, "usual", usual); err != nil {
			return nil, err
		}
		adaptation, err := report.Adapted(ctx, d, before, a.searched(), a.number())
		if err != nil {
			return nil, err
		}
		list = append(list, adaptation)
	}
	return list, nil
}

// name is what the files of a ruleset begin with.
func (a *adapter) name(variant int) string {
	return filepath.Join(a.dir, filepath.Base(a.dirs[variant]))
}

// search looks for the weights of a player who has adapted to a ruleset.
func (a *adapter) search(ctx context.Context, variant int) (found string, err error) {
	rules := a.variants[variant].Ruleset
	path := a.name(variant) + ".tune"
	if a.force {
		if err := os.RemoveAll(path); err != nil {
			return "", err
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return "", err
	}
	defer file.Close()
	s := weights.Search{Plan: a.plan, Rules: rules.Rules(), NewAgent: agents.New, Workers: a.number()}
	s.Name, s.Ruleset = rules.Name, rules.TOML()
	s.Progress = func(*weights.Generation) {
		a.progress.add(a.plan.Population * a.plan.Walls * sim.NumPlayers)
	}
	values, err := s.Run(ctx, file, func(end int64) error {
		if err := file.Truncate(end); err != nil {
			return err
		}
		_, err := file.Seek(end, io.SeekStart)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", plain.Line(path), err)
	}
	return s.Text(values), file.Close()
}

// look plays a player who has adapted among three who have not, at walls of the next seed.
func (a *adapter) look(ctx context.Context, variant int, what, found string) (*export.Dataset, error) {
	run := *a.variants[variant]
	run.Seed++
	run.Agents = []string{found, a.plan.Agent, a.plan.Agent, a.plan.Agent}
	adapted, err := agents.New(found)
	if err != nil {
		return nil, err
	}
	usual := a.factories[0]
	f := &field{
		run: &run, variants: []*export.Run{&run}, dirs: []string{a.name(variant) + "_" + what},
		factories: []func() sim.Agent{adapted, usual, usual, usual}, workers: a.workers, progress: a.progress,
	}
	if err := f.create(a.force); err != nil {
		return nil, err
	}
	if err := f.play(ctx, 0); err != nil {
		return nil, err
	}
	return export.Open(f.dirs[0])
}

// usualPopulation is how many proposals CMA-ES makes to a generation for some weights.
func usualPopulation(weights int) int { return 4 + int(3*math.Log(float64(weights))) }
