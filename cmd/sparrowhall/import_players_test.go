package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/dataset"
)

// importLogs imports the logs of a folder and opens the dataset.
func importLogs(t *testing.T, logs string) (*dataset.Dataset, string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "imported")
	if text, errOut, status := sparrowhall(t, "", "import", "mjai", logs, "--out", out, "--quiet", "--ruleset", "tenhou"); status != 0 {
		t.Fatalf("%s%s", text, errOut)
	}
	if text, errOut, status := sparrowhall(t, "", "verify", out, "--quiet"); status != 0 {
		t.Fatalf("%s%s", text, errOut)
	}
	d, err := dataset.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	return d, out
}

// TestImportPlayers imports the logs of a tournament of one against three. The players keep their
// names, matches on the same walls are duplicate sets again, and the standings are those of the
// tournament.
func TestImportPlayers(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) string {
		t.Helper()
		text, errOut, status := sparrowhall(t, "", args...)
		if status != 0 {
			t.Fatalf("%v: %s", args, errOut)
		}
		return text
	}
	if err := os.WriteFile(path("lineups"), []byte("greedy,random,random,random\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run("tournament", "run", "--agents", "greedy,random", "--ruleset", "tenhou", "--lineups", path("lineups"), "--rounds", "5", "--record", "hands", "--out", path("cup"), "--quiet")
	run("export-log", path("cup"), "--format", "mjai", "--out", path("logs"), "--quiet")
	agents := func(dir string) string {
		text := run("report", dir, "--luck=fast")
		_, text, _ = strings.Cut(text, "LUCK OF THE AGENTS")
		text, _, _ = strings.Cut(text, "Means of")
		lines := strings.Split(text, "\n")
		slices.Sort(lines) // the agents are in the order in which they are met
		return strings.Join(lines, "\n")
	}
	d, out := importLogs(t, path("logs"))
	if tour := d.Manifest.Tournament; tour == nil || tour.Seatings != 4 || tour.Rounds != 5 || len(tour.Lineups) != 1 {
		t.Errorf("%+v", tour)
	}
	if want, got := agents(path("cup")), agents(out); got != want || !strings.Contains(got, "greedy, placement") {
		t.Errorf("want%s\ngot%s", want, got)
	}
	// Records show what their owner likes: no league counts them.
	run("league", "init", path("lg"), "--ruleset", "tenhou")
	for _, bot := range []string{"greedy", "random"} {
		run("league", "add", path("lg"), bot, bot)
	}
	if text, errOut, status := sparrowhall(t, "", "league", "merge", path("lg"), out); status == statusOK || !strings.Contains(text+errOut, "records of another program") {
		t.Errorf("status %d: %s%s", status, text, errOut)
	}
	whole, err := os.ReadDir(path("logs"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(n int) string {
		text, err := os.ReadFile(path(filepath.Join("logs", whole[n].Name())))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write := func(dir, name, text string) {
		if err := os.MkdirAll(path(dir), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(filepath.Join(dir, name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The same in any order of the files, and in one file.
	var all, short strings.Builder
	for n := range whole {
		write("mixed", fmt.Sprintf("%02d.json", n*7%len(whole)), read(n))
		all.WriteString(read(n/4*4 + (n+n/4)%4))
		if n != 5 {
			write("short", whole[n].Name(), read(n))
			short.WriteString(read(n))
		}
		write("fixed", whole[n].Name(), strings.Replace(read(n), names(read(n)), `["a","b","c","d"]`, 1))
		write("alone", whole[n].Name(), strings.Replace(read(n), names(read(n)), `["a","a","a","a"]`, 1))
		// A record without a name, and a set that is there twice.
		name := ""
		if n < 7 {
			name = "random"
		}
		write("nameless", whole[n].Name(), strings.Replace(read(n), `"random"`, fmt.Sprintf("%q", name), 1))
		write("copied", whole[n].Name(), read(n))
		if n < 4 {
			write("copied", "again-"+whole[n].Name(), read(n))
		}
		write("crowd", whole[n].Name(), strings.Replace(read(n), names(read(n)), fmt.Sprintf(`["a%d","b%[1]d","c%[1]d","d%[1]d"]`, n), 1))
	}
	write("one", "all.mjson", all.String())
	write("gap", "all.mjson", short.String())
	for _, dir := range []string{"mixed", "one"} {
		_, other := importLogs(t, path(dir))
		if got, want := agents(other), agents(out); got != want {
			t.Errorf("%s: want%s\ngot%s", dir, want, got)
		}
	}
	for _, c := range []struct {
		dir      string
		agents   []string
		seatings int // 0 where it is no tournament
		note     string
	}{
		{"short", []string{"greedy", "random"}, 1, "000007.json: a seating of its duplicate set is missing"},
		{"gap", []string{"greedy", "random"}, 1, "all.mjson: match 6: a seating of its duplicate set is missing"},
		{"fixed", []string{"mjai", "mjai", "mjai", "mjai"}, 0, "000000.json: the players have these seats in all records"},
		{"alone", []string{"mjai", "mjai", "mjai", "mjai"}, 0, "000000.json: all players have one name"},
		{"nameless", []string{"mjai", "mjai", "mjai", "mjai"}, 0, "000007.json: a player has no name"},
		{"copied", []string{"greedy", "random"}, 4, "again-000003.json: a duplicate set"},
		{"crowd", []string{"mjai", "mjai", "mjai", "mjai"}, 0, ""}, // 80 players
	} {
		if text := run("import", "mjai", path(c.dir), "--out", path(c.dir+"-noted"), "--quiet", "--ruleset", "tenhou"); !strings.HasPrefix(text, c.note) || c.note == "" && strings.Contains(text, ": ") {
			t.Errorf("%s: %s", c.dir, text)
		}
		d, out := importLogs(t, path(c.dir))
		seatings := 0
		if d.Manifest.Tournament != nil {
			seatings = d.Manifest.Tournament.Seatings
		}
		got := slices.Sorted(slices.Values(d.Manifest.Agents))
		if !slices.Equal(got, c.agents) || seatings != c.seatings {
			t.Errorf("%s: agents %q, %d seatings", c.dir, got, seatings)
		}
		if text := run("report", out, "--luck=fast"); strings.Contains(text, "25000.0") {
			t.Errorf("%s: an interval of rounding alone:\n%s", c.dir, text)
		}
	}
}

// names returns the names of the players of a log as they are written.
func names(log string) string {
	_, rest, _ := strings.Cut(log, `"names":`)
	list, _, _ := strings.Cut(rest, "]")
	return list + "]"
}
