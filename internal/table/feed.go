package table

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/insight/facts"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// message is one server-sent event.
type message struct {
	id   int64
	kind string
	data []byte // JSON
}

// feed holds the messages of the match in progress for one audience, so that a page that
// connects again receives what it missed.
type feed struct {
	mu       sync.Mutex
	messages []message
	next     int64
	changed  chan struct{} // closed with the next message
}

// events returns messages as the text of server-sent events.
func events(list []message) (text []byte) {
	for _, m := range list {
		text = fmt.Appendf(text, "id: %d\nevent: %s\ndata: %s\n\n", m.id, m.kind, m.data)
	}
	return text
}

func newFeed() *feed { return &feed{next: 1, changed: make(chan struct{})} }

// begin drops the messages of the last match.
func (f *feed) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.messages = nil
}

// add appends a message.
func (f *feed) add(kind string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // plain data
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.messages = append(f.messages, message{f.next, kind, text})
	f.next++
	close(f.changed)
	f.changed = make(chan struct{})
}

// after returns the messages after the one with the id, all of the match if it is not among
// them, and a channel that is closed when there are more.
func (f *feed) after(id int64) ([]message, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.messages) > 0 && id >= f.messages[0].id && id < f.next {
		return f.messages[id+1-f.messages[0].id:], f.changed
	}
	if id >= f.next-1 && id < f.next {
		return nil, f.changed
	}
	return f.messages, f.changed
}

// The data of messages.
type (
	// matchData begins a match.
	matchData struct {
		Match uint64   `json:"match"`
		Names []string `json:"names"`
		// Commitment is that of the walls of a sealed match, in hexadecimal.
		Commitment string `json:"commitment,omitempty"`
	}
	// questionData is a question: the legal actions, none for going on, and the seconds for the
	// answer, 0 without a limit.
	questionData struct {
		Question int64   `json:"question"`
		Legal    []int   `json:"legal"`
		Seconds  float64 `json:"seconds"`
		// Branch is set if the answer may be to begin the branch again.
		Branch bool `json:"branch,omitempty"`
		// Creditor is the player to whom a debt may be paid between two hands, nil at other
		// questions.
		Creditor *sim.Player `json:"creditor,omitempty"`
		// Facts are what the rules let the player know, nil between two hands.
		Facts *facts.Facts `json:"facts,omitempty"`
	}
	// clockData is the seconds that the clock leaves of a question that was asked before the
	// page connected.
	clockData struct {
		Question int64   `json:"question"`
		Left     float64 `json:"left"`
	}
	// answeredData closes a question.
	answeredData struct {
		Question int64 `json:"question"`
	}
	// seatsData are the players: their names, whose page is closed, who would go on between two hands,
	// and where a person may sit down.
	seatsData struct {
		Names []string `json:"names"`
		Away  []bool   `json:"away"`
		Ready []bool   `json:"ready"`
		Free  []bool   `json:"free"`
	}
	// handsData are the concealed tiles of all players at the end of a hand, for spectators.
	handsData struct {
		Tiles [][]int `json:"tiles"`
	}
	// replayData is the addresses of the replay of the match and of its review, "" without one,
	// and what reveals the walls of a sealed match.
	replayData struct {
		Address string     `json:"address"`
		Review  string     `json:"review,omitempty"`
		Sealed  *seal.Info `json:"sealed,omitempty"`
	}
)

// publish adds a message to all feeds.
func (s *Sitting) publish(kind string, data any) {
	for _, f := range s.feeds {
		f.add(kind, data)
	}
}

// announce begins match number n on all pages.
func (s *Sitting) announce(n uint64) {
	names := s.names()
	d := matchData{Match: n, Names: names[:len(s.seats)]}
	if s.seal != nil {
		d.Commitment = s.seal.Info(false).Commitment
		s.o.Log.Info("the walls of the match are sealed", "match", n+1, "commitment", d.Commitment)
	}
	for _, f := range s.feeds {
		f.begin()
	}
	s.publish("match", d)
	s.marked.Store(nil) // the pages of the new match have none
}

// publish records events and sends to each audience what it may see of them. values are the
// values of the winning hands among them, in their order. ahead, if not nil, is the table after the
// discard with which they begin, as [sim.View.AfterDiscard] has it.
func (g *game) publish(events []sim.Event, values []ruleset.Value, ahead *sim.Table) {
	g.events = append(g.events, events...)
	discarded := -1
	if ahead != nil {
		discarded = slices.IndexFunc(events, func(e sim.Event) bool { return e.Type == sim.EvDiscard })
	}
	for a, rows := range g.report.rows(events, values, g.s.views) {
		// Each event is a message of its own: a message with the events of a step would end at a
		// discard that another player may call, and not at others.
		for i := range rows {
			g.s.feeds[a].add("events", rows[i:i+1])
			// Whether the table waits for a claim does not show: facts follow either way.
			if i == discarded && a < len(g.s.seats) && g.s.seats[a].agent == nil {
				seat := g.s.seats[a]
				if f := facts.Of(ahead.View(seat.player)); !reflect.DeepEqual(seat.facts, f) {
					seat.facts = f
					g.s.feeds[a].add("facts", f)
				}
			}
		}
	}
	if handEnds(events) {
		g.s.feeds[spectators].add("hands", g.report.handsData())
	}
	g.changed = time.Now()
}

// reporter translates the events of a table for pages.
type reporter struct {
	rules    *ruleset.Rules
	hands    record.Hands
	payments *board.Payments
}

func newReporter(r *ruleset.Rules) reporter {
	return reporter{r, record.Hands{Rules: r}, board.NewPayments(r)}
}

// rows returns events as the pages of several audiences receive them. Each view reduces an event
// to what its audience may see.
func (r *reporter) rows(events []sim.Event, values []ruleset.Value, views []func(sim.Event) sim.Event) [][]any {
	seen := make([][]any, len(views))
	for _, e := range events {
		r.hands.Apply(e)
		var more any
		var value *ruleset.Value
		if e.Type == sim.EvWin {
			value = &values[0]
		}
		if items := r.payments.Apply(e, value, events); items != nil {
			more = items
		}
		switch {
		case e.Type == sim.EvReveal && !e.Reveal():
			more = r.concealed(e.Player)
		case e.Type == sim.EvWin:
			more = board.WinOf(r.rules, value)
			values = values[1:]
		}
		for a, view := range views {
			row := []any{}
			for _, field := range board.Event(view(e)) {
				row = append(row, field)
			}
			if more != nil {
				row = append(row, more)
			}
			seen[a] = append(seen[a], row)
		}
	}
	return seen
}

func handEnds(events []sim.Event) bool {
	return slices.ContainsFunc(events, func(e sim.Event) bool { return e.Type == sim.EvHandEnd })
}

// handsData returns the concealed tiles of all players.
func (r *reporter) handsData() (d handsData) {
	for p := range sim.Player(r.rules.NumSeats()) {
		d.Tiles = append(d.Tiles, r.concealed(p))
	}
	return d
}

// concealed returns the concealed tiles of a player in order: as they were dealt and drawn they
// would show what the player has held at which time.
func (r *reporter) concealed(p sim.Player) []int {
	tile.SortFaces(r.hands.Concealed[p])
	return numbers(r.hands.Concealed[p])
}

// numbers returns tiles or actions as the page reads them: []uint8 would be base64.
func numbers[T tile.Face | sim.Action](list []T) []int {
	n := make([]int, len(list))
	for i, x := range list {
		n[i] = int(x)
	}
	return n
}
