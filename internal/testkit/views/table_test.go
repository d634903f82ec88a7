package views_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/table"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"
)

// presets have shared and private walls, flowers, debts and hidden kans.
var presets = []string{"tenhou", "mcr_2006", "hkma_hktw", "taiwanese", "zung_jung"}

// TestTable compares the pages of a player with a coach, and those of spectators.
func TestTable(t *testing.T) {
	eachTwins(t, presets, []sim.Player{0, 2, spectators}, func(t *testing.T, x *twins) {
		x.compare(t, "table", func(k int) string { return atTable(t, x, k, "") })
		if x.viewer == spectators {
			x.compare(t, "gallery", func(k int) string { return inGallery(t, x, k, false) })
		}
	})
}

// TestSealedTable compares the pages of a table whose walls are sealed, up to the reveal: the secret
// and so the commitment are the same in both matches.
func TestSealedTable(t *testing.T) {
	eachTwins(t, presets[:2], []sim.Player{1, spectators}, func(t *testing.T, x *twins) {
		if x.hands > 1 {
			return // further walls follow from the secret
		}
		drawn := t.TempDir()
		atTable(t, x, 0, drawn)
		journal, err := os.ReadFile(filepath.Join(drawn, "match-0001.journal"))
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(journal), "\n")
		if !strings.Contains(head, `"sealed"`) {
			t.Fatalf("the match is not sealed: %s", head)
		}
		x.compare(t, "sealed table", func(k int) string {
			out := t.TempDir()
			given := strings.Replace(head, sim.FormatFirstWall(x.rulesets[0].FirstWall), sim.FormatFirstWall(x.rulesets[k].FirstWall), 1)
			if err := os.WriteFile(filepath.Join(out, "match-0001.journal"), []byte(given+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return atTable(t, x, k, out)
		})
	})
}

// TestLeak checks that a channel that shows hidden tiles is found out: a page of spectators who may
// see them.
func TestLeak(t *testing.T) {
	x := newTwins(t, "mcr_2006", "greedy", 3, spectators, 0.5)
	if x == nil {
		t.Fatal("nothing may change")
	}
	if difference(inGallery(t, x, 0, true), inGallery(t, x, 1, true)) < 0 {
		t.Error("spectators who see all tiles are sent the same in both matches")
	}
}

// stop ends a match at the moment: its agent waits until the test ends. A sitting asks its agents at
// the same time.
func (x *twins) stop(ctx context.Context) func() sim.Agent {
	return func() sim.Agent { return scripted{x, func() { <-ctx.Done() }} }
}

// atTable returns what the page of the viewer is sent until the moment, and what it can read then.
// With a folder that keeps it the match is sealed.
func atTable(t *testing.T, x *twins, k int, out string) string {
	ctx, cancel := context.WithCancel(t.Context())
	newAgent := x.stop(ctx)
	coach, err := agents.New("value")
	if err != nil {
		t.Fatal(err)
	}
	o := table.Options{Ruleset: x.rulesets[k], Seed: &x.run, Watch: true, Coach: func() sim.Adviser {
		adviser, _ := sim.As[sim.Adviser](coach())
		return adviser
	}}
	if out != "" {
		o.Seed, o.Out = nil, out
	}
	for p := range sim.Player(x.rulesets[k].Rules().NumSeats()) {
		if p != x.viewer {
			o.Agents[p] = table.Agent{Name: "script", New: newAgent}
		}
	}
	s, err := table.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	key := s.WatchKey()
	if x.viewer != spectators {
		key = s.Key(x.viewer)
	}
	page := &page{t: t, x: x, url: server.URL, key: key}
	// A page takes a number as a question does, so it connects before the first one.
	leave := page.follow("/events")
	var playing sync.WaitGroup
	playing.Go(func() {
		if err := s.Play(ctx); err != nil {
			t.Error(err)
		}
	})
	defer func() {
		cancel()
		leave()
		server.CloseClientConnections()
		server.Close()
		playing.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	shown, n := 0, 0
	for shown < x.events || x.viewer != spectators {
		m := page.next()
		shown += m.events()
		if m.kind != "question" {
			continue
		}
		var q struct {
			Question int64
			Legal    []int
		}
		if err := json.Unmarshal([]byte(m.data), &q); err != nil {
			t.Fatal(err)
		}
		switch {
		case len(q.Legal) == 0:
			page.post(fmt.Sprintf(`{"question":%d}`, q.Question))
		case n < len(x.answers):
			page.post(fmt.Sprintf(`{"question":%d,"action":%d}`, q.Question, x.answers[n]))
			n++
		default:
			page.post(fmt.Sprintf(`{"question":%d}`, q.Question))
			page.post(fmt.Sprintf(`{"question":%d,"action":%d}`, q.Question, illegal(x.legal[n])))
			page.post(fmt.Sprintf(`{"question":%d,"action":1}`, q.Question-1))
			for _, path := range []string{"/", "/game.json", "/replay/match-0001.html", "/review/match-0001.html"} {
				page.get(path)
			}
			return page.sent()
		}
	}
	page.get("/game.json")
	return page.sent()
}

// inGallery returns what a page of a gallery is sent until the moment of a match of play.
func inGallery(t *testing.T, x *twins, k int, all bool) string {
	r := x.rulesets[k]
	return watched(t, x, all, func(ctx context.Context, g *table.Gallery, followed <-chan struct{}) error {
		room := g.Open(table.RoomOptions{Ruleset: r, Tables: 1, AgentName: func(uint8) string { return "script" }})
		defer room.Close()
		<-followed
		newAgent := x.stop(ctx)
		job := &sim.Job{
			Rules: r.Rules(), Schedule: sim.Rotation{Seed: x.run, Seats: r.Rules().NumSeats()}, Count: 1, Workers: 1,
			NewAgent: func(int) sim.Agent { return newAgent() }, Watch: room,
		}
		return sim.Run(ctx, job, func() *int { return new(int) }, func(*int, *sim.Match) error { return nil }, func(*int) error { return nil })
	})
}

// watched returns what a page of a gallery is sent until the moment of a match. play opens a room, waits
// until a page follows it, and plays the match.
func watched(t *testing.T, x *twins, all bool, play func(ctx context.Context, g *table.Gallery, followed <-chan struct{}) error) string {
	ctx, cancel := context.WithCancel(t.Context())
	g := table.NewGallery(table.GalleryOptions{AllowHidden: all})
	server := httptest.NewServer(g.Handler())
	page := &page{t: t, x: x, url: server.URL, key: g.Key()}
	path := "/events"
	if all {
		path += "?all=1"
	}
	followed := make(chan struct{})
	var playing sync.WaitGroup
	playing.Go(func() {
		if err := play(ctx, g, followed); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
	leave := page.follow(path)
	close(followed)
	for shown := x.opening; shown < x.events; {
		shown += page.next().events()
	}
	page.get("/game.json")
	cancel()
	leave()
	server.CloseClientConnections()
	server.Close()
	playing.Wait()
	return page.sent()
}

// illegal returns the lowest action that is not legal.
func illegal(legal sim.ActionSet) (a sim.Action) {
	for legal.Has(a) {
		a++
	}
	return a
}

// page is a page of a table.
type page struct {
	t        *testing.T
	x        *twins
	url, key string
	lines    *bufio.Reader
	log      strings.Builder
}

// pushed is a message to a page.
type pushed struct{ kind, data string }

// events returns the number of events of a message.
func (m pushed) events() int {
	var rows []json.RawMessage
	if m.kind != "events" || json.Unmarshal([]byte(m.data), &rows) != nil {
		return 0
	}
	return len(rows)
}

func (p *page) do(method, path, body string) *http.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return response
}

// follow opens the stream of messages and returns what closes it.
func (p *page) follow(path string) (leave func()) {
	p.t.Helper()
	var response *http.Response
	if !poll.Until(func() bool { // a gallery may have no room yet
		response = p.do("GET", path, "")
		return response.StatusCode != http.StatusNotFound || response.Body.Close() != nil
	}) || response.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %s", path, response.Status)
	}
	p.lines = bufio.NewReader(response.Body)
	return func() { response.Body.Close() }
}

// next returns the next message. All lines but those of silence are logged.
func (p *page) next() (m pushed) {
	p.t.Helper()
	for {
		line, err := p.lines.ReadString('\n')
		if err != nil {
			p.t.Fatalf("%s: the stream ends before the moment: %v; sent:\n%s", p.x.name, err, p.log.String())
		}
		if line == ": beat\n" || line == "\n" && m.kind == "" {
			continue
		}
		p.log.WriteString(line)
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "event":
			m.kind = value
		case "data":
			m.data = value
		case "":
			return m
		}
	}
}

func (p *page) post(body string) { p.logged("POST", "/answer", body) }
func (p *page) get(path string)  { p.logged("GET", path, "") }

func (p *page) logged(method, path, body string) {
	p.t.Helper()
	response := p.do(method, path, body)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprintf(&p.log, "%s %s %s: %s %s\n", method, path, body, response.Status, text)
}

var questions = regexp.MustCompile(`question"?:? ?\d+|and \d+ is open`)

// sent returns the log, in which numbers of questions count from the first one: that is drawn.
func (p *page) sent() string {
	first := int64(0)
	return questions.ReplaceAllStringFunc(p.log.String(), func(text string) string {
		digits := strings.Trim(text, "abcdefghijklmnopqrstuvwxyz\": ")
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return text
		}
		if first == 0 {
			first = n
		}
		return strings.Replace(text, digits, fmt.Sprint("first+", n-first), 1)
	})
}
