package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
)

// TestTrainFit fits an estimate to a few matches, twice the same, and tries wrong flags.
func TestTrainFit(t *testing.T) {
	var files [2][]byte
	for i := range files {
		out := filepath.Join(t.TempDir(), "weights.bin")
		workers := []string{"1", "3"}[i]
		text, errOut, status := sparrowhall(t, "", "train", "fit", "--ruleset", "botzone", "--matches", "80", "--agents", "greedy,greedy,greedy,greedy",
			"--hidden", "8,4", "--epochs", "2", "--blend", "60", "--workers", workers, "--quiet", "--out", out)
		if status != statusOK || errOut != "" || !strings.Contains(text, "epoch 2: explains ") {
			t.Fatalf("status %d, err %q, out %q", status, errOut, text)
		}
		var err error
		if files[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
		if _, err := luck.Parse(files[i]); err != nil {
			t.Error(err)
		}
	}
	if string(files[0]) != string(files[1]) {
		t.Error("the number of workers changes the weights")
	}
	first := filepath.Join(t.TempDir(), "first.bin")
	if err := os.WriteFile(first, files[0], 0o600); err != nil {
		t.Fatal(err)
	}
	further := filepath.Join(t.TempDir(), "further.bin")
	text, errOut, status := sparrowhall(t, "", "train", "fit", "--ruleset", "botzone", "--also", "mcr_2006", "--matches", "20", "--every", "6", "--agents", "greedy,greedy,greedy,greedy",
		"--from", first, "--epochs", "1", "--blend", "0", "--quiet", "--out", further)
	if status != statusOK || errOut != "" || !strings.Contains(text, "epoch 0: explains ") || strings.Contains(text, "linear") {
		t.Fatalf("--from: status %d, err %q, out %q", status, errOut, text)
	}
	if data, err := os.ReadFile(further); err != nil || len(data) != len(files[0]) || string(data) == string(files[0]) {
		t.Errorf("--from: %d bytes as before, %v", len(data), err)
	}
	out := filepath.Join(t.TempDir(), "weights.bin")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{}, statusUsage, "--out: name the file"},
		{[]string{"--out", out, "--hidden", "64"}, statusUsage, "--hidden: two numbers"},
		{[]string{"--out", out, "--every", "0"}, statusUsage, "--every"},
		{[]string{"--out", out, "--blend", "0"}, statusUsage, "--blend: 0 is too few"},
		{[]string{"--out", out, "--from", first, "--hidden", "8,4"}, statusUsage, "--hidden: the sizes are those of --from"},
		{[]string{"--out", out, "--from", out}, statusFailure, "weights.bin"},
		{[]string{"--out", out, "--also", "mcr_2006"}, statusUsage, "--also: mcr_2006 is for mcr, ema_2016 for riichi"},
		{[]string{"--out", out, "--lambda", "2"}, statusUsage, "--lambda"},
		{[]string{"--out", out, "--agents", "greedy"}, statusUsage, "--agents: 1 agent"},
		{[]string{"--out", out, "--matches", "1", "--agents", "tsumogiri,tsumogiri,tsumogiri,tsumogiri", "--quiet"}, statusFailure, "play more matches"},
		{[]string{"--out", out, "--ruleset", "ema_2017"}, statusUsage, "nearest presets: ema_2016"},
	} {
		_, errOut, status := sparrowhall(t, "", append([]string{"train", "fit"}, test.args...)...)
		if status != test.status || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: status %d, err %q", test.args, status, errOut)
		}
	}
}

// No two matches of a fit share a wall, so that those held out are new.
func TestTrainFitWalls(t *testing.T) {
	o := fitOptions{ruleset: "mcr_2006", also: []string{"botzone", "mcr_2006"}, play: selfPlay{agents: "greedy,greedy,greedy,greedy", matches: 100, seed: 1}}
	jobs, err := o.jobs(t.Context())
	if err != nil || len(jobs) != 3 {
		t.Fatal(len(jobs), err)
	}
	seen := map[uint64]bool{}
	for _, job := range jobs {
		for i := range job.First + job.Count {
			seed, _ := job.Schedule.Match(i)
			if seen[seed] {
				t.Fatalf("a match of %s has the walls of another", job.Rules.Name)
			}
			seen[seed] = true
		}
	}
}
