package table

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
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
	o := Options{Ruleset: r, Seed: new(uint64(7))}
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
	return serveBy(t, o, func(*Sitting) {})
}

// serveBy is serve of a sitting that is changed before it plays.
func serveBy(t *testing.T, o Options, change func(*Sitting)) *served {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	change(s)
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
	// A message that never comes is found here, with its place, and not by the limit of all tests.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
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
				// Marks come when they come.
				if m.kind != "seats" && !each(m) {
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

func questionOf(t *testing.T, m received) (q questionData) {
	t.Helper()
	if err := json.Unmarshal([]byte(m.data), &q); err != nil {
		t.Fatal(err)
	}
	return q
}

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
