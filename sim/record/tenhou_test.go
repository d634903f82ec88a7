package record_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/record"
)

// format returns the form of that name.
func format(t testing.TB, name string) *record.Format {
	t.Helper()
	i := slices.IndexFunc(record.Formats, func(f *record.Format) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no format %s", name)
	}
	return record.Formats[i]
}

// parse returns the only game of a record.
func parse(t testing.TB, name string, text []byte) *record.Game {
	t.Helper()
	games, err := format(t, name).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(games) != 1 {
		t.Fatalf("%d games", len(games))
	}
	return games[0]
}

// replays checks that a record replays to the match it was written from. Claims
// that others went before are not in records, so the events are compared, not the
// actions.
func replays(t *testing.T, r *ruleset.Rules, g *record.Game, want *sim.Match) {
	t.Helper()
	got := &sim.Match{Seed: want.Seed}
	for _, d := range record.Replay(r, g, got) {
		t.Errorf("hand %d, %s: %s", d.Hand, d.Place, d.Message)
	}
	if t.Failed() {
		return
	}
	if !slices.Equal(want.Events, got.Events) {
		t.Fatalf("events (-played +replayed):\n%s", cmp.Diff(want.Events, got.Events))
	}
	if want.Final != got.Final {
		t.Errorf("final: %v, replayed %v", want.Final, got.Final)
	}
	again := &sim.Match{Seed: want.Seed, Walls: got.Walls}
	if err := again.Replay(r, got.Actions, 0); err != nil || !slices.Equal(again.Events, got.Events) {
		t.Errorf("the walls and actions do not give the match: %v", err)
	}
}

// The Mersenne twister gives the outputs that its authors publish with it
// (mt19937ar.out).
func TestTwister(t *testing.T) {
	want := []uint32{1067595299, 955945823, 477289528, 4107218783, 4228976476, 3344332714, 3355579695, 227628506}
	if got := record.Twister([]uint32{0x123, 0x234, 0x345, 0x456}, len(want)); !slices.Equal(got, want) {
		t.Errorf("outputs %v, want %v", got, want)
	}
}

func TestTenhouRoundTrip(t *testing.T) {
	r := load(t, "tenhou")
	for _, agent := range []string{"eager", "random"} {
		for n := range samples(4, 500) {
			m, w := tenhouMatch(t, r, agent, n)
			w.first = int(n % 4)
			g := parse(t, "tenhou", []byte(w.write(m)))
			if g.Hands[0].Wall == nil || g.Names != [4]string{"first 雀", "second", "third", "fourth"} {
				t.Errorf("names %q", g.Names)
			}
			replays(t, r, g, m)
			w.noSeed = true
			g = parse(t, "tenhou", []byte(w.write(m)))
			if g.Hands[0].Wall != nil {
				t.Error("a record without a seed has walls")
			}
			replays(t, r, g, m)
			j := &jsonWriter{rules: r}
			replays(t, r, parse(t, "tenhou", j.write(t, m)), m)
		}
	}
	for name := range rare {
		m := rareMatch(t, name)
		replays(t, r, parse(t, "tenhou", []byte(mjlogOf(r, m).write(m))), m)
		replays(t, r, parse(t, "tenhou", (&jsonWriter{rules: r}).write(t, m)), m)
	}
}

// A record of a game without red fives says so itself, in the game type or the
// rule.
func TestTenhouVariants(t *testing.T) {
	r, err := configs.With("tenhou", map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}})
	if err != nil {
		t.Fatal(err)
	}
	m, w := tenhouMatch(t, r, "greedy", 5)
	want := map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}, "kuitan": true, "rounds": int64(2)}
	for _, text := range []string{w.write(m), string((&jsonWriter{rules: r}).write(t, m))} {
		g := parse(t, "tenhou", []byte(text))
		if d := cmp.Diff(want, g.Knobs); d != "" {
			t.Errorf("knobs (-want +got):\n%s", d)
		}
		replays(t, r, g, m)
	}
	east := strings.Replace(w.write(m), `type="171"`, `type="167"`, 1)
	g := parse(t, "tenhou", []byte(east))
	want = map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}, "kuitan": false, "rounds": int64(1)}
	if d := cmp.Diff(want, g.Knobs); d != "" {
		t.Errorf("knobs of a short game (-want +got):\n%s", d)
	}
}

// Whatever is not a record of a whole match of four is refused with its place.
func TestTenhouErrors(t *testing.T) {
	m, w := tenhouMatch(t, load(t, "tenhou"), "greedy", 3)
	good := w.write(m)
	replace := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s in the record", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	end := strings.Index(good, "<INIT") + 5000
	for _, test := range []struct{ text, want string }{
		{good[:strings.Index(good[:end], "<SHUFFLE")+100], "element 2: syntax error on line 1: unexpected EOF"},
		{good[:strings.LastIndex(good[:end], "<")], "the record is truncated after"},
		{replace("<SHUFFLE", "<BYE><BYE/></BYE><SHUFFLE"), "element 3: <BYE> stands inside another element"},
		{replace(`<mjloggm ver="2.3">`, `<!DOCTYPE a [<!ENTITY b "b">]><mjloggm>`), "element 1: a document type is declared"},
		{replace(`lobby="0"`, `lobby="&b;"`), "element 3: syntax error on line 1: invalid character entity &b;"},
		{replace(`<GO type="169"`, `<GO type="185"`), "element 3: game type 185 is played by three"},
		{replace(`<GO type="169" lobby="0"/>`, ""), "<INIT> stands before <GO>"},
		{replace(record.TenhouShuffle+",", record.TenhouShuffle+",%%"), "element 2: <SHUFFLE>: the seed is no base64"},
		{replace(record.TenhouShuffle+",", record.TenhouShuffle+",AAAA"), "element 2: <SHUFFLE>: the seed has 2499 bytes; 2496 are needed"},
		{replace(`<INIT seed="`, `<INIT seed="x`), `<INIT>: seed is "x0"; allowed: 0 to 1024`},
		{replace(`hai0="`, `hai0="1,`), "<INIT>: hai0 has 14 numbers; 13 are needed"},
		{replace(`<INIT`, `<T5/><INIT`), "element 6: <T5> stands outside a hand"},
		{replace(`<AGARI`, `<X5/><AGARI`), "<X5> is not known"},
		{replace(`<AGARI`, `<T136/><AGARI`), "<T136> is not known"},
		{replace(`<AGARI`, `<N who="0" m="65535"/><AGARI`), "<N>: 65535 is no meld of four players"},
		{replace(`<AGARI`, `<N who="0" m="32"/><AGARI`), "<N>: 32 is no meld of four players"},
		{replace(`<AGARI`, `<N who="0" m="10"/><AGARI`), "which is not the last discard"},
		{replace(`<AGARI`, `<INIT/><AGARI`), "<INIT> stands in the midst of a hand"},
		{replace(`</mjloggm>`, `<INIT/></mjloggm>`), "<INIT> stands after the end of the match"},
		{replace(`who="`, `who="4`), `allowed: 0 to 3`},
		{`<svg/>`, "element 1: the record begins with <svg>, not with <mjloggm>"},
		{`<mjloggm/>`, "the record has no hand"},
		{`hello`, "it is neither Tenhou's XML nor its JSON"},
	} {
		_, err := format(t, "tenhou").Parse([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestTenhouJSONErrors(t *testing.T) {
	m, _ := tenhouMatch(t, load(t, "tenhou"), "eager", 3)
	w := &jsonWriter{rules: load(t, "tenhou")}
	good := string(w.write(t, m))
	replace := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s in the record", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, test := range []struct{ text, want string }{
		{good[:3000], "no record of tenhou.net/6: unexpected end of JSON input"},
		{replace("般南喰赤", "般三喰赤"), `rule "般三喰赤" is played by three`},
		{replace(`"log":[[[0,0,0]`, `"log":[[[0,0]`), "entry 1: it begins with [0 0], not with its number, counter and deposits"},
		{replace(`"log":[[[0,0,0],[25000,`, `"log":[[[0,0,0],[`), "entry 1: 3 players have points"},
		{replace(`"log":[[[0,0,0],`, `"log":[[`), "entry 1: it has 16 parts; a hand of four players has 17"},
		{replace(`"log":[[[0,0,0],`, `"log":[[[0,0,0],[],`), "entry 1: it has 18 parts"},
		{replace(`,60,`, `,77,`), "77 is no tile"},
		{replace(`,60,`, `,"q11",`), `"q11" is no discard and no kan`},
		{replace(`"流局"`, `"流"`), `result "流" is not known`},
		{`{}`, "it has no hand in log"},
	} {
		_, err := format(t, "tenhou").Parse([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// TestTenhouRecords replays the real records in the folder that JANSOU_RECORDS
// names; they are not part of the project.
func TestTenhouRecords(t *testing.T) {
	dir := os.Getenv("JANSOU_RECORDS")
	if dir == "" {
		t.Skip("JANSOU_RECORDS names no folder of Tenhou's records")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.mjlog"))
	if err != nil || files == nil {
		t.Fatalf("no records in %s: %v", dir, err)
	}
	r := load(t, "tenhou")
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := record.ReadRecord(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range record.Replay(r, parse(t, "tenhou", text), &sim.Match{}) {
			t.Errorf("%s: hand %d: %s: %s", path, d.Hand, d.Place, d.Message)
		}
	}
}
