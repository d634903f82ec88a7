package luck

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// firstOfKinds discards the first tile in the order of the kinds, whatever it has drawn.
type firstOfKinds struct{}

func (firstOfKinds) Act(v sim.View) sim.Action {
	legal := v.Legal()
	for f := range tile.Face(tile.NumFaces) {
		if a := sim.ActDiscard + sim.Action(f); legal.Has(a) {
			return a
		}
	}
	return sim.DefaultAction(&legal)
}

// TestManners sees that players who choose by other habits than those the estimate was
// fitted to are foreseen after some discards, if they cannot be asked.
func TestManners(t *testing.T) {
	r := load(t, "ema_2016")
	e := estimate(t, r)
	four := seated(t, "greedy", "tsumogiri")
	four[0] = firstOfKinds{}
	m := NewControlVariate(r, e)
	m.policies.players[2] = four[2]
	var foreseen, all [sim.NumPlayers][2]int // in the first hand of a match and later
	for i := range uint64(2) {
		var x sim.Match
		x.Seed = sim.MatchSeed(31, i)
		x.Play(r, &four)
		m.Reset()
		hands := 0
		for _, event := range x.Events {
			if event.Type == sim.EvHandStart {
				hands++
			}
			if m.tracker.state.isFreeDiscard(event) {
				var d discards
				m.tracker.state.discardFeatures(&d, &m.tracker.score)
				var guess discardForecast
				guess.setProbabilities(&d, &m.models[event.Player])
				later := min(hands-1, 1)
				all[event.Player][later]++
				if guess.discard == event.Tile.Kind() {
					foreseen[event.Player][later]++
				}
			}
			if event.Type == sim.EvDraw {
				m.summarizeAll()
			}
			m.updateDiscardModel(event)
			m.tracker.state.Apply(event)
		}
		if m.models[2] != newDiscardModel(&e.DiscardWeights) {
			t.Fatal("the manner of a player who can be asked has changed")
		}
	}
	for p, names := range []string{"the first of the kinds", "tsumogiri"} {
		early := float64(foreseen[p][0]) / float64(all[p][0])
		late := float64(foreseen[p][1]) / float64(all[p][1])
		t.Logf("%s: %.2f of the discards of first hands are foreseen, %.2f of later ones", names, early, late)
		if late < 0.6 || late < early+0.2 {
			t.Errorf("%s: %.2f of the discards of first hands are foreseen, %.2f of later ones", names, early, late)
		}
	}
}
