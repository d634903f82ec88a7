package strength

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// A block of a process of another machine that is silent is played by another, not before, and that
// of one of this machine that has ended at once.
func TestSilentProcess(t *testing.T) {
	run, _ := newTournament(t, arena.Plan{Seed: 1, Agents: 2, Selection: arena.EveryLineup, Repeats: true, Seatings: 4, Rounds: 100})
	dir := t.TempDir()
	open := func() *Shared {
		s, err := OpenShared(dir, run)
		if err != nil {
			t.Fatal(err)
		}
		s.known = run.Matches
		return s
	}
	claim := func(s *Shared) uint64 {
		n, ok, err := s.claim()
		if err != nil || !ok {
			t.Fatalf("block %d, %v, %v", n, ok, err)
		}
		return n
	}
	far, own, ended := open(), open(), open()
	far.name, ended.name = "AAAAAAAA.1.elsewhere", "BBBBBBBB.99999999."+own.host
	if a, b := claim(far), claim(ended); a != 0 || b != 1 {
		t.Fatal(a, b)
	}
	own.silence = time.Hour
	if n := claim(own); n != 1 {
		t.Errorf("block %d of a process that lives", n)
	}
	own.silence = time.Millisecond
	if !poll.Until(func() bool { return claim(own) == 0 }) {
		t.Error("the block of a silent process is not played")
	}
	run.Agents = []string{"other", "agents"}
	if _, err := OpenShared(dir, run); err == nil || !strings.Contains(err.Error(), "another tournament") {
		t.Errorf("the folder of another tournament: %v", err)
	}
}

// A block of which any byte has changed is refused.
func TestDamagedBlock(t *testing.T) {
	s := &Shared{dir: t.TempDir()}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(sharedBlock{Node: "one", Matches: []sharedMatch{{Actions: []byte{1}}}}); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text.Bytes())
	file := append(sum[:], text.Bytes()...)
	for i := -1; i <= len(file); i++ {
		damaged := bytes.Clone(file)
		if i == len(file) {
			damaged = nil
		} else if i >= 0 {
			damaged[i] ^= 1
		}
		if err := os.WriteFile(s.path(blockName(0)), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.block(0); (err == nil) != (i < 0) {
			t.Fatalf("byte %d of %d changed: error %v", i, len(file), err)
		}
	}
}
