package table

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

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
		{"leave alone", "POST", "/leave", s.Key(0), nil, 403, "only one of several people"},
		{"sit down alone", "POST", "/sit", s.Key(0), nil, 403, "in the lobby"},
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
