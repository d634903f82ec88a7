package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile is a name that would move the cursor, break a line and turn the writing
// around.
const hostile = "\x1b[2J\x1b]0;owned\a\nplayer 1: saint\u202e\u009b31m"

// checkPlain fails if a text would do anything but fill lines.
func checkPlain(t *testing.T, what, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%s prints %q:\n%q", what, r, text)
			return
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "player 1: saint") {
			t.Errorf("%s prints a line that a name has made:\n%s", what, text)
		}
	}
}

// TestHostileNames checks that names of players, rulesets and folders reach no
// terminal as they are.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, strings.ReplaceAll(hostile, "/", "")+".toml")
	if err := os.WriteFile(rules, []byte("base = \"tenhou\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		out, errOut, _ := jansou(t, "", args...)
		checkPlain(t, strings.Join(args[:1], " "), out)
		checkPlain(t, strings.Join(args[:1], " "), errOut)
		return out
	}
	four := []string{"--agents", "greedy,greedy,greedy,greedy", "--quiet"}
	played := filepath.Join(dir, hostile)
	run(append([]string{"play", "--ruleset", rules, "--matches", "1", "--out", played}, four...)...)
	run(append([]string{"play", "--ruleset", rules, "--matches", "2", "--out", played}, four...)...) // refused
	run("tournament", "run", "--ruleset", rules, "--agents", "greedy,random", "--rounds", "1", "--quiet")
	run("sweep", "--ruleset", rules, "--knob", "kiriage_mangan", "--matches", "1", "--quiet")
	run("verify", played, "--quiet")
	run("report", played, "--quiet")
	run("play", "--agent", hostile, "--agent", "greedy", "--agent", "greedy", "--agent", "greedy")

	log := run("export-log", played, "--match", "0")
	name := strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\n", `\n`).Replace(hostile)
	record := filepath.Join(dir, "game.mjson")
	if err := os.WriteFile(record, []byte(strings.ReplaceAll(log, `"greedy"`, `"`+name+`"`)), 0o666); err != nil {
		t.Fatal(err)
	}
	imported := filepath.Join(dir, "imported")
	run("import", "mjai", record, "--out", imported, "--quiet")
	text := run("replay", imported, "--match", "0")
	if !strings.Contains(text, `\u001b[2J`) {
		t.Errorf("the name is not there:\n%.300s", text)
	}
	run("report", imported, "--quiet")
}
