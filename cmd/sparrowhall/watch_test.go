package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/sparrowhall/sparrowhall/env/client"
)

func pageOf(t *testing.T, line string) (address, key string) {
	t.Helper()
	found := regexp.MustCompile(`^watch (http://127\.0\.0\.1:\d+/)#(\w{26})\n$`).FindStringSubmatch(line)
	if found == nil {
		t.Fatalf("line %q; want the address of a page", line)
	}
	return found[1], found[2]
}

// follow requests the events of a page and returns the first message of a kind.
func follow(t *testing.T, address, key, path, kind string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() == "event: "+kind && lines.Scan() {
			return strings.TrimPrefix(lines.Text(), "data: ")
		}
	}
	t.Fatalf("%s: %s, %v; no message %s", path, response.Status, lines.Err(), kind)
	return ""
}

// watchedPosition is what the tests read of a position.
type watchedPosition struct {
	Names []string
	State struct {
		Players []struct{ Tiles []int }
	}
}

// checkPosition checks that a position shows concealed tiles only if all is set.
func checkPosition(t *testing.T, text string, all bool, names ...string) {
	t.Helper()
	var d watchedPosition
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Names, ","); got != strings.Join(names, ",") {
		t.Errorf("players %s, want %s", got, names)
	}
	for _, p := range d.State.Players {
		// A player with melds has fewer than 13: a match may be under way.
		if len(p.Tiles) == 0 || (p.Tiles[0] != 255) != all {
			t.Errorf("concealed tiles %v; all: %v", p.Tiles, all)
		}
	}
}

// TestServeWatch watches a table of a server that waits for its client: without its concealed tiles,
// and with them where the server allows it.
func TestServeWatch(t *testing.T) {
	for _, flags := range [][]string{{"--watch"}, {"--watch=127.0.0.1:0", "--allow-hidden"}} {
		cmd := exec.Command(os.Args[0], append([]string{"serve", "--listen", "127.0.0.1:0", "--log", "off"}, flags...)...)
		out := start(t, cmd)
		lines := bufio.NewReader(out)
		listening, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		address, key := pageOf(t, line)
		s, b, err := playing(t, strings.TrimSpace(strings.TrimPrefix(listening, "listening on ")))
		if err != nil {
			t.Fatal(err)
		}
		checkPosition(t, follow(t, address, key, "events?room=1&table=2", "position"), false, "external", "greedy", "random", "tsumogiri")
		if len(flags) > 1 {
			checkPosition(t, follow(t, address, key, "events?room=1&table=2&all=1", "position"), true, "external", "greedy", "random", "tsumogiri")
		}
		var a client.Answers
		for i := range b.Len() {
			if legal := b.Legal(i); b.Asked(i) {
				a.Add(b, i, legal.First())
			}
		}
		if _, err := s.Act(&a); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("after Ctrl-C: %v", err)
		}
	}
}

// TestTournamentWatch watches a tournament while it is played.
func TestTournamentWatch(t *testing.T) {
	cmd := exec.Command(os.Args[0], "tournament", "run", "--agents", "greedy,random", "--rounds", "1000000", "--workers", "1", "--quiet", "--watch")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, key := pageOf(t, line)
	var d watchedPosition
	text := follow(t, address, key, "events", "position")
	if err := json.Unmarshal([]byte(text), &d); err != nil || len(d.Names) != 4 {
		t.Fatalf("%s: %v", text, err)
	}
	checkPosition(t, text, false, d.Names...)
}

func TestWatchRefusals(t *testing.T) {
	for command, want := range map[string]string{
		"serve --watch=:0":                                     "--watch: :0 can be reached by other machines",
		"serve --watch=192.0.2.1:80":                           "--watch: 192.0.2.1:80 can be reached by other machines",
		"serve --watch=x":                                      `--watch: "x": `,
		"serve --watch extra":                                  "arguments given",
		"play --watch=0.0.0.0:0":                               "--watch: 0.0.0.0:0 can be reached by other machines",
		"play --allow-hidden":                                  "--allow-hidden is for the page of --watch",
		"play --watch --sealed --out a --seal-file b":          "--watch: a sealed run is shown once its seed is revealed",
		"tournament run --agents greedy,random --allow-hidden": "--allow-hidden is for the page of --watch",
		"tournament run --agents greedy,random --watch --sealed --out a --seal-file b": "--watch: a sealed run is shown once its seed is revealed",
	} {
		_, errOut, status := sparrowhall(t, "", strings.Fields(command)...)
		if status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, %q; want %q", command, status, errOut, want)
		}
	}
}
