package heuristic

import (
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// believer plays as its expert does and compares others with it.
type believer struct {
	*Expert
	off, bold, wary                *Expert // beliefs=off, wary=0 and much of it
	told, toldOff, changed, bolder int
}

func (b *believer) Act(v sim.View) sim.Action {
	a := b.Expert.Act(v)
	b.told += toldBeliefs(b.Expert, v)
	b.off.Act(v)
	b.toldOff += toldBeliefs(b.off, v)
	if bold, wary := b.bold.Act(v), b.wary.Act(v); bold != wary {
		b.changed++
		if b.wary.penalized(wary) > b.bold.penalized(bold) {
			b.bolder++
		}
	}
	return a
}

// penalized returns the danger of an action that x has considered. It is 0 for one that leaves
// the hand tenpai, for which "wary" subtracts nothing.
func (x *Expert) penalized(a sim.Action) int32 {
	for i := range x.candidates[:x.numCandidates] {
		c := &x.candidates[i]
		if c.action == a && x.value.book.Rules.Shanten(&c.after.Hand, c.after.NumMelds) > 0 {
			return c.declaredDealInRate
		}
	}
	return 0
}

// toldBeliefs returns how many inputs of beliefs are told of what x considers.
func toldBeliefs(x *Expert, v sim.View) (n int) {
	for i := range x.numCandidates {
		if x.numCandidates < 2 {
			break
		}
		situation, action := x.Inputs(v, i)
		for _, in := range append(situation[:len(situation):len(situation)], action...) {
			if in.At >= tenpaiBegin {
				n++
			}
		}
	}
	return n
}

// TestBeliefs sees that an expert is told what is believed unless beliefs=off says
// otherwise, and that being wary makes him discard what is less dangerous.
func TestBeliefs(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	b := &believer{Expert: expertOf(t, ""), off: expertOf(t, "beliefs=off"), bold: expertOf(t, "wary=0"), wary: expertOf(t, "wary=3")}
	seats := [sim.NumPlayers]sim.Agent{b, expertOf(t, ""), expertOf(t, ""), expertOf(t, "")}
	var m sim.Match
	for m.Seed = range 12 {
		m.Play(r, &seats)
	}
	t.Logf("%d inputs of beliefs, %d without; being wary changes %d actions, %d for more danger", b.told, b.toldOff, b.changed, b.bolder)
	if b.told == 0 || b.toldOff > 0 {
		t.Errorf("%d inputs of beliefs are told, %d with beliefs=off", b.told, b.toldOff)
	}
	if b.changed < 10 || b.bolder > 0 {
		t.Errorf("being wary changes %d actions, %d of them for more danger", b.changed, b.bolder)
	}
	for _, option := range []string{"beliefs=maybe", "wary=11", "wary=x"} {
		if _, err := NewExpert(option); err == nil || !strings.Contains(err.Error(), option[:4]) {
			t.Errorf("%s: %v", option, err)
		}
	}
}
