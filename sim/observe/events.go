package observe

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// token is an encoded event of a hand, with the bit fields of tokenParts.
type token uint16

const (
	tokenFace   = 0x3f
	tokenPlayer = 6
	tokenType   = 8
	tokenDetail = 13
)

// The types of tokens. Those up to tokClosedKan may have private information.
const (
	tokDeal = 1 + iota
	tokDraw
	tokClosedKan
	tokStart
	tokFlower
	tokFlowerChoice
	tokDiscard
	tokReady
	tokChi
	tokPon
	tokOpenKan
	tokAddedKan
	tokIndicator
	tokDeclare
	tokExhausted
	tokAbort
	tokWin
	tokKita
)

// tokenParts describes the tokens.
var tokenParts = []BitField{
	{"face", 0, tokenPlayer, nil, "1 + face; 0 where no tile is meant or it is hidden"},
	{"player", tokenPlayer, 2, nil, "who does it; 0 for indicator, exhausted and abort"},
	{
		"type", tokenType, 5,
		[]string{
			"none", "deal", "draw", "closed_kan", "start", "flower", "flower_choice", "discard", "ready", "chi", "pon",
			"open_kan", "added_kan", "indicator", "declare", "exhausted", "abort", "win",
		},
		"none: after the last token; deal: an own dealt tile; draw: an own drawn tile; start: the hand begins, of the dealer; ready: a declaration is accepted; chi, pon, open_kan: the face claimed from the last discard; declare: at an exhausted wall",
	},
	{
		"detail", tokenDetail, 3, nil,
		"start: round from 0; draw: 0 deal, 1 wall, 2 for a kan, 3 for a flower; flower_choice: 1 win, 0 award; discard: bit 0 the drawn tile, bit 1 declaring ready; ready: tier as in state; chi: bits 0-1 place of the claimed tile, 0 lowest, bit 2 with an own red five; pon: own red fives; declare: 1 ready; abort: 0 nine kinds, 1 four winds, 2 four riichi, 3 four kans, 4 triple ron; win: 0 self-draw, 1 discard, 2 robbing a kan, 3 flowers; else 0",
	},
}

// withoutPlayer is the set of types without a player.
const withoutPlayer = 1<<tokIndicator | 1<<tokExhausted | 1<<tokAbort

func (t token) player() sim.Player { return sim.Player(t >> tokenPlayer & 3) }
func (t token) typ() uint          { return uint(t>>tokenType) & 31 }

const (
	// maxHistory bounds the tokens of a hand: 144 tiles dealt or drawn, at most 92 of them
	// drawn; at most 20 melds, so at most 112 discards; 20 added kans; fewer than 40
	// others.
	maxHistory = 344
	// maxEvents bounds the tokens that one player sees, without the deals and draws of
	// others.
	maxEvents = 256
)

// History is the events of the current hand. The zero value is the history before the
// first hand. It is a plain value: copy it together with its table.
type History struct {
	tokens [maxHistory]token
	n      uint16
}

// Add appends events. Pass all events of Table.StartHand and Table.Step in order,
// including private ones. A new hand replaces the one before.
func (h *History) Add(events []sim.Event) {
	for _, e := range events {
		switch e.Type {
		case sim.EvHandStart:
			round, _, _, _ := e.HandStart()
			h.n = 0
			h.add(tokStart, e.Player, tile.NoFace, uint8(round))
		case sim.EvDeal:
			dealt, _ := e.Deal()
			for _, f := range dealt {
				if f != tile.NoFace {
					h.add(tokDeal, e.Player, f, 0)
				}
			}
		case sim.EvDraw:
			h.add(tokDraw, e.Player, e.Tile, e.Detail)
		case sim.EvFlower:
			h.add(tokFlower, e.Player, e.Tile, 0)
		case sim.EvFlowerChoice:
			h.add(tokFlowerChoice, e.Player, tile.NoFace, e.Detail)
		case sim.EvDiscard:
			h.add(tokDiscard, e.Player, e.Tile, e.Detail)
		case sim.EvReady:
			// The discard shows the declaration; this is the acceptance.
			if tier, accepted := e.Ready(); accepted {
				h.add(tokReady, e.Player, tile.NoFace, uint8(tier))
			}
		case sim.EvChi:
			_, place, reds := e.Call()
			h.add(tokChi, e.Player, e.Tile, uint8(place|reds<<2))
		case sim.EvPon:
			_, _, reds := e.Call()
			h.add(tokPon, e.Player, e.Tile, uint8(reds))
		case sim.EvOpenKan:
			h.add(tokOpenKan, e.Player, e.Tile, 0)
		case sim.EvClosedKan:
			h.add(tokClosedKan, e.Player, e.Tile, 0)
		case sim.EvAddedKan:
			h.add(tokAddedKan, e.Player, e.Tile, 0)
		case sim.EvIndicator:
			// Ura indicators are turned after the hand.
			if !e.Ura() {
				h.add(tokIndicator, 0, e.Tile, 0)
			}
		case sim.EvDeclare:
			h.add(tokDeclare, e.Player, tile.NoFace, e.Detail)
		case sim.EvExhausted:
			h.add(tokExhausted, 0, tile.NoFace, 0)
		case sim.EvAbort:
			h.add(tokAbort, 0, tile.NoFace, e.Detail)
		case sim.EvWin:
			h.add(tokWin, e.Player, e.Tile, e.Detail)
		case sim.EvKita:
			h.add(tokKita, e.Player, e.Tile, 0)
		}
	}
}

func (h *History) add(typ uint, p sim.Player, f tile.Face, detail uint8) {
	if h.n < maxHistory {
		h.tokens[h.n] = token(faceCode(f)) | token(p&3)<<tokenPlayer | token(typ)<<tokenType | token(detail&7)<<tokenDetail
		h.n++
	}
}

// seenBy returns t as player p sees it, and whether p sees it at all.
func (t token) seenBy(p sim.Player, r *ruleset.Flow) (token, bool) {
	switch typ := t.typ(); {
	case t.player() == p:
	case typ == tokDiscard && r.OriginHidden:
		t &^= token(sim.DiscardDrawn) << tokenDetail
	case typ > tokClosedKan:
	case typ == tokDeal || typ == tokDraw:
		return t &^ tokenFace, false
	case typ == tokClosedKan && !r.ClosedKanVisible:
		t &^= tokenFace
	}
	return t, true
}

// SeenBy returns h as the viewer knows it, without the tiles that others were dealt and
// drew, and without the kinds of closed kans and the origins of discards that the rules hide. Use it for a table from View.Redeal,
// whose tiles differ from those of h.
func (h *History) SeenBy(v sim.View) History {
	known := *h
	for i, t := range h.tokens[:h.n] {
		known.tokens[i], _ = t.seenBy(v.Player(), &v.Rules().Flow)
	}
	return known
}

var eventsSpec = Spec{
	Name: "events", Version: Version, History: true,
	Doc: "the hand so far as a sequence of tokens, and the numbers of the table; for sequence models",
	Tensors: append([]Tensor{
		{
			Name: "events", DType: Uint16, Shape: []int{maxEvents}, High: 1<<16 - 1,
			Doc:       "tokens of the events of the hand, oldest first, 0 after the last. What others are dealt and draw is left out: a player who discards without a claim has drawn, from the wall or, after a kan or flower, a replacement",
			BitFields: tokenParts,
		},
		{Name: "length", DType: Uint16, Shape: []int{1}, High: maxEvents, Doc: "number of tokens"},
	}, stateTensors()...),
	append: func(_ *Encoder, dst [][]byte, v sim.View, h *History, _ *Board) {
		appendEvents(dst, v, h)
		appendState(dst[2:], v)
	},
}

// appendEvents appends the tokens the viewer sees and their number.
func appendEvents(dst [][]byte, v sim.View, h *History) {
	out := (*[2 * maxEvents]byte)(grow(&dst[0], 2*maxEvents))
	me, flow := v.Player(), &v.Rules().Flow
	n := 0
	for _, t := range h.tokens[:h.n] {
		t, ok := t.seenBy(me, flow)
		if !ok || n == maxEvents {
			continue
		}
		if withoutPlayer>>t.typ()&1 == 0 {
			t = t&^(3<<tokenPlayer) | token(placeOf(v, t.player()))<<tokenPlayer
		}
		binary.LittleEndian.PutUint16(out[2*n:], uint16(t))
		n++
	}
	binary.LittleEndian.PutUint16(grow(&dst[1], 2), uint16(n))
}
