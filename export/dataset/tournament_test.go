package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/sim"
)

// newTournament returns a run of two blocks and a half, each in files of its own.
func newTournament(t testing.TB, record schema.Table) *Run {
	t.Helper()
	run := newRun(t, "ema_2016", record)
	run.Agents = []string{"random", "climber", "random", "cheat", "random"}
	s, err := arena.New(arena.Plan{Seed: run.Seed, Agents: 5, Selection: arena.EveryLineup, Seatings: arena.Rotations(4), Rounds: 8})
	if err != nil {
		t.Fatal(err)
	}
	run.Matches, run.Tournament = s.Matches(), &Tournament{Schedule: s}
	return run
}

func shardOf(run *Run, number, of uint64) *Run {
	shard := *run
	shard.Shard = Shard{number, of}
	return &shard
}

// A tournament is an ordinary dataset that knows the schedule.
func TestTournament(t *testing.T) {
	for _, record := range []schema.Table{schema.Matches, schema.Decisions} {
		run := newTournament(t, record)
		dir := t.TempDir()
		mustPlay(t, dir, run, 2)
		if err := verify(t, dir); err != nil {
			t.Fatal(err)
		}
		d := mustOpen(t, dir)
		for i, r := range collect(t, d.MatchRows()) {
			index := uint64(i / 4)
			seed, agents := run.Schedule().Match(index)
			if r.Match != index || r.Seed != seed || r.Agent != agents[i%4] || r.WallSet != index/4 || uint64(r.Seating) != index%4 {
				t.Fatalf("row %d: %+v, want seed %d, agents %v", i, r, seed, agents)
			}
			if r.Forfeited && run.Agents[r.Agent] != "cheat" {
				t.Errorf("row %d: %s has forfeited", i, run.Agents[r.Agent])
			}
		}
		if m, err := d.Match(100); err != nil || m.Agents != agentsOf(run, 100) {
			t.Errorf("match 100: %v", err)
		}
	}
}

func agentsOf(run *Run, match uint64) [4]uint8 {
	_, agents := run.Schedule().Match(match)
	return agents
}

// Shards of any number and any order are joined to the bytes of one machine.
func TestMerge(t *testing.T) {
	run := newTournament(t, schema.Hands)
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	want := contents(t, whole)
	for of := uint64(samples(3, 1, 1)); of <= 3; of++ {
		var dirs []string
		for n := of; n >= 1; n-- {
			dir := t.TempDir()
			mustPlay(t, dir, shardOf(run, n, of), 1)
			if err := verify(t, dir); err != nil {
				t.Errorf("shard %d of %d: %v", n, of, err)
			}
			d := mustOpen(t, dir)
			if m, err := d.Match(d.First()); err != nil || m.Index != d.First() {
				t.Errorf("shard %d of %d: %v", n, of, err)
			}
			if _, err := d.Match(d.First() + d.Matches()); !errors.Is(err, ErrNoMatch) {
				t.Errorf("shard %d of %d: %v", n, of, err)
			}
			mustPlay(t, dir, shardOf(run, n, of), 1) // which changes nothing
			dirs = append(dirs, dir)
		}
		dir, copied := t.TempDir(), 0
		if err := Merge(t.Context(), dir, dirs, nil, false, func(n int) { copied += n }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contents(t, dir)); diff != "" || copied != int(run.Matches) {
			t.Errorf("%d shards, %d matches copied (-alone +joined):\n%s", of, copied, diff)
		}
		if err := Merge(t.Context(), dir, dirs, nil, false, func(int) { t.Error("copied again") }); err != nil {
			t.Error(err)
		}
		mustPlay(t, dir, run, 1) // it is complete for the whole run, too
	}
}

// A merge that is stopped, or finds no room, goes on to the same bytes.
func TestMergeInterrupted(t *testing.T) {
	run := newTournament(t, schema.Matches)
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	want := contents(t, whole)
	size := int64(0)
	for _, f := range mustOpen(t, whole).Manifest.Files {
		size += f.Bytes
	}
	var shards []string
	for n := uint64(1); n <= 3; n++ {
		shards = append(shards, t.TempDir())
		mustPlay(t, shards[n-1], shardOf(run, n, 3), 2)
	}
	none := func(int) {}
	r := rand.New(rand.NewPCG(5, 6))
	for range samples(2, 6, 50) {
		dir, disk := t.TempDir(), &fullDisk{}
		disk.left.Store(r.Int64N(size))
		s := realSystem
		s.create = disk.create
		if err := merge(t.Context(), dir, shards, nil, false, none, s); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := Merge(ctx, dir, shards, nil, false, func(int) { cancel() }); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		checkWhole(t, dir)
		if err := Merge(t.Context(), dir, shards, nil, false, none); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
			t.Fatalf("-at once +in parts:\n%s", diff)
		}
	}
}

func TestMergeErrors(t *testing.T) {
	run := newTournament(t, schema.Matches)
	base := t.TempDir()
	shard := func(name string, r *Run) string {
		dir := filepath.Join(base, name)
		mustPlay(t, dir, r, 2)
		return dir
	}
	whole := shard("whole", run)
	one, two, three := shard("1", shardOf(run, 1, 3)), shard("2", shardOf(run, 2, 3)), shard("3", shardOf(run, 3, 3))
	half := shard("half", shardOf(run, 2, 2))
	seed := *run
	seed.Seed++
	plan := run.Tournament.Schedule.Plan
	plan.Seed++
	s, err := arena.New(plan)
	if err != nil {
		t.Fatal(err)
	}
	seed.Tournament = &Tournament{Schedule: s}
	other := shard("other", shardOf(&seed, 2, 3))
	rules := *run
	rules.Ruleset = newRun(t, "tenhou", schema.Matches).Ruleset
	tenhou := shard("tenhou", shardOf(&rules, 2, 3))

	unfinished := filepath.Join(base, "unfinished")
	w, err := Create(unfinished, shardOf(run, 2, 3), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(base, "damaged")
	if err := os.CopyFS(damaged, os.DirFS(two)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(damaged, mustOpen(t, damaged).Manifest.Files[0].Name)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dirs []string
		want string
	}{
		{nil, "no shards are given"},
		{[]string{one, filepath.Join(base, "absent")}, "no such file"},
		{[]string{whole}, whole + ": it is no shard, but a whole run"},
		{[]string{one, three}, "of 3 shards these are missing: 2"},
		{[]string{two}, "of 3 shards these are missing: 1, 3"},
		{[]string{one, two, three, two}, two + " and " + two + " are both shard 2"},
		{[]string{one, half, three}, half + ": it is shard 2 of 2; " + one + " is one of 3"},
		{[]string{one, other, three}, "are shards of different runs: seed is 7 there, 8 here"},
		{[]string{one, tenhou, three}, "are shards of different runs: ruleset is ema_2016 there, tenhou here"},
		{[]string{one, unfinished, three}, unfinished + ": it is incomplete: it has 0 of its 64 matches"},
		{[]string{one, damaged, three}, file + ": the checksum is not that of the manifest"},
	} {
		dir := filepath.Join(base, "joined")
		err := Merge(t.Context(), dir, c.dirs, nil, false, func(int) {})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.dirs, err, c.want)
		}
		if _, err := os.Stat(dir); err == nil && !strings.Contains(c.want, "checksum") {
			t.Errorf("%v: the folder was made", c.dirs)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := Merge(t.Context(), two, []string{one, two, three}, nil, true, func(int) {}); err == nil || !strings.Contains(err.Error(), "it is one of the shards") {
		t.Errorf("joined into a shard: %v", err)
	}
	if err := Merge(t.Context(), whole, []string{one, two, three}, nil, false, func(int) {}); err != nil {
		t.Errorf("joined into the same: %v", err)
	}
	if err := Merge(t.Context(), tenhou, []string{one, two, three}, nil, false, func(int) {}); !errors.Is(err, ErrOccupied) {
		t.Errorf("joined into another: %v", err)
	}
}

// A tournament that stops early is complete with the matches it has.
func TestWriterStop(t *testing.T) {
	run := newTournament(t, schema.Matches)
	run.Tournament.UntilClear = 0.05
	run.FileMatches = 2 * sim.BlockSize
	full := t.TempDir()
	mustPlay(t, full, run, 2)
	for blocks := uint64(1); blocks <= 2; blocks++ {
		dir := t.TempDir()
		for range 2 { // the second time there is nothing to do
			w, err := Create(dir, run, false)
			if err != nil {
				t.Fatal(err)
			}
			if w.Next() < w.End() {
				job := &sim.Job{
					Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), Count: blocks * sim.BlockSize, Keep: run.Keep(),
					NewAgent: func(number int) sim.Agent { return testAgents[run.Agents[number]] },
				}
				if err := sim.Run(t.Context(), job, w.NewBlock, (*Block).Add, w.Append); err != nil {
					t.Fatal(err)
				}
				if err := w.Stop(); err != nil {
					t.Fatal(err)
				}
			}
			if w.Next() != blocks*sim.BlockSize || w.End() != w.Next() {
				t.Errorf("%d blocks: next %d, end %d", blocks, w.Next(), w.End())
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		d := mustOpen(t, dir)
		if m := d.Manifest; !m.Complete || m.Matches != run.Matches || m.Tournament.Stopped != blocks*sim.BlockSize || d.Matches() != m.Tournament.Stopped {
			t.Errorf("%d blocks: %+v", blocks, m)
		}
		if err := verify(t, dir); err != nil {
			t.Error(err)
		}
		rows, all := collect(t, d.MatchRows()), collect(t, mustOpen(t, full).MatchRows())
		if diff := cmp.Diff(all[:len(rows)], rows); diff != "" {
			t.Errorf("%d blocks (-all +stopped):\n%s", blocks, diff)
		}
	}
}

func TestTournamentErrors(t *testing.T) {
	for want, change := range map[string]func(r *Run){
		"160 matches of 5 agents from seed 8; the schedule has 160 matches of 5 agents from seed 7": func(r *Run) { r.Seed++ },
		"64 matches of 5 agents from seed 7; the schedule has 160 matches":                          func(r *Run) { r.Matches = 64 },
		"160 matches of 2 agents from seed 7; the schedule has 160 matches of 5 agents":             func(r *Run) { r.Agents = r.Agents[:2] },
		"the seats of a tournament are those of its schedule; they cannot be kept":                  func(r *Run) { r.KeepSeats = true },
		"error rate 1; allowed: from 0 to below 1":                                                  func(r *Run) { r.Tournament.UntilClear = 1 },
		"shard 3/2; the shards are numbered from 1 to 2":                                            func(r *Run) { r.Shard = Shard{3, 2} },
		"shard 0/2; the shards are numbered from 1 to 2":                                            func(r *Run) { r.Shard = Shard{0, 2} },
		"4 shards, but 160 matches fill only 3 files of 64; let fewer matches share a file":         func(r *Run) { r.Shard = Shard{1, 4} },
		"a shard does not have the results that decide when to stop": func(r *Run) {
			r.Shard, r.Tournament.UntilClear = Shard{1, 2}, 0.1
		},
	} {
		run := newTournament(t, schema.Matches)
		change(run)
		if err := run.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	dir := t.TempDir()
	mustPlay(t, dir, shardOf(newTournament(t, schema.Matches), 1, 2), 2)
	path := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(m *Manifest){
		"tournament: 0 rounds":          func(m *Manifest) { m.Tournament.Rounds = 0 },
		"tournament: unknown selection": func(m *Manifest) { m.Tournament.Selection = "" },
		"shard of 0":                    func(m *Manifest) { m.Shard.Of = 0 },
		"tournament: a tournament has 2 to 64 agents, not 1": func(m *Manifest) { m.Agents = m.Agents[:1] },
		"tournament: stopped after 64 matches":               func(m *Manifest) { m.Tournament.Stopped = 64 },
		"files: entry 0 is not":                              func(m *Manifest) { m.Shard.Number = 2 },
		"shard 9/2":                                          func(m *Manifest) { m.Shard.Number = 9 },
		"the schedule has 20 matches":                        func(m *Manifest) { m.Tournament.Rounds = 1 },
		fmt.Sprintf("%d agents; ema_2016 has 4 players", 5):  func(m *Manifest) { m.Tournament = nil },
	} {
		var m Manifest
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		change(&m)
		b, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
