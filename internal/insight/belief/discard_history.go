package belief

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// DiscardHistory is a summary of a player's discards in a hand. A discard is from the hand
// (tedashi) if it is not the tile drawn just before (tsumogiri).
type DiscardHistory struct {
	// Count is the number of discards without flowers, FromHand that of discards from the
	// hand. DrawnInARow is how many of the last ones in a row were the tile just drawn.
	Count, FromHand, DrawnInARow int8
	// Pushes is the number of discards that were not safe against a player who had declared
	// ready.
	Pushes int8
	Suits  [4]int8 // discards by suit
	// ReadyKind is the kind that was discarded to declare ready, NoKind if there is none, and
	// ReadyAt its index in the log of discards.
	ReadyKind tile.Kind
	ReadyAt   int16
	// LastFromHand is the kind of the last discard from the hand, NoKind if there is none.
	LastFromHand tile.Kind
	// Early are the kinds of the first EarlyDiscards discards, Late those of the others.
	// Chosen are the kinds discarded from the hand.
	Early, Late, Chosen tile.Set
	// Safe are the kinds discarded by others since the player's hand last changed: on these
	// the player could have won already.
	Safe tile.Set
}

// EarlyDiscards is how many discards of a player count as early.
const EarlyDiscards = 6

// MiddleKinds are the suited kinds from 3 to 7. Discarded early, they show more of a hand than
// others.
const MiddleKinds = tile.Ones * 0b001111100

// ReadDiscardHistories reads the discards of all players from the log of a hand, whatever the rules
// hide unless the view is masked: the networks of published players were fitted to these inputs.
func ReadDiscardHistories(v sim.View, players *[sim.NumPlayers]DiscardHistory) {
	for p := range players {
		players[p] = DiscardHistory{ReadyKind: tile.NoKind, LastFromHand: tile.NoKind}
	}
	var rivers [sim.NumPlayers]tile.Set // so far
	for i := range v.NumDiscards() {
		p, f, marks := v.DrawnDiscardMarks(i)
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

// TwoSidedWaits returns the two-sided waits (ryanmen) that are possible for a player who wins
// on no safe kind. The live kinds are those with an unseen tile, of which the player may hold
// the two middle ones. Each wait is named by its lowest kind: a wait on 1 and 4 by 1.
func TwoSidedWaits(safe, live tile.Set) tile.Set {
	open := tile.All &^ safe
	return open & (open >> 3) & (live >> 1) & (live >> 2) & (tile.Ones * 0b111111)
}
