package dataset_test

import (
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
)

// Datasets of other rules and other players, or with and without hands, are named with what to
// do; other players under the same rules, other rules with the same players are compared.
func TestCheckComparable(t *testing.T) {
	manifest := func(hash, agents string, record schema.Table) *dataset.Manifest {
		m := &dataset.Manifest{Agents: strings.Fields(agents), Record: record}
		m.Ruleset.Hash = hash
		return m
	}
	first := manifest("a", "value greedy value greedy", schema.Hands)
	for _, c := range []struct {
		m    *dataset.Manifest
		want string
	}{
		{manifest("b", "greedy greedy greedy value", schema.Decisions), ""},
		{manifest("a", "expert greedy", schema.Hands), ""},
		{manifest("b", "expert greedy", schema.Hands), "runs/a was played by greedy, value, runs/b by expert, greedy under other rules"},
		{manifest("b", "value greedy", schema.Matches), "runs/a has hands recorded and runs/b has not, so figures of hands, wins and patterns cannot be compared; play the latter again with --record hands"},
	} {
		err := c.m.CheckComparable(first, "runs/b", "runs/a")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.m.Agents, err, c.want)
		}
	}
}
