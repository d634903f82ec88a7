package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// slowSystem is one in which every match takes long.
func slowSystem() system {
	s := realSystem
	var seconds atomic.Int64
	s.now = func() time.Time { return time.Unix(seconds.Add(1), 0) }
	return s
}

// counted counts the matches that are played and calls after with each number.
type counted struct {
	sim.Journal
	played atomic.Int64
	after  func(n int64)
}

func (c *counted) Record(m *sim.Match) error {
	err := c.Journal.Record(m)
	if err == nil {
		c.after(c.played.Add(1))
	}
	return err
}

// playCounted writes what is missing of the dataset of run and returns how many
// matches were played. After most of them the run is interrupted.
func playCounted(t *testing.T, dir string, run *Run, overlap bool, most int64, s system) (played int64, err error) {
	t.Helper()
	w, err := create(dir, run, false, s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &counted{Journal: w.Journal(), after: func(n int64) {
		if n == most {
			cancel()
		}
	}}
	job := &sim.Job{
		Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), First: w.Next(), Count: w.End() - w.Next(),
		Keep: run.Keep(), Workers: 2, Sealed: run.Seal != nil, Journal: c, Overlap: overlap,
		NewAgent: func(number int) sim.Agent { return testAgents[run.Agents[number]] },
	}
	err = sim.Run(ctx, job, w.NewBlock, (*Block).Add, w.Append)
	if closing := w.Close(); err == nil {
		err = closing
	}
	return c.played.Load(), err
}

// kept returns how many matches the journals of a folder hold.
func kept(t *testing.T, dir string, run *Run) int64 {
	t.Helper()
	w, err := Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	n := w.KeptMatches()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return int64(n)
}

// Every match of slow players is played once, however often the run is interrupted,
// and the bytes are those of a run that was not.
func TestJournal(t *testing.T) {
	sealed, seal := sealedRun(t)
	sealed.FileMatches *= 2
	whole := newRun(t, "ema_2016", schema.Decisions)
	whole.FileMatches *= 2 // no file is whole before the end
	runs := map[string]*Run{
		"decisions": whole, "matches": newRun(t, "botzone", schema.Matches), "debts": newRun(t, shortHKTW(t), schema.Hands), "sealed": sealed,
		"tournament": newTournament(t, schema.Hands), "shard": shardOf(newTournament(t, schema.Decisions), 2, 2),
	}
	if testing.Short() {
		delete(runs, "decisions")
		delete(runs, "shard")
	}
	for name, run := range runs {
		wholeDir, dir := t.TempDir(), t.TempDir()
		mustPlay(t, wholeDir, run, 1)
		want := contents(t, wholeDir)
		total := int64(mustOpen(t, wholeDir).Matches())
		sum := int64(0)
		for round := 0; ; round++ {
			played, err := playCounted(t, dir, run, round%2 == 1, 25, slowSystem())
			sum += played
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", name, err)
			}
			d := mustOpen(t, dir)
			if n := kept(t, dir, run); int64(d.Matches())+n != sum {
				t.Errorf("%s: %d matches are in files and %d in journals; %d were played", name, d.Matches(), n, sum)
			}
			if run == sealed {
				noSecret(t, dir, seal, run.Matches)
				noMatchSeed(t, dir, run)
			}
		}
		if sum != total {
			t.Errorf("%s: %d matches were played for %d", name, sum, total)
		}
		if d := cmp.Diff(want, contents(t, dir)); d != "" {
			t.Errorf("%s: interrupted and continued (-never interrupted):\n%s", name, d)
		}
	}
}

// noMatchSeed fails if the seed of a match is in a journal of the folder.
func noMatchSeed(t *testing.T, dir string, run *Run) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, journalName(0)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Matches {
		seed, _ := run.Schedule().Match(i)
		b := binary.LittleEndian.AppendUint64(nil, seed)
		for _, b := range [][]byte{b, []byte(hex.EncodeToString(b))} {
			if bytes.Contains(text, b) {
				t.Errorf("the journal has the seed of match %d", i)
			}
		}
	}
}

// Players who are fast have no journal.
func TestJournalFast(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Matches)
	s := realSystem
	s.now = func() time.Time { return time.Unix(0, 0) }
	dir := t.TempDir()
	if _, err := playCounted(t, dir, run, false, 20, s); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, e := range readDir(t, dir) {
		if e.Name() != manifestName {
			t.Errorf("there is %s", e.Name())
		}
	}
}

// A journal that is torn or damaged anywhere holds the matches before that place;
// one of another run is of no use, and none is known to a run that starts over.
func TestJournalDamage(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Matches)
	run.FileMatches *= 2
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	want := contents(t, whole)
	dir := t.TempDir()
	played, err := playCounted(t, dir, run, false, 10, slowSystem())
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	path := filepath.Join(dir, journalName(0))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	least := int64(0)
	for size := 0; size <= len(text); size += samples(997, 311, 1) {
		write(text[:size])
		n := kept(t, dir, run)
		if n < least || n > played || size < journalHead && n != 0 {
			t.Fatalf("%d matches in %d bytes, %d in fewer", n, size, least)
		}
		least = n
		if b, err := os.ReadFile(path); err == nil && !bytes.HasPrefix(text, b) {
			t.Fatalf("cut to %d bytes that are others", len(b))
		}
	}
	for at := 0; at < len(text); at += samples(1999, 613, 7) {
		damaged := bytes.Clone(text)
		damaged[at] ^= 0x40
		write(damaged)
		if n := kept(t, dir, run); n >= played || at < journalHead && n != 0 {
			t.Errorf("%d of %d matches with byte %d damaged", n, played, at)
		}
	}

	// What is appended after a cut is found again.
	write(text[:len(text)-1])
	more, err := playCounted(t, dir, run, false, 5, slowSystem())
	if n := kept(t, dir, run); !errors.Is(err, context.Canceled) || n != played-1+more {
		t.Errorf("%d matches, want %d before the cut and %d after: %v", n, played-1, more, err)
	}
	mustPlay(t, dir, run, 2)
	if d := cmp.Diff(want, contents(t, dir)); d != "" {
		t.Errorf("continued (-never interrupted):\n%s", d)
	}

	other := *run
	other.Seed++
	dir = t.TempDir()
	if _, err := playCounted(t, dir, &other, false, 5, slowSystem()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	path = filepath.Join(dir, journalName(0))
	write(text)
	if n := kept(t, dir, &other); n != 0 {
		t.Errorf("%d matches of another run are known", n)
	}
	if _, err := playCounted(t, dir, &other, false, 5, slowSystem()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	w, err := Create(dir, &other, true)
	if err != nil {
		t.Fatal(err)
	}
	if n := w.KeptMatches(); n != 0 {
		t.Errorf("%d matches are known to a run that starts over", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A journal whose answers do not fit is named, and how to do without.
func TestJournalMisfit(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Matches)
	dir := t.TempDir()
	w, err := create(dir, run, false, slowSystem())
	if err != nil {
		t.Fatal(err)
	}
	m := &sim.Match{Actions: []sim.Action{sim.ActPass}}
	if known, err := w.Journal().Recall(m); known || err != nil {
		t.Fatal(known, err)
	}
	if err := errors.Join(w.Journal().Record(m), w.Close()); err != nil {
		t.Fatal(err)
	}
	err = play(t.Context(), dir, run, 1, slowSystem())
	if err == nil || !strings.Contains(err.Error(), journalName(0)+": match 0 is not one of this run: sim: hand 0, decision 0: ") {
		t.Error(err)
	}
}

// A record that met a full disk at any of its bytes is written whole once there is room.
func TestJournalRepeat(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Hands)
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	for _, room := range []int64{0, 10, int64(journalHead), int64(journalHead) + 3, 300, 2000} {
		dir := t.TempDir()
		s := slowSystem()
		disk := &fullDisk{}
		disk.left.Store(room)
		s.extend = func(path string) (arrowfile.File, error) {
			f, err := realSystem.extend(path)
			if err != nil {
				return nil, err
			}
			return &fullFile{f.(*os.File), disk}, nil
		}
		w, err := create(dir, run, false, s)
		if err != nil {
			t.Fatal(err)
		}
		failures := 0
		d := mustOpen(t, whole)
		for index := range uint64(8) {
			m, err := d.Match(index)
			if err != nil {
				t.Fatal(err)
			}
			if known, err := w.Journal().Recall(&sim.Match{Index: index}); known || err != nil {
				t.Fatal(known, err)
			}
			if err := w.Journal().Record(m); errors.Is(err, syscall.ENOSPC) {
				failures++
				disk.left.Store(1 << 30)
				err = w.Journal().Record(m)
				if err != nil {
					t.Fatal(err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if n := kept(t, dir, run); n != 8 || failures != 1 {
			t.Errorf("room for %d bytes: %d of 8 matches are kept after %d failures", room, n, failures)
		}
	}
}

// A disk that is full at any byte of a journal ends the run; what was played before
// is kept.
func TestJournalFullDisk(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Hands)
	run.FileMatches *= 2
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	want := contents(t, whole)
	for i := range samples(2, 8, 100) {
		dir := t.TempDir()
		s := slowSystem()
		disk := &fullDisk{}
		disk.left.Store(int64(20 + i*797))
		s.extend = func(path string) (arrowfile.File, error) {
			f, err := realSystem.extend(path)
			if err != nil {
				return nil, err
			}
			return &fullFile{f.(*os.File), disk}, nil
		}
		played, err := playCounted(t, dir, run, false, -1, s)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("room for %d bytes: %v", 20+i*997, err)
		}
		if n := kept(t, dir, run); n != played {
			t.Errorf("%d of %d matches are kept", n, played)
		}
		mustPlay(t, dir, run, 2)
		if d := cmp.Diff(want, contents(t, dir)); d != "" {
			t.Fatalf("continued with more room (-always enough):\n%s", d)
		}
	}
}

// A link that another user puts into the folder while a run is played is not followed.
func TestJournalLink(t *testing.T) {
	dir, run := t.TempDir(), newRun(t, "ema_2016", schema.Matches)
	w, err := create(dir, run, false, slowSystem())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	target := filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(target, filepath.Join(dir, journalName(0))); err != nil {
		t.Fatal(err)
	}
	m := &sim.Match{}
	if _, err := w.Journal().Recall(m); err != nil {
		t.Fatal(err)
	}
	if err := w.Journal().Record(m); err == nil {
		t.Error("a match is recorded elsewhere")
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the target of a link is made")
	}
}
