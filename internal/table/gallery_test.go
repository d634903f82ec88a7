package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// collector keeps all that the pages of a table would be sent.
type collector struct {
	table *followedTable
	sent  [][]received // for each feed
}

func (c *collector) Follows(int) bool { return true }

func (c *collector) Show(_ int, s *sim.Scene) {
	c.table.show(s)
	for x, ok, _ := c.table.next(); ok; x, ok, _ = c.table.next() {
		for i, data := range x.data {
			text, err := json.Marshal(data)
			if err != nil {
				panic(err)
			}
			c.sent[i] = append(c.sent[i], received{kind: x.kind, data: string(text)})
		}
	}
}

// watched plays a match under a ruleset before spectators. It returns what pages are sent that show
// hands once the hand has ended, and those that show all tiles, and the match.
func watched(t *testing.T, r *configs.Ruleset) (sent, all []received, match *sim.Match) {
	t.Helper()
	g := NewGallery(GalleryOptions{AllowHidden: true})
	room := g.Open(RoomOptions{Ruleset: r, Tables: 1, AgentName: func(n uint8) string { return fmt.Sprint("agent ", n) }})
	c := &collector{newFollowedTable(room, 0), make([][]received, 2)}
	newAgent, err := agents.New("value")
	if err != nil {
		t.Fatal(err)
	}
	job := &sim.Job{
		Rules: r.Rules(), Schedule: sim.Rotation{Seed: 5, Seats: r.Rules().NumSeats()}, Count: 1, Workers: 1, Keep: sim.KeepChoices,
		NewAgent: func(int) sim.Agent { return newAgent() }, Watch: c,
	}
	if err := sim.Run(t.Context(), job, func() *int { return new(int) }, func(_ *int, m *sim.Match) error {
		match = &sim.Match{Events: slices.Clone(m.Events), Choices: slices.Clone(m.Choices), Hands: slices.Clone(m.Hands)}
		return nil
	}, func(*int) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return c.sent[0], c.sent[1], match
}

// TestGalleryHidesTiles plays matches under all presets before spectators and compares each
// message with the match: the events of each hand after its first position, without the tiles
// that are dealt and drawn and the kinds of hidden kans, and the hands after the hand alone.
func TestGalleryHidesTiles(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := options(t, preset, "greedy", 2).Ruleset
			sent, all, m := watched(t, r)
			compareWatched(t, sent, m, r, false)
			compareWatched(t, all, m, r, true)
		})
	}
}

// compareWatched compares what the page of spectators was sent with the match.
func compareWatched(t *testing.T, sent []received, m *sim.Match, r *configs.Ruleset, all bool) {
	t.Helper()
	flow := r.Config.Common()
	for hand, mark := range m.Hands {
		end := len(m.Events)
		if hand+1 < len(m.Hands) {
			end = m.Hands[hand+1].FirstEvent
		}
		if len(sent) == 0 || sent[0].kind != "position" {
			t.Fatalf("hand %d begins with %v", hand, sent)
		}
		comparePosition(t, sent[0].data, r, all)
		sent = sent[1:]
		events := m.Events[m.Choices[mark.FirstAction].EventIndex:end]
		for len(events) > 0 && len(sent) > 0 && sent[0].kind == "events" {
			for _, row := range rows(t, sent[0]) {
				e := events[0]
				events = events[1:]
				want := []int{int(e.Type), int(e.Player), int(e.Tile), int(e.Detail), int(e.Value)}
				hidden := e.Type == sim.EvDraw || e.Type == sim.EvClosedKan && !flow.ClosedKanVisible
				if hidden && !all {
					want[2] = int(tile.NoFace)
				}
				if e.Type == sim.EvDiscard && flow.OriginHidden && !all {
					want[3] &^= int(sim.DiscardDrawn)
				}
				for i, field := range want {
					if got := number(t, row[i]); got != field {
						t.Fatalf("hand %d: %s, want %v", hand, row, want)
					}
				}
				if open := e.Type == sim.EvReveal && !e.Reveal() || e.Type == sim.EvWin || e.Type == sim.EvPay || e.Type == sim.EvDebt; len(row) != 5 && !open {
					t.Fatalf("hand %d: %s has more than an event", hand, row)
				}
			}
			sent = sent[1:]
		}
		if len(events) > 0 || len(sent) == 0 || sent[0].kind != "hands" {
			t.Fatalf("hand %d: %d events are missing, then %v", hand, len(events), sent)
		}
		sent = sent[1:]
	}
	if len(sent) > 0 {
		t.Errorf("further messages: %v", sent)
	}
}

// comparePosition checks what a position shows of concealed tiles.
func comparePosition(t *testing.T, text string, r *configs.Ruleset, all bool) {
	t.Helper()
	var d positionData
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	seats := r.Config.Common().NumSeats()
	if len(d.Names) != seats || len(d.State.Players) != seats || len(d.State.Points) != seats {
		t.Errorf("position of %d players: %s", len(d.Names), text)
	}
	for _, p := range d.State.Players {
		shown := slices.ContainsFunc(p.Tiles, func(f int) bool { return f != int(tile.NoFace) })
		if shown != all || len(p.Tiles) < r.Config.Common().HandSize-4 || p.Last != nil && (*p.Last != int(tile.NoFace)) != all {
			t.Errorf("concealed tiles %v, drawn %v", p.Tiles, p.Last)
		}
	}
}

// TestPositionOfHiddenTiles deals the hidden tiles of positions again for each player: what
// spectators see stays the same to the byte.
func TestPositionOfHiddenTiles(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "taiwanese", sanma} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		newAgent, err := agents.New("value")
		if err != nil {
			t.Fatal(err)
		}
		agent := newAgent()
		text := func(s *sim.Table) []byte {
			b, err := json.Marshal(board.PositionOf(s, false))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		s := sim.NewTable(r, 3)
		for n := 0; n < 400 && !s.Over(); n++ {
			if s.Phase() == sim.PhaseDeal {
				s.StartHand(nil)
				continue
			}
			if handInPlay(s.Phase()) {
				for asked := s.Asked(); asked != 0; asked = asked.Rest() {
					again := s.View(asked.First()).Redeal(uint64(n))
					if one, other := text(&s), text(&again); !bytes.Equal(one, other) {
						t.Fatalf("%s, step %d: with other hidden tiles spectators see\n%s, not\n%s", preset, n, other, one)
					}
				}
			}
			p := s.Asked().First()
			if _, err := s.Step(p, agent.Act(s.View(p)), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestGalleryRefusals checks what the page is refused, by name.
func TestGalleryRefusals(t *testing.T) {
	g := NewGallery(GalleryOptions{})
	server := httptest.NewServer(g.Handler())
	defer server.Close()
	s := &served{url: server.URL}
	get := func(path, key string, header ...string) (int, string) {
		response := s.request(t, "GET", path, key, "", header...)
		text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	if status, text := get("/game.json", g.Key()); status != 404 || !strings.Contains(text, "or none are yet") {
		t.Errorf("without rooms: %d %s", status, text)
	}
	room := g.Open(RoomOptions{Ruleset: options(t, "mcr_2006", "greedy", 1).Ruleset, Tables: 3})
	for _, c := range []struct {
		path, key string
		header    []string
		status    int
		text      string
	}{
		{"/game.json", g.Key(), nil, 200, `"rooms":[{"number":1,"ruleset":"mcr_2006","tables":3}],"room":1,"allow_hidden":false`},
		{"/game.json?room=1&table=2", g.Key(), nil, 200, `"player":-1`},
		{"/game.json", "x", nil, 401, "the key of the page is wrong"},
		{"/events?room=1", "", nil, 401, "the key of the page is wrong"},
		{"/events?room=1", g.Key(), []string{"Origin", "http://elsewhere.example"}, 403, `"http://elsewhere.example" are refused`},
		{"/events?room=1&table=3", g.Key(), nil, 422, `table "3"; allowed: 0 to 2`},
		{"/events?room=1&table=-1", g.Key(), nil, 422, `table "-1"; allowed: 0 to 2`},
		{"/events?room=1&table=x", g.Key(), nil, 422, `table "x"; allowed: 0 to 2`},
		{"/events?room=2", g.Key(), nil, 404, "these tables are no longer played"},
		{"/events?room=1&all=1", g.Key(), nil, 403, "all at once needs --allow-hidden"},
		{"/game.json?all=1", g.Key(), nil, 403, "all at once needs --allow-hidden"},
		{"/events?room=1", g.Key(), []string{"Last-Event-ID", "x"}, 400, `Last-Event-ID "x" is no number`},
		{"/answer", g.Key(), nil, 404, "not found"},
	} {
		if status, text := get(c.path, c.key, c.header...); status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%s: %d %s, want %d %s", c.path, status, text, c.status, c.text)
		}
	}
	if status, _ := get("/", ""); status != 200 {
		t.Errorf("the page: %d", status)
	}
	var open []*http.Response
	for range 2 {
		open = append(open, s.request(t, "GET", "/events?room=1", g.Key(), ""))
	}
	if !room.Follows(0) || room.Follows(1) {
		t.Error("not table 0 alone is followed")
	}
	room.Close()
	for _, r := range open {
		text, err := io.ReadAll(r.Body)
		if err != nil || string(text) != "event: closed\ndata: {}\n\n" {
			t.Fatalf("after the room has closed: %q, %v", text, err)
		}
	}
	if !poll.Until(func() bool { return !room.Follows(0) }) {
		t.Fatal("the table is followed after all spectators have left")
	}
}

// TestGalleryFallsBehind checks that play does not wait for a page that is behind: hands are left
// out, and those that are shown are whole.
func TestGalleryFallsBehind(t *testing.T) {
	r := options(t, "ema_2016", "greedy", 12).Ruleset
	newAgent, err := agents.New("greedy")
	if err != nil {
		t.Fatal(err)
	}
	g := NewGallery(GalleryOptions{Pace: time.Hour})
	room := g.Open(RoomOptions{Ruleset: r, Tables: 1, AgentName: func(uint8) string { return "" }})
	f := room.follow(0)
	defer room.leave(f)
	job := &sim.Job{Rules: r.Rules(), Schedule: sim.Rotation{}, Count: 1, Workers: 1, NewAgent: func(int) sim.Agent { return newAgent() }, Watch: room}
	if err := sim.Run(t.Context(), job, func() *int { return new(int) }, func(*int, *sim.Match) error { return nil }, func(*int) error { return nil }); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var kinds []string
	for _, x := range f.steps {
		if x.kind != "events" {
			kinds = append(kinds, x.kind)
		}
	}
	if n := len(kinds); n == 0 || n > 6 || kinds[n-1] != "hands" {
		t.Errorf("%d steps wait, with %v", len(f.steps), kinds)
	}
}

// A table without spectators costs no allocation.
func TestFollowsWithoutSpectators(t *testing.T) {
	room := NewGallery(GalleryOptions{}).Open(RoomOptions{Tables: 8})
	var w sim.Watch = room
	if n := testing.AllocsPerRun(100, func() { w.Follows(3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
