package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// tuneArgs is a search of four rulesets with quick agents, of which every one is tried.
func tuneArgs(more ...string) []string {
	return append([]string{
		"tune", "--ruleset", "botzone", "--knob", "min_win=0,8", "--knob", "patterns.seven_pairs=12..24:12",
		"--want", "draws=5%..20%, discards~60", "--agents", fast, "--matches", "1024", "--tries", "4", "--best", "2", "--quiet",
	}, more...)
}

func TestTune(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tuned")
	text, errOut, status := sparrowhall(t, "", tuneArgs("--out", dir)...)
	if status != statusOK {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	for _, want := range []string{"4 of 4 possible", "\n1. min_win=", "\n2. min_win=", "\nbotzone without changes\n", "\ndraws=5%..20% ", "best1.toml", "missed by "} {
		if !strings.Contains(text, want) && want != "best1.toml" {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if again := "=12 --agents " + fast + " --matches 1024 --seed 2 measures the best "; !strings.Contains(strings.Join(strings.Fields(text), " "), again) {
		t.Errorf("no %q in\n%s", again, text)
	}
	file, err := os.ReadFile(filepath.Join(dir, "best1.toml"))
	if err != nil || !strings.Contains(string(file), "\ndescription = \"botzone tuned to ") || !strings.Contains(string(file), "\nbase = \"botzone\"\nmin_win = ") || !strings.Contains(string(file), "\n[patterns]\nseven_pairs = ") {
		t.Errorf("%v: %s", err, file)
	}
	if _, errOut, status := sparrowhall(t, "", "rules", "check", filepath.Join(dir, "best1.toml")); status != statusOK {
		t.Errorf("the file is no ruleset: %s", errOut)
	}
	for _, name := range []string{"best2.toml", "tradeoff.svg", "tradeoff.png"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	var result struct {
		Best, Trials []struct {
			Knobs   map[string]any
			Matches int
			Front   bool
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &result); err != nil || len(result.Best) != 2 || len(result.Trials) != 4 || result.Best[0].Matches != 1024 {
		t.Errorf("%v: %+v", err, result)
	}
	// A shorter list leaves no file of the longer one, and the user's own files stay.
	best2 := filepath.Join(dir, "best2.toml")
	if _, errOut, status := sparrowhall(t, "", tuneArgs("--out", dir, "--best", "1")...); status != statusOK {
		t.Errorf("status %d, err %q", status, errOut)
	}
	if _, err := os.Stat(best2); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there, %v", best2, err)
	}
	if err := os.WriteFile(best2, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", tuneArgs("--out", dir)...); status != statusFailure || !strings.Contains(errOut, "best2.toml is not of the outcome, which has a file of that name; move it away") {
		t.Errorf("status %d, err %q", status, errOut)
	}
	if mine, err := os.ReadFile(best2); string(mine) != "mine" {
		t.Errorf("a file of the user has become %q, %v", mine, err)
	}
	if err := os.Remove(best2); err != nil {
		t.Fatal(err)
	}
	// Again, with some of it gone.
	parts, err := filepath.Glob(filepath.Join(dir, "parts", "*.part"))
	if err != nil || len(parts) < 16 {
		t.Fatal(parts, err)
	}
	if err := os.Remove(parts[3]); err != nil {
		t.Fatal(err)
	}
	again, _, status := sparrowhall(t, "", tuneArgs("--out", dir)...)
	if status != statusOK || again != text {
		t.Errorf("the same search ends with\n%s\nwant\n%s", again, text)
	}
	if _, errOut, status := sparrowhall(t, "", tuneArgs("--out", dir, "--seed", "2")...); status != statusFailure || !strings.Contains(errOut, "parts of another search: seed 1 there, seed 2 here") {
		t.Errorf("status %d, err %q", status, errOut)
	}
	if err := os.WriteFile(parts[0], []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", tuneArgs("--out", dir)...); status != statusFailure || !strings.Contains(errOut, "remove it, and it is played again") {
		t.Errorf("status %d, err %q", status, errOut)
	}
}

// Skill is measured in a field of players of several strengths, who alone play where
// nothing else is wished for.
func TestTuneSkill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tuned")
	text, errOut, status := sparrowhall(t, "", "tune", "--ruleset", "botzone", "--knob", "min_win=8", "--want", "skill>1%", "--field", "greedy,random,random,random",
		"--matches", "1024", "--tries", "1", "--best", "1", "--quiet", "--out", dir)
	if status != statusOK || !strings.Contains(text, "\nskill>1%  ") || !strings.Contains(text, "]  met\n") {
		t.Errorf("status %d, err %q\n%s", status, errOut, text)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "parts", "*.part"))
	field, _ := filepath.Glob(filepath.Join(dir, "parts", "*-field-*.part"))
	if err != nil || len(parts) != 16 || len(field) != 16 {
		t.Errorf("%d parts, %d of the field: %v", len(parts), len(field), err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "best1.toml"))
	if err != nil || !strings.Contains(string(file), "matches of greedy,random,random,random.") {
		t.Errorf("%v: %s", err, file)
	}
}

// A ruleset that lacks a figure is not found for it.
func TestTuneMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tuned")
	text, errOut, status := sparrowhall(t, "", "tune", "--ruleset", "ema_2016", "--knob", "ready", "--want", "win.value_ready<1000", "--agents", fast,
		"--matches", "1024", "--tries", "2", "--best", "2", "--quiet", "--out", dir)
	if status != statusOK || !strings.Contains(text, "-       not measured") || strings.Contains(text, " met\n") {
		t.Errorf("status %d, err %q\n%s", status, errOut, text)
	}
	page, err := os.ReadFile(filepath.Join(dir, "tune.html"))
	if err != nil || !strings.Contains(string(page), "not measured") || strings.Contains(string(page), ">NaN") {
		t.Errorf("page: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil || !strings.Contains(string(data), "null") {
		t.Errorf("%v: %s", err, data)
	}
}

// Two machines that share a folder come to the result of one.
func TestTuneShards(t *testing.T) {
	want, errOut, status := sparrowhall(t, "", tuneArgs("--json")...)
	if status != statusOK {
		t.Fatal(errOut)
	}
	dir := filepath.Join(t.TempDir(), "shared")
	var wg sync.WaitGroup
	out := [2]string{}
	for i, shard := range []string{"1/2", "2/2"} {
		wg.Go(func() {
			out[i], _, _ = sparrowhall(t, "", tuneArgs("--json", "--out", dir, "--shard", shard, "--workers", "1")...)
		})
	}
	wg.Wait()
	for i, got := range out {
		if got != want {
			t.Errorf("shard %d:\n%s\nwant\n%s", i+1, got, want)
		}
	}
	alone := filepath.Join(t.TempDir(), "alone")
	if _, errOut, status := sparrowhall(t, "", tuneArgs("--out", alone, "--shard", "1/2", "--patience", "1ms")...); status != statusFailure || !strings.Contains(errOut, "other shards have not played") {
		t.Errorf("status %d, err %q", status, errOut)
	}
}

func TestTuneBadInput(t *testing.T) {
	for args, want := range map[string]string{
		"":                                                                      "--knob is missing",
		"--knob min_win=1..3":                                                   "--want is missing",
		"--knob min_win=3..1 --want won>90%":                                    "allowed: from..to",
		"--knob foo=1..3 --want won>90%":                                        "unknown knob",
		"--knob foo --want won>90%":                                             "unknown knob",
		"--knob min_win=1..3 --want hans>9":                                     `--want: there is no figure "hans"; nearest: `,
		"--knob min_win=1..3 --want won>90%,draws>20%":                          `--want: the targets "won>90%" and "draws>20%" contradict each other`,
		"--knob min_win=1..3 --want won>90% --matches 100":                      "--matches: 100; allowed: multiples of 1024",
		"--knob min_win=1..3 --want won>90% --best 9 --tries 3":                 "no more best than tries",
		"--knob min_win=1..3 --want won>90% --shard 1/2":                        "name it with --out",
		"--knob min_win=1..3 --want skill>5% --field value,value,value,value":   "equal agents show no skill",
		"--knob min_win=1..3 --want skill>5% --field value,greedy":              "sparrowhall: --field value,greedy: 2 agents; 4 must be named",
		"--knob min_win=1..3 --want skill>5% --field value,greedy,rondom,value": `--field value,greedy,rondom,value: agents: unknown agent "rondom"; nearest: random`,
		"--knob min_win=1..2001:1000 --want won>90%":                            "--knob: min_win: 1001 is out of range; allowed: integer 0..1000",
		"--knob min_win=1,x --want won>90%":                                     `--knob: min_win: "x" is not an integer`,
		"--knob min_win=1..3 --want won>90% --field value,greedy,random,random": "no target names skill",
		"--knob min_win=-5 --want won>90%":                                      "--knob: min_win: -5 is out of range",
	} {
		_, errOut, status := sparrowhall(t, "", append([]string{"tune", "--quiet"}, strings.Fields(args)...)...)
		if status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, err %q, want %q", args, status, errOut, want)
		}
	}
}
