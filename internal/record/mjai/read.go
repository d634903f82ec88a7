package mjai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads logs of the mjai protocol: one JSON object a line, or the objects of a
// match in an array.
var Format = &record.Format{
	Name: "mjai", Ruleset: "tenhou", Suffixes: []string{".mjson", ".jsonl", ".json", ".mjai"}, Split: split,
	Parse: parseLog,
}

// logReader reads the lines of a log one by one.
type logReader struct {
	builder reading.Builder
	// begun is set once the match has begun, ended once it has ended.
	begun, ended bool
	// failure is the message of an error line, after which reading stops.
	failure *string

	first int // the mjai player who deals first
	names []string
	ready bool // the next discard declares
	paid  bool // all ends of the hand have deltas
}

// split splits a file of lines before each further start_game, and after an end_game with
// the error that may follow it. An array is a match of its own, and may be an element of
// another array.
func split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := len(data) - len(bytes.TrimLeft(data, " \t\r\n,]"))
	rest := data[skip:]
	if len(rest) > 0 && rest[0] == '[' {
		inner := 1 + record.SpaceLen(rest[1:])
		switch {
		case inner == len(rest) && !atEOF:
			return 0, nil, nil
		case inner < len(rest) && rest[inner] == '[':
			skip += inner
			rest = rest[inner:]
		}
		if advance, token, err = record.SplitJSON(rest, atEOF); advance > 0 {
			advance += skip
		}
		return advance, token, err
	}
	begun, n := false, 0
	for line := range bytes.Lines(rest) {
		whole := atEOF || line[len(line)-1] == '\n'
		switch typ := typeOf(line); {
		case !whole:
			return 0, nil, nil
		case typ == "start_game" && begun:
			return skip + n, rest[:n], nil
		case typ == "start_game", typ == "start_kyoku":
			begun = true
		}
		n += len(line)
		if typeOf(line) == "end_game" {
			after, _, more := bytes.Cut(rest[n:], []byte{'\n'})
			if !more && !atEOF {
				return 0, nil, nil
			}
			if bytes.Contains(after, []byte(`"error"`)) {
				n += len(after)
			}
			return skip + n, rest[:n], nil
		}
	}
	switch {
	case len(rest) == 0:
		return skip, nil, nil
	case atEOF:
		return len(data), rest, nil
	}
	return 0, nil, nil
}

// typeOf returns the type of a line if it begins or ends a match, otherwise "".
func typeOf(line []byte) string {
	for _, typ := range [...]string{"start_game", "start_kyoku", "end_game"} {
		if bytes.Contains(line, []byte(`"`+typ+`"`)) {
			return typ
		}
	}
	return ""
}

// parseLog parses the messages of a match: lines numbered from first, or the elements of
// an array.
func parseLog(text []byte, first int) (*record.Game, error) {
	l := &logReader{builder: reading.Builder{Unit: "line", Place: first - 1, Game: &record.Game{Unit: "line", Acceptances: true}}}
	messages := bytes.Lines(text)
	cut := ""
	if bytes.HasPrefix(text, []byte{'['}) {
		var list []json.RawMessage
		text, cut = reading.Close(text, 1)
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("no array of mjai messages: %w", reading.DescribeJSONError(err))
		}
		l.builder.Place, l.builder.Unit, l.builder.Game.Unit = 0, "element", "element"
		messages = func(yield func([]byte) bool) {
			for _, m := range list {
				if !yield(m) {
					return
				}
			}
		}
	}
	for line := range messages {
		l.builder.Place++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		m, err := parse(line, l.builder.Unmarshal)
		if err != nil {
			l.builder.Fail("%s", strings.TrimPrefix(err.Error(), "record: "))
		} else {
			l.message(m)
		}
		if l.builder.Err != nil || l.failure != nil {
			break
		}
	}
	switch {
	case cut != "":
		l.builder.Place++
		l.builder.Fail("%s", cut)
	case l.builder.Hand != nil && l.failure != nil:
		l.builder.Fail("the log ends within a hand by an error: %.200q", *l.failure)
	case l.builder.Hand != nil:
		l.builder.Fail("the log ends within a hand")
	case !l.begun:
		l.builder.Fail("the log has no start_game or start_kyoku")
	case len(l.builder.Game.Hands) == 0:
		l.builder.Fail("the match has no hand")
	case !l.ended && l.failure == nil:
		l.builder.Note("the log has no end_game")
	}
	return l.builder.Finish()
}

// Reader reads the messages that one player receives in a match in progress.
type Reader struct{ log logReader }

// NewReader returns a reader of a match. unit is the name of a message in errors.
func NewReader(unit string) *Reader {
	g := &record.Game{Unit: unit}
	return &Reader{log: logReader{builder: reading.Builder{Unit: unit, Game: g, Seen: true}}}
}

// Read reads message number n and returns what it adds. After an error the rest of the hand
// cannot be read.
func (r *Reader) Read(m *Message, n int) (reading.Step, error) {
	b := &r.log.builder
	b.Place, b.Err = n, nil
	if m.Type == "start_kyoku" && b.Hand != nil && !r.log.isHandOver() {
		b.Drop()
	}
	switch between := b.Hand == nil; {
	case between && m.Type == "end_game" && r.log.begun: // its scores need not be those of the hands
	case between && (m.Type == "end_game" || slices.Contains(tableTypes, m.Type)):
		// A server that says it twice, or after a hand that was not followed, loses nothing.
		b.Note("%s outside a hand was not read", m.Type)
	default:
		r.log.message(m)
	}
	if b.Err != nil {
		return reading.Step{}, b.Err
	}
	return b.Take(), nil
}

// Player returns the player of the engine for a player of the messages, ID the reverse. They
// differ where another player than 0 deals first.
func (r *Reader) Player(id sim.Player) sim.Player { return r.log.seat(id) }

// ID returns the player of the messages for a player of the engine.
func (r *Reader) ID(p sim.Player) sim.Player {
	return (p + sim.Player(r.log.first)) % sim.Player(r.log.builder.Seats.Count())
}

// Game returns the rules that the messages state, and their notes.
func (r *Reader) Game() *record.Game { return r.log.builder.Game }

// seat returns the player for an mjai player; player 0 deals first.
func (l *logReader) seat(p sim.Player) sim.Player {
	n := sim.Player(l.builder.Seats.Count())
	if p >= n {
		l.builder.Fail("player %d is named in a match of %d", p, n)
	}
	return (p - sim.Player(l.first) + n) % n
}

func (l *logReader) message(m *Message) {
	if boundary := m.Type == "start_kyoku" || m.Type == "end_game"; boundary && l.builder.Hand != nil {
		if !l.isHandOver() {
			l.builder.Fail("%s within a hand", m.Type)
			return
		}
		l.builder.Note("end_kyoku is missing")
		l.builder.EndHand()
	}
	switch m.Type {
	case "none", "hello", "join":
	case "error":
		if l.begun {
			l.failure = &m.Message
		}
	case "start_game":
		if l.begun {
			l.builder.Fail("start_game within a match")
		}
		l.startGame(m)
	case "start_kyoku":
		l.startHand(m)
	case "end_game":
		if !l.begun || l.ended {
			l.builder.Fail("end_game before or after the match")
			return
		}
		if m.Scores != nil {
			points := l.amounts(m, "scores", m.Scores)
			l.builder.Game.Points = &points
		}
		l.ended = true
	default:
		switch known := slices.Contains(actorTypes, m.Type) || slices.Contains(tableTypes, m.Type); {
		case !known:
			l.builder.Note("message %s is not known and was not read", m.Type)
		case l.builder.Hand == nil:
			l.builder.Fail("%s outside a hand", m.Type)
		default:
			l.handMessage(m)
		}
	}
}

// handMessage reads a line within a hand.
func (l *logReader) handMessage(m *Message) {
	var p sim.Player
	switch m.Type {
	case "dora":
		l.builder.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: l.tile(m, m.DoraMarker)})
		return
	case "ryukyoku":
		l.noWinner(m)
		return
	case "end_kyoku":
		switch over := l.isHandOver(); {
		case !over && l.builder.Seen: // some servers do not say how a hand ends
			l.builder.Abort(record.UnknownAbort)
		case !over:
			l.builder.Fail("end_kyoku before the end of the hand")
			return
		}
		l.builder.EndHand()
		return
	}
	if m.Actor == nil {
		l.builder.Fail("%s has no actor", m.Type)
		return
	}
	p = l.seat(*m.Actor)
	switch m.Type {
	case "reach":
		l.ready = true
		l.builder.Add(sim.Event{Type: sim.EvReady, Player: p})
	case "reach_accepted":
		l.builder.Add(sim.Event{Type: sim.EvReady, Player: p, Value: 1})
	case "hora":
		l.win(m, p)
	case "ankan":
		own, err := parseTiles(m.Consumed)
		if err != nil || len(own) != 4 {
			l.builder.Fail("ankan: %q are not four tiles", m.Consumed)
			return
		}
		l.builder.Add(sim.Event{Type: sim.EvClosedKan, Player: p, Tile: tile.Face(own[0].Kind())})
	case "tsumo":
		l.builder.Add(sim.Event{Type: sim.EvDraw, Player: p, Tile: l.tile(m, m.Pai)})
	case "dahai":
		e := sim.Event{Type: sim.EvDraw, Player: p, Tile: l.tile(m, m.Pai)}
		l.builder.Discard(p, e.Tile, m.Tsumogiri != nil && *m.Tsumogiri || m.Tsumogiri == nil && l.builder.Last() == e, l.ready)
		l.ready = false
	case string(KitaWord), string(Nukidora):
		l.builder.Add(sim.Event{Type: sim.EvKita, Player: p, Tile: tile.Face(tile.North)})
	case "kakan":
		l.builder.Add(sim.Event{Type: sim.EvAddedKan, Player: p, Tile: l.tile(m, m.Pai)})
	default:
		l.claim(m, p)
	}
}

// actorTypes are the types of messages about what a player does, tableTypes those about the table.
var (
	actorTypes = strings.Fields("tsumo dahai reach reach_accepted chi pon daiminkan ankan kakan kita nukidora hora")
	tableTypes = strings.Fields("dora ryukyoku end_kyoku")
)

func (l *logReader) tile(m *Message, text string) tile.Face {
	f, err := ParseTile(text)
	switch {
	case text == hiddenTile && l.builder.Seen:
	case text == hiddenTile:
		l.builder.Fail("%s: a tile is hidden; only logs that show all tiles can be replayed", m.Type)
	case err != nil:
		l.builder.Fail("%s: %q is no tile of mjai", m.Type, text)
	}
	return f
}

func (l *logReader) tiles(m *Message, list []string) (faces []tile.Face) {
	for _, text := range list {
		faces = append(faces, l.tile(m, text))
	}
	return faces
}

// amounts converts amounts of mjai players to amounts by player. In matches of three a
// fourth amount must be 0.
func (l *logReader) amounts(m *Message, member string, list []int32) (amounts [sim.NumPlayers]int32) {
	seats := l.builder.Seats.Count()
	if len(list) == sim.NumPlayers && seats < sim.NumPlayers && list[seats] == 0 {
		list = list[:seats]
	}
	list = reading.First(&l.builder, m.Type+": "+member, list, seats)
	for p, n := range list {
		amounts[l.seat(sim.Player(p))] = n
	}
	return amounts
}

func (l *logReader) startGame(m *Message) {
	if n := len(m.Names); n != 0 && n != 3 && n != sim.NumPlayers {
		l.builder.Fail("start_game names %d players; only matches of three or four can be replayed", n)
	}
	l.begun, l.names = true, m.Names
	if m.AkaFlag != nil && !*m.AkaFlag {
		l.builder.Game.Knobs = map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}}
	}
}

func (l *logReader) startHand(m *Message) {
	if !l.begun {
		l.builder.Note("the log has no start_game")
		l.startGame(&Message{})
	}
	if len(l.builder.Game.Hands) == 0 {
		l.countSeats(m)
	}
	seats := l.builder.Seats.Count()
	if n := len(m.Tehais); n == sim.NumPlayers && seats < n && isEmptySeat(m) {
		m.Tehais = m.Tehais[:seats]
	}
	round := strings.Index("ESWN", m.Bakaze)
	switch {
	case m.Honba == nil:
		l.builder.Fail("start_kyoku has no honba")
		return
	case round < 0 || len(m.Bakaze) != 1:
		l.builder.Fail("start_kyoku: bakaze is %q; allowed: E, S, W, N", m.Bakaze)
	case m.Kyoku < 1 || m.Kyoku > seats:
		l.builder.Fail("start_kyoku: kyoku is %d; allowed: 1 to %d", m.Kyoku, seats)
		return
	case len(m.Tehais) != seats:
		l.builder.Fail("start_kyoku deals %d hands in a match of %d players", len(m.Tehais), seats)
		return
	}
	if m.Oya == nil {
		// Without it the players are numbered from the first dealer on.
		oya := sim.Player((m.Kyoku - 1 + l.first) % seats)
		m.Oya = &oya
	}
	if len(l.builder.Game.Hands) == 0 {
		l.first = (int(*m.Oya) - m.Kyoku + 1 + seats) % seats
		for p, name := range l.names[:min(len(l.names), seats)] {
			l.builder.Game.Names[l.seat(sim.Player(p))] = name
		}
	}
	h := record.Hand{Place: l.builder.Place}
	if m.Scores != nil && m.Kyotaku != nil {
		h.Start = &sim.MatchState{
			Round: round, Dealer: l.seat(*m.Oya), Counter: *m.Honba, Deposits: *m.Kyotaku, Points: l.amounts(m, "scores", m.Scores),
		}
	} else if l.builder.Seen { // the points are those before
		h.Start = &sim.MatchState{Round: round, Dealer: l.seat(*m.Oya), Counter: *m.Honba}
		if m.Kyotaku != nil {
			h.Start.Deposits = *m.Kyotaku
		}
	}
	for p, hand := range m.Tehais {
		h.Deal[l.seat(sim.Player(p))] = l.tiles(m, hand)
	}
	indicator := l.tile(m, m.DoraMarker)
	if l.builder.Err != nil {
		return
	}
	l.builder.Hand = &h
	l.ready, l.paid = false, true
	l.builder.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: indicator})
}

// countSeats finds the number of players at the first start_kyoku: that of the hands, where
// some programs write an empty fourth one for three players.
func (l *logReader) countSeats(m *Message) {
	if len(m.Tehais) == 3 || len(m.Tehais) == sim.NumPlayers && isEmptySeat(m) {
		l.builder.Seats, l.builder.Game.Seats, l.builder.Game.Ruleset = ruleset.ThreeSeats, ruleset.ThreeSeats, "tenhou_sanma"
	}
	if n := len(l.names); n > 0 && n < l.builder.Seats.Count() {
		l.builder.Fail("start_kyoku deals %d hands, where start_game names %d players", len(m.Tehais), n)
	}
}

// isEmptySeat reports whether the last of four hands in a start_kyoku is that of an empty
// seat: without tiles, or with hidden ones beside no score or one of 0. Where the message has no
// scores at all, hidden tiles are those of a player.
func isEmptySeat(m *Message) bool {
	last := m.Tehais[3]
	if slices.ContainsFunc(last, func(s string) bool { return s != hiddenTile }) {
		return false
	}
	return len(last) == 0 || len(m.Scores) == 3 || len(m.Scores) > 3 && m.Scores[3] == 0
}

func (l *logReader) claim(m *Message, p sim.Player) {
	f := l.tile(m, m.Pai)
	if m.Target == nil {
		l.builder.Fail("%s has no target", m.Type)
		return
	}
	own, err := parseTiles(m.Consumed)
	e, ok := record.ClaimEvent(claims[m.Type], l.seat(*m.Target), f, own)
	if err != nil || !ok {
		l.builder.Fail("%s: %q and %q make none", m.Type, m.Pai, m.Consumed)
	}
	e.Player = p
	l.builder.Add(e)
}

func (l *logReader) win(m *Message, p sim.Player) {
	if m.Target == nil {
		l.builder.Fail("hora has no target")
		return
	}
	f := l.builder.Last().Tile
	if m.Pai != "" {
		f = l.tile(m, m.Pai)
	}
	orNotGiven := func(n *int32, limit int32) int32 {
		if n == nil || *n >= limit {
			return record.NotGiven
		}
		return *n
	}
	l.builder.Hand.Wins = append(l.builder.Hand.Wins, record.Win{
		Points: orNotGiven(m.HoraPoints, math.MaxInt32), Han: orNotGiven(m.Fan, yakumanFan), Fu: orNotGiven(m.Fu, math.MaxInt32), Yakuman: record.NotGiven,
		Ura: l.tiles(m, append(m.UraMarkers, m.UraDora...)),
	})
	l.builder.Add(sim.Event{Type: sim.EvWin, Player: p, Tile: f, Value: int32(l.seat(*m.Target))})
	l.pay(m)
}

// pay adds the deltas of a line at the end of a hand.
func (l *logReader) pay(m *Message) {
	if l.paid = l.paid && m.Deltas != nil; l.paid {
		l.builder.AddDeltas(l.amounts(m, "deltas", m.Deltas))
	} else {
		l.builder.Hand.Deltas = nil
	}
}

// noWinner reads the end of a hand without a winner. Some programs have other reasons, or
// none.
func (l *logReader) noWinner(m *Message) {
	switch reason := slices.Index(reasons[:], m.Reason); {
	case m.Reason == exhausted || m.Reason == "nagashimangan":
		dealer := l.dealer()
		seats := l.builder.Seats.Count()
		l.builder.Exhausted(dealer, len(m.Tenpais) >= seats, func(n int) bool {
			return m.Tenpais[(int(dealer)+n+l.first)%seats]
		})
	case reason >= 0:
		l.builder.Abort(uint8(reason))
	default:
		l.builder.Abort(record.UnknownAbort)
	}
	l.pay(m)
}

// dealer returns the first player who drew.
func (l *logReader) dealer() sim.Player {
	for _, e := range l.builder.Hand.Events {
		if e.Type == sim.EvDraw {
			return e.Player
		}
	}
	return 0
}

// isHandOver reports whether the hand has ended, but for further winners.
func (l *logReader) isHandOver() bool {
	switch l.builder.Hand.Events[len(l.builder.Hand.Events)-1].Type {
	case sim.EvWin, sim.EvAbort, sim.EvExhausted, sim.EvDeclare:
		return true
	}
	return false
}
