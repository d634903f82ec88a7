package riichi_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// theirHand is a win as testdata/score_three.py reads it.
type theirHand struct {
	Concealed  []int           `json:"concealed"` // without the winning tile
	Tile       int             `json:"tile"`
	Reds       []int           `json:"reds"` // kinds of which one is red
	Melds      []theirMeld     `json:"melds"`
	Dora       []int           `json:"dora"`
	Ura        []int           `json:"ura"`
	Seat       int             `json:"seat"`
	Round      int             `json:"round"`
	Norths     int             `json:"norths"`
	Conditions map[string]bool `json:"conditions"`
}

type theirMeld struct {
	Type  string `json:"type"`
	Tiles []int  `json:"tiles"`
}

// theirValue is the answer.
type theirValue struct {
	Win     bool     `json:"win"`
	Han     int      `json:"han"`
	Fu      int      `json:"fu"`
	Yakuman bool     `json:"yakuman"`
	Points  int32    `json:"points"`
	Yaku    []string `json:"yaku"`
}

// theirHandOf converts a win, and sets its red fives to those that the set has. It reports
// whether the win can occur and riichienv knows its circumstances.
func theirHandOf(cfg *riichi.Config, w *ruleset.Win) (h theirHand, ok bool) {
	has := func(f ruleset.Flags) bool { return w.Flags&f != 0 }
	riichiDeclared := has(ruleset.FlagRiichi | ruleset.FlagDoubleRiichi)
	h = theirHand{
		Tile: int(w.Tile), Reds: []int{}, Melds: []theirMeld{}, Dora: []int{}, Ura: []int{}, Seat: int(w.SeatWind), Round: int(w.RoundWind), Norths: int(w.Norths),
		Conditions: map[string]bool{
			"tsumo": w.SelfDraw, "riichi": riichiDeclared, "double_riichi": has(ruleset.FlagDoubleRiichi), "ippatsu": has(ruleset.FlagIppatsu),
			"haitei": has(ruleset.FlagLastTile) && w.SelfDraw, "houtei": has(ruleset.FlagLastTile) && !w.SelfDraw,
			"rinshan": has(ruleset.FlagAfterKan | ruleset.FlagAfterKita), "chankan": has(ruleset.FlagRobbingKan),
			"tsumo_first_turn": has(ruleset.FlagHeavenly | ruleset.FlagEarthly),
		},
	}
	if has(ruleset.FlagHuman|ruleset.FlagRobbingClosedKan) || has(ruleset.FlagLastTile) && has(ruleset.FlagAfterKan) {
		return h, false
	}
	counts := w.Hand.Counts()
	all := *counts
	all[tile.North] += w.Norths
	for k, n := range counts {
		if k == int(w.Tile) {
			n--
		}
		h.Concealed = append(h.Concealed, slices.Repeat([]int{k}, int(n))...)
	}
	for _, m := range w.Melds[:w.NumMelds] {
		k := int(m.Kind)
		tiles := slices.Repeat([]int{k}, m.Size())
		if m.Type == hand.Chi {
			return h, false // three players claim no sequences
		}
		for _, k := range tiles {
			all[k]++
		}
		h.Melds = append(h.Melds, theirMeld{m.Type.String(), tiles})
	}
	for _, list := range [][]tile.Kind{w.Indicators[:w.NumIndicators], w.Ura[:w.NumUra]} {
		for _, k := range list {
			if !cfg.HasKind(k) {
				return h, false
			}
		}
	}
	for _, k := range w.Indicators[:w.NumIndicators] {
		h.Dora = append(h.Dora, int(k))
	}
	for _, k := range w.Ura[:w.NumUra] {
		if riichiDeclared {
			h.Ura = append(h.Ura, int(k))
		}
	}
	wanted := int(w.Reds)
	for _, five := range []int{13, 22} {
		if all[five] == 4 || all[five] > 0 && len(h.Reds) < wanted {
			h.Reds = append(h.Reds, five)
		}
	}
	w.Reds = uint8(len(h.Reds))
	return h, slices.Max(all[:]) <= 4
}

// TestRiichiEnv compares han, fu and points with the scorer for three players of riichienv,
// on random hands. They differ by what docs/rules/riichi.md lists alone. SPARROWHALL_RIICHIENV
// names a Python that has the package.
func TestRiichiEnv(t *testing.T) {
	python := os.Getenv("SPARROWHALL_RIICHIENV")
	if python == "" {
		t.Skip("SPARROWHALL_RIICHIENV names no Python with the riichienv package")
	}
	rng := rand.New(rand.NewPCG(29, 20))
	configs := threePlayerConfigs(t)
	var compiled []ruleset.Scorer
	for i := range configs {
		compiled = append(compiled, configs[i].Compile())
	}
	wins := make([]ruleset.Win, 0, 20_000)
	var in bytes.Buffer
	lines := json.NewEncoder(&in)
	for len(wins) < cap(wins) {
		cfg := &configs[len(wins)%2]
		w := randomWin(rng, cfg)
		h, ok := theirHandOf(cfg, &w)
		if !ok {
			continue
		}
		wins = append(wins, w)
		if err := lines.Encode(h); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/score_three.py")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(bytes.NewReader(out))
	equal, lost, doubled, heavenly, outvalued := 0, 0, 0, 0, 0
	for i := range wins {
		w := &wins[i]
		var theirs theirValue
		if err := answers.Decode(&theirs); err != nil {
			t.Fatal(err)
		}
		var v ruleset.Value
		compiled[i%2].Value(w, &v)
		switch {
		case !v.OK && !theirs.Win:
			lost++
		case v.OK && theirs.Win && v.Points == theirs.Points && (v.Yakuman > 0 || int(v.Han) == theirs.Han && int(v.Fu) == theirs.Fu):
			equal++
		case v.OK && v.Yakuman > 0 && theirs.Yakuman && v.Points < theirs.Points && i%2 == 0:
			doubled++ // riichienv counts four yakuman twice under all rules
		case v.OK && w.Flags&ruleset.FlagHeavenly != 0 && slices.Contains(theirs.Yaku, "Kokushi Musou 13-men"):
			heavenly++ // a dealt hand has no wait here, so its orphans count once
		case v.OK && v.Yakuman > 0 && !theirs.Yakuman && theirs.Han > 13*int(v.Yakuman):
			outvalued++ // there the reading with more han is taken, which is worth less
		default:
			t.Errorf("%d: %s: %d %d %d %d %v, there %+v", i%2, describe(w), v.Han, v.Fu, v.Points, v.Yakuman, v.OK, theirs)
		}
	}
	t.Logf("%d hands: %d of equal value, %d without a yaku for both, %d with a yakuman that counts twice there under Tenhou's rules, %d dealt orphans, %d with a reading of more han",
		len(wins), equal, lost, doubled, heavenly, outvalued)
}
