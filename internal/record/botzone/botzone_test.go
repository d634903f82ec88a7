package botzone_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// play plays a match of greedy players.
func play(t *testing.T, seed uint64) (*ruleset.Rules, *sim.Match) {
	t.Helper()
	r := rulestest.Rules(t, "botzone", nil)
	m := &sim.Match{Seed: seed, Keep: sim.KeepValues}
	m.Play(r, recordtest.Agents(t, "greedy"))
	return r, m
}

func botzoneCode(k tile.Kind) string {
	return strings.Fields("W1 W2 W3 W4 W5 W6 W7 W8 W9 B1 B2 B3 B4 B5 B6 B7 B8 B9 T1 T2 T3 T4 T5 T6 T7 T8 T9 F1 F2 F3 F4 J3 J2 J1")[k]
}

// judge writes the log of a match as the judge of Botzone does, with or without
// the walls.
func judge(t *testing.T, r *ruleset.Rules, m *sim.Match, walls bool) []byte {
	t.Helper()
	var writers [sim.NumPlayers]*botzone.Requests
	for p := range writers {
		w, err := botzone.NewRequests(r, sim.Player(p))
		if err != nil {
			t.Fatal(err)
		}
		writers[p] = w
	}
	type object = map[string]any
	responses := func(p sim.Player, text string) object {
		all := object{}
		for q := range sim.Player(sim.NumPlayers) {
			response := "PASS"
			if q == p {
				response = text
			}
			all[fmt.Sprint(q)] = object{"response": response, "verdict": "OK"}
		}
		return all
	}
	var logs []any
	for _, e := range m.Events {
		code := ""
		if e.Tile < tile.RedFive {
			code = botzoneCode(e.Tile.Kind())
		}
		// The response to the request before.
		if n := len(logs); n > 0 {
			switch e.Type {
			case sim.EvDiscard:
				logs[n-1] = responses(e.Player, "PLAY "+code)
			case sim.EvClosedKan:
				logs[n-1] = responses(e.Player, "GANG "+code)
			case sim.EvAddedKan:
				logs[n-1] = responses(e.Player, "BUGANG "+code)
			case sim.EvOpenKan:
				logs[n-1] = responses(e.Player, "GANG")
			case sim.EvWin:
				logs[n-1] = responses(e.Player, "HU")
			}
		}
		var lists [sim.NumPlayers][]string
		for p, w := range writers {
			lists[p] = w.Append(nil, []sim.Event{e})
		}
		for i := range lists[0] {
			content := object{}
			for p, list := range lists {
				content[fmt.Sprint(p)] = list[i]
			}
			logs = append(logs, object{"output": object{"command": "request", "content": content, "display": object{}}}, responses(-1, ""))
		}
	}
	display, content := object{"action": "HUANG"}, object{}
	for p, points := range m.Final.Points {
		content[fmt.Sprint(p)] = points
	}
	if len(m.Values) > 0 {
		i := slices.IndexFunc(m.Events, func(e sim.Event) bool { return e.Type == sim.EvWin })
		v := &m.Values[0]
		var fan []any
		all := r.Patterns()
		for _, p := range v.Patterns[:v.NumPatterns] {
			fan = append(fan, object{"name": all[p.Pattern].Native, "cnt": 1, "value": p.Points})
		}
		display = object{"action": "HU", "player": m.Events[i].Player, "fanCnt": v.Points, "fan": fan}
	}
	logs = append(logs, object{"output": object{"command": "finish", "content": content, "display": display}})
	log := object{"logs": logs, "players": []object{{"name": "a"}, {"bot": "b"}}}
	if walls {
		var codes []string
		wall := sim.NewWall(&r.Flow, m.Seed, 0, 0, 0)
		for p := range 4 {
			for i := range 34 {
				codes = append(codes, botzoneCode(wall[p*34+33-i].Kind()))
			}
		}
		log["initdata"] = object{"walltiles": strings.Join(codes, " ")}
	}
	text, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestBotzoneLogs writes matches as logs and reads them back.
func TestLogs(t *testing.T) {
	met := map[sim.EventType]int{}
	for seed := range uint64(80) {
		r, m := play(t, seed)
		for _, e := range m.Events {
			met[e.Type]++
		}
		for _, walls := range []bool{true, false} {
			games, err := recordtest.ParseAll(botzone.Format, judge(t, r, m, walls))
			if err != nil || len(games) != 1 {
				t.Fatalf("seed %d: %d games, error %v", seed, len(games), err)
			}
			if g := games[0]; g.Names != [4]string{"a", "b"} || *g.Points != m.Final.Points {
				t.Errorf("seed %d: names %q, points %v", seed, g.Names, *g.Points)
			}
			again := &sim.Match{Seed: 999}
			if diffs := record.Replay(r, games[0], again); len(diffs) > 0 {
				t.Fatalf("seed %d, walls %v: %v", seed, walls, diffs)
			}
			if !slices.Equal(again.Events, m.Events) || len(again.Actions) != len(m.Actions) {
				t.Errorf("seed %d, walls %v: another match", seed, walls)
			}
		}
	}
	for _, typ := range []sim.EventType{sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan, sim.EvAddedKan, sim.EvWin, sim.EvExhausted} {
		if met[typ] == 0 {
			t.Errorf("no event %d in the matches", typ)
		}
	}
}

// TestBotzoneErrors reads logs that are not what they should be.
func TestErrors(t *testing.T) {
	r, m := play(t, 3)
	good := string(judge(t, r, m, true))
	for _, c := range []struct{ text, want string }{
		{"", "the file is empty"},
		{good[:len(good)/2], "turn 62: the JSON breaks off"},
		{good + "{", "no match log"},
		{`{"title":["","" ]}`, "the log has no turns"},
		{`[1]`, "turn 1: it has a value of the wrong kind: number"},
		{`[{"output":{"command":"stop"}}]`, `turn 1: unknown command "stop"; want request or finish`},
		{`[{"output":{"command":"request","content":{"0":"0 0 0"}}}]`, "turn 1: nothing for player 1; want a text for each of 0 to 3"},
		{`[{"output":{"command":"request","content":{"0":"0 0 9","1":"0 1 9","2":"0 2 9","3":"0 3 9"}}}]`, `round wind "9"; want 0 to 3`},
		{strings.Replace(good, `"1 0 0 0 0 `, `"1 0 1 0 0 `, 1), "a match with flowers"},
		{strings.Replace(good, "F1", "X1", 1), `"X1" is no tile`},
		{strings.Replace(good, " PLAY ", " PENG ", 1), "out of place"},
		{`{"initdata":{"walltiles":"W1"}}`, "it holds the initdata of a match without its turns; put it into the log of that match"},
		{`[{"output":{"command":"finish","display":{"action":"TLE"}}}]`, `turn 1: the match ends by "TLE"; want HU and a player, HUANG, or a player and what he did wrong`},
		{strings.Replace(good, `"walltiles":"`, `"walltiles":"W1 `, 1), "137 tiles in the walls; want 136"},
		{strings.Replace(good, `{"output":{"command":"finish"`, `{"output":{"command":"request"`, 1), "player 0: it has a value of the wrong kind: number"},
		{good[:strings.Index(good, `,{"output":{"command":"finish"`)] + "]}", "the log ends here, but not the match"},
	} {
		if c.text == good {
			t.Fatalf("nothing is wrong with the log of %q", c.want)
		}
		games, err := recordtest.ParseAll(botzone.Format, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d games, error %v, want %q in it", len(games), err, c.want)
		}
	}
	// A log that can be read but not played.
	other := strings.Replace(good, `"fanCnt":`, `"fanCnt":1`, 1)
	games, err := recordtest.ParseAll(botzone.Format, []byte(other))
	if err != nil {
		t.Fatal(err)
	}
	diffs := record.Replay(r, games[0], &sim.Match{})
	if len(diffs) != 1 || !strings.Contains(diffs[0].Message, "points, by the rules") {
		t.Errorf("differences %v, want one of the value", diffs)
	}
}

// Matches come back from both forms that are written, event for event; the form of
// the competitions does not tell the walls. Claims that lost come back as well, so
// all answers do.
func TestRoundTrip(t *testing.T) {
	r := rulestest.Rules(t, "botzone", nil)
	lost, met := 0, map[sim.EventType]bool{}
	for n := range rulestest.Sample[uint64](30, 1000) {
		m := &sim.Match{Index: n, Seed: sim.MatchSeed(12, n), Keep: sim.KeepValues | sim.KeepChoices}
		m.Play(r, recordtest.Agents(t, []string{"eager", "greedy"}[n%2]))
		log, err := botzone.WriteLog(r, m, [4]string{"a", "b", "c", "d"})
		if err != nil {
			t.Fatal(err)
		}
		text, err := botzone.WriteText(r, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range [][]byte{log, text} {
			g := recordtest.Parse(t, botzone.Format, form)
			recordtest.CheckReplay(t, r, g, m)
			again := &sim.Match{Seed: m.Seed}
			record.Replay(r, g, again)
			if !slices.Equal(again.Actions, m.Actions) {
				t.Fatalf("match %d has other answers:\n%s", n, form)
			}
			for _, e := range g.Hands[0].Events {
				lost += len(e.Outranked)
				met[e.Type] = true
			}
		}
	}
	for _, typ := range []sim.EventType{sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan, sim.EvAddedKan, sim.EvWin, sim.EvExhausted} {
		if !met[typ] {
			t.Errorf("no event %d in the matches", typ)
		}
	}
	if lost == 0 {
		t.Error("no claim lost")
	}
}
