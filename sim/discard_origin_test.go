package sim_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestDiscardOrigin checks where discards are marked as drawn if the rules hide it: in the log for
// the discarder, for others only after a ready declaration, in no event for others, and in a table
// dealt again for no player but the viewer.
func TestDiscardOrigin(t *testing.T) {
	for _, preset := range []string{"hkma_hktw", "botzone"} {
		r, err := configs.LoadWith(preset, map[string]any{"discard_origin_hidden": true})
		if err != nil {
			t.Fatal(err)
		}
		own, hidden, ready := 0, 0, 0
		for seed := range uint64(20) {
			table := sim.NewTable(r, seed)
			events := table.StartHand(nil)
			for p := range table.RestOfHand() {
				v := table.View(p)
				again := v.Redeal(seed)
				n := 0
				declared := map[sim.Player]bool{}
				for _, e := range events {
					if tier, accepted := e.Ready(); e.Type == sim.EvReady && accepted && tier != sim.NotReady {
						declared[e.Player] = true
					}
					if e.Type != sim.EvDiscard {
						continue
					}
					drawn, _ := e.Discard()
					want := drawn && (e.Player == p || declared[e.Player])
					if d := v.Discard(n); d.Drawn != want {
						t.Fatalf("%s: player %d sees discard %d of player %d as drawn: %v", preset, p, n, e.Player, d.Drawn)
					}
					if d := again.View(e.Player).Discard(n); d.Drawn != want {
						t.Fatalf("%s: a table dealt again for player %d has discard %d of player %d as drawn: %v", preset, p, n, e.Player, d.Drawn)
					}
					if shown, _ := e.SeenBy(p, &r.Flow).Discard(); shown != (drawn && e.Player == p) {
						t.Fatalf("%s: player %d is sent discard %d of player %d as drawn: %v", preset, p, n, e.Player, shown)
					}
					switch {
					case want && e.Player == p:
						own++
					case want:
						ready++
					case drawn:
						hidden++
					}
					n++
				}
				if events, err = table.Step(p, eager.Act(v), events); err != nil {
					t.Fatal(err)
				}
			}
		}
		if own == 0 || hidden == 0 || (preset == "hkma_hktw") != (ready > 0) {
			t.Errorf("%s: %d own, %d hidden, %d of ready players", preset, own, hidden, ready)
		}
	}
}
