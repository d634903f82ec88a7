package record

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Builder collects a hand while a [Format] parses a record.
type Builder struct {
	// Unit is what the form counts, Place the number at which it is being parsed; see
	// [PlaceError].
	Unit  string
	Place int
	Hand  *Hand
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

// AddDeltas adds to the points that each player gained when the hand ended.
func (b *Builder) AddDeltas(deltas [sim.NumPlayers]int32) {
	if b.Hand.Deltas == nil {
		b.Hand.Deltas = &[sim.NumPlayers]int32{}
	}
	for p, n := range deltas {
		b.Hand.Deltas[p] += n
	}
}
