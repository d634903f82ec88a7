package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrainImprove makes pairs, fits a network to them and plays by it.
func TestTrainImprove(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	succeed := func(want string, args ...string) {
		t.Helper()
		text, errOut, status := jansou(t, "", args...)
		if status != statusOK || !strings.Contains(text, want) {
			t.Fatalf("%v: status %d, %q, want %q in\n%s", args, status, errOut, want, text)
		}
	}
	fail := func(want string, args ...string) {
		t.Helper()
		_, errOut, status := jansou(t, "", args...)
		if status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%v: status %d, want %q in %q", args, status, want, errOut)
		}
	}
	pairs := []string{"train", "pairs", "--quiet", "--share", "1000", "--agents", "expert:net=off,value,value,value"}
	succeed("pairs of 16 matches", append(pairs, "--ruleset", "tenhou", "--matches", "16", "--out", file("a.pairs"))...)
	succeed("pairs of 8 matches", append(pairs, "--ruleset", "universal", "--matches", "8", "--out", file("b.pairs"))...)
	improve := []string{"train", "improve", "--quiet", "--epochs", "1", "--out", file("a.bin")}
	succeed("epoch 1: explains", append(improve, file("a.pairs"))...)
	succeed("", "play", "--quiet", "--ruleset", "tenhou", "--matches", "1", "--agent", "expert:weights="+file("a.bin"),
		"--agent", "value", "--agent", "value", "--agent", "value")
	fail(`the weights of expert are for "expert 1 riichi", these rules want "expert 1 mcr"`, "play", "--quiet", "--ruleset", "mcr_2006",
		"--matches", "1", "--agent", "expert:weights="+file("a.bin"), "--agent", "value", "--agent", "value", "--agent", "value")
	fail("a network is for one family", append(improve, file("a.pairs"), file("b.pairs"))...)
	data, err := os.ReadFile(file("a.pairs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("cut.pairs"), data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	fail("cut.pairs: pairs: match ", append(improve, file("cut.pairs"))...)
	fail("value does not say what it chooses from", "train", "pairs", "--agents", "value,value,value,value", "--out", file("c.pairs"))
	fail("--out: name the file", "train", "improve", file("a.pairs"))
}
