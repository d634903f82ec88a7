package viewer

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/insight/luck"
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

// apply follows an event and tells whose tiles it changed, -1 if nobody's.
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
	case sim.EvDiscard, sim.EvAddedKan, sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan:
		for _, f := range e.AppendSpent(nil, &h.rules.Flow) {
			if !f.IsFlower() {
				h.tiles[p].Remove(f.Kind())
			}
		}
		if e.Type != sim.EvDiscard && e.Type != sim.EvAddedKan {
			h.melds[p]++
		}
	default:
		return -1
	}
	return p
}

// outlook returns a player's shanten, and his waits when he is ready and about to
// draw; ok is false while tiles are missing from his hand, as before a flower is
// replaced.
func (h *hands) outlook(p sim.Player) (shanten int, waits tile.Set, ok bool) {
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

// outlooks returns a row for each change of a player's prospects: the number of
// events until then, the player, his shanten, and the kinds he waits for.
func outlooks(r *ruleset.Rules, events []sim.Event) [][]int {
	rows := [][]int{}
	h := hands{rules: r}
	var before [sim.NumPlayers]tile.Set
	for i, e := range events {
		p := h.apply(e)
		if p < 0 {
			continue
		}
		if shanten, waits, ok := h.outlook(p); ok {
			if e.Type == sim.EvDraw && shanten == 0 {
				waits = before[p] // until he discards he can be said to wait as he did
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

// luckOf returns a row for each event of chance that was worth something: the
// number of events until then, and its worth to players 0 to 3 in hundredths of a
// point. It is empty where no estimate is known for the family.
func luckOf(r *ruleset.Rules, m *sim.Match, asked [sim.NumPlayers]sim.Agent) ([][5]int64, error) {
	rows := [][5]int64{}
	estimate, err := luck.ValueFunctionFor(r)
	if err != nil {
		return rows, nil
	}
	meter := luck.NewControlVariate(r, estimate)
	meter.SetPolicies(asked)
	point := int64(luck.Unit * r.Unit())
	events := int64(0)
	err = meter.FollowMatch(m, func(_ sim.Event, l luck.Points) {
		events++
		row := [5]int64{events}
		for p, x := range l {
			row[p+1] = x * 100 / point
		}
		if slices.ContainsFunc(row[1:], func(x int64) bool { return x != 0 }) {
			rows = append(rows, row)
		}
	})
	return rows, err
}
