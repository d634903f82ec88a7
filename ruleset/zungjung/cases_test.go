package zungjung_test

import (
	"encoding/json"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// TestCases scores the published cases and compares every member expected.
func TestCases(t *testing.T) { rulestest.Scored(t, "testdata/cases.jsonl") }

// TestResponsible holds who pays for a win against the examples, which give the
// discards of a hand up to the winning tile.
func TestResponsible(t *testing.T) {
	type example struct {
		Case, Note, Ruleset, Winner string
		Log                         [][2]string
		Expect                      json.RawMessage
	}
	tested := 0
	rulestest.EachLine(t, "testdata/flow.jsonl", func(line []byte, c example) {
		if c.Case != "responsible" {
			return
		}
		tested++
		t.Run(c.Note, func(t *testing.T) {
			chairs := make([]ruleset.Chair, len(c.Log))
			kinds := make([]tile.Kind, len(c.Log))
			for i, entry := range c.Log {
				face, err := tile.ParseFace(entry[1])
				if err != nil {
					t.Fatal(err)
				}
				chairs[i], kinds[i] = chair(t, entry[0]), face.Kind()
			}
			latestFirst := func(yield func(ruleset.Chair, tile.Kind) bool) {
				for i := len(chairs) - 1; i >= 0 && yield(chairs[i], kinds[i]); i-- {
				}
			}
			last := len(chairs) - 1
			got := chairs[last]
			if rulestest.Rules(t, c.Ruleset, nil).SameRoundImmunity {
				got = ruleset.ResponsibleDiscarder(chair(t, c.Winner), chairs[last], kinds[last], latestFirst)
			}
			var wind *string
			if err := json.Unmarshal(c.Expect, &wind); err != nil {
				t.Fatal(err)
			}
			want := ruleset.NoChair
			if wind != nil {
				want = chair(t, *wind)
			}
			if got != want {
				t.Errorf("responsible is chair %d, want %d", got, want)
			}
		})
	})
	if tested == 0 {
		t.Error("no examples")
	}
}

// chair returns the chair of a wind where East deals.
func chair(t *testing.T, wind string) ruleset.Chair {
	w, err := tile.ParseWind(wind)
	if err != nil {
		t.Fatal(err)
	}
	return ruleset.Chair(w)
}
