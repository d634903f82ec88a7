package riichi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/riichi"
)

// eachCase calls test with each line of a file of cases, which are kept in the
// words of the rules.
func eachCase[T any](t *testing.T, file string, test func(*testing.T, T)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var id struct{ ID string }
		var c T
		if err := json.Unmarshal(line, &id); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		t.Run(id.ID, func(t *testing.T) { test(t, c) })
	}
}

// load returns a preset.
func load(t testing.TB, name string) *ruleset.Rules {
	t.Helper()
	r, err := configs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// config returns the knobs of a preset.
func config(t testing.TB, name string) *riichi.Config {
	t.Helper()
	r, err := configs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return r.Config.(*riichi.Config)
}

// net is what the payments of s move, by chair and, last, the pot.
func net(s *ruleset.Settlement) [ruleset.NumPlayers + 1]int {
	var n [ruleset.NumPlayers + 1]int
	for _, p := range s.Payments[:s.NumPayments] {
		n[p.From] -= int(p.Amount)
		n[p.To] += int(p.Amount)
	}
	return n
}

// presets are the rulesets of the family that come with the project.
var presets = []string{
	"ema_2016", "ema_2016_en", "hkma_league_a", "hkma_league_a_body", "hkma_league_b", "hkma_league_b_body",
	"mahjong_soul", "mleague", "tenhou", "wrc",
}
