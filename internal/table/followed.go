//go:build !js

package table

import (
	"slices"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/sim"
)

// followedTable is a table of a room that has spectators.
type followedTable struct {
	room       *Room
	table      int
	spectators int // guarded by Room.mu
	abandoned  chan struct{}
	// feeds are the messages for spectators and, with GalleryOptions.AllowHidden, those with
	// all tiles.
	feeds []*feed
	views []func(sim.Event) sim.Event

	mu          sync.Mutex
	report      reporter
	hasPosition bool // the position is among the steps
	skipsHand   bool // the hand is not shown, as the page is behind
	steps       []step
	more        chan struct{} // has an element if there are steps
}

// step is a message for each feed, and the pause before the next one.
type step struct {
	kind  string
	data  []any
	pause time.Duration
}

// maxBehind is the number of steps, each an event, that may wait when a hand begins. If there are
// more, the hand is not shown.
const maxBehind = 60

// positionData is a position with the names of the players.
type positionData struct {
	Names []string       `json:"names"`
	State board.Position `json:"state"`
}

func newFollowedTable(r *Room, table int) *followedTable {
	f := &followedTable{room: r, table: table, abandoned: make(chan struct{}), feeds: []*feed{newFeed()}, more: make(chan struct{}, 1)}
	if r.gallery.o.AllowHidden {
		f.feeds = append(f.feeds, newFeed())
	}
	return f
}

func (f *followedTable) show(s *sim.Scene) {
	f.mu.Lock()
	defer f.mu.Unlock()
	begins := slices.ContainsFunc(s.Events, func(e sim.Event) bool { return e.Type == sim.EvHandStart })
	switch {
	case begins && len(f.steps) > maxBehind:
		f.skipsHand = true
	case begins, len(s.Events) == 0, !f.hasPosition:
		if handInPlay(s.Table.Phase()) {
			if !begins {
				f.steps = nil // they lead to another position
			}
			f.showPosition(s)
		}
	case !f.skipsHand:
		f.showEvents(s)
	}
	if len(f.steps) > 0 {
		select {
		case f.more <- struct{}{}:
		default:
		}
	}
}

func handInPlay(p sim.Phase) bool {
	return p != sim.PhaseDeal && p != sim.PhaseBetween && p != sim.PhaseOver
}

func (f *followedTable) showPosition(s *sim.Scene) {
	r := s.Table.Rules()
	f.hasPosition, f.skipsHand, f.report = true, false, newReporter(r)
	f.views = []func(sim.Event) sim.Event{seenBy(-1, r), func(e sim.Event) sim.Event { return e }}[:len(f.feeds)]
	f.report.payments.Observe(s.Table.View(0))
	d := positionData{}
	for p := range sim.Player(r.NumSeats()) {
		d.Names = append(d.Names, f.room.options.AgentName(s.Agents[p]))
		f.report.hands.Concealed[p] = board.Concealed(s.Table.View(p))
	}
	x := step{kind: "position", pause: f.room.gallery.o.Pace}
	for i := range f.feeds {
		d.State = board.PositionOf(s.Table, i > 0)
		x.data = append(x.data, d)
	}
	f.steps = append(f.steps, x)
}

// showEvents adds the events, and the hands if they end the hand.
func (f *followedTable) showEvents(s *sim.Scene) {
	// As in game.publish, neither messages nor pauses may show where the table has asked a player.
	seen := f.report.rows(s.Events, s.Values, f.views)
	for i, e := range s.Events {
		x := step{kind: "events"}
		if e.Type == sim.EvDraw || e.Type == sim.EvDiscard {
			x.pause = f.room.gallery.o.Pace / 2
		}
		for _, rows := range seen {
			x.data = append(x.data, rows[i:i+1])
		}
		f.steps = append(f.steps, x)
	}
	if handEnds(s.Events) {
		f.steps = append(f.steps, step{"hands", slices.Repeat([]any{f.report.handsData()}, len(f.feeds)), resultPaces * f.room.gallery.o.Pace})
	}
}

func (f *followedTable) next() (x step, ok, begun bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.steps) == 0 {
		return step{}, false, f.hasPosition
	}
	x = f.steps[0]
	f.steps = f.steps[1:]
	return x, true, true
}

// run sends the steps until the last spectator has left.
func (f *followedTable) run() {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	f.refresh()
	for {
		x, ok, begun := f.next()
		if ok {
			for i, feed := range f.feeds {
				if x.kind == "position" {
					feed.begin()
				}
				feed.add(x.kind, x.data[i])
			}
			select {
			case <-time.After(x.pause):
			case <-f.abandoned:
				return
			}
			continue
		}
		select {
		case <-f.more:
		case <-look.C:
			if !begun {
				f.refresh()
			}
		case <-f.abandoned:
			return
		}
	}
}

// refresh shows the table as it is now, if that is possible at once.
func (f *followedTable) refresh() {
	if f.room.options.Look != nil {
		f.room.options.Look(f.table)
	}
}
