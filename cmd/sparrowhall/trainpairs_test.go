package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// TestTrainImprove makes pairs, fits a network to them and plays by it.
func TestTrainImprove(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	succeed := func(want string, args ...string) {
		t.Helper()
		text, errOut, status := sparrowhall(t, "", args...)
		if status != statusOK || !strings.Contains(text, want) {
			t.Fatalf("%v: status %d, %q, want %q in\n%s", args, status, errOut, want, text)
		}
	}
	fail := func(want string, args ...string) {
		t.Helper()
		_, errOut, status := sparrowhall(t, "", args...)
		if status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%v: status %d, want %q in %q", args, status, want, errOut)
		}
	}
	pairs := []string{"train", "pairs", "--quiet", "--share", "1000", "--agents", "expert:net=off,value,value,value"}
	succeed("pairs of 16 matches", append(pairs, "--ruleset", "tenhou", "--matches", "16", "--out", file("a.pairs"))...)
	succeed("pairs of 8 matches", append(pairs, "--ruleset", "universal", "--matches", "8", "--out", file("b.pairs"))...)
	improve := []string{"train", "improve", "--quiet", "--epochs", "1", "--out", file("a.bin")}
	succeed("epoch 1: explains", append(improve, file("a.pairs"))...)
	succeed("epoch 1: explains", "train", "improve", "--quiet", "--epochs", "1", "--from", file("a.bin"), "--hidden", "40,16", "--out", file("b.bin"), file("a.pairs"))
	fail("--from: "+file("b.bin")+": it has hidden layers of 40 and 16", append(improve, "--from", file("b.bin"), file("a.pairs"))...)
	fail("--batch: 0; at least 1", append(improve, "--batch", "0", file("a.pairs"))...)
	fail("but a batch is 1000000: make more, or take smaller batches", append(improve, "--batch", "1000000", file("a.pairs"))...)
	another := fmt.Sprintf("the weights of expert are for %q, these rules want %q", heuristic.Purpose("riichi"), heuristic.Purpose("mcr"))
	fail(fmt.Sprintf("a.bin: it is for %q", heuristic.Purpose("riichi")), append(improve, "--from", file("a.bin"), file("b.pairs"))...)
	succeed("", "play", "--quiet", "--ruleset", "tenhou", "--matches", "1", "--agent", "expert:weights="+file("a.bin"),
		"--agent", "value", "--agent", "value", "--agent", "value")
	fail(another, "play", "--quiet", "--ruleset", "mcr_2006",
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
	fail(another, "train", "pairs", "--quiet", "--matches", "1",
		"--ruleset", "botzone", "--agents", "expert:weights="+file("a.bin")+",value,value,value", "--out", file("d.pairs"))
	fail("value does not say what it chooses from", "train", "pairs", "--agents", "value,value,value,value", "--out", file("c.pairs"))
	fail("--out: name the file", "train", "improve", file("a.pairs"))
}

// TestTrainImproveSingleHands fits a network to matches of a single hand: what it says of
// places stays as it was.
func TestTrainImproveSingleHands(t *testing.T) {
	dir := t.TempDir()
	from, made, out := filepath.Join("..", "..", "agents", "heuristic", "weights", "mcr.bin"), filepath.Join(dir, "a.pairs"), filepath.Join(dir, "a.bin")
	for _, args := range [][]string{
		{"train", "pairs", "--quiet", "--share", "1000", "--agents", "expert:net=off,value,value,value", "--ruleset", "botzone", "--matches", "80", "--out", made},
		{"train", "improve", "--quiet", "--epochs", "1", "--decay", "0", "--from", from, "--out", out, made},
	} {
		if text, errOut, status := sparrowhall(t, "", args...); status != statusOK {
			t.Fatalf("%v: status %d, %q\n%s", args, status, errOut, text)
		}
	}
	last := func(file string) perceptron.Layer {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := perceptron.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		return n.Layers()[2]
	}
	before, after := last(from), last(out)
	changed := [fit.NumTargets]int{}
	for i, w := range after.Weights {
		if w != before.Weights[i] {
			changed[i%fit.NumTargets]++
		}
	}
	if changed[0] == 0 || changed[1] != 0 {
		t.Errorf("%d weights for points and %d for places have changed", changed[0], changed[1])
	}
}

// TestTrainPairsGoesOn stops a run at several places and lets the same command go on.
func TestTrainPairsGoesOn(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "a.pairs")
	args := []string{
		"train", "pairs", "--quiet", "--ruleset", "botzone", "--agents", "expert:net=off,value,value,value",
		"--matches", "12", "--out", out,
	}
	make := func(args ...string) (text, errOut string) {
		t.Helper()
		text, errOut, _ = sparrowhall(t, "", args...)
		return text, errOut
	}
	want, errOut := make(args...)
	whole, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err, errOut)
	}
	for _, at := range []int{0, len(whole) / 2, len(whole) - 1, len(whole)} {
		os.Remove(out)
		if err := os.WriteFile(out+".part", whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, errOut := make(args...); got != want {
			t.Errorf("after %d of %d bytes: %q, want %q; %s", at, len(whole), got, want, errOut)
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != string(whole) {
			t.Errorf("after %d of %d bytes the file is another: %v", at, len(whole), err)
		}
	}
	if err := os.Rename(out, out+".part"); err != nil {
		t.Fatal(err)
	}
	if _, errOut := make(append(args, "--seed", "2")...); !strings.Contains(errOut, "a.pairs.part: it was begun with other flags") {
		t.Errorf("with another seed: %q", errOut)
	}
	if err := os.WriteFile(out+".part", []byte("something else, of someone else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errOut := make(args...); !strings.Contains(errOut, "no file of pairs") || !strings.Contains(errOut, "remove it") {
		t.Errorf("beside another file: %q", errOut)
	}
}
