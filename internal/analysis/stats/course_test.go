package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
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

// TestDebtsCount compares figures of a ruleset with debts with those of a slow count of where
// players stand, by points and by what is owed, after each hand.
func TestDebtsCount(t *testing.T) {
	rules, err := configs.Open("hkma_hktw")
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{
		Ruleset: rules, Seed: 3, Matches: 24, FileMatches: 64, Record: schema.Hands,
		Agents: []string{"greedy", "greedy", "greedy", "greedy"},
	}
	dir := t.TempDir()
	exporttest.Play(t, run, dir)
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	hands := map[uint64][]schema.HandRow{}
	for h, err := range d.HandRows() {
		if err != nil {
			t.Fatal(err)
		}
		hands[h.Match] = append(hands[h.Match], h)
	}
	var cost, given, decided, dealer, played float64
	for players, err := range d.MatchesByRows() {
		if err != nil {
			t.Fatal(err)
		}
		list := hands[players[0].Match]
		// stand returns where a player stands before a hand, or after the last.
		stand := func(hand, p int) (points int32) {
			if hand == len(list) {
				return players[p].Points
			}
			if points = list[hand].Points[p]; hand > 0 {
				for _, debt := range list[hand-1].Debts {
					if int(debt.Creditor) == p {
						points += debt.Points
					}
					if int(debt.Debtor) == p {
						points -= debt.Points
					}
				}
			}
			return points
		}
		leader := -1
		for i := range list {
			for p := range players {
				others := make([]int32, 0, 3)
				for q := range players {
					if q != p {
						others = append(others, stand(i, q))
					}
				}
				if stand(i, p) > slices.Max(others) {
					leader = p
				}
			}
			if g := list[i].Giver; g != schema.NoPlayer {
				cost += float64(stand(i, int(g)) - stand(i+1, int(g)))
				given++
			}
			gain := stand(i+1, int(list[i].Dealer)) - stand(i, int(list[i].Dealer))
			dealer, played = dealer+float64(gain), played+1
		}
		decided += indicator(leader < 0 || players[leader].Rank != 1)
	}
	r, err := Collect(t.Context(), []string{dir}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	unit := float64(rules.Rules().Unit())
	for key, want := range map[Key]float64{
		{SectionAgent, "deal_in_cost", "greedy"}: cost / given / unit,
		{SectionDealer, "points", "east"}:        dealer / played / unit,
		{SectionMatch, "last_hand_decides", ""}:  decided / float64(len(hands)),
	} {
		if got := r.Datasets[0].Figure(key).Value; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
	if cost/given/unit < 20 {
		t.Errorf("giving a win costs %v", cost/given/unit)
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
