//go:build !js

package table

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Gallery serves a page at which spectators watch tables that are played elsewhere: by a server
// of environments, or in a tournament.
//
//	g := table.NewGallery(table.GalleryOptions{Pace: table.Pace})
//	go http.Serve(listener, g.Handler()) // the page is at /#KEY, with g.Key()
//	room := g.Open(table.RoomOptions{Ruleset: r, Tables: job.Tables(), AgentName: name})
//	job.Watch = room
//
// Play never waits for a page: one that is behind is shown the next hand that begins once it
// has caught up. A table without spectators costs a comparison for each step.
type Gallery struct {
	site site
	o    GalleryOptions
	key  string

	mu     sync.Mutex
	rooms  []*Room // the oldest first
	opened int     // number of rooms so far
}

// GalleryOptions are the settings of a gallery.
type GalleryOptions struct {
	// AllowHidden lets spectators choose to see all tiles at once. Otherwise they see hands
	// once the hand has ended.
	AllowHidden bool
	// Pace is the least time between two steps on the page. The result of a hand stays for
	// twelve times as long.
	Pace time.Duration
}

// resultPaces is how long the result of a hand stays, in units of GalleryOptions.Pace.
const resultPaces = 12

// NewGallery returns a gallery without rooms.
func NewGallery(o GalleryOptions) *Gallery {
	return &Gallery{site: site{writeTime: writeTime}, o: o, key: newKey()}
}

// Key returns the key of the page.
func (g *Gallery) Key() string { return g.key }

// Handler returns the page. Its key is in the fragment of its address, as for a [Sitting].
func (g *Gallery) Handler() http.Handler {
	find := func(key string) (audience, bool) { return spectators, key == g.key }
	mux := newMux()
	mux.HandleFunc("GET /game.json", requireKey(find, g.serveGame))
	mux.HandleFunc("GET /events", requireKey(find, g.serveEvents))
	return g.site.guard(mux)
}

// RoomOptions describe tables that are played together.
type RoomOptions struct {
	// Ruleset is the ruleset of all tables, Tables their number.
	Ruleset *configs.Ruleset
	Tables  int
	// AgentName returns the name of an agent by its number in a [sim.Scene].
	AgentName func(number uint8) string
	// Look, if not nil, calls [Room.Show] with a table as it is now, if that is possible at
	// once.
	Look func(table int)
}

// Room is a number of tables that spectators may watch. It is a [sim.Watch].
type Room struct {
	options RoomOptions
	gallery *Gallery
	number  int // from 1
	closed  chan struct{}

	mu       sync.Mutex                             // held to change followed
	followed atomic.Pointer[map[int]*followedTable] // by number; nil for none
}

// Open adds a room. It must be closed when its tables are no longer played.
func (g *Gallery) Open(o RoomOptions) *Room {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened++
	r := &Room{options: o, gallery: g, number: g.opened, closed: make(chan struct{})}
	g.rooms = append(g.rooms, r)
	return r
}

// Close removes the room. Pages go on to another one.
func (r *Room) Close() {
	g := r.gallery
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rooms = slices.DeleteFunc(g.rooms, func(other *Room) bool { return other == r })
	close(r.closed)
}

// Follows implements [sim.Watch].
func (r *Room) Follows(table int) bool {
	f := r.followed.Load()
	return f != nil && (*f)[table] != nil
}

// Show implements [sim.Watch].
func (r *Room) Show(table int, s *sim.Scene) {
	if f := r.followed.Load(); f != nil && (*f)[table] != nil {
		(*f)[table].show(s)
	}
}

// follow returns a table for one more spectator, who must call leave.
func (r *Room) follow(table int) *followedTable {
	r.mu.Lock()
	defer r.mu.Unlock()
	tables := map[int]*followedTable{}
	if f := r.followed.Load(); f != nil {
		tables = maps.Clone(*f)
	}
	f := tables[table]
	if f == nil {
		f = newFollowedTable(r, table)
		tables[table] = f
		r.followed.Store(&tables)
		go f.run()
	}
	f.spectators++
	return f
}

// leave removes a spectator of a table.
func (r *Room) leave(f *followedTable) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.spectators--; f.spectators > 0 {
		return
	}
	close(f.abandoned)
	tables := maps.Clone(*r.followed.Load())
	delete(tables, f.table)
	if len(tables) == 0 {
		r.followed.Store(nil)
		return
	}
	r.followed.Store(&tables)
}

// room returns the room with a number, nil if there is none. Without a number it returns the
// newest one.
func (g *Gallery) room(number string) *Room {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range slices.Backward(g.rooms) {
		if number == "" || strconv.Itoa(r.number) == number {
			return r
		}
	}
	return nil
}

// findTable returns the room and the table of a request, or refuses it. A closed room is not
// found; the page then tries again without naming one.
func (g *Gallery) findTable(w http.ResponseWriter, r *http.Request) (room *Room, table int, all, ok bool) {
	q := r.URL.Query()
	if room = g.room(q.Get("room")); room == nil {
		http.Error(w, "these tables are no longer played, or none are yet", http.StatusNotFound)
		return nil, 0, false, false
	}
	if text := q.Get("table"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= room.options.Tables {
			http.Error(w, fmt.Sprintf("table %.20q; allowed: 0 to %d", text, room.options.Tables-1), http.StatusUnprocessableEntity)
			return nil, 0, false, false
		}
		table = n
	}
	if all = q.Get("all") != ""; all && !g.o.AllowHidden {
		http.Error(w, "hands are shown once the hand has ended; all at once needs --allow-hidden", http.StatusForbidden)
		return nil, 0, false, false
	}
	return room, table, all, true
}

// serveGame serves the description of the rooms and of the game.
func (g *Gallery) serveGame(w http.ResponseWriter, r *http.Request, _ audience) {
	room, _, _, ok := g.findTable(w, r)
	if !ok {
		return
	}
	watch := watchData{Room: room.number, AllowHidden: g.o.AllowHidden}
	g.mu.Lock()
	for _, o := range slices.Backward(g.rooms) {
		watch.Rooms = append(watch.Rooms, roomData{o.number, o.options.Ruleset.Name, o.options.Tables})
	}
	g.mu.Unlock()
	d := describe(room.options.Ruleset, room.options.Ruleset.Rules())
	d.Watch = &watch
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(d)
}

func (g *Gallery) serveEvents(w http.ResponseWriter, r *http.Request, _ audience) {
	last, err := lastEvent(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	room, table, all, ok := g.findTable(w, r)
	if !ok {
		return
	}
	f := room.follow(table)
	defer room.leave(f)
	feed := f.feeds[0]
	if all {
		feed = f.feeds[1]
	}
	g.site.stream(w, r, feed, last, room.closed, new("closed"))
}
