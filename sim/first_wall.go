package sim

import (
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// EmptyWall returns a wall whose places are all open: [tile.NoFace].
func EmptyWall() *Wall {
	w := new(Wall)
	for i := range w {
		w[i] = tile.NoFace
	}
	return w
}

// Complete puts tiles into the open places of w: those of the set that w does not have yet,
// in the order of the wall spare. The error names a tile of which w has more than the set; w
// is then unchanged.
func (w *Wall) Complete(r *ruleset.Flow, spare *Wall) error {
	left, err := w.missing(r)
	if err != nil {
		return err
	}
	n := SetSize(r)
	i := 0
	for _, f := range spare[:n] {
		if left[f] == 0 {
			continue
		}
		left[f]--
		for w[i] != tile.NoFace {
			i++
		}
		w[i] = f
	}
	return nil
}

// missing counts the tiles of the set that w does not have.
func (w *Wall) missing(r *ruleset.Flow) (left [tile.NumFaces]int, err error) {
	n := SetSize(r)
	for _, f := range facesOf(r)[:n] {
		left[f]++
	}
	for _, f := range w[:n] {
		if f == tile.NoFace {
			continue
		}
		if left[f]--; left[f] < 0 {
			return left, fmt.Errorf("there are more %v than the set has", f)
		}
	}
	return left, nil
}

// lay gives w the tiles of first; the other places have the rest in the order of w.
func (w *Wall) lay(r *ruleset.Flow, first []tile.Face) {
	spare := *w
	*w = *EmptyWall()
	copy(w[:], first)
	if err := w.Complete(r, &spare); err != nil {
		panic("sim: FirstWall: " + err.Error())
	}
}

// ParseFirstWall reads the places of the wall of a match's first hand that a text gives; the
// others are open. Each line is a part of the wall and its tiles in the order of drawing:
//
//	E 123m456p789s1122z  # the hand dealt to East; S, W and N likewise
//	draws 5m . 0p        # draws from the front, the dealer's first included
//	draws E 5m           # the same where each player has a wall
//	replacements 7z      # replacement tiles, where they come from the tail
//	dora 1m              # dora indicators
//	ura 2m               # the tiles under them
//	wall ... 9s          # all places, in the order of [Wall]
//
// East is the dealer, the others follow in turn order. A dot leaves a place open, and so do
// the places after the last tile. What follows # is a comment. The error names the line.
//
// The result is for [ruleset.Rules.FirstWall].
func ParseFirstWall(r *ruleset.Flow, text string) ([]tile.Face, error) {
	w := EmptyWall()
	source := [WallSize]int{} // line of each tile
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		part, places, words, err := partOfWall(r, words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		faces, err := parsePlaces(words)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %s: %w", i+1, part, err)
		case len(faces) > len(places):
			return nil, fmt.Errorf("line %d: %s: %d tiles; there are at most %d", i+1, part, len(faces), len(places))
		}
		for j, f := range faces {
			switch at := places[j]; {
			case f == tile.NoFace:
			case w[at] != tile.NoFace:
				return nil, fmt.Errorf("line %d: %s: tile %d, %v, lies where line %d puts %v", i+1, part, j+1, f, source[at], w[at])
			default:
				w[at], source[at] = f, i+1
			}
		}
		if _, err := w.missing(r); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", i+1, part, err)
		}
	}
	return w[:SetSize(r)], nil
}

// FormatFirstWall returns the text of a first wall as one line that [ParseFirstWall] reads.
func FormatFirstWall(wall []tile.Face) string {
	text := []byte("wall")
	for i, f := range wall {
		switch {
		case f != tile.NoFace && (i == 0 || wall[i-1] == tile.NoFace):
			end := i
			for end < len(wall) && wall[end] != tile.NoFace {
				end++
			}
			text = tile.AppendFaces(append(text, ' '), wall[i:end])
		case f == tile.NoFace && (i == 0 || wall[i-1] != tile.NoFace):
			text = append(text, " ."...)
		case f == tile.NoFace:
			text = append(text, '.')
		}
	}
	return string(text)
}

// parsePlaces reads tiles and dots.
func parsePlaces(words []string) ([]tile.Face, error) {
	var list []tile.Face
	for _, word := range words {
		if strings.Trim(word, ".") == "" {
			for range word {
				list = append(list, tile.NoFace)
			}
			continue
		}
		faces, err := tile.ParseFaces(word)
		if err != nil {
			return nil, err
		}
		list = append(list, faces...)
	}
	return list, nil
}

// partOfWall returns the name of the part that the first words of a line name, the places of
// its tiles in the wall and the other words.
func partOfWall(r *ruleset.Flow, words []string) (part string, places []int, rest []string, err error) {
	part, rest = words[0], words[1:]
	size := SetSize(r)
	perSeat := r.Walls == ruleset.WallPerSeat
	add := func(n int, place func(i int) int) {
		for i := range n {
			places = append(places, place(i))
		}
	}
	switch part {
	case "E", "S", "W", "N":
		c, err := chairOfFirstHand(r, part)
		if err != nil {
			return part, nil, nil, err
		}
		add(r.HandSize, func(i int) int {
			if perSeat {
				return int(c)*seatWall + i
			}
			return DealtIndex(r, 0, c, i)
		})
	case "draws":
		if !perSeat {
			first := r.NumSeats() * r.HandSize
			add(size-first, func(i int) int { return first + i })
			break
		}
		if len(rest) == 0 {
			return part, nil, nil, fmt.Errorf("draws: whose? Each player has a wall: draws E, for example")
		}
		c, err := chairOfFirstHand(r, rest[0])
		if err != nil {
			return part, nil, nil, fmt.Errorf("draws: %w", err)
		}
		part, rest = part+" "+rest[0], rest[1:]
		add(seatWall-r.HandSize, func(i int) int { return int(c)*seatWall + r.HandSize + i })
	case "replacements":
		if perSeat || r.ReplacementFrom != ruleset.FromTail {
			return part, nil, nil, fmt.Errorf("replacements: under these rules they are draws, in their order")
		}
		first := r.NumSeats() * r.HandSize
		add(size-first, func(i int) int { return ReplacementIndex(r, i) })
	case "dora", "ura":
		if !r.Dora {
			return part, nil, nil, fmt.Errorf("%s: these rules have no indicators", part)
		}
		under := 0
		if part == "ura" {
			under = 1
		}
		add(ruleset.MaxIndicators, func(i int) int { return IndicatorIndex(r, i) + under })
	case "wall":
		add(size, func(i int) int { return i })
	default:
		return part, nil, nil, fmt.Errorf("%.20q is no part of a wall; parts: E, S, W, N, draws, replacements, dora, ura, wall", part)
	}
	return part, places, rest, nil
}

func chairOfFirstHand(r *ruleset.Flow, wind string) (ruleset.Chair, error) {
	w, err := tile.ParseWind(wind)
	if err != nil {
		return 0, fmt.Errorf("%.20q is no seat; seats are E, S, W and N", wind)
	}
	if int(w) >= r.NumSeats() {
		return 0, fmt.Errorf("%s: there are %d players", wind, r.NumSeats())
	}
	return ruleset.Chair(w), nil
}
