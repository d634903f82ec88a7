package majiang_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/record/majiang"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// recordOf returns a match as a record of Majiang, in which player first is 仮東.
func recordOf(t testing.TB, r *ruleset.Rules, m *sim.Match, first int) string {
	n := &narrator{t: t, rules: r, match: m, first: first, names: majiang.YakuNames(), points: [4]int32{}}
	for p := range n.points {
		n.points[p] = int32(r.StartingPoints)
	}
	return n.write()
}

func TestRoundTrip(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	for _, agent := range []string{"eager", "random"} {
		for n := range rulestest.Sample[uint64](8, 1000) {
			m := &sim.Match{Seed: sim.MatchSeed(23, n), Keep: sim.KeepValues}
			m.Play(r, recordtest.Agents(t, agent))
			g := recordtest.Parse(t, majiang.Format, []byte(recordOf(t, r, m, int(n%4))))
			if g.Names != [4]string{"player 0", "player 1", "player 2", "player 3"} {
				t.Errorf("names %q", g.Names)
			}
			if d := cmp.Diff(map[string]any{"starting_points": int64(25000)}, g.Knobs); d != "" {
				t.Errorf("match %d: knobs (-want +got):\n%s", n, d)
			}
			recordtest.CheckReplay(t, r, g, m)
			if t.Failed() {
				t.Fatalf("%s, match %d", agent, n)
			}
		}
	}
	for name := range recordtest.RareSeeds {
		m := recordtest.RareMatch(t, name)
		recordtest.CheckReplay(t, r, recordtest.Parse(t, majiang.Format, []byte(recordOf(t, r, m, 1))), m)
	}
}

// A record shows how many red fives there are where it is not one of each suit.
func TestKnobs(t *testing.T) {
	for _, want := range [][]any{{int64(0), int64(0), int64(0)}, {int64(1), int64(2), int64(1)}} {
		r, err := configs.LoadWith("tenhou", map[string]any{"aka_dora": want})
		if err != nil {
			t.Fatal(err)
		}
		m := &sim.Match{Seed: sim.MatchSeed(29, 1), Keep: sim.KeepValues}
		m.Play(r, recordtest.Agents(t, "eager"))
		g := recordtest.Parse(t, majiang.Format, []byte(recordOf(t, r, m, 3)))
		if d := cmp.Diff(map[string]any{"aka_dora": want, "starting_points": int64(25000)}, g.Knobs); d != "" {
			t.Errorf("knobs (-want +got):\n%s", d)
		}
		recordtest.CheckReplay(t, r, g, m)
	}
	double := strings.NewReplacer(`"fanshu":1,"name":"立直"`, `"fanshu":"**","name":"四暗刻単騎"`)
	m := &sim.Match{Seed: sim.MatchSeed(23, 0), Keep: sim.KeepValues}
	r := rulestest.Rules(t, "tenhou", nil)
	m.Play(r, recordtest.Agents(t, "eager"))
	g := recordtest.Parse(t, majiang.Format, []byte(double.Replace(recordOf(t, r, m, 0))))
	soul, err := configs.Open("mahjong_soul")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range soul.Knobs() {
		if k.Key == "double_yakuman" && !cmp.Equal(k.Value(), g.Knobs[k.Key]) {
			t.Errorf("double yakuman %v, want %v", g.Knobs[k.Key], k.Value())
		}
	}
}

// A record that a program of Majiang's author wrote is replayed without a
// difference, alone, with others, in an array, and up to where it breaks off.
func TestSample(t *testing.T) {
	const file = "../testdata/sample.majiang.json"
	whole := strings.TrimSpace(prefix(t, file, "\n", 1))
	for _, text := range []string{whole + whole, whole + "\n" + whole + "\n", "[" + whole + ",\n" + whole + "]"} {
		if games, err := recordtest.ParseAll(majiang.Format, []byte(text)); err != nil || len(games) != 2 {
			t.Errorf("%d games: %v", len(games), err)
		}
	}
	two := prefix(t, file, `[{"qipai"`, 3)
	g := recordtest.Parse(t, majiang.Format, []byte(strings.TrimSuffix(two, `{"qipai"`)+`]]}`))
	if len(g.Hands) != 2 || g.Truncation == nil || !strings.Contains(g.Truncation.Error(), "hand 2: item 1: the hand has no items") {
		t.Errorf("%d hands, cut %v", len(g.Hands), g.Truncation)
	}
	m := &sim.Match{}
	if d := record.Replay(rulestest.Rules(t, "tenhou", nil), g, m); record.Agrees(d) || !record.AgreesInPart(d) || len(m.Hands) != 2 {
		t.Errorf("differences %v, %d hands", d, len(m.Hands))
	}
}

// Programs that write "m5" for the drawn five of characters while the other one
// held is red are understood.
func TestDrawnAsHeld(t *testing.T) {
	whole := prefix(t, "../testdata/sample.majiang.json", "\n", 1)
	g := recordtest.Parse(t, majiang.Format, []byte(strings.ReplaceAll(whole, `_"`, `"`)))
	m := &sim.Match{}
	d := record.Replay(rulestest.Rules(t, "tenhou", nil), g, m)
	if !record.Agrees(d) || len(d) != 1 || !strings.Contains(d[0].Message, "can only be the tile just drawn") {
		t.Errorf("differences %v", d)
	}
}

// What is no record of a whole match of four is refused with its place.
// prefix returns the part of a file up to and including the n-th occurrence of mark.
func prefix(t *testing.T, file, mark string, n int) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.SplitAfterN(string(text), mark, n+1)[:n], "")
}

func TestErrors(t *testing.T) {
	good := prefix(t, "../testdata/sample.majiang.json", "\n", 1)
	replace := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s in the record", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, test := range []struct{ text, want string }{
		{good[:100], "no record of Majiang: the JSON breaks off"},
		{good[:3000], "hand 0: item 101: the JSON breaks off"},
		{`{}`, "no record of Majiang: it has no hand in log"},
		{`{"log":7}`, "no record of Majiang: member log has a value of the wrong kind: number"},
		{replace(`"qijia":2`, `"qijia":4`), "qijia is 4; allowed: 0 to 3"},
		{replace(`"私",`, ``), "it names 3 players; only matches of four can be replayed"},
		{replace(`"qipai"`, `"zimo"`), "hand 0: item 1: a hand begins with qipai and has it once"},
		{replace(`"jushu":0`, `"jushu":4`), "hand 0: item 1: zhuangfeng is 0 and jushu 4; allowed: 0 to 3"},
		{replace(`"changbang":0`, `"changbang":-1`), "hand 0: item 1: changbang is -1 and lizhibang 0; neither can be negative"},
		{replace(`"defen":[25000,`, `"defen":[`), "hand 0: item 1: defen has 3 numbers; 4 are needed"},
		{replace(`"shoupai":["p13589s111347z67",`, `"shoupai":[`), "hand 0: item 1: qipai deals 3 hands; only matches of four can be replayed"},
		{replace(`p13589s111347z67`, `_____________`), `hand 0: item 1: "_____________" has hidden tiles; only records that show all tiles can be replayed`},
		{replace(`"zimo":{"l":0,"p":"m4"}`, `"zimo":{"l":0,"p":""}`), "hand 0: item 2: a tile is hidden; only records that show all tiles can be replayed"},
		{replace(`"zimo":{"l":0,"p":"m4"}`, `"zimo":{"l":4,"p":"m4"}`), "hand 0: item 2: l is 4; allowed: 0 to 3"},
		{replace(`"zimo":{"l":0,"p":"m4"}`, `"zimo":{"l":0,"p":"z8"}`), `hand 0: item 2: "z8" are no tiles`},
		{replace(`"zimo":{"l":0,"p":"m4"}`, `"zimo":{"l":0,"p":"m45"}`), `hand 0: item 2: "m45" is no tile`},
		{replace(`{"zimo":{"l":0,"p":"m4"}}`, `{"hua":{}}`), "item 2: the item is none that Majiang has: qipai, zimo,"},
		{replace(`{"zimo":{"l":0,"p":"m4"}}`, `{"fulou":{"l":0,"m":"m123"}}`), `hand 0: item 2: fulou: "m123" does not mark the claimed tile`},
		{replace(`{"zimo":{"l":0,"p":"m4"}}`, `{"fulou":{"l":0,"m":"m12-4"}}`), `hand 0: item 2: fulou: "m12-4" is no meld`},
		{replace(`{"zimo":{"l":0,"p":"m4"}}`, `{"gang":{"l":0,"m":"m1112"}}`), `hand 0: item 2: gang: "m1112" is no kan`},
		{replace(`{"zimo":{"l":0,"p":"m4"}}`, `{"hule":{"l":0,"baojia":1}}`), "hand 0: item 2: hule: player 1 has not given a tile that can be won on"},
		{replace(`{"zimo":{"l":0,"p":"m4"}}`, `{"hule":{"l":0}}`), "hand 0: item 2: hule: there is no drawn or discarded tile to win on"},
		{replace(`{"zimo":{"l":0,"p":"m4"}}`, `{"pingju":{"name":"流局","fenpei":[0,0,0]}}`), "hand 0: item 2: fenpei has 3 numbers; 4 are needed"},
		{replace(`{"zimo":{"l":0,"p":"m4"}}`, `{"pingju":{"name":"流局","fenpei":[0,0,0,0]}}`), "hand 0: item 3: the hand has ended"},
		{`{"log":[[]]}`, "hand 0: item 1: the hand has no items"},
	} {
		if got := recordtest.Complaints(majiang.Format, test.text); !strings.Contains(got, test.want) {
			t.Errorf("complaints %q, want %q", got, test.want)
		}
	}
}
