package riichi_test

import (
	"math"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
)

// TestFinal goes through the cases of final scores (S4 2.12; S0 end 3-6).
func TestFinal(t *testing.T) {
	type state struct {
		Ruleset  string
		Points   [ruleset.NumPlayers]int32 `json:"points_by_starting_seat"`
		Deposits int
		Expect   struct {
			Share [ruleset.NumPlayers]int32 `json:"deposit_share"`
			Final [ruleset.NumPlayers]float64
		}
	}
	rulestest.EachCase(t, "testdata/final.jsonl", func(t *testing.T, c state) {
		r := rulestest.Rules(t, c.Ruleset, nil)
		f := ruleset.Final{Points: c.Points, Deposits: c.Deposits, Rounds: r.Rounds}
		r.Final(&f)
		if f.Share != c.Expect.Share {
			t.Errorf("shares %v, want %v", f.Share, c.Expect.Share)
		}
		if got, want := f.Placement, placements(c.Expect.Final); got != want {
			t.Errorf("final %v, want %v", got, want)
		}
	})
}

// placements converts scores with one decimal.
func placements(scores [ruleset.NumPlayers]float64) [ruleset.NumPlayers]ruleset.Placement {
	var p [ruleset.NumPlayers]ruleset.Placement
	for i, x := range scores {
		p[i] = ruleset.Placement(math.Round(10*x) * ruleset.PlacementUnit / 10)
	}
	return p
}

// TestFinalRules covers what the cases leave out.
func TestFinalRules(t *testing.T) {
	with := func(name string, change func(*riichi.Config)) *riichi.Config {
		cfg := *rulestest.Config[*riichi.Config](t, name, nil)
		change(&cfg)
		return &cfg
	}
	east := func(c *riichi.Config) { c.Rounds = 1 }
	for _, c := range []struct {
		name     string
		cfg      *riichi.Config
		points   [ruleset.NumPlayers]int32
		deposits int
		rank     [ruleset.NumPlayers]uint8
		share    [ruleset.NumPlayers]int32
		final    [ruleset.NumPlayers]float64
	}{
		{
			"an East-only match counts half (S4 2.12)", with("ema_2016", east),
			[...]int32{18000, 25000, 32000, 45000},
			0,
			[...]uint8{4, 3, 2, 1},
			[4]int32{},
			[...]float64{-13.5, -5, 3.5, 15},
		},
		{
			"a match of four winds counts twice", with("ema_2016", func(c *riichi.Config) { c.Rounds = 4 }),
			[...]int32{45000, 32000, 25000, 18000},
			0,
			[...]uint8{1, 2, 3, 4},
			[4]int32{},
			[...]float64{60, 14, -20, -54},
		},
		{
			"tied players share the better rank", with("ema_2016", east),
			[...]int32{30000, 20000, 40000, 30000},
			0,
			[...]uint8{2, 4, 1, 2},
			[4]int32{},
			[...]float64{0, -12.5, 12.5, 0},
		},
		{
			"seat order breaks ties, for the sticks as well", with("mahjong_soul", func(*riichi.Config) {}),
			[...]int32{20000, 30000, 30000, 18000},
			2,
			[...]uint8{3, 1, 2, 4},
			[...]int32{0, 2000, 0, 0},
			[...]float64{-10, 22, 10, -22},
		},
		{
			"sticks go undivided to the first of those tied",
			with("ema_2016", func(c *riichi.Config) { c.Leftover = riichi.LeftoverFirst }),
			[...]int32{20000, 49500, 49500, 0},
			1,
			[...]uint8{3, 1, 1, 4},
			[...]int32{0, 1000, 0, 0},
			[...]float64{-15, 30.5, 29.5, -45},
		},
		{
			"tenths left over go to the player nearest the first dealer, below zero too",
			with("hkma_league_a", func(c *riichi.Config) {
				c.Placement = [4]ruleset.Placement{3000, 0, -600, -2400}
			}),
			[...]int32{60000, 20000, 20000, 20000},
			0,
			// -25 points in three: -8.4 each are 0.2 too few.
			[...]uint8{1, 2, 2, 2},
			[4]int32{},
			[...]float64{70, -23.2, -23.4, -23.4},
		},
	} {
		f := ruleset.Final{Points: c.points, Deposits: c.deposits, Rounds: c.cfg.Rounds}
		c.cfg.Compile().Final(&f)
		if f.Rank != c.rank || f.Share != c.share || f.Placement != placements(c.final) {
			t.Errorf("%s:\ngot  %v %v %v\nwant %v %v %v", c.name,
				f.Rank, f.Share, f.Placement, c.rank, c.share, placements(c.final))
		}
	}
}

// TestFinalIsExact plays all ways to tie against all presets: what the players
// gain beyond the points is the placement and the sticks, no more and no less.
func TestFinalIsExact(t *testing.T) {
	for _, name := range presets {
		r, cfg := rulestest.Rules(t, name, nil), rulestest.Config[*riichi.Config](t, name, nil)
		for pattern := range 256 {
			f := ruleset.Final{Rounds: r.Rounds, Deposits: pattern % 3}
			var points, final int
			for p := range f.Points {
				f.Points[p] = int32(1000*(pattern>>(2*p)&3) + 100*pattern)
				points += int(f.Points[p])
			}
			r.Final(&f)
			for p, score := range f.Placement {
				final += int(score)
				points += int(f.Share[p])
			}
			want := (points-4*cfg.ReturnPoints)*ruleset.PlacementUnit/1000 + int(cfg.Oka)
			if final != want {
				t.Errorf("%s: points %v: scores add up to %d, want %d", name, f.Points, final, want)
			}
			if sticks := int(f.Share[0] + f.Share[1] + f.Share[2] + f.Share[3]); sticks != 0 && sticks != 1000*f.Deposits {
				t.Errorf("%s: points %v: %d of %d sticks shared", name, f.Points, sticks, f.Deposits)
			}
		}
	}
}
