package sim_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A setup is the start of a hand, written down so that a rule can be tried: who
// holds what, what will be drawn, and what the match has led to. Its text form
// is one line for each of
//
//	rules ema_2016 tenhou      presets to play by; "all" for every preset
//	with multi_win = "nearest" a knob that differs
//	hand S4                    round wind and number of the dealer; E1 if left out
//	honba 2, deposits 1        counter and riichi sticks on the table
//	debt E S 20 1              S owes E 20 points out of one win
//	points E 900 S 25000       points at the start; the rules' own if left out
//	E 123m456p | 5z            tiles dealt to a seat; after | the dealer's drawn tile
//	draws 1z2z...5m            ordinary draws in order, from the second turn on;
//	                           a dot leaves one open, 20*. leaves twenty
//	rinshan 1z                 replacement tiles in order; or "tail 1z"
//	wall S 1z2z                draws of a seat from its private wall in order, the
//	                           dealer's first one and replacements included
//	dora 1z 2z                 indicators in order, the first one turned at once
//	ura 3z                     tiles below the indicators
//
// Seats are E, S, W, N by their wind in the hand. What is not given of a hand is
// filled with quiet tiles: single ones too far from the others for a sequence.
// All other places are filled with the rest of the tiles in a fixed order.
type setup struct {
	presets  []string
	knobs    map[string]any
	round    int
	dealer   ruleset.Chair
	honba    int
	deposits int
	points   map[tile.Wind]int32
	hands    [4][]tile.Face
	drawn    []tile.Face // the dealer's, at most one
	draws    []tile.Face
	tail     []tile.Face
	walls    [4][]tile.Face // private ones
	debts    []debt
	dora     []tile.Face
	ura      []tile.Face
}

// presetsOf returns the presets of a family for four players.
func presetsOf(family string) (names []string) {
	for _, name := range configs.Names() {
		if r, err := configs.Load(name); err == nil && r.Family == family && r.NumSeats() == sim.NumPlayers {
			names = append(names, name)
		}
	}
	return names
}

// read takes one line of the text form; ok is false if it is no such line.
func (s *setup) read(line string) (ok bool, err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "rules":
		s.presets = strings.Fields(rest)
		if rest == "all" {
			s.presets = presetsOf("riichi")
		}
	case "with":
		if s.knobs == nil {
			s.knobs = map[string]any{}
		}
		err = toml.Unmarshal([]byte(rest), &s.knobs)
	case "hand":
		var w tile.Wind
		if len(rest) != 2 || rest[1] < '1' || rest[1] > '4' {
			return true, fmt.Errorf("hand %q: want a wind and a number from 1 to 4", rest)
		}
		w, err = tile.ParseWind(rest[:1])
		s.round, s.dealer = int(w), ruleset.Chair(rest[1]-'1')
	case "honba":
		s.honba, err = strconv.Atoi(rest)
	case "deposits":
		s.deposits, err = strconv.Atoi(rest)
	case "points":
		s.points, err = parsePoints(rest)
	case "draws":
		s.draws, err = parseDraws(rest)
	case "rinshan", "tail":
		s.tail, err = tile.ParseFaces(rest)
	case "wall":
		seat, faces, _ := strings.Cut(rest, " ")
		var w tile.Wind
		if w, err = tile.ParseWind(seat); err == nil {
			s.walls[w], err = parseDraws(faces)
		}
	case "debt":
		var d debt
		d, err = parseDebt(rest)
		s.debts = append(s.debts, d)
	case "dora":
		s.dora, err = tile.ParseFaces(rest)
	case "ura":
		s.ura, err = tile.ParseFaces(rest)
	case "E", "S", "W", "N":
		w, _ := tile.ParseWind(word)
		held, drawn, _ := strings.Cut(rest, "|")
		if s.hands[w], err = tile.ParseFaces(held); err == nil && drawn != "" {
			s.drawn, err = tile.ParseFaces(strings.TrimSpace(drawn))
		}
	default:
		return false, nil
	}
	return true, err
}

// dots is several places left open at once.
var dots = regexp.MustCompile(`(\d+)\*\.`)

// parseDraws reads tiles and dots; a dot is a tile left open, NoFace.
func parseDraws(text string) ([]tile.Face, error) {
	text = dots.ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.Atoi(strings.TrimSuffix(s, "*."))
		return strings.Repeat(".", n)
	})
	var draws []tile.Face
	for i, part := range strings.Split(text, ".") {
		if i > 0 {
			draws = append(draws, tile.NoFace)
		}
		faces, err := tile.ParseFaces(part)
		if err != nil {
			return nil, err
		}
		draws = append(draws, faces...)
	}
	return draws, nil
}

// parsePoints reads "E 900 S 25000".
func parsePoints(text string) (map[tile.Wind]int32, error) { return parseAmounts(text, 1) }

// parseAmounts reads "E +2.5 S -2.5" into units, so many of which make a point.
func parseAmounts(text string, unit int) (map[tile.Wind]int32, error) {
	points := map[tile.Wind]int32{}
	words := strings.Fields(text)
	if len(words)%2 != 0 {
		return nil, fmt.Errorf("points %q: want pairs of a seat and a number", text)
	}
	for i := 0; i < len(words); i += 2 {
		w, err := tile.ParseWind(words[i])
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseFloat(words[i+1], 64)
		if err != nil {
			return nil, err
		}
		points[w] = int32(n * float64(unit))
		if float64(points[w]) != n*float64(unit) {
			return nil, fmt.Errorf("%s: no such amount", words[i+1])
		}
	}
	return points, nil
}

// debt is what a player owes another from earlier hands.
type debt struct {
	creditor, debtor tile.Wind
	ruleset.Debt
}

// parseDebt reads "E S 40 1".
func parseDebt(text string) (d debt, err error) {
	words := strings.Fields(text)
	if len(words) != 4 {
		return d, fmt.Errorf("debt %q: want creditor, debtor, points and wins", text)
	}
	if d.creditor, err = tile.ParseWind(words[0]); err != nil {
		return d, err
	}
	if d.debtor, err = tile.ParseWind(words[1]); err != nil {
		return d, err
	}
	points, err := strconv.Atoi(words[2])
	if err != nil {
		return d, err
	}
	wins, err := strconv.Atoi(words[3])
	d.Debt = ruleset.Debt{Points: int32(points), Wins: uint8(wins)}
	return d, err
}

func (s *setup) rules(preset string) (*ruleset.Rules, error) {
	return configs.LoadWith(preset, s.knobs)
}

// dealPlaces returns where in the wall the tiles dealt to each seat lie, in the
// order they are dealt.
func (s *setup) dealPlaces(r *ruleset.Rules) (places [4][]int) {
	if r.Walls == ruleset.WallPerSeat {
		for w := range places {
			for i := range r.HandSize {
				places[w] = append(places[w], (int(s.dealer)+w)%4*34+i)
			}
		}
		return places
	}
	order := []tile.Wind{0, 1, 2, 3}[:r.NumSeats()]
	if r.DealTurn == ruleset.Backward {
		order = []tile.Wind{0, 3, 2, 1}
	}
	next := 0
	give := func(w tile.Wind, n int) {
		for range n {
			places[w] = append(places[w], next)
			next++
		}
	}
	if r.Deal == ruleset.Sequential {
		for _, w := range order {
			give(w, r.HandSize)
		}
	} else {
		for range r.HandSize / 4 {
			for _, w := range order {
				give(w, 4)
			}
		}
		for _, w := range order {
			give(w, r.HandSize%4)
		}
	}
	return places
}

// wall lays the tiles of the setup out under the given rules. It returns the
// kinds that each hand was filled with, too.
func (s *setup) wall(r *ruleset.Rules) (w *sim.Wall, spare [4]tile.Set, err error) {
	var left [tile.NumFaces]int
	for f := range left {
		switch f, k := tile.Face(f), tile.Face(f).Kind(); {
		case r.TileSet == ruleset.NoMiddleCharacters && !f.IsFlower() && k.Suit() == 0 && k >= 1 && k <= 7:
		case f.IsFlower():
			if r.Flowers != ruleset.NoFlowers {
				left[f] = 1
			}
		case f.IsRed():
			left[f] = r.AkaDora[k.Suit()]
		case k.IsFive():
			left[f] = 4 - r.AkaDora[k.Suit()]
		default:
			left[f] = 4
		}
	}
	w = new(sim.Wall)
	for i := range w {
		w[i] = tile.NoFace
	}
	put := func(what string, at int, f tile.Face) error {
		if f == tile.NoFace {
			return nil
		}
		if left[f] == 0 {
			return fmt.Errorf("%s: no %v is left", what, f)
		}
		if w[at] != tile.NoFace {
			return fmt.Errorf("%s: place %d of the wall is taken twice", what, at)
		}
		left[f]--
		w[at] = f
		return nil
	}
	lay := func(what string, faces []tile.Face, place func(int) int) error {
		for i, f := range faces {
			if err := put(what, place(i), f); err != nil {
				return err
			}
		}
		return nil
	}
	places := s.dealPlaces(r)
	size := sim.SetSize(&r.Flow)
	dealt, indicators := r.NumSeats()*r.HandSize, 130
	if r.NumSeats() == 3 {
		indicators = 98 // SM 2.4
	}
	for wind, faces := range s.walls[:r.NumSeats()] {
		from := places[wind][r.HandSize-1] + 1
		if err := lay("wall", faces, func(i int) int { return from + i }); err != nil {
			return nil, spare, err
		}
	}
	for wind, faces := range s.hands[:r.NumSeats()] {
		if len(faces) > len(places[wind]) {
			return nil, spare, fmt.Errorf("%v is dealt %d tiles", tile.Wind(wind), len(faces))
		}
		if err := lay(tile.Wind(wind).String(), faces, func(i int) int { return places[wind][i] }); err != nil {
			return nil, spare, err
		}
	}
	for _, part := range []struct {
		what  string
		faces []tile.Face
		most  int
		place func(int) int
	}{
		{"drawn", s.drawn, 1, func(int) int {
			if r.Walls == ruleset.WallPerSeat {
				return places[0][r.HandSize-1] + 1
			}
			return dealt
		}},
		{"draws", s.draws, size - r.DeadWall - dealt - 1, func(i int) int { return dealt + 1 + i }},
		{"rinshan", s.tail, size - dealt, func(i int) int {
			if r.ReplacementOrder == ruleset.Linear {
				return size - 1 - i
			}
			return size - 2 - i&^1 + i&1
		}},
		{"dora", s.dora, 5, func(i int) int { return indicators - 2*i }},
		{"ura", s.ura, 5, func(i int) int { return indicators + 1 - 2*i }},
	} {
		if len(part.faces) > part.most {
			return nil, spare, fmt.Errorf("%s: %d tiles given, at most %d", part.what, len(part.faces), part.most)
		}
		if err := lay(part.what, part.faces, part.place); err != nil {
			return nil, spare, err
		}
	}
	for wind, faces := range s.hands[:r.NumSeats()] {
		var held tile.Set
		for _, f := range faces {
			if !f.IsFlower() {
				held |= f.Kind().Bit()
			}
		}
		for _, at := range places[wind] {
			if w[at] != tile.NoFace {
				continue
			}
			f := quiet(&left, held, tile.Wind(wind), r.Family)
			if f == tile.NoFace {
				return nil, spare, fmt.Errorf("no quiet tile is left for %v", tile.Wind(wind))
			}
			held |= f.Kind().Bit()
			spare[wind] |= f.Kind().Bit()
			left[f]--
			w[at] = f
		}
	}
	// Flowers that are not given lie where they are drawn last.
	for f, at := tile.FirstFlower, size-1-spareTail; f < tile.NumFaces; f++ {
		for left[f] > 0 {
			if w[at] == tile.NoFace {
				w[at] = f
				left[f]--
			}
			at--
		}
	}
	var rest []tile.Face
	for f, n := range left {
		rest = append(rest, slices.Repeat([]tile.Face{tile.Face(f)}, n)...)
	}
	// Step through the rest with a stride, so that neighbors differ.
	for i, j := 0, 0; i < size; i++ {
		if w[i] == tile.NoFace {
			j = (j + 29) % len(rest)
			w[i] = rest[j]
			rest = slices.Delete(rest, j, j+1)
		}
	}
	return w, spare, nil
}

// spareTail is the number of places at the tail of the wall that hold no flower
// unless one is given.
const spareTail = 16

// quiet returns a tile that makes no pair with the tiles held, nor part of a
// sequence if that can be avoided. Seats prefer different thirds of a suit, the
// same of every suit where different ones would make knitted tiles. With sixteen
// tiles few are honors, so that the hand is far from sixteen disjoint tiles.
func quiet(left *[tile.NumFaces]int, held tile.Set, w tile.Wind, family string) tile.Face {
	best, bestRank := tile.NoFace, 0
	for k := range tile.Kind(tile.NumKinds) {
		near := k.Bit()
		rank := left[k]*tile.NumKinds + (int(k)*7+int(w)*11)%tile.NumKinds
		if !k.IsHonor() {
			for _, d := range []int{-2, -1, 1, 2} {
				if r := k.Rank() + d; r >= 0 && r < 9 {
					near |= (k + tile.Kind(d)).Bit()
				}
			}
			third := (int(k.Suit()) + int(w)) % 3
			if family == "mcr" {
				third = int(w) % 3
			}
			if k.Rank()%3 == third {
				rank += 1000
			}
		}
		if held&near == 0 {
			rank += 10000
		}
		if family == "hktw" && k.IsHonor() && (held&tile.HonorSet).Len() >= 4 {
			rank = 1
		}
		if left[k] > 0 && !held.Has(k) && rank > bestRank {
			best, bestRank = tile.Face(k), rank
		}
	}
	return best
}
