package stats

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestCourse follows crafted matches: who leads when.
func TestCourse(t *testing.T) {
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	type payments = [sim.NumPlayers]int32
	drawn := payments{}
	for name, test := range map[string]struct {
		hands []payments
		ranks [sim.NumPlayers]uint8
		want  course
	}{
		"no hands": {nil, [4]uint8{1, 1, 1, 1}, course{}},
		"from the first hand on": {
			[]payments{{1000, -1000}, drawn, {1000, 0, -1000}, {2000, 0, 0, -2000}},
			[4]uint8{1, 2, 3, 4},
			course{wireToWire: true},
		},
		"a draw first": {
			[]payments{drawn, {1000, -1000}}, [4]uint8{1, 4, 2, 2}, course{wireToWire: true, lastHandDecides: true},
		},
		"the last hand": {
			[]payments{{1000, -1000}, drawn, {-2000, 3000, -1000}},
			[4]uint8{4, 1, 3, 2},
			course{leadChanges: 1, lastHandDecides: true, fromLast: true},
		},
		"from the last place": {
			[]payments{{1000, 0, 0, -1000}, {1000, 0, 0, -1000}, {-8000, 0, 0, 8000}, drawn},
			[4]uint8{4, 2, 2, 1},
			course{leadChanges: 1, fromLast: true},
		},
		// Equal points change no lead: the one who led before still does.
		"level and back": {
			[]payments{{1000, -1000}, {-1000, 1000}, {1000, -1000}},
			[4]uint8{1, 4, 2, 2},
			course{wireToWire: true},
		},
		"to and fro": {
			[]payments{{1000, -1000}, {-2000, 2000}, {2000, -2000}},
			[4]uint8{1, 4, 2, 2},
			course{leadChanges: 2, lastHandDecides: true},
		},
	} {
		m := match{}
		for _, rank := range test.ranks {
			m.players = append(m.players, schema.MatchRow{Rank: rank})
		}
		for _, p := range test.hands {
			m.hands = append(m.hands, schema.HandRow{Payments: p})
		}
		if got := courseOf(&m, r); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// TestSharedPatterns divides the value of a win that counts a pattern twice, one
// that this ruleset does not know, and one of no patterns at all.
func TestSharedPatterns(t *testing.T) {
	r, err := configs.Load("mcr_2006")
	if err != nil {
		t.Fatal(err)
	}
	tl := &tally{rules: r, patterns: map[string]int{"pung_of_terminals": 0, "flower_tiles": 1}}
	s := &handTotals{patterns: make([]patternTotals, 2)}
	wins := []schema.Win{
		{Patterns: []schema.Pattern{{ID: "pung_of_terminals", Value: 1}, {ID: "pung_of_terminals", Value: 1}, {ID: "flower_tiles", Value: 2}}},
		{Patterns: []schema.Pattern{{ID: "unheard_of", Value: 3}, {ID: "flower_tiles", Value: 1}}},
		{},
	}
	for i := range wins {
		s.all.n++
		tl.readPatterns(s, &wins[i], 12)
	}
	// The unknown pattern keeps its part: nobody else is given it.
	want := [2]patternTotals{{wins: 1, winPoints: 12, points: 6, last: 1}, {wins: 2, winPoints: 24, points: 6 + 3, last: 2}}
	if [2]patternTotals(s.patterns) != want || s.divided != 24 {
		t.Errorf("%+v of %v, want %+v of 24", s.patterns, s.divided, want)
	}
}
