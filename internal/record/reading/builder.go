// Package reading is what the readers of all forms of records share. A [Builder] collects the
// hands of a match. It keeps those before the first fault and notes what a form does not know:
//
//	b := reading.Builder{Unit: "line", Game: &record.Game{Unit: "line"}}
//	b.Hand = &record.Hand{}
//	b.Discard(player, face, true, false)
//	b.EndHand()
//	return b.Finish()
package reading

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Builder collects a match while a [record.Format] parses a record.
type Builder struct {
	// Unit is what the form counts, Place the number at which it is being parsed; see
	// [record.PlaceError].
	Unit  string
	Place int
	// Game has the hands that have ended, Hand is the one being read, nil between two hands.
	Game *record.Game
	Hand *record.Hand
	// Seats is the number of players.
	Seats ruleset.Seats
	// Err is the first error of Fail, nil if there is none.
	Err *record.PlaceError
	// Seen is set for the messages that one player receives: hidden tiles are read as NoFace.
	Seen bool
	// taken counts the hands and the events of the last one that Take has returned.
	taken struct {
		hands, events int
		begun         bool
	}
}

// Step is what a message of a match in progress adds.
type Step struct {
	// Last are the last events of a hand that ends, and Gained what the players gain by it, nil if
	// no hand ends or the message does not have it.
	Last   []record.Event
	Gained *[sim.NumPlayers]int32
	// Begun is the hand that begins, nil if no hand begins, and Events what happens in the present one.
	Begun  *record.Hand
	Events []record.Event
	// Notes are about what was not read, also in messages before that could not be read.
	Notes []record.Difference
}

// Take returns what was read since its last call. A reader of a match in progress calls it after
// each message.
func (b *Builder) Take() (s Step) {
	s.Notes, b.Game.Notes = b.Game.Notes, nil
	if n := b.taken.hands; n < len(b.Game.Hands) {
		h := &b.Game.Hands[n]
		s.Last, s.Gained = h.Events[b.taken.events:], h.Deltas
		b.taken.hands, b.taken.events, b.taken.begun = n+1, 0, false
	}
	if b.Hand != nil {
		if !b.taken.begun {
			s.Begun, b.taken.begun = b.Hand, true
		}
		s.Events = b.Hand.Events[b.taken.events:]
		b.taken.events = len(b.Hand.Events)
	}
	return s
}

// Fail sets Err to an error at the current place unless it is set. A parser may continue
// with zero values and check Err later.
func (b *Builder) Fail(format string, args ...any) {
	if b.Err == nil {
		b.Err = b.Errorf(format, args...)
	}
}

// Errorf returns an error at the current place.
func (b *Builder) Errorf(format string, args ...any) *record.PlaceError {
	return &record.PlaceError{Unit: b.Unit, Number: b.Place, Message: fmt.Sprintf(format, args...)}
}

// Note adds a note about the current place, unless an earlier place has the same.
func (b *Builder) Note(format string, args ...any) {
	n := record.Difference{Hand: len(b.Game.Hands), Place: fmt.Sprintf("%s %d", b.Game.Unit, b.Place), Message: fmt.Sprintf(format, args...), Note: true}
	if !slices.ContainsFunc(b.Game.Notes, func(d record.Difference) bool { return d.Message == n.Message }) {
		b.Game.Notes = append(b.Game.Notes, n)
	}
}

// First returns the first n elements of a list of the record, and notes that it has more. It fails
// if the list has fewer; the result is then of zeros.
func First[T any](b *Builder, name string, list []T, n int) []T {
	switch {
	case len(list) < n:
		b.Fail("%s has %d numbers; %d are needed", name, len(list), n)
		return make([]T, n)
	case len(list) > n:
		b.Note("%s has more than %d numbers; the others were not read", name, n)
	}
	return list[:n]
}

// EndHand adds the hand to those of the match.
func (b *Builder) EndHand() {
	b.Game.Hands = append(b.Game.Hands, *b.Hand)
	b.Hand = nil
}

// Finish returns the match: after Fail what came before the fault, which is an error only if that
// has no whole hand.
func (b *Builder) Finish() (*record.Game, error) {
	if b.Err == nil {
		return b.Game, nil
	}
	if b.Hand != nil { // what was read at the fault is not to be relied on
		b.Hand.Events = slices.DeleteFunc(b.Hand.Events, func(e record.Event) bool { return e.Place == b.Err.Number })
		if b.Hand.Deltas = nil; len(b.Hand.Events) == 0 {
			b.Hand = nil
		}
	}
	// The final points are not those of the hands before the fault.
	b.Game.Truncation, b.Game.Rest, b.Game.Points = b.Err, b.Hand, nil
	if len(b.Game.Hands) == 0 {
		return b.Game, b.Err
	}
	return b.Game, nil
}

// Add appends an event at the current place.
func (b *Builder) Add(e sim.Event) {
	b.Hand.Events = append(b.Hand.Events, record.Event{Event: e, Place: b.Place})
}

// Drop drops the hand that is being read.
func (b *Builder) Drop() { b.Hand, b.taken.events, b.taken.begun = nil, 0, false }

// Last returns the last draw, discard, closed or added kan or North set aside of the hand.
// Its tile is the one that may be won on or, if it was discarded, claimed. Before the first
// of them the result has the type sim.NumEventTypes and no tile.
func (b *Builder) Last() sim.Event {
	for _, e := range slices.Backward(b.Hand.Events) {
		switch e.Type {
		case sim.EvDraw, sim.EvDiscard, sim.EvClosedKan, sim.EvAddedKan, sim.EvKita:
			return e.Event
		}
	}
	return sim.Event{Type: sim.NumEventTypes, Player: -1, Tile: tile.NoFace}
}

// Discard appends a discard, of the drawn tile if drawn is set, which declares riichi if
// ready is set.
func (b *Builder) Discard(p sim.Player, f tile.Face, drawn, ready bool) {
	e := sim.Event{Type: sim.EvDiscard, Player: p, Tile: f}
	if drawn {
		e.Detail |= sim.DiscardDrawn
	}
	if ready {
		e.Detail |= sim.DiscardReady
	}
	b.Add(e)
}

// Abort appends an abortive draw: a sim.AbortReason or record.UnknownAbort.
func (b *Builder) Abort(reason uint8) {
	b.Add(sim.Event{Type: sim.EvAbort, Player: -1, Detail: reason})
}

// Exhausted appends the end of the wall and, if declared is set, the declarations of
// tenpai or noten in turn order: shows reports whether the player n places after the
// dealer shows a ready hand.
func (b *Builder) Exhausted(dealer sim.Player, declared bool, shows func(n int) bool) {
	b.Add(sim.Event{Type: sim.EvExhausted, Player: -1})
	seats := b.Seats.Count()
	for n := 0; declared && n < seats; n++ {
		e := sim.Event{Type: sim.EvDeclare, Player: (dealer + sim.Player(n)) % sim.Player(seats)}
		if shows(n) {
			e.Detail = 1
		}
		b.Add(e)
	}
}

// AddDeltas adds to the points that each player gained when the hand ended.
func (b *Builder) AddDeltas(deltas [sim.NumPlayers]int32) {
	if b.Hand.Deltas == nil {
		b.Hand.Deltas = &[sim.NumPlayers]int32{}
	}
	for p, n := range deltas {
		b.Hand.Deltas[p] += n
	}
}
