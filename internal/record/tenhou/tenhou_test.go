package tenhou_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mathext/prng"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// The Mersenne twister gives the outputs that its authors publish with it
// (mt19937ar.out).
func TestTwister(t *testing.T) {
	twister := prng.NewMT19937()
	twister.SeedFromKeys([]uint32{0x123, 0x234, 0x345, 0x456})
	for i, want := range []uint32{1067595299, 955945823, 477289528, 4107218783, 4228976476, 3344332714, 3355579695, 227628506} {
		if got := twister.Uint32(); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	for _, agent := range []string{"eager", "random"} {
		for n := range rulestest.Sample[uint64](4, 500) {
			m, w := tenhouMatch(t, r, agent, n)
			w.first = int(n % 4)
			g := recordtest.Parse(t, tenhou.Format, []byte(w.write(m)))
			if g.Hands[0].Wall == nil || g.Names != [4]string{"first 雀", "second", "third", "fourth"} {
				t.Errorf("names %q", g.Names)
			}
			recordtest.CheckReplay(t, r, g, m)
			w.noSeed = true
			g = recordtest.Parse(t, tenhou.Format, []byte(w.write(m)))
			if g.Hands[0].Wall != nil {
				t.Error("a record without a seed has walls")
			}
			recordtest.CheckReplay(t, r, g, m)
			recordtest.CheckReplay(t, r, recordtest.Parse(t, tenhou.Format, jsonOf(t, r, m)), m)
		}
	}
	for name := range recordtest.RareSeeds {
		m := recordtest.RareMatch(t, name)
		recordtest.CheckReplay(t, r, recordtest.Parse(t, tenhou.Format, []byte(mjlogOf(r, m).write(m))), m)
		recordtest.CheckReplay(t, r, recordtest.Parse(t, tenhou.Format, jsonOf(t, r, m)), m)
	}
}

// Matches of three players come back from XML, in which any seat deals first and the fourth
// is empty, and from JSON.
func TestThreePlayers(t *testing.T) {
	check := func(r *ruleset.Rules, m *sim.Match, first int) {
		t.Helper()
		w := mjlogOf(r, m)
		w.first = first
		g := recordtest.Parse(t, tenhou.Format, []byte(w.write(m)))
		if g.Seats != ruleset.ThreeSeats || g.Ruleset != "tenhou_sanma" || g.Names != [4]string{"first", "second", "third"} {
			t.Errorf("seats %v, ruleset %s, names %q", g.Seats, g.Ruleset, g.Names)
		}
		recordtest.CheckReplay(t, r, g, m)
		recordtest.CheckReplay(t, r, recordtest.Parse(t, tenhou.Format, jsonOf(t, r, m)), m)
	}
	for _, name := range recordtest.ThreePlayers {
		r := rulestest.Rules(t, name, nil)
		for n := range rulestest.Sample[uint64](6, 1000) {
			m := &sim.Match{Seed: sim.MatchSeed(29, n), Keep: sim.KeepValues}
			m.Play(r, recordtest.Agents(t, []string{"eager", "greedy"}[n%2]))
			if check(r, m, int(n%3)); t.Failed() {
				t.Fatalf("%s, match %d", name, n)
			}
		}
	}
	r := rulestest.Rules(t, "tenhou_sanma", nil)
	for name := range recordtest.RareThreeSeeds {
		check(r, recordtest.RareThreeMatch(t, name), 0)
	}
}

// What a match of three players cannot have is refused by name, and so are the rules of
// another number of players.
func TestThreePlayerErrors(t *testing.T) {
	r := rulestest.Rules(t, "tenhou_sanma", nil)
	m := recordtest.RareThreeMatch(t, "rob_kita")
	xml, six := mjlogOf(r, m).write(m), string(jsonOf(t, r, m))
	for _, test := range []struct{ text, old, new, want string }{
		{xml, ` hai3=""`, ` hai3="1,2"`, "<INIT>: hai3 deals tiles to the fourth seat, where three play"},
		{xml, `ten="350,350,350,0"`, `ten="350,350,350,1"`, "<INIT>: ten has points for the fourth seat, where three play"},
		{xml, `ten="350,350,350,0"`, `ten="350,350"`, "<INIT>: ten has 2 numbers; 3 are needed"},
		{xml, `<AGARI`, `<W5/><AGARI`, "<W5> is not known"},
		{xml, `<AGARI`, `<G5/><AGARI`, "<G5> is not known"},
		{xml, `<AGARI`, `<N who="3" m="31264"/><AGARI`, `<N>: who is "3"; allowed: 0 to 2`},
		{xml, `<AGARI`, `<N who="0" m="32"/><AGARI`, "<N>: 32 is no meld of 3 players"},
		{xml, `<AGARI`, `<N who="0" m="11"/><AGARI`, "<N>: 11 is no meld of 3 players"},
		{xml, `type="185"`, `type="169"`, "<INIT>: hai3 has 1 tiles; 13 are needed"},
		{six, `[35000,35000,35000,0]`, `[35000,35000,35000,1]`, "entry 1: the fourth player of a match of three has points or tiles"},
		{six, `[35000,35000,35000,0]`, `[35000,35000,35000]`, "entry 1: the list of points has 3 numbers"},
		{six, `"f44"`, `"f43"`, "player 0 gives up 3z, which he does not hold"},
	} {
		text := strings.Replace(test.text, test.old, test.new, 1)
		if text == test.text {
			t.Errorf("no %s in the record", test.old)
		}
		if got := recordtest.Complaints(tenhou.Format, text); !strings.Contains(got, test.want) {
			t.Errorf("%s: complaints %q, want %q", test.new, got, test.want)
		}
	}
	four, w := tenhouMatch(t, rulestest.Rules(t, "tenhou", nil), "greedy", 3)
	for _, test := range []struct {
		text string
		r    *ruleset.Rules
		want string
	}{
		{xml, rulestest.Rules(t, "tenhou", nil), "it is the record of a match of 3 players, and tenhou is for 4; name rules for 3 players"},
		{w.write(four), r, "it is the record of a match of 4 players, and " + r.Name + " is for 3; name rules for 4 players"},
	} {
		d := record.Replay(test.r, recordtest.Parse(t, tenhou.Format, []byte(test.text)), &sim.Match{})
		if len(d) != 1 || !strings.Contains(d[0].Message, test.want) {
			t.Errorf("differences %v, want %q", d, test.want)
		}
	}
}

// Norths set aside are among the dora in Tenhou's results, and apart in those of Mahjong
// Soul.
func TestThreePlayerNorths(t *testing.T) {
	r := rulestest.Rules(t, "mahjong_soul_sanma", nil)
	apart := 0
	for n := range uint64(4) {
		m := &sim.Match{Seed: n, Keep: sim.KeepValues}
		m.Play(r, recordtest.Agents(t, "greedy"))
		var texts []string
		for i := range m.Values {
			v := &m.Values[i]
			points := map[string]int16{}
			for _, p := range v.Patterns[:v.NumPatterns] {
				points[r.Patterns()[p.Pattern].ID] = p.Points
			}
			if dora, norths := points["dora"], points["nuki_dora"]; v.Yakuman == 0 && dora+norths > 0 {
				texts = append(texts, fmt.Sprintf(`"ドラ(%d飜)","抜きドラ(%d飜)"`, dora, norths))
			}
		}
		text := regexp.MustCompile(`"ドラ\(\d+飜\)"`).ReplaceAllStringFunc(string(jsonOf(t, r, m)), func(string) string {
			text := texts[0]
			texts = texts[1:]
			apart++
			return text
		})
		text = strings.Replace(text, `"disp":"三 `+r.Name+`"`, `"disp":"三玉の間"`, 1)
		g := recordtest.Parse(t, tenhou.Format, []byte(text))
		if g.Ruleset != "mahjong_soul_sanma" {
			t.Errorf("ruleset %s", g.Ruleset)
		}
		recordtest.CheckReplay(t, r, g, m)
	}
	if apart == 0 {
		t.Error("no hand has dora or Norths")
	}
}

// Matches of all riichi presets come back from tenhou.net/6 event for event. The
// form does not tell who declares tenpai at an exhausted wall; all who may do.
func TestWriteJSON(t *testing.T) {
	presets := slices.DeleteFunc(configs.Names(), func(name string) bool {
		return tenhou.CheckRules(rulestest.Rules(t, name, nil)) != nil
	})
	if len(presets) != 12 {
		t.Errorf("riichi presets %v", presets)
	}
	for _, preset := range presets {
		r := rulestest.Rules(t, preset, nil)
		for n := range rulestest.Sample[uint64](4, 1000) {
			m := &sim.Match{Seed: sim.MatchSeed(17, n), Keep: sim.KeepValues}
			m.Play(r, recordtest.Agents(t, []string{"eager", "greedy"}[n%2]))
			recordtest.CheckReplay(t, r, recordtest.Parse(t, tenhou.Format, jsonOf(t, r, m)), m)
			if t.Failed() {
				t.Fatalf("%s, match %d", preset, n)
			}
		}
	}
	if _, err := tenhou.WriteJSON(rulestest.Rules(t, "botzone", nil), &sim.Match{}, [sim.NumPlayers]string{}); err == nil || !strings.Contains(err.Error(), "does not support the rules of botzone") {
		t.Errorf("botzone: error %v", err)
	}
}

// A record of a game without red fives says so itself, in the game type or the
// rule.
func TestVariants(t *testing.T) {
	r, err := configs.LoadWith("tenhou", map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}})
	if err != nil {
		t.Fatal(err)
	}
	m, w := tenhouMatch(t, r, "greedy", 5)
	want := map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}, "kuitan": true, "rounds": int64(2), "starting_points": int64(25000)}
	for i, text := range []string{w.write(m), string(jsonOf(t, r, m))} {
		if i == 1 {
			delete(want, "kuitan")
			delete(want, "rounds")
		}
		g := recordtest.Parse(t, tenhou.Format, []byte(text))
		if d := cmp.Diff(want, g.Knobs); d != "" {
			t.Errorf("knobs (-want +got):\n%s", d)
		}
		recordtest.CheckReplay(t, r, g, m)
	}
	east := strings.Replace(w.write(m), `type="171"`, `type="167"`, 1)
	g := recordtest.Parse(t, tenhou.Format, []byte(east))
	want = map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}, "kuitan": false, "rounds": int64(1), "starting_points": int64(25000)}
	if d := cmp.Diff(want, g.Knobs); d != "" {
		t.Errorf("knobs of a short game (-want +got):\n%s", d)
	}
}

// Whatever is not a record of a whole match of four is refused with its place.
func TestErrors(t *testing.T) {
	m, w := tenhouMatch(t, rulestest.Rules(t, "tenhou", nil), "greedy", 3)
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
		{good[:strings.Index(good, "<INIT")], "the record is truncated after"},
		{replace("<SHUFFLE", "<BYE><BYE/></BYE><SHUFFLE"), "element 3: <BYE> inside another element"},
		{replace(`<mjloggm ver="2.3">`, `<!DOCTYPE a [<!ENTITY b "b">]><mjloggm>`), "element 1: a document type is declared"},
		{replace(`lobby="0"`, `lobby="&b;"`), "element 3: syntax error on line 1: invalid character entity &b;"},
		{replace(`<GO type="169"`, `<GO type="185"`), "element 6: <INIT>: ten has points for the fourth seat, where three play"},
		{replace(`<AGARI`, `<GO type="185"/><AGARI`), "<GO> after the beginning of the match"},
		{replace(`<GO type="169" lobby="0"/>`, ""), "element 5: <GO> with the game type is missing; red fives, open tanyao and two rounds are taken"},
		{replace(tenhou.Shuffle+",", tenhou.Shuffle+",%%"), "element 2: <SHUFFLE>: the seed is no base64"},
		{replace(tenhou.Shuffle+",", tenhou.Shuffle+",AAAA"), "element 2: <SHUFFLE>: the seed has 2499 bytes; 2496 are needed"},
		{replace(`<INIT seed="`, `<INIT seed="x`), `<INIT>: seed is "x0"; allowed: 0 to 1024`},
		{replace(`hai0="`, `hai0="1,`), "<INIT>: hai0 has 14 tiles; 13 are needed"},
		{replace(`<INIT`, `<T5/><INIT`), "element 6: <T5> outside a hand"},
		{replace(`<AGARI`, `<X5/><AGARI`), "<X5> is not known"},
		{replace(`<AGARI`, `<T136/><AGARI`), "<T136> is not known"},
		{replace(`<AGARI`, `<N who="0" m="65535"/><AGARI`), "<N>: 65535 is no meld of 4 players"},
		{replace(`<AGARI`, `<N who="0" m="32"/><AGARI`), "<N>: 32 is no meld of 4 players"},
		{replace(`<AGARI`, `<N who="0" m="10"/><AGARI`), "which is not the last discard"},
		{replace(`<AGARI`, `<INIT/><AGARI`), "<INIT> within a hand"},
		{replace(`</mjloggm>`, `<INIT/></mjloggm>`), "<INIT> after the end of the match"},
		{replace(`who="`, `who="4`), `allowed: 0 to 3`},
		{`<svg/>`, "element 1: the record begins with <svg>, not with <mjloggm>"},
		{`<mjloggm/>`, "the record has no hand"},
		{`hello`, "it is neither Tenhou's XML nor its JSON"},
	} {
		if got := recordtest.Complaints(tenhou.Format, test.text); !strings.Contains(got, test.want) {
			t.Errorf("complaints %q, want %q", got, test.want)
		}
	}
}

// first is a hand of a JSON record in which exactly one order of the turns fits.
// Whoever claims the first discard that he might claim goes astray.
const first = `{"name":["a","b","c","d"],"rule":{"aka":0},"log":[[[0,0,0],[25000,25000,25000,25000],[37],[],
[11,13,14,15,16,17,18,18,41,45,45,46,46],[31,"4646p46","4545p45","18p1818"],[60,11,41,17],
[21,21,22,22,23,23,27,28,29,46,46,45,45],[29,"21p2121",29,"2222p22",43,"23p2323"],[46,46,45,45,60,29],
[11,12,13,14,15,16,17,18,18,35,35,47,47],[41,22,35,47],[60,60,18,"r18"],
[31,32,33,34,35,36,37,42,42,44,44,43,43],[21,23],[60,60],["和了",[-3200,0,3200,0],[1,0,0]]]]}`

// The order of the turns is found wherever one fits.
func TestOrder(t *testing.T) {
	h := recordtest.Parse(t, tenhou.Format, []byte(strings.ReplaceAll(first, "\n", ""))).Hands[0]
	var claims []string
	for _, e := range h.Events {
		switch e.Type {
		case sim.EvPon:
			claims = append(claims, fmt.Sprintf("%d %v of %d", e.Player, e.Tile, e.Detail&3))
		}
	}
	if want := []string{"1 1p of 3", "0 6z of 1", "1 2p of 2", "0 5z of 1", "1 3p of 3", "0 8m of 2"}; !slices.Equal(claims, want) || h.Alternatives != nil {
		t.Errorf("claims %q, want %q; %d other orders", claims, want, len(h.Alternatives))
	}
	for _, test := range []struct{ old, new, want string }{
		{`[21,23],[60,60]`, `[21,24],[60,60]`, "entry 1: no order of the turns fits; the longest that can be followed ends because player 1 can only go on by claiming \"23p2323\""},
		{`[1,0,0]`, `[1,3,0]`, "entry 1: no order of the turns fits; the longest that can be followed ends because the result cannot follow"},
		{`"4646p46"`, `"4646p47"`, `entry 1: no order of the turns fits; the longest that can be followed ends because player 0 can only go on by claiming "4646p47", which is not there to be claimed`},
		{`[60,11,41,17]`, `[60,11,41,19]`, "ends because player 0 gives up 9m, which he does not hold"},
	} {
		text := strings.Replace(strings.ReplaceAll(first, "\n", ""), test.old, test.new, 1)
		if got := recordtest.Complaints(tenhou.Format, text); !strings.Contains(got, test.want) {
			t.Errorf("%s: complaints %q, want %q", test.new, got, test.want)
		}
	}
}

// Records come one a line, in arrays, in links, packed together with others, and
// what is broken among them is left out.
func TestForms(t *testing.T) {
	text, err := os.ReadFile("../testdata/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	sample := strings.TrimSpace(string(text))
	xml, err := os.ReadFile("../testdata/sample.mjlog")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text string
		games      int
		errs       []string
	}{
		{"lines", sample + "\n" + sample + "\n", 2, nil},
		{"in a row", sample + sample, 2, nil},
		{"array", "[" + sample + ",\n" + sample + "]", 2, nil},
		{"links", "https://tenhou.net/6/#json=" + url.PathEscape(sample) + "\nhttp://tenhou.net/5/#json=" + sample + "\n", 2, nil},
		{"bare link", "https://tenhou.net/0/?log=2009022011gm-00a9-0000-d7935c6d\n" + sample, 1, []string{"the link does not contain the record"}},
		{"damaged link", "https://tenhou.net/6/#json=%7\n" + sample, 1, []string{"the link is damaged"}},
		{"broken line", sample[:300] + "\n" + sample, 1, []string{"no record of tenhou.net/6"}},
		{"line with whole hands", sample[:5000] + "\n" + sample, 2, nil},
		{"xml and json", string(xml) + "\n" + sample + "\n" + string(xml[:9000]) + string(xml), 4, nil},
		{"other text", "hello\n" + sample, 1, []string{"it is neither Tenhou's XML nor its JSON"}},
	} {
		var errs []string
		games := 0
		for _, err := range tenhou.Format.Read(strings.NewReader(test.text)) {
			if err != nil {
				errs = append(errs, err.Error())
			} else {
				games++
			}
		}
		if games != test.games || len(errs) != len(test.errs) {
			t.Errorf("%s: %d games, errors %q; want %d, %q", test.name, games, errs, test.games, test.errs)
			continue
		}
		for i, want := range test.errs {
			if !strings.Contains(errs[i], want) {
				t.Errorf("%s: error %q, want %q", test.name, errs[i], want)
			}
		}
	}
}

// A record that breaks off in the midst of a hand has the hands before.
func TestCut(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	m, w := tenhouMatch(t, r, "greedy", 3)
	good := w.write(m)
	third := strings.Index(good, "<INIT")
	for range 2 {
		third += 5 + strings.Index(good[third+5:], "<INIT")
	}
	for _, text := range []string{good[:third+600], good[:third+strings.Index(good[third:], "/>")+2], good[:third+600+strings.Index(good[third+600:], "/>")+2] + "</mjloggm>"} {
		g := recordtest.Parse(t, tenhou.Format, []byte(text))
		if len(g.Hands) != 2 || g.Truncation == nil {
			t.Fatalf("%d hands, cut %v", len(g.Hands), g.Truncation)
		}
		part := &sim.Match{}
		d := record.Replay(r, g, part)
		if record.Agrees(d) || !record.AgreesInPart(d) || len(part.Hands) != 2 || !part.Truncated {
			t.Errorf("differences %v, %d hands", d, len(part.Hands))
		}
	}
}

// What a result does not tell is not compared: the yaku may be left out.
func TestResultWithoutYaku(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	m, w := tenhouMatch(t, r, "greedy", 2)
	text := string(jsonOf(t, r, m))
	bare := regexp.MustCompile(`(点∀?")(,"[^"]*")+`).ReplaceAllString(text, "$1")
	if bare == text {
		t.Fatal("nobody wins in the match")
	}
	recordtest.CheckReplay(t, r, recordtest.Parse(t, tenhou.Format, []byte(bare)), m)
	xml := regexp.MustCompile(` yaku(man)?="[^"]*"`).ReplaceAllString(w.write(m), "")
	recordtest.CheckReplay(t, r, recordtest.Parse(t, tenhou.Format, []byte(xml)), m)
}

func TestJSONErrors(t *testing.T) {
	m, _ := tenhouMatch(t, rulestest.Rules(t, "tenhou", nil), "eager", 3)
	good := string(jsonOf(t, rulestest.Rules(t, "tenhou", nil), m))
	replace := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s in the record", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, test := range []struct{ text, want string }{
		{good[:300], "no record of tenhou.net/6: the JSON breaks off"},
		{good[:3000], "entry 5: the JSON breaks off"},
		{replace(`"disp":"tenhou"`, `"disp":"般三喰赤"`), `rule "般三喰赤" is played by three, but the record has a fourth player`},
		{replace(`"log":[[[0,0,0]`, `"log":[[[0,0]`), "entry 1: the beginning has 2 numbers; 3 are needed"},
		{replace(`"log":[[[0,0,0],[25000,`, `"log":[[[0,0,0],[`), "entry 1: the list of points has 3 numbers; 4 are needed"},
		{replace(`"log":[[[0,0,0],`, `"log":[[`), "entry 1: it has 16 parts; a hand has 17"},
		{replace(`"log":[[[0,0,0],`, `"log":[[[0,0,0],[],`), "entry 1: part 3: 25000 is no tile"},
		{replace(`,60,`, `,77,`), "77 is no tile"},
		{replace(`,60,`, `,"q11",`), `"q11" is no discard, no kan and no North set aside`},
		{replace(`"流局"`, `"流"`), `result "流" is not known`},
		{`{}`, "it has no hand in log"},
	} {
		if got := recordtest.Complaints(tenhou.Format, test.text); !strings.Contains(got, test.want) {
			t.Errorf("complaints %q, want %q", got, test.want)
		}
	}
}

// TestTenhouRecords replays the real records in the folder that SPARROWHALL_RECORDS
// names; they are not part of the project.
func TestRecords(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	for _, path := range recordtest.Records(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := &sim.Match{Keep: sim.KeepValues}
		d := record.Replay(r, recordtest.Parse(t, tenhou.Format, text), m)
		for _, d := range d {
			t.Errorf("%s: hand %d: %s: %s", path, d.Hand, d.Place, d.Message)
		}
		if d != nil {
			continue
		}
		// They come back from tenhou.net/6 as well, but for the tiles nobody saw.
		six := &sim.Match{}
		for _, d := range record.Replay(r, recordtest.Parse(t, tenhou.Format, jsonOf(t, r, m)), six) {
			t.Errorf("%s: as JSON: hand %d: %s: %s", path, d.Hand, d.Place, d.Message)
		}
		if !slices.Equal(six.Events, m.Events) {
			t.Errorf("%s: as JSON it is another match", path)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the sample records")

// The samples are as other programs write them and stay readable.
func TestSamples(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	for _, file := range []string{"sample.mjlog", "sample.json"} {
		path := filepath.Join("..", "testdata", file)
		if *update {
			m, w := tenhouMatch(t, r, "greedy", 13)
			text := []byte(w.write(m))
			if file == "sample.json" {
				text = bytes.Replace(jsonOf(t, r, m), []byte(`"disp":"tenhou"`), []byte(`"disp":"般南喰赤"`), 1)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
