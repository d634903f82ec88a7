package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/analysis/balance"
	"github.com/sparrowhall/sparrowhall/internal/progress"
	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
	"github.com/sparrowhall/sparrowhall/sim"
)

// balancePresets are the presets beside which rulesets are set: each set of rules once.
var balancePresets = []string{
	"botzone", "ema_2016", "hk_old_style", "hkma_hktw", "hkma_league_a", "mahjong_soul", "mahjong_soul_sanma", "mcr_2006", "mleague", "taiwanese", "tenhou", "tenhou_sanma", "universal", "wrc", "zung_jung",
}

// viewOf plays a ruleset without a word, and lets a player adapt to it.
func profileOf(t *testing.T, name string, matches, adapt int64) *balance.Profile {
	t.Helper()
	rules, err := configs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	job := &balance.Job{Ruleset: rules, Matches: uint64(matches), Seed: 1, Adapt: adapt, NewAgent: agents.New, Workers: runtime.GOMAXPROCS(0)}
	if err := errors.Join(job.Check(), job.CheckAdapt()); err != nil {
		t.Fatal(err)
	}
	v, err := balance.Play(t.Context(), job, progress.New(nil, "matches", 0))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestBalancePresets plays some of the presets again, in small, and finds what the program
// knows of them; SPARROWHALL_LONG=1 plays all of them. With -update it plays in full those that
// -run selects as subtests, and writes what it knows.
func TestBalancePresets(t *testing.T) {
	var presets []balance.Profile
	for _, players := range []int{4, 3} {
		list, err := balance.Presets(players)
		if err != nil {
			t.Fatal(err)
		}
		presets = append(presets, list...)
	}
	if *golden.Update {
		var list []balance.Profile
		for _, name := range balancePresets {
			var v balance.Profile
			if i := indexOf(presets, name); i >= 0 {
				v = presets[i]
			}
			t.Run(name, func(t *testing.T) { v = *renewed(t, name, presets) })
			list = append(list, v)
		}
		text, err := json.MarshalIndent(list, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("..", "..", "internal", "analysis", "balance", "presets.json"), append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	const remedy = "; -update writes it anew"
	played := []string{"botzone", "tenhou_sanma", "universal"}
	if os.Getenv("SPARROWHALL_LONG") != "" {
		played = balancePresets
	}
	for _, name := range balancePresets {
		i := indexOf(presets, name)
		if i < 0 {
			t.Fatalf("preset %s is not known%s", name, remedy)
		}
		known := &presets[i]
		rules, err := configs.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if hash := rules.Rules().Hash; known.Hash != fmt.Sprintf("%x", hash) || known.Engine != sim.EngineVersion || known.Matches != balance.DefaultMatches(rules.Rules()) || known.Seed != 1 {
			t.Errorf("%s has other rules, or was played otherwise%s", name, remedy)
		}
		if !slices.Contains(played, name) {
			continue
		}
		small := profileOf(t, name, 60, 0)
		for _, f := range small.Figures {
			g := known.Figure(f.Name)
			if g == nil {
				t.Errorf("%s: %s is not known%s", name, f.Name, remedy)
				continue
			}
			if f.About != g.About && f.Name != "largest pattern" || f.Unit != g.Unit || f.Group != g.Group {
				t.Errorf("%s: %s is another figure than the one that is known%s", name, f.Name, remedy)
			}
			if limit := 5 * math.Hypot(f.Error, g.Error); f.Error > 0 && g.Error > 0 && f.Name != "matches to tell apart" && math.Abs(f.Value-g.Value) > limit {
				t.Errorf("%s: %s is %v, known is %v: too far apart for 60 matches%s", name, f.Name, f.Text(), g.Text(), remedy)
			}
		}
	}
}

// indexOf returns the index of the profile of a preset, -1 if there is none.
func indexOf(presets []balance.Profile, name string) int {
	return slices.IndexFunc(presets, func(v balance.Profile) bool { return v.Ruleset == name })
}

// adapting is the figure of players who adapt.
const adapting = "worth of adapting"

// renewed plays a preset anew. A search takes minutes, and value plays on as it does, so
// what is known of players who adapt stays where the rules and the engine are the same.
func renewed(t *testing.T, name string, presets []balance.Profile) *balance.Profile {
	rules, err := configs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	hash := fmt.Sprintf("%x", rules.Rules().Hash)
	var known *balance.Figure
	adapt := int64(balance.DefaultAdapt)
	for i := range presets {
		if p := &presets[i]; p.Ruleset == name && p.Hash == hash && p.Engine == sim.EngineVersion {
			if known = p.Figure(adapting); known != nil {
				adapt = 0
			}
		}
	}
	v := profileOf(t, name, int64(balance.DefaultMatches(rules.Rules())), adapt)
	v.Prices, v.Offered, v.Adaptation = nil, nil, nil
	if known != nil {
		v.Figures = append(v.Figures, *known)
	}
	return v
}

func TestBalance(t *testing.T) {
	dir := t.TempDir()
	rules, page := filepath.Join(dir, "mine.toml"), filepath.Join(dir, "mine.html")
	if err := os.WriteFile(rules, []byte("base = \"botzone\"\nmin_win = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"balance", "--ruleset", rules, "--matches", "64", "--quiet"}
	text, errOut, status := sparrowhall(t, "", append(args, "--html", page)...)
	if status != statusOK {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	for _, want := range []string{"mine.toml, seed 1: 64 matches", "\nLUCK AND SKILL\n", "\nskill without a beginner ", "\nSEATS AND FIRST MOVER\n", "\nECONOMY OF PATTERNS\n", "\nrarer is dearer ", "\nPLAYERS WHO ADAPT\n", "\nworth of adapting ", "\nPRICE AND WHAT IS OFFERED\n", " of 13\n", "one value whose weights were tuned in 1920 matches scores"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > plainWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	html, err := os.ReadFile(page)
	for _, want := range []string{`aria-label="hands won: mine.toml has`, `aria-label="worth of adapting: mine.toml has`, `<p><span data-said lang="en">Players who adapt: one value`, `<h2 id="offered">`} {
		if err != nil || !strings.Contains(string(html), want) {
			t.Errorf("no %q in the page: %v", want, err)
		}
	}
	var got struct {
		Ruleset    string
		Adaptation any
		Figures    []struct {
			Name    string
			Value   float64
			Presets []any
			Above   int
		}
	}
	again, _, _ := sparrowhall(t, "", append(args, "--json", "--workers", "1", "--adapt", "0")...)
	if err := json.Unmarshal([]byte(again), &got); err != nil || got.Ruleset != "mine.toml" || len(got.Figures) < 20 || len(got.Figures[0].Presets) != 13 || got.Adaptation != nil {
		t.Errorf("%v: %.300s", err, again)
	}
	for args, want := range map[string]string{
		"--matches 6":            "--matches: 6; allowed: multiples of 4",
		"--matches 0":            "--matches: 0; allowed: multiples of 4",
		"--adapt 100":            "--adapt: 100 matches; at least 1920 for the 18 weights of value",
		"--adapt -1":             "--adapt: -1 matches; at least 0",
		"--force":                "--force replaces the file of --html",
		"--html=":                "--html: name a file",
		"--html " + page:         "already exists; --force replaces it",
		"--ruleset emma":         `"emma"`,
		"--workers -1":           "--workers: -1",
		"--html " + dir + "/x/y": "make it first",
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"balance", "--quiet", "--matches", "4", "--adapt", "0"}, strings.Fields(args)...)...); status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, err %q, want %q", args, status, errOut, want)
		}
	}
}
