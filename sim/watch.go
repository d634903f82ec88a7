package sim

import "github.com/sparrowhall/sparrowhall/ruleset"

// Watch shows tables to spectators while they are played. Its methods are called by the
// goroutines that play, at the same time for different tables.
type Watch interface {
	// Follows reports whether spectators follow a table. It is called for every step, so it
	// must be fast.
	Follows(table int) bool
	// Show is called for tables that are followed.
	Show(table int, s *Scene)
}

// Scene is what has happened at a table. It is valid during the call only.
type Scene struct {
	// Table is the table now, Agents are the numbers of the agents by player.
	Table  *Table
	Agents [NumPlayers]uint8
	// Events are those of a step, none if the table has changed otherwise, as by a copy.
	Events []Event
	// Values are those of the winning hands among Events, in their order.
	Values []ruleset.Value
}

// watched is what of a match has been shown.
type watched struct {
	by     Watch // nil for no spectators
	table  int   // number of the table
	events int   // number of events shown, or passed over while no spectator followed
	wins   int   // and of winning hands
	values []ruleset.Value
}

func (w *watched) reset() { w.events, w.wins, w.values = 0, 0, w.values[:0] }

// show shows the events since its last call to the spectators, if there may be any.
func (m *Match) show() {
	if m.watched.by != nil {
		m.showNew()
	}
}

func (m *Match) showNew() {
	w, values := &m.watched, *m.events.values
	if w.events == len(m.Events) {
		return
	}
	if w.by.Follows(w.table) {
		w.by.Show(w.table, &Scene{&m.table, m.Agents, m.Events[w.events:], values[w.wins:]})
	}
	w.events, w.wins = len(m.Events), len(values)
}
