// Package hall lets bots connect to a league by themselves: over WebSocket with the protocol of
// RiichiLab, and over TCP with mjai lines.
//
//	h, err := hall.New(l, hall.Options{})
//	http.Handle("/ws/", h)
//	go h.ServeMJSONP(listener)
//	_, err = l.Run(ctx, league.RunOptions{Hall: h})
//
// A bot shows its token when it connects. It plays one match against built-in players before
// its first ranked one, then waits until [league.League.Run] seats it. docs/bots.md has the
// rules for owners of bots.
package hall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Options are the limits of a hall. A zero value is replaced by the default, named last.
type Options struct {
	// Budget is the time for decisions: 3 s for each and 15 s for all of a hand together.
	Budget outside.Budget
	// ReturnTime is how long a match waits for a bot that has left since it was paired: 2 min.
	ReturnTime time.Duration
	// GatherTime is how long a bot waits for others to be paired with, unless there are enough
	// for two tables: 3 s.
	GatherTime time.Duration
	// Log is called with each event, such as bots that come and leave; it may be nil.
	Log func(text string)
}

// The limits that no option changes.
const (
	// maxGuests is the number of bots that may be connected.
	maxGuests = 256
	// maxFrame is the size of a frame or line of a bot in bytes.
	maxFrame = 1 << 16
	// maxWaiting is the number of frames of a bot that may wait to be read.
	maxWaiting = 16
	// maxForfeits is the number of ranked matches in a row after whose forfeits a bot must
	// validate again.
	maxForfeits = 3
)

// Hall is the place where bots wait for matches. It implements [league.Hall]. Its methods may
// be called by many goroutines.
type Hall struct {
	league *league.League
	rules  *ruleset.Rules
	o      Options

	mu sync.Mutex
	// changed is closed and replaced when guests changes.
	changed  chan struct{}
	guests   map[int64]*guest // by the ids of their bots
	forfeits map[int64]int    // of matches in a row
	// reserved are the bots that have been paired, until their match counts.
	reserved map[int64]bool
	// paces are the mean times for a decision in the last validation match.
	paces map[int64]time.Duration
	// ends are those of matches that are not recorded yet, by the ids of their bots.
	ends   map[int64]heldEnd
	closed bool
}

// heldEnd sends the bot of a seat the end of its match.
type heldEnd struct {
	seat *seat
	end  func()
}

// guest is a bot that is connected, or about to be.
type guest struct {
	bot        league.Bot
	state      state
	since      time.Time  // when it began to wait
	connection connection // nil while it connects
}

// state is what a guest does.
type state int

const (
	connecting state = iota
	validating
	waiting
	seated
)

// connection is the connection of a guest.
type connection interface {
	// player returns the player of the next match.
	player() player
	// beginEnd is called before the bot is sent the end of its match.
	beginEnd()
	// endMatch is called after a match that the bot has played to its end. It reports whether
	// the bot waits for another match over the same connection.
	endMatch() bool
	// dismiss sends the bot away, with a reason that it may read.
	dismiss(reason string)
}

// New returns a hall for a league.
func New(l *league.League, o Options) (*Hall, error) {
	if err := outside.CheckRules(l.Rules()); err != nil {
		return nil, fmt.Errorf("bots connect by mjai: %w", err)
	}
	o.Budget = cmp.Or(o.Budget, outside.Budget{Grace: 3 * time.Second, Bank: 15 * time.Second})
	o.ReturnTime = cmp.Or(o.ReturnTime, 2*time.Minute)
	o.GatherTime = cmp.Or(o.GatherTime, 3*time.Second)
	return &Hall{
		league: l, rules: l.Rules(), o: o,
		changed: make(chan struct{}), guests: map[int64]*guest{}, forfeits: map[int64]int{},
		reserved: map[int64]bool{}, paces: map[int64]time.Duration{}, ends: map[int64]heldEnd{},
	}, nil
}

// log reports something about a bot.
func (h *Hall) log(b *league.Bot, format string, args ...any) {
	if h.o.Log != nil {
		h.o.Log(sanitize.Line(b.Label() + " " + fmt.Sprintf(format, args...)))
	}
}

// notify wakes all that wait for a change. The caller holds mu.
func (h *Hall) notify() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// The errors of bots that may not enter.
var (
	errConnected = errors.New("this bot is already connected")
	errValidate  = errors.New("this bot has not validated: connect to /ws/validate first")
	errFull      = errors.New("the hall is full")
	errClosed    = errors.New("the hall closes")
)

// enter adds a bot that has shown its token to the guests.
func (h *Hall) enter(b league.Bot) (*guest, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, errClosed
	case h.guests[b.ID] != nil:
		return nil, errConnected
	case len(h.guests) >= maxGuests:
		return nil, errFull
	}
	g := &guest{bot: b}
	h.guests[b.ID] = g
	return g, nil
}

func (h *Hall) leave(g *guest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guests[g.bot.ID] == g {
		delete(h.guests, g.bot.ID)
		h.notify()
	}
}

func (h *Hall) setState(g *guest, s state) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.state, g.since = s, time.Now()
	h.notify()
}

// Close sends all bots away and refuses others.
func (h *Hall) Close() error {
	h.mu.Lock()
	h.closed = true
	var lines []connection
	for _, g := range h.guests {
		if g.connection != nil {
			lines = append(lines, g.connection)
		}
	}
	h.mu.Unlock()
	for _, l := range lines {
		l.dismiss(errClosed.Error())
	}
	return nil
}

// queue returns the guests that wait to be paired, the longest first, and a channel that is closed
// when that may have changed.
func (h *Hall) queue() ([]*guest, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*guest
	for _, g := range h.guests {
		if g.state == waiting && !h.reserved[g.bot.ID] {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b *guest) int { return a.since.Compare(b.since) })
	return list, h.changed
}

// Gather implements league.Hall. It waits until a bot has waited for GatherTime, or as many wait as
// two tables seat: with fewer, those whose match has just ended would meet again and again.
func (h *Hall) Gather(ctx context.Context) ([]league.Guest, error) {
	for {
		list, changed := h.queue()
		var due <-chan time.Time // never without a bot
		if len(list) > 0 {
			due = time.After(h.o.GatherTime - time.Since(list[0].since))
		}
		if len(list) < 2*h.rules.NumSeats() {
			select {
			case <-due:
			case <-changed:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		if err := h.dropRetired(ctx); err != nil {
			return nil, err
		}
		if list, _ = h.queue(); len(list) == 0 {
			continue
		}
		var guests []league.Guest
		h.mu.Lock()
		for _, g := range list {
			guests = append(guests, league.Guest{ID: g.bot.ID, Pace: h.paces[g.bot.ID]})
		}
		h.mu.Unlock()
		return guests, nil
	}
}

// Reserve implements league.Hall.
func (h *Hall) Reserve(bots []int64) (release func()) {
	set := func(reserved bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, id := range bots {
			h.reserved[id] = reserved
		}
		h.notify()
	}
	set(true)
	return func() { set(false) }
}

// dropRetired sends bots away that have retired, or have a newer version.
func (h *Hall) dropRetired(ctx context.Context) error {
	bots, err := h.league.Bots(ctx)
	if err != nil {
		return err
	}
	list, _ := h.queue()
	for _, g := range list {
		i := slices.IndexFunc(bots, func(b league.Bot) bool { return b.ID == g.bot.ID })
		if i < 0 || bots[i].Retired != "" {
			h.sendAway(g, "this version of the bot has retired")
		}
	}
	return nil
}

func (h *Hall) sendAway(g *guest, why string) {
	h.leave(g)
	h.log(&g.bot, "is sent away: %s", why)
	g.connection.dismiss(why)
}

// MatchEnded implements league.Hall. A bot that forfeits match after match must validate again.
func (h *Hall) MatchEnded(ctx context.Context, b league.Bot, forfeited bool) error {
	h.mu.Lock()
	if h.forfeits[b.ID]++; !forfeited {
		delete(h.forfeits, b.ID)
	}
	lost := h.forfeits[b.ID] >= maxForfeits
	if lost {
		delete(h.forfeits, b.ID)
	}
	g := h.guests[b.ID]
	waits := g != nil && g.state == waiting
	h.mu.Unlock()
	if !lost {
		return nil
	}
	if err := h.league.SetValidated(ctx, b.ID, false); err != nil {
		return err
	}
	why := fmt.Sprintf("it forfeited %d matches in a row and must validate again", maxForfeits)
	if waits {
		h.sendAway(g, why)
	} else {
		h.log(&b, "%s", why)
	}
	return nil
}

// seatGuest returns the guest of a bot for a match, and waits for one that has left. It is nil if
// the bot does not come back in time.
func (h *Hall) seatGuest(ctx context.Context, b *league.Bot) *guest {
	timeout := time.After(h.o.ReturnTime)
	for {
		h.mu.Lock()
		g, changed := h.guests[b.ID], h.changed
		if g != nil && g.state == waiting {
			g.state = seated
			h.mu.Unlock()
			return g
		}
		h.mu.Unlock()
		select {
		case <-changed:
		case <-timeout:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// holdEnd keeps what sends a bot the end of its match until the match is recorded; nil drops it.
func (h *Hall) holdEnd(s *seat, end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if end != nil {
		h.ends[s.bot.ID] = heldEnd{s, end}
	} else if h.ends[s.bot.ID].seat == s {
		delete(h.ends, s.bot.ID)
	}
}

// Recorded implements league.Hall.
func (h *Hall) Recorded(bots []int64) {
	for _, id := range bots {
		h.mu.Lock()
		held := h.ends[id]
		delete(h.ends, id)
		h.mu.Unlock()
		if held.end != nil {
			held.end()
		}
	}
}

func (h *Hall) endMatch(g *guest) {
	if g.connection.endMatch() {
		h.setState(g, waiting)
	} else {
		h.leave(g)
	}
}
