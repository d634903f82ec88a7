package heuristic

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// ponWatcher compares the list of its expert at claims with that of an expert that leaves out
// pons of valued honors that bring no aim nearer.
type ponWatcher struct {
	*Expert
	t           *testing.T
	former      *Expert
	added, made int
}

func (w *ponWatcher) Act(v sim.View) sim.Action {
	x := w.Expert
	if v.Phase() != sim.PhaseClaim {
		return x.Act(v)
	}
	a, k := x.Act(v), v.ClaimableTile().Kind()
	choice := w.former.Act(v)
	legal := v.Legal()
	if !legal.Has(sim.ActPon) || x.numCandidates == 0 {
		return a
	}
	valued := k >= tile.White || k == v.SeatWind(v.Player()).Kind() || k == v.RoundWind().Kind()
	if listed := lists(x, sim.ActPon); !valued || lists(w.former, sim.ActPon) {
		if listed != lists(w.former, sim.ActPon) {
			w.t.Errorf("pon of %v: listed %v, formerly not so", k, listed)
		}
		return a
	} else if !listed {
		w.t.Errorf("a pon of %v is not considered", k)
	}
	w.added++
	if x.Candidate(0) != w.former.Candidate(0) {
		w.t.Errorf("pon of %v: the first option is %v, without it %v", k, x.Candidate(0), w.former.Candidate(0))
	}
	if a == sim.ActPon && choice != a {
		w.made++
	}
	return a
}

// lists reports whether an action is a candidate of the last decision.
func lists(x *Expert, a sim.Action) bool {
	for i := range x.NumCandidates() {
		if x.Candidate(i) == a {
			return true
		}
	}
	return false
}

// TestHonorPons checks that every pon of an honor that the rules value is considered, that the
// option honors=off leaves out those that bring no aim nearer, and that some of them are made.
func TestHonorPons(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	var seats [sim.NumPlayers]sim.Agent
	var all [sim.NumPlayers]ponWatcher
	for i := range seats {
		all[i] = ponWatcher{Expert: expertOf(t, ""), former: expertOf(t, "honors=off"), t: t}
		seats[i] = &all[i]
	}
	var m sim.Match
	for m.Seed = range 25 {
		m.Play(r, &seats)
	}
	added, made := 0, 0
	for i := range all {
		added, made = added+all[i].added, made+all[i].made
	}
	t.Logf("%d pons added to lists, %d of them made", added, made)
	if added < 40 || made < 2 {
		t.Errorf("%d pons added to lists, %d of them made: too few", added, made)
	}
}
