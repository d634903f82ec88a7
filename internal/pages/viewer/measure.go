package viewer

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/facts"
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

// outlooks returns a row for each change of a player's hand: the number of events up to then, the
// player, the shanten, and for each wait its kind, plus 64 if no discard wins, plus 128 if no
// self-draw wins, plus 256 times the index in [facts.Whys] of what forbids it. In an own turn the waits are
// those from before the draw.
func outlooks(r *ruleset.Rules, m *sim.Match) ([][]int, error) {
	rows := [][]int{}
	var before [sim.NumPlayers][]int
	var changed [sim.NumPlayers]int // the number of events up to the last change since the last decision
	n := 0
	err := m.ReplaySteps(r, func(t *sim.Table, _ sim.Player, _ sim.Action, events []sim.Event) {
		for p := range sim.Player(r.NumSeats()) {
			if t != nil && changed[p] > 0 {
				row := outlookOf(t.View(p), &before[p])
				rows = append(rows, append([]int{changed[p], int(p)}, row...))
				changed[p] = 0
			}
		}
		for _, e := range events {
			// A replay by steps has no forfeits that the match outlasts.
			for m.Events[n].Type != e.Type && m.Events[n].Type == sim.EvForfeit {
				n++
			}
			if n++; changesHand(e.Type) {
				changed[e.Player] = n
			}
		}
	})
	slices.SortStableFunc(rows, func(a, b []int) int { return a[0] - b[0] })
	return rows, err
}

// undrawn is the tiles of a wall that no player drew: those that could still be drawn, of private
// walls by player, and those of the dead wall.
type undrawn struct {
	Live [][]int `json:"live"`
	Dead []int   `json:"dead"`
}

// undrawnTiles returns what each hand leaves of its wall, none if the record does not give the walls.
func undrawnTiles(r *ruleset.Rules, m *sim.Match) ([]undrawn, error) {
	walls := []undrawn{}
	if m.WallsFilledIn {
		return walls, nil
	}
	err := m.ReplaySteps(r, func(t *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
		if t != nil {
			// Also before the last step of a hand: a forfeit may end the match after any.
			after := *t
			after.Step(p, a, nil)
			walls[len(walls)-1] = undrawnOf(&after)
		}
		if slices.ContainsFunc(events, func(e sim.Event) bool { return e.Type == sim.EvHandStart }) {
			walls = append(walls, undrawn{[][]int{}, []int{}})
		}
	})
	return walls, err
}

func undrawnOf(t *sim.Table) undrawn {
	var wall sim.Wall
	left := undrawn{[][]int{}, faces(t.DeadWall(nil))}
	for p := range sim.Player(t.Rules().NumSeats()) {
		if p == 0 || t.Rules().Walls == ruleset.WallPerSeat {
			left.Live = append(left.Live, faces(wall[:t.NextTiles(p, wall[:])]))
		}
	}
	return left
}

func faces(tiles []tile.Face) []int {
	list := []int{}
	for _, f := range tiles {
		list = append(list, int(f))
	}
	return list
}

// outlookOf returns the shanten and the waits of the viewer, those before an own draw from last.
func outlookOf(v sim.View, last *[]int) []int {
	h := v.Hand()
	shanten := v.Rules().HandShanten(&h, facts.Melds(v))
	inTurn := v.Phase() == sim.PhaseTurn && v.Turn() == v.Player()
	switch {
	case shanten != 0 || inTurn && v.Drawn() == tile.NoFace:
		*last = nil
	case !inTurn:
		*last = nil
		for _, w := range facts.HandOf(v).Waits {
			*last = append(*last, w.Kind|outcome(w.Wins, v.Player()))
		}
	}
	return append([]int{shanten}, *last...)
}

// outcome returns what outlooks adds to a wait of player p.
func outcome(wins []facts.Win, p sim.Player) (code int) {
	given := facts.Win{Why: "unset"}
	for q, w := range wins {
		if sim.Player(q) != p && given.Why != "" {
			given = w
		}
	}
	if given.Why != "" {
		code = 64 + 256*slices.Index(facts.Whys, given.Why)
	}
	if drawn := wins[p].Why; drawn != "" {
		code = code&64 + 128 + 256*slices.Index(facts.Whys, drawn)
	}
	return code
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
