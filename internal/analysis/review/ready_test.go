package review

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// shapes counts the discards that leave a hand one tile from a complete shape, by whether the
// review calls it ready, and checks that against what the next tile would win.
type shapes struct {
	sim.Agent
	t      *testing.T
	reader reasons.Reader
	count  map[bool]int
}

func (p *shapes) Act(v sim.View) sim.Action {
	s := situation{decision: &Decision{Drawn: v.Drawn()}, view: v, reader: &p.reader}
	p.reader.Observe(v)
	for a := range v.Legal().All {
		if !a.IsDiscard() || reasons.DiscardedTile(a, v.Drawn()).IsFlower() {
			continue
		}
		k := reasons.DiscardedTile(a, v.Drawn()).Kind()
		if p.reader.AfterDiscard(k).Shanten != 0 {
			continue
		}
		var ahead sim.Table
		after, wins := v.AfterDiscard(a, &ahead), false
		for waits := after.Waits(); waits != 0; waits = waits.Rest() {
			for from := range sim.Player(sim.NumPlayers) {
				var x sim.Prospect
				after.Prospect(tile.Face(waits.First()), from, &x)
				wins = wins || x.Value.OK && !x.Locked
			}
		}
		if got := shantenText(0, s.readyAfter(k)).key; (got == "is_ready") != wins {
			p.t.Errorf("%v of %v: the review says %q, some wait wins: %v", a, v.Hand(), got, wins)
		}
		p.count[wins]++
	}
	return p.Agent.Act(v)
}

// TestReadyWins checks that a hand is called ready only if some wait wins.
func TestReadyWins(t *testing.T) {
	r, err := configs.LoadWith("mcr_2006", map[string]any{"max_hands": int64(4)})
	if err != nil {
		t.Fatal(err)
	}
	newAgent, err := agents.New("greedy")
	if err != nil {
		t.Fatal(err)
	}
	count := map[bool]int{}
	for seed := range uint64(4) {
		var seated [sim.NumPlayers]sim.Agent
		for p := range seated {
			seated[p] = &shapes{Agent: newAgent(), t: t, count: count}
		}
		m := &sim.Match{Seed: seed}
		m.Play(r, &seated)
	}
	if count[false] == 0 || count[true] == 0 {
		t.Errorf("ready and not ready: %v, want both", count)
	}
}
