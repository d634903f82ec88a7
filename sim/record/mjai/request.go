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
	p := v.Player()
	m = &Message{Actor: &p}
	discard := func(f tile.Face, drawn bool) *Message {
		return &Message{Type: "dahai", Actor: &p, Pai: Tile(f), Tsumogiri: &drawn}
	}
	window := v.ClaimableTile()
	claim := func(t sim.EventType, place, reds int) {
		giver := v.Turn()
		m.Type, m.Target, m.Pai = claimTypes[t], &giver, Tile(window)
		e := sim.Event{Type: t, Tile: window, Detail: sim.PackCall(giver, place, reds)}
		m.Consumed = names(e.AppendSpent(nil, &v.Rules().Flow))
	}
	switch {
	case a < sim.ActDiscardDrawn:
		return discard(tile.Face(a-sim.ActDiscard), false), nil
	case a == sim.ActDiscardDrawn:
		return discard(v.Drawn(), true), nil
	case a < sim.ActReadyDrawn:
		m.Type = "reach"
		return m, discard(tile.Face(a-sim.ActReady), false)
	case a == sim.ActReadyDrawn:
		m.Type = "reach"
		return m, discard(v.Drawn(), true)
	case a < sim.ActChiRed:
		claim(sim.EvChi, int(a-sim.ActChi), 0)
	case a < sim.ActPon:
		claim(sim.EvChi, int(a-sim.ActChiRed), 1)
	case a < sim.ActOpenKan:
		claim(sim.EvPon, 0, int(a-sim.ActPon))
	case a == sim.ActOpenKan:
		claim(sim.EvOpenKan, 0, heldReds(v, window.Kind()))
	case a < sim.ActAddedKan:
		k := tile.Kind(a - sim.ActClosedKan)
		m.Type, m.Consumed = "ankan", sameKind(k, 4, heldReds(v, k))
	case a < sim.ActWin:
		k := tile.Kind(a - sim.ActAddedKan)
		m.Type = "kakan"
		own := heldReds(v, k)
		reds := -own
		if k.IsFive() {
			reds += v.Rules().AkaDora[k.Suit()]
		}
		m.Pai, m.Consumed = sameKind(k, 1, own)[0], sameKind(k, 3, reds)
	case a == sim.ActWin:
		m.Type = "hora"
		giver, f := p, v.Drawn()
		if v.Phase() != sim.PhaseTurn {
			giver, f = v.Turn(), window
		}
		m.Target, m.Pai = &giver, Tile(f)
	case a == sim.ActNineKinds:
		m.Type = "ryukyoku"
	case a == sim.ActPass:
		m.Type, m.Actor = "none", nil
	}
	return m, nil
}

// heldReds returns how many red fives of kind k the player holds concealed.
func heldReds(v sim.View, k tile.Kind) int {
	if !k.IsFive() {
		return 0
	}
	reds := v.Reds()
	return int(reds[k.Suit()])
}

// AppendRequest appends line to dst with members for the legal answers to the decision of
// v. The member possible_actions has all answers except discards and none. In an own turn
// cannot_dahai has the tiles of the hand that may not be discarded. If declared is set,
// the player has declared reach and the request is for its discard.
func AppendRequest(dst, line []byte, v sim.View, declared bool) []byte {
	request := struct {
		Possible []*Message `json:"possible_actions"`
		Cannot   []string   `json:"cannot_dahai,omitzero"`
	}{Possible: []*Message{}}
	legal := v.Legal()
	discards := map[string]bool{}
	reach := false
	for a := range legal.All {
		m, dahai := Answer(v, a)
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
		for _, f := range held(v) {
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

// held returns the concealed tiles of the player, each once.
func held(v sim.View) (faces []tile.Face) {
	h := v.Hand()
	for k := range tile.Kind(tile.NumKinds) {
		n, reds := h.Count(k), heldReds(v, k)
		if n > reds {
			faces = append(faces, tile.Face(k))
		}
		if reds > 0 {
			faces = append(faces, tile.RedOf(k.Suit()))
		}
	}
	return faces
}
