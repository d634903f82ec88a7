package sim_test

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// listener keeps what it is told and checks that it is told before it is asked.
type listener struct {
	sim.Agent
	t      *testing.T
	told   []sim.Event
	asked  uint32
	silent bool // told nothing since it was asked last
	over   bool
}

func (l *listener) Listen(v sim.View, events []sim.Event) {
	if l.over {
		l.t.Error("told something after the match")
	}
	l.told = append(l.told, events...)
	l.silent = false
	l.over = v.Phase() == sim.PhaseOver
}

func (l *listener) Act(v sim.View) sim.Action {
	if l.silent || v.Decision() != l.asked {
		l.t.Errorf("decision %d: asked before it was told what happened", v.Decision())
	}
	l.silent = true
	l.asked++
	return l.Agent.Act(v)
}

// TestListener checks that listeners are told every event of the match as their
// players see it, and that listening changes nothing.
func TestListener(t *testing.T) {
	for _, preset := range []string{"tenhou", "mcr_2006", "botzone", "hkma_hktw"} {
		r := load(t, preset)
		var want sim.Match
		want.Play(r, &[sim.NumPlayers]sim.Agent{anyhow, anyhow, anyhow, anyhow})
		var got sim.Match
		var seated [sim.NumPlayers]sim.Agent
		for p := range seated {
			seated[p] = &listener{Agent: anyhow, t: t}
		}
		seated[3] = anyhow
		got.Play(r, &seated)
		if !slices.Equal(got.Events, want.Events) {
			t.Fatalf("%s: another match with listeners", preset)
		}
		for p, a := range seated[:3] {
			l := a.(*listener)
			var seen []sim.Event
			for _, e := range want.Events {
				seen = append(seen, e.SeenBy(sim.Player(p), &r.Flow))
			}
			if !slices.Equal(l.told, seen) || !l.over {
				t.Errorf("%s: player %d was told %d events of %d, the end of the match %v", preset, p, len(l.told), len(seen), l.over)
			}
		}
	}
}
