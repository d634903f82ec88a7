package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
)

// From the prices beside what is offered, by a ruleset file, to what these change.
func TestOffered(t *testing.T) {
	dir := t.TempDir()
	rules, data, out := filepath.Join(dir, "dear.toml"), filepath.Join(dir, "data"), filepath.Join(dir, "report")
	// All chows come to anybody, and yet are the dearest.
	if err := os.WriteFile(rules, []byte("base = \"universal\"\n\n[patterns]\nall_sequences = 400\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", rules, "--matches", "64", "--quiet", "--out", data); status != statusOK {
		t.Fatal(errOut)
	}
	text, errOut, status := sparrowhall(t, "", "report", data, "--offered", "--quiet", "--out", out)
	if status != statusOK || !strings.Contains(text, "\nPRICE AND WHAT IS OFFERED\n") || !strings.Contains(text, "all_sequences is the most dear") {
		t.Fatalf("status %d, err %q\n%s", status, errOut, text)
	}
	again, _, _ := sparrowhall(t, "", "report", data, "--offered", "--quiet", "--json")
	var r report.Report
	if err := json.Unmarshal([]byte(again), &r); err != nil || len(r.Datasets[0].Offered) < 8 {
		t.Fatalf("%v: %+v", err, r.Datasets[0].Offered)
	}
	suggested := filepath.Join(out, "suggested.toml")
	file, err := os.ReadFile(suggested)
	if err != nil || !strings.Contains(string(file), "# all_sequences counts 400, ") || !strings.Contains(string(file), "--variant suggested.toml") {
		t.Fatalf("%v: %s", err, file)
	}
	if _, errOut, status := sparrowhall(t, "", "rules", "check", suggested); status != statusOK {
		t.Errorf("the file is no ruleset: %s", errOut)
	}
	text, errOut, status = sparrowhall(t, "", "sweep", "--ruleset", rules, "--variant", suggested, "--matches", "64", "--quiet")
	if status != statusOK || !strings.Contains(text, "all_sequences") {
		t.Errorf("status %d, err %q\n%s", status, errOut, text)
	}
	for args, want := range map[string]string{
		"sweep --ruleset universal --variant universal":             "--variant: universal: universal has these rules already",
		"sweep --ruleset universal --variant ema_2016":              "it is of family riichi, universal of family zungjung",
		"sweep --ruleset universal --variant " + dir + "/none.toml": "none.toml",
		"sweep --ruleset universal":                                 "Or --variant, a ruleset file",
		"report --offered --partial x " + data:                      "--partial holds nothing of --offered",
	} {
		if _, errOut, status := sparrowhall(t, "", strings.Fields(args)...); status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, err %q, want %q", args, status, errOut, want)
		}
	}
}
