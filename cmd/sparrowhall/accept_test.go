package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/dataset"
)

// acceptArgs are those of a tournament that soon has an answer.
func acceptArgs(dir string, more ...string) []string {
	return append([]string{
		"tournament", "run", "--agents", "greedy,tsumogiri,random", "--accept", "random > tsumogiri", "--elo0", "-10", "--elo1", "10",
		"--file-matches", "64", "--quiet", "--out", dir,
	}, more...)
}

// A tournament ends when the question is answered, at the same match however it is
// played, killed or continued, and is then complete.
func TestTournamentAccept(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	out, errOut, status := sparrowhall(t, "", acceptArgs(whole, "--workers", "1")...)
	text := strings.Join(strings.Fields(out), " ")
	if status != statusOK || !strings.HasPrefix(text, "accepted: random is not weaker than tsumogiri. The results fit a lead of 10 Elo points rather than -10; the verdict is wrong with a probability of at most 5 %. ema_2016, ") || !strings.Contains(text, " duplicate sets: log-likelihood ratio ") {
		t.Fatalf("status %d, err %q, out\n%s", status, errOut, out)
	}
	d, err := dataset.Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	m := d.Manifest
	if n := d.Matches(); !m.Complete || m.Tournament.Stopped != n || n == m.Matches || *m.Tournament.Accept != (dataset.Accept{A: 2, B: 1, Elo0: -10, Elo1: 10, Alpha: 0.05, Beta: 0.05}) {
		t.Errorf("%d of %d matches, %+v", n, m.Matches, m.Tournament)
	}
	if _, errOut, status := sparrowhall(t, "", "verify", whole, "--quiet"); status != statusOK {
		t.Error(errOut)
	}
	again, _, _ := sparrowhall(t, "", acceptArgs(whole)...)
	if got, ok := strings.CutPrefix(again, whole+" is complete already; nothing was played or changed\n\n"); !ok || got != timelessTournament(t, out) {
		t.Errorf("again: %s", again)
	}
	dir := filepath.Join(t.TempDir(), "killed")
	signaled(t, syscall.SIGKILL, filepath.Join(dir, "matches-000001.arrow"), acceptArgs(dir, "--workers", "2")...)
	got, errOut, status := sparrowhall(t, "", acceptArgs(dir, "--workers", "3", "--json")...)
	if status != statusOK {
		t.Fatal(errOut)
	}
	if diff := cmp.Diff(files(t, whole), files(t, dir)); diff != "" {
		t.Error("continued: the bytes differ")
	}
	var result struct {
		Accept struct {
			A, B     int
			Verdict  string
			LogRatio float64 `json:"log_ratio"`
			Upper    float64
		}
	}
	if err := json.Unmarshal([]byte(got), &result); err != nil || result.Accept.Verdict != "accepted" || result.Accept.A != 2 || result.Accept.LogRatio < result.Accept.Upper {
		t.Errorf("%v: %+v", err, result)
	}
}

// Luck is the same whether matches have just been played or are read.
func TestTournamentAcceptLuck(t *testing.T) {
	rounds := "1"
	if os.Getenv("SPARROWHALL_LONG") != "" {
		rounds = "20"
	}
	for _, way := range []string{"--luck", "--luck=fast"} {
		if way == "--luck=fast" {
			rounds = "20"
		}
		args := []string{"tournament", "run", "--agents", "greedy,tsumogiri", "--accept", "greedy>tsumogiri", "--elo1", "900", way, "--rounds", rounds, "--quiet", "--out", filepath.Join(t.TempDir(), "luck")}
		first, errOut, status := sparrowhall(t, "", args...)
		again, _, _ := sparrowhall(t, "", args...)
		if _, got, ok := strings.Cut(again, "changed\n\n"); status != statusOK || !ok || got != timelessTournament(t, first) {
			t.Errorf("%s: status %d, err %q\n%s\n%s", way, status, errOut, first, again)
		}
		if rounds == "20" && !strings.Contains(first, "luck explains") {
			t.Errorf("%s: %s", way, first)
		}
		if way == "--luck=fast" {
			continue
		}
		args[slices.Index(args, way)] = "--luck=fast"
		if _, errOut, status := sparrowhall(t, "", args...); status == statusOK || !strings.Contains(errOut, "by the fast estimate") {
			t.Errorf("another estimate for a dataset: status %d, err %q", status, errOut)
		}
	}
}

func TestTournamentAcceptUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--accept a>b":                             `--accept: "a>b"; allowed: "A>B" with the names of two of the agents: greedy, random`,
		"--accept greedy":                          `--accept: "greedy"; allowed`,
		"--accept greedy>greedy":                   `--accept: "greedy>greedy"; allowed`,
		"--accept greedy>random --elo0 10":         "10 Elo points against 10; the second must be at least one point more",
		"--accept greedy>random --elo1 2000":       "0 and 2000 Elo points; allowed: from -1000 to 1000",
		"--accept greedy>random --elo1 NaN":        "allowed: from -1000 to 1000",
		"--accept greedy>random --alpha 0":         "error rates 0 and 0.05; allowed: above 0 and below 0.5",
		"--accept greedy>random --beta 0.5":        "error rates 0.05 and 0.5; allowed",
		"--accept greedy>random --until-clear 0.1": "--until-clear and --accept both say when to stop; use one of them",
		"--elo1 20":                          `--elo1 is for --accept "A>B", which is missing`,
		"--luck":                             `--luck is for --accept "A>B", which is missing`,
		"--accept greedy>random --luck=slow": "--luck=slow; allowed: strong, fast",
		"--accept greedy>random --out " + filepath.Join(t.TempDir(), "x") + " --shard 1/2": "a shard does not have the results that decide when to stop; let all matches be played",
	} {
		text, errOut, status := sparrowhall(t, "", append([]string{"tournament", "run", "--agents", "greedy,random"}, strings.Fields(args)...)...)
		if status != statusUsage || text != "" || !strings.Contains(errOut, want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: status %d, out %q, err %q, want %q", args, status, text, errOut, want)
		}
	}
	_, errOut, status := sparrowhall(t, "", "tournament", "run", "--agents", "greedy,greedy", "--accept", "greedy>greedy")
	if status != statusUsage || !strings.Contains(errOut, "may be several of the agents; give each a name of its own") {
		t.Errorf("status %d, err %q", status, errOut)
	}
}
