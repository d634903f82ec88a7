package mjai

import (
	"bytes"
	"encoding/json"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Answer returns the message of action a at the decision of v. For a riichi declaration
// it also returns the dahai that follows the reach, otherwise nil. The message of an
// action that the protocol does not have has no type.
func Answer(v sim.View, a sim.Action) (m, dahai *Message) {
	p, window := v.Player(), v.ClaimableTile()
	event := func(t sim.EventType, f tile.Face, detail uint8) *Message {
		return eventMessage(sim.Event{Type: t, Player: p, Tile: f, Detail: detail}, v.Rules())
	}
	claim := func(t sim.EventType, place, reds int) *Message {
		return event(t, window, sim.PackCall(v.Turn(), place, reds))
	}
	m = &Message{Actor: &p}
	switch {
	case a < sim.ActDiscardDrawn:
		m = event(sim.EvDiscard, tile.Face(a-sim.ActDiscard), 0)
	case a == sim.ActDiscardDrawn:
		m = event(sim.EvDiscard, v.Drawn(), sim.DiscardDrawn)
	case a < sim.ActReadyDrawn:
		m.Type, dahai = "reach", event(sim.EvDiscard, tile.Face(a-sim.ActReady), 0)
	case a == sim.ActReadyDrawn:
		m.Type, dahai = "reach", event(sim.EvDiscard, v.Drawn(), sim.DiscardDrawn)
	case a < sim.ActChiRed:
		m = claim(sim.EvChi, int(a-sim.ActChi), 0)
	case a < sim.ActPon:
		m = claim(sim.EvChi, int(a-sim.ActChiRed), 1)
	case a < sim.ActOpenKan:
		m = claim(sim.EvPon, 0, int(a-sim.ActPon))
	case a == sim.ActOpenKan:
		m = claim(sim.EvOpenKan, 0, HeldReds(v, window.Kind()))
	case a < sim.ActAddedKan:
		m = event(sim.EvClosedKan, tile.Face(a-sim.ActClosedKan), 0)
	case a < sim.ActWin:
		f := tile.Face(a - sim.ActAddedKan)
		if HeldReds(v, f.Kind()) > 0 {
			f = tile.RedOf(f.Kind().Suit())
		}
		m = event(sim.EvAddedKan, f, 0)
	case a == sim.ActWin:
		giver, f := p, v.Drawn()
		if v.Phase() != sim.PhaseTurn {
			giver, f = v.Turn(), window
		}
		m.Type, m.Target, m.Pai = "hora", &giver, Tile(f)
	case a == sim.ActNineKinds:
		m.Type = "ryukyoku"
	case a == sim.ActKita:
		m = event(sim.EvKita, tile.Face(tile.North), 0)
	case a == sim.ActPass:
		m.Type, m.Actor = "none", nil
	}
	return m, dahai
}

// HeldReds returns how many red fives of kind k the player holds concealed.
func HeldReds(v sim.View, k tile.Kind) int {
	if !k.IsFive() {
		return 0
	}
	reds := v.Reds()
	return int(reds[k.Suit()])
}

// AppendRequest appends a line of the writer to dst with members for the legal answers to
// the decision of v. The member possible_actions has all answers except discards and none.
// In an own turn cannot_dahai has the tiles of the hand that may not be discarded. If
// declared is set, the player has declared reach and the request is for its discard.
func (e *Writer) AppendRequest(dst, line []byte, v sim.View, declared bool) []byte {
	request := struct {
		Possible []*Message `json:"possible_actions"`
		Cannot   []string   `json:"cannot_dahai,omitzero"`
	}{Possible: []*Message{}}
	legal := v.Legal()
	discards, reach := map[string]bool{}, false
	for a := range legal.All {
		m, dahai := Answer(v, a)
		e.setKitaWord(m)
		switch {
		case m.Type == "dahai" && !declared:
			discards[m.Pai] = true
		case dahai != nil && declared:
			discards[dahai.Pai] = true
		case m.Type == "reach":
			if !declared && !reach {
				request.Possible, reach = append(request.Possible, m), true
			}
		case m.Type != "" && m.Type != "none" && m.Type != "dahai" && !declared:
			request.Possible = append(request.Possible, m)
		}
	}
	if v.Phase() == sim.PhaseTurn {
		request.Cannot = []string{}
		for _, f := range heldFaces(v) {
			if name := Tile(f); !discards[name] {
				request.Cannot = append(request.Cannot, name)
			}
		}
	}
	text, err := json.Marshal(request)
	if err != nil {
		panic(err) // strings and numbers can be written
	}
	line = bytes.TrimSuffix(bytes.TrimSpace(line), []byte{'}'})
	dst = append(append(dst, line...), ',')
	return append(append(dst, text[1:]...), '\n')
}

// heldFaces returns the concealed tiles of the player, each once.
func heldFaces(v sim.View) (faces []tile.Face) {
	h := v.Hand()
	for k := range tile.Kind(tile.NumKinds) {
		n, reds := h.Count(k), HeldReds(v, k)
		if n > reds {
			faces = append(faces, tile.Face(k))
		}
		if reds > 0 {
			faces = append(faces, tile.RedOf(k.Suit()))
		}
	}
	return faces
}
