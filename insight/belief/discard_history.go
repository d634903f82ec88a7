package belief

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// DiscardHistory is what the discards of a player show.
type DiscardHistory struct {
	// Count is the number of discards without flowers, FromHand how many were not
	// drawn just before, DrawnInARow how many of the last ones were.
	Count, FromHand, DrawnInARow int8
	// Pushes is how many a player in ready might have won on.
	Pushes int8
	Suits  [4]int8 // discards by suit
	// ReadyKind is the kind that ready was declared with, NoKind if there is none, and
	// ReadyAt its place in the log.
	ReadyKind tile.Kind
	ReadyAt   int16
	// LastFromHand is the kind of the last discard that was not drawn just before.
	LastFromHand tile.Kind
	// Early are the kinds of the first discards, Late those of the others; Chosen are
	// those that were not drawn just before.
	Early, Late, Chosen tile.Set
	// SafeKinds are the kinds discarded by others since the player's hand last changed.
	Safe tile.Set
}

// EarlyDiscards is how many discards of a player count as early.
const EarlyDiscards = 6

// MiddleKinds are the suited kinds that say most of a hand when they are discarded early.
const MiddleKinds = tile.Ones * 0b001111100

// ReadDiscardHistories reads the discards of all players from the log of a hand.
func ReadDiscardHistories(v sim.View, players *[sim.NumPlayers]DiscardHistory) {
	for p := range players {
		players[p] = DiscardHistory{ReadyKind: tile.NoKind, LastFromHand: tile.NoKind}
	}
	var rivers [sim.NumPlayers]tile.Set // so far
	for i := range v.NumDiscards() {
		p, f, marks := v.DiscardMarks(i)
		d := &players[p&3]
		if marks&sim.DiscardDrawn != 0 {
			d.DrawnInARow++
		} else {
			d.DrawnInARow = 0
			d.FromHand++
			d.Safe = 0
		}
		if marks&sim.DiscardReady != 0 {
			d.Safe = 0 // ready may give value to a wait that had none
		}
		if f.IsFlower() {
			continue
		}
		k := f.Kind()
		bit := k.Bit()
		for q := range players {
			if o := &players[q]; sim.Player(q) != p {
				if o.ReadyKind != tile.NoKind && (o.Safe|rivers[q])&bit == 0 {
					d.Pushes++
				}
				o.Safe |= bit
			}
		}
		rivers[p&3] |= bit
		d.Count++
		d.Suits[k.Suit()]++
		if marks&sim.DiscardDrawn == 0 {
			d.LastFromHand = k
			d.Chosen |= bit
		}
		if d.Count <= EarlyDiscards {
			d.Early |= bit
		} else {
			d.Late |= bit
		}
		if marks&sim.DiscardReady != 0 {
			d.ReadyAt, d.ReadyKind = int16(i), k
		}
	}
}

// TwoSidedWaits returns the two-sided waits left to a player who does not win on the safe
// kinds, where the live ones can still be drawn. Each wait is given by its lowest kind: a
// wait on 1 and 4 by 1.
func TwoSidedWaits(safe, live tile.Set) tile.Set {
	open := tile.All &^ safe
	return open & (open >> 3) & (live >> 1) & (live >> 2) & (tile.Ones * 0b111111)
}
