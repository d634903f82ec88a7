package cases_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
)

//go:generate go test -run ^TestDocs$ . -update

// base is a case without fault; tests change members of it.
const base = `{"id":"x","ruleset":"ema_2016","concealed":"345p456m67s88s",` +
	`"melds":[{"type":"chi","tiles":"234m","from":"E"}],"win_tile":"5s","self_draw":false,` +
	`"from":"W","seat":"S","round":"E","flags":[],"dora_indicators":"1z","honba":1,"deposits":2}`

// change returns the base case with members replaced by those of an object;
// null takes a member away.
func change(t *testing.T, with string) []byte {
	t.Helper()
	var c, changes map[string]json.RawMessage
	if err := json.Unmarshal([]byte(base), &c); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(with), &changes); err != nil {
		t.Fatal(err)
	}
	for name, value := range changes {
		if c[name] = value; string(value) == "null" {
			delete(c, name)
		}
	}
	line, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// closed is a closed hand in place of the open one.
const closed = `"concealed":"23m456m678p345s88p","melds":[],"win_tile":"4m"`

// TestAnswers compares whole answers.
func TestAnswers(t *testing.T) {
	for _, c := range []struct{ name, with, want string }{
		{
			"a win", `{}`,
			`{"id":"x","win":true,"patterns":[["tanyao",1]],"han":1,"fu":30,"points":1000,` +
				`"payments":{"E":0,"S":3300,"W":-1300,"N":0}}`,
		},
		{
			"nobody gave the tile", `{"from":null,"id":7}`,
			`{"id":7,"win":true,"patterns":[["tanyao",1]],"han":1,"fu":30,"points":1000}`,
		},
		{
			"no yaku", `{"concealed":"345p456m67s99s","dora_indicators":"8s"}`,
			`{"id":"x","win":false,"reason":"the hand does not reach min_win = 1","patterns":[["dora",2]],` +
				`"han":2,"fu":30,"points":2000}`,
		},
		{
			"no yaku where orphans may rob a closed kan", `{"ruleset":"mahjong_soul","concealed":"345p456m67s99s"}`,
			`{"id":"x","win":false,"reason":"the hand does not reach min_win = 1","patterns":[],"fu":30,"points":0}`,
		},
		{
			"the highest chi", `{"concealed":"345p456m67s99s","melds":[{"type":"chi","tiles":"789m"}]}`,
			`{"id":"x","win":false,"reason":"the hand does not reach min_win = 1","patterns":[],"fu":30,"points":0}`,
		},
		{
			"nothing at all", `{"concealed":"345p456m67s99s","id":null}`,
			`{"id":null,"win":false,"reason":"the hand does not reach min_win = 1","patterns":[],"fu":30,"points":0}`,
		},
		{
			"no hand", `{"concealed":"345p457m67s88s"}`,
			`{"id":"x","win":false,"reason":"the tiles make no complete hand"}`,
		},
		{
			"a yakuman has no han", `{"concealed":"19m19p19s1234567z","melds":[],"win_tile":"7z","ruleset":"mahjong_soul"}`,
			`{"id":"x","win":true,"patterns":[["kokushi_musou_13",2]],"points":64000,` +
				`"payments":{"E":0,"S":66300,"W":-64300,"N":0}}`,
		},
		{
			"robbing a closed kan", `{"ruleset":"mahjong_soul","flags":["robbing_closed_kan"]}`,
			`{"id":"x","win":false,"reason":"only thirteen orphans may rob a closed kan","patterns":[["tanyao",1]],` +
				`"han":1,"fu":30,"points":1000}`,
		},
		{
			"knobs over the preset", `{"config":{"kuitan":false}}`,
			`{"id":"x","win":false,"reason":"the hand does not reach min_win = 1","patterns":[],"fu":30,"points":0}`,
		},
		{
			"the default ruleset", `{"ruleset":null,"concealed":"340p456m67s88s"}`,
			`{"id":"x","win":true,"patterns":[["tanyao",1],["aka_dora",1]],"han":2,"fu":30,"points":2000,` +
				`"payments":{"E":0,"S":4300,"W":-2300,"N":0}}`,
		},
		{
			"letters of HTML", `{"id":"<&>"}`,
			`{"id":"<&>","win":true,"patterns":[["tanyao",1]],"han":1,"fu":30,"points":1000,` +
				`"payments":{"E":0,"S":3300,"W":-1300,"N":0}}`,
		},
		{
			"expect and note are read past", `{"expect":[1,{"a":2}],"note":3}`,
			`{"id":"x","win":true,"patterns":[["tanyao",1]],"han":1,"fu":30,"points":1000,` +
				`"payments":{"E":0,"S":3300,"W":-1300,"N":0}}`,
		},
		{
			"own stick among the deposits", `{` + closed + `,"flags":["riichi"],"ura_indicators":"3z"}`,
			`{"id":"x","win":true,"patterns":[["riichi",1],["pinfu",1],["tanyao",1]],"han":3,"fu":30,"points":3900,` +
				`"payments":{"E":0,"S":6200,"W":-4200,"N":0}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := cases.Score(change(t, c.with), "tenhou", configs.LoadWith)
			if string(got) != c.want || !ok {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestErrors reads lines that are at fault: the answer names the member and says
// what is wrong with it.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ with, want string }{
		{`{"foo":1}`, `unknown member "foo": members are concealed, win_tile`},
		{`{"id":[1]}`, `id: [1] is not a text or a number`},
		{`{"ruleset":"ema"}`, `ruleset: `},
		{`{"ruleset":5}`, `ruleset: 5 is not a name`},
		{`{"config":{"kuitan":1}}`, `kuitan`},
		{`{"config":[]}`, `config: [] is not an object of knobs`},
		{`{"concealed":null}`, `concealed: missing`},
		{`{"concealed":"345p456m67s8s"}`, `concealed: 9 tiles, want 10 besides the winning tile with 1 melds`},
		{`{"concealed":"345p456m67s88x"}`, `concealed: tile: `},
		{`{"concealed":"` + strings.Repeat("1", 5000) + `m"}`, `concealed: 5000 tiles, at most 16 can belong here`},
		{`{"concealed":"345p456m55s55s"}`, `win_tile: tile: more than four 5s`},
		{`{"concealed":"345p456m67s8s1f"}`, `concealed: 1f: flowers belong in the member flowers`},
		{`{"concealed":"345p406m67s88s"}`, `concealed: more 0m than the 0 of the ruleset`},
		{`{"concealed":"345p406m67s88s","dora_indicators":"0m","ruleset":"tenhou"}`, `dora_indicators: more 0m than the 1 of the ruleset`},
		{`{"melds":{}}`, `melds: {} is not a list of melds`},
		{`{"melds":[{"type":"chi","tiles":"234z"}]}`, `melds: meld 1: tiles: 234z is no chi`},
		{`{"melds":[{"type":"chi","tiles":"891m"}]}`, `melds: meld 1: tiles: 891m is no chi`},
		{`{"melds":[{"type":"pon","tiles":"223m"}]}`, `melds: meld 1: tiles: 223m is no pon`},
		{`{"melds":[{"type":"pon","tiles":"2222m"}]}`, `melds: meld 1: tiles: 4 tiles, a pon has 3`},
		{`{"melds":[{"type":"closed_kan","tiles":"222m"}]}`, `melds: meld 1: tiles: 3 tiles, a closed_kan has 4`},
		{`{"melds":[{"type":"chow","tiles":"234m"}]}`, `melds: meld 1: type: "chow" is not chi, pon, open_kan, added_kan or closed_kan`},
		{`{"melds":[{"type":"pon","tiles":"1f1f1f"}]}`, `melds: 1f: flowers belong in the member flowers`},
		{`{"melds":[{"tiles":"234m"}]}`, `melds: meld 1: type: missing`},
		{`{"melds":[{"type":"chi","tiles":"234m","tile":1}]}`, `melds: meld 1: unknown member "tile"`},
		{`{"melds":[{"type":"` + strings.Repeat("x", 41) + `","tiles":"234m"}]}`, `melds: meld 1: type: "` + strings.Repeat("x", 40) + `..." is not chi`},
		{`{"melds":[{"type":"` + strings.Repeat("x", 40) + `","tiles":"234m"}]}`, `melds: meld 1: type: "` + strings.Repeat("x", 40) + `" is not chi`},
		{`{"melds":[{"type":"chi","tiles":"234m","from":"W"}]}`, `melds: meld 1: from: a chi is claimed from the player to the left, E`},
		{`{"melds":[{"type":"pon","tiles":"222m","from":"S"}]}`, `melds: meld 1: from: S is the winner's own seat`},
		{`{"melds":[{"type":"closed_kan","tiles":"2222m","from":"E"}]}`, `melds: meld 1: from: no player gives a tile of a closed_kan`},
		{`{"melds":[1]}`, `melds: meld 1: not a JSON object`},
		{`{"win_tile":""}`, `win_tile: missing`},
		{`{"win_tile":null}`, `win_tile: missing`},
		{`{"win_tile":"56s"}`, `win_tile: 2 tiles, want one`},
		{`{"win_tile":"1f"}`, `win_tile: 1f: flowers belong in the member flowers`},
		{`{"self_draw":"yes"}`, `self_draw: "yes" is not true or false`},
		{`{"self_draw":true}`, `from: no player gives the tile of a self-draw`},
		{`{"seat":"s"}`, `seat: "s" is not E, S, W or N`},
		{`{"round":1}`, `round: 1 is not E, S, W or N`},
		{`{"from":"S"}`, `from: S is the winner's own seat`},
		{`{"honba":-1}`, `honba: -1 is not an integer 0..1000`},
		{`{"honba":1.5}`, `honba: 1.5 is not an integer 0..1000`},
		{`{"deposits":100000}`, `deposits: 100000 is not an integer 0..1000`},
		{`{"dora_indicators":"123456m"}`, `dora_indicators: 6 tiles, at most 5 are possible`},
		{`{"ura_indicators":"12m"}`, `ura_indicators: 2 tiles, at most 1 are possible`},
		{`{"flowers":"1f"}`, `flowers: cases of riichi rulesets do not have it; leave it out`},
		{`{"dealer":true}`, `dealer: cases of riichi rulesets do not have it; leave it out`},
		{`{"responsible":"W"}`, `responsible: cases of riichi rulesets do not have it; leave it out`},
		{`{"liable":{"daisangen":"S"}}`, `liable: daisangen: S is the winner's own seat`},
		{`{"liable":{"toitoi":"W"}}`, `liable: "toitoi": the ruleset knows liability for daisangen, daisuushii, nothing else`},
		{`{"liable":{"":"W"}}`, `liable: "": the ruleset knows liability for daisangen, daisuushii`},
		{`{"liable":{"daisangen":5}}`, `liable: daisangen: 5 is not E, S, W or N`},
		{`{"flags":"riichi"}`, `flags: "riichi" is not a list of flags`},
		{`{"flags":["rinshan"]}`, `flags: unknown flag "rinshan": flags are riichi, double_riichi`},
		{`{"flags":["river"]}`, `flags: unknown flag "river"`},
		{`{"flags":["river:300"]}`, `flags: river: "300" is not an integer 0..255`},
		{`{"flags":["river:3"]}`, `flags: river is none of the riichi flags riichi, double_riichi, ippatsu, last_tile`},
		{`{"flags":["sole_live"]}`, `flags: sole_live is none of the riichi flags`},
		{`{"flags":["last_tile","last_tile"]}`, `flags: last_tile: given twice`},
		{`{"flags":["riichi"]}`, `flags: riichi: needs a closed hand, but melds has an open one`},
		{`{"flags":["ippatsu"]}`, `flags: ippatsu: needs riichi or double_riichi`},
		{`{"flags":["after_kan"]}`, `flags: after_kan: needs self_draw true`},
		{`{"flags":["after_kan"],"self_draw":true,"from":null}`, `flags: after_kan: needs a kan among the melds`},
		{
			`{"flags":["riichi","ippatsu","after_kan"],"self_draw":true,"from":null,"melds":[{"type":"closed_kan","tiles":"2222m"}]}`,
			`flags: ippatsu and after_kan cannot both be`,
		},
		{
			`{"flags":["last_tile","after_kan"],"self_draw":true,"from":null,"melds":[{"type":"closed_kan","tiles":"2222m"}]}`,
			`flags: last_tile and after_kan cannot both be: the ruleset's rinshan_counts_as_haitei is false`,
		},
		{`{"flags":["robbing_kan"],"self_draw":true,"from":null}`, `flags: robbing_kan: needs self_draw false`},
		{`{"flags":["robbing_kan","robbing_closed_kan"],"ruleset":"mahjong_soul"}`, `flags: robbing_kan and robbing_closed_kan cannot both be`},
		{`{"flags":["robbing_kan"],"config":{"rob_added_kan":false}}`, `flags: robbing_kan: the ruleset's rob_added_kan is false`},
		{`{"flags":["robbing_kan"],"config":{"max_kans":0}}`, `melds: 1 kans, one that is robbed included, but the ruleset's max_kans is 0`},
		{
			`{"flags":["after_kan"],"self_draw":true,"from":null,"melds":[{"type":"closed_kan","tiles":"2222m"}],"config":{"max_kans":0}}`,
			`melds: 1 kans, one that is robbed included, but the ruleset's max_kans is 0`,
		},
		{`{` + closed + `,"dora_indicators":"1z2z","config":{"max_kans":0}}`, `dora_indicators: 2 tiles, but no kan can have turned a second one`},
		{`{"flags":["robbing_closed_kan"]}`, `flags: robbing_closed_kan: the ruleset's rob_closed_kan is never`},
		{`{"flags":["robbing_kan","last_tile"]}`, `flags: last_tile and robbing_kan cannot both be`},
		{`{"flags":["heavenly"]}`, `flags: heavenly: comes before any call, but melds has an open one`},
		{`{` + closed + `,"flags":["heavenly","riichi"]}`, `flags: riichi and heavenly cannot both be`},
		{`{` + closed + `,"flags":["heavenly"]}`, `flags: heavenly: is the dealer's self-draw`},
		{`{` + closed + `,"flags":["earthly"]}`, `flags: earthly: is a self-draw of another than the dealer`},
		{`{` + closed + `,"flags":["human"],"seat":"E"}`, `flags: human: is a win on a discard by another than the dealer`},
	} {
		answer, ok := cases.Score(change(t, c.with), "", configs.LoadWith)
		var got struct {
			ID    json.RawMessage
			Error string
		}
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatal(err)
		}
		if ok || !strings.Contains(got.Error, c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.with, answer, c.want)
		}
		if string(got.ID) != `"x"` && !strings.Contains(c.with, `"id"`) {
			t.Errorf("%s: the answer names %s", c.with, got.ID)
		}
	}
}

// TestContradictions refuses flags that cannot be true of one win, or not of this
// one, in the families other than riichi, and names both sides.
func TestContradictions(t *testing.T) {
	hands := map[string]string{
		"zung_jung": `"concealed":"23m456p789s44s111z","melds":[],"win_tile":"1m"`,
		"mcr_2006":  `"concealed":"23m456p789s44s","melds":[{"type":"closed_kan","tiles":"1111z"}],"win_tile":"1m","flowers":"1f"`,
		"hkma_hktw": `"concealed":"23m456m456p789p33s888s","melds":[],"win_tile":"1m","flowers":"1f"`,
	}
	for _, c := range []struct{ ruleset, with, want string }{
		{"zung_jung", `"self_draw":false,"seat":"E","flags":["heavenly"]`, "flags: heavenly: is the dealer's self-draw: needs self_draw true and seat E"},
		{"zung_jung", `"self_draw":true,"seat":"S","flags":["heavenly"]`, "flags: heavenly: is the dealer's self-draw: needs"},
		{"zung_jung", `"self_draw":true,"seat":"S","flags":["earthly"]`, "flags: earthly: is a win on the dealer's first discard: needs self_draw false"},
		{"zung_jung", `"self_draw":false,"seat":"S","from":"W","flags":["earthly"]`, "flags: earthly: is a win on the dealer's first discard: needs self_draw false, a seat other than E and from E"},
		{"zung_jung", `"self_draw":false,"seat":"S","flags":["earthly","last_tile"]`, "flags: last_tile and earthly cannot both be"},
		{"mcr_2006", `"self_draw":false,"seat":"S","flags":["last_tile","robbing_kan"]`, "flags: last_tile and robbing_kan cannot both be"},
		{"mcr_2006", `"self_draw":true,"seat":"S","flags":["after_flower","after_kan"]`, "flags: after_kan and after_flower cannot both be"},
		{"mcr_2006", `"self_draw":true,"seat":"E","flags":["heavenly"]`, "flags: heavenly: comes before any call and kan, but melds is not empty"},
		{"hkma_hktw", `"self_draw":true,"seat":"S","flags":["triple_win"]`, "flags: triple_win: needs self_draw false"},
		{"hkma_hktw", `"self_draw":false,"seat":"S","flags":["triple_win","double_win"]`, "flags: double_win and triple_win cannot both be"},
		{"hkma_hktw", `"self_draw":false,"seat":"S","flags":["ready","ready_heaven"]`, "flags: ready and ready_heaven cannot both be"},
		{"hkma_hktw", `"self_draw":false,"seat":"S","flags":["ippatsu"]`, "flags: ippatsu: needs ready, ready_human"},
		{"hkma_hktw", `"self_draw":true,"seat":"E","flags":["heavenly","river:3"]`, "flags: heavenly: comes before any discard, but river counts some"},
		{"hkma_hktw", `"self_draw":true,"seat":"E","flags":["heavenly","human"]`, "flags: heavenly and human cannot both be"},
		{"hkma_hktw", `"self_draw":true,"seat":"S","flags":["tail_draws:2"]`, "flags: tail_draws: needs after_kan or after_flower"},
		{"hkma_hktw", `"self_draw":false,"seat":"E","from":"S","dealer":false,"dealer_streak":3,"flags":[]`, "dealer: false disagrees with seat E and from S, where East deals: the hand has 13 points, but 20 are paid for it"},
		{"hkma_hktw", `"self_draw":false,"seat":"S","from":"W","dealer":true,"flags":[]`, "dealer: true disagrees with seat S and from W, where East deals"},
		{"hkma_hktw", `"self_draw":true,"seat":"E","dealer":false,"flags":[]`, "dealer: false disagrees with seat E and self_draw true"},
	} {
		line := `{"id":"x","ruleset":"` + c.ruleset + `",` + hands[c.ruleset] + `,"round":"E",` + c.with + `}`
		answer, ok := cases.Score([]byte(line), "", configs.LoadWith)
		if ok || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", line, answer, c.want)
		}
	}
}

// TestAfterFlower asks for a flower where one was replaced; one is enough.
func TestAfterFlower(t *testing.T) {
	for flowers, want := range map[string]bool{"": false, "1f": true, "12f": true} {
		line := `{"ruleset":"mcr_2006","concealed":"23m456p789s44s111z","melds":[],"win_tile":"1m","round":"E","seat":"S",` +
			`"self_draw":true,"flags":["after_flower"],"flowers":"` + flowers + `"}`
		if answer, ok := cases.Score([]byte(line), "", configs.LoadWith); ok != want {
			t.Errorf("flowers %q: %s", flowers, answer)
		}
	}
}

// TestDealerItem leaves out whether the dealer item applies: it follows from the
// seats, and points and payments agree.
func TestDealerItem(t *testing.T) {
	for _, c := range []struct{ with, want string }{
		{`"self_draw":false,"seat":"E","from":"S","dealer_streak":3`, `"points":22,"payments":{"E":22,"S":-22,`},
		{`"self_draw":false,"seat":"S","from":"E","dealer_streak":3`, `"points":22,"payments":{"E":-22,"S":22,`},
		{`"self_draw":false,"seat":"S","from":"W","dealer_streak":3`, `"points":15,"payments":{"E":0,"S":15,"W":-15,`},
		{`"self_draw":true,"seat":"E","dealer_streak":3`, `"points":24,"payments":{"E":72,"S":-24,"W":-24,"N":-24}`},
		{`"self_draw":true,"seat":"S","dealer_streak":3`, `"points":17,"payments":{"E":-24,"S":58,"W":-17,"N":-17}`},
		{`"self_draw":false,"seat":"E","from":"S","dealer":true,"dealer_streak":3`, `"points":22,"payments":{"E":22,"S":-22,`},
	} {
		line := `{"ruleset":"hkma_hktw","concealed":"23m456m456p789p33s888s","melds":[],"win_tile":"1m","round":"E","flags":[],` + c.with + `}`
		if answer, ok := cases.Score([]byte(line), "", configs.LoadWith); !ok || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", line, answer, c.want)
		}
	}
}

// TestDocs holds the tables of members and flags in the documentation.
func TestDocs(t *testing.T) {
	golden.HoldBlock(t, "../../docs/scoring.md", "members and flags", cases.Page(configs.Families))
}

// TestBrokenLines reads what is not one JSON object.
func TestBrokenLines(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{``, `{"id":null,"error":"not a JSON object"}`},
		{`[]`, `{"id":null,"error":"not a JSON object"}`},
		{`{`, `{"id":null,"error":"not a JSON object: the line ends too early"}`},
		{`{"id":"a","melds":`, `{"id":"a","error":"not a JSON object: the line ends too early"}`},
		{base + base, `{"id":"x","error":"more than one JSON object on the line"}`},
		{`{"id":1,"id":2}`, `{"id":1,"error":"id: given twice"}`},
		{`{"id":"a"}`, `{"id":"a","error":"concealed: missing"}`},
		{`{"id":"` + "\xff" + `"}`, `{"id":"` + "\ufffd" + `","error":"concealed: missing"}`},
		{strings.Repeat(" ", cases.MaxLine+1), `{"id":null,"error":"the line has more than 65536 bytes, the most that is read; write one hand on a line"}`},
		{`{"note":` + strings.Repeat("[", 30_000), `{"id":null,"error":"not a JSON object: invalid character '[' exceeded max depth"}`},
	} {
		got, ok := cases.Score([]byte(c.line), "ema_2016", configs.LoadWith)
		if string(got) != c.want || ok {
			t.Errorf("%.40q:\ngot  %s\nwant %s", c.line, got, c.want)
		}
	}
	if got, ok := cases.Score(change(t, `{"ruleset":null}`), "", configs.LoadWith); ok || string(got) != `{"id":"x","error":"ruleset: missing"}` {
		t.Errorf("without a ruleset: %s", got)
	}
}

// TestLiableOrder holds that the order of the member is that of the liabilities:
// the earlier liable player pays for both yakuman where only the first one is
// liable (S0 pay 5).
func TestLiableOrder(t *testing.T) {
	const hand = `{"ruleset":"hkma_league_a","concealed":"3p","melds":[` +
		`{"type":"open_kan","tiles":"5555z"},{"type":"open_kan","tiles":"6666z"},` +
		`{"type":"open_kan","tiles":"7777z"},{"type":"open_kan","tiles":"2222p"}],` +
		`"win_tile":"3p","self_draw":true,"seat":"S","round":"E","liable":`
	for liable, want := range map[string]string{
		`{"daisangen":"W","suukantsu":"N"}`: `"payments":{"E":0,"S":64000,"W":-64000,"N":0}`,
		`{"suukantsu":"N","daisangen":"W"}`: `"payments":{"E":0,"S":64000,"W":0,"N":-64000}`,
	} {
		got, ok := cases.Score([]byte(hand+liable+"}"), "", configs.LoadWith)
		if !ok || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, want %s", liable, got, want)
		}
	}
}

// TestCheck compares answers with what is expected of them.
func TestCheck(t *testing.T) {
	const answer = `{"win":true,"patterns":[["a",1],["b",2],["b",2]],"points":8,"payments":{"E":0,"S":1}}`
	for _, c := range []struct {
		expect string
		ok     bool
	}{
		{`{}`, true},
		{`{"win":true,"points":8.0}`, true},
		{`{"payments":{"S":1,"E":0}}`, true},
		{`{"patterns":[["b",2],["a",1],["b"]]}`, true},
		{`{"win":false}`, false},
		{`{"points":9}`, false},
		{`{"fu":30}`, false},
		{`{"payments":{"E":0}}`, false},
		{`{"patterns":[["a",1],["b",2]]}`, false},
		{`{"patterns":[["a",1],["a",1],["b",2]]}`, false},
		{`{"patterns":[["a",2],["b",2],["b",2]]}`, false},
		{`{"patterns":[[],["b",2],["b",2]]}`, false},
		{`{"patterns":5}`, false},
		{`[]`, false},
	} {
		if err := cases.Check([]byte(c.expect), []byte(answer)); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.expect, err)
		}
	}
	if err := cases.Check([]byte(`{}`), []byte(`nothing`)); err == nil {
		t.Error("an answer that is no object passes")
	}
}

// otherFamily is a ruleset of a family with flowers, as the cases of those to
// come need it; it values nothing.
func otherFamily(family string, size int) *ruleset.Rules {
	return &ruleset.Rules{
		Family: family,
		Traits: configs.FamilyNamed(family).Traits,
		Flow:   ruleset.Flow{HandSize: size, Flowers: ruleset.ForcedFlowers, RobAddedKan: true, Ready: ruleset.Ding, FlowerWinSeven: true, MaxKans: ruleset.NoLimit},
	}
}

// TestOtherFamilies reads what only other families' cases have into a win.
func TestOtherFamilies(t *testing.T) {
	c, err := cases.Parse([]byte(`{"concealed":"678m345p67s44z","melds":[{"type":"chi","tiles":"234m"},` +
		`{"type":"closed_kan","tiles":"2222z"}],"win_tile":"8s","self_draw":true,"seat":"S","round":"E",` +
		`"flags":["ready","after_flower","river:7","tail_draws:3"],"flowers":"7f1f","dealer":true,"dealer_streak":2}`))
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Win(otherFamily("hktw", 16))
	if err != nil {
		t.Fatal(err)
	}
	if w.Flags != ruleset.FlagReady|ruleset.FlagAfterFlower || w.Discards != 7 || w.TailDraws != 3 ||
		w.Flowers != 1<<6|1<<0 || !w.Dealer || w.Streak != 2 || w.Hand.Len() != 11 || w.NumMelds != 2 {
		t.Errorf("%+v", w)
	}
	c, err = cases.Parse([]byte(`{"concealed":"678m345p67s44z","melds":[{"type":"chi","tiles":"234m"},` +
		`{"type":"pon","tiles":"222z"}],"win_tile":"","self_draw":false,"seat":"S","round":"E",` +
		`"flags":["flower_win_7"],"flowers":"1f2f3f4f5f6f7f"}`))
	if err != nil {
		t.Fatal(err)
	}
	if w, err = c.Win(otherFamily("hktw", 16)); err != nil || w.Tile != 0xff || w.Hand.Len() != 10 {
		t.Errorf("flower win: %+v, %v", w, err)
	}
	if _, err = c.Win(otherFamily("mcr", 16)); err == nil || !strings.Contains(err.Error(), "flower_win_7 is none of the mcr flags") {
		t.Errorf("flower win in mcr: %v", err)
	}
	c, err = cases.Parse([]byte(`{"concealed":"44p33z999p","melds":[{"type":"pon","tiles":"222p"},{"type":"pon","tiles":"777p"}],` +
		`"win_tile":"4p","self_draw":false,"seat":"E","round":"E","from":"W","responsible":null}`))
	if err != nil || c.Responsible == nil || !c.Responsible.None {
		t.Errorf("responsible null: %+v, %v", c.Responsible, err)
	}
	immune := otherFamily("zungjung", 13)
	immune.SameRoundImmunity = true
	if _, err := c.Win(immune); err != nil {
		t.Error(err)
	}
}

// TestImpossible refuses circumstances that no play reaches, naming the member or flag at fault.
func TestImpossible(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{
			`"ruleset":"mcr_2006","concealed":"123m456p789s55s22z","melds":[],"win_tile":"5s","self_draw":false,"seat":"S","flags":["robbing_kan"],"flowers":""`,
			"flags: robbing_kan: the kan has the three other 5s, but the case has 2 besides win_tile",
		},
		{
			`"ruleset":"hk_old_style","concealed":"55s22z456p","melds":[{"type":"closed_kan","tiles":"1111m"},{"type":"pon","tiles":"999m"}],"win_tile":"5s","self_draw":true,"seat":"S","flags":["after_kan","after_two_kans"]`,
			"flags: after_two_kans: needs two kans among the melds",
		},
		{
			`"ruleset":"taiwanese","concealed":"123456789m234p78s44z","melds":[],"win_tile":"6s","self_draw":false,"seat":"S","flags":["ready_heaven"],"flowers":""`,
			"flags: ready_heaven: is the dealer's: needs seat E",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"23m456p789p33s888s","melds":[{"type":"chi","tiles":"456m"}],"win_tile":"1m","self_draw":false,"seat":"S","flags":["ready_heaven"],"flowers":""`,
			"flags: ready_heaven: comes before any call and allows none, but melds has an open one",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"23m456p789p33s888s","melds":[{"type":"closed_kan","tiles":"4444m"}],"win_tile":"1m","self_draw":false,"seat":"S","flags":["ready_earth"],"flowers":""`,
			"flags: ready_earth: comes before any call and kan and allows none, but melds is not empty",
		},
		{
			`"ruleset":"hk_old_style","concealed":"55s22z456p789p","melds":[{"type":"pon","tiles":"999m"}],"win_tile":"5s","self_draw":true,"seat":"S","flags":[],"liable":{"twelve_tiles":"W"}`,
			"liable: twelve_tiles: no meld that W can have given makes a player liable for it",
		},
		{
			`"ruleset":"ema_2016","concealed":"23m456m678p345s88p","melds":[],"win_tile":"4m","self_draw":false,"seat":"S","from":"W","flags":["human"]`,
			"flags: human: comes before the first own draw, so from is a player who plays before seat",
		},
		{
			`"ruleset":"ema_2016","concealed":"23m456m678p345s88p","melds":[],"win_tile":"4m","self_draw":false,"seat":"S","flags":["riichi"],"deposits":0`,
			"flags: riichi: the winner's own stick lies on the table",
		},
		{
			`"ruleset":"mcr_2006","concealed":"123m456p789s55s22z","melds":[],"win_tile":"5s","self_draw":false,"seat":"S","flags":["last_copy"],"flowers":""`,
			"flags: last_copy: all see the three other 5s, but the hand hides 2",
		},
		{
			`"ruleset":"taiwanese","concealed":"123m456p789s123p55s22z","melds":[],"win_tile":"","self_draw":false,"from":"E","seat":"S","flags":["flower_win_7"],"flowers":"123456f"`,
			"flags: flower_win_7: needs seven flowers in flowers",
		},
		{
			`"ruleset":"taiwanese","concealed":"123m456p789s123p55s22z","melds":[],"win_tile":"","self_draw":false,"from":"W","seat":"S","flags":["flower_win_7"],"flowers":"1234567f","dealer":true`,
			"dealer: true disagrees with seat S and from W",
		},
		{
			`"ruleset":"tenhou","concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"S","flags":["double_riichi","ippatsu","last_tile"]`,
			"flags: double_riichi: with ippatsu is over in the second go-around",
		},
		{
			`"ruleset":"tenhou","concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":false,"seat":"S","flags":["double_riichi","ippatsu","robbing_kan"]`,
			"flags: double_riichi: with ippatsu allows no pon of others",
		},
		{
			`"ruleset":"tenhou","concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"E","flags":["heavenly"],"dora_indicators":"1m2m"`,
			"dora_indicators: 2 tiles, but no kan",
		},
		{
			`"ruleset":"tenhou","concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"S","flags":["double_riichi","ippatsu"],"dora_indicators":"1m2m"`,
			"dora_indicators: 2 tiles, but no kan",
		},
		{
			`"ruleset":"tenhou","config":{"kan_dora":false},"concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"S","flags":[],"dora_indicators":"1m2m3m"`,
			"dora_indicators: 3 tiles, but no kan",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"123m456p79s123p55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"S","flags":["ready_earth","ippatsu","last_tile"]`,
			"flags: ready_earth: with ippatsu is over",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"123m456p79s123p55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"S","flags":["ready_earth","ippatsu","river:50"]`,
			"flags: river: 50 tiles, but there are 1 to 8",
		},
		{
			`"ruleset":"mcr_2006","concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"E","flags":["heavenly","last_copy"]`,
			"flags: last_copy and heavenly cannot both be",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"123m456p79s123p55s222z","melds":[],"win_tile":"8s","self_draw":false,"seat":"S","from":"E","flags":["earthly","last_copy"]`,
			"flags: last_copy: the three other 8s lie open, but at most 0 tiles do",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"123m456p79s123p55s222z","melds":[],"win_tile":"8s","self_draw":false,"seat":"E","from":"W","flags":["human","sole_live"]`,
			"flags: sole_live: the three other 8s lie open, but at most 2 tiles do",
		},
		{
			`"ruleset":"hkma_hktw","config":{"rob_closed_kan":"orphans"},"concealed":"19m19p19s1234566z123p","melds":[],"win_tile":"7z","self_draw":false,"from":"W","seat":"S","flags":["robbing_closed_kan","sole_live"]`,
			"flags: robbing_closed_kan and sole_live cannot both be",
		},
		{
			`"ruleset":"hkma_hktw","config":{"true_last_mode":"rivers_only"},"concealed":"123m456p79s123p55s222z","melds":[],"win_tile":"8s","self_draw":false,"seat":"S","flags":["robbing_kan","sole_live"]`,
			"flags: robbing_kan and sole_live cannot both be",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"123m456p79s123p55s222z","melds":[],"win_tile":"8s","self_draw":false,"seat":"S","flags":["river:0"]`,
			"flags: river: 0 tiles, but there are 1 to",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"123m456p79s123p55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"S","flags":["river:200"]`,
			"flags: river: 200 tiles, but there are 1 to",
		},
		{
			`"ruleset":"hkma_hktw","concealed":"123m456p79s123p55s222z","melds":[],"win_tile":"8s","self_draw":true,"seat":"W","flags":["river:0"]`,
			"flags: river: 0 tiles, but there are 1 to",
		},
		{
			`"ruleset":"hk_old_style","concealed":"456s55s22z","melds":[{"type":"open_kan","tiles":"1111p"},{"type":"open_kan","tiles":"9999p"}],"win_tile":"2z","self_draw":true,"seat":"S","flags":["after_two_kans"]`,
			"flags: after_two_kans: needs a closed or added kan",
		},
		{
			`"ruleset":"tenhou_sanma","concealed":"456p789s55s22z","melds":[{"type":"chi","tiles":"123p"}],"win_tile":"2z","self_draw":false,"seat":"S","from":"W","flags":[]`,
			"no player may claim a chi",
		},
		{
			`"ruleset":"hk_old_style","concealed":"2z","melds":[{"type":"chi","tiles":"123m"},{"type":"chi","tiles":"789s"},{"type":"chi","tiles":"123p"},{"type":"chi","tiles":"456p"}],"win_tile":"2z","self_draw":true,"seat":"E","flags":[],"liable":{"twelve_tiles":"W"}`,
			"no meld that W can have given",
		},
		{
			`"ruleset":"universal","concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":false,"seat":"S","from":"W","flags":[],"responsible":"E"`,
			"responsible: the ruleset's same_round_immunity is false",
		},
		{
			`"ruleset":"zung_jung","concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":false,"seat":"S","from":"E","flags":["earthly"],"responsible":null`,
			"responsible: with earthly no player but East",
		},
		{
			`"ruleset":"zung_jung","concealed":"123m456p79s55s222z","melds":[],"win_tile":"8s","self_draw":false,"seat":"S","from":"E","flags":["human"],"responsible":"W"`,
			"responsible: with human only those who play before",
		},
		{
			`"ruleset":"zung_jung","concealed":"123m555p46p789s22z","melds":[],"win_tile":"5p","self_draw":false,"seat":"S","from":"W","flags":[],"responsible":"E"`,
			"responsible: the hand has the three other 5p",
		},
		{
			`"ruleset":"taiwanese","concealed":"","melds":[{"type":"pon","tiles":"111m"},{"type":"pon","tiles":"222m"},{"type":"pon","tiles":"333m"}],"win_tile":"","self_draw":true,"seat":"S","flags":["flower_win_8"],"flowers":"12345678f"`,
			"concealed: 0 tiles, want 7",
		},
		{
			`"ruleset":"taiwanese","config":{"min_win":20},"concealed":"123m456p789s123p55s22z","melds":[],"win_tile":"2z","self_draw":false,"seat":"E","from":"W","flags":[],"dealer":false`,
			"dealer: false disagrees with seat E and from W",
		},
	} {
		answer, ok := cases.Score([]byte("{"+c.line+`,"round":"E"}`), "", configs.LoadWith)
		if ok || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.line, answer, c.want)
		}
	}
}

// TestSmallRiver accepts a win on the replacement for a claimed discard, alone or after a flower:
// where claimed tiles do not count, the rivers are empty.
func TestSmallRiver(t *testing.T) {
	for _, flags := range []string{`"after_kan"`, `"after_flower"`} {
		line := `{"ruleset":"hkma_hktw","config":{"early_counts_called_tiles":false},"concealed":"123m456p79s55s222z","melds":[{"type":"open_kan","tiles":"1111p"}],"win_tile":"8s","self_draw":true,"seat":"S","round":"E","flowers":"1f","flags":["river:0",` + flags + `]}`
		if answer, ok := cases.Score([]byte(line), "", configs.LoadWith); !ok {
			t.Errorf("%s: %s", line, answer)
		}
	}
}

// TestLeftOut leaves out what follows from other members: the answer is that with it.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct{ line, stated string }{
		{
			`"ruleset":"taiwanese","concealed":"123m456p789s123p55s22z","melds":[],"win_tile":"","self_draw":false,"from":"E","seat":"S","round":"E","flags":["flower_win_7"],"flowers":"1234567f","dealer_streak":1`,
			`"dealer":true`,
		},
		{
			`"ruleset":"taiwanese","concealed":"123m456p789s123p55s22z","melds":[],"win_tile":"","self_draw":true,"seat":"E","round":"E","flags":["flower_win_8"],"flowers":"12345678f","dealer_streak":1`,
			`"dealer":true`,
		},
		{
			`"ruleset":"hkma_hktw","concealed":"23m456m456p789p33s888s","melds":[],"win_tile":"1m","self_draw":false,"from":"E","seat":"S","round":"E","flags":[],"dealer_streak":2`,
			`"dealer":true`,
		},
		{
			`"ruleset":"hk_old_style","concealed":"5s","melds":[{"type":"pon","tiles":"111m","from":"N"},{"type":"pon","tiles":"999m","from":"E"},{"type":"pon","tiles":"222p","from":"N"},{"type":"pon","tiles":"777s","from":"W"}],"win_tile":"5s","self_draw":true,"seat":"S","round":"E","flags":[]`,
			`"liable":{"twelve_tiles":"W"}`,
		},
		{
			`"ruleset":"ema_2016","concealed":"22m55s","melds":[{"type":"pon","tiles":"555z","from":"E"},{"type":"pon","tiles":"666z","from":"W"},{"type":"pon","tiles":"777z","from":"N"}],"win_tile":"2m","self_draw":true,"seat":"S","round":"E","flags":[]`,
			`"liable":{"daisangen":"N"}`,
		},
		{
			`"ruleset":"taiwanese","config":{"min_win":20},"concealed":"123m456p789s123p55s22z","melds":[],"win_tile":"2z","self_draw":false,"seat":"E","from":"W","round":"E","flags":[],"dealer_streak":1`,
			`"dealer":true`,
		},
		{
			`"ruleset":"hk_old_style","config":{"liability":["kan_draw"],"min_win":0},"concealed":"55s22z","melds":[{"type":"pon","tiles":"999m","from":"E"},{"type":"open_kan","tiles":"1111p","from":"W"},{"type":"closed_kan","tiles":"3333p"}],"win_tile":"2z","self_draw":true,"seat":"S","round":"E","flags":["after_kan","after_two_kans"]`,
			`"liable":{"kan_draw":"W"}`,
		},
		{
			`"ruleset":"hk_old_style","config":{"liability":["kan_draw"],"min_win":0},"concealed":"456s55s22z","melds":[{"type":"added_kan","tiles":"9999m","from":"E"},{"type":"open_kan","tiles":"1111p","from":"W"}],"win_tile":"2z","self_draw":true,"seat":"S","round":"E","flags":["after_two_kans"]`,
			`"liable":{"kan_draw":"W"}`,
		},
	} {
		left, ok := cases.Score([]byte("{"+c.line+"}"), "", configs.LoadWith)
		stated, ok2 := cases.Score([]byte("{"+c.line+","+c.stated+"}"), "", configs.LoadWith)
		if !ok || !ok2 || string(left) != string(stated) {
			t.Errorf("%s:\nleft out %s\nstated   %s", c.line, left, stated)
		}
	}
}

// TestFamilyWords checks that the families name members and flags that there are.
func TestFamilyWords(t *testing.T) {
	page := cases.Page(configs.Families)
	for _, f := range configs.Families {
		for _, word := range strings.Fields(f.Traits.CaseWords) {
			if !strings.Contains(page, "| `"+word+"` |") && !strings.Contains(page, "| `"+word+":N` |") {
				t.Errorf("%s: %q is no word of scoring cases", f.Name, word)
			}
		}
	}
}
