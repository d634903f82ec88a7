package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/contest/live"
)

// shortRules writes a ruleset of short matches and returns its path.
func shortRules(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "short.toml")
	if err := os.WriteFile(path, []byte("base = \"tenhou\"\nmax_hands = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// newTestLeague makes a league of built-in players and returns its folder.
func newTestLeague(t *testing.T, players ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cup")
	ok(t, "league", "init", dir, "--ruleset", shortRules(t), "--anchor", "greedy", "--luck", "none", "--seed", "1")
	// The seed of the league is in the database.
	if info, err := os.Stat(filepath.Join(dir, "league.db")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("other users can read the database: %v, %v", info, err)
	}
	for _, name := range players {
		ok(t, "league", "add", dir, name, name)
	}
	return dir
}

// ok runs the program, which must succeed, and returns what it prints.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	out, errOut, status := sparrowhall(t, "", args...)
	if status != statusOK {
		t.Fatalf("%v: status %d: %s", args, status, errOut)
	}
	return out
}

// A league that is killed at any moment goes on to the matches and ratings of one that is not.
func TestLeagueKilled(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const total = "500"
	whole, dir := newTestLeague(t, "random", "tsumogiri"), newTestLeague(t, "random", "tsumogiri")
	ok(t, "league", "run", whole, "--total", total, "--quiet")
	kills := 0
	for wait := 30 * time.Millisecond; ; wait += 60 * time.Millisecond {
		cmd := exec.Command(exe, "league", "run", dir, "--total", total, "--quiet")
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		kills++
	}
	if kills == 0 {
		t.Error("the league was never killed")
	}
	t.Logf("killed %d times", kills)
	a, b := ok(t, "league", "standings", whole, "--json"), ok(t, "league", "standings", dir, "--json")
	if a != b {
		t.Errorf("killed:\n%s\nwhole:\n%s", b, a)
	}
	var s struct{ Matches int }
	if err := json.Unmarshal([]byte(a), &s); err != nil || s.Matches != 512 {
		t.Errorf("%d matches, %v", s.Matches, err)
	}
}

func TestLeagueUsage(t *testing.T) {
	dir := newTestLeague(t, "random")
	ok(t, "league", "run", dir, "--matches", "16", "--quiet")
	table := ok(t, "league", "standings", dir)
	for _, want := range []string{"Season 1, short.toml: 16 matches, 4 duplicate sets", "greedy 1  1-", "1500 [1500, 1500]", "random 1"} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is missing in\n%s", want, table)
		}
	}
	forked := filepath.Join(t.TempDir(), "fork")
	ok(t, "league", "fork", dir, forked, "--number", "3")
	ok(t, "league", "run", forked, "--matches", "16", "--quiet")
	if out := ok(t, "league", "merge", dir, forked, "--quiet"); !strings.Contains(out, "16 matches added; 16 of them were replayed, and in 4 the choices of built-in players compared") {
		t.Error(out)
	}
	if out := ok(t, "league", "check", dir, "--quiet", "--sample", "1"); !strings.Contains(out, "32 matches replayed") {
		t.Error(out)
	}
	if out := ok(t, "league", "test", dir, "greedy", "random", "--elo", "0..100", "--quiet"); !strings.HasPrefix(out, "accepted: greedy is stronger than random. ") {
		t.Error(out)
	}
	if out := ok(t, "league", "audit", dir, "--quiet"); !strings.HasPrefix(out, "No pair can be compared in 32 matches") {
		t.Error(out)
	}
	site := filepath.Join(t.TempDir(), "site")
	if out := ok(t, "league", "page", dir, "--out", site, "--replays", "0"); !strings.Contains(out, "open index.html") {
		t.Error(out)
	}
	for _, file := range []string{"index.html", "head-to-head.html", "matches.html", "tests.html", "bot-1.html"} {
		text, err := os.ReadFile(filepath.Join(site, file))
		if err != nil {
			t.Fatal(err)
		}
		checkLanguages(t, string(text))
	}
	file := filepath.Join(t.TempDir(), "cup.tar")
	ok(t, "league", "backup", dir, file)
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("a backup, which has secrets: mode %v, %v", info.Mode(), err)
	}
	for i, c := range []struct {
		status int
		want   string
		args   string
	}{
		{statusUsage, "by one of --matches, --total and --for", "league run " + dir},
		{statusUsage, "by one of", "league run --matches 5 --for 1h " + dir},
		{statusUsage, "above 0", "league run --matches 0 " + dir},
		{statusFailure, "the folder is no league", "league run --matches 5 " + t.TempDir()},
		{statusFailure, "the folder is no league", "league audit " + t.TempDir()},
		{statusUsage, "name an address by --serve", "league run --matches 5 --anonymous " + dir},
		{statusFailure, "allowed: host:port", "league run --matches 5 --serve 256.0.0.1:0 " + dir},
		{statusFailure, "not empty", "league init " + dir},
		{statusUsage, `--luck: "some"; allowed: fast, strong, none`, "league init --luck some " + dir},
		{statusUsage, "unknown ruleset", "league init --ruleset nope " + dir + "2"},
		{statusFailure, "nearest: value", "league init --anchor valeu " + dir + "2"},
		{statusFailure, "plays as version 1 already", "league add " + dir + " random random"},
		{statusFailure, `no bot "rondom"; nearest: random`, "league retire " + dir + " rondom"},
		{statusFailure, "is the anchor", "league retire " + dir + " greedy"},
		{statusFailure, "no season 7", "league standings --season 7 " + dir},
		{statusFailure, "file already exists", "league backup " + dir + " " + file},
		{statusUsage, "name a folder by --out, or an address by --serve", "league page " + dir},
		{statusUsage, "--replays: -1", "league page --replays -1 --out x " + dir},
		{statusFailure, "name a new one", "league page --out " + dir + " " + dir},
		{statusUsage, `--elo: "7"; allowed: two numbers such as 0..10`, "league test --elo 7 " + dir + " greedy random"},
		{statusFailure, "at least one point more", "league test --elo 10..0 " + dir + " greedy random"},
		{statusFailure, `no bot "gredy"; nearest: greedy`, "league test " + dir + " gredy random"},
		{statusUsage, "--rounds: 0", "league test --rounds 0 " + dir + " greedy random"},
		{statusUsage, "--sample: 2; allowed: from 0 to 1", "league merge --sample 2 " + dir + " x"},
		{statusFailure, "1 of 1 folders were refused", "league merge " + dir + " " + t.TempDir()},
		{statusUsage, "1 arguments given", "league merge " + dir},
		{statusFailure, "fork 0", "league fork --number 0 " + dir + " " + dir + "3"},
		{statusFailure, "not empty; name a new one", "league fork " + dir + " " + dir},
	} {
		_, errOut, status := sparrowhall(t, "", strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(errOut, c.want) {
			t.Errorf("%d: %s: status %d: %s; want %d, %q", i, c.args, status, errOut, c.status, c.want)
		}
	}
	if _, err := os.Stat(dir + "2"); err == nil {
		if entries, _ := os.ReadDir(dir + "2"); len(entries) > 1 {
			t.Error(fmt.Sprint("a league that failed to begin has ", entries))
		}
	}
}

// The commitment of a round is in walls.json as soon as it is drawn, however young the site is.
func TestCommitmentServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cup")
	ok(t, "league", "init", dir, "--ruleset", shortRules(t), "--anchor", "greedy", "--luck", "none")
	ok(t, "league", "add", dir, "random", "random")
	var leagues []*league.League
	for range 2 { // one plays, the other serves
		l, err := league.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		leagues = append(leagues, l)
	}
	h := newLeagueHandler(leagues[1], league.SiteOptions{})
	rounds := 0
	for range 2 {
		if _, err := leagues[0].Run(t.Context(), league.RunOptions{Matches: 8, Workers: 1, Sealed: func(round int64, commitment string) {
			rounds++
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/walls.json", nil))
			if !strings.Contains(w.Body.String(), commitment) {
				t.Errorf("round %d begins without its commitment: %s", round, w.Body)
			}
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if rounds < 2 {
		t.Errorf("%d rounds", rounds)
	}
}

// A league serves its site while it plays: pages, replays of any match, what is being played, and
// nothing else.
func TestLeagueServed(t *testing.T) {
	dir := newTestLeague(t, "random")
	if out := ok(t, "league", "run", dir, "--matches", "16", "--serve", "localhost:0", "--quiet"); !strings.HasPrefix(out, "http://127.0.0.1:") {
		t.Error(out)
	}
	l, err := league.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := &leagueHandler{replay: make(chan struct{}, 1), read: func(ctx context.Context) (*league.Site, error) {
		return l.NewSite(ctx, league.SiteOptions{Live: &live.Activity{}})
	}}
	for _, c := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/", http.StatusOK, `>現況</span></a>`},
		{"GET", "/now.html", http.StatusOK, "No match is being played."},
		{"GET", "/match-1-3.html", http.StatusOK, "greedy 1"},
		{"GET", "/feed.json", http.StatusOK, "https://jsonfeed.org/version/1.1"},
		{"GET", "/league.db", http.StatusNotFound, "not found"},
		{"GET", "/../league.db", http.StatusNotFound, "not found"},
		{"POST", "/", http.StatusMethodNotAllowed, "only GET and HEAD"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: status %d, %d bytes without %q", c.method, c.path, w.Code, w.Body.Len(), c.want)
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s has the policy %q", c.path, policy)
		}
	}

	// A client that does not read a page delays no other.
	slow := &stuckWriter{ResponseRecorder: httptest.NewRecorder(), begun: make(chan struct{}), end: make(chan struct{})}
	var wait sync.WaitGroup
	wait.Go(func() { h.ServeHTTP(slow, httptest.NewRequest("GET", "/", nil)) })
	<-slow.begun
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/feed.json", nil))
	if w.Code != http.StatusOK {
		t.Errorf("beside a client that does not read: status %d", w.Code)
	}
	close(slow.end)
	wait.Wait()
}

// stuckWriter is the response to a client that does not read until end is closed.
type stuckWriter struct {
	*httptest.ResponseRecorder
	begun, end chan struct{}
}

func (w *stuckWriter) Write(b []byte) (int, error) {
	close(w.begun)
	<-w.end
	return w.ResponseRecorder.Write(b)
}

// An audit of a league or of one of its datasets prints a verdict and the nearest pairs.
func TestLeagueAudit(t *testing.T) {
	dir := newTestLeague(t, "random", "tsumogiri")
	ok(t, "league", "run", dir, "--matches", "32", "--quiet")
	for _, folder := range []string{dir, filepath.Join(dir, "matches", "00000001")} {
		out := ok(t, "league", "audit", folder, "--quiet")
		if !strings.HasPrefix(out, "No pair is conspicuous in 32 matches") || !strings.Contains(out, "random@1 > ") || !strings.HasSuffix(out, "No seat and no time is unusual.\n") {
			t.Error(out)
		}
	}
	var x struct {
		Treatments []struct{ Agent, Other, Act string }
	}
	if err := json.Unmarshal([]byte(ok(t, "league", "audit", dir, "--quiet", "--json")), &x); err != nil || len(x.Treatments) == 0 || x.Treatments[0].Act == "" {
		t.Errorf("%+v, %v", x, err)
	}
}

// Readers who want replay after replay take a quarter of a processor.
func TestReplayRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, start := &leagueHandler{replay: make(chan struct{}, 1)}, time.Now()
		for n := range 3 {
			err := h.makeReplay(func() error {
				if now := time.Since(start); now != time.Duration(4*n)*time.Second {
					t.Errorf("replay %d is made after %v", n, now)
				}
				time.Sleep(time.Second)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
