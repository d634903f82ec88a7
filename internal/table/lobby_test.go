package table

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"
)

// twoPeople returns the options of a table with two people.
func twoPeople(t *testing.T, hands int64) Options {
	t.Helper()
	o := options(t, "ema_2016", "greedy", hands)
	o.Agents[1] = Agent{}
	return o
}

// trySit requests a seat and returns the status and text of the response.
func (s *served) trySit(t *testing.T, key string, p int, name string) (status int, text string) {
	t.Helper()
	response := s.request(t, "POST", "/sit", key, fmt.Sprintf(`{"player":%d,"name":%q}`, p, name))
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, strings.TrimSpace(string(all))
}

// sit takes a seat in the lobby and returns the key of its page.
func (s *served) sit(t *testing.T, p int, name string) string {
	t.Helper()
	var body struct{ Key string }
	status, text := s.trySit(t, s.ShareKey(), p, name)
	if err := json.Unmarshal([]byte(text), &body); err != nil || status != http.StatusOK {
		t.Fatalf("%s sits down: %d %s", name, status, text)
	}
	return body.Key
}

// playTo plays as the person with a key until the replay is there, or stop is true of a question.
func (s *served) playTo(t *testing.T, key string, stop func(questionData) bool) (last questionData) {
	s.follow(t, key, "", func(m received) bool {
		if m.kind == "question" {
			if last = questionOf(t, m); stop(last) {
				return false
			}
			s.answerFirst(t, key, last)
		}
		return m.kind != "replay"
	})
	return last
}

// first and never are stops of [served.playTo].
func first(questionData) bool { return true }
func never(questionData) bool { return false }

// Two people sit down by one link. One leaves in the midst of a hand: the key is dead, the stream ends
// before the next message, and the question stays open for a third person, who takes over. The match
// keeps its commitment and the names that it began with.
func TestLobby(t *testing.T) {
	o := twoPeople(t, 2)
	o.Seed, o.Out = nil, t.TempDir()
	s := serve(t, o)
	anna, ben := s.sit(t, 0, "anna"), s.sit(t, 1, "ben")
	if status, text := s.trySit(t, s.ShareKey(), 1, "carl"); status != http.StatusConflict {
		t.Errorf("a taken seat: %d %s", status, text)
	}
	var played sync.WaitGroup
	played.Go(func() { s.playTo(t, anna, never) })

	answers := 0
	open := s.playTo(t, ben, func(q questionData) bool { answers++; return len(q.Legal) > 0 && answers > 3 })
	s.follow(t, ben, "", func(m received) bool {
		if m.kind == "question" && questionOf(t, m).Question == open.Question {
			if r := s.request(t, "POST", "/leave", ben, ""); r.StatusCode != http.StatusNoContent {
				t.Errorf("leave: %s", r.Status)
			}
		}
		return m.kind != "left"
	})
	for _, request := range []string{"GET /game.json", "GET /events", "GET /seats.json", "POST /answer", "POST /leave"} {
		method, path, _ := strings.Cut(request, " ")
		if r := s.request(t, method, path, ben, fmt.Sprintf(`{"question":%d,"action":%d}`, open.Question, open.Legal[0])); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s with the key of a seat that was left: %s", request, r.Status)
		}
	}
	var now seatsData
	if err := json.NewDecoder(s.request(t, "GET", "/seats.json", s.ShareKey(), "").Body).Decode(&now); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(now.Names, []string{"anna", Person, "greedy", "greedy"}) || !slices.Equal(now.Free, []bool{false, true, false, false}) || !now.Away[1] {
		t.Errorf("after one has left: %+v", now)
	}

	carl := s.sit(t, 1, "carl")
	if q := s.playTo(t, carl, func(q questionData) bool { return q.Question >= open.Question }); q.Question != open.Question {
		t.Errorf("who takes over is asked question %d; %d is open", q.Question, open.Question)
	}
	commitment := s.seal.Info(false).Commitment
	s.playTo(t, carl, never)
	played.Wait()
	s.stop()
	for _, f := range s.games.list {
		if f.names[0] != "anna" || f.names[1] != "carl" {
			t.Errorf("the replay has the names %v", f.names)
		}
	}
	d, _ := opened(t, filepath.Join(o.Out, "match-0001"))
	if d.Manifest.Sealed.Commitment != commitment || !slices.Equal(d.Run.Agents, []string{Person, Person, "greedy", "greedy"}) {
		t.Errorf("the dataset has %+v and the agents %v; the commitment was %s", d.Manifest.Sealed, d.Run.Agents, commitment)
	}
}

// The link to share leads to a free seat, and to nothing else.
func TestLobbyRefusals(t *testing.T) {
	o := twoPeople(t, 1)
	o.Watch = true
	s := serve(t, o)
	s.seats[0].connect(s.Key(0)) // by the address that was printed
	for _, c := range []struct {
		key, request, body string
		status             int
		text               string
	}{
		{s.ShareKey(), "GET /events", "", 403, "sit down"},
		{s.ShareKey(), "POST /answer", `{"question":1,"action":1}`, 403, "the lobby sits down first"},
		{s.ShareKey(), "POST /leave", "", 403, "leaves a seat"},
		{s.WatchKey(), "POST /leave", "", 403, "leaves a seat"},
		{s.WatchKey(), "POST /sit", `{"player":1,"name":"mal"}`, 403, "in the lobby"},
		{s.Key(0), "POST /sit", `{"player":1,"name":"mal"}`, 403, "in the lobby"},
		{"", "GET /seats.json", "", 401, "the key of the page is wrong"},
		{"", "POST /sit", `{"player":2,"name":"mal"}`, 401, "the key of the page is wrong"},
		{s.ShareKey(), "POST /sit", `{"player":0,"name":"mal"}`, 409, "is not free"},
		{s.ShareKey(), "POST /sit", `{"player":2,"name":"mal"}`, 409, "is not free"},
		{s.ShareKey(), "POST /sit", `{"player":4,"name":"mal"}`, 422, "player 4; allowed: 0 to 3"},
		{s.ShareKey(), "POST /sit", `{"player":-1,"name":"mal"}`, 422, "player -1; allowed"},
		{s.ShareKey(), "POST /sit", `{"player":1,"name":""}`, 422, "is empty"},
		{s.ShareKey(), "POST /sit", `{"player":1,"name":"` + strings.Repeat("牌", maxName+1) + `"}`, 422, "25 characters; allowed: 24"},
		{s.ShareKey(), "POST /sit", `{"player":1,"name":"a\u202eb"}`, 422, "cannot be printed"},
		{s.ShareKey(), "POST /sit", `{"player":1,"name":"Greedy"}`, 422, "another player has the name"},
		{s.ShareKey(), "POST /sit", `{"player":1,"name":"mal","key":"x"}`, 400, "unknown field"},
		{s.ShareKey(), "POST /sit", `{"player":1,"name":"` + strings.Repeat("a", 2*maxBody) + `"}`, 400, "too large"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		response := s.request(t, method, path, c.key, c.body)
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != c.status || !strings.Contains(string(text), c.text) {
			t.Errorf("%s %.40s: %d %s, %v; want %d %s", c.request, c.body, response.StatusCode, text, err, c.status, c.text)
		}
	}
	if response := s.request(t, "POST", "/sit", s.ShareKey(), `{"player":1,"name":"mal"}`, "Origin", "http://elsewhere.example"); response.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign page sits down: %s", response.Status)
	}
	for key, want := range map[string][2]string{s.ShareKey(): {"true", "null"}, s.Key(0): {"null", `"` + s.ShareKey() + `"`}, s.WatchKey(): {"null", "null"}} {
		var game map[string]json.RawMessage
		if err := json.NewDecoder(s.request(t, "GET", "/game.json", key, "").Body).Decode(&game); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"lobby", "share"} {
			if got, ok := game[name]; ok != (want[i] != "null") || ok && string(got) != want[i] {
				t.Errorf("the description has %s %s, want %s", name, got, want[i])
			}
		}
	}
}

// Of many who want a seat at once one gets it.
func TestSitAtOnce(t *testing.T) {
	s := serve(t, twoPeople(t, 1))
	statuses := make(chan int, 32)
	for i := range cap(statuses) {
		go func() {
			status, _ := s.trySit(t, s.ShareKey(), 1, fmt.Sprint("person ", i))
			statuses <- status
		}()
	}
	seated := 0
	for range cap(statuses) {
		switch status := <-statuses; status {
		case http.StatusOK:
			seated++
		case http.StatusConflict:
		default:
			t.Errorf("status %d", status)
		}
	}
	if seated != 1 {
		t.Errorf("%d people sit on one seat", seated)
	}
}

// Of two people with one name who sit down at once one gets a seat.
func TestNamesAtOnce(t *testing.T) {
	s, err := New(twoPeople(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	for range 5000 {
		var both sync.WaitGroup
		var keys [2]string
		s.seats[1].mu.Lock() // both have to wait for it as they compare names
		for p := range keys {
			both.Go(func() { keys[p], _ = s.sit(sitBody{sim.Player(p), []string{"Anna", "anna"}[p]}) })
		}
		runtime.Gosched()
		s.seats[1].mu.Unlock()
		both.Wait()
		if (keys[0] == "") == (keys[1] == "") {
			t.Fatalf("both or none of two people with one name have a seat: %q", keys)
		}
		for p, key := range keys {
			s.seats[p].leave(key, Person)
		}
	}
}

// A stream that ends late has no message of the person who has the seat now, and an answer that arrives late is
// not that person's.
func TestLateAfterLeaving(t *testing.T) {
	s, err := New(twoPeople(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	seat, key := s.seats[1], s.Key(1)
	page := seat.connect(key)
	q := &question{number: 7, reply: make(chan sim.Action, 1)}
	seat.question = q
	if !seat.leave(key, Person) || seat.leave(key, Person) {
		t.Error("a person leaves a seat once")
	}
	carl, err := s.sit(sitBody{1, "carl"})
	if err != nil {
		t.Fatal(err)
	}
	s.feeds[1].add("question", questionData{Question: 7})
	sent := httptest.NewRecorder()
	s.site.stream(sent, httptest.NewRequest("GET", "/events", nil), s.feeds[1], 0, page.ended, &page.why)
	if got, want := sent.Body.String(), "event: left\ndata: {}\n\n"; got != want {
		t.Errorf("the stream of who has left ends with %q, want %q", got, want)
	}
	if status, err := seat.acceptAnswer(key, strings.NewReader(`{"question":7}`)); status != unknown || seat.question != q {
		t.Errorf("an answer of who has left: %d, %v", status, err)
	}
	if seat.connect(key) != nil {
		t.Error("a page of who has left connects")
	}
	if status, err := seat.acceptAnswer(carl, strings.NewReader(`{"question":7}`)); status != accepted {
		t.Errorf("an answer of who has taken over: %d, %v", status, err)
	}
}

// A seat that was taken for which no page comes is free again, and its key dead once another person has it. One whose
// page has come stays taken.
func TestSeatWithoutPage(t *testing.T) {
	s := serve(t, twoPeople(t, 1))
	late := func() {
		s.seats[1].mu.Lock()
		defer s.seats[1].mu.Unlock()
		s.seats[1].sat = time.Now().Add(-2 * sitTime)
	}
	mal := s.sit(t, 1, "mal")
	late()
	ben := s.sit(t, 1, "ben")
	if s.seats[1].connect(mal) != nil {
		t.Error("the key of a seat that another person has opens it")
	}
	s.seats[1].disconnect(s.seats[1].connect(ben).number)
	late()
	if status, text := s.trySit(t, s.ShareKey(), 1, "mal"); status != http.StatusConflict {
		t.Errorf("the seat of a person who is away: %d %s", status, text)
	}
}

// The first hand, and its clock, wait until all have sat down.
func TestFirstHandWaits(t *testing.T) {
	o := twoPeople(t, 1)
	o.Clock = Clock{Turn: time.Millisecond}
	s := serve(t, o)
	anna := s.sit(t, 0, "anna")
	s.seats[0].connect(anna)
	if !poll.Until(func() bool { m := s.marked.Load(); return m != nil && !m.Free[0] && m.Free[1] }) {
		t.Fatal("no marks")
	}
	if messages, _ := s.feeds[0].after(0); slices.ContainsFunc(messages, func(m message) bool { return m.kind != "seats" }) {
		t.Errorf("a match begins without its people: %s", events(messages))
	}
	s.seats[1].connect(s.sit(t, 1, "ben"))
	s.playTo(t, anna, first)
}

// After a restart the seats are free, and the match goes on with its commitment under the people who sit down then.
func TestLobbyAfterRestart(t *testing.T) {
	o := twoPeople(t, 1)
	o.Seed, o.Out = nil, t.TempDir()
	var keys, commitments []string
	for _, names := range [][2]string{{"anna", "ben"}, {"carl", "dora"}} {
		s := serve(t, o)
		for _, key := range keys {
			if r := s.request(t, "GET", "/game.json", key, ""); r.StatusCode != http.StatusUnauthorized {
				t.Errorf("a key of before the restart: %s", r.Status)
			}
		}
		keys = []string{s.sit(t, 0, names[0]), s.sit(t, 1, names[1]), s.ShareKey()}
		if commitments == nil {
			s.answerFirst(t, keys[0], s.playTo(t, keys[0], first))
			// The second person need not be asked before the first is asked again: others may call.
			s.follow(t, keys[1], "", func(m received) bool { return m.kind != "events" })
		} else {
			var played sync.WaitGroup
			played.Go(func() { s.playTo(t, keys[0], never) })
			s.playTo(t, keys[1], never)
			played.Wait()
		}
		commitments = append(commitments, s.seal.Info(false).Commitment)
		s.stop()
	}
	d, _ := opened(t, filepath.Join(o.Out, "match-0001"))
	if d.Manifest.Sealed.Commitment != commitments[0] {
		t.Errorf("the match ends with the commitment %s, it began with %s", d.Manifest.Sealed.Commitment, commitments[0])
	}
}

// Neither who has the link to share nor who has a seat can take all connections by requests that never end.
func TestSlowRequests(t *testing.T) {
	const most = 4 * maxReading
	s, err := New(twoPeople(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := admission.NewServer(s.Handler())
	server.ReadTimeout = 0
	go func() { _ = server.Serve(admission.New(l, admission.Limits{Connections: most})) }()
	defer server.Close()
	table := &served{Sitting: s, url: "http://" + l.Addr().String()}
	for _, request := range []string{"/sit " + s.ShareKey(), "/answer " + s.Key(1)} {
		path, key, _ := strings.Cut(request, " ")
		for range 2 * most {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: table\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", path, key)
		}
		began := time.Now()
		if r := table.request(t, "GET", "/game.json", s.Key(0), ""); r.StatusCode != http.StatusOK || time.Since(began) > poll.Patience {
			t.Errorf("beside slow requests of %s: %s after %v", path, r.Status, time.Since(began))
		}
		http.DefaultClient.CloseIdleConnections()
	}
}
