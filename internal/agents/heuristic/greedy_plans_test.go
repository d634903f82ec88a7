package heuristic

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/sim"
)

// caller checks that its greedy player calls only what lowers the distance.
type caller struct {
	greedy
	t      *testing.T
	made   int
	spared int // calls that would lower the shanten alone
}

func (c *caller) Act(v sim.View) sim.Action {
	a := c.greedy.Act(v)
	if v.Phase() != sim.PhaseClaim || a == sim.ActWin || a == sim.ActOpenKan {
		return a
	}
	c.observe(v)
	before := c.distance(&c.now)
	legal := v.Legal()
	var ways [aim.MaxCalls]aim.Call
	for _, way := range ways[:aim.FindCalls(&legal, v.ClaimableTile().Kind(), &ways)] {
		after := c.evaluateCall(v, before, &way).distance
		r := c.book.Rules
		shanten := r.Shanten(&c.then.position.Hand, c.then.position.NumMelds)
		switch {
		case way.Action == a && after >= before:
			c.t.Errorf("%v leaves the distance at %d, it was %d", a, after, before)
		case way.Action == a:
			c.made++
		case a == sim.ActPass && after < before:
			c.t.Errorf("passes a %v that lowers the distance from %d to %d", way.Action, before, after)
		case a == sim.ActPass && shanten < r.Shanten(&c.now.position.Hand, c.now.position.NumMelds):
			c.spared++
		}
	}
	return a
}

func TestCalls(t *testing.T) {
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{t: t}
	var m sim.Match
	for m.Seed = range 20 {
		m.Play(r, &[sim.NumPlayers]sim.Agent{c, NewGreedy(), NewGreedy(), NewGreedy()})
	}
	if c.made == 0 || c.spared == 0 {
		t.Errorf("%d calls made and %d spared in these matches", c.made, c.spared)
	}
}
