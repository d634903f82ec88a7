package hand

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// waitEntry is the entry of a suit in the table of waits. The low nine bits are the
// ranks of which one more tile, even a fifth, makes sets alone if the suit holds
// 3n+2 tiles, or sets and a pair if it holds 3n+1. Above them is the weight of the
// suit as it is.
type waitEntry uint16

const (
	ranksMask   = 0x1ff
	weightShift = 9

	setsWeight = 4 // sets alone
	pairWeight = 3 // sets and a pair; other suits have the weight 0

	completeWeight = 3*setsWeight + pairWeight
	// othersWeight is the least weight of three suits to which the fourth can be
	// waiting: they are all sets, or one of them has the pair.
	othersWeight = 2*setsWeight + pairWeight
)

var (
	suitWaits  [suitMask + 1]waitEntry
	honorWaits [honorMask + 1]waitEntry
)

// Complete reports whether the hand is exactly sets sets and a pair.
func (h *Hand) Complete(sets int) bool {
	e0, e1, e2, e3 := h.waitEntries()
	return e0.weight()+e1.weight()+e2.weight()+e3.weight() == completeWeight && int(h.n) == 3*sets+2
}

// Waits returns the kinds that complete a hand of 3*sets+1 tiles to sets sets and a pair,
// even kinds of which all four tiles are held. A hand of another size has none.
func (h *Hand) Waits(sets int) tile.Set {
	if int(h.n) != 3*sets+1 {
		return 0
	}
	e0, e1, e2, e3 := h.waitEntries()
	total := e0.weight() + e1.weight() + e2.weight() + e3.weight()
	return e0.waits(total) | e1.waits(total)<<9 | e2.waits(total)<<18 | e3.waits(total)<<27
}

// ReadyDiscards writes to dst the discards that leave the hand ready, with their waits as
// Ukeire, and returns their number. A wait of which the hand holds all four tiles is left
// out, and so is a discard without any other wait.
func (h *Hand) ReadyDiscards(sets int, dst *[MaxDiscards]Discard) int {
	if int(h.n) != 3*sets+2 {
		return 0
	}
	var entries [4]waitEntry
	entries[0], entries[1], entries[2], entries[3] = h.waitEntries()
	weight := entries[0].weight() + entries[1].weight() + entries[2].weight() + entries[3].weight()
	n := 0
	for s := range entries {
		others := weight - entries[s].weight()
		for kinds := h.held[0] & tile.SuitSet(tile.Suit(s)); kinds != 0; kinds = kinds.Rest() {
			k := kinds.First()
			var after waitEntry
			if code := h.codes[s] - pow5[k]; tile.Suit(s) == tile.Honors {
				after = honorWaits[code&honorMask]
			} else {
				after = suitWaits[code&suitMask]
			}
			if after.weight() == 0 && others < othersWeight {
				continue // neither this suit waits nor another
			}
			e := entries
			e[s] = after
			total := others + after.weight()
			waits := e[0].waits(total) | e[1].waits(total)<<9 | e[2].waits(total)<<18 | e[3].waits(total)<<27
			if waits &^= h.held[3] &^ k.Bit(); waits != 0 {
				dst[n] = Discard{Kind: k, Ukeire: waits}
				n++
			}
		}
	}
	return n
}

func (h *Hand) waitEntries() (e0, e1, e2, e3 waitEntry) {
	return suitWaits[h.codes[0]&suitMask],
		suitWaits[h.codes[1]&suitMask],
		suitWaits[h.codes[2]&suitMask],
		honorWaits[h.codes[3]&honorMask]
}

func (e waitEntry) weight() int { return int(e >> weightShift) }

// waits returns the ranks of a suit that complete a hand whose suits weigh total.
func (e waitEntry) waits(total int) tile.Set {
	missing := total - e.weight() - othersWeight
	return tile.Set(e) & ranksMask &^ tile.Set(missing>>63) // without a branch, which would be hard to predict
}
