package mcr_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// theirTile writes a tile as PyMahjongGB does.
func theirTile(k tile.Kind) string {
	switch {
	case k >= tile.White: // their order is red, green, white
		return "J" + string(rune('1'+tile.Red-k))
	case k >= tile.East:
		return "F" + string(rune('1'+k-tile.East))
	}
	return "WBT"[k.Suit():k.Suit()+1] + string(rune('1'+k.Rank()))
}

// theirArguments returns a win as PyMahjongGB takes it.
func theirArguments(w *ruleset.Win) []any {
	pack := [][3]any{}
	for _, m := range w.Melds[:w.NumMelds] {
		switch m.Type {
		case hand.Chi:
			pack = append(pack, [3]any{"CHI", theirTile(m.Kind + 1), 1})
		case hand.Pon:
			pack = append(pack, [3]any{"PENG", theirTile(m.Kind), 1})
		case hand.ClosedKan:
			pack = append(pack, [3]any{"GANG", theirTile(m.Kind), 0})
		default:
			pack = append(pack, [3]any{"GANG", theirTile(m.Kind), 1})
		}
	}
	standing := []string{}
	h := w.Hand
	h.Remove(w.Tile)
	for k, n := range h.Counts() {
		for range n {
			standing = append(standing, theirTile(tile.Kind(k)))
		}
	}
	flowers := 0
	for i := range 8 {
		flowers += int(w.Flowers >> i & 1)
	}
	flag := func(f ruleset.Flags) bool { return w.Flags&f != 0 }
	return []any{
		pack, standing, theirTile(w.Tile), flowers, w.SelfDraw, flag(ruleset.FlagLastCopy),
		flag(ruleset.FlagAfterKan | ruleset.FlagRobbingKan), flag(ruleset.FlagLastTile),
		int(w.SeatWind), int(w.RoundWind),
	}
}

// reading is a scored hand: its points, and the Chinese names of its fan.
type reading struct {
	points int
	fans   map[string]bool
}

// scoreWithTheirs asks PyMahjongGB, and returns the time its calls took.
func scoreWithTheirs(t *testing.T, python string, wins []ruleset.Win) ([]reading, time.Duration) {
	t.Helper()
	var in bytes.Buffer
	lines := json.NewEncoder(&in)
	for i := range wins {
		if err := lines.Encode(theirArguments(&wins[i])); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/pymahjonggb.py")
	cmd.Stdin = &in
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(bytes.NewReader(out))
	scores := make([]reading, len(wins))
	for i := range scores {
		var fans [][3]any
		if err := answers.Decode(&fans); err != nil {
			t.Fatal(err)
		}
		scores[i].fans = map[string]bool{}
		for _, f := range fans {
			points, count, name := int(f[0].(float64)), int(f[1].(float64)), f[2].(string)
			if _, wait, ok := strings.Cut(name, "・"); ok {
				name = wait
			}
			if name == "单钓" {
				name = "单钓将"
			}
			scores[i].points += points * count
			scores[i].fans[name] = true
		}
	}
	var seconds float64
	if err := answers.Decode(&seconds); err != nil {
		t.Fatal(err)
	}
	return scores, time.Duration(seconds * float64(time.Second))
}

// decided returns by how much mcr_2006 values a reading of a hand higher than
// PyMahjongGB does, and by which of the decisions D1 to D7.
func decided(w *ruleset.Win, r reading) (more int, by []string) {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return r.fans[n] })
	}
	add := func(ok bool, decision string, n int) {
		if ok && n != 0 {
			more += n
			by = append(by, decision)
		}
	}
	melded, concealed := 0, 0
	tiles, triplets := w.Hand.Kinds(), w.Hand.AtLeast(3)
	for _, m := range w.Melds[:w.NumMelds] {
		switch m.Type {
		case hand.Chi:
			tiles |= 7 * m.Kind.Bit()
			continue
		case hand.OpenKan, hand.AddedKan:
			melded++
		case hand.ClosedKan:
			concealed++
		}
		tiles |= m.Kind.Bit()
		triplets |= m.Kind.Bit()
	}
	kongs := melded + concealed
	add(kongs == 2 && concealed == 2, "D1", 8-6)
	add(kongs == 2 && concealed == 1, "D2", 6-5)
	if w.SelfDraw && has("九莲宝灯", "连七对", "十三幺", "四暗刻", "七对", "七星不靠", "全不靠") {
		selfDrawn := 1
		if has("妙手回春", "杠上开花") {
			selfDrawn = 0
		}
		add(true, "D3", 4-selfDrawn)
	}
	add(kongs > 2 && concealed == 1, "D4", 2)
	if kongs > 2 && concealed == 2 {
		add(!has("三暗刻", "四暗刻"), "D4", 8-2)
		add(has("三暗刻", "四暗刻"), "D4", 8)
	}
	add(has("绿一色") && tiles.Has(tile.Green), "D5", 6)
	if has("清幺九") && !has("七对", "三同刻") {
		a, b, c := triplets&0x1ff, triplets>>9&0x1ff, triplets>>18&0x1ff
		add(true, "D6", 2*((a&b).Len()+(b&c).Len()+(a&c).Len()))
	}
	add(has("七对") && has("绿一色", "清幺九"), "D7", -2)
	return more, by
}

func readingOf(s ruleset.Scorer, v *ruleset.Value) reading {
	r := reading{int(v.Points), map[string]bool{}}
	patterns := s.Patterns()
	for _, p := range v.Patterns[:v.NumPatterns] {
		r.fans[patterns[p.Pattern].Native] = true
	}
	return r
}

// TestPyMahjongGB compares the presets with the PyMahjongGB package: botzone
// agrees with it, and mcr_2006 differs by the decisions D1 to D7 alone.
// SPARROWHALL_PYMAHJONGGB names a Python that has the package.
func TestPyMahjongGB(t *testing.T) {
	python := os.Getenv("SPARROWHALL_PYMAHJONGGB")
	if python == "" {
		t.Skip("SPARROWHALL_PYMAHJONGGB names no Python with the PyMahjongGB package")
	}
	botzone, mcr2006 := rulestest.Rules(t, "botzone", nil), rulestest.Rules(t, "mcr_2006", nil)
	rng := rand.New(rand.NewPCG(4, 20))
	const batch = 50_000
	var theirTime, ourTime time.Duration
	hands, ties := 0, 0
	decisions := map[string]int{}
	for hands < rulestest.Sample(batch, 1_000_000) {
		wins := make([]ruleset.Win, batch)
		for i := range wins {
			wins[i] = randomWin(rng)
		}
		scores, took := scoreWithTheirs(t, python, wins)
		theirTime += took
		values := make([]ruleset.Value, batch)
		start := time.Now()
		for i := range wins {
			botzone.Value(&wins[i], &values[i])
		}
		ourTime += time.Since(start)
		for i := range wins {
			w, v, want := &wins[i], &values[i], scores[i]
			if int(v.Points) != want.points {
				t.Fatalf("%s:\ngot  %s\nwant %d: %v", handText(w), describe(botzone, v), want.points, want.fans)
			}
			for name := range readingOf(botzone, v).fans {
				if !want.fans[name] {
					ties++
					break
				}
			}
			// Either text may prefer another reading than the other, so that
			// each is held against the decisions for its own.
			var book ruleset.Value
			mcr2006.Value(w, &book)
			least, _ := decided(w, want)
			most, by := decided(w, readingOf(mcr2006, &book))
			if difference := int(book.Points) - want.points; difference < least || difference > most {
				t.Errorf("%s by %v:\ngot  %s\nwant %d..%d more than %d: %v",
					handText(w), by, describe(mcr2006, &book), least, most, want.points, want.fans)
			}
			for _, d := range by {
				decisions[d]++
			}
		}
		hands += batch
	}
	for _, d := range []string{"D1", "D2", "D3", "D4", "D5", "D6", "D7"} {
		if decisions[d] == 0 {
			t.Errorf("no hand differs by %s", d)
		}
	}
	rate := func(d time.Duration) float64 { return float64(hands) / d.Seconds() }
	t.Logf("%d hands, %d with other fan for the same points, differences of mcr_2006 %v", hands, ties, decisions)
	t.Logf("PyMahjongGB %.0f hands/s, botzone %.0f hands/s", rate(theirTime), rate(ourTime))
}
