package mcr_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// settle returns what each chair gains when the chairs of a list win with the
// given totals on a tile from another chair, or by self-draw.
func settle(r *ruleset.Rules, from ruleset.Chair, winners []ruleset.Chair, points ...int32) [ruleset.NumPlayers]int {
	s := ruleset.Settlement{From: from, NumWinners: uint8(len(winners))}
	for i, c := range winners {
		s.Winners[i] = ruleset.Winner{Chair: c, Responsible: from, Value: ruleset.Value{Points: points[i]}}
	}
	r.Settle(&s)
	var net [ruleset.NumPlayers]int
	for _, p := range s.Payments[:s.NumPayments] {
		net[p.From] -= int(p.Amount)
		net[p.To] += int(p.Amount)
	}
	return net
}

// TestSettle holds the payments against the examples of GB06 3.9.1.
func TestSettle(t *testing.T) {
	r := rulestest.Rules(t, "mcr_2006", nil)
	all := rulestest.Rules(t, "mcr_2006", map[string]any{"mcr_discard_payment": "all_fan", "multi_win": "all", "base_points": 4})
	each := rulestest.Rules(t, "mcr_2006", map[string]any{"multi_win": "all"})
	dealer := rulestest.Rules(t, "mcr_2006", map[string]any{"dealer_factor": 2})
	capped := rulestest.Rules(t, "mcr_2006", map[string]any{"points_cap": 10})
	table := rulestest.Rules(t, "mcr_2006", map[string]any{"points_table": []any{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 5}, "base_points": 0})
	type net = [ruleset.NumPlayers]int
	for _, c := range []struct {
		name    string
		rules   *ruleset.Rules
		from    ruleset.Chair
		winners []ruleset.Chair
		points  []int32
		want    net
	}{
		{"8 on a discard", r, 2, []ruleset.Chair{0}, []int32{8}, net{32, -8, -16, -8}},
		{"8 by self-draw", r, ruleset.NoChair, []ruleset.Chair{3}, []int32{8}, net{-16, -16, -16, 48}},
		{"12 on a discard", r, 1, []ruleset.Chair{2}, []int32{12}, net{-8, -20, 36, -8}},
		{"12 by self-draw", r, ruleset.NoChair, []ruleset.Chair{0}, []int32{12}, net{60, -20, -20, -20}},
		{"10 with flowers", r, 0, []ruleset.Chair{1}, []int32{10}, net{-18, 34, -8, -8}},
		{"88 on a discard", r, 3, []ruleset.Chair{0}, []int32{88}, net{112, -8, -8, -96}},
		{"88 by self-draw", r, ruleset.NoChair, []ruleset.Chair{1}, []int32{88}, net{-96, 288, -96, -96}},
		{"all pay the fan", all, 3, []ruleset.Chair{0}, []int32{10}, net{42, -14, -14, -14}},
		{"the dealer pays double", dealer, 2, []ruleset.Chair{1}, []int32{8}, net{-16, 40, -16, -8}},
		{"the dealer wins double", dealer, ruleset.NoChair, []ruleset.Chair{0}, []int32{8}, net{96, -32, -32, -32}},
		{"below the cap", capped, ruleset.NoChair, []ruleset.Chair{1}, []int32{9}, net{-17, 51, -17, -17}},
		{"above the cap", capped, ruleset.NoChair, []ruleset.Chair{1}, []int32{88}, net{-18, 54, -18, -18}},
		{"by the table", table, 3, []ruleset.Chair{0}, []int32{10}, net{2, 0, 0, -2}},
		{"beyond the table", table, ruleset.NoChair, []ruleset.Chair{0}, []int32{88}, net{15, -5, -5, -5}},
		{"two winners", each, 0, []ruleset.Chair{1, 3}, []int32{8, 20}, net{-16 - 28, 32 - 8, -8 - 8, 44 - 8}},
	} {
		if got := settle(c.rules, c.from, c.winners, c.points...); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestNothingElseIsPaid has no payment at an exhausted wall and nobody liable.
func TestNothingElseIsPaid(t *testing.T) {
	r := rulestest.Rules(t, "mcr_2006", nil)
	s := ruleset.Settlement{Ready: 0b0101, Nagashi: 0b0010}
	if r.Drawn(&s); s.NumPayments != 0 {
		t.Errorf("payments %v", s.Payments[:s.NumPayments])
	}
	dragons := []hand.Meld{
		{Type: hand.Pon, Kind: tile.White, From: 1},
		{Type: hand.ClosedKan, Kind: tile.Green},
		{Type: hand.OpenKan, Kind: tile.Red, From: 2},
	}
	if got := r.Liability(dragons); got != 0 {
		t.Errorf("liability %b", got)
	}
}

// TestFinal holds table points against the examples of ties.
func TestFinal(t *testing.T) {
	split := rulestest.Rules(t, "mcr_2006", nil)
	high := rulestest.Rules(t, "mcr_2006", map[string]any{"placement_tie": "high"})
	const unit = ruleset.PlacementUnit
	type table = [ruleset.NumPlayers]ruleset.Placement
	for _, c := range []struct {
		name   string
		rules  *ruleset.Rules
		points [ruleset.NumPlayers]int32
		rank   [ruleset.NumPlayers]uint8
		want   table
	}{
		{"no tie", split, [4]int32{-30, 12, 100, -82}, [4]uint8{3, 2, 1, 4}, table{1 * unit, 2 * unit, 4 * unit, 0}},
		{"first", split, [4]int32{50, -40, 50, -60}, [4]uint8{1, 3, 1, 4}, table{3 * unit, unit, 3 * unit, 0}},
		{"second", split, [4]int32{0, 0, 60, -60}, [4]uint8{2, 2, 1, 4}, table{unit * 3 / 2, unit * 3 / 2, 4 * unit, 0}},
		{"three first", split, [4]int32{20, 20, -60, 20}, [4]uint8{1, 1, 4, 1}, table{unit * 7 / 3, unit * 7 / 3, 0, unit * 7 / 3}},
		{"three last", split, [4]int32{-20, 60, -20, -20}, [4]uint8{2, 1, 2, 2}, table{unit, 4 * unit, unit, unit}},
		{"all", split, [4]int32{0, 0, 0, 0}, [4]uint8{1, 1, 1, 1}, table{unit * 7 / 4, unit * 7 / 4, unit * 7 / 4, unit * 7 / 4}},
		{"the better place", high, [4]int32{0, 0, 60, -60}, [4]uint8{2, 2, 1, 4}, table{2 * unit, 2 * unit, 4 * unit, 0}},
	} {
		f := ruleset.Final{Points: c.points, Rounds: 4, Share: [4]int32{1, 2, 3, 4}}
		c.rules.Final(&f)
		if f.Rank != c.rank || f.Placement != c.want || f.Share != [4]int32{} {
			t.Errorf("%s: rank %v, placement %v, share %v; want %v, %v", c.name, f.Rank, f.Placement, f.Share, c.rank, c.want)
		}
	}
}
