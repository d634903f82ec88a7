package record_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

func findEvent(t *testing.T, h *record.Hand, typ sim.EventType, n int) *record.Event {
	t.Helper()
	for i := range h.Events {
		if e := &h.Events[i]; e.Type == typ {
			if n--; n < 0 {
				return e
			}
		}
	}
	t.Fatalf("no event of type %d in the hand", typ)
	return nil
}

// Whatever in a record is not as the rules have it is found, and what follows is
// still looked at.
func TestReplayDifferences(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	text, err := os.ReadFile("../../internal/record/testdata/sample.mjlog")
	if err != nil {
		t.Fatal(err)
	}
	length := len(recordtest.Parse(t, tenhou.Format, text).Hands)
	won := -1 // the first hand won by riichi
	for i, h := range recordtest.Parse(t, tenhou.Format, text).Hands {
		if won < 0 && h.Wins != nil && h.Wins[0].Ura != nil && h.Wins[0].Patterns["riichi"] > 0 {
			won = i
		}
	}
	if won < 0 {
		t.Fatal("nobody wins by riichi in the match under test")
	}
	for _, test := range []struct {
		name   string
		change func(g *record.Game)
		// want is in the messages in order; hands are where they are found.
		want  []string
		hands []int
	}{
		{"nothing", func(*record.Game) {}, nil, nil},
		{"start", func(g *record.Game) { g.Hands[1].Start.Points[0] += 1000 }, []string{"the hand begins at round E, dealer", ", by the rules at round E, dealer", "by the rules at"}, []int{1, 2}},
		{"counter", func(g *record.Game) { g.Hands[won].Start.Counter = 99 }, []string{"counter 99", "the players gain", "the hand begins"}, []int{won, won, won + 1}},
		{"impossible", func(g *record.Game) { g.Hands[2].Start.Round = 9 }, []string{"round S, dealer", "invalid match state: round 9; allowed: 0 to 2"}, []int{2, 2}},
		{"discard", func(g *record.Game) {
			e := findEvent(t, &g.Hands[0], sim.EvDiscard, 0)
			e.Tile, e.Detail = tile.Face(tile.Red), 0
		}, []string{"illegal action: player 0 may not discard 7z (turn)"}, []int{0}},
		{"two hands", func(g *record.Game) {
			findEvent(t, &g.Hands[0], sim.EvDraw, 5).Player ^= 1
			findEvent(t, &g.Hands[1], sim.EvDraw, 5).Tile = tile.NoFace
		}, []string{"the record: player 1 draws", "by the rules: player 0 draws", "player 2 draws -"}, []int{0, 1}},
		{"claim", func(g *record.Game) {
			h := &g.Hands[0]
			h.Events[3].Event = sim.Event{Type: sim.EvPon, Player: 2, Tile: h.Events[2].Tile}
		}, []string{"the record: player 2 claims", "by pon; by the rules: player 1 draws"}, []int{0}},
		{"short hand", func(g *record.Game) { h := &g.Hands[0]; h.Events = h.Events[:10] }, []string{"the record of the hand ends"}, []int{0}},
		{"long hand", func(g *record.Game) {
			h := &g.Hands[0]
			h.Events = append(h.Events, *findEvent(t, h, sim.EvDraw, 0))
		}, []string{"by the rules the hand is over; the record goes on: player 0 draws"}, []int{0}},
		{"points", func(g *record.Game) { g.Hands[won].Wins[0].Points++ }, []string{"points, by the rules"}, []int{won}},
		{"fu", func(g *record.Game) { g.Hands[won].Wins[0].Fu = 110 }, []string{"the hand is worth 110 fu, by the rules"}, []int{won}},
		{"yakuman", func(g *record.Game) { g.Hands[won].Wins[0].Yakuman = 2 }, []string{"the hand is worth 2 yakuman, by the rules 0"}, []int{won}},
		{"han", func(g *record.Game) { g.Hands[won].Wins[0].Han = 0 }, []string{"the hand is worth 0 han, by the rules"}, []int{won}},
		{"patterns", func(g *record.Game) { delete(g.Hands[won].Wins[0].Patterns, "riichi") }, []string{"the hand has", "by the rules", "riichi 1"}, []int{won}},
		{"ura", func(g *record.Game) { g.Hands[won].Wins[0].Ura[0] ^= 1 }, []string{"the ura indicators are"}, []int{won}},
		{"paid", func(g *record.Game) { g.Hands[0].Deltas[0] += 100 }, []string{"the players gain"}, []int{0}},
		{"end", func(g *record.Game) { g.Points[0] += 100 }, []string{"the match ends with"}, []int{-1}},
		{"fewer hands", func(g *record.Game) { g.Hands = g.Hands[:2] }, []string{"the record ends with hand 1; by the rules the match is not over"}, []int{1}},
		{"more hands", func(g *record.Game) { g.Hands = append(g.Hands, g.Hands[0]) }, []string{"by the rules the match is over after hand", "by the rules the match is not over"}, []int{length, length}},
		{"no hands", func(g *record.Game) { g.Hands = nil }, []string{"the record has no hand"}, []int{-1}},
		{"wall", func(g *record.Game) { w := g.Hands[0].Wall; w[0], w[50] = w[50], w[0] }, []string{"another wall: player 0 is dealt", "another wall: player 2 is dealt", ""}, []int{0, 0, 0}},
		{"dice", func(g *record.Game) { g.Hands[0].Contradiction = "the dice are loaded" }, []string{"the dice are loaded"}, []int{0}},
		{"dora", func(g *record.Game) { findEvent(t, &g.Hands[0], sim.EvIndicator, 0).Tile ^= 1 }, []string{"the record turns dora indicator"}, []int{0}},
		{"no dora", func(g *record.Game) {
			h := &g.Hands[0]
			h.Events = slices.DeleteFunc(h.Events, func(e record.Event) bool { return e.Type == sim.EvIndicator })
		}, []string{"is turned; the record does not have it"}, []int{0}},
		{"more dora", func(g *record.Game) {
			h := &g.Hands[0]
			h.Events = slices.Insert(h.Events, 5, *findEvent(t, h, sim.EvIndicator, 0))
		}, []string{"the record turns dora indicator"}, []int{0}},
		{"late dora", func(g *record.Game) {
			h := &g.Hands[0]
			h.Events = append(h.Events, *findEvent(t, h, sim.EvIndicator, 0))
		}, []string{"stays hidden by kan_dora_timing_open"}, []int{0}},
		{"five of a kind", func(g *record.Game) {
			g.Hands[0].Wall = nil
			for i := range 5 {
				g.Hands[0].Deal[0][i] = tile.Face(tile.East)
			}
		}, []string{"the tiles of the hand do not fit: there are more 1z than the set has"}, []int{0}},
		{"short deal", func(g *record.Game) {
			g.Hands[0].Wall = nil
			g.Hands[0].Deal[0] = g.Hands[0].Deal[0][:5]
		}, []string{"player 0 is dealt 5 tiles; 13 are"}, []int{0}},
	} {
		g := recordtest.Parse(t, tenhou.Format, text)
		test.change(g)
		match := &sim.Match{}
		differences := record.Replay(r, g, match)
		var hands []int
		var messages strings.Builder
		for _, d := range differences {
			hands = append(hands, d.Hand)
			messages.WriteString(d.Place + ": " + d.Message + "\n")
		}
		if !slices.Equal(hands, test.hands) {
			t.Errorf("%s: differences in hands %v, want %v:\n%s", test.name, hands, test.hands, &messages)
		}
		rest := messages.String()
		for _, want := range test.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s: no %q in\n%s", test.name, want, &messages)
			}
			rest = after
		}
		if whole := match.Walls != nil; whole != record.AgreesInPart(differences) {
			t.Errorf("%s: a match was made: %v", test.name, whole)
		}
	}
}

// Of rules that deal otherwise the walls are rebuilt too; where that cannot be,
// the record says so.
func TestReplayOtherDeals(t *testing.T) {
	g := &record.Game{Unit: "line", Hands: []record.Hand{{}}}
	for preset, want := range map[string]string{
		"botzone": "under botzone they do not follow from the draws",
		"tenhou":  "player 0 is dealt 0 tiles",
	} {
		d := record.Replay(rulestest.Rules(t, preset, nil), g, &sim.Match{})
		if len(d) == 0 || !strings.Contains(d[0].Message, want) {
			t.Errorf("%s: differences %v, want %q", preset, d, want)
		}
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lines is a form of which each line is a record.
var lines = &record.Format{Split: record.SplitLines}

// Files are unpacked and read record by record; what is wrong with one takes no
// other along.
func TestTexts(t *testing.T) {
	large := strings.Repeat("x", 17<<20)
	good := packed(t, "hello\nworld")
	for _, test := range []struct {
		in   string
		want []string // texts, or errors that begin with !
	}{
		{"hello", []string{"hello"}},
		{"\ufeffhello\r\n\n world \n", []string{"hello", "world "}},
		{string(good), []string{"hello", "world"}},
		{string(good[:len(good)-6]), []string{"hello", "world", "!the gzip file is truncated"}},
		{"\x1f\x8bhello", []string{"!the gzip file is truncated"}},
		{"\x1f\x8bhello hello hello", []string{"!gzip: invalid header"}},
		{string(packed(t, "a\n"+large+"\nb")), []string{"a", "!it is larger than 4 MB", "b"}},
		{"h\xffi\nyou", []string{"!byte 1 of the record is not UTF-8", "you"}},
		{" \n", []string{"!the file is empty"}},
	} {
		n := 0
		for text, err := range lines.Texts(strings.NewReader(test.in)) {
			got := string(text.Text)
			if err == nil {
				err = text.Err
			}
			if err != nil {
				got = "!" + err.Error()
			}
			if n == len(test.want) || !strings.HasPrefix(got, test.want[n]) || err == nil && got != test.want[n] {
				t.Errorf("%.20q: text %d is %.80q, want %q", test.in, n, got, test.want)
				break
			}
			n++
		}
		if n < len(test.want) {
			t.Errorf("%.20q: %d texts, want %q", test.in, n, test.want)
		}
	}
}

// JSON is cut into its values, whatever stands between and inside them.
func TestSplitJSON(t *testing.T) {
	form := &record.Format{Split: record.SplitJSON}
	for _, test := range []struct {
		in   string
		want []string
	}{
		{`{"a":"}\"{"}[1,[2]]`, []string{`{"a":"}\"{"}`, `[1,[2]]`}},
		{"{\n\"a\":\n{}\n}\n\n{}", []string{"{\n\"a\":\n{}\n}", "{}"}},
		{"{\"a\":[1,2\n{}", []string{"{\"a\":[1,2\n", "{}"}},
		{"{\"a\":[1,\n{}\n{}", []string{"{\"a\":[1,\n", "{}", "{}"}},
		{"{\"a\n{}", []string{"{\"a", "{}"}},
		{"what\n{}", []string{"what", "{}"}},
	} {
		var got []string
		var at []int
		for text, err := range form.Texts(strings.NewReader(test.in)) {
			if err != nil {
				t.Fatal(err)
			}
			got, at = append(got, string(text.Text)), append(at, text.Line)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q is cut into %q, want %q", test.in, got, test.want)
			continue
		}
		for i, text := range test.want {
			if want := 1 + strings.Count(test.in[:strings.LastIndex(test.in, text)], "\n"); at[i] != want && strings.Count(test.in, text) == 1 {
				t.Errorf("%q: text %d is on line %d, want %d", test.in, i, at[i], want)
			}
		}
	}
}

// A record in which an element or line is lost, doubled or moved is refused,
// differs, or is still of the same match; it never becomes another one.
func TestDamagedRecords(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	for _, test := range []struct {
		format     *record.Format
		file, mark string
	}{
		{tenhou.Format, "sample.mjlog", "/>"}, {mjai.Format, "sample.mjson", "\n"},
	} {
		text, err := os.ReadFile(filepath.Join("../../internal/record/testdata", test.file))
		if err != nil {
			t.Fatal(err)
		}
		whole := &sim.Match{}
		if d := record.Replay(r, recordtest.Parse(t, test.format, text), whole); d != nil {
			t.Fatal(d)
		}
		parts := strings.SplitAfter(string(text), test.mark)
		random := rand.New(rand.NewPCG(3, 4))
		found, damages := 0, int(rulestest.Sample[uint64](150, 400))
		for range damages {
			i := random.IntN(len(parts) - 1)
			damaged := slices.Clone(parts)
			switch random.IntN(3) {
			case 0:
				damaged = slices.Delete(damaged, i, i+1)
			case 1:
				damaged = slices.Insert(damaged, i, parts[i])
			case 2:
				damaged[i], damaged[i+1] = damaged[i+1], damaged[i]
			}
			games, err := recordtest.ParseAll(test.format, []byte(strings.Join(damaged, "")))
			if err != nil {
				found++
				continue
			}
			m := &sim.Match{}
			if d := record.Replay(r, games[0], m); d != nil {
				found++
			} else if len(games) == 1 && !slices.Equal(m.Events, whole.Events) {
				t.Errorf("%s: with %q damaged it is another match", test.file, parts[i])
			}
		}
		if found < damages*3/4 {
			t.Errorf("%s: %d of %d damages were found", test.file, found, damages)
		}
	}
}

// A record without an end is looked through no more than a few times, however the
// file is packed, and not again for each of its lines when it has become too large.
func TestTextsWithoutEnd(t *testing.T) {
	for _, mb := range []int{8, 40} {
		in, looked := packed(t, strings.Repeat("line\n", mb<<20/5)), 0
		form := &record.Format{Split: func(data []byte, atEOF bool) (int, []byte, error) {
			looked += len(data)
			if atEOF && len(data) > 0 {
				return len(data), data, nil
			}
			return 0, nil, nil
		}}
		for range form.Texts(bytes.NewReader(in)) {
			if looked > 4*mb<<20 {
				t.Fatalf("%d MB, of which %d MB were looked through", mb, looked>>20)
			}
		}
	}
}

// Documents without an end are not each looked through for the end of the others.
func TestDocumentsWithoutEnd(t *testing.T) {
	in, n, began := strings.Repeat("<mjloggm ", 1_000_000), 0, time.Now()
	for range tenhou.Format.Texts(strings.NewReader(in)) {
		if n++; time.Since(began) > 10*time.Second {
			break
		}
	}
	if n != 1_000_000 {
		t.Errorf("%d documents in %v", n, time.Since(began))
	}
}

// A file of records that all break off within the next takes no longer than it is
// long.
func TestSplitNested(t *testing.T) {
	data, n := []byte(strings.Repeat("{\"type\":\n", 100_000)), 0
	for began := time.Now(); len(data) > 0; n++ {
		advance, _, err := record.SplitJSON(data, true)
		if err != nil || advance < 1 || time.Since(began) > 20*time.Second {
			t.Fatalf("after %d records and %v: %d, %v", n, time.Since(began), advance, err)
		}
		data = data[advance:]
	}
	if n < 99_000 {
		t.Errorf("%d records", n)
	}
}
