package rulestest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// This file has what the tests of each family ask of its configuration and its scorer.

// Unplayable changes one knob of a preset at a time, to a value that the family cannot be
// played with. The only problem must be one with that knob.
func Unplayable(t *testing.T, preset string, values map[string]any) {
	t.Helper()
	for key, value := range values {
		t.Run(key, func(t *testing.T) {
			r, err := configs.Change(preset, nil)
			if err != nil {
				t.Fatal(err)
			}
			knobs := r.Knobs()
			i := slices.IndexFunc(knobs, func(k ruleset.Knob) bool { return k.Key == key })
			if err := knobs[i].Set(value); err != nil {
				t.Fatal(err)
			}
			if p := r.Config.Check(); len(p) != 1 || p[0].Key != key {
				t.Errorf("problems %v, want one with %s", p, key)
			}
		})
	}
}

// Refused reads files that have some lines beside their base. Each must be refused with an
// error that names the file and contains Want, the remedy.
func Refused(t *testing.T, base string, files []struct{ Lines, Want string }) {
	t.Helper()
	for _, f := range files {
		_, err := configs.Parse("x.toml", fmt.Appendf(nil, "base = %q\n%s\n", base, f.Lines))
		if err == nil || !strings.Contains(err.Error(), f.Want) || !strings.HasPrefix(err.Error(), "x.toml") {
			t.Errorf("%s: %v, want %q", f.Lines, err, f.Want)
		}
	}
}

// Wins returns n hands that win, leaving out those that win by flowers.
func Wins(n int, win func() ruleset.Win) []ruleset.Win {
	list := make([]ruleset.Win, 0, n)
	for len(list) < n {
		if w := win(); w.Flags&(ruleset.FlagFlowerWin7|ruleset.FlagFlowerWin8) == 0 {
			list = append(list, w)
		}
	}
	return list
}

// NoAllocations holds the scorer to what the table needs, with winning hands.
func NoAllocations(t *testing.T, r *ruleset.Rules, wins []ruleset.Win) {
	t.Helper()
	var v ruleset.Value
	var s ruleset.Settlement
	var f ruleset.Final
	debts, _ := r.Scorer.(ruleset.DebtCollector)
	laid := []hand.Meld{{Type: hand.Pon, Kind: tile.White}}
	for _, w := range wins {
		if n := testing.AllocsPerRun(20, func() {
			r.Value(&w, &v)
			r.Shanten(&w.Hand, int(w.NumMelds))
			r.Waits(&w.Hand, int(w.NumMelds))
			r.Liability(laid)
			s = ruleset.Settlement{NumWinners: 1, From: ruleset.NoChair}
			s.Winners[0].Value, s.Winners[0].Responsible = v, ruleset.NoChair
			r.Settle(&s)
			if debts != nil {
				debts.Collect(&s)
			}
			s = ruleset.Settlement{}
			r.Drawn(&s)
			f = ruleset.Final{Rounds: 1}
			r.Final(&f)
		}); n != 0 {
			t.Fatalf("%s: %v allocations", Show(&w), n)
		}
	}
}

// BenchmarkValue scores winning hands, some of them with shapes that only variants have.
func BenchmarkValue(b *testing.B, r *ruleset.Rules, wins []ruleset.Win) {
	b.Helper()
	var v ruleset.Value
	i, complete := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		r.Value(&wins[i%len(wins)], &v)
		if v.Shape {
			complete++
		}
		i++
	}
	if complete < i/2 {
		b.Fatalf("%d of %d winning hands are complete", complete, i)
	}
}

// Show returns a winning hand as text for messages.
func Show(w *ruleset.Win) string {
	var b strings.Builder
	b.WriteString(show(&w.Hand))
	for _, m := range w.Melds[:w.NumMelds] {
		fmt.Fprintf(&b, " %v %v", m.Type, m.Kind)
	}
	fmt.Fprintf(&b, " on %v, self-draw %v, seat %v, round %v, flags %b, flowers %08b, dealer %v %d, river %d, tail %d",
		w.Tile, w.SelfDraw, w.SeatWind, w.RoundWind, w.Flags, w.Flowers, w.Dealer, w.Streak, w.Discards, w.TailDraws)
	return b.String()
}
