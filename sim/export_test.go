package sim

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// This file opens the table to the tests of package sim_test: they look below what players see.

// DealerChair returns the chair of who deals the next hand.
func (t *Table) DealerChair() ruleset.Chair { return t.dealer }

// Appraise values the win that player p is offered now, without ura indicators.
func (t *Table) Appraise(p Player) (w ruleset.Win, v ruleset.Value) {
	c := t.chairOf[p]
	switch t.phase {
	case PhaseTurn:
		t.describeWin(&w, c, t.drawn.Kind(), t.drawFlags(c))
	case PhaseClaim:
		t.describeWin(&w, c, t.window.Kind(), t.discardFlags(c))
	case PhaseRob:
		t.describeWin(&w, c, t.window.Kind(), t.robFlags(c))
	case PhaseFlowers:
		t.describeWin(&w, c, tile.NoKind, t.winFlags(WinFlower, c))
	default:
		return w, v
	}
	t.rules.Value(&w, &v)
	return w, v
}

// WallTiles returns the tiles that still lie in the wall, dead wall and
// indicators included.
func (t *Table) WallTiles() []tile.Face {
	taken := map[int]bool{}
	for k := range int(t.taken) {
		taken[replacementPosition(t.rules.ReplacementOrder, SetSize(&t.rules.Flow), k)] = true
	}
	var rest []tile.Face
	for i := range SetSize(&t.rules.Flow) {
		next := int(t.front[0])
		if t.rules.Walls == ruleset.WallPerSeat {
			next = i/seatWall*seatWall + int(t.front[i/seatWall])
		}
		if i >= next && !taken[i] && (t.rules.DeadWall > 0 || t.left(ruleset.Chair(i/seatWall)) > 0) {
			rest = append(rest, t.wall[i])
		}
	}
	return rest
}

// RedealKeeping is Redeal when no ready hand is found: ready players keep their
// tiles.
func (v View) RedealKeeping(seed uint64) (t Table) {
	if !v.redeal(&t, nil, seed, true) {
		panic("no deal")
	}
	return t
}

// KanTile returns the tile of an added kan that is still open to be robbed,
// NoFace otherwise.
func (t *Table) KanTile() tile.Face {
	if t.phase == PhaseRob && !t.kanClosed && !t.kita {
		return t.window
	}
	return tile.NoFace
}

// AllAsked returns the players who were asked at this decision point.
func (t *Table) AllAsked() (s Players) {
	for c, p := range t.who {
		if t.askedAll.Has(ruleset.Chair(c)) {
			s |= p.Bit()
		}
	}
	return s
}

// Decided reports whether somebody has answered at this decision point.
func (t *Table) Decided() bool { return t.asked != t.askedAll }

// KanAt returns how many discards had been made when the i-th meld of player p
// became a kan that nobody robbed; -1 if it is no such kan.
func (t *Table) KanAt(p Player, i int) int { return int(t.seats[t.chairOf[p]].kanAt[i]) - 1 }

// Derive is the hash of docs/determinism.md.
var Derive = derive

// NewStream returns a stream with the given state.
func NewStream(state uint64) Stream { return Stream{state} }

// StreamOf returns the stream of a decision.
func StreamOf(seed uint64, p Player, decision uint32) Stream {
	t := NewTable(&ruleset.Rules{}, seed)
	return streamOf(t.streams[p], decision)
}

// SealedStreamOf returns the stream of a decision of a sealed match.
func SealedStreamOf(seed uint64, p Player, decision uint32) Stream {
	t := Table{agent: NewTable(&ruleset.Rules{}, seed).agent}
	return sealedStreamOf(t.agent, p, decision)
}

// Relocked works out again what a player may not win on or call, as for a hand dealt
// by Redeal. It tells what is not as it was, empty if nothing.
func (t *Table) Relocked(p Player) string {
	c := t.chairOf[p]
	again := *t
	if c == t.turn && t.drawn != tile.NoFace { // the tiles of a viewer alone, who is not dealt others
		again.removeTile(c, t.drawn)
	}
	again.rebuildLocks(c)
	was, is := &t.seats[c], &again.seats[c]
	if was.passLock != is.passLock || (was.passedKinds^is.passedKinds)&was.waits != 0 {
		return fmt.Sprintf("locked %v for %v, worked out again %v for %v", was.passLock, was.passedKinds, is.passLock, is.passedKinds)
	}
	if was.passFinal != is.passFinal {
		return fmt.Sprintf("locked for good %v, worked out again %v", was.passFinal, is.passFinal)
	}
	if was.passedPons != is.passedPons && was.ready == NotReady { // who is ready makes none
		return fmt.Sprintf("no pon of %v, worked out again %v", was.passedPons, is.passedPons)
	}
	return ""
}

// Lay puts tiles where a test wants them, as toward the end of a hand: those of each
// chair, whose other tiles lie in melds; those that are left at the end of a shared wall.
// All other tiles of the wall are gone, and some chairs are ready.
func (t *Table) Lay(hands [NumPlayers][]tile.Face, wall []tile.Face, ready ruleset.Chairs) {
	for c := range ruleset.Chair(NumPlayers) {
		s := &t.seats[c]
		s.hand, s.reds, s.heldFlowers = hand.Hand{}, [3]uint8{}, 0
		for _, f := range hands[c] {
			t.addTile(c, f)
		}
		s.numMelds = uint8((t.rules.HandSize - len(hands[c])) / 3)
		s.minShanten = -1
		t.findWaits(s)
		if ready.Has(c) {
			s.ready = ReadyOrdinary
		}
	}
	t.front[0] = uint8(t.wallEnd() - len(wall))
	copy(t.wall[t.front[0]:], wall)
}

// Keep has player p hold so many tiles that he has drawn.
func (t *Table) Keep(p Player, n int) { t.seats[t.chairOf[p]].keptDraws = uint8(n) }

// MaxWaitingShanten is what findWaits takes for granted.
const MaxWaitingShanten = maxWaitingShanten

// CheckWaits works out again what every player waits for and how far the hand is;
// not while flowers are still replaced.
func (t *Table) CheckWaits() error {
	if t.phase == PhaseFlowers {
		return nil
	}
	for c := range t.seats {
		s := &t.seats[c]
		if s.heldFlowers != 0 || s.hand.Len() == 0 {
			continue
		}
		melds := s.melds[:s.numMelds]
		if n := t.rules.HandShanten(&s.hand, melds); int(s.minShanten) > n {
			return fmt.Errorf("chair %d is taken to be %d away at least, but is at %d-shanten", c, s.minShanten, n)
		}
		if s.hand.Len()%3 == 1 && s.waits != t.rules.HandWaits(&s.hand, melds) {
			return fmt.Errorf("chair %d is taken to wait for %v, but waits for %v", c, s.waits, t.rules.HandWaits(&s.hand, melds))
		}
	}
	return nil
}

// NorthAt returns after how many discards player p set the i-th North aside that was not
// won on.
func (t *Table) NorthAt(p Player, i int) int { return int(t.seats[t.chairOf[p]].northsAt[i]) - 1 }

// Liable returns the winds of those who are liable to player p, or -1, and their order.
func (t *Table) Liable(p Player) (winds [ruleset.NumLiabilities]int, order [ruleset.NumLiabilities]uint8) {
	s := &t.seats[t.chairOf[p]]
	for i, c := range s.liable {
		if winds[i] = -1; c != ruleset.NoChair {
			winds[i] = int(t.seatWind(c))
		}
	}
	return winds, s.liableAt
}

// Visible returns how many tiles of kind k all players can see.
func (v View) Visible(k tile.Kind) int { return int(v.t.visible[k]) }
