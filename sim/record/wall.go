package record

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// rebuildWall makes a shared wall of the tiles that a record of a hand shows: the
// deal, the draws, the indicators. What nobody saw is filled in from the tiles
// that are left, in the order of a wall that depends on the place of the hand in
// the match alone.
func rebuildWall(r *ruleset.Rules, h *Hand, s *sim.Standing) (*sim.Wall, error) {
	flow := &r.Flow
	if flow.Walls != ruleset.SharedWall || flow.ReplacementFrom != ruleset.FromTail || flow.SeatRotation != ruleset.NoRotation {
		return nil, fmt.Errorf("the record does not give the walls, and under %s they cannot be told from the draws", r.Name)
	}
	size := sim.SetSize(flow)
	wall := &sim.Wall{}
	for i := range wall {
		wall[i] = tile.NoFace
	}
	put := func(place int, f tile.Face) error {
		if place < 0 || place >= size {
			return fmt.Errorf("it draws more tiles than the wall has")
		}
		if old := wall[place]; old != tile.NoFace && old != f {
			return fmt.Errorf("one tile of the wall would be %v and %v", old, f)
		}
		wall[place] = f
		return nil
	}
	for p, dealt := range h.Deal {
		if len(dealt) != flow.HandSize {
			return nil, fmt.Errorf("player %d is dealt %d tiles; %d are", p, len(dealt), flow.HandSize)
		}
		for i, f := range dealt {
			if err := put(sim.DealtPlace(flow, ruleset.Chair(s.Dealer), ruleset.Chair(p), i), f); err != nil {
				return nil, err
			}
		}
	}
	front, replacements, indicators, wins := sim.NumPlayers*flow.HandSize, 0, 0, 0
	kan := false
	for _, e := range h.Events {
		var err error
		switch e.Type {
		case sim.EvDraw:
			if kan {
				err = put(sim.ReplacementPlace(flow, replacements), e.Tile)
				replacements++
			} else {
				err = put(front, e.Tile)
				front++
			}
		case sim.EvIndicator:
			err = put(sim.IndicatorPlace(indicators), e.Tile)
			indicators++
		case sim.EvWin:
			if wins < len(h.Wins) {
				for i, f := range h.Wins[wins].Ura {
					if err = put(sim.IndicatorPlace(i)+1, f); err != nil {
						break
					}
				}
			}
			wins++
		}
		if err != nil {
			return nil, err
		}
		if e.Type != sim.EvIndicator {
			kan = e.Type == sim.EvOpenKan || e.Type == sim.EvClosedKan || e.Type == sim.EvAddedKan
		}
	}
	return wall, fillWall(flow, wall, s)
}

// fillWall puts the tiles that are left into the places that are not known.
func fillWall(flow *ruleset.Flow, wall *sim.Wall, s *sim.Standing) error {
	size := sim.SetSize(flow)
	spare := sim.WallOf(flow, 0, s.Round, ruleset.Chair(s.Dealer), s.DealIndex)
	var left [tile.NumFaces]int
	for _, f := range spare[:size] {
		left[f]++
	}
	for _, f := range wall[:size] {
		if f == tile.NoFace {
			continue
		}
		if left[f]--; left[f] < 0 {
			return fmt.Errorf("it has more %v than the set", f)
		}
	}
	i := 0
	for _, f := range spare[:size] {
		if left[f] == 0 {
			continue
		}
		left[f]--
		for wall[i] != tile.NoFace {
			i++
		}
		wall[i] = f
	}
	return nil
}
