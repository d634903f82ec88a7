package riichi_test

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
)

// TestCheckPresets finds nothing wrong with the presets, in matches of all
// lengths they know.
func TestCheckPresets(t *testing.T) {
	for _, name := range presets {
		cfg := *rulestest.Config[*riichi.Config](t, name, nil)
		for rounds, factor := range cfg.WindFactors {
			if cfg.Rounds = rounds + 1; factor == 0 || cfg.Rounds == 4 && cfg.Extension != ruleset.NoExtension {
				continue
			}
			if problems := cfg.Check(); problems != nil {
				t.Errorf("%s with %d rounds: %v", name, cfg.Rounds, problems)
			}
		}
	}
}

// TestCheck finds each contradiction under the key that should change.
func TestCheck(t *testing.T) {
	points := func(x float64) ruleset.Placement { return ruleset.Placement(x * ruleset.PlacementUnit) }
	for _, c := range []struct {
		name   string
		keys   []string
		change func(*riichi.Config)
	}{
		{"sixteen tiles", []string{"hand_size"}, func(c *riichi.Config) { c.HandSize = 16 }},
		{"flowers", []string{"flowers"}, func(c *riichi.Config) { c.Flowers = ruleset.ForcedFlowers }},
		{"private walls", []string{"walls"}, func(c *riichi.Config) { c.Walls = ruleset.WallPerSeat }},
		{"no dead wall", []string{"dead_wall"}, func(c *riichi.Config) { c.DeadWall = 0 }},
		{"replacements from the front", []string{"replacement_from"}, func(c *riichi.Config) { c.ReplacementFrom = ruleset.FromFront }},
		{"replacements one by one", []string{"replacement_order"}, func(c *riichi.Config) { c.ReplacementOrder = ruleset.Linear }},
		{"another last tile", []string{"last_tile_when"}, func(c *riichi.Config) { c.LastTileWhen = ruleset.NextWallEmpty }},
		{"five kans", []string{"max_kans"}, func(c *riichi.Config) { c.MaxKans = 5 }},
		{"no kan at all", nil, func(c *riichi.Config) { c.MaxKans = 0 }},
		{"four kans", nil, func(c *riichi.Config) { c.MaxKans = 4 }},
		{"kans without limit", []string{"max_kans"}, func(c *riichi.Config) { c.MaxKans = ruleset.NoLimit }},
		{"robbing closed kans", []string{"rob_closed_kan"}, func(c *riichi.Config) { c.RobClosedKan = ruleset.RobClosedAlways }},
		{"wins without a yaku", []string{"min_win"}, func(c *riichi.Config) { c.MinWin = 0 }},
		{"ding", []string{"ready"}, func(c *riichi.Config) { c.Ready = ruleset.Ding }},
		{"open riichi", []string{"ready_closed_only"}, func(c *riichi.Config) { c.ReadyClosedOnly = false }},
		{"three rounds", []string{"rounds", "score_multiplier_by_winds"}, func(c *riichi.Config) { c.Rounds = 3 }},
		{
			"a fifth wind",
			[]string{"extension"},
			func(c *riichi.Config) { c.Rounds, c.Extension = 4, ruleset.SuddenDeath },
		},
		{
			"stopping without points",
			[]string{"agari_yame", "tenpai_yame"},
			func(c *riichi.Config) { c.AgariYame, c.TenpaiYame = ruleset.AutoYame, ruleset.OptionalYame },
		},
		{
			"odd start",
			[]string{"starting_points", "oka"},
			func(c *riichi.Config) { c.StartingPoints = 29950 },
		},
		{"odd stick", []string{"riichi_stick"}, func(c *riichi.Config) { c.RiichiStick = 1010 }},
		{"odd honba", []string{"honba_value"}, func(c *riichi.Config) { c.HonbaValue = 400 }},
		{"odd noten payments", []string{"noten_total"}, func(c *riichi.Config) { c.NotenTotal = 1000 }},
		{
			"nothing to start with",
			[]string{"starting_points"},
			func(c *riichi.Config) { c.StartingPoints, c.ReturnPoints = 0, 0 },
		},
		{
			"returning less than one starts with",
			[]string{"return_points", "oka"},
			func(c *riichi.Config) { c.ReturnPoints = 25000 },
		},
		{"three fu", []string{"double_wind_pair_fu"}, func(c *riichi.Config) { c.DoubleWindFu = 3 }},
		{"one fu", []string{"rinshan_tsumo_fu"}, func(c *riichi.Config) { c.RinshanTsumoFu = 1 }},
		{"twenty-five fu", []string{"open_no_fu_min"}, func(c *riichi.Config) { c.OpenMinFu = 25 }},
		{"a table of points that lets a hand win nothing", []string{"points_table"}, func(c *riichi.Config) { c.PointsTable.Len, c.MinWin = 3, 2 }},
		{"a curve of han", []string{"points_table"}, func(c *riichi.Config) { c.PointsTable.Curve = ruleset.FullSpicy }},
		{"placement out of nothing", []string{"placement"}, func(c *riichi.Config) { c.Placement[0] += points(5) }},
		{"oka out of nothing", []string{"oka"}, func(c *riichi.Config) { c.Oka = points(20) }},
		{"oka missing", []string{"oka"}, func(c *riichi.Config) { c.ReturnPoints = 35000 }},
		{"the higher place for all", []string{"placement_tie"}, func(c *riichi.Config) { c.PlacementTie = ruleset.TieHigh }},
		{"no factor", []string{"score_multiplier_by_winds"}, func(c *riichi.Config) { c.WindFactors[1] = 0 }},
		{"a factor below zero", []string{"score_multiplier_by_winds"}, func(c *riichi.Config) { c.WindFactors[1] = points(-1) }},
		{"a factor too large", []string{"score_multiplier_by_winds"}, func(c *riichi.Config) { c.WindFactors[1] = points(101) }},
		{"a factor that loses points", []string{"score_multiplier_by_winds"}, func(c *riichi.Config) { c.WindFactors[1] = points(1.025) }},
		{
			"placement that cannot be divided",
			[]string{"placement"},
			func(c *riichi.Config) {
				c.Placement = [4]ruleset.Placement{points(15), points(5.025), points(-5.025), points(-15)}
				c.WindFactors[1] = points(0.25)
			},
		},
		{
			"placement that two cannot divide",
			[]string{"placement"},
			func(c *riichi.Config) {
				c.Placement = [4]ruleset.Placement{points(15), points(5.025), points(-5), points(-15.025)}
				c.WindFactors[1] = points(1)
			},
		},
		{
			"placement that nobody divides",
			nil,
			func(c *riichi.Config) {
				c.Placement = [4]ruleset.Placement{points(15), points(5.025), points(-5), points(-15.025)}
				c.WindFactors[1], c.PlacementTie = points(1), ruleset.TieSeatOrder
			},
		},
		{
			"more for an open hand that is none",
			[]string{"patterns.tanyao"},
			func(c *riichi.Config) {
				c.Kuitan = false
				c.Patterns[slices.IndexFunc(c.Patterns.Listings(), func(l ruleset.Listing) bool { return l.ID == "tanyao" })] = ruleset.Price{Closed: 2, Open: 1}
			},
		},
		{"no round, which its range says", nil, func(c *riichi.Config) { c.Rounds = 0 }},
		{"a fifth round, which its range says", nil, func(c *riichi.Config) { c.Rounds = 5 }},
		{
			// The second and the third together have nothing to divide.
			"placement that can be divided by those who tie",
			nil,
			func(c *riichi.Config) {
				c.Placement = [4]ruleset.Placement{points(15), points(5), points(-5), points(-15)}
				c.WindFactors[1] = points(0.25)
			},
		},
	} {
		cfg := *rulestest.Config[*riichi.Config](t, "ema_2016", nil)
		c.change(&cfg)
		var keys []string
		for _, p := range cfg.Check() {
			if p.Message == "" {
				t.Errorf("%s: no message", c.name)
			}
			keys = append(keys, p.Key)
		}
		slices.Sort(keys)
		slices.Sort(c.keys)
		if got := slices.Compact(keys); !slices.Equal(got, c.keys) {
			t.Errorf("%s: %v, want problems with %v", c.name, cfg.Check(), c.keys)
		}
	}
}
