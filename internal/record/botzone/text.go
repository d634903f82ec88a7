package botzone

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
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
	hand   handBuilder
	scored bool
}

// parseText parses a match of the text form that begins on the given line.
func parseText(text []byte, line int) (*record.Game, error) {
	r := &textReader{hand: newHandBuilder("line", line)}
	r.hand.builder.Place--
	for text := range bytes.Lines(text) {
		r.hand.builder.Place++
		words := strings.Fields(string(text))
		if len(words) == 0 {
			continue
		}
		if err := r.line(words); err != nil {
			r.hand.builder.Fail("%v", err)
			break
		}
	}
	switch {
	case r.hand.builder.Err != nil:
	case r.hand.game.RoundWind == nil:
		r.hand.builder.Fail("the match has no line Wind")
	case !r.hand.over:
		r.hand.builder.Fail("the match ends here without Hu or Huang")
	}
	return r.hand.finish(r.hand.rebuild)
}

func (r *textReader) line(words []string) error {
	if r.hand.over && slices.Contains([]string{matchWord, "Wind", "Player", "Huang"}, words[0]) {
		return fmt.Errorf("%s after the end of the match", words[0])
	}
	switch words[0] {
	case matchWord:
		if len(words) != 2 || len(r.hand.builder.Hand.Events) > 0 {
			return errors.New("want Match and its id, before everything else")
		}
		r.hand.game.ID = words[1]
		return nil
	case "Wind":
		return r.hand.setRoundWind(reading.First(&r.hand.builder, "Wind", words, 2)[1])
	case "Player":
		return r.player(words[1:])
	case "Huang":
		r.hand.over = true
		r.hand.builder.Exhausted(0, false, nil)
		return nil
	case "Fan":
		return r.fan(words[1:])
	case "Score":
		return r.score(words[1:])
	}
	r.hand.builder.Note("%.20q begins no line of a match and was not read; want Match, Wind, Player, Huang, Fan or Score", words[0])
	return nil
}

// player reads the action of a player, without the word Player.
func (r *textReader) player(words []string) error {
	if len(words) < 2 || len(words[0]) != 1 || words[0][0] < '0' || words[0][0] > '3' {
		return errors.New("want Player, 0 to 3 and what he did")
	}
	p, did, codes := sim.Player(words[0][0]-'0'), words[1], words[2:]
	var outranked []string
	if i := slices.Index(codes, "Ignore"); i >= 0 {
		codes, outranked = codes[:i], codes[i:]
	}
	kinds, err := parseTiles(codes)
	switch {
	case did == "Deal" && (len(codes) != dealtTiles || r.hand.builder.Hand.Deal[p] != nil):
		return fmt.Errorf("player %d is dealt %d tiles; want %d, once", p, len(codes), dealtTiles)
	case did != "Deal" && len(codes) != 1:
		return fmt.Errorf("%s names %d tiles; want 1", did, len(codes))
	case err != nil:
		return err
	case did == "Deal":
		r.hand.deal(p, kinds)
		return nil
	}
	if err := r.readAction(p, did, kinds[0]); err != nil {
		return err
	}
	return r.readIgnored(outranked)
}

func (r *textReader) readAction(p sim.Player, did string, k tile.Kind) error {
	last := r.hand.builder.Last().Tile
	switch word := strings.ToUpper(did); {
	case did == "Draw":
		r.hand.draw(p, k)
	case did == "Play":
		r.hand.discard(p, k)
	case did == "Hu":
		if last != tile.Face(k) {
			return fmt.Errorf("the win is on %s, but the last tile is %s", tileCode(k), tileText(last))
		}
		r.hand.over = true
		r.hand.win(p)
	case calls[word] != 0 && did != word:
		if err := r.hand.call(p, word, k); err != nil {
			return fmt.Errorf("%s of %s is %w; the last tile is %s", did, tileCode(k), err, tileText(last))
		}
	default:
		return fmt.Errorf("%.20q is nothing a player does; want Deal, Draw, Play, Chi, Peng, Gang, AnGang, BuGang or Hu", did)
	}
	return nil
}

// readIgnored reads the claims that the last one outranked, each as the words Ignore, Player,
// number, claim and tile. The tile may be missing except for Chi.
func (r *textReader) readIgnored(words []string) error {
	for len(words) > 0 {
		n := 1
		for n < len(words) && words[n] != "Ignore" {
			n++
		}
		one := words[:n]
		words = words[n:]
		switch {
		case n < 4 || n > 5 || one[1] != "Player" || len(one[2]) != 1 || one[2][0] < '0' || one[2][0] > '3':
			return fmt.Errorf("%q; want Ignore Player, 0 to 3, the claim and the tile", strings.Join(one, " "))
		case one[3] == "Chi" && n != 5:
			return errors.New("the ignored Chi does not name its middle tile")
		case !r.hand.outrank(sim.Player(one[2][0]-'0'), append([]string{strings.ToUpper(one[3])}, one[4:]...)):
			return fmt.Errorf("%.20q cannot be ignored; want Peng, Gang, Hu, or Chi with the middle tile of a chow", strings.Join(one[3:], " "))
		}
	}
	return nil
}

// fan reads the sum and the fan of the winner, as in 16 a*1+b*2.
func (r *textReader) fan(words []string) error {
	if !r.hand.over || len(words) == 0 {
		return errors.New("want Fan, the sum and the fan, after Hu")
	}
	sum, err := strconv.ParseInt(words[0], 10, 32)
	if err != nil {
		return fmt.Errorf("the sum of the fan is %q", words[0])
	}
	if r.hand.builder.Hand.Events[len(r.hand.builder.Hand.Events)-1].Type != sim.EvWin {
		return nil // no player won
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
	r.hand.value(int32(sum), list)
	return nil
}

// score reads the gains of the players.
func (r *textReader) score(words []string) error {
	if !r.hand.over || len(words) < sim.NumPlayers || r.scored {
		return fmt.Errorf("%d scores; want Score and %d of them, once, after the end", len(words), sim.NumPlayers)
	}
	r.scored = true
	var paid [sim.NumPlayers]int32
	for p, w := range reading.First(&r.hand.builder, "Score", words, sim.NumPlayers) {
		n, err := strconv.ParseInt(w, 10, 32)
		if err != nil {
			return fmt.Errorf("%q is no score", w)
		}
		paid[p] = int32(n)
	}
	r.hand.setPoints(paid)
	return nil
}
