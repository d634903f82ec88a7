package zungjung_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// TestSettle checks the tables of the payment schemes ([Z] 4.1, 4.4).
func TestSettle(t *testing.T) {
	const nobody = ruleset.NoChair
	for _, c := range []struct {
		name        string
		scheme      string
		points      int32
		responsible ruleset.Chair
		want        [5]int // chair 1 wins; the pot is empty
	}{
		{"self-draw", "competition", 70, nobody, [5]int{-70, 210, -70, -70}},
		{"nothing", "competition", 0, 3, [5]int{}},
		{"below par", "competition", 24, 3, [5]int{-24, 72, -24, -24}},
		{"par", "competition", 25, 3, [5]int{-25, 75, -25, -25}},
		{"above par", "competition", 26, 3, [5]int{-25, 78, -25, -28}},
		{"30 points", "competition", 30, 0, [5]int{-40, 90, -25, -25}},
		{"70 points", "competition", 70, 2, [5]int{-25, 210, -160, -25}},
		{"480 points", "competition", 480, 3, [5]int{-25, 1440, -25, -1390}},
		{"uniform", "uniform", 480, 3, [5]int{-480, 1440, -480, -480}},
		{"discarder pays all", "discarder_all", 70, 3, [5]int{0, 210, 0, -210}},
		{"discarder pays all, self-draw", "discarder_all", 70, nobody, [5]int{-70, 210, -70, -70}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rulestest.Rules(t, "zung_jung", map[string]any{"payoff_scheme": c.scheme})
			s := ruleset.Settlement{NumWinners: 1, From: c.responsible}
			s.Winners[0] = ruleset.Winner{Chair: 1, Responsible: c.responsible, Value: ruleset.Value{Points: c.points}}
			r.Settle(&s)
			if got := rulestest.Net(&s); got != c.want {
				t.Errorf("payments %v, want %v", got, c.want)
			}
		})
	}
}

// TestDealerFactor doubles what chair 0, the dealer, pays, and all that the dealer wins.
func TestDealerFactor(t *testing.T) {
	r := rulestest.Rules(t, "zung_jung", map[string]any{"dealer_factor": 2})
	for winner, want := range map[ruleset.Chair][5]int{0: {420, -50, -320, -50}, 1: {-50, 235, -160, -25}} {
		s := ruleset.Settlement{NumWinners: 1, From: 2}
		s.Winners[0] = ruleset.Winner{Chair: winner, Responsible: 2, Value: ruleset.Value{Points: 70}}
		r.Settle(&s)
		if got := rulestest.Net(&s); got != want {
			t.Errorf("chair %d wins: payments %v, want %v", winner, got, want)
		}
	}
}

// TestSettleSeveral pays each of two winners as if alone, the other winner being
// one of those who pay.
func TestSettleSeveral(t *testing.T) {
	r := rulestest.Rules(t, "zung_jung", map[string]any{"multi_win": "all"})
	s := ruleset.Settlement{NumWinners: 2, From: 0}
	s.Winners[0] = ruleset.Winner{Chair: 1, Responsible: 0, Value: ruleset.Value{Points: 70}}
	s.Winners[1] = ruleset.Winner{Chair: 2, Responsible: 0, Value: ruleset.Value{Points: 10}}
	r.Settle(&s)
	if got, want := rulestest.Net(&s), ([5]int{-170, 200, 5, -35}); got != want {
		t.Errorf("payments %v, want %v", got, want)
	}
}

// TestDrawn checks that a drawn hand costs nothing.
func TestDrawn(t *testing.T) {
	s := ruleset.Settlement{Ready: 5}
	rulestest.Rules(t, "universal", nil).Drawn(&s)
	if s.NumPayments != 0 {
		t.Errorf("payments %v", s.Payments[:s.NumPayments])
	}
}

// TestFinal checks shared places, places by seat, and final scores.
func TestFinal(t *testing.T) {
	for _, c := range []struct {
		tie    string
		points [4]int32
		want   [4]uint8
	}{
		{"split", [4]int32{10, -30, 40, -20}, [4]uint8{2, 4, 1, 3}},
		{"split", [4]int32{-5, 20, -5, -10}, [4]uint8{2, 1, 2, 4}},
		{"split", [4]int32{}, [4]uint8{1, 1, 1, 1}},
		{"seat_order", [4]int32{-5, 20, -5, -10}, [4]uint8{2, 1, 3, 4}},
		{"seat_order", [4]int32{}, [4]uint8{1, 2, 3, 4}},
	} {
		f := ruleset.Final{Points: c.points, Rounds: 4}
		rulestest.Rules(t, "zung_jung", map[string]any{"placement_tie": c.tie}).Final(&f)
		if f.Rank != c.want {
			t.Errorf("%v by %s: ranks %v, want %v", c.points, c.tie, f.Rank, c.want)
		}
		for p, points := range c.points {
			if f.Placement[p] != ruleset.Placement(points)*ruleset.PlacementUnit || f.Share[p] != 0 {
				t.Errorf("%v: player %d scores %v, share %d", c.points, p, f.Placement[p], f.Share[p])
			}
		}
	}
}
