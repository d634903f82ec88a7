package experiment_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// counter is the progress of a plan.
type counter struct{ added, skipped atomic.Uint64 }

func (c *counter) Add(n int)     { c.added.Add(uint64(n)) }
func (c *counter) Skip(n uint64) { c.skipped.Add(n) }

// lineup returns four agents that play 256 matches of botzone in parts of 64.
func lineup(t *testing.T, seed uint64) *experiment.Lineup {
	t.Helper()
	r, err := configs.Open("botzone")
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{
		Ruleset: r, Seed: seed, Matches: 256, Agents: []string{"greedy", "random", "greedy", "tsumogiri"},
		Record: schema.Hands, FileMatches: 64,
	}
	l := &experiment.Lineup{Run: run}
	if l.NewAgent, err = experiment.NewAgents(run, agents.New); err != nil {
		t.Fatal(err)
	}
	return l
}

// text returns statistics as JSON without the folder.
func text(t *testing.T, s *stats.Summary) string {
	t.Helper()
	c := *s
	c.Dir = ""
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPartsEqualDataset compares the figures that are joined from the parts of shards with those of
// one dataset of the same cell: they have the same bytes.
func TestPartsEqualDataset(t *testing.T) {
	l := lineup(t, 1)
	var count counter
	plan := &experiment.Plan{Dir: t.TempDir(), Rulesets: []*configs.Ruleset{l.Run.Ruleset}, Lineups: []*experiment.Lineup{l}, Workers: 2, Progress: &count}
	for n, want := range [][2]uint64{{256, 0}, {256, 256}} { // the second time all is there
		if matches, err := plan.Create(); err != nil || matches != 256 {
			t.Fatal(matches, err)
		}
		if err := plan.Play(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := [2]uint64{count.added.Load(), count.skipped.Load()}; got != want {
			t.Errorf("time %d: %d matches played and %d skipped, want %d", n+1, got[0], got[1], want)
		}
	}
	whole, err := stats.Collect(t.Context(), plan.Cells[0].Dirs(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := text(t, &whole.Datasets[0])
	cells := []experiment.PartialCell{{Ruleset: l.Run.Ruleset, Lineup: l, Matches: 256}}
	dir := t.TempDir()
	var played atomic.Uint64
	for n, waiting := range []bool{true, false, false} {
		p := &experiment.Parts{Dir: dir, Workers: 2, Played: func(n int) { played.Add(uint64(n)) }}
		if n < 2 {
			p.Shard = dataset.Shard{Number: uint64(n) + 1, Of: 2}
		}
		figures, err := p.Figures(t.Context(), cells)
		if waiting != errors.Is(err, experiment.ErrWaiting) || !waiting && err != nil {
			t.Fatalf("shard %d: %v", n+1, err)
		}
		if !waiting && text(t, figures[0]) != want {
			t.Errorf("shard %d: the parts are joined to\n%s\nthe dataset has\n%s", n+1, text(t, figures[0]), want)
		}
	}
	if played.Load() != 256 {
		t.Errorf("%d matches were played for 256 of parts", played.Load())
	}
}

// testForce replaces a plan by another with fewer datasets: those of the first go, and nothing else.
func testForce(t *testing.T, l *experiment.Lineup) {
	t.Helper()
	change := func(min int64) *configs.Ruleset {
		r, err := l.Run.Ruleset.Changed(map[string]any{"min_win": min})
		if err != nil {
			t.Fatal(err)
		}
		r.Name = fmt.Sprint("min_win=", min)
		return r
	}
	dir := t.TempDir()
	plan := &experiment.Plan{Dir: dir, Rulesets: []*configs.Ruleset{l.Run.Ruleset, change(4), change(6)}, Lineups: []*experiment.Lineup{l}}
	if _, err := plan.Create(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"02_min_win=6/mine", "03_mine/manifest.json"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	plan.Rulesets = []*configs.Ruleset{l.Run.Ruleset, change(5)}
	if _, err := plan.Create(); !errors.Is(err, dataset.ErrOccupied) || !strings.Contains(err.Error(), "another sweep: 01_min_win=4 there, 01_min_win=5 here") {
		t.Errorf("other rulesets: %v", err)
	}
	plan.Force = true
	if _, err := plan.Create(); err != nil {
		t.Fatal(err)
	}
	names, err := experiment.DatasetNames(dir)
	if want := []string{"00_botzone", "01_min_win=5"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("the datasets are %v, want %v, %v", names, want, err)
	}
	for name, there := range map[string]bool{
		"01_min_win=4": false, "01_min_win=5/manifest.json": true, "02_min_win=6/manifest.json": false, "02_min_win=6/mine": true,
		"03_mine/manifest.json": true,
	} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOtherPlans refuses what other plans have written.
func TestOtherPlans(t *testing.T) {
	l, other := lineup(t, 1), lineup(t, 2)
	dir := t.TempDir()
	plan := &experiment.Plan{Dir: dir, Rulesets: []*configs.Ruleset{l.Run.Ruleset}, Lineups: []*experiment.Lineup{l}}
	if _, err := plan.Create(); err != nil {
		t.Fatal(err)
	}
	plan.Lineups[0] = other
	if _, err := plan.Create(); !errors.Is(err, dataset.ErrOccupied) {
		t.Errorf("a dataset of seed 1 in a plan of seed 2: %v", err)
	}
	parts := t.TempDir()
	testForce(t, l)
	figures := func(l *experiment.Lineup) error {
		p := &experiment.Parts{Dir: parts, Workers: 1}
		_, err := p.Figures(t.Context(), []experiment.PartialCell{{Ruleset: l.Run.Ruleset, Lineup: l, Matches: 64}})
		return err
	}
	if err := figures(l); err != nil {
		t.Fatal(err)
	}
	if err := figures(other); err == nil || !strings.Contains(err.Error(), "a part of another plan") {
		t.Errorf("a part of seed 1 in a plan of seed 2: %v", err)
	}
	for seed, want := range []string{"", "seed 0 there, seed 1 here"} {
		_, err := experiment.OpenParts(dir, []string{fmt.Sprint("seed ", seed)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := experiment.DatasetNames(filepath.Join(dir, "parts")); err == nil {
		t.Error("datasets are found where there are none")
	}
	// A link that another user has put there is replaced, not followed.
	linked, target := t.TempDir(), filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(target, filepath.Join(linked, "search.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.OpenParts(linked, []string{"seed 0"}); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]bool{filepath.Join(dir, "search.txt"): true, filepath.Join(linked, "search.txt"): true, target: false} {
		if _, err := os.Stat(name); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}
