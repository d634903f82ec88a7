package sim_test

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestAhead compares what is told to lie next in the wall, and to replace kans and
// flowers, with what is drawn next, until the two ends of the wall have met: where
// they meet in one stack the upper tile goes first, whoever takes it (mcr 2.10). Without
// a dead wall all tiles that are left could replace one.
func TestAhead(t *testing.T) {
	wall, replaced, last := 0, 0, 0
	for preset, k := range map[string]knobs{
		"mcr_2006": {"flowers": "optional"}, "ema_2016": nil, "botzone": nil, "hkma_hktw": {"replacement_order": "linear"},
	} {
		r, err := configs.LoadWith(preset, k)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(sample(60, 1000)) {
			table := sim.NewTable(r, seed)
			table.StartHand(nil)
			for table.Asked() != 0 {
				p := table.Asked().First()
				legal := table.Legal(p)
				a := sim.DefaultAction(&legal)
				for b := range legal.All {
					if kan := b >= sim.ActClosedKan && b < sim.ActWin; kan || b >= sim.ActFlower && b < sim.ActFlowerWin {
						a = b
					}
				}
				var ahead, replacements [4][]tile.Face
				for q := range ahead {
					ahead[q], replacements[q] = make([]tile.Face, 3), make([]tile.Face, 2)
					ahead[q] = ahead[q][:table.NextTiles(sim.Player(q), ahead[q])]
					replacements[q] = replacements[q][:table.NextReplacements(replacements[q])]
				}
				if r.ReplacementFrom == ruleset.FromTail && r.DeadWall == 0 {
					rest := table.WallTiles()
					all := make([]tile.Face, len(rest))
					all = all[:table.NextReplacements(all)]
					slices.Sort(rest)
					slices.Sort(all)
					if !slices.Equal(all, rest) {
						t.Fatalf("%s, seed %d: to replace %v, %v are told to come", preset, seed, rest, all)
					}
				}
				v, dead := table.View(p), table.DeadWall(nil)
				next := replacements[0][:min(len(replacements[0]), len(dead))]
				if r.Walls == ruleset.SharedWall && len(dead) != r.DeadWall || !slices.Equal(dead[:len(next)], next) {
					t.Fatalf("%s, seed %d: the dead wall is %v, of which %v come first", preset, seed, dead, next)
				}
				for i := range v.NumIndicators() {
					if at := max(4, r.ReplacementTiles) - v.NumKans() + 2*i; dead[at] != v.Indicator(i) || dead[at+1] != table.UraIndicator(i) {
						t.Fatalf("%s, seed %d: indicator %d is %v above %v, the dead wall %v", preset, seed, i, v.Indicator(i), table.UraIndicator(i), dead)
					}
				}
				events, err := table.Step(p, a, nil)
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(events, func(e sim.Event) bool { return e.Type == sim.EvDraw })
				if i < 0 {
					continue
				}
				e := events[i]
				want := ahead[e.Player]
				if replaces := sim.Source(e.Detail) != sim.FromWall; replaces && r.ReplacementFrom == ruleset.FromTail {
					want = replacements[e.Player]
					replaced++
				} else {
					wall++
				}
				if len(want) == 0 || want[0] != e.Tile {
					t.Fatalf("%s, seed %d: %v is drawn with %d left after it, but %v were told to come", preset, seed, e.Tile, e.Value, want)
				}
				if e.Value == 0 {
					last++
				}
			}
		}
	}
	if wall < 1000 || replaced < 100 || last < 20 {
		t.Errorf("%d ordinary tiles, %d replacements, %d last ones are too few", wall, replaced, last)
	}
}

// TestUnder checks that the ura indicators are told to lie below the dora indicators
// (S4 2.7, S0 break 3).
func TestUnder(t *testing.T) {
	p := newScript(t, "ura", "dora 1z 2z\nura 3z 4z\nE | 5s\n? turn E").run(t, "ema_2016")
	for i, want := range []tile.Face{tile.Face(tile.West), tile.Face(tile.North)} {
		if got := p.table.UraIndicator(i); got != want {
			t.Errorf("below indicator %d lies %v, want %v", i, got, want)
		}
	}
}
