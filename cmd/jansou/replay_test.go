package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestReplay(t *testing.T) {
	dir := t.TempDir()
	for _, record := range []string{"matches", "hands", "decisions"} {
		_, errOut, status := jansou(t, "", "play", "--ruleset", "tenhou", "--matches", "3", "--seed", "5", "--quiet",
			"--agents", "greedy,random,tsumogiri,greedy", "--record", record, "--out", filepath.Join(dir, record))
		if status != statusOK {
			t.Fatalf("play --record %s: status %d: %s", record, status, errOut)
		}
	}
	replay := func(want int, args ...string) string {
		t.Helper()
		out, errOut, status := jansou(t, "", append([]string{"replay"}, args...)...)
		if status != want {
			t.Fatalf("replay %s: status %d, want %d: %s", strings.Join(args, " "), status, want, errOut)
		}
		return out + errOut
	}
	decisions := filepath.Join(dir, "decisions")
	whole := replay(statusOK, decisions, "--match", "2")
	for _, record := range []string{"matches", "hands"} {
		if replay(statusOK, filepath.Join(dir, record), "--match", "2") != whole {
			t.Errorf("another transcript with %s recorded", record)
		}
	}
	// The agents have moved on by one player twice.
	const heading = "player 0: tsumogiri\nplayer 1: greedy\nplayer 2: greedy\nplayer 3: random\n"
	if !strings.HasPrefix(whole, "match 2, tenhou, seed ") || !strings.Contains(whole, heading) ||
		!strings.Contains(whole, "\nstandings\n") {
		t.Errorf("not a transcript of match 2:\n%.400s", whole)
	}

	hand := replay(statusOK, decisions, "--match", "2", "--hand", "1")
	if strings.Count(hand, "\nhand ") != 1 || !strings.Contains(hand, "\nhand 1: ") {
		t.Errorf("not hand 1:\n%.400s", hand)
	}
	view := replay(statusOK, decisions, "--match", "2", "--hand", "1", "--player", "1")
	if !strings.Contains(view, "as seen by player 1\n") || len(view) >= len(hand) {
		t.Errorf("not the view of player 1:\n%.400s", view)
	}

	for _, c := range []struct {
		status int
		args   []string
		want   string
	}{
		{statusFailure, []string{filepath.Join(dir, "none"), "--match", "0"}, "none"},
		{statusFailure, []string{dir, "--match", "0"}, "no dataset"},
		{statusFailure, []string{decisions, "--match", "3"}, "match 3: no such match; matches 0 to 2 are there"},
		{statusFailure, []string{decisions, "--match", "0", "--hand", "99"}, "no hand 99"},
		{statusUsage, []string{decisions}, "--match is missing"},
		{statusUsage, []string{decisions, "--match", "0", "--player", "4"}, "--player: 4; allowed: 0 to 3"},
		{statusUsage, []string{"--match", "0"}, "usage: jansou replay DIR"},
	} {
		if got := replay(c.status, c.args...); !strings.Contains(got, c.want) {
			t.Errorf("replay %v: %q, want %q in it", c.args, got, c.want)
		}
	}
}
