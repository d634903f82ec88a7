package hkos_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// winner returns a winner of so many faan, with no player liable.
func winner(c, responsible ruleset.Chair, faan int32) ruleset.Winner {
	w := ruleset.Winner{Chair: c, Responsible: responsible, Value: ruleset.Value{Base: faan}}
	for i := range w.Liable {
		w.Liable[i] = ruleset.NoChair
	}
	return w
}

// TestSettle checks the payments of a win by chair 1, where chair 0 deals.
func TestSettle(t *testing.T) {
	const nobody = ruleset.NoChair
	half := map[string]any{"discarder_share": 2, "other_share": 1}
	for _, c := range []struct {
		name   string
		knobs  map[string]any
		faan   int32
		from   ruleset.Chair
		robbed bool
		want   [5]int
	}{
		{"full gun", nil, 3, 3, false, [5]int{0, 32, 0, -32}},
		{"half gun", half, 3, 3, false, [5]int{-8, 32, -8, -16}},
		{"self-draw", nil, 3, nobody, false, [5]int{-16, 48, -16, -16}},
		{"self-draw under half gun", half, 3, nobody, false, [5]int{-16, 48, -16, -16}},
		{"robbed kan", nil, 3, 2, true, [5]int{0, 48, -48}},
		{"robbed kan as a discard", map[string]any{"rob_payment": "discard"}, 3, 2, true, [5]int{0, 32, -32}},
		{"robbed kan under half gun", map[string]any{"rob_payment": "discard", "discarder_share": 2, "other_share": 1}, 3, 2, true, [5]int{-8, 32, -16, -8}},
		{"beyond the cap", nil, 10, 3, false, [5]int{0, 512, 0, -512}},
		{"dealer double, self-draw", map[string]any{"dealer_factor": 2}, 3, nobody, false, [5]int{-32, 64, -16, -16}},
		{"dealer double, the dealer discards", map[string]any{"dealer_factor": 2}, 3, 0, false, [5]int{-64, 64}},
		{"dealer double, another discards", map[string]any{"dealer_factor": 2}, 3, 2, false, [5]int{0, 32, -32}},
		{"dealer double, robbed kan", map[string]any{"dealer_factor": 2}, 3, 2, true, [5]int{0, 64, -64}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ruleset.Settlement{NumWinners: 1, From: c.from, Robbed: c.robbed}
			s.Winners[0] = winner(1, c.from, c.faan)
			rulestest.Rules(t, preset, c.knobs).Settle(&s)
			if got := rulestest.Net(&s); got != c.want {
				t.Errorf("payments %v, want %v", got, c.want)
			}
		})
	}
}

// TestSettleSeveral pays each of two winners as if alone.
func TestSettleSeveral(t *testing.T) {
	s := ruleset.Settlement{NumWinners: 2, From: 0}
	s.Winners[0], s.Winners[1] = winner(1, 0, 3), winner(2, 0, 4)
	rulestest.Rules(t, preset, map[string]any{"multi_win": "all"}).Settle(&s)
	if got, want := rulestest.Net(&s), ([5]int{-96, 32, 64}); got != want {
		t.Errorf("payments %v, want %v", got, want)
	}
}

// TestLiable checks who pays where players are liable.
func TestLiable(t *testing.T) {
	const twelve, nine, dragons, kanDraw = 0, 1, 2, 5 // places in Winner.Liable
	const bigThreeDragons, winOnKong = 8, 21          // patterns
	every := []any{"twelve_tiles", "nine_tiles_one_suit", "big_three_dragons", "big_four_winds", "four_kong", "kan_draw"}
	for _, c := range []struct {
		name     string
		from     ruleset.Chair
		knobs    map[string]any
		liable   map[int]ruleset.Chair // by place; order is that of the places
		patterns []uint8
		want     [5]int
	}{
		{"self-draw", ruleset.NoChair, nil, map[int]ruleset.Chair{twelve: 3}, nil, [5]int{0, 48, 0, -48}},
		{"discard", 2, nil, map[int]ruleset.Chair{twelve: 3}, nil, [5]int{0, 32, -32}},
		{"discard, all wins", 2, map[string]any{"liability_scope": "all_wins"}, map[int]ruleset.Chair{twelve: 3}, nil, [5]int{0, 32, 0, -32}},
		{"half gun, all wins", 2, map[string]any{"liability_scope": "all_wins", "discarder_share": 2, "other_share": 1}, map[int]ruleset.Chair{twelve: 3}, nil, [5]int{0, 32, 0, -32}},
		{"without the pattern", ruleset.NoChair, nil, map[int]ruleset.Chair{dragons: 3}, nil, [5]int{-16, 48, -16, -16}},
		{"with the pattern", ruleset.NoChair, nil, map[int]ruleset.Chair{dragons: 3}, []uint8{bigThreeDragons}, [5]int{0, 48, 0, -48}},
		{"the earlier of two", ruleset.NoChair, map[string]any{"liability": every}, map[int]ruleset.Chair{nine: 0, dragons: 3}, []uint8{bigThreeDragons}, [5]int{-48, 48}},
		{"not in the list", ruleset.NoChair, nil, map[int]ruleset.Chair{kanDraw: 3}, []uint8{winOnKong}, [5]int{-16, 48, -16, -16}},
		{"open kan", ruleset.NoChair, map[string]any{"liability": every}, map[int]ruleset.Chair{kanDraw: 3}, []uint8{winOnKong}, [5]int{0, 48, 0, -48}},
		{"twice the dealer's share", ruleset.NoChair, map[string]any{"dealer_factor": 2}, map[int]ruleset.Chair{twelve: 3}, nil, [5]int{0, 64, 0, -64}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ruleset.Settlement{NumWinners: 1, From: c.from}
			w := winner(1, c.from, 3)
			for place, chair := range c.liable {
				w.Liable[place], w.LiableOrder[place] = chair, uint8(place+1)
			}
			for _, p := range c.patterns {
				w.Value.Add(p, 1)
			}
			s.Winners[0] = w
			rulestest.Rules(t, preset, c.knobs).Settle(&s)
			if got := rulestest.Net(&s); got != c.want {
				t.Errorf("payments %v, want %v", got, c.want)
			}
		})
	}
}

// TestLiability checks what the giver of the last of some melds becomes liable for.
func TestLiability(t *testing.T) {
	chi := func(k tile.Kind) hand.Meld { return hand.Meld{Type: hand.Chi, Kind: k} }
	pon := func(k tile.Kind) hand.Meld { return hand.Meld{Type: hand.Pon, Kind: k} }
	kan := func(k tile.Kind) hand.Meld { return hand.Meld{Type: hand.OpenKan, Kind: k} }
	closed := func(k tile.Kind) hand.Meld { return hand.Meld{Type: hand.ClosedKan, Kind: k} }
	const m, p, s = 0, 9, 18
	for _, c := range []struct {
		name   string
		items  []any
		counts bool
		melds  []hand.Meld
		want   uint8
	}{
		{"three sets", []any{"twelve_tiles"}, false, []hand.Meld{chi(m), chi(p), pon(s)}, 0},
		{"the fourth", []any{"twelve_tiles"}, false, []hand.Meld{chi(m), chi(p), pon(s), chi(s + 4)}, 1},
		{"the fourth beside a closed kan", []any{"twelve_tiles"}, false, []hand.Meld{chi(m), closed(p), pon(s), chi(s + 4)}, 0},
		{"where closed kans count", []any{"twelve_tiles"}, true, []hand.Meld{chi(m), closed(p), pon(s), chi(s + 4)}, 1},
		{"four of one suit", []any{"twelve_tiles_one_suit"}, false, []hand.Meld{chi(m), chi(m + 1), pon(m + 8), chi(m + 4)}, 1},
		{"four of two suits", []any{"twelve_tiles_one_suit"}, false, []hand.Meld{chi(m), chi(m + 1), pon(p), chi(m + 4)}, 0},
		{"the third of one suit", []any{"nine_tiles_one_suit"}, false, []hand.Meld{chi(m), chi(m + 1), pon(m + 8)}, 2},
		{"the one after it", []any{"nine_tiles_one_suit"}, false, []hand.Meld{chi(m), chi(m + 1), pon(m + 8), pon(p)}, 0},
		{"the one after a closed kan", []any{"nine_tiles_one_suit"}, true, []hand.Meld{chi(m), chi(m + 1), closed(m + 8), pon(p)}, 2},
		{"three of honors", []any{"nine_tiles_one_suit"}, false, []hand.Meld{pon(tile.East), pon(tile.West), pon(tile.White)}, 0},
		{"third dragon", []any{"big_three_dragons"}, false, []hand.Meld{pon(tile.White), pon(tile.Green), kan(tile.Red)}, 4},
		{"third dragon after a closed kan", []any{"big_three_dragons"}, false, []hand.Meld{pon(tile.White), closed(tile.Green), pon(tile.Red)}, 0},
		{"a chow after the third dragon", []any{"big_three_dragons"}, false, []hand.Meld{pon(tile.White), pon(tile.Green), pon(tile.Red), chi(m)}, 0},
		{"fourth wind", []any{"big_four_winds"}, false, []hand.Meld{pon(tile.East), pon(tile.South), pon(tile.West), pon(tile.North)}, 8},
		{"fourth kan", []any{"four_kong"}, false, []hand.Meld{kan(m), closed(p), kan(s), kan(s + 1)}, 16},
		{"a pon beside three kans", []any{"four_kong"}, false, []hand.Meld{kan(m), kan(p), kan(s), pon(s + 1)}, 0},
		{"nothing", []any{}, true, []hand.Meld{pon(tile.East), pon(tile.South), pon(tile.West), kan(tile.North)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rulestest.Rules(t, preset, map[string]any{"liability": c.items, "liability_counts_closed_kan": c.counts})
			if got := r.Liability(c.melds); got != c.want {
				t.Errorf("liable for %b, want %b", got, c.want)
			}
		})
	}
}

// TestDrawn checks that a drawn hand costs nothing, and that final scores are points.
func TestDrawn(t *testing.T) {
	r := rulestest.Rules(t, preset, nil)
	s := ruleset.Settlement{Ready: 5}
	r.Drawn(&s)
	if s.NumPayments != 0 {
		t.Errorf("payments %v", s.Payments[:s.NumPayments])
	}
	f := ruleset.Final{Points: [4]int32{-5, 20, -5, -10}}
	r.Final(&f)
	if f.Rank != [4]uint8{2, 1, 2, 4} || f.Placement[1] != 20*ruleset.PlacementUnit {
		t.Errorf("ranks %v, placement %v", f.Rank, f.Placement)
	}
}
