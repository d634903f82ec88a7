package main

import (
	"sync/atomic"

	"github.com/sparrowhall/sparrowhall/sim"
)

// watch is the sim.Journal of a run at the command line: it tells of each match as
// soon as it has ended, since a block of slow players takes long to be full, and
// lets the dataset keep it.
type watch struct {
	progress *progress
	// forfeits is nil where nobody is warned.
	forfeits *forfeits
	// journal is that of the dataset, nil if none is written.
	journal sim.Journal
	hands   atomic.Uint64 // played so far
}

// Recall implements sim.Journal.
func (w *watch) Recall(m *sim.Match) (bool, error) {
	if w.journal == nil {
		return false, nil
	}
	return w.journal.Recall(m)
}

// Played implements sim.Journal.
func (w *watch) Played(m *sim.Match) error {
	if w.forfeits != nil {
		w.forfeits.note(m)
	}
	w.progress.add(1)
	w.hands.Add(uint64(len(m.Hands)))
	if w.journal == nil {
		return nil
	}
	return w.journal.Played(m)
}
