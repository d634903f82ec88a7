package sim_test

import "testing"

// threePlayers are the rulesets of three players.
var threePlayers = []string{"tenhou_sanma", "mahjong_soul_sanma"}

// TestThreePlayerRuleBook plays the flow cases of three players.
func TestThreePlayerRuleBook(t *testing.T) { playRuleBook(t, "testdata/rules/three/*.txt") }
