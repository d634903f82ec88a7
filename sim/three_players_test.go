package sim_test

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// threePlayers are the rulesets of three players.
var threePlayers = []string{"tenhou_sanma", "mahjong_soul_sanma"}

// presetFile returns the file of a ruleset of three players, and the name of any other.
func presetFile(name string) string {
	if slices.Contains(threePlayers, name) {
		return "../ruleset/riichi/testdata/" + name + ".toml"
	}
	return name
}

// TestThreePlayerRuleBook plays the flow cases of three players.
func TestThreePlayerRuleBook(t *testing.T) { playRuleBook(t, "testdata/rules/three/*.txt") }

// TestRotationOfThree sees that three agents take turns in three seats.
func TestRotationOfThree(t *testing.T) {
	want := [][sim.NumPlayers]uint8{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 1, 2}}
	for i, want := range want {
		seed, agents := sim.Rotation{Seed: 3, Seats: 3}.Match(uint64(i))
		if agents != want || seed != sim.MatchSeed(3, uint64(i)) {
			t.Errorf("match %d: %v, want %v", i, agents, want)
		}
		if _, agents = (sim.Rotation{Seats: 3, KeepSeats: true}).Match(uint64(i)); agents != [sim.NumPlayers]uint8{0, 1, 2} {
			t.Errorf("match %d with kept seats: %v", i, agents)
		}
	}
}
