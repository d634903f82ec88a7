package sim_test

import (
	"slices"
	"testing"
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
