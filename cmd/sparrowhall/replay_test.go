package main

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplay(t *testing.T) {
	dir := t.TempDir()
	for _, record := range []string{"matches", "hands", "decisions"} {
		_, errOut, status := sparrowhall(t, "", "play", "--ruleset", "tenhou", "--matches", "3", "--seed", "5", "--quiet",
			"--agents", "greedy,random,tsumogiri,greedy", "--record", record, "--out", filepath.Join(dir, record))
		if status != statusOK {
			t.Fatalf("play --record %s: status %d: %s", record, status, errOut)
		}
	}
	replay := func(want int, args ...string) string {
		t.Helper()
		out, errOut, status := sparrowhall(t, "", append([]string{"replay"}, args...)...)
		if status != want {
			t.Fatalf("replay %s: status %d, want %d: %s", strings.Join(args, " "), status, want, errOut)
		}
		return out + errOut
	}
	decisions := filepath.Join(dir, "decisions")
	whole := replay(statusOK, decisions, "--match", "2")
	for _, record := range []string{"matches", "hands"} {
		if replay(statusOK, filepath.Join(dir, record), "--match", "2") != whole {
			t.Errorf("another transcript with %s recorded", record)
		}
	}
	// The agents have moved on by one player twice.
	const heading = "player 0: tsumogiri\nplayer 1: greedy\nplayer 2: greedy\nplayer 3: random\n"
	if !strings.HasPrefix(whole, "match 2, tenhou, seed ") || !strings.Contains(whole, heading) ||
		!strings.Contains(whole, "\nstandings\n") {
		t.Errorf("not a transcript of match 2:\n%.400s", whole)
	}

	hand := replay(statusOK, decisions, "--match", "2", "--hand", "1")
	if strings.Count(hand, "\nhand ") != 1 || !strings.Contains(hand, "\nhand 1: ") {
		t.Errorf("not hand 1:\n%.400s", hand)
	}
	view := replay(statusOK, decisions, "--match", "2", "--hand", "1", "--player", "1")
	if !strings.Contains(view, "as seen by player 1\n") || len(view) >= len(hand) {
		t.Errorf("not the view of player 1:\n%.400s", view)
	}

	for _, c := range []struct {
		status int
		args   []string
		want   string
	}{
		{statusFailure, []string{filepath.Join(dir, "none"), "--match", "0"}, "none"},
		{statusFailure, []string{dir, "--match", "0"}, "no dataset"},
		{statusFailure, []string{decisions, "--match", "3"}, "match 3: no such match; it has matches 0 to 2"},
		{statusFailure, []string{decisions, "--match", "0", "--hand", "99"}, "no hand 99"},
		{statusUsage, []string{decisions}, "--match is missing"},
		{statusUsage, []string{decisions, "--match", "0", "--player", "4"}, "--player: 4; allowed: 0 to 3"},
		{statusUsage, []string{"--match", "0"}, "usage: sparrowhall replay DIR"},
		{statusUsage, []string{decisions, "--match", "0", "--html", ""}, "--html: name a file"},
		{statusUsage, []string{decisions, "--match", "0", "--html", "x.html", "--hand", "1"}, "the page of --html shows all hands"},
		{statusUsage, []string{decisions, "--match", "0", "--force"}, "--force replaces the file of --html"},
	} {
		if got := replay(c.status, c.args...); !strings.Contains(got, c.want) {
			t.Errorf("replay %v: %q, want %q in it", c.args, got, c.want)
		}
	}
}

// TestReplayPage checks that a page is written whole or not at all.
func TestReplayPage(t *testing.T) {
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "match.html")
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", "botzone", "--matches", "2", "--quiet", "--out", data); status != statusOK {
		t.Fatalf("play: status %d: %s", status, errOut)
	}
	replay := func(want int, args ...string) string {
		t.Helper()
		out, errOut, status := sparrowhall(t, "", append([]string{"replay", data, "--html", file}, args...)...)
		if status != want {
			t.Fatalf("replay %s: status %d, want %d: %s", strings.Join(args, " "), status, want, errOut)
		}
		return out + errOut
	}
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := replay(statusFailure, "--match", "2"); !strings.Contains(got, "no such match") {
		t.Errorf("a match that is not there: %q", got)
	}
	replay(statusOK, "--match", "1")
	if !strings.Contains(read(), "<title>botzone, match 1</title>") {
		t.Errorf("not the page of match 1:\n%.300s", read())
	}
	if got := replay(statusFailure, "--match", "0"); !strings.Contains(got, "already exists; --force replaces it") || !strings.Contains(read(), "match 1</title>") {
		t.Errorf("a file that is there: %q", got)
	}
	replay(statusOK, "--match", "0", "--force")
	if !strings.Contains(read(), "match 0</title>") {
		t.Error("--force has not replaced the page")
	}
	// A folder cannot be replaced, and nothing is left beside it.
	file = data
	if got := replay(statusFailure, "--match", "0", "--force"); !strings.Contains(got, "a folder is there; name a file") {
		t.Errorf("a folder in the way: %q", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, error %v", entries, err)
	}
}

// What breaks off leaves what was there, and a device or socket is not replaced by a
// file whatever is forced.
func TestWriteFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := writeBytes("file", []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	err := writeFile("file", true, func(w io.Writer) error {
		_, err := io.WriteString(w, "ne")
		return errors.Join(err, full)
	})
	if text, err2 := os.ReadFile("file"); err2 != nil || string(text) != "old" || !errors.Is(err, full) {
		t.Errorf("broken off with %v, the file holds %q, %v", err, text, err2)
	}
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := writeBytes("socket", nil); err == nil || !strings.Contains(err.Error(), "socket: a device, pipe or socket is there") {
		t.Errorf("a socket in the way: %v", err)
	}
	if err := writeBytes("none/file", nil); err == nil || err.Error() != "none/file: there is no folder none; make it first" {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if list, err := os.ReadDir("."); err != nil || len(list) != 2 {
		t.Errorf("left are %v, %v", list, err)
	}
}
