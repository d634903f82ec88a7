package stats_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
	"github.com/sparrowhall/sparrowhall/sim"
)

func playRun(t *testing.T, run dataset.Run, shard dataset.Shard) string {
	t.Helper()
	run.Shard = shard
	dir := t.TempDir()
	exporttest.Play(t, &run, dir)
	return dir
}

func runOf(t *testing.T, ruleset string, matches uint64, names ...string) dataset.Run {
	t.Helper()
	rules, err := configs.Open(ruleset)
	if err != nil {
		t.Fatal(err)
	}
	return dataset.Run{Ruleset: rules, Seed: 3, Matches: matches, Agents: names, Record: schema.Hands, FileMatches: sim.BlockSize}
}

func through(t *testing.T, p *stats.Partial) *stats.Partial {
	t.Helper()
	path := filepath.Join(t.TempDir(), "part")
	var b bytes.Buffer
	if err := errors.Join(p.Write(&b), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	read, err := stats.ReadPartial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func partial(t *testing.T, dirs ...string) *stats.Partial {
	t.Helper()
	p, err := stats.CollectPartial(t.Context(), dirs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// nameless returns statistics as JSON, without the folders.
func nameless(t *testing.T, r *stats.Results) string {
	t.Helper()
	for i := range r.Datasets {
		r.Datasets[i].Dir = ""
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The partial reports of shards add up to the report of the whole, to the last bit,
// of single matches and of sets that share their walls, with comparisons.
func TestPartial(t *testing.T) {
	tournament := func(seatings int, rounds, files uint64, record schema.Table) dataset.Run {
		names := []string{"random", "tsumogiri", "random", "random"}
		if seatings == arena.Rotations(4) {
			names = append(names, "random")
		}
		run := runOf(t, "mcr_2006", 0, names...)
		s, err := arena.New(arena.Plan{Seed: run.Seed, Agents: len(names), Selection: arena.EveryLineup, Seatings: seatings, Rounds: rounds})
		if err != nil {
			t.Fatal(err)
		}
		run.Record, run.Matches, run.FileMatches, run.Tournament = record, s.Matches(), files, &dataset.Tournament{Schedule: s}
		return run
	}
	for name, runs := range map[string][]dataset.Run{
		"play":       {runOf(t, "ema_2016", 150, "random", "tsumogiri", "random", "random"), runOf(t, "tenhou", 150, "random", "tsumogiri", "tsumogiri", "random")},
		"tournament": {tournament(arena.Rotations(4), 8, 64, schema.Hands)},
		"all orders": {tournament(arena.Permutations(4), 17, 192, schema.Matches)},
	} {
		t.Run(name, func(t *testing.T) {
			var whole []string
			for _, run := range runs {
				whole = append(whole, playRun(t, run, dataset.Shard{}))
			}
			r, err := stats.Collect(t.Context(), whole, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := nameless(t, r)
			shards := make([]*stats.Partial, 3)
			read := func() []*stats.Partial {
				var list []*stats.Partial
				for _, i := range []int{2, 0, 1} {
					list = append(list, through(t, shards[i]))
				}
				return list
			}
			for n := range shards {
				var dirs []string
				for _, run := range runs {
					dirs = append(dirs, playRun(t, run, dataset.Shard{Number: uint64(n + 1), Of: 3}))
				}
				shards[n] = partial(t, dirs...)
			}
			joined, err := stats.Join(read())
			if err != nil {
				t.Fatal(err)
			}
			if err := joined.CheckComplete(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, nameless(t, joined.Results())); diff != "" {
				t.Errorf("-whole +joined:\n%s", diff)
			}
			last, err := stats.Join([]*stats.Partial{read()[0], read()[2]})
			if err != nil {
				t.Fatal(err)
			}
			if err := last.CheckComplete(); err == nil || !strings.Contains(err.Error(), ", 0 to ") {
				t.Errorf("the first shard is missing: %v", err)
			}
			joined, err = stats.Join([]*stats.Partial{through(t, last), read()[1]}) // in two steps
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, nameless(t, joined.Results())); diff != "" {
				t.Errorf("-whole +joined in steps:\n%s", diff)
			}
			for want, pick := range map[string][]int{"overlap: match ": {0, 1, 1}, "are missing, between": {1, 0}} {
				var list []*stats.Partial
				for _, i := range pick {
					list = append(list, read()[i])
				}
				if _, err := stats.Join(list); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v: %v, want %q", pick, err, want)
				}
			}
		})
	}
}

func TestPartialErrors(t *testing.T) {
	run := runOf(t, "ema_2016", 128, "random", "random", "random", "random")
	one := partial(t, playRun(t, run, dataset.Shard{Number: 1, Of: 2}))
	other := run
	other.Seed++
	two := partial(t, playRun(t, other, dataset.Shard{Number: 2, Of: 2}))
	if _, err := stats.Join([]*stats.Partial{one, two}); err == nil || !strings.Contains(err.Error(), "are of different runs: seed is 3 there, 4 here") {
		t.Error(err)
	}
	if err := one.CheckComplete(); err == nil || err.Error() != "of the 128 matches of ema_2016, 64 to 127 are missing" {
		t.Error(err)
	}
	s, err := arena.New(arena.Plan{Seed: 3, Agents: 4, Selection: arena.EveryLineup, Seatings: arena.Permutations(4), Rounds: 8})
	if err != nil {
		t.Fatal(err)
	}
	run.Matches, run.Agents, run.Tournament = s.Matches(), []string{"random", "tsumogiri", "random", "random"}, &dataset.Tournament{Schedule: s}
	run.Record = schema.Matches
	dir := playRun(t, run, dataset.Shard{Number: 2, Of: 3})
	if _, err := stats.CollectPartial(t.Context(), []string{dir}, nil, nil); err == nil || !strings.Contains(err.Error(), "within a duplicate set of 24 matches; shards of --file-matches 192 begin") {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := two.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	path := filepath.Join(t.TempDir(), "part")
	for bad, want := range map[string]string{
		"":   "it is no partial report",
		"{}": "it is no partial report",
		strings.Replace(text, `"sparrowhall_partial_report":1`, `"sparrowhall_partial_report":2`, 1): "version 2 of partial reports",
		strings.Replace(text, `"seed":4`, `"seed":3`, 1):                                             "its text was changed",
		text[:len(text)/2]: "it is no partial report",
	} {
		if err := os.WriteFile(path, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := stats.ReadPartial(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
