package tenhou

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// The JSON form lists draws and discards by player: index i of the two lists of a player
// is the player's i-th turn. A depth-first search finds the order of all turns. After a discard
// the next turn is either a claim of it, if it is the next entry of a player, or the next
// player's draw. Almost always all orders but one end in an impossible claim or with
// turns left over.

const (
	// maxTurns is more than the turns of a player in any hand.
	maxTurns = 100
	// maxOrders bounds the orders to find. Two that fit are rare.
	maxOrders = 8
)

// order is one of the orders of turns that fit.
type order struct {
	events []sim.Event
	// window is the last tile that could be won on, by the player who gave or drew it,
	// drawn the last drawn tile. held is set if by still holds the drawn tile.
	window, drawn tile.Face
	by            sim.Player
	held          bool
}

// search finds the orders of the turns of a hand.
type search struct {
	players      sim.Player // number of them
	takes, gives [sim.NumPlayers][]jsonItem
	// fits reports whether the result of the hand can follow an order.
	fits  func(*order) bool
	found []order
	// events are the events of the current attempt.
	events []sim.Event
	// deadEnds are the places from which no order fits.
	deadEnds map[place]bool
	// best is the number of events of the longest attempt, why the reason for its end.
	best int
	why  string
}

// place is the state on which the rest of an order depends: the number of turns of each
// player, and the player of the last discard.
type place struct {
	turns [sim.NumPlayers]uint8
	turn  sim.Player
}

// moment is a state of the hand in a search.
type moment struct {
	order     order // so far
	place     place
	numEvents int // number of events of the search so far
	concealed [sim.NumPlayers][tile.NumFaces]int8
}

// orders returns at most maxOrders orders of the turns that fit, beginning with the
// dealer. The error describes the end of the longest attempt.
func (s *search) orders(dealer sim.Player, deal *[sim.NumPlayers][]tile.Face) ([]order, error) {
	m := moment{place: place{turn: dealer}, order: order{window: tile.NoFace, drawn: tile.NoFace}}
	for p, faces := range deal {
		if n := max(len(s.takes[p]), len(s.gives[p])); n > maxTurns {
			return nil, fmt.Errorf("player %d has %d turns", p, n)
		}
		for _, f := range faces {
			m.concealed[p][f]++
		}
	}
	// Which tiles a player holds, and what has been discarded, follows from the numbers of turns,
	// so a place that led nowhere once never does. Without the memory a search can take
	// exponential time.
	s.deadEnds, s.best = map[place]bool{}, -1
	s.draw(&m)
	if s.found == nil {
		return nil, fmt.Errorf("no order of the turns fits; the longest that can be followed ends because %s", s.why)
	}
	return s.found, nil
}

// stop records why an attempt ends here, if it is the longest so far.
func (s *search) stop(m *moment, format string, args ...any) {
	if m.numEvents > s.best {
		s.best, s.why = m.numEvents, fmt.Sprintf(format, args...)
	}
}

// end ends an attempt: the player in turn has no entries left.
func (s *search) end(m *moment) {
	// The player in turn has no entry, but others may: an order that leaves turns out is none.
	for p := range sim.NumPlayers {
		left := max(len(s.takes[p]), len(s.gives[p])) - int(m.place.turns[p])
		// A self-drawn win leaves a draw without a discard, which would have ended the turn.
		won := m.order.held && sim.Player(p) == m.order.by
		if left > 1 || left == 1 && !won {
			s.stop(m, "%d turns of player %d are left over", left, p)
			return
		}
	}
	// Asked last, since it looks at the whole result, and only an order that uses all turns can
	// have one.
	if !s.fits(&m.order) {
		s.stop(m, "the result cannot follow")
		return
	}
	// The search goes on and overwrites the events of the attempt.
	m.order.events = slices.Clone(s.events[:m.numEvents])
	s.found = append(s.found, m.order)
}

// add appends an event after those of m and drops the events of other attempts.
func (s *search) add(m *moment, e sim.Event) {
	// One list serves all attempts: those that share a beginning share its events.
	s.events = append(s.events[:m.numEvents], e)
	m.numEvents++
}

// draw draws for the player in turn and continues.
func (s *search) draw(m *moment) {
	p := m.place.turn
	n := int(m.place.turns[p])
	if n == len(s.takes[p]) {
		s.end(m)
		return
	}
	item := s.takes[p][n]
	// A claim stands in the list of draws. It is only reached here if no discard before it fits.
	if item.tile == tile.NoFace || item.call != "" {
		s.stop(m, "player %d can only go on by claiming %q, which is not there to be claimed", p, item.call)
		return
	}
	m.order.drawn, m.order.by, m.order.held = item.tile, p, true
	m.concealed[p][item.tile]++
	s.add(m, sim.Event{Type: sim.EvDraw, Player: p, Tile: item.tile})
	s.give(m)
}

// give discards, declares a kan or sets a North aside for the player in turn, who has drawn
// or claimed.
func (s *search) give(m *moment) {
	p := m.place.turn
	n := int(m.place.turns[p])
	if n == len(s.gives[p]) {
		s.end(m)
		return
	}
	item := s.gives[p][n]
	// Before the entry is read, so that an attempt that ends here is as long as its turns.
	m.place.turns[p]++
	marker, number, err := parseGive(&item)
	f := m.order.drawn
	// After a claim there is no drawn tile that 60 could mean.
	if !m.order.held {
		f = tile.NoFace
	}
	if err == nil && number != jsonDrawn {
		f, err = jsonTile(number)
	}
	if err != nil {
		s.stop(m, "%v", err)
		return
	}
	held := &m.concealed[p]
	// A closed kan is named by a plain five even where the hand has three of them and the red one.
	if f == tile.NoFace || held[f] == 0 && marker != markClosedKan {
		s.stop(m, "player %d gives up %v, which he does not hold", p, f)
		return
	}
	m.order.held, m.order.by, m.order.window = false, p, f
	switch marker {
	case markClosedKan:
		k := f.Kind()
		n := int8(0)
		// All four leave the hand, the red five too.
		for _, same := range facesOf(k) {
			n += held[same]
			held[same] = 0
		}
		if n != 4 {
			s.stop(m, "player %d does not hold four %v", p, k)
			return
		}
		// A tile that may be robbed is won on as its kind: the entry does not say which face.
		m.order.window = tile.Face(k)
		s.add(m, sim.Event{Type: sim.EvClosedKan, Player: p, Tile: m.order.window})
		s.draw(m)
		return
	case markNorth:
		if f != tile.Face(tile.North) {
			s.stop(m, "player %d sets %v aside; only Norths are", p, f)
			return
		}
		held[f]--
		s.add(m, sim.Event{Type: sim.EvKita, Player: p, Tile: f})
		s.draw(m)
		return
	case markAddedKan:
		held[f]--
		s.add(m, sim.Event{Type: sim.EvAddedKan, Player: p, Tile: f})
		s.draw(m)
		return
	}
	held[f]--
	e := sim.Event{Type: sim.EvDiscard, Player: p, Tile: f}
	if number == jsonDrawn {
		e.Detail |= sim.DiscardDrawn
	}
	if marker == markRiichi {
		e.Detail |= sim.DiscardReady
		// The declaration comes before its discard, as in our events.
		s.add(m, sim.Event{Type: sim.EvReady, Player: p})
	}
	s.add(m, e)
	s.next(m)
}

// Markers of entries among the discards.
const (
	markClosedKan = 'a'
	markAddedKan  = 'k'
	markRiichi    = 'r'
	markNorth     = 'f'

	giveMarkers = string(markClosedKan) + string(markAddedKan) + string(markRiichi) + string(markNorth)
)

// parseGive returns the number of the tile in an entry of the discards, and its marker, 0 for none.
func parseGive(item *jsonItem) (marker byte, number int, err error) {
	if item.call == "" {
		return 0, item.n, nil
	}
	// In a kan the marker stands before one of its tiles, which for an added kan is the one added:
	// 212121a21, k21212121. Elsewhere it comes first.
	i := strings.IndexAny(item.call, giveMarkers)
	if i >= 0 && len(item.call) >= i+3 {
		if number, err = strconv.Atoi(item.call[i+1 : i+3]); err == nil {
			return item.call[i], number, nil
		}
	}
	return 0, 0, fmt.Errorf("%q is no discard, no kan and no North set aside", item.call)
}

func facesOf(k tile.Kind) []tile.Face {
	if k.IsFive() {
		return []tile.Face{tile.Face(k), tile.RedOf(k.Suit())}
	}
	return []tile.Face{tile.Face(k)}
}

// next tries the continuations of a discard: claims, pon and kan before chi, then the next
// player's draw.
func (s *search) next(m *moment) {
	if s.deadEnds[m.place] {
		return
	}
	before := len(s.found)
	giver := m.place.turn
	// The order of the rules, so that of two claims that fit the likelier is found first. All are
	// tried, as the record does not say who passed.
	for _, markers := range [...]string{"pm", "c"} {
		for i := sim.Player(1); i < sim.NumPlayers; i++ {
			// With three players the fourth has an empty seat.
			p := (giver + i) % sim.NumPlayers
			if n := int(m.place.turns[p]); n < len(s.takes[p]) && len(s.found) < maxOrders {
				s.claim(m, p, s.takes[p][n].call, markers, int(i))
			}
		}
	}
	if len(s.found) < maxOrders {
		after := *m
		after.place.turn = (giver + 1) % s.players
		s.draw(&after)
	}
	if len(s.found) == before {
		s.deadEnds[m.place] = true
	}
}

// claim tries a claim by player p, who sits after places after the giver, if it is of the
// tile just discarded.
func (s *search) claim(m *moment, p sim.Player, call, markers string, after int) {
	at := strings.IndexAny(call, markers)
	// The place of the marker in the text says from whom the tile came.
	if at < 0 || jsonCalls[call[at]].places[after-1] != at {
		return
	}
	e, own, err := parseCall(call, at, m.place.turn)
	if err != nil {
		s.stop(m, "%v", err)
		return
	}
	// No stop: a claim of an earlier or later tile is the usual case, and no reason for an attempt
	// to end.
	if e.Tile != m.order.window {
		return
	}
	// A copy: when the claim fails, the draw goes on from m.
	next := *m
	for _, f := range own {
		if next.concealed[p][f]--; next.concealed[p][f] < 0 {
			return
		}
	}
	e.Player = p
	next.place.turn, next.order.by, next.order.held, next.order.drawn = p, p, false, tile.NoFace
	s.add(&next, e)
	if e.Type != sim.EvOpenKan {
		s.give(&next)
		return
	}
	// The list of discards has a 0 for the kan.
	if n := int(next.place.turns[p]); n >= len(s.gives[p]) || s.gives[p][n].n != 0 || s.gives[p][n].call != "" {
		s.stop(&next, "after the kan of player %d there is no 0 among the discards", p)
		return
	}
	next.place.turns[p]++
	s.draw(&next)
}

// jsonCalls are the event types of claims by marker, and the index of the marker in the
// text for a tile of the player before, across and after.
var jsonCalls = map[byte]struct {
	event  sim.EventType
	places [3]int
}{
	'c': {sim.EvChi, [3]int{0, -1, -1}},
	'p': {sim.EvPon, [3]int{0, 2, 4}},
	'm': {sim.EvOpenKan, [3]int{0, 2, 6}},
}

// parseCall parses a claim such as "p252552" with its marker at index at.
func parseCall(call string, at int, giver sim.Player) (e sim.Event, own []tile.Face, err error) {
	var faces []tile.Face
	digits := call[:at] + call[at+1:]
	for i := 0; i+1 < len(digits); i += 2 {
		n, err := strconv.Atoi(digits[i : i+2])
		if err != nil {
			return e, nil, fmt.Errorf("%q is no claim", call)
		}
		f, err := jsonTile(n)
		if err != nil {
			return e, nil, fmt.Errorf("%q is no claim: %v", call, err)
		}
		faces = append(faces, f)
	}
	// Two digits a tile, so the marker stands before the tile it is half as far on in the list.
	if at/2 >= len(faces) {
		return e, nil, fmt.Errorf("%q is no claim", call)
	}
	called := faces[at/2]
	own = slices.Delete(faces, at/2, at/2+1)
	e, ok := record.ClaimEvent(jsonCalls[call[at]].event, giver, called, own)
	if !ok {
		return e, nil, fmt.Errorf("%q is no claim", call)
	}
	return e, own, nil
}
