package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
)

const fiveAgents = "random,tsumogiri,greedy,random,tsumogiri"

// tournamentArgs are those of a short tournament that is written to dir.
func tournamentArgs(dir string, more ...string) []string {
	return append([]string{"tournament", "run", "--agents", fiveAgents, "--rounds", "16", "--file-matches", "64", "--quiet", "--out", dir}, more...)
}

// What tournament prints and writes depends on its flags alone, with any number of
// workers, in one go or in shards.
func TestTournament(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	out, errOut, status := sparrowhall(t, "", tournamentArgs(whole, "--workers", "1")...)
	if status != statusOK {
		t.Fatal(errOut)
	}
	want := timelessTournament(t, out)
	for _, text := range []string{"ema_2016, seed 1: 320 matches, 80 duplicate sets in 4 seatings", "\n1 greedy", "rating", "One match of a duplicate set is worth"} {
		if !strings.Contains(want, text) {
			t.Errorf("%q is missing in\n%s", text, want)
		}
	}
	if first := strings.Split(want, "\n")[4]; !strings.HasPrefix(first, "1 greedy") {
		t.Errorf("not greedy, but %q is first", first)
	}
	unwritten, _, _ := sparrowhall(t, "", "tournament", "run", "--agents", fiveAgents, "--rounds", "16", "--quiet", "--workers", "3")
	if got := timelessTournament(t, unwritten); got != want {
		t.Errorf("nothing written:\n%s\nwant\n%s", got, want)
	}
	again, _, status := sparrowhall(t, "", tournamentArgs(whole)...)
	if got, ok := strings.CutPrefix(again, whole+" is complete already; nothing was played or changed\n\n"); status != statusOK || !ok || got != want {
		t.Errorf("again: %s", again)
	}
	if _, errOut, status := sparrowhall(t, "", "verify", whole, "--quiet"); status != statusOK {
		t.Error(errOut)
	}
	var shards []string
	for n := 1; n <= 3; n++ {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(n))
		out, errOut, status := sparrowhall(t, "", tournamentArgs(dir, "--shard", fmt.Sprintf("%d/3", n))...)
		if status != statusOK || !strings.Contains(out, fmt.Sprintf("%s holds shard %d/3, matches ", dir, n)) {
			t.Fatalf("shard %d: status %d, out %q, err %q", n, status, out, errOut)
		}
		shards = append(shards, dir)
	}
	joined := filepath.Join(t.TempDir(), "joined")
	got, errOut, status := sparrowhall(t, "", append([]string{"tournament", "merge", "--quiet", "--out", joined}, shards...)...)
	if status != statusOK || got != want {
		t.Errorf("merge: status %d, err %q, out\n%s", status, errOut, got)
	}
	if diff := cmp.Diff(files(t, whole), files(t, joined)); diff != "" {
		t.Error("merge: the bytes differ")
	}
	var nodes map[string]strength.Node
	if text, err := os.ReadFile(joined + ".shards.json"); err != nil || json.Unmarshal(text, &nodes) != nil || len(nodes) != len(shards) {
		t.Errorf("what the shards have played: %v, %s", err, text)
	}
	asJSON, _, status := sparrowhall(t, "", append([]string{"tournament", "merge", "--quiet", "--json", "--out", joined}, shards...)...)
	var result struct {
		Matches int
		Agents  []struct {
			Agent     string
			Placement struct{ Value, Low, High float64 }
		}
		Pairs []any
		Speed *struct{}
	}
	if err := json.Unmarshal([]byte(asJSON), &result); err != nil || status != statusOK || result.Matches != 320 || len(result.Agents) != 5 || len(result.Pairs) != 10 || result.Agents[0].Agent != "greedy" || result.Agents[0].Placement.Low <= 0 || result.Speed != nil {
		t.Errorf("status %d, %v: %s", status, err, asJSON)
	}
}

// timelessTournament returns what was printed but the speed.
func timelessTournament(t *testing.T, out string) string {
	t.Helper()
	text, speed, ok := strings.Cut(out, "\nPlayed ")
	if !ok || !strings.HasSuffix(speed, " matches/s\n") {
		t.Fatalf("the last paragraph is not the speed:\n%s", out)
	}
	return text
}

// A tournament of the same agent under different numbers ends level, to the point, and has no
// intervals of zero width.
func TestTournamentLevel(t *testing.T) {
	for _, agents := range []string{"greedy,greedy", "greedy,greedy,greedy,greedy"} {
		out, errOut, status := sparrowhall(t, "", "tournament", "run", "--agents", agents, "--rounds", "5", "--json", "--quiet")
		if status != statusOK {
			t.Fatal(errOut)
		}
		var result struct {
			Agents []struct {
				Placement, Points struct {
					Value     float64
					Low, High *float64
				}
			}
			Pairs []struct {
				State      string
				Difference struct {
					Value     float64
					Low, High *float64
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &result); err != nil {
			t.Fatal(err)
		}
		for _, a := range result.Agents {
			if p := a.Points; p.Value != 30000 || p.Low != nil || p.High != nil || a.Placement.Value != 0 || a.Placement.Low != nil {
				t.Errorf("%s: %+v", agents, a)
			}
		}
		for _, p := range result.Pairs {
			if d := p.Difference; p.State != "identical" || d.Value != 0 || d.Low != nil {
				t.Errorf("%s: %+v", agents, p)
			}
		}
	}
}

// A tournament ends when somebody is clear, at the same match however it is
// played, and is then complete.
func TestTournamentUntilClear(t *testing.T) {
	args := func(dir string, more ...string) []string {
		return append([]string{"tournament", "run", "--agents", "greedy,tsumogiri", "--rounds", "300", "--until-clear", "0.01", "--file-matches", "64", "--quiet", "--out", dir}, more...)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	out, errOut, status := sparrowhall(t, "", args(whole, "--workers", "1")...)
	if status != statusOK || !strings.Contains(out, "1 greedy is clear of all others at an error rate of 1 %") {
		t.Fatalf("status %d, err %q, out\n%s", status, errOut, out)
	}
	d, err := dataset.Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	m := d.Manifest
	if n := d.Matches(); !m.Complete || m.Tournament.Stopped != n || n == m.Matches || n%64 != 0 {
		t.Errorf("%d of %d matches, %+v", n, m.Matches, m.Tournament)
	}
	if _, errOut, status := sparrowhall(t, "", "verify", whole, "--quiet"); status != statusOK {
		t.Error(errOut)
	}
	again, _, _ := sparrowhall(t, "", args(whole)...)
	if got, ok := strings.CutPrefix(again, whole+" is complete already; nothing was played or changed\n\n"); !ok || got != timelessTournament(t, out) {
		t.Errorf("again: %s", again)
	}
	// As after a crash between the last match and the end.
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.CopyFS(cut, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cut, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`,\s+"stopped": \d+`).ReplaceAll(text, nil)
	text = []byte(strings.Replace(string(text), `"complete": true`, `"complete": false`, 1))
	lines := bytes.SplitAfter(text, []byte("\n"))
	text = bytes.Join(lines[:len(lines)-3], nil) // the last is empty
	text = fmt.Appendf(text, "  \"sha256\": \"%x\"\n}\n", sha256.Sum256(text))
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", args(cut)...); status != statusOK {
		t.Fatal(errOut)
	}
	if diff := cmp.Diff(files(t, whole), files(t, cut)); diff != "" {
		t.Errorf("continued: the bytes differ:\n%s", diff)
	}
	out, _, _ = sparrowhall(t, "", "tournament", "run", "--agents", "random,random", "--rounds", "30", "--until-clear", "0.01", "--quiet")
	if want := "No agent is clear of all others at an error rate of 1 % after 360 of 360 matches\n"; !strings.Contains(out, want) {
		t.Errorf("%s", out)
	}
}

// A process that is interrupted, or killed at any time, goes on to the same bytes.
func TestTournamentInterrupt(t *testing.T) {
	args := func(dir string) []string {
		return tournamentArgs(dir, "--rounds", "40", "--workers", "2", "--record", "hands")
	}
	whole := filepath.Join(t.TempDir(), "whole")
	want, errOut, status := sparrowhall(t, "", args(whole)...)
	if status != statusOK {
		t.Fatal(errOut)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		dir := filepath.Join(t.TempDir(), "stopped")
		_, text, _ := signaled(t, signal, filepath.Join(dir, "hands-000001.arrow"), args(dir)...)
		if signal == syscall.SIGINT && !interruptedSuffix(800).MatchString(text) {
			t.Errorf("%v: %q", signal, text)
		}
		got, _, status := sparrowhall(t, "", args(dir)...)
		if status != statusOK || timelessTournament(t, got) != timelessTournament(t, want) {
			t.Errorf("%v: continued: status %d, out\n%s", signal, status, got)
		}
		if diff := cmp.Diff(files(t, whole), files(t, dir)); diff != "" {
			t.Errorf("%v: continued: the bytes differ", signal)
		}
	}
}

// The commands of docs/contests.md for clusters, run as plain processes, make
// what one machine makes.
func TestTournamentCluster(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/contests.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^ *(?:- )?(sparrowhall tournament run .*INDEX.*|sparrowhall tournament run .*SLURM.*)$`).FindAllStringSubmatch(string(page), -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands for clusters: %q", len(commands), commands)
	}
	dir := t.TempDir()
	shell := func(command string, env ...string) {
		t.Helper()
		command = strings.ReplaceAll(command, "sparrowhall tournament", "'"+exe+"' tournament")
		command = regexp.MustCompile(`--rounds \d+`).ReplaceAllString(command, "--rounds 50")
		command = regexp.MustCompile(`--file-matches \d+`).ReplaceAllString(command, "--file-matches 64")
		command = regexp.MustCompile(`--agents \S+`).ReplaceAllString(command, "--agents random,tsumogiri")
		command = strings.ReplaceAll(command, "/data/", "")
		cmd := exec.Command("sh", "-c", command+" --quiet")
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), asCommand+"=1"), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	shell("sparrowhall tournament run --agents x --rounds 1 --file-matches 64 --out whole")
	want := files(t, filepath.Join(dir, "whole"))
	for i, c := range commands {
		for n := range 8 {
			shell(c[1], fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", n+1), "SLURM_ARRAY_TASK_COUNT=8", fmt.Sprintf("JOB_COMPLETION_INDEX=%d", n))
		}
		joined := fmt.Sprintf("joined-%d", i)
		shell("sparrowhall tournament merge --out " + joined + " runs/cup-*")
		if diff := cmp.Diff(want, files(t, filepath.Join(dir, joined))); diff != "" {
			t.Errorf("%s: the bytes differ", c[1])
		}
		if err := os.RemoveAll(filepath.Join(dir, "runs")); err != nil {
			t.Fatal(err)
		}
	}
}

// A tournament whose rounds follow from results is the same with any number of workers,
// and whether it was killed or not.
func TestTournamentSwiss(t *testing.T) {
	args := func(dir string, more ...string) []string {
		return append([]string{
			"tournament", "run", "--agents", "random,tsumogiri,random,tsumogiri,random,tsumogiri,random,tsumogiri,random", "--swiss", "--rounds", "6",
			"--file-matches", "192", "--quiet", "--out", dir,
		}, more...)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	want, errOut, status := sparrowhall(t, "", args(whole, "--workers", "1")...)
	if status != statusOK || !strings.Contains(want, "768 matches, 192 duplicate sets in 4 seatings") {
		t.Fatalf("status %d, err %q, out\n%s", status, errOut, want)
	}
	if _, errOut, status := sparrowhall(t, "", "verify", whole, "--quiet"); status != statusOK {
		t.Error(errOut)
	}
	if out, errOut, status := sparrowhall(t, "", "replay", whole, "--match", "700"); status != statusOK || out == "" {
		t.Error(errOut)
	}
	dir := filepath.Join(t.TempDir(), "killed")
	signaled(t, syscall.SIGKILL, filepath.Join(dir, "matches-000001.arrow"), args(dir, "--workers", "2")...)
	got, errOut, status := sparrowhall(t, "", args(dir, "--workers", "3")...)
	if status != statusOK || timelessTournament(t, got) != timelessTournament(t, want) {
		t.Errorf("continued: status %d, err %q, out\n%s\nwant\n%s", status, errOut, got, want)
	}
	if diff := cmp.Diff(files(t, whole), files(t, dir)); diff != "" {
		t.Error("continued: the bytes differ")
	}
}

// A longer run goes on where a shorter one has ended, to the bytes of one that was long from the
// beginning. A sealed one has shown its secret.
func TestExtended(t *testing.T) {
	for _, c := range []struct{ args, short, long string }{
		{"tournament run --agents random,tsumogiri,greedy --rounds", "25", "70"},
		{"tournament run --agents random,tsumogiri,random,tsumogiri,random --sampled --rounds", "7", "21"},
		{"tournament run --agents random,tsumogiri,random,tsumogiri,random,tsumogiri,random,tsumogiri --swiss --rounds", "3", "5"},
		{"play --agents random,tsumogiri,random,tsumogiri --record hands --matches", "70", "200"},
	} {
		play := func(dir, n string, more ...string) string {
			args := append(strings.Fields(c.args), append(more, n, "--file-matches", "64", "--quiet", "--ruleset", "zung_jung", "--out", dir)...)
			_, errOut, _ := sparrowhall(t, "", args...)
			return errOut
		}
		grown, whole := t.TempDir(), t.TempDir()
		for dir, list := range map[string][]string{grown: {c.short, c.long}, whole: {c.long}} {
			for _, n := range list {
				if errOut := play(dir, n); errOut != "" {
					t.Fatalf("%s %s: %s", c.args, n, errOut)
				}
			}
		}
		if diff := cmp.Diff(files(t, whole), files(t, grown)); diff != "" {
			t.Errorf("%s %s, then %s: the bytes differ", c.args, c.short, c.long)
		}
		if errOut := play(grown, c.short); !strings.Contains(errOut, "another run: number of matches is") {
			t.Errorf("%s %s, then fewer: %q", c.args, c.long, errOut)
		}
	}
	// What an external agent has played is kept: its file is not full, so it is not extended.
	bot := filepath.Join(t.TempDir(), "bot")
	for _, n := range []string{"2", "3"} {
		_, errOut, status := sparrowhall(t, "", "play", "--agent", "mjai:cat", "--agent", "random", "--agent", "random", "--agent", "random", "--quiet", "--out", bot, "--matches", n)
		if (n == "3") != strings.Contains(errOut, "another run: number of matches is 2 there") {
			t.Errorf("external, %s matches: status %d, %s", n, status, errOut)
		}
	}
	dir, seal := filepath.Join(t.TempDir(), "sealed"), filepath.Join(t.TempDir(), "seal")
	for _, n := range []string{"8", "9"} {
		_, errOut, status := sparrowhall(t, "", "play", "--agents", "random,random,random,random", "--sealed", "--seal-file", seal, "--quiet", "--out", dir, "--matches", n)
		if (n == "9") != (status == statusFailure) {
			t.Errorf("sealed, %s matches: status %d, %s", n, status, errOut)
		}
	}
}

// The lineups of a file are played, by name and by number, and others are not.
func TestTournamentLineups(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "lineups")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	args := func(lineups string, more ...string) []string {
		return append([]string{"tournament", "run", "--agents", "random,greedy,tsumogiri,value", "--rounds", "3", "--quiet", "--lineups", file(lineups)}, more...)
	}
	dir := filepath.Join(t.TempDir(), "out")
	ok(t, args("# a league of two tables\nrandom,greedy,1,2\n\n3, 4 ,tsumogiri,value\n", "--out", dir)...)
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			t.Fatal(err)
		}
		seats := map[uint8]int{}
		for _, r := range rows {
			seats[r.Agent]++
		}
		if !cmp.Equal(seats, map[uint8]int{0: 2, 1: 2}) && !cmp.Equal(seats, map[uint8]int{2: 2, 3: 2}) {
			t.Errorf("agents %v at a table", seats)
		}
	}
	if d.Matches() != 2*3*4 {
		t.Errorf("%d matches", d.Matches())
	}
	for text, want := range map[string]string{
		"":                      "no lineups",
		"1,2,3":                 "line 1: 3 agents; a table has 4",
		"1,2,3,4\n1,2,3,nobody": `line 2: no agent "nobody"`,
		"1,2,3,5":               `no agent "5"; write its name, or its number from 1 to 4`,
		"1,1,1,1":               "at least two different ones",
	} {
		if _, errOut, status := sparrowhall(t, "", args(text)...); status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%q: status %d, %q; want %q", text, status, errOut, want)
		}
	}
	if _, errOut, status := sparrowhall(t, "", args("1,2,3,4", "--swiss")...); status != statusUsage || !strings.Contains(errOut, "use one of them") {
		t.Errorf("with --swiss: status %d, %q", status, errOut)
	}
}

func TestTournamentUsage(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if _, errOut, status := sparrowhall(t, "", "play", "--matches", "1", "--agents", fast, "--out", filepath.Join(dir, "played"), "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"run", statusUsage, "name the agents by --agents or by --agent, one of them"},
		{"run --agents a,b --agent c", statusUsage, "name the agents by --agents or by --agent, one of them"},
		{"run --agents greedy", statusUsage, "a tournament has 2 to 64 agents, not 1"},
		{"run --agents greedy,gredy", statusUsage, "nearest: greedy"},
		{"run --agents greedy,best=greedy", statusUsage, `"best=greedy": only external agents have names (`},
		{"run --agents greedy,x=grpc:", statusUsage, "the address of the policy is missing"},
		{"run --agents greedy,random --rounds 0", statusUsage, "--rounds: 0 is too few; at least 1"},
		{"run --agents greedy,random --seatings 24", statusUsage, "24 seatings need four different agents"},
		{"run --agents greedy,random --seatings 5", statusUsage, "5 seatings; allowed: 4 rotations or all 24 permutations"},
		{"run --agents greedy,random --sampled", statusUsage, `agents sit at a table more than once in the selections "every" and "single" only`},
		{"run --agents greedy,random --swiss", statusUsage, `agents sit at a table more than once in the selections "every" and "single" only`},
		{"run --agents greedy,random,value,tsumogiri --swiss --sampled", statusUsage, "--single, --sampled, --swiss and --lineups each say who plays whom; use one of them"},
		{"run --agents greedy,random,value,tsumogiri --single --sampled", statusUsage, "--single, --sampled, --swiss and --lineups each say who plays whom; use one of them"},
		{"run --agents greedy,random,value,tsumogiri --swiss --seatings 24", statusUsage, `24 seatings; selection "swiss" has 4`},
		{"run --agents greedy,random,value,tsumogiri --swiss --until-clear 0.05", statusUsage, "agents that are paired by their results play all rounds; it cannot end before"},
		{"run --agents greedy,random,value,tsumogiri --swiss --shard 1/2 --file-matches 64 --out " + out, statusUsage, "which a shard does not have; let machines share the tournament (--share)"},
		{"run --agents greedy,random --workers -1", statusUsage, "--workers: -1; at least 0"},
		{"run --agents greedy,random --until-clear 1", statusUsage, "--until-clear: 1; allowed: a probability above 0 and below 1"},
		{"run --agents greedy,random --until-clear 0", statusUsage, "--until-clear: 0; allowed"},
		{"run --agents greedy,random --shard 1/2", statusUsage, "--shard says how to write a dataset; name its folder with --out"},
		{"run --agents greedy,random --out " + out + " --shard 3/2", statusUsage, `--shard: "3/2"; allowed: number/of, such as 1/8 to 8/8`},
		{"run --agents greedy,random --out " + out + " --shard 0/2", statusUsage, `--shard: "0/2"`},
		{"run --agents greedy,random --out " + out + " --shard two", statusUsage, `--shard: "two"`},
		{"run --agents greedy,random --out " + out + " --shard 1/9", statusUsage, "9 shards, but 1200 matches fill only 1 files of 4096; let fewer matches share a file"},
		{"run --agents greedy,random --out " + out + " --shard 1/1 --until-clear 0.1", statusUsage, "a shard does not have the results that decide when to stop"},
		{"run --agents greedy,random --file-matches 5 --out " + out, statusUsage, "--file-matches: 5; allowed: multiples of 64"},
		{"run --agents greedy,random --record x --out " + out, statusUsage, `unknown table "x"`},
		{"run --agents greedy,random --out " + dir, statusFailure, "--force replaces it"},
		{"run --agents greedy,random --ruleset ema_2015", statusUsage, "ema_2016"},
		{"run --agents greedy,grpc:unix:/absent?timeout=10ms --rounds 1", statusFailure, "no policy answers"},
		{"merge", statusUsage, "0 arguments given"},
		{"merge " + out, statusUsage, "--out is missing"},
		{"merge --out " + out + " " + out, statusFailure, "no such file"},
		{"merge --out " + out + " " + filepath.Join(dir, "played"), statusFailure, "it is of no tournament; play merge joins shards of play"},
		{"rn", statusUsage, `unknown verb "rn" of sparrowhall tournament; nearest: run`},
	} {
		text, errOut, status := sparrowhall(t, "", append([]string{"tournament"}, strings.Fields(c.args)...)...)
		if status != c.status || text != "" || !strings.Contains(errOut, c.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("tournament %s: status %d, out %q, err %q, want %q", c.args, status, text, errOut, c.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the folder was made")
	}
}

func TestParseAgent(t *testing.T) {
	for text, want := range map[string][2]string{
		"greedy":                       {"greedy", "greedy"},
		"value:defence=off":            {"value:defence=off", "value:defence=off"},
		"mine=grpc:localhost:1?tls=on": {"mine", "grpc:localhost:1?tls=on"},
		"grpc:localhost:1?timeout=1s":  {"grpc:localhost:1?timeout=1s", "grpc:localhost:1?timeout=1s"},
		"my.bot-2=mjai:bot --level=3":  {"my.bot-2", "mjai:bot --level=3"},
		"mine@2=mjai:bot":              {"mine@2", "mjai:bot"},
		"強い_1=mjai:bot":                {"強い_1", "mjai:bot"},
		"Ada L=mjai:bot":               {"Ada L", "mjai:bot"},
		"a,b=mjai:bot":                 {"a,b", "mjai:bot"},
		"x=y=mjai:bot --as=net:z":      {"x=y", "mjai:bot --as=net:z"},
		"Ada: best@12=net:file":        {"Ada: best@12", "net:file"},
		"mjai:bot --level=grpc:x":      {"mjai:bot --level=grpc:x", "mjai:bot --level=grpc:x"},
	} {
		name, spec, err := parseAgent(text)
		if err != nil || name != want[0] || spec != want[1] {
			t.Errorf("%s: %q, %q, %v", text, name, spec, err)
		}
	}
	for text, want := range map[string]string{
		"best=value:defence=off":              "only external agents have names",
		" mine=mjai:bot":                      "empty or has spaces around it",
		"=mjai:bot":                           "empty or has spaces around it",
		"a@b=mjai:bot":                        "has an @",
		"a\x1bb=mjai:bot":                     "cannot be printed",
		strings.Repeat("x", 81) + "=net:file": "has 81 characters; allowed: 80",
	} {
		if _, _, err := parseAgent(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
