package record

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Builder collects a hand while a [Format] parses a record.
type Builder struct {
	// Unit is what the form counts, Place the number at which it is being parsed; see
	// [PlaceError].
	Unit  string
	Place int
	Hand  *Hand
	// Seats is the number of players.
	Seats ruleset.Seats
	// Err is the first error of Fail, nil if there is none.
	Err *PlaceError
}

// Errorf returns an error at the current place.
func (b *Builder) Errorf(format string, args ...any) *PlaceError {
	return &PlaceError{Unit: b.Unit, Number: b.Place, Message: fmt.Sprintf(format, args...)}
}

// Fail sets Err to an error at the current place unless it is set. A parser may continue
// with zero values and check Err later.
func (b *Builder) Fail(format string, args ...any) {
	if b.Err == nil {
		b.Err = b.Errorf(format, args...)
	}
}

// Add appends an event at the current place.
func (b *Builder) Add(e sim.Event) {
	b.Hand.Events = append(b.Hand.Events, Event{Event: e, Place: b.Place})
}

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

// Abort appends an abortive draw: a sim.AbortReason or UnknownAbort.
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
