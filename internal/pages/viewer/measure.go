package viewer

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// changesHand reports whether an event changes the tiles of its player.
func changesHand(t sim.EventType) bool {
	switch t {
	case sim.EvDeal, sim.EvDraw, sim.EvDiscard, sim.EvAddedKan, sim.EvKita, sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan:
		return true
	}
	return false
}

// shantenAndWaits returns the shanten of a player, and the waits of a tenpai hand without the
// drawn tile. ok is false while the hand lacks tiles, as before a flower is replaced.
func shantenAndWaits(r *ruleset.Rules, at aim.Position) (shanten int, waits tile.Set, ok bool) {
	missing := 3*at.Sets + 1 - at.Hand.Len()
	if missing != 0 && missing != -1 {
		return 0, 0, false
	}
	shanten = r.Scorer.Shanten(&at.Hand, at.NumMelds)
	if shanten == 0 && missing == 0 {
		waits = r.Scorer.Waits(&at.Hand, at.NumMelds)
	}
	return shanten, waits, true
}

// outlooks returns a row for each change of a player's hand: the number of events up to then,
// the player, the shanten, and the kinds that the hand waits for.
func outlooks(r *ruleset.Rules, events []sim.Event) [][]int {
	rows := [][]int{}
	state := luck.NewState(r)
	var before [sim.NumPlayers]tile.Set
	for i, e := range events {
		state.Apply(e)
		if !changesHand(e.Type) {
			continue
		}
		p := e.Player
		if shanten, waits, ok := shantenAndWaits(r, state.Position(p)); ok {
			if e.Type == sim.EvDraw && shanten == 0 {
				waits = before[p] // show the waits from before the draw until the discard
			}
			before[p] = waits
			row := []int{i + 1, int(p), shanten}
			for ; waits != 0; waits = waits.Rest() {
				row = append(row, int(waits.First()))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// luckOf returns a row for each chance event with luck for a player: the number of events up to
// then, and the luck of the players in hundredths of a point. It is empty if there is no value
// function for the rules. policies are those of [Write].
func luckOf(r *ruleset.Rules, m *sim.Match, policies [sim.NumPlayers]sim.Agent) ([][]int64, error) {
	rows := [][]int64{}
	value, err := luck.ValueFunctionFor(r)
	if err != nil {
		return rows, nil
	}
	meter := luck.NewControlVariate(r, value)
	meter.SetPolicies(policies)
	point := int64(luck.Unit * r.Unit())
	events := int64(0)
	err = meter.FollowMatch(m, func(_ sim.Event, l luck.Points) {
		events++
		row := []int64{events}
		for _, x := range l[:r.NumSeats()] {
			row = append(row, x*100/point)
		}
		if slices.ContainsFunc(row[1:], func(x int64) bool { return x != 0 }) {
			rows = append(rows, row)
		}
	})
	return rows, err
}
