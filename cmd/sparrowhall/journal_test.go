package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// TestSlowBotKill kills runs of a slow program in the middle of a block. The
// matches that had ended are not played again, and the bytes are those of a run that
// nobody killed.
func TestSlowBotKill(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const matches = 16
	rules := filepath.Join(t.TempDir(), "short.toml")
	if err := os.WriteFile(rules, []byte("base = \"tenhou\"\nmax_hands = 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for verb, more := range map[string][]string{
		"play":           {"--matches", fmt.Sprint(matches)},
		"tournament run": {"--rounds", "1"},
	} {
		log := filepath.Join(t.TempDir(), "log")
		begun := func() int {
			text, err := os.ReadFile(log)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			return strings.Count(string(text), "\n")
		}
		bot := "mjai:sh testdata/slow_bot.sh '" + log + "'"
		list := []string{bot, "tsumogiri", "tsumogiri", "tsumogiri"}
		if verb != "play" {
			list = []string{"slow=" + bot, "tsumogiri"} // 16 matches a round: 4 seatings of 4 lineups
		}
		args := func(dir string) []string {
			args := append(strings.Fields(verb), "--ruleset", rules, "--workers", "1", "--quiet", "--out", dir)
			for _, a := range list {
				args = append(args, "--agent", a)
			}
			return append(args, more...)
		}
		whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
		if _, errOut, status := sparrowhall(t, "", args(whole)...); status != statusOK {
			t.Fatalf("%s: status %d: %s", verb, status, errOut)
		}
		all := begun()
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, args(dir)...)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Process.Kill()
		if !poll.Until(func() bool { return begun() >= all/2 }) {
			t.Fatalf("%s: %d of %d matches have begun", verb, begun(), all)
		}
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := os.Stat(filepath.Join(dir, "journal-000000.bin")); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
		if _, errOut, status := sparrowhall(t, "", args(dir)...); status != statusOK {
			t.Fatalf("%s: status %d: %s", verb, status, errOut)
		}
		// The programs at the table of the match that was cut off begin it twice.
		if n := begun(); n < all || n > all+4 {
			t.Errorf("%s: programs began %d times with a kill, %d without", verb, n, all)
		}
		if diff := cmp.Diff(files(t, whole), files(t, dir)); diff != "" {
			t.Errorf("%s: killed and continued: the bytes differ", verb)
		}
	}
}

// interruptedSuffix is how the message of an interrupted run ends.
func interruptedSuffix(total int) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(` holds \d+ of %d matches, and the same command continues there\n$`, total))
}
