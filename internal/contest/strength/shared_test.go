package strength

import (
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
