package botzone

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// CheckRules returns an error if the forms do not support the rules: those that the
// protocol does not support, flowers, dealers who do not draw their last tile, and matches of more
// than one hand.
func CheckRules(r *ruleset.Rules) error {
	if err := check(r); err != nil {
		return err
	}
	switch {
	case r.Flowers != ruleset.NoFlowers:
		return unsupported(r, "it plays with flowers")
	case r.DealerExtraTile != ruleset.ExtraDrawn:
		return unsupported(r, "the dealer's last tile is dealt, not drawn")
	}
	if r.Rounds != 1 || r.HandsPerRound != 1 {
		return fmt.Errorf("record: a match on Botzone is one hand; a match of %s has more", r.Name)
	}
	return nil
}

// answer is the answer of a player at a decision point.
type answer struct {
	player sim.Player
	action sim.Action
}

// answersBefore returns the answers that led to event n of a match.
func answersBefore(m *sim.Match, n int) (list []answer) {
	at := int32(-1)
	for i, c := range m.Choices {
		if int(c.EventIndex) > n || i >= len(m.Actions) {
			break
		}
		if c.EventIndex != at {
			at, list = c.EventIndex, list[:0]
		}
		list = append(list, answer{c.Player, m.Actions[i]})
	}
	return list
}

// WriteText returns a match, which must have its Choices and Values, in the text form of
// Botzone's competitions. It returns an error if the form does not support the rules or
// the match.
func WriteText(r *ruleset.Rules, m *sim.Match) ([]byte, error) {
	if err := CheckRules(r); err != nil {
		return nil, err
	}
	var b []byte
	line := func(format string, args ...any) { b = append(fmt.Appendf(b, format, args...), '\n') }
	var dealt [sim.NumPlayers]strings.Builder
	line("%s %d", matchWord, m.Index)
	begun := false
	for i, e := range m.Events {
		if !begun && e.Type > sim.EvDeal {
			begun = true
			line("Wind %d", windOf(m))
			for p := range dealt {
				line("Player %d Deal%s", p, dealt[p].String())
			}
		}
		did := func(what string, k tile.Kind) {
			b = fmt.Appendf(b, "Player %d %s %s", e.Player, what, tileCode(k))
			if e.Type == sim.EvChi || e.Type == sim.EvPon || e.Type == sim.EvOpenKan || e.Type == sim.EvWin {
				for _, other := range answersBefore(m, i) {
					if what, k := claimWord(other.action, e.Tile.Kind()); other.player != e.Player && what != "" {
						b = fmt.Appendf(b, " Ignore Player %d %s %s", other.player, what, tileCode(k))
					}
				}
			}
			b = append(b, '\n')
		}
		switch k := e.Tile.Kind(); e.Type {
		case sim.EvDeal:
			for _, f := range record.DealtTiles(e) {
				dealt[e.Player].WriteString(" " + tileCode(f.Kind()))
			}
		case sim.EvDraw:
			did("Draw", k)
		case sim.EvDiscard:
			did("Play", k)
		case sim.EvChi:
			did("Chi", middleOf(e))
		case sim.EvPon:
			did("Peng", k)
		case sim.EvOpenKan:
			did("Gang", k)
		case sim.EvClosedKan:
			did("AnGang", k)
		case sim.EvAddedKan:
			did("BuGang", k)
		case sim.EvWin:
			did("Hu", k)
			if len(m.Values) > 0 {
				var list []string
				for _, f := range fanOf(r, &m.Values[0]) {
					list = append(list, fmt.Sprintf("%s*%d", f.name, f.count))
				}
				line("Fan %d %s", m.Values[0].Points, strings.Join(list, "+"))
			}
		case sim.EvExhausted:
			line("Huang")
		case sim.EvForfeit, sim.EvTruncated:
			return nil, fmt.Errorf("record: match %d: the text form does not support forfeited and truncated matches; export it as botzone", m.Index)
		}
	}
	points := m.Final.Points
	line("Score %d %d %d %d", points[0], points[1], points[2], points[3])
	return b, nil
}

// fanOf returns the fan of a win, with how often each was counted, by its points.
func fanOf(r *ruleset.Rules, v *ruleset.Value) (list []fanEntry) {
	all := r.Patterns()
	for _, p := range v.Patterns[:v.NumPatterns] {
		f := fanEntry{name: all[p.Pattern].Native, count: 1}
		if one := fanTable()[f.name].points; one > 0 {
			f.count = max(1, int(p.Points)/one)
		}
		f.value = int(p.Points) / f.count
		list = append(list, f)
	}
	return list
}

// windOf returns the round wind of a match of one hand.
func windOf(m *sim.Match) int {
	for _, e := range m.Events {
		if e.Type == sim.EvSeats {
			if _, wind, drawn := e.Seats(); drawn {
				return int(wind)
			}
		}
	}
	return 0
}

// claimWord returns the word of the text form for the claim a of a tile and the tile it
// names; the word is empty for other actions.
func claimWord(a sim.Action, k tile.Kind) (string, tile.Kind) {
	switch {
	case a >= sim.ActChi && a < sim.ActChiRed:
		return "Chi", k - tile.Kind(a-sim.ActChi) + 1
	case a == sim.ActPon:
		return "Peng", k
	case a == sim.ActOpenKan:
		return "Gang", k
	case a == sim.ActWin:
		return "Hu", k
	}
	return "", k
}

// logWriter writes a match log.
type logWriter struct {
	m        *sim.Match
	requests [sim.NumPlayers]*Requests
	turns    []any
	hands    record.Hands
	claimed  bool // the discard after a chi or pon is awaited
}

type object = map[string]any

// WriteLog returns a match, which must have its Choices and Values, as a match log of
// Botzone with the walls. It returns an error if the log does not support the rules.
func WriteLog(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string) ([]byte, error) {
	if err := CheckRules(r); err != nil {
		return nil, err
	}
	w := &logWriter{m: m, hands: record.Hands{Rules: r}}
	for p := range w.requests {
		w.requests[p], _ = NewRequests(r, sim.Player(p))
	}
	for i, e := range m.Events {
		if !w.claimed && len(w.turns) > 0 {
			w.respond(i)
		}
		w.hands.Apply(e)
		switch e.Type {
		case sim.EvChi, sim.EvPon:
			w.claimed = true
		case sim.EvDiscard, sim.EvAddedKan:
			w.claimed = false
		}
		var lists [sim.NumPlayers][]string
		for p, requests := range w.requests {
			lists[p] = requests.Append(nil, m.Events[i:i+1])
		}
		for j := range lists[0] {
			content := object{}
			for p, list := range lists {
				content[fmt.Sprint(p)] = list[j]
			}
			w.turns = append(w.turns, object{"output": object{"command": "request", "content": content}}, responses(nil))
		}
	}
	w.turns = append(w.turns, object{"output": w.end(r)})
	players := make([]object, sim.NumPlayers)
	for p, name := range names {
		players[p] = object{"name": name}
	}
	text, err := json.Marshal(object{
		"_id": fmt.Sprint(m.Index), "players": players, "logs": w.turns,
		"initdata": object{"walltiles": wallText(r, m), "quan": windOf(m)},
	})
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// wallText returns the walls, each of which is drawn from its end.
func wallText(r *ruleset.Rules, m *sim.Match) string {
	wall := sim.NewWall(&r.Flow, m.Seed, 0, 0, 0)
	if len(m.Walls) > 0 {
		wall = m.Walls[0]
	}
	codes := make([]string, 0, sim.NumPlayers*seatWall)
	for p := range sim.NumPlayers {
		for i := range seatWall {
			codes = append(codes, tileCode(wall[(p+1)*seatWall-1-i].Kind()))
		}
	}
	return strings.Join(codes, " ")
}

// responses returns the turn of the responses; players without a text pass.
func responses(texts map[sim.Player]string) object {
	all := object{}
	for p := range sim.Player(sim.NumPlayers) {
		all[fmt.Sprint(p)] = object{"response": cmp.Or(texts[p], "PASS"), "verdict": "OK"}
	}
	return all
}

// respond writes the answers of the decision after n events as the responses to the last
// requests.
func (w *logWriter) respond(n int) {
	texts := map[sim.Player]string{}
	for i, c := range w.m.Choices {
		if int(c.EventIndex) != n || i >= len(w.m.Actions) {
			continue
		}
		window := tile.NoKind
		if last := w.last(n); last.Type == sim.EvDiscard {
			window = last.Tile.Kind()
		}
		texts[c.Player] = responseText(w.m.Actions[i], w.last(n).Tile, window, func(meld ...tile.Kind) tile.Kind {
			return w.claimDiscard(n, c.Player, meld...)
		})
	}
	if len(texts) > 0 {
		w.turns[len(w.turns)-1] = responses(texts)
	}
}

// last returns the last draw or discard of the first n events.
func (w *logWriter) last(n int) sim.Event {
	for i := n - 1; i >= 0; i-- {
		if e := w.m.Events[i]; e.Type == sim.EvDraw || e.Type == sim.EvDiscard {
			return e
		}
	}
	return noEvent
}

// claimDiscard returns the discard that the claim of player p before event n names: the
// player's next discard, or if the claim is outranked the first kind that would remain.
func (w *logWriter) claimDiscard(n int, p sim.Player, meld ...tile.Kind) tile.Kind {
	for _, e := range w.m.Events[n:] {
		if e.Type == sim.EvDiscard && e.Player == p && w.m.Events[n].Player == p && w.m.Events[n].Type != sim.EvWin {
			return e.Tile.Kind()
		}
		if e.Type != sim.EvChi && e.Type != sim.EvPon {
			break
		}
	}
	var held hand.Hand
	for _, f := range append(slices.Clone(w.hands.Concealed[p]), w.last(n).Tile) {
		held.Add(f.Kind())
	}
	for _, k := range meld {
		held.Remove(k)
	}
	if kinds := held.Kinds(); kinds != 0 {
		return kinds.First()
	}
	return meld[0]
}

// end returns the final output of the judge.
func (w *logWriter) end(r *ruleset.Rules) object {
	content, display := object{}, object{"action": "HUANG"}
	for p, points := range w.m.Final.Points {
		content[fmt.Sprint(p)] = points
	}
	for _, e := range w.m.Events {
		switch e.Type {
		case sim.EvWin:
			var list []object
			for _, f := range fanOf(r, &w.m.Values[0]) {
				list = append(list, object{"name": f.name, "cnt": f.count, "value": f.value})
			}
			display = object{"action": "HU", "player": e.Player, "fanCnt": w.m.Values[0].Points, "fan": list}
		case sim.EvForfeit:
			display = object{"action": "WA", "player": e.Player}
		}
	}
	return object{"command": "finish", "content": content, "display": display}
}
