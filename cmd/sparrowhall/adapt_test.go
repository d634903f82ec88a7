package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
)

// All fields adapt that can, each to the rulesets for itself.
func TestSweepAdaptFields(t *testing.T) {
	text, errOut, status := sparrowhall(t, "", "sweep", "--ruleset", "botzone", "--knob", "min_win=4", "--matches", "64", "--adapt", "1920", "--quiet", "--json",
		"--field", "value:calls=off,value:calls=off,value:calls=off,value:calls=off", "--field", "greedy,greedy,greedy,greedy")
	var r struct{ Fields []report.Report }
	if err := json.Unmarshal([]byte(text), &r); err != nil || status != statusOK || len(r.Fields) != 3 {
		t.Fatalf("%v, status %d, %s", err, status, errOut)
	}
	for i, prefix := range []string{"value:other_aims=", "value:calls=off,"} {
		if a := r.Fields[i].Answers[0].Adaptation; a == nil || !strings.HasPrefix(a.Found, prefix) {
			t.Errorf("field %d: %+v", i+1, a)
		}
	}
	if r.Fields[2].Answers[0].Adaptation != nil {
		t.Error("greedy has adapted, though it has no weights")
	}
}

// A sweep whose players adapt says what that is worth, and goes on where it was stopped.
func TestSweepAdapt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sweep")
	args := []string{
		"sweep", "--ruleset", "botzone", "--knob", "min_win=4", "--matches", "64", "--adapt", "1920", "--quiet", "--out", dir,
	}
	text, errOut, status := sparrowhall(t, "", args...)
	if status != statusOK {
		t.Fatalf("status %d, err %q", status, errOut)
	}
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"botzone without changes: Players who adapt: one value whose weights were tuned in 1920 matches scores ", " in 64 other matches.",
		"One tuned for the ruleset without changes scores ", "So adapting to the change itself is worth ",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "report", "report.html"))
	if err != nil || strings.Count(string(page), `lang="en">Players who adapt: `) != 2 {
		t.Errorf("the page does not tell: %v", err)
	}
	journal := filepath.Join(dir, "adapt", "01_min_win=4.tune")
	whole, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(journal, int64(len(whole)-100)); err != nil {
		t.Fatal(err)
	}
	again, errOut, status := sparrowhall(t, "", append(args, "--json")...)
	var r report.Report
	if err := json.Unmarshal([]byte(again), &r); err != nil || status != statusOK {
		t.Fatalf("%v, status %d, %s", err, status, errOut)
	}
	a := r.Answers[0].Adaptation
	if a == nil || a.Before == nil || a.Searched != 1920 || a.Matches != 64 || !strings.HasPrefix(a.Found, "value:other_aims=") || r.Adaptation == nil || r.Adaptation.Before != nil {
		t.Errorf("%+v, %+v", a, r.Adaptation)
	}
	if now, err := os.ReadFile(journal); err != nil || string(now) != string(whole) {
		t.Errorf("gone on with, the search is another one: %v", err)
	}
	for more, want := range map[string]string{
		"--adapt 5000":                         "begun with other flags",
		"--adapt 100":                          "--adapt: 100 matches; at least 1920 for the 18 weights of value",
		"--adapt -1":                           "--adapt: -1 matches; at least 0",
		"--shard 1/2":                          "--adapt plays no shards",
		"--agents " + fast:                     "--adapt: one of equal agents with weights adapts",
		"--agents greedy,greedy,greedy,greedy": "--adapt: one of equal agents with weights adapts: greedy has none; agents that have: value, expert",
	} {
		if _, errOut, status := sparrowhall(t, "", append(args, strings.Fields(more)...)...); status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, err %q, want %q", more, status, errOut, want)
		}
	}
}
