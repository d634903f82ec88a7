package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestForfeits lets a program play that echoes what it is sent. Each forfeit is
// told with its place, they are summed up, and the status is that of a failure.
func TestForfeits(t *testing.T) {
	for _, args := range [][]string{
		{"play", "--matches", "2", "--seed", "5", "--agent", "mjai:cat", "--agent", "tsumogiri", "--agent", "tsumogiri", "--agent", "tsumogiri"},
		{"tournament", "run", "--rounds", "1", "--repeats", "--agent", "cat=mjai:cat", "--agent", "tsumogiri"},
	} {
		out, errOut, status := sparrowhall(t, "", append(args, "--ruleset", "tenhou", "--quiet", "--workers", "1")...)
		if status != statusFailure || out == "" {
			t.Errorf("%s: status %d: %s", args[0], status, errOut)
		}
		for _, want := range []string{
			"warning: match 0 (seed ", "), hand 0, decision ", `cat, forfeits: asked by {"type":"tsumo","actor":`, `answer {"type":"`,
			"is not legal; legal: discard ", "cat forfeited every match\n",
		} {
			if !strings.Contains(errOut, want) {
				t.Errorf("%s: %q is not in\n%s", args[0], want, errOut)
			}
		}
		n := strings.Count(errOut, ", forfeits: ")
		if sum := "cat forfeited " + map[string]string{"play": "2 of 2", "tournament": ""}[args[0]]; !strings.Contains(errOut, sum) || n != 1 {
			t.Errorf("%s: %d warnings, want %q:\n%s", args[0], n, sum, errOut)
		}
	}
}

// TestBotWrapper lets a wrapper start a program that is nowhere else, and a sandbox
// one that is.
func TestBotWrapper(t *testing.T) {
	play := []string{"play", "--ruleset", "tenhou", "--matches", "1", "--quiet", "--agent", "greedy", "--agent", "greedy", "--agent", "greedy"}
	_, errOut, status := sparrowhall(t, "", append(play, "--agent", "mjai:no-such-program x", "--bot-wrapper", `sh -c 'echo wrapped "$0" "$@" >&2'`)...)
	if status != statusFailure || !strings.Contains(errOut, "it last said: wrapped no-such-program x") {
		t.Errorf("status %d: %s", status, errOut)
	}
	for wrapper, want := range map[string]string{
		"no-such-wrapper": `"no-such-wrapper": executable file not found`,
		"env 'x":          "Unterminated single-quoted string",
	} {
		_, errOut, status := sparrowhall(t, "", append(play, "--agent", "mjai:cat", "--bot-wrapper", wrapper)...)
		if status != statusUsage || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d: %s", wrapper, status, errOut)
		}
	}
	if _, errOut, status := sparrowhall(t, "", append(play, "--agent", "greedy", "--bot-wrapper", "env")...); status != statusUsage || !strings.Contains(errOut, "no agent is a program") {
		t.Errorf("status %d: %s", status, errOut)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("no python3 here")
		return
	}
	wrapper := "env"
	if path, err := exec.LookPath("bwrap"); err == nil && exec.Command(path, "--ro-bind", "/", "/", "--unshare-all", "true").Run() == nil {
		wrapper = "bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent --new-session"
	} else {
		t.Log("no bubblewrap here; env takes its place")
	}
	_, errOut, status = sparrowhall(t, "", append(play, "--agent", "mjai:"+python+" ../../python/examples/mjai_bot.py", "--bot-wrapper", wrapper)...)
	if status != statusOK || strings.Contains(errOut, "forfeit") {
		t.Errorf("%s: status %d: %s", wrapper, status, errOut)
	}
}

// TestDeadBot checks that a program that has ended gives one warning and a count, and that a run
// can end for it.
func TestDeadBot(t *testing.T) {
	for _, args := range [][]string{
		{"play", "--matches", "6", "--agent", "mjai:false", "--agent", "tsumogiri", "--agent", "tsumogiri", "--agent", "tsumogiri"},
		{"tournament", "run", "--rounds", "2", "--repeats", "--agent", "dead=mjai:false", "--agent", "tsumogiri"},
	} {
		args = append(args, "--ruleset", "tenhou", "--quiet", "--workers", "1")
		_, errOut, status := sparrowhall(t, "", args...)
		if status != statusFailure || strings.Count(errOut, ", forfeits: ") != 1 || strings.Count(errOut, "are only counted\n") != 1 || strings.Count(errOut, "\n") != 4 {
			t.Errorf("%s: status %d: %s", args[0], status, errOut)
		}
		_, errOut, status = sparrowhall(t, "", append(args, "--max-forfeits", "4")...)
		if status != statusFailure || !strings.Contains(errOut, " has forfeited 5 matches; --max-forfeits allows 4\n") {
			t.Errorf("%s: status %d: %s", args[0], status, errOut)
		}
	}
}

// TestForfeitsOfARunThatGoesOn checks that forfeits are those of the run, however often its command
// has been called.
func TestForfeitsOfARunThatGoesOn(t *testing.T) {
	for _, args := range [][]string{
		{"play", "--matches", "6", "--agent", "mjai:false", "--agent", "tsumogiri", "--agent", "tsumogiri", "--agent", "tsumogiri"},
		{"tournament", "run", "--rounds", "2", "--repeats", "--agent", "dead=mjai:false", "--agent", "tsumogiri"},
	} {
		args = append(args, "--ruleset", "tenhou", "--quiet", "--workers", "1", "--out")
		limited := append(slices.Clone(args), filepath.Join(t.TempDir(), "limited"), "--max-forfeits", "1")
		for range 2 {
			_, errOut, status := sparrowhall(t, "", limited...)
			if status != statusFailure || !strings.Contains(errOut, " has forfeited 2 matches; --max-forfeits allows 1; ") || !strings.Contains(errOut, " holds 1 of ") {
				t.Errorf("%s: status %d: %s", args[0], status, errOut)
			}
		}
		whole := append(slices.Clone(args), filepath.Join(t.TempDir(), "whole"))
		_, first, _ := sparrowhall(t, "", whole...)
		_, again, status := sparrowhall(t, "", whole...)
		if _, sum, _ := strings.Cut(first, "are only counted\n"); status != statusFailure || again != sum || !strings.Contains(sum, " forfeited every match\n") {
			t.Errorf("%s: status %d: %q, at first %q", args[0], status, again, first)
		}
	}
	// Processes that share a tournament write its dataset before they say so.
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	_, errOut, status := sparrowhall(t, "", "tournament", "run", "--rounds", "1", "--agents", "tsumogiri,dead=mjai:false", "--ruleset", "tenhou", "--quiet", "--share", filepath.Join(dir, "share"), "--out", out)
	if status != statusFailure || !strings.Contains(errOut, "dead forfeited every match\n") {
		t.Errorf("status %d: %s", status, errOut)
	}
	if _, err := os.Stat(filepath.Join(out, "manifest.json")); err != nil {
		t.Error(err)
	}
}

// TestDeadBotOfLeague checks that a league warns of the first forfeit of a bot alone.
func TestDeadBotOfLeague(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cup")
	for _, args := range [][]string{
		{"init", dir, "--ruleset", "tenhou", "--anchor", "tsumogiri", "--luck", "none"},
		{"add", dir, "other", "tsumogiri"},
		{"add", dir, "third", "tsumogiri"},
		{"add", dir, "dead", "mjai:false"},
		{"run", dir, "--matches", "16", "--quiet", "--workers", "1"},
	} {
		_, errOut, status := sparrowhall(t, "", append([]string{"league"}, args...)...)
		if status != statusOK {
			t.Fatalf("%v: status %d: %s", args, status, errOut)
		}
		if args[0] == "run" && (strings.Count(errOut, "dead@1 forfeits: ") != 1 || strings.Count(errOut, "further forfeits of dead@1 are only counted\n") != 1) {
			t.Error(errOut)
		}
	}
}

// What a policy or program says of its failure does not reach the terminal as it is.
func TestForfeitsPlain(t *testing.T) {
	var out strings.Builder
	f := newForfeits(&out, &dataset.Run{Agents: []string{"a", "b", "c", "d"}}, 0)
	if err := f.note(&sim.Match{Agents: [sim.NumPlayers]uint8{0, 1, 2, 3}, Forfeits: []sim.Forfeit{{Player: 1, Reason: "boom\x1b[31m\nwarning: all is well"}}}); err != nil {
		t.Error(err)
	}
	if got := out.String(); strings.Contains(got, "\x1b") || strings.Count(got, "\n") != 1 || !strings.Contains(got, "b, forfeits: boom") {
		t.Errorf("%q", got)
	}
}
