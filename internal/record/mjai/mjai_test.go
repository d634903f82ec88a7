package mjai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

func newWriter(t testing.TB, r *ruleset.Rules) *mjai.Writer {
	t.Helper()
	e, err := mjai.NewWriter(r, [sim.NumPlayers]string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// riichi returns the presets of that family.
func riichi(t *testing.T) []string {
	return slices.DeleteFunc(configs.Names(), func(name string) bool {
		_, err := mjai.NewWriter(rulestest.Rules(t, name, nil), [sim.NumPlayers]string{})
		return err != nil
	})
}

// Matches of all riichi presets replay from their mjai lines to the same events.
func TestRoundTrip(t *testing.T) {
	presets := riichi(t)
	if len(presets) != 12 {
		t.Errorf("riichi presets %v", presets)
	}
	for _, preset := range presets {
		r := rulestest.Rules(t, preset, nil)
		for n := range rulestest.Sample[uint64](4, 1000) {
			m := &sim.Match{Seed: sim.MatchSeed(11, n), Keep: sim.KeepValues}
			m.Play(r, recordtest.Agents(t, []string{"eager", "greedy"}[n%2]))
			recordtest.CheckReplay(t, r, recordtest.Parse(t, mjai.Format, newWriter(t, r).Append(nil, m.Events)), m)
		}
	}
	r := rulestest.Rules(t, "tenhou", nil)
	for name := range recordtest.RareSeeds {
		m := recordtest.RareMatch(t, name)
		recordtest.CheckReplay(t, r, recordtest.Parse(t, mjai.Format, newWriter(t, r).Append(nil, m.Events)), m)
	}
}

// follower passes on what a player sees and checks it.
type follower struct {
	sim.Agent
	t      *testing.T
	writer *mjai.Writer
	lines  [][]byte
	deals  int
}

func (f *follower) Listen(v sim.View, events []sim.Event) {
	for line := range bytes.Lines(f.writer.Append(nil, events)) {
		f.lines = append(f.lines, bytes.Clone(line))
		m, err := mjai.Parse(line)
		if err != nil {
			f.t.Fatal(err)
		}
		switch m.Type {
		case "start_game":
			if *m.ID != v.Player() {
				f.t.Errorf("id %d, want %d", *m.ID, v.Player())
			}
		case "start_kyoku":
			f.deals++
			for p, hand := range m.Tehais {
				if hidden := slices.Repeat([]string{"?"}, 13); slices.Equal(hand, hidden) != (sim.Player(p) != v.Player()) {
					f.t.Errorf("player %d sees %v of player %d", v.Player(), hand, p)
				}
			}
		case "tsumo":
			if (m.Pai == "?") != (*m.Actor != v.Player()) {
				f.t.Errorf("player %d sees player %d draw %q", v.Player(), *m.Actor, m.Pai)
			}
		}
	}
}

// Act answers by way of mjai: the action the agent means becomes a message, and
// the message the same action.
func (f *follower) Act(v sim.View) sim.Action {
	a := f.Agent.Act(v)
	m, dahai := mjai.Answer(v, a)
	got, err := m.Action(v)
	if dahai != nil {
		if !errors.Is(err, mjai.ErrReach) {
			f.t.Errorf("%v: error %v, want %v", a, err, mjai.ErrReach)
		}
		got, err = dahai.ReadyAction(v)
	}
	if err != nil || got != a {
		f.t.Errorf("%v became %v (%v) by %+v", a, got, err, m)
	}
	return a
}

// What a player is sent hides what he does not see, whatever the portions, and
// his answers come through.
func TestView(t *testing.T) {
	for n := range uint64(8) {
		r := rulestest.Rules(t, "tenhou", nil)
		if n%4 == 3 {
			r = rulestest.Rules(t, "tenhou_sanma", nil)
		}
		var followers [sim.NumPlayers]*follower
		var seated [sim.NumPlayers]sim.Agent
		for p, agent := range recordtest.Agents(t, []string{"eager", "random", "random", "eager"}[n%4]) {
			followers[p] = &follower{Agent: agent, t: t, writer: newWriter(t, r).LimitTo(sim.Player(p))}
			seated[p] = followers[p]
		}
		m := &sim.Match{Seed: n}
		m.Play(r, &seated)
		for p, f := range followers[:r.NumSeats()] {
			if f.deals != len(m.Hands) {
				t.Errorf("player %d saw %d deals of %d", p, f.deals, len(m.Hands))
			}
			whole := newWriter(t, r).LimitTo(sim.Player(p)).Append(nil, m.Events)
			if got := bytes.Join(f.lines, nil); !bytes.Equal(got, whole) {
				t.Errorf("player %d was sent other lines than the whole match gives", p)
			}
		}
	}
}

// Lines stand in the order that the comment of the package states.
func TestOrder(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	after := map[string]map[string]bool{}
	for n := range uint64(20) {
		m := &sim.Match{Seed: n}
		m.Play(r, recordtest.Agents(t, "eager"))
		before := "none"
		for line := range bytes.Lines(newWriter(t, r).Append(nil, m.Events)) {
			msg, err := mjai.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			if after[before] == nil {
				after[before] = map[string]bool{}
			}
			after[before][msg.Type] = true
			if msg.Type == "hora" && !bytes.Contains(line, []byte(`"ura_markers":[`)) {
				t.Errorf("no ura_markers: %s", line)
			}
			before = msg.Type
		}
	}
	for before, want := range map[string]string{
		"start_game": "start_kyoku", "start_kyoku": "tsumo", "reach": "dahai dora",
		"ankan": "dora", "daiminkan": "dora tsumo", "kakan": "dora hora tsumo", "pon": "ankan dahai",
		"chi": "dahai", "tsumo": "ankan dahai dora hora kakan reach ryukyoku",
		"dora": "dahai dora tsumo", "dahai": "chi daiminkan hora pon reach_accepted ryukyoku tsumo",
		"hora": "end_kyoku hora", "ryukyoku": "end_kyoku", "end_kyoku": "end_game start_kyoku",
	} {
		for got := range after[before] {
			if !slices.Contains(strings.Fields(want), got) {
				t.Errorf("%s after %s", got, before)
			}
		}
		if len(after[before]) == 0 {
			t.Errorf("%s never happened", before)
		}
	}
}

func TestTiles(t *testing.T) {
	for f, want := range map[tile.Face]string{0: "1m", 17: "9p", 22: "5s", 27: "E", 31: "P", 32: "F", 33: "C", 34: "5mr", 36: "5sr", tile.NoFace: "?"} {
		if got := mjai.Tile(f); got != want {
			t.Errorf("%v is written %q, want %q", f, got, want)
		}
	}
	for f := range tile.FirstFlower {
		if got, err := mjai.ParseTile(mjai.Tile(f)); err != nil || got != f {
			t.Errorf("%v is read as %v: %v", f, got, err)
		}
	}
	for _, s := range []string{"", "?", "0m", "1z", "5zr", "5m ", "EE"} {
		if f, err := mjai.ParseTile(s); err == nil {
			t.Errorf("%q is read as %v", s, f)
		}
	}
}

// Answers that are not legal are refused with what is legal.
func TestAnswers(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`{"type":"dahai","actor":1,"pai":"E","tsumogiri":false}`, "player 0 is asked, not 1"},
		{`{"type":"none"}`, "mjai none is not legal; legal: "},
		{`{"type":"dahai","actor":0,"pai":"X"}`, `"X" is no tile of mjai`},
		{`{"type":"hora","actor":0}`, "mjai hora is not legal"},
		{`{"type":"chi","actor":0,"pai":"E","consumed":["1m","2m"]}`, "the tile to claim is ?, not E"},
		{`{"type":"ankan","actor":0,"consumed":["E"]}`, "mjai ankan E is not legal"},
		{`{"type":"fly"}`, "mjai fly is not legal"},
	} {
		table := sim.NewTable(rulestest.Rules(t, "tenhou", nil), 1)
		table.StartHand(nil)
		m, err := mjai.Parse([]byte(test.line))
		if err != nil {
			t.Fatal(err)
		}
		if a, err := m.Action(table.View(0)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, error %v, want %q", test.line, a, err, test.want)
		}
	}
	for line, want := range map[string]string{
		`{"type":`:                      "no mjai message: unexpected end of JSON input",
		`{}`:                            "it has no type",
		`{"type":"dahai","actor":4}`:    "mjai dahai: there is no player 4",
		`{"type":"dahai","actor":"me"}`: "member actor has a value of the wrong kind: string",
	} {
		if _, err := mjai.Parse([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", line, err, want)
		}
	}
	if _, err := mjai.NewWriter(rulestest.Rules(t, "mcr_2006", nil), [sim.NumPlayers]string{}); err == nil || !strings.Contains(err.Error(), "does not support the rules of mcr_2006") {
		t.Errorf("mcr: error %v", err)
	}
}

// linesOf returns the lines of a match, and a function that writes them with
// one changed.
func linesOf(t *testing.T, r *ruleset.Rules, m *sim.Match) (lines []string, with func(n int, line string) []byte) {
	t.Helper()
	lines = strings.SplitAfter(strings.TrimSpace(string(newWriter(t, r).Append(nil, m.Events))), "\n")
	return lines, func(n int, line string) []byte {
		changed := slices.Clone(lines)
		changed[n] = line
		return []byte(strings.Join(changed, ""))
	}
}

func TestErrors(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	m := &sim.Match{Seed: 1}
	m.Play(r, recordtest.Agents(t, "greedy"))
	lines, with := linesOf(t, r, m)
	find := func(name string) int {
		n := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"`+name+`"`) })
		if n < 0 {
			t.Fatalf("no line %s", name)
		}
		return n
	}
	start, pon, hora := find("start_kyoku"), find("pon"), find("hora")
	for _, test := range []struct {
		n          int
		line, want string
	}{
		{2, "x", "line 3: no mjai message"},
		{2, "[]\n", "line 3: no mjai message: it has a value of the wrong kind: array"},
		{start, strings.Replace(lines[start], `"oya":0`, `"oya":"0"`, 1), "line 2: no mjai message: member oya has a value of the wrong kind: string"},
		{2, `{"type":"tsumo","actor":0,"pai":"?"}` + "\n", "line 3: tsumo: a tile is hidden; only logs that show all tiles can be replayed"},
		{2, `{"type":"tsumo","pai":"1m"}` + "\n", "line 3: tsumo has no actor"},
		{2, `{"type":"tsu","actor":0,"pai":"1m"}` + "\n", "line 3: message tsu is not known and was not read"},
		{2, `{"type":"start_game"}` + "\n", "line 2: the log ends within a hand"},
		{2, lines[start], "line 3: start_kyoku within a hand"},
		{2, `{"type":"end_game"}` + "\n", "line 3: end_game within a hand"},
		{2, `{"type":"end_kyoku"}` + "\n", "line 3: end_kyoku before the end of the hand"},
		{start, lines[2], "line 2: tsumo outside a hand"},
		{start, strings.Replace(lines[start], `"kyoku":1`, `"kyoku":5`, 1), "line 2: start_kyoku: kyoku is 5; allowed: 1 to 4"},
		{start, strings.Replace(lines[start], `"bakaze":"E"`, `"bakaze":"P"`, 1), `line 2: start_kyoku: bakaze is "P"; allowed: E, S, W, N`},
		{start, strings.Replace(lines[start], `"scores":[25000,`, `"scores":[`, 1), "line 2: start_kyoku: scores has 3 numbers; 4 are needed"},
		{start, strings.Replace(lines[start], `"tehais":[`, `"tehais":[[],`, 1), "line 2: start_kyoku deals 5 hands"},
		{pon, strings.Replace(lines[pon], `"consumed":[`, `"consumed":["1m",`, 1), "make none"},
		{pon, strings.Replace(lines[pon], `"target"`, `"tarjet"`, 1), "pon has no target"},
		{hora, strings.Replace(lines[hora], `"deltas":[`, `"deltas":[0,`, 1), "hora: deltas has more than 4 numbers; the others were not read"},
	} {
		if got := recordtest.Complaints(mjai.Format, string(with(test.n, test.line))); !strings.Contains(got, test.want) {
			t.Errorf("complaints %q, want %q", got, test.want)
		}
	}
	half := strings.Join(lines[:20], "")
	if _, err := recordtest.ParseAll(mjai.Format, []byte(half)); err == nil || !strings.Contains(err.Error(), "line 20: the log ends within a hand") {
		t.Errorf("half a log: error %v", err)
	}
	if _, err := recordtest.ParseAll(mjai.Format, []byte("\n\n")); err == nil || !strings.Contains(err.Error(), "the file is empty") {
		t.Errorf("an empty log: error %v", err)
	}
}

// The dialects of other programs: no scores, no tsumogiri, an own reason for a
// draw, the winning tile left out, several matches in a file, other first dealers.
func TestDialects(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	var log strings.Builder
	var matches []*sim.Match
	for n := range uint64(4) {
		m := &sim.Match{Seed: n}
		m.Play(r, recordtest.Agents(t, "eager"))
		matches = append(matches, m)
		for line := range bytes.Lines(newWriter(t, r).Append(nil, m.Events)) {
			var msg map[string]any
			if err := json.Unmarshal(line, &msg); err != nil {
				t.Fatal(err)
			}
			delete(msg, "tsumogiri")
			if kind := msg["type"]; kind != "tsumo" && kind != "dahai" && kind != "kakan" {
				if kind == "hora" {
					delete(msg, "pai")
				}
				delete(msg, "scores")
				delete(msg, "tenpais")
			}
			if msg["type"] == "ryukyoku" {
				delete(msg, "reason")
			}
			// Player 0 of the match is player n of the log.
			for _, key := range []string{"actor", "target", "oya"} {
				if p, ok := msg[key].(float64); ok {
					msg[key] = (int(p) + int(n)) % 4
				}
			}
			for _, key := range []string{"deltas", "tehais", "names"} {
				if list, ok := msg[key].([]any); ok {
					k := int(n)
					msg[key] = append(slices.Clone(list[4-k:]), list[:4-k]...)
				}
			}
			text, err := json.Marshal(msg)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&log, "%s\r\n", text)
		}
	}
	games, err := recordtest.ParseAll(mjai.Format, []byte(log.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(games) != len(matches) {
		t.Fatalf("%d games", len(games))
	}
	for n, g := range games {
		if g.Names != [4]string{"a", "b", "c", "d"} {
			t.Errorf("names %v", g.Names)
		}
		// Without tsumogiri a discard of the drawn kind is one of the drawn tile.
		got := &sim.Match{}
		for _, d := range record.Replay(r, g, got) {
			t.Errorf("match %d: hand %d, %s: %s", n, d.Hand, d.Place, d.Message)
		}
		if got.Final != matches[n].Final {
			t.Errorf("match %d: final %v, replayed %v", n, matches[n].Final, got.Final)
		}
	}
}

// Logs as arrays, without oya, with an error at the end, and with a discard from the
// hand of a tile that was only just drawn.
func TestForms(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	m := &sim.Match{Seed: 1}
	m.Play(r, recordtest.Agents(t, "greedy"))
	lines, _ := linesOf(t, r, m)
	log := strings.Join(lines, "") + "\n"
	array := "[" + strings.Join(lines, ",") + "]"
	for name, test := range map[string]struct {
		text  string
		games int
	}{
		"array":           {array, 1},
		"arrays":          {"[" + array + ",\n" + array + "]\n", 2},
		"array and lines": {array + "\n" + log, 2},
		"no oya":          {strings.NewReplacer(`"oya":0,`, "", `"oya":1,`, "", `"oya":2,`, "", `"oya":3,`, "").Replace(log), 1},
		"error":           {log + `{"type":"error","message":"x"}` + "\n" + log, 2},
	} {
		games, err := recordtest.ParseAll(mjai.Format, []byte(test.text))
		if err != nil || len(games) != test.games {
			t.Errorf("%s: %d games, error %v", name, len(games), err)
			continue
		}
		recordtest.CheckReplay(t, r, games[0], m)
	}

	// An error in the midst leaves the hands before it.
	third := 0
	for i, line := range lines {
		if strings.Contains(line, `"start_kyoku"`) {
			third++
		}
		if third == 3 {
			text := strings.Join(lines[:i+4], "") + `{"type":"error","message":"no answer"}` + "\n" + `{"type":"end_game"}` + "\n"
			g := recordtest.Parse(t, mjai.Format, []byte(text))
			if len(g.Hands) != 2 || g.Truncation == nil || g.Truncation.Message != `the log ends within a hand by an error: "no answer"` {
				t.Errorf("%d hands, cut %v", len(g.Hands), g.Truncation)
			}
			break
		}
	}

	// tsumogiri is wrong: what can only be the drawn tile is taken for it, and noted.
	text := strings.ReplaceAll(log, `"tsumogiri":true`, `"tsumogiri":false`)
	got := &sim.Match{}
	d := record.Replay(r, recordtest.Parse(t, mjai.Format, []byte(text)), got)
	if !record.Agrees(d) || len(d) == 0 || !strings.Contains(d[0].Message, "where it can only be the tile just drawn") {
		t.Errorf("differences %v", d)
	}
	if got.Final != m.Final {
		t.Errorf("final %v, want %v", got.Final, m.Final)
	}

	for text, want := range map[string]string{
		"[1]":    "element 1: no mjai message: it has a value of the wrong kind: number",
		"[{},":   "element 1: no mjai message: it has no type",
		"[[[]]]": "element 1: no mjai message: it has a value of the wrong kind: array",
		"[]":     "the log has no start_game or start_kyoku",
		`[{"type":"start_game"},{"type":"start_kyoku","kyoku":1,"bakaze":"E"}]`: "element 2: start_kyoku has no honba",
	} {
		if _, err := recordtest.ParseAll(mjai.Format, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// The end of a hand tells the hands that are shown, and the yaku.
func TestEnds(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	met := map[string]int{}
	for n := range uint64(30) {
		m := &sim.Match{Seed: n, Keep: sim.KeepValues}
		m.Play(r, recordtest.Agents(t, []string{"eager", "greedy"}[n%2]))
		melds := [4]int{}
		for line := range bytes.Lines(newWriter(t, r).WithValues(m.Values).Append(nil, m.Events)) {
			msg, err := mjai.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			met[msg.Type]++
			switch msg.Type {
			case "start_kyoku":
				melds = [4]int{}
			case "chi", "pon", "daiminkan", "ankan":
				melds[*msg.Actor]++
			case "hora":
				want := 13 - 3*melds[*msg.Actor]
				if *msg.Actor == *msg.Target {
					want++
					if last := msg.HoraTehais[len(msg.HoraTehais)-1]; last != msg.Pai {
						t.Errorf("the last tile is %s: %s", last, line)
					}
				}
				if len(msg.HoraTehais) != want {
					t.Errorf("%d tiles, want %d: %s", len(msg.HoraTehais), want, line)
				}
				fan := 0
				var written struct{ Yakus [][2]any }
				if err := json.Unmarshal(line, &written); err != nil {
					t.Fatal(err)
				}
				for _, y := range written.Yakus {
					fan += int(y[1].(float64))
				}
				if fan < 100 && fan != int(*msg.Fan) {
					t.Errorf("the yaku are of %d fan: %s", fan, line)
				}
			case "ryukyoku":
				for p, hand := range msg.Tehais {
					if len(hand) < 13-3*melds[p] || msg.Tenpais != nil && (hand[0] != "?") != msg.Tenpais[p] {
						t.Errorf("hand of player %d: %s", p, line)
					}
				}
			}
		}
		// What one player sees has neither.
		if bytes.Contains(newWriter(t, r).LimitTo(0).Append(nil, m.Events), []byte("hora_tehais")) {
			t.Error("a limited log shows hands")
		}
	}
	if met["hora"] == 0 || met["ryukyoku"] == 0 {
		t.Errorf("met %v", met)
	}
}

var update = flag.Bool("update", false, "rewrite the sample log")

// The sample is as other programs write it and stays readable; it is of the same
// match as Tenhou's.
func TestSample(t *testing.T) {
	path := filepath.Join("..", "testdata", "sample.mjson")
	if *update {
		text, err := os.ReadFile("../testdata/sample.mjlog")
		if err != nil {
			t.Fatal(err)
		}
		m := &sim.Match{}
		r := rulestest.Rules(t, "tenhou", nil)
		record.Replay(r, recordtest.Parse(t, tenhou.Format, text), m)
		if err := os.WriteFile(path, newWriter(t, r).Append(nil, m.Events), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The lines of three players have three entries for each list by player, and come back with
// both words for Norths set aside, with four entries, and with other first dealers.
func TestThreePlayers(t *testing.T) {
	check := func(r *ruleset.Rules, m *sim.Match) {
		t.Helper()
		lines := string(newWriter(t, r).WithValues(m.Values).Append(nil, m.Events))
		if strings.Contains(lines, `"c","d"]`) || !strings.Contains(lines, `"scores":[35000,35000,35000]}`) {
			t.Errorf("the lines are not those of three players: %.300s", lines)
		}
		other := string(newWriter(t, r).WithKita(mjai.Nukidora).Append(nil, m.Events))
		if strings.Contains(other, `"kita"`) || strings.Count(other, `"nukidora"`) != strings.Count(lines, `"kita"`) {
			t.Errorf("nukidora is not written for kita")
		}
		for _, text := range []string{lines, other, fourEntries(t, lines, []string{}), fourEntries(t, lines, slices.Repeat([]string{"?"}, 13))} {
			g := recordtest.Parse(t, mjai.Format, []byte(text))
			if g.Seats != ruleset.ThreeSeats || g.Ruleset != "tenhou_sanma" || g.Names != [4]string{"a", "b", "c"} {
				t.Errorf("seats %v, ruleset %s, names %q", g.Seats, g.Ruleset, g.Names)
			}
			recordtest.CheckReplay(t, r, g, m)
		}
	}
	for _, name := range recordtest.ThreePlayers {
		r := rulestest.Rules(t, name, nil)
		for n := range rulestest.Sample[uint64](4, 1000) {
			m := &sim.Match{Seed: sim.MatchSeed(31, n), Keep: sim.KeepValues}
			m.Play(r, recordtest.Agents(t, []string{"eager", "greedy"}[n%2]))
			if check(r, m); t.Failed() {
				t.Fatalf("%s, match %d", name, n)
			}
		}
	}
	for name := range recordtest.RareThreeSeeds {
		check(rulestest.Rules(t, "tenhou_sanma", nil), recordtest.RareThreeMatch(t, name))
	}
}

// fourEntries returns lines of three players with an empty fourth entry in lists by player,
// and with player 1 as the first dealer.
func fourEntries(t *testing.T, lines string, hand []string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(lines) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"actor", "target", "oya"} {
			if p, ok := m[key].(float64); ok {
				m[key] = (int(p) + 1) % 3
			}
		}
		for key, empty := range map[string]any{"scores": 0, "deltas": 0, "names": "", "tenpais": false, "tehais": hand} {
			if list, ok := m[key].([]any); ok {
				m[key] = []any{list[2], list[0], list[1], empty}
			}
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", text)
	}
	return out.String()
}

// What a match of three players cannot have is refused by name.
func TestThreePlayerErrors(t *testing.T) {
	r := rulestest.Rules(t, "tenhou_sanma", nil)
	m := recordtest.RareThreeMatch(t, "rob_kita")
	log := string(newWriter(t, r).Append(nil, m.Events))
	for _, test := range []struct{ old, new, want string }{
		{`["a","b","c"]`, `["a","b"]`, "start_game names 2 players; only matches of three or four can be replayed"},
		{`"tehais":[[`, `"tehais":[["1p"],[`, "start_kyoku deals 4 hands, where start_game names 3 players"},
		{`"scores":[35000,35000,35000]`, `"scores":[35000,35000]`, "start_kyoku: scores has 2 numbers; 3 are needed"},
		{`"scores":[35000,35000,35000]`, `"scores":[35000,35000,35000,35000]`, "start_kyoku: scores has more than 3 numbers; the others were not read"},
		{`"kyoku":1`, `"kyoku":4`, "start_kyoku: kyoku is 4; allowed: 1 to 3"},
		{`"oya":0`, `"oya":3`, "player 3 is named in a match of 3"},
		{`"type":"kita","actor":`, `"type":"kita","actor":3,"x":`, "player 3 is named in a match of 3"},
		{`"type":"kita","actor":`, `"type":"kita","x":`, "kita has no actor"},
	} {
		text := strings.Replace(log, test.old, test.new, 1)
		if text == log {
			t.Errorf("no %s in the log", test.old)
		}
		if got := recordtest.Complaints(mjai.Format, text); !strings.Contains(got, test.want) {
			t.Errorf("%s: complaints %q, want %q", test.new, got, test.want)
		}
	}
}
