package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrainTune tunes a weight in a few matches, goes on with what it has written, and
// lets what it found meet what it began with.
func TestTrainTune(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tune")
	args := []string{
		"train", "tune", "--quiet", "--ruleset", "botzone", "--agent", "value:silent=1", "--weights", "pushed,call_margin",
		"--walls", "1", "--generations", "2", "--out", out,
	}
	text, errOut, status := sparrowhall(t, "", append(args, "--accept=false")...)
	if status != statusOK || !strings.Contains(text, "found: value:silent=1,pushed=") {
		t.Fatalf("status %d, %q, %s", status, errOut, text)
	}
	whole, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, whole[:len(whole)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	again, errOut, _ := sparrowhall(t, "", append(args, "--elo1", "500")...)
	if !strings.HasPrefix(again, text) || !strings.Contains(again, "\nrejected: value:silent=1,pushed=") {
		t.Errorf("gone on: %q, %q; before %q", again, errOut, text)
	}
	for want, args := range map[string][]string{
		`value has no weight "push"; it has other_aims`: {"--agent", "value", "--weights", "push", "--out", out},
		"greedy has no weights":                         {"--agent", "greedy", "--out", out},
		"a.tune: it was begun with other flags":         {"--agent", "value", "--out", out, "--quiet"},
		"--out: name the file":                          {"--agent", "value"},
		"above 0 and at most 1":                         {"--spread", "2", "--out", out},
		`unknown agent "valu"`:                          {"--against", "valu", "--out", out},
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"train", "tune"}, args...)...); status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%v: %d, %q, want %q", args, status, errOut, want)
		}
	}
}
