package record

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// rebuildWall builds a shared wall from the recorded deal, draws and indicators. It fills
// in the other tiles in the order of a wall that depends only on the position of the hand
// in the match.
func rebuildWall(r *ruleset.Rules, h *Hand, s *sim.MatchState) (*sim.Wall, error) {
	flow := &r.Flow
	if flow.Walls != ruleset.SharedWall || flow.ReplacementFrom != ruleset.FromTail || flow.SeatRotation != ruleset.NoRotation {
		return nil, fmt.Errorf("the record does not have the walls, and under %s they do not follow from the draws", r.Name)
	}
	size := sim.SetSize(flow)
	wall := sim.EmptyWall()
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
	for p, dealt := range h.Deal[:flow.NumSeats()] {
		if len(dealt) != flow.HandSize {
			return nil, fmt.Errorf("player %d is dealt %d tiles; %d are", p, len(dealt), flow.HandSize)
		}
		for i, f := range dealt {
			if err := put(sim.DealtIndex(flow, ruleset.Chair(s.Dealer), ruleset.Chair(p), i), f); err != nil {
				return nil, err
			}
		}
	}
	front, replacements, indicators, wins := flow.NumSeats()*flow.HandSize, 0, 0, 0
	replaced := false // by the next draw: a kan or a North
	for _, e := range h.Events {
		var err error
		switch e.Type {
		case sim.EvDraw:
			if replaced {
				err = put(sim.ReplacementIndex(flow, replacements), e.Tile)
				replacements++
			} else {
				err = put(front, e.Tile)
				front++
			}
		case sim.EvIndicator:
			err = put(sim.IndicatorIndex(flow, indicators), e.Tile)
			indicators++
		case sim.EvWin:
			if wins < len(h.Wins) {
				for i, f := range h.Wins[wins].Ura {
					if err = put(sim.IndicatorIndex(flow, i)+1, f); err != nil {
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
			replaced = e.Type == sim.EvOpenKan || e.Type == sim.EvClosedKan || e.Type == sim.EvAddedKan || e.Type == sim.EvKita
		}
	}
	spare := sim.NewWall(flow, 0, s.Round, ruleset.Chair(s.Dealer), s.DealIndex)
	return wall, wall.Complete(flow, &spare)
}
