package viewer

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// hands follows the concealed tiles of the players by the events of a match.
type hands struct {
	rules *ruleset.Rules
	tiles [sim.NumPlayers]hand.Hand
	melds [sim.NumPlayers]int
}

// apply follows an event and returns the player whose tiles it changed, -1 if there is none.
func (h *hands) apply(e sim.Event) sim.Player {
	p := e.Player
	add := func(f tile.Face) {
		if f < tile.FirstFlower {
			h.tiles[p].Add(f.Kind())
		}
	}
	switch e.Type {
	case sim.EvHandStart:
		*h = hands{rules: h.rules}
		return -1
	case sim.EvDeal:
		faces, _ := e.Deal()
		for _, f := range faces {
			add(f)
		}
	case sim.EvDraw:
		add(e.Tile)
	case sim.EvDiscard, sim.EvAddedKan, sim.EvKita, sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan:
		for _, f := range e.AppendSpent(nil, &h.rules.Flow) {
			if !f.IsFlower() {
				h.tiles[p].Remove(f.Kind())
			}
		}
		if e.Type != sim.EvDiscard && e.Type != sim.EvAddedKan && e.Type != sim.EvKita {
			h.melds[p]++
		}
	default:
		return -1
	}
	return p
}

// shantenAndWaits returns the shanten of a player, and the waits of a tenpai hand without the
// drawn tile. ok is false while the hand lacks tiles, as before a flower is replaced.
func (h *hands) shantenAndWaits(p sim.Player) (shanten int, waits tile.Set, ok bool) {
	missing := 3*(h.rules.HandSize/3-h.melds[p]) + 1 - h.tiles[p].Len()
	if missing != 0 && missing != -1 {
		return 0, 0, false
	}
	shanten = h.rules.Scorer.Shanten(&h.tiles[p], h.melds[p])
	if shanten == 0 && missing == 0 {
		waits = h.rules.Scorer.Waits(&h.tiles[p], h.melds[p])
	}
	return shanten, waits, true
}

// outlooks returns a row for each change of a player's hand: the number of events up to then,
// the player, the shanten, and the kinds that the hand waits for.
func outlooks(r *ruleset.Rules, events []sim.Event) [][]int {
	rows := [][]int{}
	h := hands{rules: r}
	var before [sim.NumPlayers]tile.Set
	for i, e := range events {
		p := h.apply(e)
		if p < 0 {
			continue
		}
		if shanten, waits, ok := h.shantenAndWaits(p); ok {
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
