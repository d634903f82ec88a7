package hkos_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
)

// theirNames are the patterns that hk-mahjong 0.1.0 knows, by its names. A limit hand there is
// scored alone.
var theirNames = map[string]string{
	"Red Dragon Pong": "dragon_pung", "Green Dragon Pong": "dragon_pung", "White Dragon Pong": "dragon_pung",
	"Seat Wind": "seat_wind", "Prevailing Wind": "prevalent_wind", "Pure One Suit": "pure_one_suit", "Mixed One Suit": "mixed_one_suit",
	"All Terminals and Honors": "mixed_greater_terminals", "All Pongs": "all_triplets", "Self Drawn": "self_draw",
	"Win on Kong Replacement": "win_on_kong", "Robbing the Kong": "robbing_a_kong", "Win on Last Tile": "last_tile",
	"Matching Flower": "proper_flower", "Matching Season": "proper_flower", "All Flowers": "one_flower_set", "All Seasons": "one_flower_set",
	"Fully Concealed": "concealed_hand", "No Flowers": "no_flowers",
	"Thirteen Orphans": "thirteen_terminals", "All Honors": "all_honors", "Great Winds": "big_four_winds", "Great Dragons": "big_three_dragons",
	"All Terminals": "pure_greater_terminals", "All Kongs": "four_kong", "Nine Gates": "nine_gates",
}

// theirLimits are the patterns that hk-mahjong scores alone.
var theirLimits = []string{"thirteen_terminals", "all_honors", "big_four_winds", "big_three_dragons", "pure_greater_terminals", "four_kong", "nine_gates"}

// theirHand is a win as testdata/hkmahjong.py reads it.
type theirHand struct {
	Concealed []int       `json:"concealed"`
	Melds     []theirMeld `json:"melds"`
	Flowers   []int       `json:"flowers"`
	Tile      int         `json:"tile"`
	Seat      int         `json:"seat"`
	Round     int         `json:"round"`
	SelfDraw  bool        `json:"self_draw"`
	LastTile  bool        `json:"last_tile"`
	AfterKan  bool        `json:"after_kan"`
	Robbing   bool        `json:"robbing"`
}

type theirMeld struct {
	Type  string `json:"type"`
	Tiles []int  `json:"tiles"`
}

func theirHandOf(w *ruleset.Win) theirHand {
	h := theirHand{
		Melds: []theirMeld{}, Flowers: []int{}, Tile: int(w.Tile), Seat: int(w.SeatWind), Round: int(w.RoundWind), SelfDraw: w.SelfDraw,
		LastTile: w.Flags&ruleset.FlagLastTile != 0, AfterKan: w.Flags&ruleset.FlagAfterKan != 0, Robbing: w.Flags&ruleset.FlagRobbingKan != 0,
	}
	for k, n := range w.Hand.Counts() {
		for range n {
			h.Concealed = append(h.Concealed, k)
		}
	}
	for _, m := range w.Melds[:w.NumMelds] {
		k := int(m.Kind)
		tiles := []int{k, k, k}
		if m.Type == hand.Chi {
			tiles = []int{k, k + 1, k + 2}
		} else if m.Type.IsKan() {
			tiles = append(tiles, k)
		}
		h.Melds = append(h.Melds, theirMeld{m.Type.String(), tiles})
	}
	for i := range 8 {
		if w.Flowers>>i&1 == 1 {
			h.Flowers = append(h.Flowers, i)
		}
	}
	return h
}

// TestHKMahjong compares the patterns that hk-mahjong knows too with its own, on random hands.
// Its readings differ by what docs/rules/hkos.md lists alone. SPARROWHALL_HKMAHJONG names a
// Python that has the package.
func TestHKMahjong(t *testing.T) {
	python := os.Getenv("SPARROWHALL_HKMAHJONG")
	if python == "" {
		t.Skip("SPARROWHALL_HKMAHJONG names no Python with the hk-mahjong package")
	}
	// All sequences, four concealed triplets and small sets are unknown there, and every
	// pattern counts beside limit hands here.
	r := rulestest.Rules(t, preset, map[string]any{"min_win": 0, "points_cap": "none", "limit_exclusive": false, "patterns": map[string]any{
		"four_concealed_triplets": "off", "all_sequences": "off", "small_three_dragons": "off", "small_four_winds": "off",
	}})
	patterns := r.Patterns()
	m := handgen.New(20, 4)
	wins := make([]ruleset.Win, 0, 20_000)
	var in bytes.Buffer
	lines := json.NewEncoder(&in)
	for len(wins) < cap(wins) {
		w := win(m)
		const unknown = ruleset.FlagFlowerWin7 | ruleset.FlagFlowerWin8 | ruleset.FlagHeavenly | ruleset.FlagEarthly | ruleset.FlagHuman |
			ruleset.FlagAfterTwoKans | ruleset.FlagRobbingClosedKan
		var v ruleset.Value
		if r.Value(&w, &v); w.Flags&unknown != 0 || !v.Shape {
			continue // wins by flowers, blessings, two kans and seven pairs are unknown there
		}
		wins = append(wins, w)
		if err := lines.Encode(theirHandOf(&w)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/hkmahjong.py")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(bytes.NewReader(out))
	limits, gates := 0, 0
	for i := range wins {
		w := &wins[i]
		var items [][2]any
		if err := answers.Decode(&items); err != nil {
			t.Fatal(err)
		}
		theirs, ours := map[string]int{}, map[string]int{}
		for _, item := range items {
			theirs[theirNames[item[0].(string)]] += int(item[1].(float64))
		}
		var v ruleset.Value
		r.Value(w, &v)
		for _, p := range v.Patterns[:v.NumPatterns] {
			id := patterns[p.Pattern].ID
			if id == "final_draw" || id == "final_discard" {
				id = "last_tile"
			}
			ours[id] = int(p.Points)
		}
		if i := slices.IndexFunc(theirLimits, func(id string) bool { return theirs[id] > 0 }); i >= 0 {
			limits++
			if _, pure := w.Hand.NineGates(w.Tile); theirLimits[i] == "nine_gates" && !pure {
				gates++ // any wait makes nine gates there
			} else if ours[theirLimits[i]] == 0 {
				t.Errorf("%s: %v there, %v here", rulestest.Show(w), theirs, ours)
			}
			continue
		}
		// The seat flower counts beside its full set there.
		for _, set := range []uint8{0x0f, 0xf0} {
			if w.Flowers&set == set && w.Flowers&set&(0x11<<w.SeatWind) != 0 {
				if theirs["proper_flower"]--; theirs["proper_flower"] == 0 {
					delete(theirs, "proper_flower")
				}
			}
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%s: -there +here:\n%s", rulestest.Show(w), diff)
		}
	}
	t.Logf("%d hands, %d of them limit hands there, %d of these nine gates there alone; patterns compared: %d",
		len(wins), limits, gates, len(slices.Collect(maps.Keys(theirNames))))
	if limits == 0 || gates == 0 {
		t.Error("no limit hands")
	}
}
