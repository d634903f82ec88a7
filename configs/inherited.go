package configs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// mechanics are the features that a variant may inherit by oversight. A ruleset has one unless
// the knob key has the value off. In text %s is the value.
var mechanics = []struct{ family, key, off, text string }{
	{"riichi", "points_table", "", "payments by fu and han with limits"},
	{"", "dealer_factor", "1", "payments between the dealer and another times %s"},
	{"riichi", "patterns.dora", `"off"`, "dora indicators"},
	{"", "aka_dora", "[0, 0, 0]", "red fives %s"},
	{"", "ready", `"none"`, "declarations of a ready hand, %s"},
	{"", "honba_value", "0", "%s points for each repeat of the dealer"},
	{"", "noten_total", "0", "%s points from hands that are not ready at an exhausted wall"},
	{"", "river_lock", `"off"`, "own discards that forbid wins, %s"},
	{"", "pass_lock", `"off"`, "passed wins that forbid wins, %s"},
	{"", "min_win", "0", "a minimum of %s to win"},
	{"", "flowers", `"none"`, "flowers, %s"},
	{"", "dead_wall", "0", "a dead wall of %s tiles"},
	{"", "base_points", "0", "%s base points"},
	{"", "payoff_scheme", `"discarder_all"`, "the payoff scheme %s"},
	{"", "dealer_item", "0", "a dealer item of %s"},
	{"", "pull_enabled", "false", "wins carried as debts"},
	{"", "di_points", "0", "awards during a hand, in di of %s points"},
	{"", "placement", "[0, 0, 0, 0]", "placement points %s"},
}

// Inherited lists the features that a user's ruleset inherits from its preset and that other
// games do not have, with the knobs that change them. Knobs that the user's files give are left
// out. The list of a preset and of a full file is nil.
func (r *Ruleset) Inherited() (list []string) {
	if r.given == nil {
		return nil
	}
	knobs := r.Knobs()
	for _, m := range mechanics {
		k, ok := ruleset.FindKnob(knobs, m.key)
		if !ok || m.family != "" && m.family != r.Family.Name || k.Text() == m.off || slices.Contains(r.given, m.key) {
			continue
		}
		text := m.text
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, k.Text())
		}
		list = append(list, fmt.Sprintf("%s (%s)", text, m.key))
	}
	return list
}
