package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/internal/insight/placement"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// program builds the command line program and returns a function that runs it.
func program(t *testing.T) func(args ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sparrowhall")
	// The program needs modules that this one does not list, so it is built in its own.
	build := exec.Command("go", "-C", "../..", "build", "-o", file, "./cmd/sparrowhall")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(args ...string) {
		t.Helper()
		if out, err := exec.Command(file, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
}

// train runs the program under test and returns what it prints.
func train(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

func mustTrain(t *testing.T, args ...string) string {
	t.Helper()
	out, err := train(t, args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out
}

func refused(t *testing.T, want string, args ...string) {
	t.Helper()
	if _, err := train(t, args...); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v: %v, want %q", args, err, want)
	}
}

// Beliefs are the same for any number of workers, and predict unseen tiles better than counts do.
func TestBeliefs(t *testing.T) {
	dir := t.TempDir()
	var made [2][]byte
	for i := range made {
		file := filepath.Join(dir, fmt.Sprint(i))
		text := mustTrain(t, "beliefs", "-ruleset", "botzone", "-agents", "greedy,greedy,greedy,greedy",
			"-matches", "150", "-every", "1", "-epochs", "3", "-rate", "0.01", "-hidden", "8,4", "-workers", fmt.Sprint(1+2*i), "-out", file)
		var err error
		if made[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		if _, err := belief.Parse(made[i], "mcr"); err != nil {
			t.Error(err)
		}
		if _, err := belief.Parse(made[i], "riichi"); err == nil {
			t.Error("the beliefs of another family are read")
		}
		checkBetter(t, text)
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("the number of workers changes the beliefs")
	}
	for _, args := range []string{"-out x -hidden 8", "", "-out x -epochs 0", "-out x -every 0", "-out x -rate 2"} {
		refused(t, "", append([]string{"beliefs", "-matches", "3"}, strings.Fields(args)...)...)
	}
}

// checkBetter compares the losses after the last epoch: of where unseen tiles are by the beliefs,
// and if only the numbers of tiles are known.
func checkBetter(t *testing.T, text string) {
	t.Helper()
	_, rest, found := strings.Cut(text, "epoch 3: ")
	var ready, wins, beliefs, uniform float64
	if _, err := fmt.Sscanf(rest, "ready %f, wins %f, tiles %f (uniform %f)", &ready, &wins, &beliefs, &uniform); !found || err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if beliefs > uniform-0.005 {
		t.Errorf("uniform %.4f, by beliefs %.4f", uniform, beliefs)
	}
}

// The network of expert is fitted to pairs, and expert plays with it.
func TestImprove(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	sparrowhall := program(t)
	pairs := []string{"train", "pairs", "--quiet", "--share", "1000", "--agents", "expert:net=off,value,value,value"}
	sparrowhall(append(pairs, "--ruleset", "tenhou", "--matches", "16", "--out", file("a.pairs"))...)
	sparrowhall(append(pairs, "--ruleset", "universal", "--matches", "8", "--out", file("b.pairs"))...)
	improve := []string{"improve", "-epochs", "1", "-out", file("a.bin")}
	if text := mustTrain(t, append(improve, file("a.pairs"))...); !strings.Contains(text, "epoch 1: explains") {
		t.Error(text)
	}
	mustTrain(t, "improve", "-epochs", "1", "-from", file("a.bin"), "-hidden", "40,16", "-out", file("b.bin"), file("a.pairs"))
	sparrowhall("play", "--quiet", "--ruleset", "tenhou", "--matches", "1", "--agent", "expert:weights="+file("a.bin"), "--agent", "value", "--agent", "value", "--agent", "value")
	refused(t, "it has hidden layers of 40 and 16", append(improve, "-from", file("b.bin"), file("a.pairs"))...)
	refused(t, "-batch 0", append(improve, "-batch", "0", file("a.pairs"))...)
	refused(t, fmt.Sprintf("a.bin: it is for %q", heuristic.Purpose("riichi")), append(improve, "-from", file("a.bin"), file("b.pairs"))...)
	refused(t, "a network is for one family", append(improve, file("a.pairs"), file("b.pairs"))...)
	refused(t, "name a file to write", "improve", file("a.pairs"))
	data, err := os.ReadFile(file("a.pairs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("cut.pairs"), data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, "cut.pairs: rollout: match ", append(improve, file("cut.pairs"))...)
}

// Matches of a single hand change what the network predicts of points, not of placement.
func TestImproveSingleHands(t *testing.T) {
	dir := t.TempDir()
	from, made, out := filepath.Join("..", "..", "internal", "agents", "heuristic", "weights", "mcr.bin"), filepath.Join(dir, "a.pairs"), filepath.Join(dir, "a.bin")
	program(t)("train", "pairs", "--quiet", "--share", "1000", "--agents", "expert:net=off,value,value,value", "--ruleset", "botzone", "--matches", "80", "--out", made)
	mustTrain(t, "improve", "-epochs", "1", "-decay", "0", "-from", from, "-out", out, made)
	lastLayer := func(file string) perceptron.FloatLayer {
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
	before, after := lastLayer(from), lastLayer(out)
	changed := [fitting.NumTargets]int{}
	for i, w := range after.Weights {
		if w != before.Weights[i] {
			changed[i%fitting.NumTargets]++
		}
	}
	if changed[0] == 0 || changed[1] != 0 {
		t.Errorf("%d weights for points and %d for placement have changed", changed[0], changed[1])
	}
}

// The table of how hands end is the same for any number of workers.
func TestPlaces(t *testing.T) {
	var files [2][]byte
	for i := range files {
		out := filepath.Join(t.TempDir(), "usual.csv")
		mustTrain(t, "places", "-matches", "40", "-agents", "greedy,greedy,greedy,greedy", "-workers", []string{"1", "3"}[i], "-out", out)
		var err error
		if files[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
		if _, err := placement.ParseTable(files[i]); err != nil {
			t.Error(err)
		}
	}
	if string(files[0]) != string(files[1]) {
		t.Error("the number of workers changes the table")
	}
	refused(t, "-out", "places")
	refused(t, "-matches 0", "places", "-out", "x", "-matches", "0")
	refused(t, "name a verb", "plces")
}
