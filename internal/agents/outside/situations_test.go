package outside

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// asking is an extra that notes whether it is asked what a situation is for.
type asking struct {
	scriptedAgent
	asks    sim.Action
	reached bool
}

func (a *asking) Act(v sim.View) sim.Action {
	legal := v.Legal()
	a.reached = a.reached || legal.Has(a.asks)
	return a.scriptedAgent.Act(v)
}

// TestSituations plays all situations and checks that they ask what they are for.
func TestSituations(t *testing.T) {
	if len(situations()) != 3 {
		t.Fatal(situations())
	}
	for preset, list := range situations() {
		r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(1)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			s := &list[i]
			wall, err := s.wall(r)
			if err != nil {
				t.Errorf("%s: %v", preset, err)
				continue
			}
			var seated [sim.NumPlayers]sim.Agent
			for p := range seated {
				seated[p] = &scriptedAgent{s.Script[p]}
			}
			bot := &asking{scriptedAgent: scriptedAgent{s.Script[s.Bot]}, asks: s.Asks.Action}
			seated[s.Bot] = bot
			m := sim.Match{Walls: []sim.Wall{*wall}}
			m.Play(r, &seated)
			if !bot.reached {
				t.Errorf("%s, %s: %v is never legal; actions %v", preset, s.Name, s.Asks, m.Actions[:min(12, len(m.Actions))])
			}
			if len(bot.script) > 0 {
				t.Errorf("%s, %s: %v is not played", preset, s.Name, bot.script)
			}
		}
	}
}
