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
	"sync"

	"github.com/jansou/jansou/ruleset/mcr"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/record"
)

// Format reads match logs of Chinese Standard Mahjong on Botzone.
var Format = &record.Format{
	Name:     "botzone",
	Ruleset:  "botzone",
	Suffixes: []string{".json", ".jsonl", ".matches"},
	Split:    record.SplitJSON,
	Parse:    parse,
}

// matchLog is a match log: what the judge put out and what the players
// responded, in turn.
type matchLog struct {
	Logs     []json.RawMessage `json:"logs"`
	Log      []json.RawMessage `json:"log"`
	InitData json.RawMessage   `json:"initdata"`
	Players  []json.RawMessage `json:"players"`
}

// output is what the judge put out after a turn.
type output struct {
	Command string                     `json:"command"`
	Content map[string]json.RawMessage `json:"content"`
	Display struct {
		Action string `json:"action"`
		Player *int   `json:"player"`
		Fan    []struct {
			Name  string `json:"name"`
			Count int    `json:"cnt"`
			Value int    `json:"value"`
		} `json:"fan"`
		FanCount *int32 `json:"fanCnt"`
	} `json:"display"`
	InitData json.RawMessage `json:"initdata"`
}

// parse reads one match log, or the bare list of the turns of one.
func parse(text []byte, _ int) (*record.Game, error) {
	var log matchLog
	var err error
	if bytes.HasPrefix(text, []byte{'['}) {
		err = json.Unmarshal(text, &log.Logs)
	} else {
		err = json.Unmarshal(text, &log)
	}
	if err != nil {
		return nil, fmt.Errorf("no match log: %w", record.ExplainJSON(err))
	}
	return log.game()
}

// reader follows a log turn by turn.
type reader struct {
	game *record.Game
	hand *record.Hand
	at   int // element of the log, from 1
	init json.RawMessage
	// responses are those of the players to the requests before.
	responses map[string]struct {
		Response json.RawMessage `json:"response"`
	}
	drawn    [sim.NumPlayers][]tile.Face // the deal and the draws of each player
	last     sim.Event                   // the draw, discard or added kan that counts now
	finished bool
}

func (l *matchLog) game() (*record.Game, error) {
	r := &reader{game: &record.Game{Hands: make([]record.Hand, 1)}, init: l.InitData}
	r.hand = &r.game.Hands[0]
	r.hand.At = 1
	for p := range min(len(l.Players), sim.NumPlayers) {
		r.game.Names[p] = nameOf(l.Players[p])
	}
	turns := l.Logs
	if turns == nil {
		turns = l.Log
	}
	if len(turns) == 0 {
		return nil, errors.New("the log has no turns; its member logs lists what the judge put out and what the players responded")
	}
	for i, turn := range turns {
		r.at = i + 1
		if err := r.turn(turn); err != nil {
			return nil, &record.PlaceError{Unit: "turn", At: r.at, Message: err.Error()}
		}
	}
	if !r.finished {
		return nil, &record.PlaceError{Unit: "turn", At: r.at, Message: "the log ends here, but not the match"}
	}
	return r.game, r.wall()
}

// nameOf returns the name of a player, or of his program, where it stands alone.
func nameOf(player json.RawMessage) string {
	var members map[string]json.RawMessage
	var name string
	if json.Unmarshal(player, &members) == nil && json.Unmarshal(members["name"], &name) != nil {
		_ = json.Unmarshal(members["bot"], &name) // a log without names is as good
	}
	return name
}

// turn reads an element of the log.
func (r *reader) turn(text json.RawMessage) error {
	if r.finished {
		return errors.New("the log goes on after the end of the match")
	}
	var of struct {
		Output json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return record.ExplainJSON(err)
	}
	if of.Output == nil {
		r.responses = nil
		return record.ExplainJSON(json.Unmarshal(text, &r.responses))
	}
	var out output
	if err := json.Unmarshal(unquoted(of.Output), &out); err != nil {
		return record.ExplainJSON(err)
	}
	switch out.Command {
	case "request":
		if out.InitData != nil {
			r.init = out.InitData
		}
		return r.request(out.Content)
	case "finish":
		r.finished = true
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

// request reads the requests of a turn. All players are told the same, but for
// what only one of them may know.
func (r *reader) request(content map[string]json.RawMessage) error {
	told := -1
	for p := range sim.NumPlayers {
		var line string
		if err := json.Unmarshal(content[strconv.Itoa(p)], &line); err != nil {
			return fmt.Errorf("no request to player %d: %w", p, record.ExplainJSON(err))
		}
		words := strings.Fields(line)
		if len(words) < 2 {
			return fmt.Errorf("request %q to player %d is too short", line, p)
		}
		var err error
		switch words[0] {
		case "0":
			err = r.seat(p, words)
		case "1":
			err = r.deal(p, words)
		case "2":
			err = r.draw(p, words)
		case "3":
			if told < 0 {
				told = p
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
	wind, err := strconv.Atoi(words[2])
	if err != nil || wind < 0 || wind > 3 {
		return fmt.Errorf("round wind %q; want 0 to 3", words[2])
	}
	w := tile.Wind(wind)
	r.game.RoundWind = &w
	return nil
}

func (r *reader) deal(p int, words []string) error {
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
		r.hand.Deal[p] = append(r.hand.Deal[p], tile.Face(k))
	}
	r.drawn[p] = append(r.drawn[p], r.hand.Deal[p]...)
	return nil
}

func (r *reader) draw(p int, words []string) error {
	k, err := parseTile(words[1])
	if err != nil {
		return err
	}
	r.drawn[p] = append(r.drawn[p], tile.Face(k))
	r.add(sim.Event{Type: sim.EvDraw, Player: sim.Player(p), Tile: tile.Face(k)})
	return nil
}

func (r *reader) add(e sim.Event) {
	r.hand.Events = append(r.hand.Events, record.Event{Event: e, At: r.at})
	switch e.Type {
	case sim.EvDraw, sim.EvDiscard, sim.EvAddedKan:
		r.last = e
	}
}

// tell reads what a player did, as all are told.
func (r *reader) tell(words []string) error {
	id, err := strconv.Atoi(words[1])
	if err != nil || id < 0 || id >= sim.NumPlayers || len(words) < 3 {
		return errors.New("want 3, a player and what he did")
	}
	p := sim.Player(id)
	var kinds []tile.Face
	for _, code := range words[3:] {
		k, err := parseTile(code)
		if err != nil {
			return err
		}
		kinds = append(kinds, tile.Face(k))
	}
	giver := r.last.Player & 3
	ownTurn := r.last.Type == sim.EvDraw && r.last.Player == p
	claims := r.last.Type == sim.EvDiscard && r.last.Player != p
	switch form := fmt.Sprintf("%s %d", words[2], len(kinds)); {
	case form == "DRAW 0":
	case form == "PLAY 1" && ownTurn:
		marks := uint8(0)
		if kinds[0] == r.last.Tile {
			marks = sim.DiscardDrawn
		}
		r.add(sim.Event{Type: sim.EvDiscard, Player: p, Tile: kinds[0], Detail: marks})
	case form == "PENG 1" && claims:
		r.add(sim.Event{Type: sim.EvPon, Player: p, Tile: r.last.Tile, Detail: sim.PackCall(giver, 0, 0)})
		r.add(sim.Event{Type: sim.EvDiscard, Player: p, Tile: kinds[0]})
	case form == "CHI 2" && claims:
		place := int(r.last.Tile) - int(kinds[0]) + 1
		if place < 0 || place > 2 {
			return fmt.Errorf("a chow around %s does not hold %s", words[3], tileCode(r.last.Tile.Kind()))
		}
		r.add(sim.Event{Type: sim.EvChi, Player: p, Tile: r.last.Tile, Detail: sim.PackCall(giver, place, 0)})
		r.add(sim.Event{Type: sim.EvDiscard, Player: p, Tile: kinds[1]})
	case form == "GANG 0" && claims:
		r.add(sim.Event{Type: sim.EvOpenKan, Player: p, Tile: r.last.Tile, Detail: sim.PackCall(giver, 0, 0)})
	case form == "GANG 0" && ownTurn:
		// Only the player's response has the tile of a concealed kong.
		words := strings.Fields(r.response(id))
		if len(words) != 2 || words[0] != "GANG" {
			return fmt.Errorf("a concealed kong, but the player's response is %q", r.response(id))
		}
		k, err := parseTile(words[1])
		if err != nil {
			return err
		}
		r.add(sim.Event{Type: sim.EvClosedKan, Player: p, Tile: tile.Face(k)})
	case form == "BUGANG 1" && ownTurn:
		r.add(sim.Event{Type: sim.EvAddedKan, Player: p, Tile: kinds[0]})
	default:
		return errors.New("out of place")
	}
	return nil
}

// response returns what a player responded to the requests before.
func (r *reader) response(p int) string {
	var text string
	if json.Unmarshal(r.responses[strconv.Itoa(p)].Response, &text) != nil {
		return ""
	}
	return text
}

// finish reads how the match ended.
func (r *reader) finish(out *output) error {
	d := &out.Display
	switch {
	case d.Action == "HUANG":
		r.add(sim.Event{Type: sim.EvExhausted, Player: -1})
	case d.Action == "HU" && d.Player != nil && *d.Player >= 0 && *d.Player < sim.NumPlayers:
		p := sim.Player(*d.Player)
		r.add(sim.Event{Type: sim.EvWin, Player: p, Tile: r.last.Tile, Value: int32(r.last.Player)})
		w := record.Win{Points: record.NotTold, Han: record.NotTold, Fu: record.NotTold, Yakuman: record.NotTold}
		if d.FanCount != nil {
			w.Points = *d.FanCount
		}
		for _, f := range d.Fan {
			id, ok := fanIDs()[f.Name]
			if !ok {
				return fmt.Errorf("unknown fan %q", f.Name)
			}
			if w.Patterns == nil {
				w.Patterns = map[string]int{}
			}
			w.Patterns[id] += f.Count * f.Value
		}
		r.hand.Wins = []record.Win{w}
	case d.Player != nil:
		return fmt.Errorf("the match ends because player %d broke the protocol (%s); such a match has no hand to replay to its end", *d.Player, d.Action)
	default:
		return fmt.Errorf("the match ends by %q; want HU or HUANG", d.Action)
	}
	var paid [sim.NumPlayers]int32
	for p := range paid {
		if err := json.Unmarshal(out.Content[strconv.Itoa(p)], &paid[p]); err != nil {
			return fmt.Errorf("no score of player %d: %w", p, record.ExplainJSON(err))
		}
	}
	r.hand.Paid = &paid
	r.game.Points = &paid
	return nil
}

// fanIDs are the ids of the fan by their Chinese names.
var fanIDs = sync.OnceValue(func() map[string]string {
	ids := map[string]string{}
	for _, p := range mcr.Family.New().Compile().Patterns() {
		ids[p.Native] = p.ID
	}
	return ids
})

const (
	seatWall   = 136 / sim.NumPlayers
	dealtTiles = 13
)

// wall sets the walls: those of the log, each taken from its end, or what was
// dealt and drawn, and after that the tiles that nobody drew in the order of the
// kinds.
func (r *reader) wall() error {
	var wall sim.Wall
	for i := range wall {
		wall[i] = tile.NoFace
	}
	var init struct {
		WallTiles string `json:"walltiles"`
	}
	if text := unquoted(r.init); len(text) > 0 {
		if err := json.Unmarshal(text, &init); err != nil {
			return fmt.Errorf("initdata: %w", record.ExplainJSON(err))
		}
	}
	if codes := strings.Fields(init.WallTiles); len(codes) > 0 {
		if len(codes) != 4*seatWall {
			return fmt.Errorf("initdata: %d tiles in the walls; want %d", len(codes), 4*seatWall)
		}
		for i, code := range codes {
			k, err := parseTile(code)
			if err != nil {
				return fmt.Errorf("initdata: %w", record.ExplainJSON(err))
			}
			wall[i/seatWall*seatWall+seatWall-1-i%seatWall] = tile.Face(k)
		}
		r.hand.Wall = &wall
		return tile.CheckCopies(wall[:4*seatWall])
	}
	var left [tile.NumKinds]int
	for p, drawn := range r.drawn {
		if len(drawn) < dealtTiles || len(drawn) > seatWall {
			return fmt.Errorf("player %d is dealt and draws %d tiles; his wall has %d", p, len(drawn), seatWall)
		}
		for i, f := range drawn {
			wall[p*seatWall+i] = f
			left[f]++
		}
	}
	k := 0
	for i := range 4 * seatWall {
		if wall[i] != tile.NoFace {
			continue
		}
		for k < tile.NumKinds && left[k] >= 4 {
			k++
		}
		if k == tile.NumKinds {
			break
		}
		wall[i] = tile.Face(k)
		left[k]++
	}
	r.hand.Wall = &wall
	return tile.CheckCopies(wall[:4*seatWall])
}
