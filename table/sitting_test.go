package table

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

// options returns the options of a table with one person and agents of a name.
func options(t *testing.T, preset, agent string, hands int64) Options {
	t.Helper()
	r, err := configs.Change(preset, map[string]any{"max_hands": hands})
	if err != nil {
		t.Fatal(err)
	}
	newAgent, err := agents.New(agent)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Ruleset: r, Seed: 7}
	for p := 1; p < r.Rules().NumSeats(); p++ {
		o.Agents[p] = Agent{Name: agent, New: newAgent}
	}
	return o
}

// served is a sitting that plays and is served.
type served struct {
	*Sitting
	url  string
	stop func()
}

func serve(t *testing.T, o Options) *served {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Play(ctx) }()
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		server.CloseClientConnections()
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return &served{s, server.URL, stop}
}

// request sends a request with a key and further headers, name after name and value.
func (s *served) request(t *testing.T, method, path, key, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// received is a message as a page receives it.
type received struct {
	id, kind, data string
}

// follow calls each for every message of a page until it returns false.
func (s *served) follow(t *testing.T, key, last string, each func(received) bool) {
	t.Helper()
	var header []string
	if last != "" {
		header = []string{"Last-Event-ID", last}
	}
	response := s.request(t, "GET", "/events", key, "", header...)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("events: %s", response.Status)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	var m received
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("events: %v", err)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			m.id = value
		case "event":
			m.kind = value
		case "data":
			m.data = value
		case "":
			if line == "\n" && m.kind != "" {
				if !each(m) {
					return
				}
				m = received{}
			}
		}
	}
}

// answer answers a question with an action, or goes on if it is negative.
func (s *served) answer(t *testing.T, key string, question int64, action int) (status int, text string) {
	t.Helper()
	body := fmt.Sprintf(`{"question":%d}`, question)
	if action >= 0 {
		body = fmt.Sprintf(`{"question":%d,"action":%d}`, question, action)
	}
	response := s.request(t, "POST", "/answer", key, body)
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(all))
}

// play plays as the person of player 0 until the replay of the match is offered, and returns the
// messages. The person chooses the legal action in the middle.
func (s *served) play(t *testing.T) []received {
	t.Helper()
	return s.playAs(t, 0, "", -1)
}

// playAs is play for a player from the message after the last one. The player begins the branch
// again after a number of questions to go on, never if it is negative.
func (s *served) playAs(t *testing.T, p sim.Player, last string, hands int) (all []received) {
	t.Helper()
	key, begun := s.Key(p), false
	s.follow(t, key, last, func(m received) bool {
		// A branch that begins again need not wait until the page has the replay of the last one.
		if m.kind == "match" && begun {
			return false
		}
		begun = begun || m.kind == "match"
		all = append(all, m)
		if m.kind == "question" {
			var q questionData
			if err := json.Unmarshal([]byte(m.data), &q); err != nil {
				t.Fatal(err)
			}
			action := -1
			if len(q.Legal) > 0 {
				action = q.Legal[len(q.Legal)/2]
			} else if hands--; hands == 0 {
				body := fmt.Sprintf(`{"question":%d,"again":true}`, q.Question)
				if r := s.request(t, "POST", "/answer", key, body); r.StatusCode != http.StatusNoContent {
					t.Fatalf("again: %s", r.Status)
				}
				return true
			}
			if status, text := s.answer(t, key, q.Question, action); status != http.StatusNoContent {
				t.Fatalf("answer %d of %v: %d %s", action, q.Legal, status, text)
			}
		}
		return m.kind != "replay" || !begun
	})
	return all
}

// rows returns the rows of a message of events.
func rows(t *testing.T, m received) (list [][]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(m.data), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func number(t *testing.T, text json.RawMessage) int {
	t.Helper()
	var n int
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHiddenTiles plays matches under all presets and checks every message to the person: of
// other players no dealt or drawn tile, no hidden kan and no hand that is not revealed. The
// events are compared with those of the match that was kept.
func TestHiddenTiles(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			o := options(t, preset, "value", 2)
			o.Out, o.Coach = t.TempDir(), expertCoach
			s := serve(t, o)
			all := s.play(t)
			s.stop()
			d, err := dataset.Open(filepath.Join(o.Out, "match-0001"))
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Verify(t.Context(), 1, func(int) {}); err != nil {
				t.Error(err)
			}
			match, err := d.Match(0)
			if err != nil {
				t.Fatal(err)
			}
			compareSeen(t, all, match, 0, &o.Ruleset.Rules().Flow)
		})
	}
}

// compareSeen compares the events that the page of player p received with those of the match: all
// of them, without the tiles that p may not see.
func compareSeen(t *testing.T, all []received, match *sim.Match, p sim.Player, flow *ruleset.Flow) {
	t.Helper()
	n := 0
	for _, m := range all {
		if m.kind != "events" {
			if !slices.Contains([]string{"match", "question", "advice", "answered", "replay"}, m.kind) {
				t.Errorf("message %s %s", m.kind, m.data)
			}
			continue
		}
		for _, row := range rows(t, m) {
			e := match.Events[n]
			n++
			want := []int{int(e.Type), int(e.Player), int(e.Tile), int(e.Detail), int(e.Value)}
			if e.Player != p {
				switch {
				case e.Type == sim.EvDeal:
					want[4] = -1
				case e.Type == sim.EvDraw, e.Type == sim.EvClosedKan && !flow.ClosedKanVisible:
					want[2] = int(tile.NoFace)
				}
			}
			for i, field := range want {
				if got := number(t, row[i]); got != field {
					t.Fatalf("event %d: field %d is %d, want %d", n-1, i, got, field)
				}
			}
			open := e.Type == sim.EvReveal && !e.Reveal() || e.Type == sim.EvWin
			if len(row) != 5 && !open {
				t.Errorf("event %d of type %d has %s", n-1, e.Type, row[5])
			}
		}
	}
	// A branch that begins again has no event of its end.
	if end := match.Events[n:]; len(end) > 0 && end[0].Type != sim.EvTruncated {
		t.Errorf("%d events, want %d", n, len(match.Events))
	}
}

// firstQuestion returns the first question to player 0.
func (s *served) firstQuestion(t *testing.T) (q questionData) {
	t.Helper()
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind != "question" {
			return true
		}
		if err := json.Unmarshal([]byte(m.data), &q); err != nil {
			t.Fatal(err)
		}
		return false
	})
	return q
}

// TestRefusals checks what is refused, by name, and that the game goes on.
func TestRefusals(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Watch = true
	s := serve(t, o)
	q := s.firstQuestion(t)
	illegal := slices.Index(make([]bool, sim.NumActions), false)
	for slices.Contains(q.Legal, illegal) {
		illegal++
	}
	answer := func(action int) string { return fmt.Sprintf(`{"question":%d,"action":%d}`, q.Question, action) }
	for _, c := range []struct {
		name, key, body string
		header          []string
		status          int
		text            string
	}{
		{"wrong key", "x", answer(q.Legal[0]), nil, 401, "the key of the page is wrong"},
		{"spectator", s.WatchKey(), answer(q.Legal[0]), nil, 403, "spectators do not play"},
		{"foreign origin", s.Key(0), answer(q.Legal[0]), []string{"Origin", "http://elsewhere.example"}, 403, `"http://elsewhere.example"`},
		{"old question", s.Key(0), `{"question":-1,"action":0}`, nil, 409, "question -1 is over"},
		{"illegal", s.Key(0), answer(illegal), nil, 422, "is not legal; allowed: "},
		{"no action", s.Key(0), answer(sim.NumActions), nil, 422, "180 is no action"},
		{"again without a branch", s.Key(0), fmt.Sprintf(`{"question":%d,"again":true}`, q.Question), nil, 422, "only a branch begins again"},
		{"missing action", s.Key(0), fmt.Sprintf(`{"question":%d}`, q.Question), nil, 422, "the action is missing"},
		{"broken", s.Key(0), `{"question":`, nil, 400, "the answer cannot be read"},
		{"unknown member", s.Key(0), `{"question":1,"tile":"5m"}`, nil, 400, "unknown field"},
		{"two answers", s.Key(0), `{"question":1} {"question":2}`, nil, 400, "more follows"},
		{"too long", s.Key(0), `{"question":1` + strings.Repeat(" ", 2*maxBody) + `}`, nil, 400, "too large"},
	} {
		response := s.request(t, "POST", "/answer", c.key, c.body, c.header...)
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != c.status || !strings.Contains(string(text), c.text) {
			t.Errorf("%s: %d %s, want %d %s", c.name, response.StatusCode, text, c.status, c.text)
		}
	}
	for _, c := range []struct {
		name, method, path, key string
		header                  []string
		status                  int
		text                    string
	}{
		{"events, wrong key", "GET", "/events", "x", nil, 401, "the key of the page is wrong"},
		{"events without a key", "GET", "/events", "", nil, 401, "the key of the page is wrong"},
		{"events, foreign origin", "GET", "/events", s.Key(0), []string{"Origin", "null"}, 403, `requests from "null" are refused`},
		{"events, broken id", "GET", "/events", s.Key(0), []string{"Last-Event-ID", "x"}, 400, `Last-Event-ID "x" is no number`},
		{"game, wrong key", "GET", "/game.json", s.WatchKey() + "x", nil, 401, "the key of the page is wrong"},
		{"answer by another method", "GET", "/answer", s.Key(0), nil, 405, "Method Not Allowed"},
		{"an empty answer", "POST", "/answer", s.Key(0), nil, 400, "the answer cannot be read"},
	} {
		response := s.request(t, c.method, c.path, c.key, "", c.header...)
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != c.status || !strings.Contains(string(text), c.text) {
			t.Errorf("%s: %d %s, want %d %s", c.name, response.StatusCode, text, c.status, c.text)
		}
	}
	if status, text := s.answer(t, s.Key(0), q.Question, q.Legal[0]); status != http.StatusNoContent {
		t.Errorf("a legal answer after those: %d %s", status, text)
	}
	if status, text := s.answer(t, s.Key(0), q.Question, q.Legal[0]); status != http.StatusConflict || !strings.Contains(text, fmt.Sprintf("question %d is over", q.Question)) {
		t.Errorf("the same answer again: %d %s", status, text)
	}
	refused := false
	for range 3 * maxRate {
		status, _ := s.answer(t, s.Key(0), -1, 0)
		refused = refused || status == http.StatusTooManyRequests
	}
	if !refused {
		t.Error("a flood of answers was not refused")
	}
	for path, status := range map[string]int{"/": 200, "/table.js": 200, "/table.css": 200, "/ja.json": 200, "/replay/x": 404, "/page/en.json": 404} {
		if response := s.request(t, "GET", path, "", ""); response.StatusCode != status {
			t.Errorf("%s: %s, want %d", path, response.Status, status)
		}
	}
}

// TestReconnect checks that a page that connects again gets what it missed and no more, and that
// a second page of a seat replaces the first.
func TestReconnect(t *testing.T) {
	s := serve(t, options(t, "ema_2016", "greedy", 1))
	var last string
	var first []received
	replaced := false
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind == "question" {
			var again []received
			s.follow(t, s.Key(0), last, func(m received) bool { again = append(again, m); return false })
			if len(again) != 1 || again[0].id != m.id || again[0].kind != "question" {
				t.Errorf("after message %s came %v", last, again)
			}
		}
		if m.kind == "replaced" {
			replaced = true
			return false
		}
		first = append(first, m)
		last = m.id
		return true
	})
	if !replaced {
		t.Error("the first page was not replaced")
	}
	// An id of the server before a restart is not among the messages: all of them come.
	var all []received
	s.follow(t, s.Key(0), "99999", func(m received) bool { all = append(all, m); return len(all) < len(first) })
	if !slices.Equal(all, first) {
		t.Error("a page with an unknown id does not get all messages")
	}
}

// TestRestart ends a sitting in the midst of a match and starts it again: the match goes on
// where it stood, and ends as it does without a break.
func TestRestart(t *testing.T) {
	whole := options(t, "tenhou", "value", 2)
	whole.Out = t.TempDir()
	one := serve(t, whole)
	one.play(t)
	one.stop()

	o := options(t, "tenhou", "value", 2)
	o.Out = t.TempDir()
	s := serve(t, o)
	answers := 0
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind != "question" {
			return true
		}
		var q questionData
		if err := json.Unmarshal([]byte(m.data), &q); err != nil {
			t.Fatal(err)
		}
		if answers == 5 {
			return false
		}
		answers++
		s.answer(t, s.Key(0), q.Question, q.Legal[len(q.Legal)/2])
		return true
	})
	s.stop()
	other := o
	other.Seed = 8
	if err := serve2(t, other); err == nil || !strings.Contains(err.Error(), "is in progress here") {
		t.Errorf("another seed: %v", err)
	}
	s = serve(t, o)
	s.play(t)
	s.stop()
	want, got := files(t, filepath.Join(whole.Out, "match-0001")), files(t, filepath.Join(o.Out, "match-0001"))
	if !bytes.Equal(want, got) {
		t.Error("the match that was interrupted differs from the one that was not")
	}
}

// A journal that is a device, which would be read for ever, is refused.
func TestJournalOfDevice(t *testing.T) {
	o := options(t, "tenhou", "value", 2)
	o.Out = t.TempDir()
	if err := os.Symlink(os.DevNull, filepath.Join(o.Out, "match-0001.journal")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Play(ctx); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a device as journal: %v", err)
	}
}

// serve2 returns the error with which a sitting ends at once.
func serve2(t *testing.T, o Options) error {
	t.Helper()
	s, err := New(o)
	if err != nil {
		return err
	}
	return s.Play(t.Context())
}

// files returns the rows of the decisions of a dataset as text.
func files(t *testing.T, dir string) []byte {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for row, err := range d.DecisionRows() {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%v\n", row)
	}
	return b.Bytes()
}

// TestClock checks that the clock answers for a person who does not, and that an answer that comes
// later is refused by name.
func TestClock(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Clock = Clock{Turn: 2 * time.Millisecond, Reserve: 5 * time.Millisecond}
	s := serve(t, o)
	var late questionData
	tried := false // once, since a flood of them is refused otherwise
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind == "answered" && len(late.Legal) > 0 && !tried {
			tried = true
			if status, text := s.answer(t, s.Key(0), late.Question, late.Legal[0]); status != http.StatusConflict || !strings.Contains(text, fmt.Sprintf("question %d is over", late.Question)) {
				t.Errorf("a late answer: %d %s", status, text)
			}
		}
		if m.kind != "question" {
			return m.kind != "replay"
		}
		var q questionData
		if err := json.Unmarshal([]byte(m.data), &q); err != nil {
			t.Fatal(err)
		}
		if len(q.Legal) == 0 {
			s.answer(t, s.Key(0), q.Question, -1)
		}
		late = q
		if q.Seconds < 0.002 || q.Seconds > 0.007 && q.Seconds != pauseTime.Seconds() {
			t.Errorf("%v s for an answer", q.Seconds)
		}
		return true
	})
}

// TestClockOfNewPage checks that a page that connects later learns what the clock has left.
func TestClockOfNewPage(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Clock = Clock{Turn: 20 * time.Second, Reserve: 40 * time.Second}
	s := serve(t, o)
	q := s.firstQuestion(t)
	time.Sleep(300 * time.Millisecond)
	s.follow(t, s.Key(0), "", func(m received) bool {
		var c clockData
		if m.kind != "clock" || m.id != "" {
			t.Fatalf("the first message is %v", m)
		}
		if err := json.Unmarshal([]byte(m.data), &c); err != nil {
			t.Fatal(err)
		}
		if c.Question != q.Question || c.Left > 59.7 || c.Left < 30 {
			t.Errorf("of 60 s for question %d the clock leaves %+v", q.Question, c)
		}
		return false
	})
}

// The clock that goes on to the next hand by itself is shown, also by a page that connects later.
func TestClockBetweenHands(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 2)
	o.Clock = Clock{Turn: time.Millisecond}
	s := serve(t, o)
	var q questionData
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind == "question" {
			q = questionOf(t, m)
		}
		return m.kind != "question" || len(q.Legal) > 0
	})
	if q.Seconds != pauseTime.Seconds() {
		t.Errorf("%v s for going on, want %v", q.Seconds, pauseTime)
	}
	s.follow(t, s.Key(0), "", func(m received) bool {
		var c clockData
		if m.kind != "clock" {
			t.Fatalf("the first message is %v", m)
		}
		if err := json.Unmarshal([]byte(m.data), &c); err != nil {
			t.Fatal(err)
		}
		if c.Question != q.Question || c.Left <= 0 || c.Left > q.Seconds {
			t.Errorf("of %v s for question %d the clock leaves %+v", q.Seconds, q.Question, c)
		}
		return false
	})
}

// TestSubstitute checks that an agent plays for a page that is closed.
func TestSubstitute(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Substitute, o.Away, o.Watch = o.Agents[1].New, time.Nanosecond, true
	s := serve(t, o)
	questions := 0
	s.follow(t, s.WatchKey(), "", func(m received) bool {
		if m.kind == "question" {
			questions++
		}
		return m.kind != "replay"
	})
	if questions > 0 {
		t.Errorf("spectators were asked %d times", questions)
	}
}

// TestSpectators checks that spectators see hands only once the hand has ended.
func TestSpectators(t *testing.T) {
	o := options(t, "mcr_2006", "value", 2)
	o.Substitute, o.Away, o.Watch = o.Agents[1].New, time.Nanosecond, true
	s := serve(t, o)
	ended, shown := 0, 0
	s.follow(t, s.WatchKey(), "", func(m received) bool {
		switch m.kind {
		case "events":
			for _, row := range rows(t, m) {
				kind := sim.EventType(number(t, row[0]))
				if kind == sim.EvDeal && number(t, row[4]) != -1 || kind == sim.EvDraw && number(t, row[2]) != int(tile.NoFace) {
					t.Fatalf("spectators see %s", row)
				}
				if kind == sim.EvHandEnd {
					ended++
				}
			}
		case "hands":
			if shown++; shown != ended {
				t.Errorf("hand %d is shown after %d hands have ended", shown, ended)
			}
		}
		return m.kind != "replay"
	})
	if shown != 2 {
		t.Errorf("%d hands were shown", shown)
	}
}

func TestParseClock(t *testing.T) {
	for text, want := range map[string]Clock{
		"": {}, "5": {Turn: 5 * time.Second}, "5+10": {5 * time.Second, 10 * time.Second}, "1+0": {Turn: time.Second},
	} {
		if got, err := ParseClock(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "-1", "5+", "+5", "x", "5+x", "4000", "5+-1", "1+2+3"} {
		if _, err := ParseClock(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// A client that does not read what it is sent loses its connection, so that such clients
// cannot hold all connections that the program allows.
func TestClientThatDoesNotRead(t *testing.T) {
	s, err := New(options(t, "ema_2016", "greedy", 1))
	if err != nil {
		t.Fatal(err)
	}
	s.writeTime = 200 * time.Millisecond
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	for path, requests := range map[string]int{"/table.js": 400, "/ja.json": 2000} {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		request := "GET " + path + " HTTP/1.1\r\nHost: table\r\n\r\n"
		go func() { _, _ = io.WriteString(c, strings.Repeat(request, requests)) }()
		time.Sleep(5 * s.writeTime)
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		text, err := io.ReadAll(c)
		if n := bytes.Count(text, []byte("HTTP/1.1 200")); n == 0 || n == requests || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %d of %d responses, %v; want the connection to end", path, n, requests, err)
		}
	}
}

// Spectators, who share one key, cannot take all connections of the players.
func TestTooManySpectators(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Watch = true
	s := serve(t, o)
	for i := range maxSpectators + 1 {
		r := s.request(t, "GET", "/events", s.WatchKey(), "")
		defer r.Body.Close()
		if full := i == maxSpectators; (r.StatusCode == http.StatusServiceUnavailable) != full {
			t.Fatalf("spectator %d: %s", i, r.Status)
		}
	}
}

// external is an agent that needs what [sim.Starter] and [io.Closer] do.
type external struct {
	sim.Agent
	started, closed bool
}

func (e *external) Start(*ruleset.Rules) error { e.started = true; return nil }
func (e *external) Close() error               { e.closed = true; return nil }

// A substitute that is an external agent is started and closed as the agents of seats are.
func TestSubstituteIsStarted(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	var list []*external
	newAgent := o.Agents[1].New
	o.Substitute = func() sim.Agent {
		e := &external{Agent: newAgent()}
		list = append(list, e)
		return e
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || !list[0].started || !list[0].closed {
		t.Errorf("substitutes %+v; want one, started and closed", list)
	}
}

// TestThreePlayers plays a match of three by the page of player 0, who sets every North aside
// that may be, and checks that the page knows of three players alone.
func TestThreePlayers(t *testing.T) {
	o := options(t, sanma, "value", 4)
	o.Watch = true
	s := serve(t, o)
	if s.Key(1) != "" || s.Key(3) != "" {
		t.Error("seats of agents, or a fourth seat, have a page")
	}
	var game gameData
	if err := json.NewDecoder(s.request(t, "GET", "/game.json", s.Key(0), "").Body).Decode(&game); err != nil {
		t.Fatal(err)
	}
	if game.Seats != 3 || len(game.Actions) != sim.NumAllActions || game.Actions[game.IDs["kita"]] != "kita" {
		t.Errorf("%d seats, %d actions", game.Seats, len(game.Actions))
	}
	if !slices.ContainsFunc(game.Patterns, func(p pricedPattern) bool { return p.ID == "nuki_dora" }) {
		t.Error("the pattern of Norths is missing")
	}
	key, norths, refused := s.Key(0), 0, false
	s.follow(t, key, "", func(m received) bool {
		switch m.kind {
		case "match":
			var d matchData
			if err := json.Unmarshal([]byte(m.data), &d); err != nil || len(d.Names) != 3 {
				t.Errorf("match %s: %v", m.data, err)
			}
		case "events":
			for _, row := range rows(t, m) {
				if p := number(t, row[1]); p > 2 && p != int(ruleset.Pot) {
					t.Errorf("an event of player %d", p)
				}
			}
		case "question":
			var q questionData
			if err := json.Unmarshal([]byte(m.data), &q); err != nil {
				t.Fatal(err)
			}
			action := -1
			if len(q.Legal) > 0 {
				action = q.Legal[len(q.Legal)/2]
			}
			if slices.Contains(q.Legal, int(sim.ActKita)) {
				action = int(sim.ActKita)
				norths++
			}
			if !refused {
				refused = true
				if status, text := s.answer(t, key, q.Question, sim.NumAllActions); status != http.StatusUnprocessableEntity || !strings.Contains(text, "0 to 180") {
					t.Errorf("action %d: %d %s", sim.NumAllActions, status, text)
				}
			}
			if status, text := s.answer(t, key, q.Question, action); status != http.StatusNoContent {
				t.Fatalf("answer %d of %v: %d %s", action, q.Legal, status, text)
			}
		}
		return m.kind != "replay"
	})
	if norths == 0 {
		t.Error("no North could be set aside")
	}
}

// Every preset's page receives the patterns of the ruleset.
func TestGameOfPresets(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			o := options(t, preset, "greedy", 1)
			s := serve(t, o)
			var game gameData
			if err := json.NewDecoder(s.request(t, "GET", "/game.json", s.Key(0), "").Body).Decode(&game); err != nil {
				t.Fatal(err)
			}
			if len(game.Patterns) < 20 {
				t.Errorf("%d patterns", len(game.Patterns))
			}
		})
	}
}

// questionOf returns the question of a message.
func questionOf(t *testing.T, m received) (q questionData) {
	t.Helper()
	if err := json.Unmarshal([]byte(m.data), &q); err != nil {
		t.Fatal(err)
	}
	return q
}

// TestReview checks that the end of a match names its replay and its review, and that the review
// appears on its page, after pages that load again.
func TestReview(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Judge = o.Agents[1].New
	s := serve(t, o)
	all := s.play(t)
	var pages replayData
	if err := json.Unmarshal([]byte(all[len(all)-1].data), &pages); err != nil {
		t.Fatal(err)
	}
	read := func(path string) (*http.Response, string) {
		r := s.request(t, "GET", path, "", "")
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(text)
	}
	if r, text := read(pages.Address); r.StatusCode != http.StatusOK || strings.Contains(text, `"review":{`) {
		t.Errorf("replay: %s", r.Status)
	}
	// Until then there is a page in the language of the table or the browser.
	for _, c := range [][3]string{{"?language=ja", "zh-TW", "検討"}, {"", "de, zh-TW;q=0.9", "檢討"}, {"", "ja-JP,en", "検討"}, {"?language=x", "", "Review"}} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", pages.Review+c[0], nil)
		r.Header.Set("Accept-Language", c[1])
		writeReviewWait(w, r, 7)
		if text := w.Body.String(); !strings.Contains(text, "<h1>"+c[2]+"</h1>") || !strings.Contains(text, "7") {
			t.Errorf("%v: %s", c, text)
		}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		r, text := read(pages.Review)
		if r.StatusCode != http.StatusOK || time.Now().After(end) {
			t.Fatalf("review: %s, %.200s", r.Status, text)
		}
		if r.Header.Get("Refresh") != "" {
			continue
		}
		if strings.Count(text, `"rows":[`) != 1 || !strings.Contains(text, `"players":[{"player":0,`) {
			t.Error("the page has no review of the person, or one of an agent")
		}
		break
	}
	if r, _ := read("/review/x"); r.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown review: %s", r.Status)
	}
	s.stop()
	o.Judge = nil
	s = serve(t, o)
	all = s.play(t)
	if strings.Contains(all[len(all)-1].data, "review") {
		t.Errorf("without a judge the page receives %s", all[len(all)-1].data)
	}
}

// A person who may pay one of several debts between two hands learns whose it is.
func TestCreditor(t *testing.T) {
	o := options(t, "hkma_hktw", "value", 8)
	r, err := configs.Change("hkma_hktw", map[string]any{"max_hands": int64(8), "pull_cut_after": int64(1)})
	if err != nil {
		t.Fatal(err)
	}
	o.Ruleset, o.Seed = r, 3
	s := serve(t, o)
	debts, asked := map[int]int{}, 0 // of player 0, by creditor
	for _, m := range s.play(t) {
		switch m.kind {
		case "events":
			for _, row := range rows(t, m) {
				if sim.EventType(number(t, row[0])) == sim.EvDebt && number(t, row[3])&3 == 0 {
					debts[number(t, row[1])] = number(t, row[4])
				}
			}
		case "question":
			q := questionOf(t, m)
			if slices.Contains(q.Legal, int(sim.ActCutDebt)) != (q.Creditor != nil) {
				t.Errorf("the creditor of %v is %v", q.Legal, q.Creditor)
			}
			if q.Creditor != nil {
				if asked++; debts[int(*q.Creditor)] == 0 {
					t.Errorf("player 0 owes nothing to %d: %v", *q.Creditor, debts)
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no debt could be paid")
	}
}

// page returns the document that a Chromium makes of the page of player 0 after some seconds of its
// clock.
func (s *served) page(t *testing.T, browser, language string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
		"--accept-lang="+language, "--user-data-dir="+t.TempDir(), "--virtual-time-budget=3000", "--dump-dom", s.url+"/#"+s.Key(0)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `<p id="error" role="alert" hidden="">`) {
		t.Errorf("the page reports a fault:\n%.300s", out)
	}
	return string(out)
}

// TestInBrowser opens the page where there is a Chromium: in a turn, and between two hands where a
// debt may be paid.
func TestInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Log("no chromium here")
		return
	}
	o := options(t, "tenhou", "greedy", 1)
	o.Coach, o.Clock = expertCoach, Clock{Turn: time.Hour}
	s := serve(t, o)
	q := s.firstQuestion(t)
	text := s.page(t, browser, "en-US")
	if n := strings.Count(text, `class="pick`); n < len(q.Legal)/2 || !strings.Contains(text, "E round, hand 1") || !strings.Contains(text, "The coach's choice") || !regexp.MustCompile(`class="clock">3[56]\d\d s`).MatchString(text) {
		t.Errorf("a page with %d tiles to choose from, of %v:\n%s", n, q.Legal, text)
	}

	if o.Ruleset, err = configs.Change("hkma_hktw", map[string]any{"max_hands": int64(8), "pull_cut_after": int64(1)}); err != nil {
		t.Fatal(err)
	}
	o.Seed, o.Coach = 3, nil
	s = serve(t, o)
	s.follow(t, s.Key(0), "", func(m received) bool {
		if m.kind != "question" {
			return true
		}
		q := questionOf(t, m)
		if q.Creditor != nil {
			return false
		}
		action := -1
		if len(q.Legal) > 0 {
			action = q.Legal[len(q.Legal)/2]
		}
		s.answer(t, s.Key(0), q.Question, action)
		return true
	})
	text = s.page(t, browser, "zh-TW")
	_, result, _ := strings.Cut(text, `<section id="result"`)
	if strings.Contains(result[:strings.Index(result, ">")], "hidden") || !regexp.MustCompile(`你欠 [東南西北]（greedy） \d+。.*斬拉.*>過<`).MatchString(result) {
		t.Errorf("no choice between hands:\n%s", result)
	}
}
