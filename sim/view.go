package sim

import (
	"encoding/binary"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// View is the table as one player sees it: his own tiles and all visible ones. No method
// but Redeal and DrawnDiscardMarks depends on what is hidden from the player. A View is valid until the next
// Step of its table, and reading it does not allocate.
type View struct {
	t *Table
	c ruleset.Chair
	p Player
	// masked is set by Masked.
	masked bool
}

// View returns what player p sees; p is taken modulo four, see Player.
func (t *Table) View(p Player) View { return View{t: t, c: t.chairOf[p&3], p: p & 3} }

func (v View) seat(p Player) *seat { return &v.t.seats[v.t.chairOf[p&3]] }

// Player returns whose view it is.
func (v View) Player() Player { return v.p }

// Rules returns the rules of the match.
func (v View) Rules() *ruleset.Rules { return v.t.rules }

// Phase returns the phase of the table.
func (v View) Phase() Phase { return v.t.phase }

// Legal returns the actions the player may answer with.
func (v View) Legal() ActionSet { return v.t.Legal(v.p) }

// RandomAction returns a uniformly random legal action, drawn with the first number of
// Rand; NoAction if the player is not asked.
func (v View) RandomAction() Action {
	t := v.t
	if !t.asked.Has(v.c) {
		return NoAction
	}
	stream := streamOf(t.streams[v.p&3], t.decisions[v.p&3])
	if t.sealed {
		stream = v.sealedRand()
	}
	// In place: reading a fresh copy would stall on its pending stores.
	return t.legal[v.c&3].pick(stream)
}

// Decision returns how many decisions the player has made before this one.
func (v View) Decision() uint32 { return v.t.decisions[v.p] }

// Rand returns the player's random stream for this decision. It does not depend on how
// many numbers were drawn at other decisions.
func (v View) Rand() Stream {
	if v.t.sealed {
		return v.sealedRand()
	}
	return streamOf(v.t.streams[v.p&3], v.t.decisions[v.p&3])
}

func (v View) sealedRand() Stream {
	return sealedStreamOf(v.t.agent, v.p, v.t.decisions[v.p&3])
}

// Hand returns the player's concealed tiles, the drawn one included.
func (v View) Hand() hand.Hand { return v.t.seats[v.c].hand }

// HeldAtLeast returns the kinds of which the player holds at least one, two, three
// and four tiles concealed.
func (v View) HeldAtLeast() (one, two, three, four tile.Set) {
	h := &v.t.seats[v.c].hand
	return h.AtLeast(1), h.AtLeast(2), h.AtLeast(3), h.AtLeast(4)
}

// Reds returns how many red fives of each suit the player holds concealed.
func (v View) Reds() [3]uint8 { return v.t.seats[v.c].reds }

// Drawn returns the player's drawn tile, NoFace if it is not his turn or he has claimed
// a tile.
func (v View) Drawn() tile.Face {
	if v.t.turn == v.c && v.t.phase == PhaseTurn {
		return v.t.drawn
	}
	return tile.NoFace
}

// DrawSource returns where the drawn tile of the player in turn came from.
func (v View) DrawSource() Source { return v.t.cause }

// Turn returns the player whose turn it is, or whose discard or kan may be claimed; -1
// between hands.
func (v View) Turn() Player {
	if v.t.turn == ruleset.NoChair {
		return -1
	}
	return v.t.who[v.t.turn]
}

// ClaimableTile returns the tile that may be claimed or robbed, NoFace if there is none.
// Where the rules hide closed kans, only their owner and the players who may rob them
// see the tile.
func (v View) ClaimableTile() tile.Face {
	t := v.t
	hidden := t.kanClosed && !t.rules.ClosedKanVisible && v.c != t.turn && !t.askedAll.Has(v.c)
	if t.phase == PhaseClaim || t.phase == PhaseRob && !hidden {
		return t.window
	}
	return tile.NoFace
}

// Waits returns the kinds that complete the player's hand without the drawn
// tile, whether or not a win on them would be legal.
func (v View) Waits() tile.Set {
	s := &v.t.seats[v.c]
	if v.t.turn == v.c && v.t.phase == PhaseTurn && v.t.drawn == tile.NoFace {
		return 0
	}
	return s.waits
}

// Furiten reports whether the player may not win on a discard of kind k because of his
// own discards or declined wins.
func (v View) Furiten(k tile.Kind) bool {
	s := &v.t.seats[v.c]
	return !v.t.mayWinOn(s, k, true)
}

// FuritenKinds returns the kinds for which Furiten holds.
func (v View) FuritenKinds() tile.Set {
	s, r := &v.t.seats[v.c], v.t.rules
	if s.passLock || r.RiverLock == ruleset.LockHand && s.waits&s.river != 0 {
		return tile.All
	}
	if r.RiverLock == ruleset.LockKind {
		return s.passedKinds | s.river
	}
	return s.passedKinds
}

// ConcealedLen returns the number of concealed tiles player p holds.
func (v View) ConcealedLen(p Player) int {
	s := v.seat(p)
	return s.hand.Len() + bits.OnesCount8(s.heldFlowers)
}

// NumMelds returns the number of melds of player p.
func (v View) NumMelds(p Player) int { return int(v.seat(p).numMelds) }

// Meld returns the i-th meld of player p, oldest first. The kind of another player's
// closed kan is NoKind where the rules hide it.
func (v View) Meld(p Player, i int) hand.Meld {
	m := v.seat(p).melds[:v.seat(p).numMelds][i]
	if m.Type == hand.ClosedKan && p != v.p && !v.t.rules.ClosedKanVisible {
		m.Kind, m.Reds = tile.NoKind, 0
	}
	return m
}

// IsOpen reports whether player p has laid down a set with another player's
// tile.
func (v View) IsOpen(p Player) bool { return v.seat(p).open }

// Flowers returns the set (bit i for flower i) of player p's exposed flowers.
func (v View) Flowers(p Player) uint8 { return v.seat(p).flowers }

// Norths returns how many Norths player p has set aside (kita).
func (v View) Norths(p Player) int { return int(v.seat(p).norths) }

// Ready returns the ready declaration of player p, once it is accepted: its tile was not
// won on.
func (v View) Ready(p Player) ReadyTier { return v.seat(p).ready }

// Ippatsu reports whether player p would still win within one go-around of the
// ready declaration.
func (v View) Ippatsu(p Player) bool { return v.seat(p).ippatsu }

// Discard is one tile of the common discard log.
type Discard struct {
	Player  Player
	Tile    tile.Face
	Drawn   bool // the tile had just been drawn, as far as the viewer may know
	Ready   bool // ready was declared with it
	Claimed bool // another player took it
}

// NumDiscards returns how many tiles have been discarded in the hand.
func (v View) NumDiscards() int { return int(v.t.discards) }

// Discard returns the i-th discard of the hand, oldest first, claimed ones
// included.
func (v View) Discard(i int) Discard {
	p, f, marks := v.DiscardMarks(i)
	return Discard{p, f, marks&markDrawn != 0, marks&markReady != 0, marks&markClaimed != 0}
}

// DiscardMarks is Discard with the marks as a set of DiscardDrawn, DiscardReady and
// DiscardClaimed. Where the rules hide the origin of discards, those of others are marked as
// drawn only after a ready declaration, which leaves no choice.
func (v View) DiscardMarks(i int) (p Player, f tile.Face, marks uint8) {
	e := v.t.log[:v.t.discards][i]
	if e.marks&markHidden != 0 && e.chair != v.c {
		e.marks &^= markDrawn
	}
	return v.t.who[e.chair&3], e.face, e.marks &^ markHidden
}

// DrawnDiscardMarks is DiscardMarks with DiscardDrawn whatever the rules hide. It is for players
// that were published before discard_origin_hidden was a knob, whose play does not change; no other
// player may read it.
func (v View) DrawnDiscardMarks(i int) (p Player, f tile.Face, marks uint8) {
	if !v.masked {
		v.c = v.t.log[:v.t.discards][i].chair // who sees it all
	}
	return v.DiscardMarks(i)
}

// Masked returns the view without DrawnDiscardMarks, which is then DiscardMarks: for advice, which
// others read.
func (v View) Masked() View { v.masked = true; return v }

// River returns the kinds player p has discarded, claimed ones included.
func (v View) River(p Player) tile.Set { return v.seat(p).river }

// VisibleAtLeast returns the kinds of which all players can see at least one, two, three and
// four tiles: discards, melds and indicators.
func (v View) VisibleAtLeast() (one, two, three, four tile.Set) {
	// The lowest bit of each of eight bytes, gathered into the highest byte.
	gather := func(x uint64) tile.Set {
		return tile.Set(x & 0x0101010101010101 * 0x0102040810204080 >> 56)
	}
	var ones, twos, fours tile.Set // the binary digits of the counts
	add := func(x uint64, shift int) {
		ones |= gather(x) << shift
		twos |= gather(x>>1) << shift
		fours |= gather(x>>2) << shift
	}
	counts := &v.t.visible
	add(binary.LittleEndian.Uint64(counts[0:]), 0)
	add(binary.LittleEndian.Uint64(counts[8:]), 8)
	add(binary.LittleEndian.Uint64(counts[16:]), 16)
	add(binary.LittleEndian.Uint64(counts[24:]), 24)
	add(uint64(binary.LittleEndian.Uint16(counts[32:])), 32)
	return ones | twos | fours, twos | fours, ones&twos | fours, fours
}

// Unseen returns how many tiles of kind k the player neither sees nor holds.
func (v View) Unseen(k tile.Kind) int {
	s := &v.t.seats[v.c]
	n := 4 - int(v.t.visible[k]) - s.hand.Count(k)
	if !v.t.rules.ClosedKanVisible {
		for _, m := range s.melds[:s.numMelds] {
			if m.Type == hand.ClosedKan && m.Kind == k {
				n -= 4
			}
		}
	}
	return n
}

// UnseenCounts returns Unseen of every kind.
func (v View) UnseenCounts() (counts [tile.NumKinds]uint8) {
	s := &v.t.seats[v.c]
	visible, held := &v.t.visible, s.hand.Counts()
	// Eight kinds at a time; the last block overlaps the one before.
	for _, i := range [...]int{0, 8, 16, 24, tile.NumKinds - 8} {
		const fours = 0x0404_0404_0404_0404
		known := binary.LittleEndian.Uint64(visible[i:]) + binary.LittleEndian.Uint64(held[i:])
		binary.LittleEndian.PutUint64(counts[i:], fours-known)
	}
	if !v.t.rules.ClosedKanVisible {
		for _, m := range s.melds[:s.numMelds] {
			if m.Type == hand.ClosedKan {
				counts[m.Kind] -= 4
			}
		}
	}
	return counts
}

// NumIndicators returns the number of dora indicators turned.
func (v View) NumIndicators() int { return int(v.t.indicators) }

// Indicator returns the i-th dora indicator.
func (v View) Indicator(i int) tile.Face { return v.t.wall[IndicatorIndex(&v.t.rules.Flow, i)] }

// TilesLeft returns how many tiles the player can still draw, the same for all players
// with a shared wall.
func (v View) TilesLeft() int { return v.t.left(v.c) }

// TilesLeftOf returns how many tiles player p can still draw.
func (v View) TilesLeftOf(p Player) int { return v.t.left(v.t.chairOf[p&3]) }

// HeldFlowers returns the set (bit i for flower i) of flowers among the player's
// concealed tiles.
func (v View) HeldFlowers() uint8 { return v.t.seats[v.c].heldFlowers }

// Points returns the points of each player.
func (v View) Points() [NumPlayers]int32 { return v.t.points }

// Deposits returns the number of riichi sticks on the table.
func (v View) Deposits() int { return int(v.t.deposits) }

// Debts returns what each player owes the creditor from earlier hands.
func (v View) Debts(creditor Player) [NumPlayers]ruleset.Debt { return v.t.ledger[creditor&3] }

// NetDebt returns what others owe the viewer from earlier hands, minus what he owes them.
func (v View) NetDebt() (n int32) {
	for _, d := range v.Debts(v.p) {
		n += d.Points
	}
	for p := range Player(NumPlayers) {
		n -= v.Debts(p)[v.p].Points
	}
	return n
}

// NumKans returns how many kans all players have completed in the hand.
func (v View) NumKans() int { return int(v.t.kans) }

// HasDebts reports whether the rules let players owe each other points.
func (v View) HasDebts() bool {
	_, ok := v.t.rules.Scorer.(ruleset.DebtCollector)
	return ok
}

// Creditor returns the player to whom the asked player may pay a debt between two hands,
// -1 at other decisions.
func (v View) Creditor() Player {
	if v.t.phase != PhaseBetween || v.t.between == NumPlayers*NumPlayers {
		return -1
	}
	return Player(v.t.between / NumPlayers)
}

// Counter returns the number of honba or dealer repeats.
func (v View) Counter() int { return int(v.t.counter) }

// Round returns the number of the wind round, from 0.
func (v View) Round() int { return int(v.t.round) }

// RoundWind returns the wind of the round.
func (v View) RoundWind() tile.Wind { return v.t.currentRoundWind() }

// SeatWind returns the wind of player p.
func (v View) SeatWind(p Player) tile.Wind { return v.t.seatWind(v.t.chairOf[p&3]) }

// Dealer returns the player who deals.
func (v View) Dealer() Player { return v.t.who[v.t.dealer] }

// DealsPassed returns how often the deal has passed on in the round.
func (v View) DealsPassed() int { return int(v.t.dealer) }

// PlayerAfter returns the player n places after the viewer in turn order.
func (v View) PlayerAfter(n int) Player { return v.t.who[v.t.rules.NextChair(v.c, n)] }

// ChairOf returns the chair in which player p sits.
func (v View) ChairOf(p Player) ruleset.Chair { return v.t.chairOf[p&3] }

// DeclaredReady reports whether player p has declared ready at the exhausted
// wall.
func (v View) DeclaredReady(p Player) bool { return v.t.declared.Has(v.t.chairOf[p&3]) }

// NumDeclared returns how many players, from the dealer on, have declared ready or not
// at the exhausted wall.
func (v View) NumDeclared() int { return int(v.t.declaredBy) }
