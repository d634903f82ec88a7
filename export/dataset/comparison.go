package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/export/schema"
)

// CheckComparable returns an error if differences between the datasets in two folders are not
// those of the rules: where both the rules and the players differ, or only one has hands.
func (m *Manifest) CheckComparable(first *Manifest, dir, firstDir string) error {
	players := func(m *Manifest) []string { return slices.Compact(slices.Sorted(slices.Values(m.Agents))) }
	if a, b := players(first), players(m); m.Ruleset.Hash != first.Ruleset.Hash && !slices.Equal(a, b) {
		return fmt.Errorf("%s was played by %s, %s by %s under other rules, so nothing separates what the rules do from what the players do; play both with the same agents, or report each alone",
			firstDir, strings.Join(a, ", "), dir, strings.Join(b, ", "))
	}
	withHands, withoutHands := firstDir, dir
	switch hands := m.Record != schema.Matches; {
	case hands == (first.Record != schema.Matches):
		return nil
	case hands:
		withHands, withoutHands = withoutHands, withHands
	}
	return fmt.Errorf("%s has hands recorded and %s has not, so figures of hands, wins and patterns cannot be compared; play the latter again with --record hands", withHands, withoutHands)
}
