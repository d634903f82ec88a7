package heuristic

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/sim"
)

func TestPaysReady(t *testing.T) {
	for preset, want := range map[string]bool{"tenhou": true, "ema_2016": true, "mcr_2006": false, "zung_jung": false, "hkma_hktw": false} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		if got := rewardsTenpai(r); got != want {
			t.Errorf("%s pays who is ready: %v", preset, got)
		}
	}
}

// lateOnes looks at what its expert considers shortly before the wall is exhausted.
type lateOnes struct {
	*Expert
	t              *testing.T
	calls, unaimed int // by which hands become ready, and those of them that are near to no win
	turns          int
}

func (l *lateOnes) Act(v sim.View) sim.Action {
	a := l.Expert.Act(v)
	x, r := l.Expert, v.Rules()
	if v.TilesLeft() > sim.NumPlayers*nearExhaustionDraws || x.numCandidates == 0 {
		return a
	}
	var now aim.Position
	now.Observe(v)
	switch v.Phase() {
	case sim.PhaseClaim:
		if r.Shanten(&now.Hand, now.NumMelds) <= 0 {
			break
		}
		legal := v.Legal()
		var calls [aim.MaxCalls]aim.Call
		for _, call := range calls[:aim.FindCalls(&legal, v.ClaimableTile().Kind(), &calls)] {
			p := now
			p.ApplyCall(&call)
			ready := false
			for kinds := p.LegalDiscards(&call, r); kinds != 0; kinds = kinds.Rest() {
				after := p
				after.Hand.Remove(kinds.First())
				ready = ready || r.Shanten(&after.Hand, after.NumMelds) == 0
			}
			if !ready {
				continue
			}
			l.calls++
			listed := false
			for i := range x.numCandidates {
				if c := &x.candidates[i]; c.action == call.Action {
					listed = true
					if c.total == 0 && c.winEV == 0 {
						l.unaimed++
					}
				}
			}
			if !listed {
				l.t.Errorf("%v makes %v ready and is not considered", call.Action, now.Hand)
			}
		}
	case sim.PhaseTurn:
		if now.Hand.Len()%3 != 2 || r.Shanten(&now.Hand, now.NumMelds) > 0 {
			break
		}
		l.turns++
		ready := 0
		for i := range x.numCandidates {
			if c := &x.candidates[i]; r.Shanten(&c.after.Hand, c.after.NumMelds) <= 0 {
				ready++
			}
		}
		if ready == 0 {
			l.t.Errorf("nothing is considered by which %v stays ready", now.Hand)
		}
	}
	return a
}

// TestLate holds that every call by which a hand becomes ready is considered shortly before
// the wall is exhausted, and something by which a ready hand stays so.
func TestLate(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	var seats [sim.NumPlayers]sim.Agent
	var all [sim.NumPlayers]lateOnes
	for i := range seats {
		all[i] = lateOnes{Expert: expertOf(t, "net=off"), t: t}
		seats[i] = &all[i]
	}
	var m sim.Match
	for m.Seed = range 80 {
		m.Play(r, &seats)
	}
	calls, unaimed, turns := 0, 0, 0
	for i := range all {
		calls, unaimed, turns = calls+all[i].calls, unaimed+all[i].unaimed, turns+all[i].turns
	}
	t.Logf("%d calls, %d of them near to no win; %d turns", calls, unaimed, turns)
	if calls < 8 || unaimed < 2 || turns < 50 {
		t.Errorf("%d calls, %d of them near to no win, and %d turns are too few", calls, unaimed, turns)
	}
}
