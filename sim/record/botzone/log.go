// Package botzone speaks the protocol of Chinese Standard Mahjong on Botzone and
// reads its match logs.
package botzone

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads match logs of Chinese Standard Mahjong on Botzone, and matches of
// the text form in which its competitions publish them.
var Format = &record.Format{
	Name:     "botzone",
	Ruleset:  "botzone",
	Suffixes: []string{".json", ".jsonl", ".matches", ".txt"},
	Split:    split,
	Parse:    parse,
	Doubles:  true,
	Walls:    metadata,
}

// split cuts a file into match logs, which may be the elements of an array, and
// matches of the text form, whichever stands next.
func split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := len(data) - len(bytes.TrimLeft(data, " \t\r\n,]"))
	if rest := data[skip:]; len(rest) > 0 && rest[0] == '[' {
		switch list, known := listsLogs(rest, atEOF); {
		case !known:
			return 0, nil, nil
		case list:
			skip++
			skip += record.Blank(data[skip:])
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

// listsLogs reports whether an array is of match logs rather than of the turns of
// one, which it knows by the first member that only one of them has.
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

// matchLog is a match log: what the judge put out and what the players
// responded, in turn.
type matchLog struct {
	ID       json.RawMessage   `json:"_id"`
	Logs     []json.RawMessage `json:"logs"`
	Log      []json.RawMessage `json:"log"`
	InitData json.RawMessage   `json:"initdata"`
	Players  []json.RawMessage `json:"players"`
	Scores   []int32           `json:"scores"`
}

// output is what the judge put out after a turn.
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

// parse reads a match of the text form, a match log, or the bare list of the turns
// of one.
func parse(text []byte, line int) (*record.Game, error) {
	var log matchLog
	var err error
	switch {
	case bytes.HasPrefix(text, []byte{'['}):
		err = json.Unmarshal(text, &log.Logs)
	case bytes.HasPrefix(text, []byte{'{'}):
		err = json.Unmarshal(text, &log)
	default:
		return parseText(text, line)
	}
	if err != nil {
		return nil, fmt.Errorf("no match log: %w", record.ExplainJSON(err))
	}
	return log.game()
}

// reader follows a log turn by turn.
type reader struct {
	handBuilder
	init json.RawMessage
	// scores are those of the end where the log has them apart from its turns.
	scores []int32
	// responses are those of the players to the requests before.
	responses [sim.NumPlayers]string
	finished  bool
}

func (l *matchLog) game() (*record.Game, error) {
	r := &reader{handBuilder: newHandBuilder("turn", 1), init: l.InitData, scores: l.Scores}
	r.game.ID = string(unquoted(l.ID))
	for p := range min(len(l.Players), sim.NumPlayers) {
		r.game.Names[p] = nameOf(l.Players[p])
	}
	turns := l.Logs
	if turns == nil {
		turns = l.Log
	}
	switch {
	case len(turns) == 0 && l.InitData != nil:
		return nil, errors.New("it holds the initdata of a match without its turns; put it into the log of that match as its member initdata, or import both together with the same _id or file name")
	case len(turns) == 0:
		return nil, errors.New("the log has no turns; its member logs lists what the judge put out and what the players responded")
	}
	for i, turn := range turns {
		r.at = i + 1
		if err := r.turn(turn); err != nil {
			return nil, r.fail(err)
		}
	}
	if !r.finished && r.scores != nil {
		if err := r.finishByScores(); err != nil {
			return nil, r.fail(err)
		}
	}
	if !r.finished {
		return nil, r.fail(errors.New("the log ends here, but not the match"))
	}
	return r.game, r.wall()
}

// nameOf returns the name of a player, or of his program, where it stands alone.
func nameOf(player json.RawMessage) string {
	var members map[string]json.RawMessage
	var name string
	if json.Unmarshal(player, &name) == nil {
		return name
	}
	if json.Unmarshal(player, &members) == nil && json.Unmarshal(members["name"], &name) != nil {
		_ = json.Unmarshal(members["bot"], &name) // a log without names is as good
	}
	return name
}

// turn reads an element of the log: what the judge put out, as the member output
// or bare, or the responses. Logs of local judges leave out what wraps them.
func (r *reader) turn(text json.RawMessage) error {
	if r.finished {
		return errors.New("the log goes on after the end of the match")
	}
	text = unquoted(text)
	var of struct {
		Output  json.RawMessage `json:"output"`
		Command *string         `json:"command"`
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte{'['}) {
		if err := json.Unmarshal(text, &of); err != nil {
			return record.ExplainJSON(err)
		}
	}
	switch {
	case of.Output != nil:
		text = unquoted(of.Output)
	case of.Command == nil:
		lines, err := four(text)
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
		return record.ExplainJSON(err)
	}
	switch out.Command {
	case "request":
		if out.InitData != nil {
			r.init = out.InitData
		}
		lines, err := four(out.Content)
		if err != nil {
			return err
		}
		return r.request(lines)
	case "finish":
		return r.finish(&out)
	}
	return fmt.Errorf("unknown command %q; want request or finish", out.Command)
}

// unquoted returns the JSON inside a JSON text, or what it is given.
func unquoted(j json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(j, &text) == nil {
		return json.RawMessage(text)
	}
	return j
}

// four returns a text for each player out of an object with the members 0 to 3 or
// an array, whose values are texts or have them as their member response. A
// response that is no text is empty; a text must not be missing.
func four(text json.RawMessage) (lines [sim.NumPlayers]string, err error) {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			return lines, record.ExplainJSON(err)
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
			_ = json.Unmarshal(value, &lines[p]) // a program may respond anything
			continue
		}
		if err := json.Unmarshal(value, &lines[p]); err != nil {
			return lines, fmt.Errorf("player %d: %w", p, record.ExplainJSON(err))
		}
	}
	return lines, nil
}

// request reads the requests of a turn. All players are told the same, but for
// what only one of them may know.
func (r *reader) request(lines [sim.NumPlayers]string) error {
	told := false
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
			if k, err = parseTile(words[1]); err == nil {
				r.draw(sim.Player(p), k)
			}
		case "3":
			if !told {
				told = true
				err = r.tell(words)
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
	return r.setRoundWind(words[2])
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
	for _, code := range words[5:] {
		k, err := parseTile(code)
		if err != nil {
			return err
		}
		r.deal(p, k)
	}
	return nil
}

// tell reads what a player did, as all are told.
func (r *reader) tell(words []string) error {
	id, err := strconv.Atoi(words[1])
	if err != nil || id < 0 || id >= sim.NumPlayers || len(words) < 3 {
		return errors.New("want 3, a player and what he did")
	}
	p := sim.Player(id)
	var kinds []tile.Kind
	for _, code := range words[3:] {
		k, err := parseTile(code)
		if err != nil {
			return err
		}
		kinds = append(kinds, k)
	}
	switch form := fmt.Sprintf("%s %d", words[2], len(kinds)); {
	case form == "DRAW 0":
	case form == "PLAY 1" && r.ownTurn(p):
		r.discard(p, kinds[0])
	case form == "PENG 1" && r.canClaim(p):
		r.claimed(sim.EvPon, p, 0)
		r.discard(p, kinds[0])
	case form == "CHI 2" && r.canClaim(p):
		place, err := r.chiPlace(kinds[0])
		if err != nil {
			return err
		}
		r.claimed(sim.EvChi, p, place)
		r.discard(p, kinds[1])
	case form == "GANG 0" && r.canClaim(p):
		r.claimed(sim.EvOpenKan, p, 0)
	case form == "GANG 0" && r.ownTurn(p):
		// Only the player's response has the tile of a concealed kong.
		words := strings.Fields(r.responses[p])
		if len(words) != 2 || words[0] != "GANG" {
			return fmt.Errorf("a concealed kong, but the player's response is %q", r.responses[p])
		}
		k, err := parseTile(words[1])
		if err != nil {
			return err
		}
		r.add(sim.Event{Type: sim.EvClosedKan, Player: p, Tile: tile.Face(k)})
	case form == "BUGANG 1" && r.ownTurn(p):
		r.add(sim.Event{Type: sim.EvAddedKan, Player: p, Tile: tile.Face(kinds[0])})
	default:
		return errOutOfPlace
	}
	return nil
}

// claimed adds a claim, and the claims of others that lost against it.
func (r *reader) claimed(t sim.EventType, p sim.Player, place int) {
	lost := r.lost(p)
	r.call(t, p, place)
	r.hand.Events[len(r.hand.Events)-1].Lost = lost
}

// lost returns what others than player p wanted of the tile that counts now.
func (r *reader) lost(p sim.Player) (list []record.Lost) {
	if r.last.Type == sim.EvDraw {
		return nil
	}
	for q, response := range r.responses {
		a := sim.NoAction
		switch words := strings.Fields(response); {
		case len(words) == 0 || sim.Player(q) == p:
		case words[0] == "HU":
			a = sim.ActWin
		case r.last.Type != sim.EvDiscard:
		case words[0] == "PENG":
			a = sim.ActPon
		case words[0] == "GANG":
			a = sim.ActOpenKan
		case words[0] == "CHI" && len(words) > 1:
			if middle, err := parseTile(words[1]); err == nil {
				if place, err := r.chiPlace(middle); err == nil {
					a = sim.ActChi + sim.Action(place)
				}
			}
		}
		if a != sim.NoAction {
			list = append(list, record.Lost{Player: sim.Player(q), Action: a})
		}
	}
	return list
}

// wins adds the win of player p, and what others wanted of the tile.
func (r *reader) wins(p sim.Player) {
	lost := r.lost(p)
	r.win(p)
	r.hand.Events[len(r.hand.Events)-1].Lost = lost
}

// finish reads how the match ended.
func (r *reader) finish(out *output) error {
	r.finished = true
	d := &out.Display
	switch {
	case d.Action == "HUANG":
		r.add(sim.Event{Type: sim.EvExhausted, Player: -1})
	case d.Player == nil || *d.Player < 0 || *d.Player >= sim.NumPlayers:
		return fmt.Errorf("the match ends by %q; want HU and a player, HUANG, or a player and what he did wrong", d.Action)
	case d.Action == "HU":
		r.wins(sim.Player(*d.Player))
		points := int32(record.NotTold)
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
		r.value(points, list)
	default:
		// WA, WH, TLE and the like: a player broke the protocol.
		r.add(sim.Event{Type: sim.EvForfeit, Player: sim.Player(*d.Player)})
	}
	return r.paid(out.Content)
}

// paid reads what each player gained, from the content of the end or the scores of
// the log.
func (r *reader) paid(content json.RawMessage) error {
	var paid [sim.NumPlayers]int32
	var members map[string]json.RawMessage
	switch {
	case len(content) == 0 && len(r.scores) == sim.NumPlayers:
		copy(paid[:], r.scores)
	case json.Unmarshal(content, &paid) == nil:
	default:
		if err := json.Unmarshal(content, &members); err != nil {
			return fmt.Errorf("no scores: %w", record.ExplainJSON(err))
		}
		for p := range paid {
			if err := json.Unmarshal(members[strconv.Itoa(p)], &paid[p]); err != nil {
				return fmt.Errorf("no score of player %d: %w", p, record.ExplainJSON(err))
			}
		}
	}
	r.hand.Paid, r.game.Points = &paid, &paid
	return nil
}

// finishByScores ends a match whose log has its scores and no turn for the end: by
// the win of who said so, nearest to the giver, or by the exhausted wall.
func (r *reader) finishByScores() error {
	r.finished = true
	for i := range sim.Player(sim.NumPlayers) {
		p := (r.last.Player&3 + i) % sim.NumPlayers
		if strings.TrimSpace(r.responses[p]) == "HU" {
			r.wins(p)
			r.hand.Wins = nil
			return r.paid(nil)
		}
	}
	r.add(sim.Event{Type: sim.EvExhausted, Player: -1})
	return r.paid(nil)
}

// wall sets the walls: those of the log, or what can be rebuilt.
func (r *reader) wall() error {
	wall, err := wallIn(r.init)
	if err != nil {
		return fmt.Errorf("initdata: %w", err)
	}
	if wall == nil {
		return r.rebuild()
	}
	r.hand.Wall = wall
	return nil
}

// wallIn returns the walls that the initdata of a match has, or nil.
func wallIn(initData json.RawMessage) (*sim.Wall, error) {
	var init struct {
		WallTiles string `json:"walltiles"`
	}
	if text := unquoted(initData); len(text) > 0 {
		if err := json.Unmarshal(text, &init); err != nil {
			return nil, record.ExplainJSON(err)
		}
	}
	codes := strings.Fields(init.WallTiles)
	if len(codes) == 0 {
		return nil, nil
	}
	return wallOf(codes)
}

// metadata reads the initdata of a match without its turns.
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
		return "", nil // parse refuses it
	}
	return string(unquoted(log.ID)), walls
}
