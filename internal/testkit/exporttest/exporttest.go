// Package exporttest plays datasets for tests.
//
//	d := exporttest.Open(t, run)
package exporttest

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Play plays the matches of a run, or of its shard, with the built-in agents that it names,
// and writes them to dir. An error ends the test.
func Play(t testing.TB, run *dataset.Run, dir string) {
	t.Helper()
	kinds := make([]func() sim.Agent, len(run.Agents))
	for i, name := range run.Agents {
		var err error
		if kinds[i], err = agents.New(name); err != nil {
			t.Fatal(err)
		}
	}
	w, err := dataset.Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Play(t.Context(), &sim.Job{NewAgent: func(number int) sim.Agent { return kinds[number]() }}); err != nil {
		t.Fatal(err)
	}
}

// Open plays the matches of a run and opens the dataset.
func Open(t testing.TB, run *dataset.Run) *dataset.Dataset {
	t.Helper()
	dir := t.TempDir()
	Play(t, run, dir)
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
