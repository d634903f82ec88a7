package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
)

// Under every preset a run is played, written, verified and replayed; a long run has more
// line-ups, as random players alone may need hundreds of hands for a match.
func TestEveryPreset(t *testing.T) {
	matches, lineups := 1, 1
	if os.Getenv("SPARROWHALL_LONG") != "" {
		matches, lineups = 3, 3
	}
	for _, preset := range configs.Names() {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		players := r.NumSeats()
		for _, names := range [][]string{{"greedy", "random", "tsumogiri", "greedy"}, slices.Repeat([]string{"random"}, players), slices.Repeat([]string{"greedy"}, players)}[:lineups] {
			agents := strings.Join(names[:players], ",")
			dir := filepath.Join(t.TempDir(), "out")
			_, errOut, status := sparrowhall(t, "", "play", "--ruleset", preset, "--matches", fmt.Sprint(matches), "--agents", agents, "--out", dir)
			if status != statusOK || errOut != "" {
				t.Fatalf("%s, %s: play: status %d: %s", preset, agents, status, errOut)
			}
			out, errOut, status := sparrowhall(t, "", "verify", dir, "--json")
			var answer struct {
				OK, Complete bool
				Rows         map[string]int
			}
			if err := json.Unmarshal([]byte(out), &answer); err != nil || status != statusOK || !answer.OK || !answer.Complete {
				t.Fatalf("%s, %s: verify: status %d, %v: %s%s", preset, agents, status, err, errOut, out)
			}
			rows := answer.Rows
			if _, ledger := rows["ledger"]; ledger != (preset == "hkma_hktw") || rows["matches"] != players*matches || rows["decisions"] <= rows["hands"] || rows["hands"] < matches {
				t.Errorf("%s, %s: rows %v", preset, agents, rows)
			}
			hands := 0
			for match := range matches {
				text, errOut, status := sparrowhall(t, "", "replay", dir, "--match", fmt.Sprint(match))
				if status != statusOK || errOut != "" || strings.Count(text, "\nstandings\n") != 1 {
					t.Fatalf("%s, %s: replay of match %d: status %d: %s", preset, agents, match, status, errOut)
				}
				hands += strings.Count(text, "\nhand ")
			}
			if hands != rows["hands"] {
				t.Errorf("%s, %s: %d hands replayed of %d", preset, agents, hands, rows["hands"])
			}
		}
	}
}
