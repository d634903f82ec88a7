package tenhou

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// meld reads a chi, pon, kan or North set aside packed into a number.
func (l *mjlog) meld() {
	p, m := l.player("who"), l.number("m", 0, 1<<16-1)
	meld := decodeMeld(m)
	// Also with three players the giver is counted in steps around four seats.
	giver := (l.seatOf(p) + meld.from) % sim.NumPlayers
	if meld.kind == sim.NumEventTypes || giver >= l.seats() || meld.kind == sim.EvKita && l.builder.Seats == ruleset.FourSeats {
		l.builder.Fail("<N>: %d is no meld of %d players", m, l.seats())
		return
	}
	e := sim.Event{Type: meld.kind, Player: p, Tile: l.face(meld.called)}
	switch meld.kind {
	case sim.EvClosedKan:
		// The number may name any of the four, our event names the kind.
		e.Tile = tile.Face(e.Tile.Kind())
	case sim.EvAddedKan, sim.EvKita:
		// The tile is not a claimed one.
	default:
		// An open kan has no own tiles here: it takes all that are left, red or not.
		reds := 0
		for _, t := range meld.own {
			if l.face(t).IsRed() {
				reds++
			}
		}
		e.Detail = sim.PackCall(l.seat(giver), meld.place, reds)
		if l.window != meld.called || l.windowOf != giver {
			l.builder.Fail("<N>: the meld takes %v of seat %d, which is not the last discard", l.face(meld.called), giver)
		}
	}
	// After a kan the tile drawn before it is a tile of the hand like any other.
	l.drawn[l.seatOf(p)] = -1
	l.builder.Add(e)
}

// packedMeld is a decoded meld; tiles are 0 to 135.
type packedMeld struct {
	kind   sim.EventType // sim.NumEventTypes if it is invalid
	called int           // the claimed or added tile, any of a closed kan
	own    []int         // from the hand, of a chi or pon
	place  int           // of the claimed tile in a chi, 0 of others
	from   int           // seats after the player, of four
}

// Bits that decide the type of a packed meld, in this order.
const (
	meldChi      = 0x04
	meldPon      = 0x08
	meldAddedKan = 0x10
	meldKita     = 0x20
)

// decodeMeld decodes a meld. The lowest two bits are the giver, the next ones the type,
// and the highest ones the tiles: which copy of a kind each is, where the claimed one lies, and
// the kind.
func decodeMeld(m int) packedMeld {
	from := m & 3
	switch {
	case m&meldChi != 0:
		const starts = 7 // of runs in a suit
		pattern := m >> 10
		place, low := pattern%3, pattern/3
		if low >= 3*starts || from != 3 { // a chi takes the tile of the player before
			break
		}
		kind := low/starts*9 + low%starts
		d := packedMeld{kind: sim.EvChi, place: place, from: from}
		for i := range 3 {
			t := 4*(kind+i) + m>>(3+2*i)&3
			if i == place {
				d.called = t
			} else {
				d.own = append(d.own, t)
			}
		}
		return d
	case m&(meldPon|meldAddedKan) != 0:
		// The spare copy is the one that a pon leaves out and an added kan adds.
		pattern, spare := m>>9, m>>5&3
		kind, place := pattern/3, pattern%3
		if kind >= tile.NumKinds || from == 0 {
			break
		}
		if m&meldAddedKan != 0 {
			return packedMeld{kind: sim.EvAddedKan, called: 4*kind + spare}
		}
		d := packedMeld{kind: sim.EvPon, from: from}
		n := 0
		for i := range 4 {
			if i == spare {
				continue
			}
			if n == place {
				d.called = 4*kind + i
			} else {
				d.own = append(d.own, 4*kind+i)
			}
			n++
		}
		return d
	case m&meldKita == 0: // a kan made at once
		if m>>8 >= mjlogTiles {
			break
		}
		if from == 0 {
			return packedMeld{kind: sim.EvClosedKan, called: m >> 8}
		}
		return packedMeld{kind: sim.EvOpenKan, called: m >> 8, from: from}
	case from == 0 && tile.Kind(m>>8/4) == tile.North:
		return packedMeld{kind: sim.EvKita, called: m >> 8}
	}
	return packedMeld{kind: sim.NumEventTypes}
}
