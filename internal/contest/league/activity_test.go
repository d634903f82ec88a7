package league

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/contest/live"
	"github.com/sparrowhall/sparrowhall/sim"
)

// What runs leaves the queue, and nothing stays when the round has ended.
func TestActivity(t *testing.T) {
	l := newLeague(t, settings(t), "random", "tsumogiri")
	var a live.Activity
	seen := 0
	o := RunOptions{Matches: 32, Workers: 1, Live: &a, Played: func(m *sim.Match, _ []Bot) {
		seen++
		running, queue := a.Snapshot()
		if len(running) != 0 || int(queue) != 32-seen {
			t.Errorf("after %d matches %d run and %d wait", seen, len(running), queue)
		}
	}}
	if _, err := l.Run(t.Context(), o); err != nil || seen != 32 {
		t.Fatalf("%d matches, %v", seen, err)
	}
	if running, queue := a.Snapshot(); len(running) != 0 || queue != 0 {
		t.Errorf("%v, %v", running, queue)
	}

	a.SetQueue(10)
	a.Begin(live.Match{Round: 9, Index: 5, Bots: []int64{3, 2, 3, 1}, Since: time.Now()})
	a.Begin(live.Match{Round: 9, Index: 4, Bots: []int64{3, 1, 2, 3}, Since: time.Now().Add(-time.Minute)})
	running, queue := a.Snapshot()
	if len(running) != 2 || running[0].Index != 4 || queue != 8 {
		t.Errorf("%v, %v", running, queue)
	}
	names := regexp.MustCompile(`tsumogiri|greedy|random|round 9|match 4`)
	page := func(want ...string) {
		t.Helper()
		s, err := l.NewSite(t.Context(), SiteOptions{Live: &a})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := s.Render(t.Context(), &b, LiveFile); err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(b.String(), text) {
				t.Errorf("no %q in\n%s", text, b.String())
			}
		}
		if name := names.FindString(b.String()); name != "" {
			t.Errorf("the page names %s before the match has ended:\n%s", name, b.String())
		}
	}
	page(`<tr><th scope="row">1</th><td>4</td><td>1m0s</td></tr>`, `<th scope="row">2</th>`, "8 matches wait.", "setInterval")
	a.EndRound(9)
	page("No match is being played.", "No match waits.")
	s, err := l.newSession(t.Context(), &RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.plan(t.Context(), 16); err != nil {
		t.Fatal(err)
	}
	page("Another process plays the round below.", "16 matches wait.")
	for name, text := range siteOf(t, l, filepath.Join(t.TempDir(), "site"), SiteOptions{}) {
		if name == LiveFile || strings.Contains(text, LiveFile) || strings.Contains(text, "setInterval") {
			t.Errorf("%s of a static site is live", name)
		}
	}
}

// An audit has all matches of the season, under the names of this league: a fork whose versions
// have other numbers is merged by fingerprints.
func TestLeagueAudit(t *testing.T) {
	l := newLeague(t, settings(t), "random")
	if _, err := l.Audit(t.Context(), View{}, 1); err == nil || !strings.Contains(err.Error(), "no matches of the season") {
		t.Error(err)
	}
	f := fork(t, l, 1, 16)
	add(t, f, "mine", "tsumogiri")
	run(t, f, 32)
	add(t, l, "mine", "value")
	add(t, l, "mine", "tsumogiri") // mine@2
	if m, err := merge(t, l, f.dir); err != "" || m.Matches != 48 {
		t.Fatalf("%+v, %s", m, err)
	}
	run(t, l, 32)
	x, err := l.Audit(t.Context(), View{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Join(x.Agents, " ")
	if x.Matches != 80 || len(x.Conspicuous()) != 0 || !strings.Contains(names, "mine@2") || strings.Contains(names, "mine@1") {
		t.Errorf("%d matches of %s, %+v", x.Matches, names, x.Conspicuous())
	}
	if n := len(x.Treatments); n < 6 {
		t.Errorf("%d treatments", n)
	}
	if y, err := fork(t, l, 2, 16).Audit(t.Context(), View{}, 1); err != nil || y.Matches != 16 || y.Inherited != 80 {
		t.Errorf("%+v, %v", y, err)
	}
	for k := range 6 {
		if _, err := l.db.Exec(`INSERT INTO rounds (id, season, engine, state, plan, source) VALUES (?, 1, ?, 'counted', '{}', '')`, 100+k, engineVersion); err != nil {
			t.Fatal(err)
		}
		nanoseconds := 1000 * 20e6
		if k == 3 {
			nanoseconds *= 4
		}
		if _, err := l.db.Exec(`INSERT INTO figures VALUES (?, 2, 16, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 1000, 0, 1000, ?)`, 100+k, int64(nanoseconds)); err != nil {
			t.Fatal(err)
		}
	}
	bots, err := l.Bots(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	times, err := l.unusualTimes(t.Context(), l.fillView(View{}), bots)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, x := range times {
		found = found || x.Round == 103 && x.Bot == "random@1" && x.Milliseconds == 80
	}
	if !found {
		t.Errorf("%+v", times)
	}
}

// TestStopBetweenMatches checks that a run ends that is stopped while nothing is in play.
func TestStopBetweenMatches(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan error, 1)
	go func() { done <- (&session{o: &RunOptions{}}).playRounds(ctx, nil) }()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	case <-time.After(time.Minute):
		t.Fatal("the run goes on")
	}
}
