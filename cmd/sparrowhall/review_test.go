package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestReview(t *testing.T) {
	dir := t.TempDir()
	played, html := filepath.Join(dir, "played"), filepath.Join(dir, "review.html")
	ruleset := filepath.Join(dir, "short.toml")
	if err := os.WriteFile(ruleset, []byte("base = \"tenhou\"\nmax_hands = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", ruleset, "--agents", "greedy,tsumogiri,value,value", "--matches", "2", "--out", played, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	args := func(more ...string) []string {
		return append([]string{"review", played, "--quiet"}, more...)
	}
	out, errOut, status := sparrowhall(t, "", args("--match", "1", "--deals", "3", "--judge", "value", "--html", html)...)
	if status != statusOK || !strings.Contains(out, "match 1; judged by value with 3 deals per decision") || !strings.Contains(out, "total cost") {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	text, err := os.ReadFile(html)
	if err != nil || !strings.Contains(string(text), `"verdicts":[{"step":`) || !strings.Contains(string(text), "Review: what choices cost") {
		t.Errorf("the page has no review: %v", err)
	}
	out, _, _ = sparrowhall(t, "", args("--match", "1", "--deals", "3", "--judge", "value", "--player", "1", "--json")...)
	var found struct {
		Luck      []float64
		Players   []struct{ Player, Decisions, Other int }
		Decisions []struct {
			Player int
			Choice, Better,
			Cost, Low, High any
		}
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Luck) != 4 || len(found.Players) != 1 || found.Players[0].Player != 1 || found.Players[0].Other != len(found.Decisions) {
		t.Errorf("found %+v", found)
	}
	var by struct{ Agents []string }
	if err := json.Unmarshal([]byte(out), &by); err != nil || len(by.Agents) != 4 {
		t.Fatal(err, by)
	}
	of := func(player string) string {
		out, errOut, _ := sparrowhall(t, "", args("--match", "1", "--deals", "3", "--judge", "value", "--player", player, "--json")...)
		return out + errOut
	}
	if number := slices.Index(by.Agents, "greedy"); of("greedy") != of(strconv.Itoa(number)) || of("greedy") == of("tsumogiri") {
		t.Errorf("player %d of %s is not greedy", number, by.Agents)
	}
	for _, c := range []struct{ args, want string }{
		{"", "--match is missing"},
		{"--match 2", "match 2"},
		{"--match 0 --player 4", "--player: \"4\"; allowed: 0 to 3, or a name: greedy, tsumogiri, value"},
		{"--match 0 --player -1", "--player: \"-1\"; allowed: 0 to 3"},
		{"--match 0 --deals 1", "--deals: 1; allowed: 2 to 100000"},
		{"--match 0 --workers -1", "--workers: -1"},
		{"--match 0 --judge nobody", "nobody"},
		{"--match 0 --judge mjai:cat", "name a built-in agent"},
		{"--match 0 --judge expert:weights=../../internal/agents/heuristic/weights/mcr.bin", "mcr"},
		{"--match 0 --force", "--force replaces the file of --html"},
		{"--match 0 --deals 2 --judge greedy --html " + html, "--force replaces it"},
	} {
		if _, errOut, status := sparrowhall(t, "", args(strings.Fields(c.args)...)...); status == statusOK || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: status %d, %s; want %q", c.args, status, errOut, c.want)
		}
	}
}
