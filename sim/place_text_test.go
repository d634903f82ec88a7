package sim_test

import (
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// transcript writes the events from the given one on.
func (p *place) transcript(from int) string {
	var b strings.Builder
	for _, e := range p.events[from:] {
		fmt.Fprintf(&b, "\t%s\n", p.text(e))
	}
	return b.String()
}

// text writes an event, with seats of the hand.
func (p *place) text(e sim.Event) string {
	who := func(q sim.Player) string {
		switch {
		case q < 0:
			return "-"
		case q == sim.Player(ruleset.Pot):
			return "pot"
		}
		return p.wind(q).String()
	}
	pick := func(i uint8, words ...string) string { return words[i] }
	s := who(e.Player)
	giver := func() string { return "from " + who(sim.Player(e.Detail&3)) }
	reds := func() string { return pick(e.Detail>>4&3, "", " red", " red2") }
	switch e.Type {
	case sim.EvSeats:
		return fmt.Sprintf("seats %08x", e.Value)
	case sim.EvHandStart:
		round, index, honba, deposits := e.HandStart()
		return fmt.Sprintf("hand_start %v%d index %d honba %d deposits %d", tile.Wind(round), p.number, index, honba, deposits)
	case sim.EvDeal:
		return fmt.Sprintf("deal %s %s", s, tile.FormatFaces(dealt(e)))
	case sim.EvDraw:
		return fmt.Sprintf("draw %s %v %s live %d", s, e.Tile, pick(e.Detail, "deal", "wall", "kan", "flower", "claim", "kita"), e.Value)
	case sim.EvFlower:
		return fmt.Sprintf("flower %s %v", s, e.Tile)
	case sim.EvFlowerChoice:
		return fmt.Sprintf("flower_choice %s %s", s, pick(e.Detail, "award", "win"))
	case sim.EvDebt:
		return fmt.Sprintf("debt %s %s %s wins %d", s, who(sim.Player(e.Detail&3)), p.rules.PointsText(e.Value), e.Detail>>2)
	case sim.EvDiscard:
		return fmt.Sprintf("discard %s %v%s", s, e.Tile, pick(e.Detail, "", " drawn", " ready", " drawn ready"))
	case sim.EvReady:
		return fmt.Sprintf("ready %s %s%s", s, pick(uint8(e.Value), "declared", "accepted"), pick(e.Detail, "", "", " double", " human", " earth", " heaven"))
	case sim.EvChi:
		return fmt.Sprintf("chi %s %v %s %s%s", s, e.Tile, giver(), pick(e.Detail>>2&3, "low", "mid", "high"), reds())
	case sim.EvPon:
		return fmt.Sprintf("pon %s %v %s%s", s, e.Tile, giver(), reds())
	case sim.EvOpenKan:
		return fmt.Sprintf("open_kan %s %v %s", s, e.Tile, giver())
	case sim.EvClosedKan:
		return fmt.Sprintf("closed_kan %s %v", s, e.Tile)
	case sim.EvAddedKan:
		return fmt.Sprintf("added_kan %s %v", s, e.Tile)
	case sim.EvKita:
		return "kita " + s
	case sim.EvKitaDone:
		return "kita_done " + s
	case sim.EvKanDone:
		return "kan_done " + s
	case sim.EvIndicator:
		if e.Detail == 1 {
			return fmt.Sprintf("ura %s %v", s, e.Tile)
		}
		return fmt.Sprintf("indicator %v", e.Tile)
	case sim.EvDeclare:
		return fmt.Sprintf("declare %s %s", s, pick(e.Detail, "noten", "tenpai"))
	case sim.EvExhausted:
		return "exhausted"
	case sim.EvAbort:
		return "abort " + sim.AbortReason(e.Detail).String()
	case sim.EvWin:
		return fmt.Sprintf("win %s %v %v from %s", s, e.Tile, sim.WinKind(e.Detail), who(sim.Player(e.Value)))
	case sim.EvValue:
		if e.Detail == 0 {
			return fmt.Sprintf("value %s %d", s, e.Value)
		}
		return fmt.Sprintf("value %s %d han %d fu %d", s, e.Detail, e.Tile, e.Value)
	case sim.EvReveal:
		if e.Detail == 1 {
			return fmt.Sprintf("reveal %s closed_kan %v", s, e.Tile)
		}
		return "reveal " + s
	case sim.EvPay:
		from, to, amount, reason := e.Pay()
		return fmt.Sprintf("pay %s %s %s %v", who(from), who(to), p.rules.PointsText(amount), reason)
	case sim.EvHandEnd:
		return fmt.Sprintf("hand_end %s honba %d deposits %d", pick(e.Detail, "passes", "stays"), e.Value&0xffff, e.Value>>16)
	case sim.EvPlacement:
		return fmt.Sprintf("placement player %d rank %d %d/120", e.Player, e.Detail, e.Value)
	case sim.EvForfeit:
		return "forfeit " + s
	case sim.EvTruncated:
		return "truncated"
	case sim.EvMatchEnd:
		return "match_end"
	}
	return fmt.Sprintf("event %+v", e)
}

func dealt(e sim.Event) []tile.Face {
	var faces []tile.Face
	for shift := 24; shift >= 0; shift -= 8 {
		if f := tile.Face(e.Value >> shift); f != tile.NoFace {
			faces = append(faces, f)
		}
	}
	return faces
}
