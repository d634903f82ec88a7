package luck

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestForeseen sees in matches of all families that what players are foreseen to discard
// is of their hands and no more than certain, that their hands stay as they are, and
// that a tile foreseen is the one that goes more often than one of the hand at random.
func TestForeseen(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			e := estimate(t, r)
			four := seated(t, "value", "greedy")
			m := sim.Match{Seed: 5}
			m.Play(r, &four)
			meter := NewControlVariate(r, e)
			var gone, hoped, even int
			for _, event := range m.Events {
				s := &meter.tracker.state
				if event.Type == sim.EvDraw {
					before := *s
					meter.summarizeAll()
					for p := range sim.Player(sim.NumPlayers) {
						if s.seats[p].hand != before.seats[p].hand {
							t.Fatalf("player %d has another hand for having been looked at", p)
						}
						checkThrows(t, s, p)
					}
				}
				if event.Type == sim.EvDiscard && event.Tile != s.drawn && s.nextDiscards[event.Player].odds.likely != 0 && s.mover == event.Player {
					gone += chanceUnit
					hoped += s.nextDiscards[event.Player].odds.probability(event.Tile.Kind().Bit())
					even += chanceUnit / s.seats[event.Player].hand.Kinds().Len()
				}
				meter.Follow(event)
			}
			t.Logf("of %d discards from hands %d were foreseen, by chance %d", gone/chanceUnit, hoped/chanceUnit, even/chanceUnit)
			if 3*hoped < gone || hoped < 2*even {
				t.Errorf("of %d discards from hands %d were foreseen, by chance %d", gone/chanceUnit, hoped/chanceUnit, even/chanceUnit)
			}
		})
	}
}

// checkThrows sees that what is foreseen of p can be.
func checkThrows(t *testing.T, s *State, p sim.Player) {
	t.Helper()
	th := &s.nextDiscards[p]
	st := &s.seats[p]
	if th.odds.likely&^st.hand.Kinds() != 0 {
		t.Fatalf("player %d is to discard what he does not have", p)
	}
	if sum := th.odds.probability(tile.All); sum > chanceUnit {
		t.Fatalf("the discards of player %d are likely by %d of %d together", p, sum, chanceUnit)
	}
	if th.fromHand < 0 || th.drawn < 0 || int(th.fromHand)+int(th.drawn) > chanceUnit {
		t.Fatalf("player %d discards by %d from his hand and by %d what he drew, of %d", p, th.fromHand, th.drawn, chanceUnit)
	}
	if st.ready && (th.drawn != chanceUnit || th.odds.likely != 0) {
		t.Fatalf("player %d is ready and is to discard from his hand", p)
	}
}
