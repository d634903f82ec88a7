package hall

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"
)

// house is a league with a hall, of which a test plays.
type house struct {
	t      *testing.T
	dir    string
	league *league.League
	hall   *Hall
	server *httptest.Server
	tokens map[string]string

	mu       sync.Mutex
	log      []string
	forfeits map[string]string // by the labels of bots
	matches  int
	hold     chan struct{} // if not nil, matches are recorded when it is closed
	stop     func() uint64 // ends the run and returns the number of matches that count
}

// newHouse returns a league of short matches with remote bots of some names.
func newHouse(t *testing.T, o Options, bots ...string) *house {
	t.Helper()
	rules, err := configs.Change("tenhou", map[string]any{"rounds": 1})
	if err != nil {
		t.Fatal(err)
	}
	x := &house{t: t, dir: t.TempDir() + "/cup", tokens: map[string]string{}}
	l, err := league.Init(t.Context(), x.dir, league.Settings{Ruleset: rules, Seed: new(uint64(1)), Anchor: "tsumogiri", Luck: league.NoLuck})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for _, name := range bots {
		if _, x.tokens[name], err = l.AddRemote(t.Context(), name, ""); err != nil {
			t.Fatal(err)
		}
	}
	x.open(l, o)
	return x
}

func (x *house) open(l *league.League, o Options) {
	x.t.Helper()
	if o.GatherTime == 0 {
		o.GatherTime = 20 * time.Millisecond
	}
	if o.ReturnTime == 0 {
		o.ReturnTime = 300 * time.Millisecond
	}
	if o.Budget == (outside.Budget{}) {
		o.Budget = outside.Budget{Grace: 10 * time.Second, Bank: time.Second}
	}
	o.Log = func(text string) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.log = append(x.log, text)
	}
	h, err := New(l, o)
	if err != nil {
		x.t.Fatal(err)
	}
	x.league, x.hall, x.server = l, h, httptest.NewServer(h)
	x.t.Cleanup(func() {
		h.Close()
		x.server.Close()
	})
}

// playing reports whether a match is in work.
func (x *house) playing() bool {
	x.hall.mu.Lock()
	defer x.hall.mu.Unlock()
	for _, reserved := range x.hall.reserved {
		if reserved {
			return true
		}
	}
	return false
}

// waiting returns the number of bots that wait for a match.
func (x *house) waiting() int {
	list, _ := x.hall.queue()
	return len(list)
}

// play runs the league until stop.
func (x *house) play() {
	ctx, cancel := context.WithCancel(x.t.Context())
	done := make(chan uint64)
	x.forfeits = map[string]string{}
	go func() {
		n, err := x.league.Run(ctx, league.RunOptions{Workers: 1, Hall: x.hall, Tables: 4, Played: func(m *sim.Match, bots []league.Bot) {
			x.mu.Lock()
			x.matches++
			for _, f := range m.Forfeits {
				x.forfeits[bots[m.Agents[f.Player]].Label()] = f.Reason
			}
			x.mu.Unlock()
			if x.hold != nil {
				<-x.hold
			}
		}})
		if err != nil && ctx.Err() == nil {
			x.t.Error(err)
		}
		done <- n
	}()
	x.stop = func() uint64 {
		cancel()
		return <-done
	}
}

// wait waits for something that holds under the mutex.
func (x *house) wait(what string, holds func() bool) {
	x.t.Helper()
	locked := func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return holds()
	}
	if !poll.Until(locked) {
		x.t.Fatalf("%s does not happen; log: %q", what, x.log)
	}
}

// request is a request_action.
type request struct {
	Type     string
	ID       int64            `json:"request_id"`
	Possible []map[string]any `json:"possible_actions"`
	Passed   bool
	Message  string
}

// answer returns an answer to a request.
type answer func(*request) []string

// honest wins, declares riichi, and discards the last tile that may be.
func honest(r *request) []string {
	action := r.Possible[len(r.Possible)-1]
	for _, a := range r.Possible {
		if a["type"] == "hora" || a["type"] == "reach" || a["type"] == "none" {
			action = a
			break
		}
	}
	out := map[string]any{"request_id": r.ID}
	for key, value := range action {
		out[key] = value
	}
	text, _ := json.Marshal(out)
	return []string{string(text)}
}

func (x *house) dial(path, token string, header ...string) (*websocket.Conn, *http.Response, error) {
	h := http.Header{"Authorization": {"Bearer " + token}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	c, response, err := websocket.Dial(x.t.Context(), "ws"+strings.TrimPrefix(x.server.URL, "http")+path, &websocket.DialOptions{HTTPHeader: h})
	if err == nil {
		c.SetReadLimit(1 << 20)
		x.t.Cleanup(func() { c.CloseNow() })
	}
	return c, response, err
}

// visit connects a bot and answers until the connection ends. It returns the frames by type,
// and the last validation_result or error.
func (x *house) visit(path, name string, a answer) (map[string]int, request, error) {
	types, last := map[string]int{}, request{}
	c, _, err := x.dial(path, x.tokens[name])
	if err != nil {
		return types, last, err
	}
	for {
		_, frame, err := c.Read(x.t.Context())
		if err != nil {
			return types, last, err
		}
		var r request
		if err := json.Unmarshal(frame, &r); err != nil {
			return types, last, err
		}
		types[r.Type]++
		switch r.Type {
		case "validation_result", "error":
			last = r
		case "request_action":
			for _, text := range a(&r) {
				if text == "leave" {
					c.CloseNow()
					return types, last, nil
				}
				kind := websocket.MessageText
				if strings.HasPrefix(text, "binary") {
					kind = websocket.MessageBinary
				}
				if err := c.Write(x.t.Context(), kind, []byte(text)); err != nil {
					return types, last, err
				}
			}
		}
	}
}

// validate lets a bot pass.
func (x *house) validate(names ...string) {
	x.t.Helper()
	for _, name := range names {
		if _, last, err := x.visit("/ws/validate", name, honest); !last.Passed {
			x.t.Fatalf("%s does not pass: %+v, %v", name, last, err)
		}
	}
}

// A public client connects to validate, then to ranked, once for each match; the matches count
// like all others, and no connection lasts longer than its match.
func TestRanked(t *testing.T) {
	x := newHouse(t, Options{}, "a", "b", "c")
	if _, _, err := x.visit("/ws/ranked", "a", honest); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("ranked before validate: %v", err)
	}
	x.validate("a", "b", "c")
	x.play()
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		wg.Go(func() {
			for range 3 {
				types, last, err := x.visit("/ws/ranked", name, honest)
				if types["start_game"] != 1 || types["end_game"] != 1 || types["request_action"] != types["action_ack"] || websocket.CloseStatus(err) != websocket.StatusNormalClosure {
					t.Errorf("%s: %v, %+v, %v", name, types, last, err)
				}
			}
		})
	}
	wg.Wait()
	x.wait("the end of the rounds", func() bool { return !x.playing() })
	n := x.stop()
	if len(x.forfeits) > 0 {
		t.Errorf("forfeits: %v", x.forfeits)
	}
	s, err := x.league.Standings(t.Context(), league.View{})
	if err != nil || uint64(s.Matches) != n || s.Sets != s.Matches {
		t.Fatalf("%+v, %v; want %d matches", s, err, n)
	}
	for _, b := range s.Bots {
		if b.Name != "tsumogiri" && b.Matches != 3 {
			t.Errorf("%s played %d matches", b.Name, b.Matches)
		}
	}
	if replayed, err := x.league.Check(t.Context(), league.MergeOptions{Sample: 1, Workers: 1}); err != nil || replayed != int(n) {
		t.Errorf("%d matches replayed, %v", replayed, err)
	}
}

// hasty is the connection of a bot that connects again while it reads the end of its match.
type hasty struct {
	connection
	hall *Hall
	bot  league.Bot
	err  chan error
}

// hastyPlayer is the player of a hasty bot.
type hastyPlayer struct {
	player
	*hasty
}

func (l *hasty) player() player { return &hastyPlayer{l.connection.player(), l} }

func (p *hastyPlayer) Listen(v sim.View, events []sim.Event) {
	p.player.Listen(v, events)
	if v.Phase() == sim.PhaseOver {
		g, err := p.hall.enter(p.bot)
		if err == nil {
			p.hall.leave(g)
		}
		p.err <- err
	}
}

// A client may connect for its next match as soon as it reads the end of one.
func TestHasty(t *testing.T) {
	x := newHouse(t, Options{}, "a")
	x.validate("a")
	var wg sync.WaitGroup
	wg.Go(func() { _, _, _ = x.visit("/ws/ranked", "a", honest) })
	x.wait("waiting", func() bool { return x.waiting() == 1 })
	list, _ := x.hall.queue()
	g := list[0]
	l := &hasty{g.connection, x.hall, g.bot, make(chan error, 1)}
	x.hall.mu.Lock()
	g.connection = l
	x.hall.mu.Unlock()
	x.play()
	if err := <-l.err; err != nil {
		t.Errorf("a connection at the end of a match: %v", err)
	}
	wg.Wait()
	x.stop()
}

// What may not come in is refused with a reason, and nothing of it reaches a table.
func TestRefusals(t *testing.T) {
	x := newHouse(t, Options{}, "a", "retired")
	x.validate("a")
	if _, err := x.league.Retire(t.Context(), "retired"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path, token string
		header            []string
		status            int
		want              string
	}{
		{"no token", "/ws/ranked", "", []string{"Authorization", ""}, 401, "Authorization: Bearer TOKEN is missing"},
		{"a wrong token", "/ws/ranked", "AAAA", nil, 401, "unknown"},
		{"a token in another scheme", "/ws/ranked", "", []string{"Authorization", "Basic " + x.tokens["a"]}, 401, "missing"},
		{"a retired bot", "/ws/validate", x.tokens["retired"], nil, 401, "retired"},
		{"another path", "/ws/other", x.tokens["a"], nil, 404, "/ws/validate and /ws/ranked"},
		{"a page of another origin", "/ws/ranked", x.tokens["a"], []string{"Origin", "https://example.com"}, 403, "Origin"},
	}
	for _, test := range tests {
		_, response, err := x.dial(test.path, test.token, test.header...)
		if err == nil || response == nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s: status %d: %s", test.name, response.StatusCode, body)
		}
	}
	// The bot of a refused page may come in.
	first, _, err := x.dial("/ws/ranked", x.tokens["a"])
	if err != nil {
		t.Fatal(err)
	}
	if _, response, err := x.dial("/ws/ranked", x.tokens["a"]); err == nil || response.StatusCode != http.StatusConflict {
		t.Errorf("a second connection: %v", err)
	}
	// The server answers a connection before it queues the bot. Until then the queue is empty too.
	x.wait("waiting", func() bool { return x.waiting() == 1 })
	first.Close(websocket.StatusNormalClosure, "")
	x.wait("leaving", func() bool { return x.waiting() == 0 })
	if c, _, err := x.dial("/ws/ranked", x.tokens["a"]); err != nil {
		t.Errorf("after it has left: %v", err)
	} else {
		c.CloseNow()
	}
	response, err := http.Get(x.server.URL + "/ws/ranked")
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		t.Errorf("a browser: %v, %v", response, err)
	}
}

// A bot that does what it may not forfeits its match by name and is sent away; the others play
// to the end, and the league goes on.
func TestForfeits(t *testing.T) {
	tests := []struct {
		name   string
		answer answer
		want   string
	}{
		{"times out", func(*request) []string { return nil }, "no answer in time"},
		{"leaves", func(*request) []string { return []string{"leave"} }, "the connection is lost"},
		{"floods", func(*request) []string { return slices.Repeat([]string{"{}"}, 200) }, "frames"},
		{"sends an illegal action", func(r *request) []string {
			return []string{fmt.Sprintf(`{"type":"hora","actor":0,"request_id":%d}`, r.ID)}
		}, "hora"},
		{"sends a huge frame", func(*request) []string { return []string{strings.Repeat(" ", maxFrame+1)} }, "more than 65536 bytes"},
		{"sends no mjai", func(*request) []string { return []string{"GET / HTTP/1.1", "[]", "null", "7"} }, "no answer in time"},
		{"sends binary frames", func(*request) []string { return []string{"binary"} }, "no answer in time"},
	}
	names := []string{"good"}
	for _, test := range tests {
		names = append(names, test.name)
	}
	x := newHouse(t, Options{GatherTime: 300 * time.Millisecond, Budget: outside.Budget{Grace: time.Second, Bank: time.Millisecond}}, names...)
	x.validate(names...)
	x.play()
	goods := make(chan map[string]int)
	go func() {
		for range tests {
			types, _, _ := x.visit("/ws/ranked", "good", honest)
			goods <- types
		}
	}()
	for _, test := range tests {
		turn := 0
		x.wait("the good bot", func() bool { return x.waiting() == 1 })
		_, last, _ := x.visit("/ws/ranked", test.name, func(r *request) []string {
			if turn++; turn <= 3 {
				return honest(r)
			}
			return test.answer(r)
		})
		if types := <-goods; types["end_game"] != 1 {
			t.Errorf("%s: the good bot saw %v", test.name, types)
		}
		x.wait("the forfeit", func() bool { return x.forfeits[test.name+"@1"] != "" })
		if got := x.forfeits[test.name+"@1"]; !strings.Contains(got, test.want) {
			t.Errorf("%s: forfeit %q, want %q", test.name, got, test.want)
		}
		if test.name == "sends an illegal action" && !strings.Contains(last.Message, "forfeit") {
			t.Errorf("it reads %+v", last)
		}
	}
	x.wait("the end of the round", func() bool { return !x.playing() })
	if n := x.stop(); n != uint64(len(tests)) || len(x.forfeits) != len(tests) {
		t.Errorf("%d matches, forfeits %v", n, x.forfeits)
	}
}

// Validation fails by a forfeit, and a bot that forfeits match after match must pass again.
func TestValidateAgain(t *testing.T) {
	x := newHouse(t, Options{}, "bad")
	illegal := func(r *request) []string { return []string{fmt.Sprintf(`{"type":"fly","request_id":%d}`, r.ID)} }
	if types, last, _ := x.visit("/ws/validate", "bad", illegal); types["validation_result"] != 1 || last.Passed {
		t.Fatalf("%v, %+v", types, last)
	}
	if _, _, err := x.visit("/ws/ranked", "bad", honest); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("ranked after a failure: %v", err)
	}
	x.validate("bad")
	x.play()
	for range maxForfeits {
		if _, last, _ := x.visit("/ws/ranked", "bad", illegal); !strings.Contains(last.Message, "forfeit") {
			t.Errorf("%+v", last)
		}
		x.wait("the end of the round", func() bool { return !x.playing() })
	}
	x.wait("the loss", func() bool {
		_, validated, err := x.league.RemoteBot(t.Context(), x.tokens["bad"])
		return err == nil && !validated
	})
	x.stop()
}

// A run that is interrupted in a match counts nothing of it, and the next one goes on with the
// round: the bots that come back play the same match.
func TestInterrupted(t *testing.T) {
	x := newHouse(t, Options{ReturnTime: 10 * time.Second, GatherTime: time.Second}, "a", "b")
	x.validate("a", "b")
	x.play()
	begun := make(chan bool, 1)
	hang := func(r *request) []string {
		select {
		case begun <- true:
		default:
		}
		return nil
	}
	go x.visit("/ws/ranked", "b", honest)
	go x.visit("/ws/ranked", "a", hang)
	<-begun
	if n := x.stop(); n != 0 {
		t.Errorf("%d matches count", n)
	}
	x.hall.Close()
	x.league.Close()
	l, err := league.Open(t.Context(), x.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// Without a hall the round waits.
	if _, err := l.Run(t.Context(), league.RunOptions{Matches: 4}); err == nil || !strings.Contains(err.Error(), "league serve") {
		t.Errorf("league run: %v", err)
	}
	x.open(l, Options{ReturnTime: 10 * time.Second, GatherTime: time.Second})
	x.play()
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			if types, _, err := x.visit("/ws/ranked", name, honest); types["end_game"] != 1 {
				t.Errorf("%s: %v, %v", name, types, err)
			}
		})
	}
	wg.Wait()
	x.wait("the end of the round", func() bool { return !x.playing() })
	if n := x.stop(); n != 1 || len(x.forfeits) > 0 {
		t.Errorf("%d matches, forfeits %v", n, x.forfeits)
	}
	if _, err := l.Check(t.Context(), league.MergeOptions{Sample: 1, Workers: 1}); err != nil {
		t.Error(err)
	}
}

// A bot reads the end of its match when the match is on the disk: what it has seen end, counts.
func TestEndRecorded(t *testing.T) {
	x := newHouse(t, Options{}, "a")
	x.hold = make(chan struct{})
	x.validate("a")
	x.play()
	ended := make(chan int)
	go func() {
		types, _, _ := x.visit("/ws/ranked", "a", honest)
		ended <- types["end_game"]
	}()
	x.wait("the end of the match", func() bool { return x.matches == 1 })
	select {
	case <-ended:
		t.Error("the bot is sent the end before the match is recorded")
	case <-time.After(50 * time.Millisecond):
		if x.waiting() > 0 {
			t.Error("the bot may connect again")
		}
	}
	close(x.hold)
	if n := <-ended; n != 1 {
		t.Errorf("%d ends", n)
	}
	x.wait("the end of the round", func() bool { return !x.playing() })
	x.stop()
}

// A bot that takes long for a decision delays no quick one: it sits with the bots of this machine, and the
// others play match after match meanwhile. All that they have played counts.
func TestSlow(t *testing.T) {
	const matches = 3
	quick := []string{"a", "b", "c", "d", "e"}
	x := newHouse(t, Options{Budget: outside.Budget{Grace: time.Minute, Bank: time.Second}}, append(quick, "slow")...)
	x.validate(append(quick, "slow")...)
	bot, _, err := x.league.RemoteBot(t.Context(), x.tokens["slow"])
	if err != nil {
		t.Fatal(err)
	}
	x.hall.mu.Lock()
	x.hall.paces[bot.ID] = 2500 * time.Millisecond
	x.hall.mu.Unlock()
	x.play()
	begun, end := make(chan bool), make(chan bool)
	first := true
	var slow, others sync.WaitGroup
	slow.Go(func() {
		types, _, _ := x.visit("/ws/ranked", "slow", func(r *request) []string {
			if first {
				first = false
				close(begun)
				<-end
			}
			return honest(r)
		})
		if types["end_game"] != 1 {
			t.Errorf("the slow bot saw %v", types)
		}
	})
	<-begun
	for _, name := range quick {
		others.Go(func() {
			for range matches {
				if types, _, err := x.visit("/ws/ranked", name, honest); types["end_game"] != 1 {
					t.Errorf("%s: %v, %v", name, types, err)
				}
			}
		})
	}
	others.Wait()
	close(end)
	slow.Wait()
	x.wait("the end of the matches", func() bool { return !x.playing() })
	n := x.stop()
	if len(x.forfeits) > 0 {
		t.Errorf("forfeits: %v", x.forfeits)
	}
	s, err := x.league.Standings(t.Context(), league.View{})
	if err != nil || uint64(s.Matches) != n {
		t.Fatalf("%+v, %v; want %d matches", s, err, n)
	}
	for _, b := range s.Bots {
		want := int64(matches)
		if b.Name == "slow" {
			want = 1
		}
		if b.Name != "tsumogiri" && b.Matches != want {
			t.Errorf("%s played %d matches, want %d", b.Name, b.Matches, want)
		}
	}
}

// A bot that has left since it was paired, and does not come back, forfeits.
func TestAway(t *testing.T) {
	x := newHouse(t, Options{GatherTime: 300 * time.Millisecond}, "a", "b")
	x.validate("a", "b")
	x.play()
	done := make(chan map[string]int)
	go func() {
		types, _, _ := x.visit("/ws/ranked", "a", honest)
		done <- types
	}()
	c, _, err := x.dial("/ws/ranked", x.tokens["b"])
	if err != nil {
		t.Fatal(err)
	}
	x.wait("the round", x.playing)
	c.CloseNow()
	if types := <-done; types["end_game"] != 1 {
		t.Errorf("a: %v", types)
	}
	x.wait("the forfeit", func() bool { return x.forfeits["b@1"] != "" })
	x.wait("the end of the round", func() bool { return !x.playing() })
	x.stop()
}

// joinLine connects a bot over mjsonp and returns the lines that it is sent.
func joinLine(t *testing.T, address, room string) (net.Conn, *bufio.Scanner) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	lines := bufio.NewScanner(conn)
	if !lines.Scan() || !strings.Contains(lines.Text(), "hello") {
		t.Fatalf("no hello: %s", lines.Text())
	}
	fmt.Fprintf(conn, `{"type":"join","name":"x","room":%q}`+"\n", room)
	return conn, lines
}

// A bot over mjsonp validates with its first match, and plays ranked ones over the same
// connection.
func TestMJSONP(t *testing.T) {
	x := newHouse(t, Options{}, "line")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go x.hall.ServeMJSONP(listener)
	defer listener.Close()
	for _, room := range []string{"", "AAAA"} {
		if _, lines := joinLine(t, listener.Addr().String(), room); !lines.Scan() || !strings.Contains(lines.Text(), "no token") {
			t.Errorf("room %q: %s", room, lines.Text())
		}
	}
	x.play()
	conn, lines := joinLine(t, listener.Addr().String(), x.tokens["line"])
	ends := 0
	for ends < 3 && lines.Scan() {
		var m struct {
			Type, Pai string
			Actor     int
			ID        int
			Cannot    []string `json:"cannot_dahai"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		reply := `{"type":"none"}`
		switch m.Type {
		case "tsumo":
			if m.Pai != "?" {
				reply = fmt.Sprintf(`{"type":"dahai","actor":%d,"pai":%q,"tsumogiri":true}`, m.Actor, m.Pai)
			}
		case "end_game":
			ends++
		case "error":
			t.Fatal(lines.Text())
		}
		fmt.Fprintln(conn, reply)
	}
	if ends < 3 {
		t.Fatalf("%d matches: %v; log %q, forfeits %v", ends, lines.Err(), x.log, x.forfeits)
	}
	x.wait("the rounds", func() bool { return x.matches >= 2 })
	conn.Close()
	x.stop()
	if len(x.forfeits) > 1 { // the last match may have begun
		t.Errorf("forfeits %v", x.forfeits)
	}
}

// Names of bots are made safe where they are logged, and a league of rules without words in
// mjai has no hall.
func TestNames(t *testing.T) {
	x := newHouse(t, Options{}, "猫 <b>")
	x.validate("猫 <b>")
	x.wait("the log", func() bool { return slices.Contains(x.log, "猫 <b>@1 passes and may play ranked matches") })
	rules, err := configs.Open("mcr_2006")
	if err != nil {
		t.Fatal(err)
	}
	l, err := league.Init(t.Context(), t.TempDir()+"/mcr", league.Settings{Ruleset: rules, Anchor: "greedy", Luck: league.NoLuck})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := New(l, Options{}); err == nil || !strings.Contains(err.Error(), "mjai") {
		t.Errorf("%v", err)
	}
}
