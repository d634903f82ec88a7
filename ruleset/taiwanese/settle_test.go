package taiwanese_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// winner returns a winner of so many tai, with no player liable.
func winner(c, responsible ruleset.Chair, tai int32) ruleset.Winner {
	w := ruleset.Winner{Chair: c, Responsible: responsible, Value: ruleset.Value{Base: tai, DealerItems: 1}}
	for i := range w.Liable {
		w.Liable[i] = ruleset.NoChair
	}
	return w
}

// TestSettle checks the payments of wins, where chair 0 deals.
func TestSettle(t *testing.T) {
	const drawn = ruleset.NoChair
	for _, c := range []struct {
		name    string
		knobs   map[string]any
		chair   ruleset.Chair
		tai     int32
		from    ruleset.Chair
		counter int
		flowers bool
		want    [5]int
	}{
		{"the base alone", nil, 1, 0, 3, 2, false, [5]int{0, 30, 0, -30}},
		{"discard", nil, 1, 3, 3, 2, false, [5]int{0, 60, 0, -60}},
		{"the dealer discards", nil, 1, 3, 0, 0, false, [5]int{-70, 70}},
		{"the dealer wins after two repeats", nil, 0, 3, 2, 2, false, [5]int{110, 0, -110}},
		{"... without the item", map[string]any{"dealer_item_on_dealer_discard_win": false}, 0, 3, 2, 2, false, [5]int{60, 0, -60}},
		{"self-draw against three repeats", nil, 1, 1, drawn, 3, false, [5]int{-110, 190, -40, -40}},
		{"all pay the item", map[string]any{"dealer_item_on_self_draw": "all_pay"}, 1, 1, drawn, 3, false, [5]int{-110, 330, -110, -110}},
		{"self-draw of the dealer", nil, 0, 1, drawn, 1, false, [5]int{210, -70, -70, -70}},
		{"another item", map[string]any{"dealer_item": 3, "dealer_item_per_repeat": 1}, 0, 1, 1, 2, false, [5]int{90, -90}},
		{"no item", map[string]any{"patterns": map[string]any{"dealer": "off"}}, 0, 1, 1, 2, false, [5]int{40, -40}},
		{"100/20", map[string]any{"base_points": 100, "tai_points": 20}, 1, 5, 2, 0, false, [5]int{0, 200, -200}},
		{"flowers", nil, 1, 8, drawn, 0, true, [5]int{-120, 340, -110, -110}},
		{"flowers without the base", map[string]any{"flower_win_adds_base": false}, 1, 8, 2, 0, true, [5]int{0, 80, -80}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ruleset.Settlement{NumWinners: 1, From: c.from, Counter: c.counter}
			s.Winners[0] = winner(c.chair, c.from, c.tai)
			s.Winners[0].Value.FlowerWin = c.flowers
			rulestest.Rules(t, preset, c.knobs).Settle(&s)
			want := c.want
			for i := range want {
				want[i] *= 2 // half points
			}
			if got := rulestest.Net(&s); got != want {
				t.Errorf("payments %v, want %v", got, want)
			}
		})
	}
}

// TestLiable checks who pays where players are liable.
func TestLiable(t *testing.T) {
	const dragons, winds = 0, 1                  // places in Winner.Liable
	const bigThreeDragons, bigFourWinds = 27, 29 // patterns
	all := map[string]any{"liability": []any{"big_three_dragons", "big_four_winds"}, "liability_scope": "all_wins"}
	drawn := map[string]any{"liability": []any{"big_three_dragons", "big_four_winds"}, "liability_scope": "self_draw"}
	for _, c := range []struct {
		name    string
		knobs   map[string]any
		from    ruleset.Chair
		liable  map[int]ruleset.Chair // by place; order is that of the places
		pattern uint8
		want    [5]int
	}{
		{"self-draw", drawn, ruleset.NoChair, map[int]ruleset.Chair{dragons: 3}, bigThreeDragons, [5]int{0, 340, 0, -340}},
		{"discard", drawn, 2, map[int]ruleset.Chair{dragons: 3}, bigThreeDragons, [5]int{0, 110, -110}},
		{"discard, all wins", all, 2, map[int]ruleset.Chair{dragons: 3}, bigThreeDragons, [5]int{0, 110, 0, -110}},
		{"without the pattern", all, 2, map[int]ruleset.Chair{dragons: 3}, bigFourWinds, [5]int{0, 110, -110}},
		{"the other pattern", all, ruleset.NoChair, map[int]ruleset.Chair{winds: 0}, bigFourWinds, [5]int{-340, 340}},
		{"none in the preset", nil, 2, map[int]ruleset.Chair{dragons: 3}, bigThreeDragons, [5]int{0, 110, -110}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ruleset.Settlement{NumWinners: 1, From: c.from}
			w := winner(1, c.from, 8)
			for place, chair := range c.liable {
				w.Liable[place], w.LiableOrder[place] = chair, uint8(place+1)
			}
			w.Value.Add(c.pattern, 8)
			s.Winners[0] = w
			rulestest.Rules(t, preset, c.knobs).Settle(&s)
			want := c.want
			for i := range want {
				want[i] *= 2
			}
			if got := rulestest.Net(&s); got != want {
				t.Errorf("payments %v, want %v", got, want)
			}
		})
	}
}

// TestLiability checks what the giver of the last of some melds becomes liable for.
func TestLiability(t *testing.T) {
	chi := func(k tile.Kind) hand.Meld { return hand.Meld{Type: hand.Chi, Kind: k} }
	pon := func(k tile.Kind) hand.Meld { return hand.Meld{Type: hand.Pon, Kind: k} }
	closed := func(k tile.Kind) hand.Meld { return hand.Meld{Type: hand.ClosedKan, Kind: k} }
	for _, c := range []struct {
		name   string
		counts bool
		melds  []hand.Meld
		want   uint8
	}{
		{"third dragon", false, []hand.Meld{pon(tile.White), pon(tile.Green), pon(tile.Red)}, 1},
		{"third dragon after a closed kan", false, []hand.Meld{pon(tile.White), closed(tile.Green), pon(tile.Red)}, 0},
		{"where closed kans count", true, []hand.Meld{pon(tile.White), closed(tile.Green), pon(tile.Red)}, 1},
		{"a closed kan is no claim", true, []hand.Meld{pon(tile.White), pon(tile.Red), closed(tile.Green)}, 0},
		{"fourth wind", false, []hand.Meld{pon(tile.East), pon(tile.South), pon(tile.West), pon(tile.North)}, 2},
		{"four of a suit", false, []hand.Meld{chi(0), chi(1), pon(8), chi(4)}, 0},
		{"five of a suit", false, []hand.Meld{chi(0), chi(1), pon(8), chi(4), chi(5)}, 4},
		{"five with a closed kan", false, []hand.Meld{chi(0), closed(8), chi(1), chi(4), chi(5)}, 0},
		{"five of two suits", false, []hand.Meld{chi(0), chi(1), pon(8), chi(4), chi(9)}, 0},
		{"five of honors", false, []hand.Meld{pon(27), pon(28), pon(29), pon(31), pon(33)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rulestest.Rules(t, preset, map[string]any{
				"liability":                   []any{"big_three_dragons", "big_four_winds", "fifteen_tiles_one_suit"},
				"liability_counts_closed_kan": c.counts,
			})
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
	f := ruleset.Final{Points: [4]int32{-10, 40, -10, -20}}
	r.Final(&f)
	if f.Rank != [4]uint8{2, 1, 2, 4} || f.Placement[1] != 20*ruleset.PlacementUnit {
		t.Errorf("ranks %v, placement %v", f.Rank, f.Placement)
	}
}
