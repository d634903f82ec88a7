package record

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Hands follows the concealed tiles of the players through the events of a match. No tile may
// be hidden.
type Hands struct {
	Rules *ruleset.Rules
	// Concealed are the concealed tiles of each player, the last drawn one last.
	Concealed [sim.NumPlayers][]tile.Face
}

// Apply updates the hands after an event and returns the tiles that it takes out of the
// hand of e.Player; see [sim.Event.AppendSpent].
func (h *Hands) Apply(e sim.Event) (spent []tile.Face) {
	switch e.Type {
	case sim.EvHandStart:
		h.Concealed = [sim.NumPlayers][]tile.Face{}
	case sim.EvDeal:
		h.Concealed[e.Player] = append(h.Concealed[e.Player], DealtTiles(e)...)
	case sim.EvDraw:
		h.Concealed[e.Player] = append(h.Concealed[e.Player], e.Tile)
	default:
		spent = e.AppendSpent(nil, &h.Rules.Flow)
		for _, f := range spent {
			h.Remove(e.Player, f)
		}
	}
	return spent
}

// Remove removes a tile from the hand of p, of several the last drawn one.
func (h *Hands) Remove(p sim.Player, f tile.Face) {
	hand := h.Concealed[p]
	for i, held := range slices.Backward(hand) {
		if held == f {
			h.Concealed[p] = slices.Delete(hand, i, i+1)
			return
		}
	}
}

// DealtTiles returns the tiles of an EvDeal event, none if they are hidden.
func DealtTiles(e sim.Event) []tile.Face {
	faces, _ := e.Deal()
	return slices.DeleteFunc(faces[:], func(f tile.Face) bool { return f == tile.NoFace })
}
