package riichi_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// presets are the rulesets of the family that come with the project.
var presets = []string{
	"ema_2016", "ema_2016_en", "hkma_league_a", "hkma_league_a_body", "hkma_league_b", "hkma_league_b_body",
	"mahjong_soul", "mleague", "tenhou", "wrc",
}

// fast returns what the scorer under test says in the words of the slow one.
func fast(r ruleset.Scorer, w *ruleset.Win) slowValue {
	var v ruleset.Value
	r.Value(w, &v)
	out := slowValue{
		shape: v.Shape, win: v.OK, patterns: map[string]int{},
		han: int(v.Han), fu: int(v.Fu), yakuman: int(v.Yakuman), base: int(v.Base), points: int(v.Points),
	}
	patterns := r.Patterns()
	for _, p := range v.Patterns[:v.NumPatterns] {
		out.patterns[patterns[p.Pattern].ID] = int(p.Points)
	}
	return out
}

func describe(w *ruleset.Win) string {
	return fmt.Sprintf("%v melds %+v win %v self-draw %v seat %v round %v flags %b indicators %v ura %v reds %d",
		w.Hand.Counts(), w.Melds[:w.NumMelds], w.Tile, w.SelfDraw, w.SeatWind, w.RoundWind, w.Flags,
		w.Indicators[:w.NumIndicators], w.Ura[:w.NumUra], w.Reds)
}

// randomConfig changes, every other time, knobs that the value or the payments
// depend on.
func randomConfig(rng *rand.Rand, cfg riichi.Config) riichi.Config {
	if rng.IntN(2) == 0 {
		return cfg
	}
	flip := func(b *bool) { *b = rng.IntN(2) == 0 }
	flip(&cfg.UraDora)
	flip(&cfg.KanUraDora)
	flip(&cfg.Kuitan)
	flip(&cfg.Kiriage)
	flip(&cfg.YakumanStacking)
	flip(&cfg.PinfuTsumo)
	flip(&cfg.LastTileAfterKan)
	cfg.Counted = riichi.Counted(rng.IntN(2))
	cfg.DoubleYakuman = riichi.DoubleSet(rng.IntN(16))
	cfg.Renhou = riichi.Renhou(rng.IntN(4))
	cfg.DoubleWindFu = 2 + 2*rng.IntN(2)
	cfg.RinshanTsumoFu = 2 * rng.IntN(2)
	cfg.OpenMinFu = 20 + 10*rng.IntN(2)
	cfg.MinWin = 1 + rng.IntN(6)/4*rng.IntN(5)
	cfg.HonbaMultiRon = riichi.HonbaMultiRon(rng.IntN(2))
	cfg.DepositsMultiRon = riichi.DepositsMultiRon(rng.IntN(2))
	cfg.PaoScope = riichi.PaoScope(rng.IntN(2))
	cfg.PaoHonbaOnRon = riichi.PaoHonba(rng.IntN(2))
	cfg.PaoMultiple = riichi.PaoMultiple(rng.IntN(2))
	cfg.DealerFactor = rng.IntN(4) - 1
	cfg.RonPayment = riichi.RonPayment(rng.IntN(2))
	if rng.IntN(4) == 0 {
		t := &cfg.PointsTable
		t.Len = uint8(1 + rng.IntN(20))
		for i := range t.Len {
			t.List[i] = int32(rng.IntN(500))
			if i > 0 {
				t.List[i] += t.List[i-1]
			}
		}
	}
	return cfg
}

// randomPrices gives some patterns other prices, such as a file might, and
// switches some off.
func randomPrices(rng *rand.Rand, cfg *riichi.Config) {
	for id, l := range cfg.Patterns.Listings() {
		cfg.Patterns[id] = handgen.Price(rng, l)
	}
	for _, p := range cfg.Check() {
		// Prices that other knobs contradict.
		if id, ok := strings.CutPrefix(p.Key, "patterns."); ok {
			cfg.Patterns[slices.Index(listing, id)] = ruleset.Price{}
		}
	}
}

// TestPricesAgainstSlow compares the scorer with the slow one where patterns have
// other prices or do not exist.
func TestPricesAgainstSlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 12))
	bases := allConfigs(t)
	won := 0
	for i := range rulestest.Sample(20_000, 1_000_000) {
		cfg := randomConfig(rng, bases[i%len(bases)])
		randomPrices(rng, &cfg)
		w := randomWin(rng, &cfg)
		s := cfg.Compile()
		got, want := fast(s, &w), slowly(&cfg, &w)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(slowValue{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("hand %d: %s, prices %v\n(-want +got):\n%s", i, describe(&w), cfg.Patterns, diff)
		}
		if got.win {
			won++
		}
		before := w.Hand
		before.Remove(w.Tile)
		if waits := s.Waits(&before, int(w.NumMelds)); waits.Has(w.Tile) != want.shape {
			t.Fatalf("hand %d: %s, waits %v, shape %v", i, describe(&w), waits, want.shape)
		}
		if n := s.Shanten(&w.Hand, int(w.NumMelds)); n < 0 != want.shape {
			t.Fatalf("hand %d: %s, shanten %d, shape %v", i, describe(&w), n, want.shape)
		}
	}
	if won < 1000 {
		t.Errorf("only %d hands won", won)
	}
}

// allConfigs returns the knobs of all presets.
func allConfigs(t *testing.T) []riichi.Config {
	list := make([]riichi.Config, len(presets))
	for i, name := range presets {
		list[i] = *rulestest.Config[*riichi.Config](t, name, nil)
	}
	return list
}

// TestValueAgainstSlow compares the scorer with the slow one on random winning
// hands under all presets and random knobs. Each yaku must have turned up.
func TestValueAgainstSlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	bases := allConfigs(t)
	for i, p := range rulestest.Rules(t, presets[0], nil).Patterns() {
		if p.ID != listing[i] {
			t.Fatalf("pattern %d is %s, the rules list %s", i, p.ID, listing[i])
		}
	}
	seen := map[string]int{}
	for i := range rulestest.Sample(40_000, 2_000_000) {
		cfg := randomConfig(rng, bases[i%len(bases)])
		w := randomWin(rng, &cfg)
		got, want := fast(cfg.Compile(), &w), slowly(&cfg, &w)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(slowValue{})); diff != "" {
			t.Fatalf("hand %d: %s\n(-want +got):\n%s", i, describe(&w), diff)
		}
		for id := range want.patterns {
			seen[id]++
		}
	}
	for _, id := range listing {
		if seen[id] == 0 && id != "nuki_dora" {
			t.Errorf("no hand had %s", id)
		}
	}
}

// TestThreePlayersAgainstSlow compares the scorer with the slow one on hands of three
// players: without the middle of characters, and with Norths set aside.
func TestThreePlayersAgainstSlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 12))
	bases := threePlayerConfigs(t)
	seen := map[string]int{}
	for i := range rulestest.Sample(20_000, 1_000_000) {
		cfg := randomConfig(rng, bases[i%len(bases)])
		cfg.KitaAlsoDora = rng.IntN(2) == 0
		cfg.KitaRinshan = rng.IntN(2) == 0
		cfg.RobKitaYaku = rng.IntN(2) == 0
		cfg.RobKita = ruleset.RobKita(rng.IntN(3))
		cfg.SelfDrawGap = riichi.SelfDrawGap(rng.IntN(2))
		if i%3 == 0 {
			randomPrices(rng, &cfg)
		}
		w := randomWin(rng, &cfg)
		got, want := fast(cfg.Compile(), &w), slowly(&cfg, &w)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(slowValue{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("hand %d: %s\n(-want +got):\n%s", i, describe(&w), diff)
		}
		for id := range want.patterns {
			seen[id]++
		}
	}
	for _, id := range listing {
		if never := id == "sanshoku_doujun"; seen[id] == 0 != never {
			t.Errorf("%d hands had %s", seen[id], id)
		}
	}
}

func threePlayerConfigs(t *testing.T) (list []riichi.Config) {
	for _, name := range []string{"tenhou_sanma", "mahjong_soul_sanma"} {
		list = append(list, *rulestest.Config[*riichi.Config](t, name, nil))
	}
	return list
}

// TestShapes holds what hands of the three shapes wait for, and how far others
// are from it: seven pairs and thirteen orphans take no melds.
func TestShapes(t *testing.T) {
	r := rulestest.Rules(t, "ema_2016", nil)
	for _, c := range []struct {
		concealed string
		melds     int
		waits     string
		shanten   int
	}{
		{"23m456m678p345s88p", 0, "147m", 0},
		{"1133m5577p99s44z1z", 0, "1z", 0},
		{"112233m778899p5s", 0, "5s", 0},
		{"19m19p19s1234567z", 0, "19m19p19s1234567z", 0},
		{"119m19p19s123456z", 0, "7z", 0},
		{"1111m33m5577p99s1z", 0, "", 2},
		{"147m258p369s1234z", 0, "", 6},
		{"1133m5577p99s", 1, "", 2},
		{"5s", 4, "5s", 0},
	} {
		faces, err := tile.ParseFaces(c.concealed)
		if err != nil {
			t.Fatal(err)
		}
		var h hand.Hand
		for _, f := range faces {
			h.Add(f.Kind())
		}
		if got := r.Waits(&h, c.melds).String(); got != c.waits {
			t.Errorf("%s with %d melds waits for %q, want %q", c.concealed, c.melds, got, c.waits)
		}
		if got := r.Shanten(&h, c.melds); got != c.shanten {
			t.Errorf("%s with %d melds: shanten %d, want %d", c.concealed, c.melds, got, c.shanten)
		}
	}
}

// yakumanWin returns a hand with a yakuman that somebody can be liable for.
func yakumanWin(rng *rand.Rand, cfg *riichi.Config, r ruleset.Scorer) ruleset.Win {
	for {
		w := ruleset.Win{SelfDraw: rng.IntN(2) == 0}
		if !setsAndPair(rng, &w, liabilityStyles[rng.IntN(len(liabilityStyles))]) {
			continue
		}
		w.Tile = handgen.KindOf(rng, w.Hand.Kinds())
		circumstances(rng, cfg, &w)
		var v ruleset.Value
		if r.Value(&w, &v); v.Yakuman > 0 {
			return w
		}
	}
}

// TestSettleAgainstSlow compares the payments of random wins with those of the
// slow scorer, with liabilities in every combination. Nothing is gained or lost.
func TestSettleAgainstSlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	bases := append(allConfigs(t), threePlayerConfigs(t)...)
	split := 0
	for i := range rulestest.Sample(20_000, 500_000) {
		cfg := randomConfig(rng, bases[i%len(bases)])
		seats := cfg.NumSeats()
		cfg.RinshanPao = rng.IntN(4) == 0
		r := cfg.Compile()
		s := ruleset.Settlement{
			Dealer:   ruleset.Chair(rng.IntN(seats)),
			From:     ruleset.NoChair,
			Counter:  rng.IntN(4),
			Deposits: rng.IntN(5),
			Sticks:   ruleset.Chairs(rng.IntN(1 << seats)),
		}
		s.Deposits += s.Sticks.Len()
		selfDraw := rng.IntN(2) == 0
		s.NumWinners = 1
		if !selfDraw {
			s.From = ruleset.Chair(rng.IntN(seats))
			s.NumWinners = uint8(1 + rng.IntN(seats-1))
		}
		first := ruleset.Chair(rng.IntN(seats))
		if !selfDraw {
			first = cfg.NextChair(s.From, 1)
		}
		for n := range s.NumWinners {
			w := &s.Winners[n]
			*w = ruleset.Winner{Chair: cfg.NextChair(first, int(n)), Responsible: s.From, Liable: nobody}
			var win ruleset.Win
			if rng.IntN(2) == 0 {
				win = yakumanWin(rng, &cfg, r)
			} else {
				win = randomWin(rng, &cfg)
			}
			win.SelfDraw = selfDraw
			win.SeatWind = cfg.SeatWind(w.Chair, s.Dealer)
			r.Value(&win, &w.Value)
			for n, bit := range rng.Perm(ruleset.NumLiabilities) {
				w.LiableOrder[bit] = uint8(n)
				if bit == ruleset.NumLiabilities-1 && !selfDraw || rng.IntN(2) == 0 {
					continue
				}
				w.Liable[bit] = cfg.NextChair(w.Chair, 1+rng.IntN(seats-1))
			}
		}
		r.Settle(&s)
		got, want := rulestest.Net(&s), slowSettle(&cfg, &s)
		if got != want {
			t.Fatalf("settlement %d: %+v\npao_scope %d pao_multiple %d pao_honba_on_ron %d stacking %v\ngot  %v\nwant %v",
				i, s, cfg.PaoScope, cfg.PaoMultiple, cfg.PaoHonbaOnRon, cfg.YakumanStacking, got, want)
		}
		sum, total := 0, int32(0)
		for _, n := range got {
			sum += n
		}
		for _, w := range s.Winners[:s.NumWinners] {
			total += w.Value.Points
		}
		won := 0
		for _, p := range s.Payments[:s.NumPayments] {
			if p.Reason == ruleset.ForWin {
				won += int(p.Amount)
			}
		}
		if sum != 0 || won != int(total) || got[ruleset.Pot] != -cfg.RiichiStick*s.Deposits {
			t.Fatalf("settlement %d: %v: sum %d, paid for hands %d of %d", i, got, sum, won, total)
		}
		liable := map[ruleset.Chair]bool{}
		for _, p := range s.Winners[0].Value.Patterns[:s.Winners[0].Value.NumPatterns] {
			if bit := slices.Index([]string{"daisangen", "daisuushii", "suukantsu"}, listing[p.Pattern]); bit >= 0 {
				liable[s.Winners[0].Liable[bit]] = true
			}
		}
		if delete(liable, ruleset.NoChair); len(liable) == 2 {
			split++
		}
	}
	if split == 0 {
		t.Error("no hand had two different players liable")
	}
}

// TestAllocations holds the promise of ruleset.Scorer that nothing is allocated.
func TestAllocations(t *testing.T) {
	r := rulestest.Rules(t, "mahjong_soul", nil)
	cfg := rulestest.Config[*riichi.Config](t, "mahjong_soul", nil)
	rng := rand.New(rand.NewPCG(15, 16))
	win := yakumanWin(rng, cfg, r)
	ready := win.Hand
	ready.Remove(win.Tile)
	var v ruleset.Value
	r.Value(&win, &v)
	s := ruleset.Settlement{From: ruleset.NoChair, NumWinners: 1, Deposits: 1, Ready: 3}
	s.Winners[0] = ruleset.Winner{Chair: 1, Value: v, Liable: [ruleset.NumLiabilities]ruleset.Chair{2, 2, 3, -1, -1, -1}}
	f := ruleset.Final{Rounds: 2, Points: [4]int32{30000, 20000, 40000, 10000}}
	for name, call := range map[string]func(){
		"Value":     func() { r.Value(&win, &v) },
		"Waits":     func() { r.Waits(&ready, int(win.NumMelds)) },
		"Shanten":   func() { r.Shanten(&ready, int(win.NumMelds)) },
		"Settle":    func() { s.NumPayments = 0; r.Settle(&s) },
		"Drawn":     func() { s.NumPayments = 0; r.Drawn(&s) },
		"Liability": func() { r.Liability(win.Melds[:win.NumMelds]) },
		"Final":     func() { r.Final(&f) },
		"Patterns":  func() { r.Patterns() },
	} {
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
