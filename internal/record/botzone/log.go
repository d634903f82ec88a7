// Package botzone implements the protocol of Chinese Standard Mahjong on Botzone, by
// [Requests], and reads and writes its match logs and the text form of its competitions,
// by [Format], [WriteLog] and [WriteText].
//
// # Match logs
//
// Logs are those that the judge has written since 2020; logs with flowers, from before, are not
// read. A file has one log, several in a row or in an array, the bare list of turns of one, or
// the text of the competitions. Places are numbers of turns, from 1.
//
// A log is an object. `logs` (or `log`) lists in turn what the judge sent and what the players
// answered; `initdata` has the walls, `players` the names. Logs of local judges may lack
// `output`, `command`, `content` or `response` around their contents, and end by `scores`
// without a `finish`.
//
//		{"players":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}],
//		 "initdata":{"walltiles":"W1 B3 ...","quan":2},
//		 "logs":[
//		  {"output":{"command":"request","content":{"0":"0 0 2","1":"0 1 2","2":"0 2 2","3":"0 3 2"}}},
//		  {"0":{"response":"PASS","verdict":"OK"},"1":{"response":"PASS","verdict":"OK"},...},
//		  ...
//		  {"output":{"command":"finish","content":{"0":-8,"1":33,"2":-8,"3":-17},
//		   "display":{"action":"HU","player":1,"fanCnt":9,"fan":[{"name":"混一色","cnt":1,"value":6},...]}}}]}
//
//	  - `W1`..`W9`, `B1`..`B9`, `T1`..`T9`: `1m`..`9m`, `1p`..`9p`, `1s`..`9s`
//	  - `F1`..`F4`, `J1 J2 J3`: `1z`..`4z`, `7z 6z 5z`
//	  - player 0, the dealer: player 0
//	  - `0 ID WIND`: the round wind of the match, 0 to 3 for East to North
//	  - `1 0 0 0 0 TILES`: the deal
//	  - `2 TILE`: a draw; the others receive `3 ID DRAW`
//	  - `3 ID PLAY TILE`: a discard, of the drawn tile if it is of that kind
//	  - `3 ID PENG TILE`: pon of the last discard, and the discard after it
//	  - `3 ID CHI MIDDLE TILE`: chi of the last discard around the middle tile, and the discard
//	    after it
//	  - `3 ID GANG`: after a discard an open kan; after the player's draw a closed kan, whose
//	    tile is in their response `GANG TILE`
//	  - `3 ID BUGANG TILE`: an added kan
//	  - `finish`, `HU`: a win, with its fan and their sum; a fan without `value` counts what the
//	    rules list, one without `cnt` counts once
//	  - `finish`, `WA`, `WH`, `TLE` and so on: the player forfeits, and the match ends with what
//	    that costs (`forfeit_points`)
//	  - `CHI`, `PENG`, `GANG`, `HU` of another player in the responses: a claim that lost
//	  - `finish`, `HUANG`: the wall is exhausted
//	  - `walltiles`: four walls of 34 tiles, each taken from its end
//
// An `initdata` in an object of its own gives the walls to the log with the same `_id`, or the
// same file name up to the first dot (`a.json` and `walls/a.meta.json`), unless they contradict
// it. Such an object without a log is refused.
//
// # Text of the competitions
//
// Any number of matches, a line for each event. Places are numbers of lines, from 1. Tiles,
// players and comparisons are those of the logs.
//
//		Match 4
//		Wind 2
//		Player 0 Deal B2 T8 ...
//		...
//		Player 0 Draw W7
//		Player 0 Play F2
//		Player 3 Peng F2 Ignore Player 1 Chi W3
//		Player 3 Play T1
//		...
//		Player 0 Hu W1
//		Fan 8 三色三同顺*1
//		Score 32 -8 -8 -16
//
//	  - `Match ID`: begins a match; the id distinguishes equal matches and is not kept, `part` in
//	    table `records` counts the matches of the file
//	  - `Wind W`: the round wind, 0 to 3 for East to North
//	  - `Player N Deal` + 13 tiles: the deal
//	  - `Player N Draw T`, `Play T`: a draw, a discard, of the drawn tile if it is of that kind
//	  - `Player N Chi T`: chi of the last discard around the middle tile T
//	  - `Player N Peng T`, `Gang T`: pon, open kan of the last discard
//	  - `Player N AnGang T`, `BuGang T`: closed kan, added kan
//	  - `Player N Hu T`: a win on the tile drawn, discarded or added last
//	  - `Ignore Player M Peng T`, once or more at the end of a claim or win: a claim that lost
//	  - `Huang`: the wall is exhausted
//	  - `Fan SUM NAME*COUNT+...`: the sum, and each fan as often as it counts
//	  - `Score A B C D`: what the players gained
//
// # What is compared and written
//
//   - doubles: of several records of a match the one with the walls is imported, else the
//     longest, else the first; the others are named and counted as `doubles`
//   - compared: every draw, discard, claim and kan, that each was legal, the walls, the fan by
//     name, their sum and the scores
//   - notes: a right sum with other names, where two readings of the hand tie; an illegal claim
//     that lost, which becomes a pass
//   - faults: that of a player who has no choice at the time comes at the table's next decision
//   - written: a log per match with the walls, or a text without; the discard of a claim that
//     lost is not known, and the lowest tile that could follow is written
//   - refused: rules that the protocol cannot express, and matches of several hands; by the
//     text also matches that end by a fault
package botzone

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads match logs of Chinese Standard Mahjong on Botzone, and matches in the text
// form of its competitions.
var Format = &record.Format{
	Name:     "botzone",
	Ruleset:  "botzone",
	Suffixes: []string{".json", ".jsonl", ".matches", ".txt"},
	Split:    split, Parse: parse, HasDuplicates: true, ParseWalls: metadata,
}

// split splits a file into match logs, which may be the elements of an array, and matches
// of the text form.
func split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := len(data) - len(bytes.TrimLeft(data, " \t\r\n,]"))
	if rest := data[skip:]; len(rest) > 0 && rest[0] == '[' {
		switch list, known := listsLogs(rest, atEOF); {
		case !known:
			return 0, nil, nil
		case list:
			skip++
			skip += record.SpaceLen(data[skip:])
		}
	}
	rest := data[skip:]
	if len(rest) == 0 {
		return skip, nil, nil
	}
	cut := splitText
	if rest[0] == '{' || rest[0] == '[' {
		cut = record.SplitJSON
	}
	advance, token, err = cut(rest, atEOF)
	if advance == 0 {
		return 0, nil, err
	}
	return skip + advance, token, err
}

// listsLogs reports whether an array contains match logs rather than the turns of one, by
// the first member that only one of them has.
func listsLogs(data []byte, atEOF bool) (list, known bool) {
	const enough = 1 << 12
	begin := data[:min(len(data), enough)]
	place := func(names ...string) int {
		first := len(begin)
		for _, name := range names {
			if i := bytes.Index(begin, []byte(`"`+name+`"`)); i >= 0 {
				first = min(first, i)
			}
		}
		return first
	}
	log, turn := place("logs", "log", "initdata", "players", "_id"), place("output", "0", "command")
	return log < turn, min(log, turn) < len(begin) || atEOF || len(begin) == enough
}

// matchLog is a match log: outputs of the judge and responses of the players in turn.
type matchLog struct {
	ID       json.RawMessage   `json:"_id"`
	Logs     []json.RawMessage `json:"logs"`
	Log      []json.RawMessage `json:"log"`
	InitData json.RawMessage   `json:"initdata"`
	Players  []json.RawMessage `json:"players"`
	Scores   []int32           `json:"scores"`
}

// output is the output of the judge after a turn.
type output struct {
	Command string          `json:"command"`
	Content json.RawMessage `json:"content"`
	Display struct {
		Action string `json:"action"`
		Player *int   `json:"player"`
		Fan    []struct {
			Name  string `json:"name"`
			Count *int   `json:"cnt"`
			Value int    `json:"value"`
		} `json:"fan"`
		FanCount *int32 `json:"fanCnt"`
	} `json:"display"`
	InitData json.RawMessage `json:"initdata"`
}

// parse parses a match of the text form, a match log, or the list of turns of one.
func parse(text []byte, line int) (*record.Game, error) {
	if !bytes.HasPrefix(text, []byte{'['}) && !bytes.HasPrefix(text, []byte{'{'}) {
		return parseText(text, line)
	}
	r := &reader{hand: newHandBuilder("turn", 1)}
	var log matchLog
	var err error
	var cut string
	if text[0] == '[' {
		text, cut = reading.Close(text, 1)
		err = json.Unmarshal(text, &log.Logs)
	} else {
		text, cut = reading.Close(text, 2)
		err = json.Unmarshal(text, &log)
	}
	if err != nil {
		return nil, fmt.Errorf("no match log: %w", reading.DescribeJSONError(err))
	}
	return r.read(&log, cut)
}

// reader follows a log turn by turn.
type reader struct {
	hand handBuilder
	init json.RawMessage
	// scores are the final scores if the log has them outside its turns.
	scores []int32
	// responses are the last responses of the players.
	responses [sim.NumPlayers]string
}

func (r *reader) read(l *matchLog, cut string) (*record.Game, error) {
	r.init, r.scores = l.InitData, l.Scores
	r.hand.game.ID = string(unquoted(l.ID))
	for p := range min(len(l.Players), sim.NumPlayers) {
		r.hand.game.Names[p] = nameOf(l.Players[p])
	}
	turns := l.Logs
	if turns == nil {
		turns = l.Log
	}
	switch {
	case len(turns) == 0 && cut != "":
		return nil, fmt.Errorf("no match log: %s", cut)
	case len(turns) == 0 && l.InitData != nil:
		return nil, errors.New("it holds the initdata of a match without its turns; put it into the log of that match as its member initdata, or import both together with the same _id or file name")
	case len(turns) == 0:
		return nil, errors.New("the log has no turns; its member logs lists what the judge put out and what the players responded")
	}
	for i, turn := range turns {
		r.hand.builder.Place = i + 1
		if err := r.turn(turn); err != nil {
			r.hand.builder.Fail("%v", err)
			break
		}
	}
	if cut != "" {
		r.hand.builder.Place++
		r.hand.builder.Fail("%s", cut)
	}
	if r.hand.builder.Err == nil && !r.hand.over && r.scores != nil {
		if err := r.finishByScores(); err != nil {
			r.hand.builder.Fail("%v", err)
		}
	}
	if !r.hand.over {
		r.hand.builder.Fail("the log ends here, but not the match")
	}
	return r.hand.finish(r.wall)
}

func nameOf(player json.RawMessage) string {
	var members map[string]json.RawMessage
	var name string
	if json.Unmarshal(player, &name) == nil {
		return name
	}
	if json.Unmarshal(player, &members) == nil && json.Unmarshal(members["name"], &name) != nil {
		_ = json.Unmarshal(members["bot"], &name) // names are optional
	}
	return name
}

// turn reads an element of the log: the output of the judge, which logs of local judges do
// not wrap in a member output, or the responses.
func (r *reader) turn(text json.RawMessage) error {
	if r.hand.over {
		return errors.New("the log goes on after the end of the match")
	}
	text = unquoted(text)
	var envelope struct {
		Output  json.RawMessage `json:"output"`
		Command *string         `json:"command"`
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte{'['}) {
		if err := json.Unmarshal(text, &envelope); err != nil {
			return reading.DescribeJSONError(err)
		}
	}
	switch {
	case envelope.Output != nil:
		text = unquoted(envelope.Output)
	case envelope.Command == nil:
		lines, err := textsByPlayer(text)
		if err != nil {
			return err
		}
		if strings.TrimLeft(lines[0], "0123") != lines[0] {
			return r.request(lines)
		}
		r.responses = lines
		return nil
	}
	var out output
	if err := json.Unmarshal(text, &out); err != nil {
		return reading.DescribeJSONError(err)
	}
	switch out.Command {
	case "request":
		if out.InitData != nil {
			r.init = out.InitData
		}
		lines, err := textsByPlayer(out.Content)
		if err != nil {
			return err
		}
		return r.request(lines)
	case "finish":
		return r.finish(&out)
	}
	return fmt.Errorf("unknown command %q; want request or finish", out.Command)
}

// unquoted returns the JSON inside a JSON string, other JSON unchanged.
func unquoted(j json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(j, &text) == nil {
		return json.RawMessage(text)
	}
	return j
}

// textsByPlayer returns the texts of the players from an object with the members 0 to 3 or an
// array. A value is a text or an object with a member response. A response that is no
// text becomes empty; a missing text is an error.
func textsByPlayer(text json.RawMessage) (lines [sim.NumPlayers]string, err error) {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			return lines, reading.DescribeJSONError(err)
		}
		for p := range sim.NumPlayers {
			list = append(list, members[strconv.Itoa(p)])
		}
	}
	for p := range lines {
		if p >= len(list) || list[p] == nil {
			return lines, fmt.Errorf("nothing for player %d; want a text for each of 0 to 3", p)
		}
		var wrapped struct {
			Response json.RawMessage `json:"response"`
		}
		value := list[p]
		if json.Unmarshal(value, &wrapped) == nil {
			value = wrapped.Response
			_ = json.Unmarshal(value, &lines[p]) // programs may respond anything
			continue
		}
		if err := json.Unmarshal(value, &lines[p]); err != nil {
			return lines, fmt.Errorf("player %d: %w", p, reading.DescribeJSONError(err))
		}
	}
	return lines, nil
}

// request reads the requests of a turn. All players receive the same request except for
// private information.
func (r *reader) request(lines [sim.NumPlayers]string) error {
	read := false
	for p, line := range lines {
		words := strings.Fields(line)
		if len(words) < 2 {
			return fmt.Errorf("request %q to player %d is too short", line, p)
		}
		var err error
		switch words[0] {
		case "0":
			err = r.seat(p, words)
		case "1":
			err = r.dealt(sim.Player(p), words)
		case "2":
			var k tile.Kind
			k, err = parseTile(words[1])
			r.hand.draw(sim.Player(p), k)
		case "3":
			if !read {
				read = true
				err = r.readAction(words)
			}
		default:
			err = errors.New("it begins with none of 0 to 3")
		}
		if err != nil {
			return fmt.Errorf("request %q to player %d: %w", line, p, err)
		}
	}
	return nil
}

func (r *reader) seat(p int, words []string) error {
	if len(words) != 3 || words[1] != strconv.Itoa(p) {
		return errors.New("want 0, the player and the round wind")
	}
	return r.hand.setRoundWind(words[2])
}

func (r *reader) dealt(p sim.Player, words []string) error {
	for _, flowers := range words[1:min(5, len(words))] {
		if flowers != "0" {
			return errors.New("a match with flowers; such matches of before 2020 have another wall")
		}
	}
	if len(words) != 18 {
		return errors.New("want 1, four numbers of flowers and thirteen tiles")
	}
	kinds, err := parseTiles(words[5:])
	r.hand.deal(p, kinds)
	return err
}

// readAction reads the action of a player in a request to all.
func (r *reader) readAction(words []string) error {
	id, err := strconv.Atoi(words[1])
	if err != nil || id < 0 || id >= sim.NumPlayers || len(words) < 3 {
		return errors.New("want 3, a player and what he did")
	}
	p := sim.Player(id)
	kinds, err := parseTiles(words[3:])
	if err != nil {
		return err
	}
	discard := tile.NoKind
	switch form := fmt.Sprintf("%s %d", words[2], len(kinds)); {
	case form == "DRAW 0":
		if r.hand.builder.Seen {
			r.hand.builder.Add(sim.Event{Type: sim.EvDraw, Player: p, Tile: tile.NoFace})
		}
	case form == "PLAY 1" && r.hand.ownTurn(p):
		discard = kinds[0]
	case form == "PENG 1":
		discard, err = kinds[0], r.claim(p, "PENG", r.hand.builder.Last().Tile.Kind())
	case form == "CHI 2":
		discard, err = kinds[1], r.claim(p, "CHI", kinds[0])
	case form == "GANG 0" && !r.hand.ownTurn(p):
		err = r.claim(p, "GANG", r.hand.builder.Last().Tile.Kind())
	case form == "GANG 0":
		// The tile of a concealed kong is in the player's response only.
		var own []tile.Kind
		words := strings.Fields(r.responses[p])
		if len(words) == 2 && words[0] == "GANG" {
			own, err = parseTiles(words[1:])
		}
		if own == nil && r.hand.builder.Seen {
			r.hand.builder.Add(sim.Event{Type: sim.EvClosedKan, Player: p, Tile: tile.NoFace})
			break
		}
		if own == nil {
			return cmp.Or(err, fmt.Errorf("a concealed kong, but the player's response is %q", r.responses[p]))
		}
		err = r.hand.call(p, "ANGANG", own[0])
	case form == "BUGANG 1":
		err = r.hand.call(p, "BUGANG", kinds[0])
	default:
		err = errOutOfPlace
	}
	if discard != tile.NoKind {
		r.hand.discard(p, discard)
	}
	return err
}

// claim adds a claim with the claims that it outranked.
func (r *reader) claim(p sim.Player, word string, k tile.Kind) error {
	err := r.hand.call(p, word, k)
	r.addOutranked(p)
	return err
}

// addWin adds the win of player p with the claims that it outranked.
func (r *reader) addWin(p sim.Player) {
	r.hand.win(p)
	r.addOutranked(p)
}

// addOutranked adds the claims of the current tile by players other than p to the last
// event.
func (r *reader) addOutranked(p sim.Player) {
	for q, response := range r.responses {
		words := strings.Fields(response)
		if len(words) > 0 && sim.Player(q) != p && r.hand.builder.Last().Type != sim.EvDraw {
			r.hand.outrank(sim.Player(q), words) // programs may respond anything
		}
	}
}

// finish reads the end of the match.
func (r *reader) finish(out *output) error {
	r.hand.over = true
	d := &out.Display
	switch {
	case d.Action == "HUANG":
		r.hand.builder.Exhausted(0, false, nil)
	case d.Player == nil || *d.Player < 0 || *d.Player >= sim.NumPlayers:
		return fmt.Errorf("the match ends by %q; want HU and a player, HUANG, or a player and what he did wrong", d.Action)
	case d.Action == "HU":
		r.addWin(sim.Player(*d.Player))
		points := int32(record.NotGiven)
		if d.FanCount != nil {
			points = *d.FanCount
		}
		var list []fanEntry
		for _, f := range d.Fan {
			e := fanEntry{f.Name, 1, f.Value}
			if f.Count != nil {
				e.count = *f.Count
			}
			list = append(list, e)
		}
		r.hand.value(points, list)
	default:
		// WA, WH, TLE and the like: a player broke the protocol.
		r.hand.builder.Add(sim.Event{Type: sim.EvForfeit, Player: sim.Player(*d.Player)})
	}
	return r.readScores(out.Content)
}

// readScores reads the gains of the players, from the final output or the scores of the log.
func (r *reader) readScores(content json.RawMessage) error {
	var paid [sim.NumPlayers]int32
	var members map[string]json.RawMessage
	switch {
	case len(content) == 0 && len(r.scores) == sim.NumPlayers:
		copy(paid[:], r.scores)
	case json.Unmarshal(content, &paid) == nil:
	default:
		if err := json.Unmarshal(content, &members); err != nil {
			return fmt.Errorf("no scores: %w", reading.DescribeJSONError(err))
		}
		for p := range paid {
			if err := json.Unmarshal(members[strconv.Itoa(p)], &paid[p]); err != nil {
				return fmt.Errorf("no score of player %d: %w", p, reading.DescribeJSONError(err))
			}
		}
	}
	r.hand.setPoints(paid)
	return nil
}

// finishByScores ends a match whose log has scores but no final turn: by the win of the
// player nearest to the giver who responded HU, otherwise at an exhausted wall.
func (r *reader) finishByScores() error {
	r.hand.over = true
	for i := range sim.Player(sim.NumPlayers) {
		p := (r.hand.builder.Last().Player&3 + i) % sim.NumPlayers
		if strings.TrimSpace(r.responses[p]) == "HU" {
			r.addWin(p)
			r.hand.builder.Hand.Wins = nil
			return r.readScores(nil)
		}
	}
	r.hand.builder.Exhausted(0, false, nil)
	return r.readScores(nil)
}

// wall sets the walls to those of the log, otherwise rebuilds them.
func (r *reader) wall() error {
	wall, err := wallIn(r.init)
	if err != nil {
		return fmt.Errorf("initdata: %w", err)
	}
	if wall == nil {
		return r.hand.rebuild()
	}
	r.hand.builder.Hand.Wall = wall
	return nil
}

// wallIn returns the walls in the initdata of a match, nil if there are none.
func wallIn(initData json.RawMessage) (*sim.Wall, error) {
	var init struct {
		WallTiles string `json:"walltiles"`
	}
	if text := unquoted(initData); len(text) > 0 {
		if err := json.Unmarshal(text, &init); err != nil {
			return nil, reading.DescribeJSONError(err)
		}
	}
	codes := strings.Fields(init.WallTiles)
	if len(codes) == 0 {
		return nil, nil
	}
	return wallOf(codes)
}

// metadata reads the walls of a match log without turns.
func metadata(text []byte) (id string, walls *sim.Wall) {
	if !bytes.HasPrefix(text, []byte{'{'}) || !bytes.Contains(text, []byte(`"initdata"`)) {
		return "", nil
	}
	var log matchLog
	if json.Unmarshal(text, &log) != nil || len(log.Logs) > 0 || len(log.Log) > 0 {
		return "", nil
	}
	walls, err := wallIn(log.InitData)
	if err != nil {
		return "", nil // parse returns the error
	}
	return string(unquoted(log.ID)), walls
}
