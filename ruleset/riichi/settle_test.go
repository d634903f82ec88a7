package riichi_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

const winds = "ESWN"

// TestSettlement goes through the cases of exhausted walls and of several wins
// on one tile (S4 3.11-3.14, 4.3.4; S0 draw 4, sum.23, sum.31). East is chair 0.
func TestSettlement(t *testing.T) {
	type state struct {
		Kind, Ruleset   string
		Tenpai          []string
		Honba, Deposits int
		Discarder       string
		Hands           map[string]int
		SticksOf        []string `json:"sticks_of"`
		Expect          struct {
			Deltas  map[string]int
			Winners json.RawMessage
		}
	}
	rulestest.EachCase(t, "testdata/settlement.jsonl", func(t *testing.T, c state) {
		r := rulestest.Rules(t, c.Ruleset, nil)
		s := ruleset.Settlement{
			From: ruleset.NoChair, Counter: c.Honba, Deposits: c.Deposits,
			Ready: chairs(c.Tenpai), Sticks: chairs(c.SticksOf),
		}
		if c.Kind == "exhaustive_draw" {
			r.Drawn(&s)
		} else {
			s.From = chair(c.Discarder)
			winners := ron(r.MultiWin, s.From, c.Hands)
			if got, want := winnerText(winners), string(c.Expect.Winners); got != want {
				t.Errorf("winners %s, want %s", got, want)
			}
			for i, w := range winners {
				value := ruleset.Value{Shape: true, OK: true, Points: int32(c.Hands[w]), Base: int32(c.Hands[w] / 4)}
				if w == "E" {
					value.Base = int32(c.Hands[w] / 6)
				}
				s.Winners[i] = ruleset.Winner{Chair: chair(w), Value: value, Responsible: s.From, Liable: nobody}
				s.NumWinners++
			}
			if len(winners) > 0 {
				r.Settle(&s)
			}
		}
		moved := rulestest.Net(&s)
		for i, want := range c.Expect.Deltas {
			if got := moved[chair(i)]; got != want {
				t.Errorf("%s: %d, want %d", i, got, want)
			}
		}
	})
}

var nobody = [ruleset.NumLiabilities]ruleset.Chair(slices.Repeat([]ruleset.Chair{ruleset.NoChair}, ruleset.NumLiabilities))

func chair(wind string) ruleset.Chair {
	return ruleset.Chair(slices.Index([]byte(winds), wind[0]))
}

func chairs(list []string) ruleset.Chairs {
	var set ruleset.Chairs
	for _, w := range list {
		set |= chair(w).Bit()
	}
	return set
}

// ron returns the winners, nearest to the discarder first, of those who hold a
// hand.
func ron(mode ruleset.MultiWin, from ruleset.Chair, hands map[string]int) []string {
	var winners []string
	for i := range 3 {
		c := from.Next(i + 1)
		if w := winds[c : c+1]; hands[w] > 0 {
			winners = append(winners, w)
		}
	}
	switch {
	case mode == ruleset.WinNearest:
		winners = winners[:1]
	case mode == ruleset.WinAllAbortOnTriple && len(winners) == 3:
		winners = nil
	}
	return winners
}

func winnerText(winners []string) string {
	if winners == nil {
		return `"abort"`
	}
	text, err := json.Marshal(winners)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestNagashi pays a mangan by self-draw for each river of terminals and honors,
// in place of the noten payments, where the ruleset has it (chair 1 deals).
func TestNagashi(t *testing.T) {
	for _, c := range []struct {
		name    string
		preset  string
		nagashi ruleset.Chairs
		want    [ruleset.NumPlayers + 1]int
	}{
		{"dealer", "tenhou", 1 << 1, [...]int{-4000, 12000, -4000, -4000, 0}},
		{"other", "tenhou", 1 << 2, [...]int{-2000, -4000, 8000, -2000, 0}},
		{"two", "tenhou", 1<<1 | 1<<2, [...]int{-6000, 8000, 4000, -6000, 0}},
		{"noten instead", "tenhou", 0, [...]int{-1000, -1000, -1000, 3000, 0}},
		{"no such rule", "ema_2016", 1 << 2, [...]int{-1000, -1000, -1000, 3000, 0}},
	} {
		s := ruleset.Settlement{From: ruleset.NoChair, Dealer: 1, Ready: 1 << 3, Nagashi: c.nagashi}
		rulestest.Rules(t, c.preset, nil).Drawn(&s)
		if got := rulestest.Net(&s); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLiability asks who becomes liable by the last meld (S4 4.2.5.10, 4.2.5.12;
// S0 pay 5, sum.35).
func TestLiability(t *testing.T) {
	const daisangen, daisuushii, suukantsu = 1 << 0, 1 << 1, 1 << 2
	pon := func(k tile.Kind) hand.Meld { return hand.Meld{Type: hand.Pon, Kind: k} }
	kan := func(typ hand.MeldType, k tile.Kind) hand.Meld { return hand.Meld{Type: typ, Kind: k} }
	chi := hand.Meld{Type: hand.Chi, Kind: 0}
	for _, c := range []struct {
		name      string
		melds     []hand.Meld
		ema, hkma uint8
	}{
		{"nothing", nil, 0, 0},
		{"third dragon", []hand.Meld{pon(tile.White), pon(tile.Green), pon(tile.Red)}, daisangen, daisangen},
		{"third dragon as a kan", []hand.Meld{pon(tile.White), pon(tile.Green), kan(hand.OpenKan, tile.Red)}, daisangen, daisangen},
		{"closed kan among them", []hand.Meld{pon(tile.White), kan(hand.ClosedKan, tile.Green), pon(tile.Red)}, 0, daisangen},
		{"added kan among them", []hand.Meld{pon(tile.White), kan(hand.AddedKan, tile.Green), pon(tile.Red)}, daisangen, daisangen},
		{"closed kan last", []hand.Meld{pon(tile.White), pon(tile.Green), kan(hand.ClosedKan, tile.Red)}, 0, 0},
		{"two dragons", []hand.Meld{pon(tile.White), pon(tile.East), pon(tile.Red)}, 0, 0},
		{"another set last", []hand.Meld{pon(tile.White), pon(tile.Green), pon(tile.Red), pon(tile.East)}, 0, 0},
		{"a sequence last", []hand.Meld{pon(tile.White), pon(tile.Green), pon(tile.Red), chi}, 0, 0},
		{"fourth wind", []hand.Meld{pon(tile.East), pon(tile.South), pon(tile.West), pon(tile.North)}, daisuushii, daisuushii},
		{"three winds", []hand.Meld{pon(tile.East), pon(tile.South), pon(tile.West)}, 0, 0},
		{
			"fourth kan",
			[]hand.Meld{kan(hand.ClosedKan, 0), kan(hand.AddedKan, 3), kan(hand.ClosedKan, 5), kan(hand.OpenKan, 8)},
			0, suukantsu,
		},
		{
			"pon after three kans",
			[]hand.Meld{kan(hand.ClosedKan, 0), kan(hand.AddedKan, 3), kan(hand.ClosedKan, 5), pon(8)},
			0, 0,
		},
		{
			"dragons by the fourth kan",
			[]hand.Meld{kan(hand.OpenKan, 0), kan(hand.OpenKan, tile.White), kan(hand.OpenKan, tile.Red), kan(hand.OpenKan, tile.Green)},
			daisangen, daisangen | suukantsu,
		},
	} {
		if got := rulestest.Rules(t, "ema_2016", nil).Liability(c.melds); got != c.ema {
			t.Errorf("%s: ema_2016 %b, want %b", c.name, got, c.ema)
		}
		if got := rulestest.Rules(t, "hkma_league_a", nil).Liability(c.melds); got != c.hkma {
			t.Errorf("%s: hkma_league_a %b, want %b", c.name, got, c.hkma)
		}
	}
	cfg := *rulestest.Config[*riichi.Config](t, "ema_2016", nil)
	cfg.RinshanPao = true
	s := cfg.Compile()
	want := [ruleset.NumLiabilities]string{0: "daisangen", 1: "daisuushii", ruleset.NumLiabilities - 1: "rinshan_kaihou"}
	got := s.(interface {
		Liabilities() [ruleset.NumLiabilities]string
	}).Liabilities()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("liabilities (-want +got):\n%s", diff)
	}
}

// TestUraIndicators counts the tiles turned under the indicators.
func TestUraIndicators(t *testing.T) {
	for _, c := range []struct {
		ura, kan bool
		want     int
	}{{true, true, 3}, {true, false, 1}, {false, true, 0}} {
		flow := ruleset.Flow{UraDora: c.ura, KanUraDora: c.kan}
		if got := flow.UraIndicators(3); got != c.want {
			t.Errorf("ura_dora %v, kan_ura_dora %v: %d of 3, want %d", c.ura, c.kan, got, c.want)
		}
	}
}
