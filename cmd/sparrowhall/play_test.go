package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/summary"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"
)

// fast are agents that take no time.
const fast = "random,tsumogiri,random,random"

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(b)
	}
	return texts
}

// timeless returns what play prints but for the speed, which is its last
// paragraph.
func timeless(t *testing.T, out string) string {
	t.Helper()
	text, speed, ok := strings.Cut(out, "\nPlayed ")
	if !ok || !strings.Contains(speed, " matches/s, ") || strings.Count(speed, "\n") != 1 {
		t.Fatalf("the last paragraph is not the speed:\n%s", out)
	}
	return text
}

// What play prints depends on the run alone, but for the speed.
func TestPlay(t *testing.T) {
	var want string
	for _, workers := range []string{"1", "3"} {
		out, errOut, status := sparrowhall(t, "", "play", "--matches", "150", "--agents", fast, "--workers", workers, "--quiet")
		if status != statusOK || errOut != "" {
			t.Fatalf("status %d, err %q", status, errOut)
		}
		if want == "" {
			want = timeless(t, out)
		}
		if d := cmp.Diff(want, timeless(t, out)); d != "" {
			t.Errorf("%s workers print something else (-1):\n%s", workers, d)
		}
	}
	for _, line := range []string{
		"ema_2016, seed 1: 150 matches, ", "1 random", "2 tsumogiri", "\nmatches ", "\n1st ", "\n4th ", "\npoints ", "\nplacement ",
		"\nhands ", "\nwin ", "\n  self-draw ", "\ndeal-in ", "\nriichi ", "\ncall ", "\ndraw ",
	} {
		if !strings.Contains(want, line) {
			t.Errorf("no %q in\n%s", line, want)
		}
	}
}

// threePlayers is a preset of three players.
const threePlayers = "tenhou_sanma"

// TestPlayThree holds that three agents play by default, and that nothing is printed or
// written of a fourth.
func TestPlayThree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "three")
	out, errOut, status := sparrowhall(t, "", "play", "--ruleset", threePlayers, "--matches", "6", "--out", dir, "--quiet")
	if status != statusOK || !strings.Contains(out, "starts West") || strings.Contains(out, "starts North") || strings.Contains(out, "4th") || !strings.Contains(out, "\n3rd ") {
		t.Errorf("status %d, %s:\n%s", status, errOut, out)
	}
	out, errOut, status = sparrowhall(t, "", "verify", dir, "--quiet")
	if status != statusOK || !strings.Contains(out, "6 matches of tenhou_sanma play as recorded, 18 rows of matches") {
		t.Errorf("verify: status %d, %s:\n%s", status, errOut, out)
	}
	out, errOut, status = sparrowhall(t, "", "play", "--ruleset", threePlayers, "--matches", "3", "--agents", "random,tsumogiri,random", "--json")
	var result struct {
		Agents []struct {
			Places []summary.Rate
			Points summary.Mean
		}
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil || status != statusOK || len(result.Agents) != 3 || len(result.Agents[0].Places) != 3 || result.Agents[2].Points.Count != 3 {
		t.Errorf("status %d, %v, %s:\n%s", status, err, errOut, out)
	}
}

// TestRunsOfThree runs the verbs that play matches for three players, and those that read them.
func TestRunsOfThree(t *testing.T) {
	dir := t.TempDir()
	three, cup, mine := filepath.Join(dir, "three"), filepath.Join(dir, "cup"), filepath.Join(dir, "mine.toml")
	if err := os.WriteFile(mine, []byte("base = \"tenhou_sanma\"\nnoten_total = 3000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", threePlayers, "--matches", "12", "--agents", "value,greedy,random", "--out", three, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	for _, c := range []struct {
		args   string
		status int
		want   []string
		not    []string
	}{
		{"report --workers 2 " + three, statusOK, []string{"south", "west", "rob kita", "last"}, []string{"north ", "third"}},
		{"tournament run --ruleset " + threePlayers + " --agents value,greedy,random,random --rounds 4 --quiet --out " + cup, statusOK, []string{"48 matches, 16 duplicate sets in 3 seatings", "3rd"}, []string{"4th"}},
		{"verify --quiet " + cup, statusOK, []string{"48 matches of tenhou_sanma play as recorded, 144 rows of matches"}, nil},
		{"tournament run --ruleset " + threePlayers + " --agents greedy,random --rounds 2 --quiet", statusOK, []string{"12 matches"}, []string{"4th"}},
		{"tournament run --ruleset " + threePlayers + " --agents greedy,random,random --seatings 4", statusUsage, []string{"4 seatings; allowed: 3 rotations or all 6 permutations"}, nil},
		{"sweep --ruleset " + threePlayers + " --knob noten_total=3000 --matches 4 --quiet", statusOK, []string{"tenhou_sanma: 4 matches, seed 1, players 3 × value."}, []string{"north"}},
		{"sweep --ruleset " + threePlayers + " --variant tenhou --matches 4", statusUsage, []string{"tenhou: it is for 4 players, tenhou_sanma for 3; report compares datasets of both"}, nil},
		{"train pairs --ruleset " + threePlayers + " --matches 4 --quiet --out " + dir + "/pairs", statusOK, []string{" of 4 matches of expert, value, value\n"}, nil},
		{"balance --ruleset " + threePlayers + " --matches 30 --adapt 0 --quiet", statusOK, []string{"- Presets for as many players, played in the same way: 1.", "above 1 of 1"}, []string{"starts North", "of four"}},
		{"balance --ruleset " + mine + " --matches 30 --adapt 0 --quiet", statusOK, []string{"in the same way: 2.", " of 2"}, []string{" of 13"}},
		{"balance --ruleset " + threePlayers + " --matches 4", statusUsage, []string{"--matches: 4; allowed: multiples of 3"}, nil},
		{"report --luck=fast --quiet " + three, statusOK, []string{"LUCK"}, nil},
		{"review --match 0 --player 2 --deals 2 --quiet " + three, statusOK, nil, []string{"3 random"}},
		{"replay --match 1 --player 2 " + three, statusOK, []string{"player 2"}, []string{"player 3"}},
		{"replay --match 1 --player 3 " + three, statusUsage, []string{"--player: 3; allowed: 0 to 2"}, nil},
		{"export-parquet --quiet --out " + dir + "/parquet " + three, statusOK, nil, nil},
		{"export-log --format tenhou6 --quiet --out " + dir + "/tenhou6 " + three, statusOK, nil, nil},
		{"import tenhou --quiet --out " + dir + "/again " + dir + "/tenhou6", statusOK, []string{"imported  12 "}, nil},
		{"export-log --format mjai --quiet --out " + dir + "/mjai " + three, statusOK, nil, nil},
		{"import mjai --quiet --out " + dir + "/again2 " + dir + "/mjai", statusOK, []string{"imported  12 "}, nil},
		{"verify --quiet " + dir + "/again2", statusOK, []string{"12 matches of tenhou_sanma play as recorded"}, nil},
		{"steps --players 3 " + three, statusUsage, []string{`no player has this name: "3"; allowed: 0 to 2 and`}, nil},
		{"import mjai --quiet --shard 1/2 --out " + dir + "/again3 " + dir + "/mjai", statusUsage, []string{"unknown flag: --shard"}, nil},
		{"import mjai --quiet --for 1ns --out " + dir + "/again3 " + dir + "/mjai", statusTime, []string{"the time of --for is over; the same command continues"}, nil},
		{"steps --observation features " + three, statusOK, []string{"hand_return", "1 to 3"}, []string{"1 to 4"}},
	} {
		out, errOut, status := sparrowhall(t, "", strings.Fields(c.args)...)
		if out += errOut; status != c.status {
			t.Errorf("%s: status %d:\n%.2000s", c.args, status, out)
		}
		for _, text := range c.want {
			if !strings.Contains(out, text) {
				t.Errorf("%s: no %q in\n%.2000s", c.args, text, out)
			}
		}
		for _, text := range c.not {
			if strings.Contains(out, text) {
				t.Errorf("%s: %q is in\n%.2000s", c.args, text, out)
			}
		}
	}
}

func TestPlayJSON(t *testing.T) {
	out, _, status := sparrowhall(t, "", "play", "--matches", "9", "--agent", "random", "--agent", "tsumogiri", "--agent", "random", "--agent", "random", "--json", "--keep-seats", "--ruleset", "tenhou", "--seed", "18446744073709551615")
	var result struct {
		Ruleset   string
		Seed      uint64
		KeepSeats bool `json:"keep_seats"`
		Matches   uint64
		Agents    []struct {
			Agent  string
			Places [4]summary.Rate
			Points summary.Mean
			Calls  summary.Rate
		}
		Speed map[string]float64
	}
	d := json.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&result); err != nil || status != statusOK {
		t.Fatalf("status %d, %v:\n%s", status, err, out)
	}
	if result.Ruleset != "tenhou" || result.Seed != 1<<64-1 || !result.KeepSeats || result.Matches != 9 || len(result.Agents) != 4 {
		t.Errorf("%+v", result)
	}
	points := 0.0
	for p, a := range result.Agents {
		points += a.Points.Mean
		if a.Points.Count != 9 || a.Points.Interval != nil || a.Places[0].Of != 9 || (a.Calls.Count == 0) != (p == 1) {
			t.Errorf("agent %d: %+v", p, a)
		}
	}
	if result.Agents[1].Agent != "tsumogiri" || points < 99000 || points > 101000 {
		t.Errorf("%+v, %v points", result.Agents, points)
	}
	if result.Speed["matches"] != 9 || result.Speed["matches_per_second"] <= 0 || result.Speed["hands_per_second"] <= 0 {
		t.Errorf("speed %v", result.Speed)
	}
}

// The same command writes a dataset, leaves it alone, and prints the same; it
// verifies.
func TestPlayOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "first")
	args := []string{"play", "--matches", "130", "--agents", fast, "--file-matches", "64", "--record", "hands", "--out", dir}
	first, errOut, status := sparrowhall(t, "", args...)
	if status != statusOK || errOut != "" {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	want := files(t, dir)
	if len(want) != 10 {
		t.Errorf("%d files", len(want))
	}
	again, errOut, status := sparrowhall(t, "", args...)
	if status != statusOK || errOut != "" {
		t.Fatalf("again: status %d, err %q", status, errOut)
	}
	if head, rest, _ := strings.Cut(again, "\n\n"); head != dir+" is complete already; nothing was played or changed" || rest != timeless(t, first) {
		t.Errorf("again:\n%s\nfirst:\n%s", again, first)
	}
	for _, extra := range [][]string{{"--seed", "2"}, {"--record", "matches"}, {"--matches", "64"}, {"--ruleset", "tenhou"}} {
		_, errOut, status = sparrowhall(t, "", append(args, extra...)...)
		if status != statusFailure || !strings.Contains(errOut, "; --force replaces it\n") || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%v: status %d, err %q", extra, status, errOut)
		}
	}
	if d := cmp.Diff(want, files(t, dir)); d != "" {
		t.Errorf("the dataset was changed:\n%s", d)
	}
	out, errOut, status := sparrowhall(t, "", "verify", "--quiet", dir)
	if status != statusOK || errOut != "" || !strings.HasPrefix(out, dir+": 130 matches of ema_2016 play as recorded, 520 rows of matches, ") || strings.Contains(out, "incomplete") {
		t.Errorf("verify: status %d, err %q, out %q", status, errOut, out)
	}
	_, errOut, status = sparrowhall(t, "", append(args, "--seed", "2", "--force", "--quiet")...)
	if status != statusOK || errOut != "" {
		t.Errorf("force: status %d, err %q", status, errOut)
	}
	if d := cmp.Diff(want, files(t, dir)); d == "" {
		t.Error("the dataset was not replaced")
	}
}

func TestPlayRefusals(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"--matches 0", statusUsage, "--matches: 0 is too few; at least 1"},
		{"--matches -3", statusUsage, "--matches: -3 is too few; at least 1"},
		{"--workers -1", statusUsage, "--workers: -1; at least 0"},
		{"--file-matches 100 --out " + out, statusUsage, "--file-matches: 100; allowed: multiples of 64"},
		{"--agents random,random,random", statusUsage, "--agents: 3 agents; 4 must be named"},
		{"--agent random", statusUsage, "--agent: 1 agent; 4 must be named"},
		{"--agents greedy,greedy,greedy,greedy --ruleset " + threePlayers, statusUsage, "--agents: 4 agents; 3 must be named, one for each player of tenhou_sanma"},
		{"--agent random --agent random --ruleset " + threePlayers, statusUsage, "--agent: 2 agents; 3 must be named"},
		{"--agents random,random,random,gredy", statusUsage, "nearest: greedy"},
		{"--agents random,random,random,mine=mjai:./bot", statusUsage, `"mine=mjai:./bot": agents have no names here; write "mjai:./bot"`},
		{"--agents a,b,c,d --agent e", statusUsage, "--agents and --agent are both given; use one of them"},
		{"--record hnds --out " + out, statusUsage, `unknown table "hnds"; allowed: matches, hands, decisions, nearest hands`},
		{"--record hands", statusUsage, "--record says how to write a dataset; name its folder with --out"},
		{"--force", statusUsage, "--force says how to write a dataset; name its folder with --out"},
		{"--out=", statusUsage, "--out: name a folder"},
		{"--seed x", statusUsage, "--seed"},
		{"--ruleset ema_2015 --out " + out, statusUsage, "ema_2016"},
		{"--out " + file, statusFailure, "not a directory"},
		{"--out " + filepath.Join(file, "sub"), statusFailure, "not a directory"},
		{"--out " + dir, statusFailure, "it holds no dataset, but file; --force replaces it"},
		{"now", statusUsage, "1 arguments given"},
	} {
		text, errOut, status := sparrowhall(t, "", append([]string{"play"}, strings.Fields(c.args)...)...)
		if status != c.status || text != "" || !strings.Contains(errOut, c.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("play %s: status %d, out %q, err %q, want %q", c.args, status, text, errOut, c.want)
		}
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %v", got)
	}
}

// signaled runs sparrowhall in a process of its own, sends it a signal once a file is there,
// and returns what it printed and its status.
func signaled(t *testing.T, signal syscall.Signal, path string, args ...string) (out, errOut string, status int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if !poll.Until(func() bool { _, err := os.Stat(path); return err == nil }) {
		t.Fatalf("%s is not written: %s", path, &stderr)
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// With --for a run stops and says how to go on; without it the same command then goes on to the same
// bytes.
func TestPlayFor(t *testing.T) {
	args := func(dir string, more ...string) []string {
		return append([]string{"play", "--matches", "3200", "--agents", fast, "--file-matches", "64", "--record", "matches", "--quiet", "--out", dir}, more...)
	}
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stopped")
	ok(t, args(whole)...)
	_, errOut, status := sparrowhall(t, "", args(dir, "--for", "50ms")...)
	if status != statusTime || !strings.HasPrefix(errOut, "sparrowhall: the time of --for is over; "+dir+" holds ") || !interruptedSuffix(3200).MatchString(errOut) {
		t.Fatalf("status %d, %q", status, errOut)
	}
	ok(t, args(dir, "--for", "10m")...)
	if diff := cmp.Diff(files(t, whole), files(t, dir)); diff != "" {
		t.Error("the bytes differ")
	}
	for _, wrong := range [][]string{{"play", "--for", "1h"}, args(dir, "--for", "-1s")} {
		if _, errOut, status := sparrowhall(t, "", wrong...); status != statusUsage || !strings.Contains(errOut, "--for") {
			t.Errorf("%q: status %d, %q", wrong, status, errOut)
		}
	}
}

// The first interrupt keeps what is whole and says how to go on; the same
// command then goes on to the same bytes and prints the same.
func TestPlayInterrupt(t *testing.T) {
	args := func(dir string) []string {
		return []string{"play", "--matches", "3200", "--agents", fast, "--file-matches", "64", "--record", "hands", "--workers", "2", "--quiet", "--out", dir}
	}
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stopped")
	want, _, status := sparrowhall(t, "", args(whole)...)
	if status != statusOK {
		t.Fatalf("status %d", status)
	}
	out, text, code := signaled(t, syscall.SIGINT, filepath.Join(dir, "hands-000001.arrow"), args(dir)...)
	if code != statusSignal+int(syscall.SIGINT) || out != "" || !strings.HasPrefix(text, "sparrowhall: interrupted; "+dir+" holds ") ||
		!interruptedSuffix(3200).MatchString(text) || strings.Count(text, "\n") != 1 {
		t.Fatalf("status %d, out %q, err %q", code, out, text)
	}
	if _, errOut, status := sparrowhall(t, "", "verify", dir, "--quiet"); status != statusOK {
		t.Errorf("verify: %s", errOut)
	}
	got, _, status := sparrowhall(t, "", args(dir)...)
	if status != statusOK || timeless(t, got) != timeless(t, want) {
		t.Errorf("continued: status %d, out\n%s\nwant\n%s", status, got, want)
	}
	if d := cmp.Diff(files(t, whole), files(t, dir)); d != "" {
		t.Error("continued: the bytes differ")
	}
}

func TestVerify(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if _, errOut, status := sparrowhall(t, "", "play", "--matches", "70", "--agents", fast, "--out", dir); status != statusOK {
		t.Fatal(errOut)
	}
	out, _, status := sparrowhall(t, "", "verify", dir, "--json")
	var answer struct {
		OK, Complete bool
		Matches      int
		Rows         map[string]int
		Error, File  string
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != statusOK || !answer.OK || !answer.Complete || answer.Matches != 70 || answer.Rows["matches"] != 280 {
		t.Errorf("status %d, %v: %s", status, err, out)
	}
	path := filepath.Join(dir, "hands-000000.arrow")
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	out, errOut, status := sparrowhall(t, "", "verify", dir)
	if want := "sparrowhall: " + path + ": 1000 bytes; the manifest says "; status != statusFailure || out != "" || !strings.HasPrefix(errOut, want) || strings.Count(errOut, "\n") != 1 {
		t.Errorf("cut file: status %d, out %q, err %q", status, out, errOut)
	}
	out, _, status = sparrowhall(t, "", "verify", dir, "--json")
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != statusFailure || answer.OK || !strings.Contains(answer.Error, path) {
		t.Errorf("cut file: status %d, %v: %s", status, err, out)
	}
	for args, want := range map[string]string{
		"verify":                     "0 arguments given",
		"verify a b":                 "2 arguments given",
		"verify --workers -1 " + dir: "--workers: -1; at least 0",
	} {
		if _, errOut, status := sparrowhall(t, "", strings.Fields(args)...); status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, err %q", args, status, errOut)
		}
	}
	for _, args := range [][]string{{"verify", t.TempDir()}, {"verify", filepath.Join(dir, "absent")}} {
		if _, errOut, status := sparrowhall(t, "", args...); status != statusFailure || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%v: status %d, err %q", args, status, errOut)
		}
	}
}

// TestPlayWall plays a run with a first wall, continues and verifies it, and measures no luck.
func TestPlayWall(t *testing.T) {
	dir := t.TempDir()
	wall, other, out := filepath.Join(dir, "wall.txt"), filepath.Join(dir, "other.txt"), filepath.Join(dir, "run")
	for file, text := range map[string]string{wall: "E 123m456p789s1122z\ndraws 1z # wins\n", other: "E 123m\nE 9m"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"play", "--ruleset", "tenhou", "--matches", "5", "--agents", "greedy,greedy,greedy,greedy", "--record", "hands", "--quiet", "--out", out}
	if _, errOut, status := sparrowhall(t, "", append(args, "--wall", wall)...); status != statusOK {
		t.Fatalf("status %d: %s", status, errOut)
	}
	d, err := dataset.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(5) {
		m, err := d.Match(i)
		if err != nil {
			t.Fatal(err)
		}
		win := slices.IndexFunc(m.Events, func(e sim.Event) bool { return e.Type == sim.EvWin })
		if win < 0 || m.Events[win].Player != 0 || slices.ContainsFunc(m.Events[:win], func(e sim.Event) bool { return e.Type == sim.EvDiscard }) {
			t.Errorf("match %d: the dealer does not win at once", i)
		}
	}
	if text, errOut, status := sparrowhall(t, "", "verify", out, "--quiet"); status != statusOK {
		t.Errorf("verify: status %d: %s%s", status, text, errOut)
	}
	// The walls of a run without it are others.
	plain := filepath.Join(dir, "plain")
	if _, errOut, status := sparrowhall(t, "", append(args[:len(args)-1:len(args)-1], plain)...); status != statusOK {
		t.Fatalf("status %d: %s", status, errOut)
	}
	if text, errOut, status := sparrowhall(t, "", "report", "--json", "--quiet", plain, out); status != statusOK || strings.Contains(text, `"paired": true`) || !strings.Contains(text, `"paired": false`) {
		t.Errorf("report: status %d: %.2000s%s", status, text, errOut)
	}
	for _, c := range [...]struct {
		args []string
		want string
	}{
		{args, "first wall is "},
		{append(args, "--wall", other), "line 2: E: tile 1, 9m, lies where line 1 puts 1m"},
		{append(args, "--wall", filepath.Join(dir, "none")), "no such file"},
		{[]string{"report", out, "--luck"}, "the wall of the first hand is given"},
	} {
		if _, errOut, status := sparrowhall(t, "", c.args...); status == statusOK || !strings.Contains(errOut, c.want) {
			t.Errorf("%v: status %d, %q; want %q", c.args, status, errOut, c.want)
		}
	}
}
