package league

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

const hostileName = `<img src=x onerror=alert(1)> & "bot" with a name of nearly eighty characters`

func siteOf(t *testing.T, l *League, dir string, o SiteOptions) map[string]string {
	t.Helper()
	s, err := l.NewSite(t.Context(), o)
	if err == nil {
		err = s.WriteSite(t.Context(), dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

// The site has what its pages link to, shows names as text, and publishes no command, path or
// address; anonymous sites have no name either.
func TestSite(t *testing.T) {
	l := newLeague(t, settings(t), "random", "tsumogiri")
	program := filepath.Join(t.TempDir(), "secret-program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Add(t.Context(), NewBot{Name: hostileName, Author: "Ada <b>", Agent: "value:defence=off"}); err != nil {
		t.Fatal(err)
	}
	run(t, l, 96)
	add(t, l, "tsumogiri", "value")
	run(t, l, 32)
	add(t, l, "outside", "mjai:"+program)
	if err := l.BeginSeason(t.Context(), "Next", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(t.Context(), RunOptions{Matches: 32, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Test(t.Context(), TestOptions{New: "greedy", Old: "random", Elo1: 100, Alpha: 0.05, Beta: 0.05, Rounds: 100, Run: RunOptions{Workers: 2}}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "site")
	files := siteOf(t, l, dir, SiteOptions{Replays: 1})
	for _, want := range []string{"index.html", "head-to-head.html", "matches.html", "tests.html", "feed.json", "season-1.html", "bot-1.html", "bot-4.html"} {
		if files[want] == "" {
			t.Errorf("no %s in %v", want, len(files))
		}
	}
	replays := 0
	for name, text := range files {
		if strings.HasPrefix(name, "match-") {
			replays++
		}
		for _, secret := range []string{program, filepath.Base(program), "defence=off", "mjai:", l.dir, "<img", "Ada <b>"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %q", name, secret)
			}
		}
		for link := range strings.SplitSeq(text, `href="`) {
			if target, _, ok := strings.Cut(link, `"`); ok && siteFile.MatchString(target) && files[target] == "" {
				t.Errorf("%s links to %s, which is missing", name, target)
			}
		}
	}
	if replays != 1 {
		t.Errorf("%d replays", replays)
	}
	for name, wants := range map[string][]string{
		"index.html":   {"Next", "&lt;img src=x onerror=alert(1)&gt;", "Ada &lt;b&gt;", "Season 1 (", "outside 1"},
		"bot-3.html":   {"tsumogiri 2", "tsumogiri 1", "fingerprint"},
		"tests.html":   {"accepted: greedy 1 is stronger than random 1", "log-likelihood ratio", `class="chart"`},
		"matches.html": {"1 of 32 matches"},
	} {
		for _, want := range wants {
			if !strings.Contains(files[name], want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
	var feed struct {
		Version, Title string
		Items          []struct{ ID string }
		Own            struct{ Seasons []struct{ Bots []Standing } } `json:"_sparrowhall"`
	}
	if err := json.Unmarshal([]byte(files["feed.json"]), &feed); err != nil || len(feed.Own.Seasons) != 2 || len(feed.Own.Seasons[0].Bots) < 5 {
		t.Errorf("%+v, %v", feed, err)
	}
	// Two seasons, six versions of bots and a test.
	if feed.Version != "https://jsonfeed.org/version/1.1" || feed.Title != "Next" || len(feed.Items) != 9 {
		t.Errorf("%+v", feed)
	}

	// Replays of any match on demand, of none that is not there.
	s, err := l.NewSite(t.Context(), SiteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rounds, err := l.rounds(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.Render(t.Context(), &b, fmt.Sprintf("match-%d-0.html", rounds[len(rounds)-1].id)); err != nil || b.Len() < 10000 {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
	for _, name := range []string{"match-99-0.html", "match-1-99999.html", "match-99999999999999999999-1.html", "bot-99.html", "season-9.html", "../league.db", "league.db"} {
		if err := s.Render(t.Context(), &b, name); !errors.Is(err, ErrNoPage) {
			t.Errorf("%s: %v", name, err)
		}
	}

	// An anonymous site in the same folder; pages that it lacks go.
	files = siteOf(t, l, dir, SiteOptions{Anonymous: true})
	for name, text := range files {
		if strings.HasPrefix(name, "match-") {
			t.Errorf("%s stays", name)
		}
		for _, secret := range []string{"greedy", "tsumogiri", "onerror", "Ada", "fingerprint"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %q", name, secret)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(t.TempDir(), "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteSite(t.Context(), full); err == nil || !strings.Contains(err.Error(), "name a new one") {
		t.Error(err)
	}
}

// A test accepts or rejects and goes on where it was interrupted; its matches do not count.
func TestTest(t *testing.T) {
	l := newLeague(t, settings(t), "random")
	o := TestOptions{New: "random", Old: "greedy", Elo1: 100, Alpha: 0.05, Beta: 0.05, Rounds: 1000, Run: RunOptions{Workers: 1}}
	for i := 0; ; i++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*100*time.Millisecond)
		r, err := l.Test(ctx, o)
		cancel()
		if err == nil {
			if r.ID != 1 || r.Verdict != strength.Rejected || !strings.HasPrefix(r.Summary("a", "b").String(), "rejected: a is not 100 Elo points stronger than b.") {
				t.Errorf("%+v", r)
			}
			break
		} else if ctx.Err() == nil || i > 50 {
			t.Fatal(err)
		}
	}
	if s := standingsOf(t, l, View{}); s.Matches != 0 {
		t.Errorf("%d matches count", s.Matches)
	}
	o.Rounds = 1
	if r, err := l.Test(t.Context(), o); err != nil || r.Verdict != strength.Open || !strings.HasPrefix(r.Summary("a", "b").String(), "undecided: after 12 matches") {
		t.Errorf("%+v, %v", r, err)
	}
	for _, change := range []func(*TestOptions){
		func(o *TestOptions) { o.New = "greedy" },
		func(o *TestOptions) { o.New = "nobody" },
		func(o *TestOptions) { o.Elo0 = 200 },
		func(o *TestOptions) { o.Alpha = 0.7 },
	} {
		wrong := o
		change(&wrong)
		if _, err := l.Test(t.Context(), wrong); err == nil {
			t.Errorf("%+v is no error", wrong)
		}
	}
}

// The pages of 50 bots and a million matches are written within a minute. By default there are
// fewer matches.
func TestLargeSite(t *testing.T) {
	sets := 2_000
	if os.Getenv("SPARROWHALL_LONG") != "" {
		sets = 250_000
	}
	l := newLeague(t, settings(t))
	ctx, r := t.Context(), rand.New(rand.NewPCG(1, 2))
	err := l.inTransaction(ctx, func(tx *sql.Tx) error {
		for i := 2; i <= 50; i++ {
			if _, err := tx.Exec(`INSERT INTO bots (name, version, author, agent, fingerprint, added) VALUES (?, 1, '', 'random', ?, '2026-11-23')`, fmt.Sprint("bot ", i), strings.Repeat("0", 64)); err != nil {
				return err
			}
		}
		for first := 0; first < sets; first += 1000 {
			round := int64(first/1000 + 1)
			if _, err := tx.Exec(`INSERT INTO rounds (id, season, engine, state, plan, source) VALUES (?, 1, ?, 'playing', '{}', '')`, round, engineVersion); err != nil {
				return err
			}
			x := &results{figures: map[int64]*figures{}, digest: fmt.Sprint(round)}
			for i := range 1000 {
				lineup := r.Perm(50)[:4]
				s := setResult{number: int64(i), identity: int64(first + i)}
				for range 4 {
					for k, p := range r.Perm(4) {
						bot := int64(lineup[k] + 1)
						s.results = appendResult(s.results, bot, uint8(p+1), float32(r.NormFloat64()))
						if x.figures[bot] == nil {
							x.figures[bot] = &figures{}
						}
						x.figures[bot].Matches++
						x.figures[bot].Places[p]++
					}
					x.matches++
				}
				x.sets = append(x.sets, s)
			}
			if err := l.commitResults(ctx, tx, round, x); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	files := siteOf(t, l, filepath.Join(t.TempDir(), "site"), SiteOptions{})
	took := time.Since(began)
	t.Logf("%d files of %d matches in %v", len(files), 4*sets, took)
	if took > time.Minute {
		t.Errorf("the site took %v", took)
	}
	if n := strings.Count(files["index.html"], `scope="row"`); n != 50 {
		t.Errorf("%d bots on the leaderboard", n)
	}
}

// Texts that a fork of unknown origin may have are refused before they reach a page.
func TestTexts(t *testing.T) {
	for _, text := range []string{"a\nb", "a\x00", "\u202eb", " a", strings.Repeat("é", maxText+1), "a\xff"} {
		if err := CheckName(text); err == nil {
			t.Errorf("%s is allowed", sanitize.Line(text))
		}
	}
	if !slices.ContainsFunc([]string{"é 中 🀄"}, func(s string) bool { return CheckName(s) == nil }) {
		t.Error("a name in other alphabets is refused")
	}
}
