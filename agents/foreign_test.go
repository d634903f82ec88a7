package agents_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// plain is a family no player was made for: five sets and a pair or nothing, any
// complete hand wins, and the winner gets a point from each other player.
type plain struct{}

func (plain) Waits(h *hand.Hand, melds int) tile.Set { return h.Waits(5 - melds) }
func (plain) Shanten(h *hand.Hand, melds int) int    { return h.Shanten(5 - melds) }
func (plain) ShantenLowerBound(h *hand.Hand, _ []hand.Meld) int {
	return h.ShantenLowerBound()
}
func (plain) Value(w *ruleset.Win, v *ruleset.Value) { *v = ruleset.Value{Shape: true, OK: true} }
func (plain) Drawn(*ruleset.Settlement)              {}
func (plain) Liability([]hand.Meld) uint8            { return 0 }
func (plain) Final(f *ruleset.Final)                 { f.Rank = [4]uint8{1, 2, 3, 4} }
func (plain) Patterns() []ruleset.Pattern            { return nil }
func (plain) Settle(s *ruleset.Settlement) {
	for c := range ruleset.Chair(ruleset.NumPlayers) {
		s.Pay(c, s.Winners[0].Chair, 1, ruleset.ForWin)
	}
}

// TestForeignFamily plays hands of 17 tiles with flowers and ding: an agent must
// not know more of a family than its Scorer says.
func TestForeignFamily(t *testing.T) {
	r := &ruleset.Rules{Traits: ruleset.Traits{Scale: 100, Margin: 15}, Flow: ruleset.Flow{
		HandSize: 16, Flowers: ruleset.OptionalFlowers, Ready: ruleset.Ding,
		Rounds: 1, HandsPerRound: 4, MaxKans: ruleset.NoLimit, RiichiMinPoints: ruleset.NoLimit,
		ChiFrom: ruleset.ChiFromAny, KanAfterClaim: true, LastDiscard: ruleset.LastDiscardAll,
	}, Scorer: plain{}}
	for _, name := range players() {
		conform(t, r, name, name, 10)
		conform(t, r, name, "random", 10)
	}
	wins := 0
	var m sim.Match
	for m.Seed = range 10 {
		m.Play(r, table(t, "greedy", "greedy"))
		for _, e := range m.Events {
			if e.Type == sim.EvWin {
				wins++
			}
		}
	}
	if wins == 0 {
		t.Error("greedy players never win")
	}
}
