package botzone

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// matchWord is the first word of a match of the text form.
const matchWord = "Match"

// splitText splits a file of the text form before each further line that begins a match.
func splitText(data []byte, atEOF bool) (advance int, token []byte, err error) {
	const begin = "\n" + matchWord + " "
	if i := bytes.Index(data, []byte(begin)); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// textReader reads a match of the text form line by line.
type textReader struct {
	handBuilder
	over, scored bool
}

// parseText parses a match of the text form that begins on the given line.
func parseText(text []byte, line int) (*record.Game, error) {
	r := &textReader{handBuilder: newHandBuilder("line", line)}
	r.Place--
	for text := range bytes.Lines(text) {
		r.Place++
		words := strings.Fields(string(text))
		if len(words) == 0 {
			continue
		}
		if err := r.line(words); err != nil {
			return nil, r.Errorf("%v", err)
		}
	}
	switch {
	case r.game.RoundWind == nil:
		return nil, r.Errorf("the match has no line Wind")
	case !r.over:
		return nil, r.Errorf("the match ends here without Hu or Huang")
	}
	return r.game, r.rebuild()
}

// line reads a line.
func (r *textReader) line(words []string) error {
	if r.over && words[0] != "Fan" && words[0] != "Score" {
		return fmt.Errorf("%s after the end of the match", words[0])
	}
	switch words[0] {
	case matchWord:
		if len(words) != 2 || len(r.Hand.Events) > 0 {
			return errors.New("want Match and its id, before everything else")
		}
		r.game.ID = words[1]
		return nil
	case "Wind":
		if len(words) != 2 {
			return errors.New("want Wind and 0 to 3")
		}
		return r.setRoundWind(words[1])
	case "Player":
		return r.player(words[1:])
	case "Huang":
		r.over = true
		r.add(sim.Event{Type: sim.EvExhausted, Player: -1})
		return nil
	case "Fan":
		return r.fan(words[1:])
	case "Score":
		return r.score(words[1:])
	}
	return fmt.Errorf("%.20q begins no line of a match; want Match, Wind, Player, Huang, Fan or Score", words[0])
}

// player reads the action of a player, without the word Player.
func (r *textReader) player(words []string) error {
	if len(words) < 2 || len(words[0]) != 1 || words[0][0] < '0' || words[0][0] > '3' {
		return errors.New("want Player, 0 to 3 and what he did")
	}
	p, did, args := sim.Player(words[0][0]-'0'), words[1], words[2:]
	var others []string
	for i, w := range args {
		if w == "Ignore" {
			args, others = args[:i], args[i:]
			break
		}
	}
	if did == "Deal" {
		if len(args) != dealtTiles || r.Hand.Deal[p] != nil {
			return fmt.Errorf("player %d is dealt %d tiles; want %d, once", p, len(args), dealtTiles)
		}
		for _, code := range args {
			k, err := parseTile(code)
			if err != nil {
				return err
			}
			r.deal(p, k)
		}
		return nil
	}
	if len(args) != 1 {
		return fmt.Errorf("%s names %d tiles; want 1", did, len(args))
	}
	k, err := parseTile(args[0])
	if err != nil {
		return err
	}
	if err := r.did(p, did, k); err != nil {
		return err
	}
	return r.ignored(others)
}

// did reads the action of a player with a tile.
func (r *textReader) did(p sim.Player, did string, k tile.Kind) error {
	claims := r.canClaim(p) && (did == "Chi" || r.last.Tile == tile.Face(k))
	switch {
	case did == "Draw":
		r.draw(p, k)
	case did == "Play":
		r.discard(p, k)
	case did == "Chi" && claims:
		place, err := r.chiPlace(k)
		if err != nil {
			return err
		}
		r.call(sim.EvChi, p, place)
	case did == "Peng" && claims:
		r.call(sim.EvPon, p, 0)
	case did == "Gang" && claims:
		r.call(sim.EvOpenKan, p, 0)
	case did == "AnGang" && r.ownTurn(p):
		r.add(sim.Event{Type: sim.EvClosedKan, Player: p, Tile: tile.Face(k)})
	case did == "BuGang" && r.ownTurn(p):
		r.add(sim.Event{Type: sim.EvAddedKan, Player: p, Tile: tile.Face(k)})
	case did == "Hu":
		if r.last.Tile != tile.Face(k) {
			return fmt.Errorf("the win is on %s, but the last tile is %s", tileCode(k), tileText(r.last.Tile))
		}
		r.over = true
		r.win(p)
	default:
		switch did {
		case "Chi", "Peng", "Gang", "AnGang", "BuGang":
			return fmt.Errorf("%s of %s is %w; the last tile is %s", did, tileCode(k), errOutOfPlace, tileText(r.last.Tile))
		}
		return fmt.Errorf("%.20q is nothing a player does; want Deal, Draw, Play, Chi, Peng, Gang, AnGang, BuGang or Hu", did)
	}
	return nil
}

// tileText returns the code of a tile, "none" for NoFace.
func tileText(f tile.Face) string {
	if f == tile.NoFace {
		return "none"
	}
	return tileCode(f.Kind())
}

// ignored reads the claims that the last one outranked, each as the words Ignore, Player,
// number, claim and tile. The tile may be missing except for Chi.
func (r *textReader) ignored(words []string) error {
	if len(words) == 0 {
		return nil
	}
	e := &r.Hand.Events[len(r.Hand.Events)-1]
	for len(words) > 0 {
		n := 4
		for n < len(words) && words[n] != "Ignore" {
			n++
		}
		if len(words) < 4 || n > 5 || words[0] != "Ignore" || words[1] != "Player" ||
			len(words[2]) != 1 || words[2][0] < '0' || words[2][0] > '3' {
			return fmt.Errorf("%q; want Ignore Player, 0 to 3, the claim and the tile", strings.Join(words[:min(n, len(words))], " "))
		}
		lost := record.OutrankedClaim{Player: sim.Player(words[2][0] - '0')}
		switch words[3] {
		case "Chi":
			if n != 5 {
				return errors.New("the ignored Chi does not name its middle tile")
			}
			middle, err := parseTile(words[4])
			if err != nil {
				return err
			}
			place, err := r.chiPlace(middle)
			if err != nil {
				return err
			}
			lost.Action = sim.ActChi + sim.Action(place)
		case "Peng":
			lost.Action = sim.ActPon
		case "Gang":
			lost.Action = sim.ActOpenKan
		case "Hu":
			lost.Action = sim.ActWin
		default:
			return fmt.Errorf("%.20q cannot be ignored; want Chi, Peng, Gang or Hu", words[3])
		}
		e.Outranked = append(e.Outranked, lost)
		words = words[n:]
	}
	return nil
}

// fan reads the sum and the fan of the winner, as in 16 a*1+b*2.
func (r *textReader) fan(words []string) error {
	if !r.over || len(words) == 0 {
		return errors.New("want Fan, the sum and the fan, after Hu")
	}
	sum, err := strconv.ParseInt(words[0], 10, 32)
	if err != nil {
		return fmt.Errorf("the sum of the fan is %q", words[0])
	}
	if r.Hand.Events[len(r.Hand.Events)-1].Type != sim.EvWin {
		return nil // of nobody
	}
	var list []fanEntry
	for _, term := range strings.FieldsFunc(strings.Join(words[1:], "+"), func(c rune) bool { return c == '+' }) {
		name, count, ok := strings.Cut(term, "*")
		f := fanEntry{name: name, count: 1}
		if ok {
			if f.count, err = strconv.Atoi(count); err != nil || f.count < 0 || f.count > 1000 {
				return fmt.Errorf("%q is no count of fan %s", count, name)
			}
		}
		list = append(list, f)
	}
	r.value(int32(sum), list)
	return nil
}

// score reads the gains of the players.
func (r *textReader) score(words []string) error {
	if !r.over || len(words) != sim.NumPlayers || r.scored {
		return fmt.Errorf("%d scores; want Score and %d of them, once, after the end", len(words), sim.NumPlayers)
	}
	r.scored = true
	var paid [sim.NumPlayers]int32
	for p, w := range words {
		n, err := strconv.ParseInt(w, 10, 32)
		if err != nil {
			return fmt.Errorf("%q is no score", w)
		}
		paid[p] = int32(n)
	}
	r.Hand.Deltas, r.game.Points = &paid, &paid
	return nil
}
