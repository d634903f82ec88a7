package majiang

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Message is a message of Majiang to a player: an item of a hand, or the beginning (kaiju) or end
// (jieju) of the match. Exactly one member is set.
type Message struct {
	Kaiju *struct {
		ID    int `json:"id"`
		Qijia int `json:"qijia"`
		Rule  struct {
			Reds *struct{ M, P, S int } `json:"赤牌"`
		} `json:"rule"`
	} `json:"kaiju"`
	Jieju json.RawMessage `json:"jieju"`
	text  []byte
}

// ParseMessage parses a message.
func ParseMessage(text []byte) (*Message, error) {
	m := &Message{text: text}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("no message of Majiang: %w", reading.DescribeJSONError(err))
	}
	if m.Kaiju != nil && (min(m.Kaiju.ID, m.Kaiju.Qijia) < 0 || max(m.Kaiju.ID, m.Kaiju.Qijia) >= sim.NumPlayers) {
		return nil, fmt.Errorf("kaiju has id %d and qijia %d; allowed: 0 to %d", m.Kaiju.ID, m.Kaiju.Qijia, sim.NumPlayers-1)
	}
	return m, nil
}

// Reader reads the messages that one player receives in a match.
type Reader struct {
	reader reader
	player sim.Player
	knobs  map[string]any
	pons   map[tile.Kind]string // of the player, as the messages write them
}

// NewReader returns a reader of the match that a kaiju begins.
func NewReader(m *Message) *Reader {
	k := m.Kaiju
	r := &Reader{player: sim.Player((k.ID - k.Qijia + sim.NumPlayers) % sim.NumPlayers), knobs: map[string]any{}}
	r.reader.builder = reading.Builder{Unit: "event", Game: &record.Game{Unit: "event"}, Seen: true}
	if reds := k.Rule.Reds; reds != nil {
		r.knobs["aka_dora"] = []any{int64(reds.M), int64(reds.P), int64(reds.S)}
	}
	return r
}

// Player returns the player who receives the messages.
func (r *Reader) Player() sim.Player { return r.player }

// Knobs returns the rules that the kaiju states.
func (r *Reader) Knobs() map[string]any { return r.knobs }

// Read reads message number n after the kaiju, and returns what it adds.
func (r *Reader) Read(m *Message, n int) (reading.Step, error) {
	b := &r.reader.builder
	b.Place, b.Err = n, nil
	if m.Jieju != nil && b.Hand != nil && r.reader.ended {
		b.EndHand()
		return b.Take(), nil
	}
	var it item
	if err := json.Unmarshal(m.text, &it); err != nil {
		return reading.Step{}, reading.DescribeJSONError(err)
	}
	if it.Qipai != nil {
		if b.Hand != nil && r.reader.ended {
			b.EndHand()
		} else {
			b.Drop()
		}
		b.Hand, r.reader.begun, r.reader.ended, r.pons = &record.Hand{}, false, false, map[tile.Kind]string{}
	}
	if b.Hand == nil {
		return reading.Step{}, b.Errorf("%.40q before the qipai of a hand", m.text)
	}
	r.reader.item(&it)
	if b.Err != nil {
		return reading.Step{}, b.Err
	}
	if it.Fulou != nil && r.reader.seat(it.Fulou.L) == r.player {
		if e := b.Hand.Events[len(b.Hand.Events)-1]; e.Type == sim.EvPon {
			r.pons[e.Tile.Kind()] = it.Fulou.M
		}
	}
	return b.Take(), nil
}

// Reply is the answer of a player to a message, in which at most one member is set.
type Reply struct {
	Dapai  string `json:"dapai,omitempty"`
	Fulou  string `json:"fulou,omitempty"`
	Gang   string `json:"gang,omitempty"`
	Hule   string `json:"hule,omitempty"`
	Daopai string `json:"daopai,omitempty"`
}

// Reply returns the answer of action a at the decision of v.
func (r *Reader) Reply(v sim.View, a sim.Action) (reply Reply) {
	k := v.ClaimableTile().Kind()
	switch {
	case a <= sim.ActReadyDrawn:
		reply.Dapai = discardText(v, a)
	case a < sim.ActPon:
		reply.Fulou = chiText(v, a)
	case a < sim.ActOpenKan:
		reply.Fulou = sameText(k, 2, int(a-sim.ActPon)) + claimedText(v)
	case a == sim.ActOpenKan:
		reds := 0
		if k.IsFive() {
			reds = int(v.Reds()[k.Suit()])
		}
		reply.Fulou = sameText(k, 3, reds) + claimedText(v)
	case a < sim.ActAddedKan:
		k, reds := tile.Kind(a-sim.ActClosedKan), 0
		if k.IsFive() {
			reds = int(v.Reds()[k.Suit()])
		}
		reply.Gang = sameText(k, 4, reds)
	case a < sim.ActWin:
		k := tile.Kind(a - sim.ActAddedKan)
		f := tile.Face(k)
		if k.IsFive() && v.Reds()[k.Suit()] > 0 {
			f = tile.RedOf(k.Suit())
		}
		reply.Gang = r.pons[k] + tileText(f)[1:]
	case a == sim.ActWin:
		reply.Hule = "-"
	case a == sim.ActNineKinds:
		reply.Daopai = "-"
	}
	return reply
}

// discardText returns a discard such as "p7_*", where _ marks the drawn tile and * a riichi
// declaration.
func discardText(v sim.View, a sim.Action) string {
	text, mark := "", ""
	if a >= sim.ActReady {
		mark = "*"
		a -= sim.ActReady
	}
	if a == sim.ActDiscardDrawn || a == sim.ActReadyDrawn-sim.ActReady {
		text = tileText(v.Drawn()) + "_"
	} else {
		text = tileText(tile.Face(a))
	}
	return text + mark
}

// chiText returns a chi such as "m1-23": tiles in order, the mark behind the claimed one.
func chiText(v sim.View, a sim.Action) string {
	place, red := int(a-sim.ActChi)%3, a >= sim.ActChiRed
	claimed := v.ClaimableTile()
	low := claimed.Kind() - tile.Kind(place)
	text := tileText(claimed)[:1]
	for k := low; k < low+3; k++ {
		switch {
		case k == claimed.Kind():
			text += claimedText(v)
		case k.IsFive() && red:
			text += "0"
		default:
			text += tileText(tile.Face(k))[1:]
		}
	}
	return text
}

// claimedText returns the digit of the claimed tile and the mark of its giver.
func claimedText(v sim.View) string {
	places := 0
	for v.PlayerAfter(places) != v.Turn() {
		places++
	}
	return tileText(v.ClaimableTile())[1:] + giverMarks[places-1:places]
}

// sameText returns n tiles of a kind, the red ones last, such as "p550".
func sameText(k tile.Kind, n, reds int) string {
	digit := tileText(tile.Face(k))
	return digit[:1] + strings.Repeat(digit[1:], n-reds) + strings.Repeat("0", reds)
}

// tileText writes a tile such as "m3", "p0" for a red five, or "z7".
func tileText(f tile.Face) string {
	text := []byte(f.String())
	slices.Reverse(text)
	return string(text)
}
