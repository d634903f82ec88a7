package main

import (
	"encoding/json"
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

// long is a name that would fill the screen.
var long = hostile + strings.Repeat("long ", 20_000)

func asJSON(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestHostileNames has every command that prints meet names of players, agents,
// rulesets, files, folders, hands and flags that would move the cursor, break a line,
// turn the writing around or fill the screen. None reaches a terminal as it is.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	read := func(file string) string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	file := strings.ReplaceAll(hostile, "/", "")
	rules := put(file+".toml", "base = \"tenhou\"\nmax_hands = 2\ndescription = \"d\"\n")
	played, imported, cup := at(hostile), at("imported"), at("cup")
	named, _, _ := strings.Cut(hostile, ":") // a name of an agent has no colon
	var out string
	run := func(what string, status int, args ...string) {
		t.Helper()
		var errOut string
		var got int
		out, errOut, got = sparrowhall(t, "", args...)
		checkPlain(t, what, out)
		checkPlain(t, what, errOut)
		if got != status {
			t.Errorf("%s: status %d, want %d: %.500s%.500s", what, got, status, errOut, out)
		}
	}
	four := []string{"--agents", "greedy,greedy,greedy,greedy"}

	// What must have been before other commands can meet it.
	run("play", 0, append([]string{"play", "--ruleset", rules, "--matches", "1", "--out", played}, four...)...)
	run("export-log", 0, "export-log", played, "--match", "0")
	game := put("game.mjson", strings.Replace(strings.ReplaceAll(out, `"greedy"`, asJSON(t, hostile)), asJSON(t, hostile), asJSON(t, long), 1))
	run("import", 0, "import", "mjai", game, "--ruleset", rules, "--out", imported)
	run("tournament", 0, "tournament", "run", "--ruleset", rules, "--agents", "greedy,random", "--rounds", "1", "--out", cup)
	hand := `{"id":` + asJSON(t, hostile) + `,"concealed":"234m234p23467s55p","win_tile":"8s","self_draw":true,"seat":"S","round":"E","dora_indicators":"1z"`
	sample := read("../../internal/record/testdata/sample.json")
	broken := put("broken"+file+".json", strings.Replace(sample, `"a"`, asJSON(t, hostile), 1)[:3000]+"\n{"+asJSON(t, hostile)+"}\n")
	mjlog := put("game.mjlog", strings.Replace(read("../../internal/record/testdata/sample.mjlog"), `n0="`, `n0="%1B%5B2J%0Aplayer 1: saint`, 1))

	for _, c := range []struct {
		what   string
		status int
		args   []string
	}{
		{"play again", 1, append([]string{"play", "--ruleset", rules, "--matches", "1", "--seed", "2", "--out", played}, four...)},
		{"play, complete", 0, append([]string{"play", "--ruleset", rules, "--matches", "1", "--out", played}, four...)},
		{"play by a hostile name", 2, []string{"play", "--agent", hostile, "--agent", "greedy", "--agent", "greedy", "--agent", "greedy"}},
		{"play by a hostile program", 2, []string{"play", "--agent", "mjai:" + hostile, "--agent", "greedy", "--agent", "greedy", "--agent", "greedy"}},
		{"play under a hostile ruleset", 2, []string{"play", "--ruleset", hostile}},
		{"play, sealed", 2, []string{"play", "--sealed", "--seal-file", filepath.Join(played, hostile), "--out", played}},
		{"bot check", 1, []string{"bot", "check", "mjai:" + hostile}},
		{"a hostile verb", 2, []string{hostile}},
		{"a hostile flag", 2, []string{"play", "--" + hostile}},
		{"a hostile value", 2, []string{"play", "--matches", hostile}},
		{"a long value", 2, []string{"play", "--matches", long}},
		{"rules show", 0, []string{"rules", "show", rules}},
		{"rules check", 0, []string{"rules", "check", rules}},
		{"rules check, wrong", 1, []string{"rules", "check", put("wrong.toml", "base = \"tenhou\"\n"+asJSON(t, named)+" = 1\nkuitan = "+asJSON(t, named)+"\n")}},
		{"rules check, long", 1, []string{"rules", "check", put("long.toml", "base = \"tenhou\"\nkuitan = "+asJSON(t, named+strings.Repeat("x", 20_000))+"\n")}},
		{"rules check, absent", 2, []string{"rules", "check", at(hostile + hostile)}},
		{"rules diff", 0, []string{"rules", "diff", rules, "mahjong_soul"}},
		{"rules show, unknown", 2, []string{"rules", "show", hostile}},
		{"score", 0, []string{"score", put("hands"+file+".jsonl", hand+`}`+"\n"), "--ruleset", rules}},
		{"score, wrong", 1, []string{"score", put("wrong.jsonl", hand+`,"flags":[`+asJSON(t, hostile)+`]}`+"\n"+hand+`,`+asJSON(t, hostile)+`:1}`+"\n"+hostile+"\n"), "--ruleset", rules}},
		{"score, long", 1, []string{"score", put("long.jsonl", hand+`,"x":`+asJSON(t, long)+"}\n"), "--ruleset", rules}},
		{"score --check", 1, []string{"score", "--check", put("expect.jsonl", hand+`,"expect":{"points":1}}`+"\n"), "--ruleset", rules}},
		{"import, broken", 1, []string{"import", "tenhou", broken}},
		{"import of a name with a code", 0, []string{"import", "tenhou", mjlog, "--out", at("mjlog")}},
		{"import of a hostile form", 2, []string{"import", hostile, broken}},
		{"import as botzone", 1, []string{"import", "botzone", broken}},
		{"import as majiang", 1, []string{"import", "majiang", broken}},
		{"replay", 0, []string{"replay", imported, "--match", "0"}},
		{"replay of a name with a code", 0, []string{"replay", at("mjlog"), "--match", "0"}},
		{"replay --html", 0, []string{"replay", imported, "--match", "0", "--html", at("page" + file + ".html")}},
		{"replay, absent", 1, []string{"replay", at(hostile + hostile), "--match", "0"}},
		{"report", 0, []string{"report", imported, played}},
		{"report --out", 0, []string{"report", played, "--out", at("report" + file)}},
		{"report --json", 0, []string{"report", played, "--json"}},
		{"report --partial", 0, []string{"report", played, "--partial", at("part" + file)}},
		{"report merge", 0, []string{"report", "merge", at("part" + file)}},
		{"report merge, wrong", 1, []string{"report", "merge", rules}},
		{"export-log of mjai", 0, []string{"export-log", imported, "--match", "0"}},
		{"export-log of tenhou6", 0, []string{"export-log", imported, "--match", "0", "--format", "tenhou6"}},
		{"export-log of the table", 1, []string{"export-log", imported, "--match", "0", "--format", "botzone"}},
		{"export-log to a folder", 0, []string{"export-log", imported, "--out", at("logs" + file)}},
		{"steps", 1, []string{"steps", at(hostile + hostile)}},
		{"tournament again", 0, []string{"tournament", "run", "--ruleset", rules, "--agents", "greedy,random", "--rounds", "1", "--out", cup}},
		{"tournament of a hostile name", 2, []string{"tournament", "run", "--agent", named + "=greedy", "--agent", "random", "--rounds", "1"}},
		{"tournament merge", 1, []string{"tournament", "merge", cup, "--out", at("merged" + file)}},
		{"verify", 0, []string{"verify", played}},
		{"verify --key", 1, []string{"verify", played, "--key", rules}},
		{"sweep", 0, []string{"sweep", "--ruleset", rules, "--knob", "kiriage_mangan", "--matches", "1"}},
		{"sweep of a hostile knob", 2, []string{"sweep", "--ruleset", rules, "--knob", hostile}},
		{"serve", 1, []string{"serve", "--listen", hostile}},
		{"serve, token", 1, []string{"serve", "--token-file", at(hostile + "token")}},
	} {
		run(c.what, c.status, c.args...)
		if c.what == "replay" && !strings.Contains(out, `\u001b[2J`) {
			t.Errorf("the name is not there:\n%.300s", out)
		}
		// Whatever stands in names, what is printed does not grow beyond them.
		if len(out) > 4_000_000 {
			t.Errorf("%s prints %d bytes", c.what, len(out))
		}
	}
	for _, page := range []string{at("page" + file + ".html"), filepath.Join(at("report"+file), "report.html")} {
		checkPlain(t, page, strings.ReplaceAll(read(page), "\t", " "))
	}
}
