package mjai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Format reads logs of the mjai protocol: one JSON object a line, or the objects of a
// match in an array.
var Format = &record.Format{
	Name:     "mjai",
	Ruleset:  "tenhou",
	Suffixes: []string{".mjson", ".jsonl", ".json", ".mjai"},
	Split:    split,
	Parse:    parseLog,
}

// logReader reads the lines of a log one by one.
type logReader struct {
	// Builder.Hand is nil between two hands.
	record.Builder
	game  *record.Game
	ended bool // the match
	// failure is the message of an error line, after which reading stops.
	failure *string

	first int // the mjai player who deals first
	names []string
	drawn [sim.NumPlayers]tile.Face // tile drawn last and still held
	// window is the tile that may be won on, turn the player who drew or claimed last.
	window tile.Face
	turn   sim.Player
	ready  bool // the next discard declares
	paid   bool // all ends of the hand have deltas
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
	l := &logReader{Builder: record.Builder{Unit: "line", Place: first - 1}}
	messages := bytes.Lines(text)
	if bytes.HasPrefix(text, []byte{'['}) {
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("no array of mjai messages: %w", record.DescribeJSONError(err))
		}
		l.Place, l.Unit = 0, "element"
		messages = func(yield func([]byte) bool) {
			for _, m := range list {
				if !yield(m) {
					return
				}
			}
		}
	}
	for line := range messages {
		l.Place++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		m, err := Parse(line)
		if err != nil {
			return nil, l.Errorf("%s", strings.TrimPrefix(err.Error(), "record: "))
		}
		if err := l.message(m); err != nil {
			return nil, err
		}
		if l.failure != nil {
			break
		}
	}
	switch {
	case l.Hand != nil:
		cut := l.Errorf("the log ends in the midst of a hand")
		if l.failure != nil {
			cut = l.Errorf("the log ends in the midst of a hand by an error: %.200q", *l.failure)
		}
		n := len(l.game.Hands)
		if l.game.Hands = l.game.Hands[:n-1]; n == 1 {
			return nil, cut
		}
		l.game.Truncation = cut
		return l.game, nil
	case l.game == nil:
		return nil, l.Errorf("the log has no start_game or start_kyoku")
	case len(l.game.Hands) == 0:
		return nil, l.Errorf("the match has no hand")
	}
	return l.game, nil
}

// seat returns the player for an mjai player; player 0 deals first.
func (l *logReader) seat(p sim.Player) sim.Player {
	return (p - sim.Player(l.first) + sim.NumPlayers) % sim.NumPlayers
}

// message reads a line.
func (l *logReader) message(m *Message) error {
	switch m.Type {
	case "none", "hello", "join":
		return nil
	case "error":
		if l.game != nil {
			l.failure = &m.Message
		}
		return nil
	case "start_game":
		if l.game != nil {
			return l.Errorf("start_game within a match")
		}
		return l.startGame(m)
	case "start_kyoku":
		if l.Hand != nil {
			return l.Errorf("start_kyoku within a hand")
		}
		return l.startHand(m)
	case "end_game":
		if l.Hand != nil || l.game == nil || l.ended {
			return l.Errorf("end_game within a hand or before the match")
		}
		if m.Scores != nil {
			points, err := l.four(m.Type, "scores", m.Scores)
			if err != nil {
				return err
			}
			l.game.Points = points
		}
		l.ended = true
		return nil
	}
	if l.Hand == nil {
		return l.Errorf("%s outside a hand", m.Type)
	}
	switch m.Type {
	case "dora":
		f, err := l.tile(m.Type, m.DoraMarker)
		if err == nil {
			l.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: f})
		}
		return err
	case "ryukyoku":
		return l.noWinner(m)
	case "end_kyoku":
		return l.endHand()
	}
	if m.Actor == nil {
		return l.Errorf("%s has no actor", m.Type)
	}
	p := l.seat(*m.Actor)
	switch m.Type {
	case "reach":
		l.ready = true
		l.Add(sim.Event{Type: sim.EvReady, Player: p})
		return nil
	case "reach_accepted":
		l.Add(sim.Event{Type: sim.EvReady, Player: p, Value: 1})
		return nil
	case "hora":
		return l.win(m, p)
	case "ankan":
		own, err := parseTiles(m.Consumed)
		if err != nil || len(own) != 4 {
			return l.Errorf("ankan: %q are not four tiles", m.Consumed)
		}
		l.window = own[0]
		l.drawn[p] = tile.NoFace
		l.Add(sim.Event{Type: sim.EvClosedKan, Player: p, Tile: tile.Face(own[0].Kind())})
		return nil
	}
	f, err := l.tile(m.Type, m.Pai)
	if err != nil {
		return err
	}
	switch m.Type {
	case "tsumo":
		l.drawn[p], l.turn = f, p
		l.Add(sim.Event{Type: sim.EvDraw, Player: p, Tile: f})
	case "dahai":
		l.discard(m, p, f)
	case "kakan":
		l.window = f
		l.drawn[p] = tile.NoFace
		l.Add(sim.Event{Type: sim.EvAddedKan, Player: p, Tile: f})
	case "chi", "pon", "daiminkan":
		return l.claim(m, p, f)
	default:
		return l.Errorf("%q is no message of mjai", m.Type)
	}
	return nil
}

func (l *logReader) tile(where, text string) (tile.Face, error) {
	f, err := ParseTile(text)
	if text == hiddenTile {
		return f, l.Errorf("%s: a tile is hidden; only logs that show all tiles can be replayed", where)
	}
	if err != nil {
		return f, l.Errorf("%s: %q is no tile of mjai", where, text)
	}
	return f, nil
}

// four returns amounts of mjai players by player.
func (l *logReader) four(where, member string, list []int32) (*[sim.NumPlayers]int32, error) {
	if len(list) != sim.NumPlayers {
		return nil, l.Errorf("%s: %s has %d numbers; %d are needed, as only matches of four can be replayed", where, member, len(list), sim.NumPlayers)
	}
	var amounts [sim.NumPlayers]int32
	for p, n := range list {
		amounts[l.seat(sim.Player(p))] = n
	}
	return &amounts, nil
}

func (l *logReader) startGame(m *Message) error {
	if n := len(m.Names); n != 0 && n != sim.NumPlayers {
		return l.Errorf("start_game names %d players; only matches of four can be replayed", n)
	}
	l.newGame(m.Names)
	if m.AkaFlag != nil && !*m.AkaFlag {
		l.game.Knobs = map[string]any{"aka_dora": []any{int64(0), int64(0), int64(0)}}
	}
	return nil
}

func (l *logReader) newGame(names []string) {
	l.game, l.names = &record.Game{Unit: l.Unit}, names
}

func (l *logReader) startHand(m *Message) error {
	if l.game == nil {
		l.newGame(nil)
	}
	round := strings.Index("ESWN", m.Bakaze)
	switch {
	case m.Honba == nil:
		return l.Errorf("start_kyoku has no honba")
	case round < 0 || len(m.Bakaze) != 1:
		return l.Errorf("start_kyoku: bakaze is %q; allowed: E, S, W, N", m.Bakaze)
	case m.Kyoku < 1 || m.Kyoku > sim.NumPlayers:
		return l.Errorf("start_kyoku: kyoku is %d; allowed: 1 to %d", m.Kyoku, sim.NumPlayers)
	case len(m.Tehais) != sim.NumPlayers:
		return l.Errorf("start_kyoku deals %d hands; only matches of four can be replayed", len(m.Tehais))
	}
	if m.Oya == nil {
		// Without it the players are numbered from the first dealer on.
		oya := sim.Player((m.Kyoku - 1 + l.first) % sim.NumPlayers)
		m.Oya = &oya
	}
	if len(l.game.Hands) == 0 {
		l.first = (int(*m.Oya) - m.Kyoku + 1 + sim.NumPlayers) % sim.NumPlayers
		for p, name := range l.names {
			l.game.Names[l.seat(sim.Player(p))] = name
		}
	}
	h := record.Hand{Place: l.Place}
	if m.Scores != nil && m.Kyotaku != nil {
		points, err := l.four(m.Type, "scores", m.Scores)
		if err != nil {
			return err
		}
		h.Start = &sim.MatchState{
			Round: round, Dealer: l.seat(*m.Oya), Counter: *m.Honba, Deposits: *m.Kyotaku, Points: *points,
		}
	}
	for p, hand := range m.Tehais {
		dealt := make([]tile.Face, len(hand))
		for i, text := range hand {
			f, err := l.tile("start_kyoku", text)
			if err != nil {
				return err
			}
			dealt[i] = f
		}
		h.Deal[l.seat(sim.Player(p))] = dealt
	}
	marker, err := l.tile("start_kyoku", m.DoraMarker)
	if err != nil {
		return err
	}
	l.game.Hands = append(l.game.Hands, h)
	l.Hand = &l.game.Hands[len(l.game.Hands)-1]
	l.drawn = [sim.NumPlayers]tile.Face{tile.NoFace, tile.NoFace, tile.NoFace, tile.NoFace}
	l.window, l.turn, l.ready, l.paid = tile.NoFace, -1, false, true
	l.Add(sim.Event{Type: sim.EvIndicator, Player: -1, Tile: marker})
	return nil
}

func (l *logReader) discard(m *Message, p sim.Player, f tile.Face) {
	e := sim.Event{Type: sim.EvDiscard, Player: p, Tile: f}
	if m.Tsumogiri != nil && *m.Tsumogiri || m.Tsumogiri == nil && l.drawn[p] == f {
		e.Detail |= sim.DiscardDrawn
	}
	if l.ready {
		e.Detail |= sim.DiscardReady
	}
	l.drawn[p], l.ready, l.window = tile.NoFace, false, f
	l.Add(e)
}

func (l *logReader) claim(m *Message, p sim.Player, f tile.Face) error {
	if m.Target == nil {
		return l.Errorf("%s has no target", m.Type)
	}
	own, err := parseTiles(m.Consumed)
	e, ok := record.ClaimEvent(claims[m.Type], l.seat(*m.Target), f, own)
	if err != nil || !ok {
		return l.Errorf("%s: %q and %q make none", m.Type, m.Pai, m.Consumed)
	}
	e.Player = p
	l.turn = p
	l.Add(e)
	return nil
}

// win reads one winner.
func (l *logReader) win(m *Message, p sim.Player) error {
	if m.Target == nil {
		return l.Errorf("hora has no target")
	}
	giver := l.seat(*m.Target)
	f := l.window
	if giver == p {
		f = l.drawn[p]
	}
	if m.Pai != "" {
		var err error
		if f, err = l.tile(m.Type, m.Pai); err != nil {
			return err
		}
	}
	told := func(n *int32, limit int32) int32 {
		if n == nil || *n >= limit {
			return record.NotGiven
		}
		return *n
	}
	const fanOfYakuman = 100
	w := record.Win{Points: told(m.HoraPoints, 1<<30), Han: told(m.Fan, fanOfYakuman), Fu: told(m.Fu, 1<<30), Yakuman: record.NotGiven}
	for _, text := range append(m.UraMarkers, m.UraDora...) {
		u, err := l.tile(m.Type, text)
		if err != nil {
			return err
		}
		w.Ura = append(w.Ura, u)
	}
	l.Hand.Wins = append(l.Hand.Wins, w)
	l.Add(sim.Event{Type: sim.EvWin, Player: p, Tile: f, Value: int32(giver)})
	return l.pay(m)
}

// pay adds the deltas of a line at the end of a hand.
func (l *logReader) pay(m *Message) error {
	if l.paid = l.paid && m.Deltas != nil; !l.paid {
		l.Hand.Deltas = nil
		return nil
	}
	deltas, err := l.four(m.Type, "deltas", m.Deltas)
	if err != nil {
		return err
	}
	l.AddDeltas(*deltas)
	return nil
}

// noWinner reads the end of a hand without a winner.
func (l *logReader) noWinner(m *Message) error {
	e := sim.Event{Type: sim.EvAbort, Player: -1, Detail: record.UnknownAbort}
	if m.Reason == exhausted || m.Reason == "nagashimangan" {
		e = sim.Event{Type: sim.EvExhausted, Player: -1}
	}
	// Some programs have other reasons, or none.
	if reason := slices.Index(reasons[:], m.Reason); reason >= 0 {
		e.Detail = uint8(reason)
	}
	l.Add(e)
	if len(m.Tenpais) == sim.NumPlayers && e.Type == sim.EvExhausted {
		dealer := l.dealer()
		for i := range sim.Player(sim.NumPlayers) {
			p := (dealer + i) % sim.NumPlayers
			e := sim.Event{Type: sim.EvDeclare, Player: p}
			if m.Tenpais[(int(p)+l.first)%sim.NumPlayers] {
				e.Detail = 1
			}
			l.Add(e)
		}
	}
	return l.pay(m)
}

// dealer returns the first player who drew.
func (l *logReader) dealer() sim.Player {
	for _, e := range l.Hand.Events {
		if e.Type == sim.EvDraw {
			return e.Player
		}
	}
	return 0
}

func (l *logReader) endHand() error {
	n := len(l.Hand.Events)
	switch last := l.Hand.Events[n-1].Type; last {
	case sim.EvWin, sim.EvAbort, sim.EvExhausted, sim.EvDeclare:
	default:
		return l.Errorf("end_kyoku before the end of the hand")
	}
	l.Hand = nil
	return nil
}
