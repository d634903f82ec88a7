package fitting

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestHandResults checks that hands are counted from their dealer, and that a table keeps the
// mean of what they bring.
func TestHandResults(t *testing.T) {
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	factory, err := agents.New("greedy")
	if err != nil {
		t.Fatal(err)
	}
	var four [sim.NumPlayers]sim.Agent
	for i := range four {
		four[i] = factory()
	}
	var c HandResults
	var m sim.Match
	for i := range uint64(20) {
		m.Seed = sim.MatchSeed(6, i)
		m.Play(r, &four)
		c.Add(r, m.Events)
	}
	var want [sim.NumPlayers]int64
	for i := range c.ends {
		x := &c.ends[i]
		for q, n := range x.Change {
			want[q] += int64(n)
			if n < 0 && x.Winners.Has(ruleset.Chair(q)) {
				t.Errorf("%+v: a winner loses", x)
			}
		}
		if x.Winners.Len() == 1 && x.giver == ruleset.NoChair && x.Ending == sim.EndWin {
			for q, n := range x.Change {
				if n == 0 {
					t.Errorf("%+v: %d pays nothing for a self-draw", x, q)
				}
			}
		}
	}
	table, err := c.Table()
	if err != nil {
		t.Fatal(err)
	}
	weight := 0
	var got [sim.NumPlayers]int64
	for _, x := range table.Rows {
		weight += x.Weight
		for q, n := range x.Change {
			got[q] += int64(x.Weight) * int64(n)
		}
	}
	if weight != c.Hands() {
		t.Errorf("a table of %d hands, want %d", weight, c.Hands())
	}
	for q := range want {
		if d := got[q] - want[q]; d > int64(weight) || d < -int64(weight) {
			t.Errorf("chair %d gains %d in the table, want %d", q, got[q], want[q])
		}
	}
	if _, err := new(HandResults).Table(); err == nil {
		t.Error("a table of no hands")
	}
}
