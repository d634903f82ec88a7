package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/table"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"
)

// attacker has the source, the clock, the commitments and all replays of earlier matches, and
// derives from them the seeds that the next match could have.
type attacker struct {
	// seeds are those of matches and runs in replays and manifests.
	seeds []uint64
	// reveals are the seals of earlier matches, revealed or not.
	reveals []*seal.Seal
	// since is a moment shortly before the seed was made, the zero time for none.
	since time.Time
}

const (
	smallSeeds = 1 << 8
	runMatches = 16
	clockSpan  = 20 * time.Microsecond // around since, tried by the nanosecond
)

// knows reports whether a match seed is among those that the attacker derives.
func (a *attacker) knows(match uint64) bool {
	for run := range a.runs() {
		for i := range uint64(runMatches) {
			if run+i == match || sim.MatchSeed(run, i) == match {
				return true
			}
		}
	}
	for secret := range a.secrets() {
		for i := range uint64(runMatches) {
			if secret.MatchSeed(i) == match {
				return true
			}
		}
	}
	for n := -clockSpan; !a.since.IsZero() && n < clockSpan; n++ {
		run := uint64(a.since.Add(n).UnixNano())
		if run == match || sim.MatchSeed(run, 0) == match {
			return true
		}
	}
	return false
}

// runs yields the seeds that a run could have.
func (a *attacker) runs() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		known := a.seeds
		for _, s := range a.reveals {
			known = append(known, s.Seed())
			for at := 0; at < len(s.Commitment); at += 8 {
				known = append(known, binary.LittleEndian.Uint64(s.Commitment[at:]), binary.BigEndian.Uint64(s.Commitment[at:]))
			}
		}
		for run := range uint64(smallSeeds) {
			if !yield(run) {
				return
			}
			// The rounds of a league whose seed is small.
			for round := range 4 {
				if !yield(derived("round", run, round)) || !yield(derived("test", run, round)) {
					return
				}
			}
		}
		for _, seed := range known {
			for step := range uint64(32) {
				if !yield(seed + step - 16) {
					return
				}
			}
			for round := range 16 {
				if !yield(derived("round", seed, round)) || !yield(derived("fork", seed, round)) {
					return
				}
			}
		}
	}
}

// derived is the seed of a purpose in a league with public walls.
func derived(what string, seed uint64, n int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "sparrowhall league %s %d %d", what, seed, n))
	return binary.LittleEndian.Uint64(sum[:]) >> 1
}

// secrets yields the secrets that a sealed run could have: of a generator that goes on from what it
// has revealed, or that made the secret of what all may see.
func (a *attacker) secrets() iter.Seq[*sim.Secret] {
	return func(yield func(*sim.Secret) bool) {
		var known [][]byte
		for _, s := range a.reveals {
			known = append(known, s.Commitment[:])
			if s.Known() {
				known = append(known, s.Secret()[:])
			}
		}
		for _, seed := range a.seeds {
			known = append(known, binary.LittleEndian.AppendUint64(nil, seed))
		}
		for _, bytes := range known {
			var same sim.Secret
			copy(same[:], bytes)
			next := sim.Secret(sha256.Sum256(bytes))
			if !yield(&same) || !yield(&next) {
				return
			}
		}
	}
}

// TestGuess attacks the walls of a league and of a table. With a seed an attacker finds them, which
// shows that this one finds something; without one it finds none.
func TestGuess(t *testing.T) {
	rules, err := configs.Change("ema_2016", map[string]any{"rounds": 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, public := range []bool{true, false} {
		var seed *uint64
		if public {
			seed = new(uint64(7))
		}
		for name, play := range map[string]func(*testing.T, string, *configs.Ruleset, *uint64){"league": playLeague, "table": playTable} {
			t.Run(fmt.Sprintf("%s/public=%t", name, public), func(t *testing.T) {
				a, dir := &attacker{since: time.Now()}, t.TempDir()
				play(t, dir, rules, seed)
				folders, err := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
				if err != nil || len(folders) < 2 {
					t.Fatalf("%v, %v", folders, err)
				}
				slices.Sort(folders)
				for i, folder := range folders {
					d, err := dataset.Open(filepath.Dir(folder))
					if err != nil {
						t.Fatal(err)
					}
					if d.Run.Seal != nil { // the commitment is published before the first hand
						a.reveals = append(a.reveals, &seal.Seal{Commitment: d.Run.Seal.Commitment})
					}
					match, _ := d.Run.Schedule().Match(0)
					if guessed := a.knows(match); guessed != public {
						t.Errorf("run %d: guessed: %t", i, guessed)
					}
					a.seeds = append(a.seeds, match, d.Run.Seed)
					if d.Run.Seal != nil {
						a.reveals = append(a.reveals, d.Run.Seal)
					}
				}
			})
		}
	}
}

// playLeague plays a league and leaves the datasets of its rounds in dir.
func playLeague(t *testing.T, dir string, rules *configs.Ruleset, seed *uint64) {
	t.Helper()
	home := t.TempDir()
	l, err := league.Init(t.Context(), filepath.Join(home, "cup"), league.Settings{Ruleset: rules, Seed: seed, Anchor: "tsumogiri", Luck: league.NoLuck})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Add(t.Context(), league.NewBot{Name: "random", Agent: "random"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := l.Run(t.Context(), league.RunOptions{Matches: 8, Workers: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(home, "cup", "matches"))); err != nil {
		t.Fatal(err)
	}
}

// playTable plays matches of agents at a table in dir.
func playTable(t *testing.T, dir string, rules *configs.Ruleset, seed *uint64) {
	t.Helper()
	o := table.Options{Ruleset: rules, Seed: seed, Out: dir}
	for p := range o.Agents {
		newAgent, err := agents.New("tsumogiri")
		if err != nil {
			t.Fatal(err)
		}
		o.Agents[p] = table.Agent{Name: "tsumogiri", New: newAgent}
	}
	s, err := table.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Play(ctx) }()
	if !poll.Until(func() bool {
		d, err := dataset.Open(filepath.Join(dir, "match-0003"))
		return err == nil && d.Manifest.Complete
	}) {
		t.Fatal("the table does not play")
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	// The match in progress has no dataset yet.
	if err := os.RemoveAll(filepath.Join(dir, "match-0004.journal")); err != nil {
		t.Fatal(err)
	}
}
