package league

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// settings are those of the leagues of tests: quick matches and quick players.
func settings(t *testing.T) Settings {
	t.Helper()
	rules, err := configs.Change("ema_2016", map[string]any{"rounds": 1})
	if err != nil {
		t.Fatal(err)
	}
	return Settings{Ruleset: rules, Seed: new(uint64(1)), Anchor: "greedy", Luck: NoLuck}
}

func newLeague(t *testing.T, s Settings, players ...string) *League {
	t.Helper()
	l, err := Init(t.Context(), t.TempDir(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for _, name := range players {
		add(t, l, name, name)
	}
	return l
}

func add(t *testing.T, l *League, name, agent string) Bot {
	t.Helper()
	b, err := l.Add(t.Context(), NewBot{Name: name, Agent: agent})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func run(t *testing.T, l *League, matches uint64) uint64 {
	t.Helper()
	n, err := l.Run(t.Context(), RunOptions{Matches: matches, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	// A command ends here, so another may read or play in the folder.
	if err := l.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	l.lock = nil
	return n
}

func standingsOf(t *testing.T, l *League, v View) *Standings {
	t.Helper()
	s, err := l.Standings(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A league rates the players in the order of their strength, with the anchor at 1500, and two
// leagues of the same content and seed play the same matches whatever the number of workers.
func TestRun(t *testing.T) {
	var digests [2][]string
	for i := range digests {
		l := newLeague(t, settings(t), "random", "tsumogiri", "value")
		for _, n := range []uint64{100, 80} {
			want := (n + 15) / 16 * 16
			got, err := l.Run(t.Context(), RunOptions{Matches: n, Workers: 1 + i})
			if err != nil || got != want {
				t.Fatalf("%d matches, %v; want %d", got, err, want)
			}
		}
		rounds, err := l.rounds(t.Context(), counted)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rounds {
			d, err := dataset.Open(l.roundDir(r.id))
			if err != nil {
				t.Fatal(err)
			}
			digests[i] = append(digests[i], d.Digest())
		}
		s := standingsOf(t, l, View{})
		if s.Matches != 112+80 || s.Sets != s.Matches/4 {
			t.Errorf("%d matches, %d sets", s.Matches, s.Sets)
		}
		if s.Bots[0].Name == "random" || s.Bots[len(s.Bots)-1].Name == "greedy" {
			t.Errorf("%+v", s.Bots)
		}
		for _, b := range s.Bots {
			if b.Name == "greedy" && (b.Rating != AnchorRating || b.Low != b.High) {
				t.Errorf("the anchor has %v [%v, %v]", b.Rating, b.Low, b.High)
			}
			if b.Matches == 0 || b.Best > b.Worst || b.Group < 1 {
				t.Errorf("%+v", b)
			}
		}
	}
	if strings.Join(digests[0], " ") != strings.Join(digests[1], " ") {
		t.Errorf("different matches: %v", digests)
	}
}

// A run that ends at any moment loses nothing that counts and counts nothing twice: the
// matches in the end are those of a league that was never interrupted.
func TestInterrupted(t *testing.T) {
	whole := newLeague(t, settings(t), "random", "tsumogiri")
	run(t, whole, 128+64)
	want, err := whole.rounds(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	l := newLeague(t, settings(t), "random", "tsumogiri")
	for i := 0; ; i++ {
		if i > 100 {
			t.Fatal("no end")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*20*time.Millisecond)
		_, err := l.Run(ctx, RunOptions{Total: 128 + 64, Workers: 1})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if standingsOf(t, l, View{}).Matches >= 128+64 {
			break
		}
	}
	got, err := l.rounds(t.Context(), counted)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v; want %v", got, err, want)
	}
	for _, r := range want {
		a, err := dataset.Open(whole.roundDir(r.id))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := dataset.Open(l.roundDir(r.id)); err != nil || a.Digest() != b.Digest() {
			t.Errorf("round %d differs: %v", r.id, err)
		}
	}
}

// A new version takes the place of the one before, which keeps its rating; a bot that retires
// plays no more, and matches of earlier seasons stay.
func TestVersions(t *testing.T) {
	l := newLeague(t, settings(t), "random")
	add(t, l, "mine", "tsumogiri")
	run(t, l, 32)
	if b := add(t, l, "mine", "value"); b.Version != 2 {
		t.Fatal(b)
	}
	if _, err := l.Add(t.Context(), NewBot{Name: "mine", Agent: "value"}); err == nil || !strings.Contains(err.Error(), "same fingerprint") {
		t.Error(err)
	}
	run(t, l, 64)
	count := func(v View) map[string]int64 {
		m := map[string]int64{}
		for _, b := range standingsOf(t, l, v).Bots {
			m[b.bot.Label()] = b.Matches
		}
		return m
	}
	first := count(View{})
	if first["mine@1"] == 0 || first["mine@2"] == 0 {
		t.Fatal(first)
	}
	if _, err := l.Retire(t.Context(), "random"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Retire(t.Context(), "greedy"); err == nil {
		t.Error("the anchor retired")
	}
	run(t, l, 32)
	if now := count(View{}); now["random@1"] != first["random@1"] || now["mine@1"] != first["mine@1"] || now["mine@2"] <= first["mine@2"] {
		t.Errorf("%v, then %v", first, now)
	}
	rules, err := configs.Open("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.BeginSeason(t.Context(), "Season 2", rules); err != nil {
		t.Fatal(err)
	}
	if s := standingsOf(t, l, View{}); s.Matches != 0 || s.Season.Name != "tenhou" {
		t.Errorf("%+v", s)
	}
	if old := standingsOf(t, l, View{Season: 1}); old.Matches == 0 || old.Season.Name == "tenhou" {
		t.Errorf("%+v", old)
	}
}

// Matches of another version of the engine are kept and not mixed.
func TestEngines(t *testing.T) {
	l := newLeague(t, settings(t), "random")
	run(t, l, 32)
	if _, err := l.db.Exec(`UPDATE rounds SET engine = engine + 1`); err != nil {
		t.Fatal(err)
	}
	if s := standingsOf(t, l, View{}); s.Matches != 0 || s.OtherEngines != 32 || len(s.Remarks()) != 1 {
		t.Errorf("%+v", s)
	}
	if s := standingsOf(t, l, View{Engine: engineVersion + 1}); s.Matches != 32 {
		t.Errorf("%+v", s)
	}
}

// A bot whose file has changed, or that cannot be started, is left out by name, and the league
// goes on without it.
func TestLeftOut(t *testing.T) {
	l := newLeague(t, settings(t), "random", "tsumogiri")
	program := filepath.Join(t.TempDir(), "bot")
	write := func(text string) {
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("exit 3")
	add(t, l, "broken", "mjai:startup=5s "+program)
	play := func(want string) {
		t.Helper()
		var warnings []string
		n, err := l.Run(t.Context(), RunOptions{Matches: 16, Workers: 2, Warn: func(text string) { warnings = append(warnings, text) }})
		if err != nil || n == 0 {
			t.Fatalf("%d matches, %v", n, err)
		}
		if text := strings.Join(warnings, "\n"); !strings.HasPrefix(text, "broken@1 is left out: ") || !strings.Contains(text, want) {
			t.Errorf("%q does not contain %q", text, want)
		}
	}
	play("")
	write("exit 4")
	play("has changed since it was added")
}

// Wrong names and agents are refused.
func TestAddErrors(t *testing.T) {
	l := newLeague(t, settings(t))
	for _, c := range []struct {
		bot  NewBot
		want string
	}{
		{NewBot{Name: "", Agent: "random"}, "empty"},
		{NewBot{Name: "a@2", Agent: "random"}, "@"},
		{NewBot{Name: "a\x1b[31m", Agent: "random"}, `\u001b`},
		{NewBot{Name: strings.Repeat("x", 81), Agent: "random"}, "81 characters"},
		{NewBot{Name: "a", Author: "b\u202e", Agent: "random"}, "cannot be printed"},
		{NewBot{Name: "a", Agent: "rendom"}, "nearest: random"},
	} {
		if _, err := l.Add(t.Context(), c.bot); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want %q", c.bot, err, c.want)
		}
	}
	if _, err := l.Retire(t.Context(), "gredy"); err == nil || !strings.Contains(err.Error(), "nearest: greedy") {
		t.Error(err)
	}
	if _, err := l.Run(t.Context(), RunOptions{Matches: 16}); err == nil || !strings.Contains(err.Error(), "at least 2") {
		t.Error(err)
	}
	if _, err := Open(t.Context(), t.TempDir()); !errors.Is(err, ErrNoLeague) {
		t.Error(err)
	}
	other, err := Open(t.Context(), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Retire(t.Context(), "greedy"); err == nil {
		t.Error("two processes change the league")
	}
}

// A network for other rules is refused when it is added.
func TestAddOtherRules(t *testing.T) {
	for preset, c := range map[string]struct{ agent, want string }{
		"tenhou_sanma": {"net", "tenhou_sanma is for 3 players"},
		"zung_jung":    {"net", `no network for the family "zungjung"`},
		"mcr_2006":     {"net:../../agents/net/weights/riichi.safetensors", `is for the family "riichi"`},
	} {
		s := settings(t)
		rules, err := configs.Change(preset, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Ruleset = rules
		l := newLeague(t, s)
		if _, err := l.Add(t.Context(), NewBot{Name: "a", Agent: c.agent}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", preset, err, c.want)
		}
	}
}

// A backup is whole while another round is in work, and a database of a later version is
// refused.
func TestBackup(t *testing.T) {
	l := newLeague(t, settings(t), "random")
	run(t, l, 32)
	s, err := l.newSession(t.Context(), &RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.plan(t.Context(), 16); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := l.Backup(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(&b); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, h.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	restored, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	if got := standingsOf(t, restored, View{}).Matches; got != 32 {
		t.Errorf("%d matches", got)
	}
	rounds, err := restored.rounds(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rounds {
		if _, err := dataset.Open(restored.roundDir(r.id)); err != nil {
			t.Error(err)
		}
	}
	if n := run(t, restored, 16); n != 16 { // those of the round in work
		t.Errorf("%d matches", n)
	}
	if _, err := restored.db.Exec(`PRAGMA user_version = 1000`); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "schema version 1000") {
		t.Error(err)
	}
}

// The bots of a league play on when a season has another ruleset, under which built-in players
// have other fingerprints; one that is added again is the same.
func TestSeasonRules(t *testing.T) {
	l := newLeague(t, settings(t), "random")
	run(t, l, 16)
	rules, err := configs.Open("botzone")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.BeginSeason(t.Context(), "Two", rules); err != nil {
		t.Fatal(err)
	}
	warn := func(text string) { t.Errorf("warning: %s", text) }
	if n, err := l.Run(t.Context(), RunOptions{Matches: 16, Workers: 2, Warn: warn}); err != nil || n != 16 {
		t.Errorf("%d matches, %v", n, err)
	}
	if _, err := l.Add(t.Context(), NewBot{Name: "random", Agent: "random"}); err == nil || !strings.Contains(err.Error(), "plays as version 1 already") {
		t.Error(err)
	}
	if b := add(t, l, "random", "tsumogiri"); b.Version != 2 {
		t.Errorf("%+v", b)
	}
}

// A bot that is late, floods or leaves forfeits with the reason or is left out, by name, and the
// league goes on without it.
func TestBadBots(t *testing.T) {
	for name, c := range map[string]struct{ options, program, want string }{
		"late":   {"startup=100ms timeout=100ms", "while read line; do read more; done", "no answer in time"},
		"floods": {"timeout=5s", `while :; do echo '{"type":"none"}'; done`, "not legal"},
		"leaves": {"startup=5s", `read line; echo '{"type":"none"}'; exit 3`, "has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "bot")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.program+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			l := newLeague(t, settings(t), "random")
			add(t, l, name, "mjai:"+c.options+" "+program)
			var mu sync.Mutex
			var reports []string
			report := func(text string) {
				mu.Lock()
				defer mu.Unlock()
				reports = append(reports, text)
			}
			o := RunOptions{Matches: 16, Warn: report, Played: func(m *sim.Match, bots []Bot) {
				for i := range m.Forfeits {
					report(bots[m.Agents[m.Forfeits[i].Player]].Label() + " forfeits: " + m.Forfeits[i].Reason)
				}
			}}
			if n, err := l.Run(t.Context(), o); err != nil || n == 0 {
				t.Fatalf("%d matches, %v", n, err)
			}
			all := strings.Join(reports, "\n")
			if !strings.Contains(all, name+"@1 is left out: ") || !strings.Contains(all, c.want) {
				t.Errorf("%q; want %q", all, c.want)
			}
			for _, text := range reports {
				if !strings.HasPrefix(text, name+"@1 ") {
					t.Errorf("another bot is named: %s", text)
				}
			}
			// It is there still, and so are the others.
			if n, err := l.Run(t.Context(), RunOptions{Matches: 16, Warn: func(string) {}}); err != nil || n == 0 {
				t.Errorf("%d matches, %v", n, err)
			}
		})
	}
}
