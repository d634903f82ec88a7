package mcr_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

func handText(w *ruleset.Win) string {
	var faces []tile.Face
	for k, n := range w.Hand.Counts() {
		for range n {
			faces = append(faces, tile.Face(k))
		}
	}
	s := tile.FormatFaces(faces)
	for _, m := range w.Melds[:w.NumMelds] {
		s += fmt.Sprintf(" %v:%v", m.Type, m.Kind)
	}
	return fmt.Sprintf("%s on %v, self-draw %v, seat %v, round %v, flags %b, flowers %b",
		s, w.Tile, w.SelfDraw, w.SeatWind, w.RoundWind, w.Flags, w.Flowers)
}

func describe(s ruleset.Scorer, v *ruleset.Value) string {
	var list []string
	patterns := s.Patterns()
	for _, p := range v.Patterns[:v.NumPatterns] {
		list = append(list, fmt.Sprintf("%s=%d", patterns[p.Pattern].ID, p.Points))
	}
	return fmt.Sprintf("shape %v ok %v %d: %s", v.Shape, v.OK, v.Points, strings.Join(list, " "))
}

// slowDescribe writes the same of the second scorer.
func slowDescribe(w *ruleset.Win, cfg *mcr.Config) string {
	s := newSlowWin(w, cfg)
	best := s.score()
	if !best.complete {
		return "shape false ok false 0: "
	}
	type entry struct{ number, points int }
	var bag []entry
	for id, n := range best.bag {
		bag = append(bag, entry{slowNumber[id], n * s.worth(id)})
	}
	slices.SortFunc(bag, func(a, b entry) int { return a.number - b.number })
	total, counting := best.points, best.points
	flowers := 0
	for i := range 8 {
		flowers += int(w.Flowers >> i & 1)
	}
	each := cfg.FlowerPoints
	if p := cfg.Patterns[slowNumber["flower_tiles"]]; p.IsOff() {
		each = 0
	} else if p.IsGiven() {
		each = int(p.Closed)
	}
	if flowers *= each; flowers > 0 {
		bag = append(bag, entry{slowNumber["flower_tiles"], flowers})
	}
	total += flowers
	if cfg.FlowersInMinimum {
		counting = total
	}
	var list []string
	for _, e := range bag {
		list = append(list, fmt.Sprintf("%s=%d", slowFan[e.number].id, e.points))
	}
	return fmt.Sprintf("shape true ok %v %d: %s", counting >= cfg.MinWin, total, strings.Join(list, " "))
}

// variant is a ruleset of the tests.
type variant struct {
	name   string
	config *mcr.Config
	scorer ruleset.Scorer
}

// variants returns the presets, and rulesets with every other value of each
// knob that scoring reads.
func variants(t testing.TB) (list []variant) {
	add := func(name string, overrides map[string]any) {
		r, err := configs.Open("mcr_2006")
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range r.Knobs() {
			if v, ok := overrides[k.Key]; ok {
				if err := k.Set(v); err != nil {
					t.Fatal(err)
				}
			}
		}
		cfg := r.Config.(*mcr.Config)
		list = append(list, variant{name, cfg, cfg.Compile()})
	}
	add("mcr_2006", nil)
	botzone := rulestest.Config[*mcr.Config](t, "botzone", nil)
	list = append(list, variant{"botzone", botzone, botzone.Compile()})
	add("no waits", map[string]any{
		"knitted_straight_waits": "none", "lesser_knitted_straight": false, "pung_by_discard": "concealed",
		"exhausted_kinds_are_waits": false, "mixed_kongs_points": 0, "initial_win_tile": "none",
	})
	add("no special cases", map[string]any{
		"knitted_straight_waits": "outside_body", "nine_gates_terminal_pungs": "absorb_all",
		"seven_pairs_composition": false, "seven_pairs_quads": false, "tile_hog_honors": false,
		"chicken_hand": false, "flowers_count_for_min": true, "flower_points": 2,
	})
	return list
}

// TestValueAgainstOracle compares hands that bring out every fan with the second
// scorer, and sees every fan.
func TestValueAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 81))
	list := variants(t)
	seen := map[uint8]int{}
	for range rulestest.Sample(20_000, 250_000) {
		w := randomWin(rng)
		for i, r := range list {
			if i > 1 && rng.IntN(4) > 0 {
				continue
			}
			var v ruleset.Value
			r.scorer.Value(&w, &v)
			if got, want := describe(r.scorer, &v), slowDescribe(&w, r.config); got != want {
				t.Fatalf("%s under %s:\ngot  %s\nwant %s", handText(&w), r.name, got, want)
			}
			for _, p := range v.Patterns[:v.NumPatterns] {
				seen[p.Pattern]++
			}
		}
	}
	for i, p := range list[0].scorer.Patterns() {
		if seen[uint8(i)] == 0 {
			t.Errorf("%s has not occurred", p.ID)
		}
	}
}

// TestPricesAgainstOracle does so with fan that have other prices or do not exist.
func TestPricesAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 82))
	list := variants(t)
	won := 0
	for range rulestest.Sample(300, 10_000) {
		base := list[rng.IntN(len(list))]
		cfg := *base.config
		few := rng.IntN(2) == 0
		for i, l := range cfg.Patterns.Listings() {
			if !few || rng.IntN(10) == 0 {
				cfg.Patterns[i] = handgen.Price(rng, l)
			}
		}
		for _, p := range cfg.Check() {
			if id, ok := strings.CutPrefix(p.Key, "patterns."); ok {
				cfg.Patterns[slowNumber[id]] = ruleset.Price{}
			}
		}
		s := cfg.Compile()
		for range 12 {
			w := randomWin(rng)
			var v ruleset.Value
			s.Value(&w, &v)
			if got, want := describe(s, &v), slowDescribe(&w, &cfg); got != want {
				t.Fatalf("%s under %s, prices %v:\ngot  %s\nwant %s", handText(&w), base.name, cfg.Patterns, got, want)
			}
			if v.OK {
				won++
			}
			before := w.Hand
			before.Remove(w.Tile)
			if waits := s.Waits(&before, int(w.NumMelds)); waits.Has(w.Tile) != v.Shape {
				t.Fatalf("%s: waits %v, shape %v", handText(&w), waits, v.Shape)
			}
			if n := s.Shanten(&w.Hand, int(w.NumMelds)); n < 0 != v.Shape {
				t.Fatalf("%s: shanten %d, shape %v", handText(&w), n, v.Shape)
			}
		}
	}
	if won < 1000 {
		t.Errorf("only %d hands may win", won)
	}
}

// TestChowsAndTripletsAgainstOracle compares all hands of four chows, and of
// four triplets, laid down so that there is one reading alone.
func TestChowsAndTripletsAgainstOracle(t *testing.T) {
	list := variants(t)
	var chows, triplets []hand.Meld
	for k := range tile.Kind(tile.NumKinds) {
		triplets = append(triplets, hand.Meld{Type: hand.Pon, Kind: k})
		if k < tile.East && k.Rank() < 7 {
			chows = append(chows, hand.Meld{Type: hand.Chi, Kind: k})
		}
	}
	n, step := 0, rulestest.Sample(19, 1)
	check := func(melds []hand.Meld, pair tile.Kind) {
		if n++; n%step != 0 {
			return
		}
		w := ruleset.Win{NumMelds: 4, Tile: pair, SelfDraw: true}
		copy(w.Melds[:], melds)
		w.Hand.Add(pair)
		w.Hand.Add(pair)
		r := list[n/step%2]
		var v ruleset.Value
		r.scorer.Value(&w, &v)
		if got, want := describe(r.scorer, &v), slowDescribe(&w, r.config); got != want {
			t.Fatalf("%s under %s:\ngot  %s\nwant %s", handText(&w), r.name, got, want)
		}
	}
	var choose func(from []hand.Meld, melds []hand.Meld)
	choose = func(from []hand.Meld, melds []hand.Meld) {
		var used [tile.NumKinds + 2]int
		for _, m := range melds {
			for k := range tile.Kind(tile.NumKinds) {
				if used[k] += m.Count(k); used[k] > 4 {
					return
				}
			}
		}
		if len(melds) == 4 {
			// The fives, which some fan ask for, and some other kind.
			for _, pair := range []tile.Kind{4, 13, 22, tile.Kind(n % tile.NumKinds)} {
				if used[pair] <= 2 {
					check(melds, pair)
				}
			}
			return
		}
		for i := range from {
			choose(from[i:], append(melds, from[i]))
		}
	}
	choose(chows, make([]hand.Meld, 0, 4))
	choose(triplets, make([]hand.Meld, 0, 4))
}

// TestIncomplete gives no value to tiles that make no shape, and leaves nothing
// of an earlier value.
func TestIncomplete(t *testing.T) {
	s := rulestest.Rules(t, "mcr_2006", nil)
	v := ruleset.Value{Shape: true, OK: true, NumPatterns: 3, Han: 1, Fu: 2, Yakuman: 3, Points: 4, Base: 5}
	w := ruleset.Win{Flowers: 0xff}
	for k := range tile.Kind(14) {
		w.Hand.Add(k)
	}
	s.Value(&w, &v)
	v.Patterns = [ruleset.MaxPatterns]ruleset.Scored{}
	if v != (ruleset.Value{}) {
		t.Errorf("value %+v", v)
	}
}

// TestTable compares the fan with the slow scorer's: their numbers (GB06 3.8.1, where
// 57 stands for two), their points, and what is not counted with them. Of that the
// table may leave out what never comes together; and it may name the double pungs
// of a triple pung, which the slow scorer leaves out by the principles.
func TestTable(t *testing.T) {
	r := rulestest.Rules(t, "mcr_2006", nil)
	patterns, excluded := r.Patterns(), mcr.Excluded()
	if len(patterns) != len(slowFan) {
		t.Fatalf("%d fan, want %d", len(patterns), len(slowFan))
	}
	number := 0
	for i, f := range slowFan {
		if number++; f.id == "mixed_kongs" {
			number--
		}
		if p, source := patterns[i], fmt.Sprintf("GB06 3.8.1, fan %d", number); p.ID != f.id || p.Source != source {
			t.Errorf("%s from %q, want %s from %q", p.ID, p.Source, f.id, source)
		}
		for _, id := range excluded[i] {
			if !slices.Contains(strings.Fields(f.excludes), id) && f.id+" "+id != "triple_pung double_pung" {
				t.Errorf("%s is not counted with %s", id, f.id)
			}
		}
	}
	for i, l := range rulestest.Config[*mcr.Config](t, "mcr_2006", nil).Patterns.Listings() {
		want := int16(slowFan[i].points)
		switch slowFan[i].id {
		case "two_concealed_kongs", "mixed_kongs", "flower_tiles":
			want = 0 // knobs of their own
		}
		if l.Listed != (ruleset.Price{Closed: want, Open: want}) {
			t.Errorf("%s is listed with %v, want %d", l.ID, l.Listed, want)
		}
	}
}
