package sim_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// lesson has tiles in every part of a wall of tenhou.
const lesson = `
# a position for a lesson
E 123m456p789s1122z   # complete with its first draw
S 1m1p 1s
draws 1z .. 0s 9m
dora 5m
ura 5z . 6z
replacements 7z
`

// loadWithWall returns the rules of a preset without and with a first wall.
func loadWithWall(t *testing.T, preset, text string) (plain, given *ruleset.Rules) {
	t.Helper()
	plain, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	r := *plain
	if r.FirstWall, err = sim.ParseFirstWall(&r.Flow, text); err != nil {
		t.Fatal(err)
	}
	return plain, &r
}

func TestFirstWall(t *testing.T) {
	plain, given := loadWithWall(t, "tenhou", lesson)
	const seed = 7
	table := sim.NewTable(given, seed)
	events := table.StartHand(nil)
	if legal := table.Legal(0); !legal.Has(sim.ActWin) {
		t.Errorf("East cannot win; events %v", events)
	}
	w, flow := table.Wall(), &given.Flow
	if !w.HasFullSet(flow) {
		t.Error("the wall is not the set")
	}
	front := sim.NumPlayers * flow.HandSize
	want := map[int]string{
		front: "1z", front + 3: "0s", front + 4: "9m",
		sim.DealtIndex(flow, 0, 0, 12): "2z", sim.DealtIndex(flow, 0, 1, 2): "1s",
		sim.IndicatorIndex(flow, 0): "5m", sim.IndicatorIndex(flow, 0) + 1: "5z", sim.IndicatorIndex(flow, 2) + 1: "6z",
		sim.ReplacementIndex(flow, 0): "7z",
	}
	for at, f := range want {
		if w[at].String() != f {
			t.Errorf("place %d has %v, want %s", at, w[at], f)
		}
	}

	// The open places have the other tiles in the order of the seed's wall: its tiles
	// without as many of each face as are given, counted from the last.
	seeds := sim.NewWall(flow, seed, 0, 0, 0)
	var left [tile.NumFaces]int
	for _, f := range seeds[:136] {
		left[f]++
	}
	for _, f := range given.FirstWall {
		if f != tile.NoFace {
			left[f]--
		}
	}
	at := 0
	for _, f := range seeds[:136] {
		if left[f] == 0 {
			continue
		}
		left[f]--
		for given.FirstWall[at] != tile.NoFace {
			at++
		}
		if w[at] != f {
			t.Fatalf("place %d has %v, want %v", at, w[at], f)
		}
		at++
	}

	later := sim.MatchState{DealIndex: 1, Hands: 1, Counter: 1, Points: [4]int32{25000, 25000, 25000, 25000}}
	var walls []sim.Wall
	for _, r := range []*ruleset.Rules{plain, given} {
		table, err := sim.NewTableAt(r, seed, later)
		if err != nil {
			t.Fatal(err)
		}
		table.StartHand(nil)
		walls = append(walls, table.Wall())
	}
	if walls[0] != walls[1] {
		t.Error("the wall of a later hand is not that of the seed")
	}
}

// TestFirstWallOfEachPreset gives the dealer's hand and first draw in every preset.
func TestFirstWallOfEachPreset(t *testing.T) {
	for _, preset := range configs.Names() {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		draws := "draws 9s"
		if r.Walls == ruleset.WallPerSeat {
			draws = "draws E 9s"
		}
		dealt := "E 111222333p111z2z"
		if r.HandSize == 16 {
			dealt += "222z"
		}
		_, r = loadWithWall(t, preset, dealt+"\n"+draws)
		table := sim.NewTable(r, 3)
		events := table.StartHand(nil)
		for _, e := range events {
			if e.Type == sim.EvDraw && e.Player == 0 {
				if got := e.Tile.String(); got != "9s" {
					t.Errorf("%s: East draws %s", preset, got)
				}
				break
			}
		}
		var h [tile.NumKinds]int
		w := table.Wall()
		for i := range r.HandSize {
			at := sim.DealtIndex(&r.Flow, 0, 0, i)
			if r.Walls == ruleset.WallPerSeat {
				at = i
			}
			h[w[at].Kind()]++
		}
		if h[9] != 3 || h[10] != 3 || h[11] != 3 || h[27] != 3 {
			t.Errorf("%s: East holds %v", preset, h)
		}
	}
}

func TestFirstWallErrors(t *testing.T) {
	for _, c := range [...]struct{ preset, text, want string }{
		{"tenhou", "\nE 123m456p789s11222z", "line 2: E: 14 tiles; there are at most 13"},
		{"tenhou", "E 1m\nE 2m", "line 2: E: tile 1, 2m, lies where line 1 puts 1m"},
		{"tenhou", "E 1111m\nS 1m", "line 2: S: there are more 1m than the set has"},
		{"tenhou", "E 0m\nS 0m", "line 2: S: there are more 0m than the set has"},
		{"tenhou", "E 5555m", "line 1: E: there are more 5m than the set has"},
		{"ema_2016", "dora 0m", "line 1: dora: there are more 0m than the set has"},
		{"tenhou", "dora 123456m", "line 1: dora: 6 tiles; there are at most 5"},
		{"tenhou", "E 1f", "line 1: E: there are more 1f than the set has"},
		{"tenhou", "E 1x", `line 1: E: tile: "1" at position 1: a letter`},
		{"tenhou", "East 1m", `line 1: "East" is no part of a wall; parts: E, S, W, N, draws`},
		{"tenhou", "draws E 1m", `line 1: draws: tile: "E"`},
		{"zung_jung", "dora 1m", "line 1: dora: these rules have no indicators"},
		{"botzone", "draws 1m", `line 1: draws: "1m" is no seat; seats are E, S, W and N`},
		{"botzone", "draws", "line 1: draws: whose?"},
		{"botzone", "replacements 1m", "line 1: replacements: under these rules they are draws"},
		{"tenhou", "wall 1m\nE 2m", "line 2: E: tile 1, 2m, lies where line 1 puts 1m"},
		{"tenhou", "wall " + strings.Repeat(".", 137), "line 1: wall: 137 tiles; there are at most 136"},
	} {
		r, err := configs.Load(c.preset)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sim.ParseFirstWall(&r.Flow, c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %q: error %v, want %s", c.preset, c.text, err, c.want)
		}
	}
}

// TestFirstWallText formats walls of which any places are open and reads them again.
func TestFirstWallText(t *testing.T) {
	r, err := configs.Load("hkma_hktw")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		w := sim.NewWall(&r.Flow, rapid.Uint64().Draw(t, "seed"), 0, 0, 0)
		open := rapid.SliceOfN(rapid.Bool(), sim.WallSize, sim.WallSize).Draw(t, "open")
		for i := range w {
			if open[i] {
				w[i] = tile.NoFace
			}
		}
		text := sim.FormatFirstWall(w[:])
		again, err := sim.ParseFirstWall(&r.Flow, text)
		if err != nil {
			t.Fatal(err)
		}
		if *(*sim.Wall)(again) != w {
			t.Fatalf("%s\nis read as %v", text, again)
		}
	})
}
