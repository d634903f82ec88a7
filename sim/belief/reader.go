// Package belief tells what a player can believe of the tiles that he cannot see: how
// likely each of the others waits for a tile, wins on a discard and by how much, and
// where each unseen tile is likely to be. It follows from what lies open alone, by a
// small network for each family of rules that was fitted to self-play, in integers.
package belief

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// NewReader returns a Reader that asks a network of its own, see Parse; the zero value asks
// the one that is part of the program for the family of the rules.
func NewReader(own *perceptron.Network) *Reader { return &Reader{own: own} }

// Reader takes in what lies open at a decision. The zero value is ready for Look.
type Reader struct {
	rules  *ruleset.Rules
	view   sim.View
	unseen [tile.NumKinds]int8
	hand   hand.Hand
	dora   [tile.NumKinds]uint8
	rivers [sim.NumPlayers]tile.Set
	pasts  [sim.NumPlayers]past
	draws  int                 // left to each player, about
	own    *perceptron.Network // nil for the embedded ones
	net    *perceptron.Network // of the rules, nil if there is none
	list   list
	sums   [sim.NumPlayers]perceptron.Sums
}

// past is what the discards of a player tell.
type past struct {
	// n is the number of discards, fromHand how many were not drawn just before, inARow
	// how many of the last ones were.
	n, fromHand, inARow int8
	// pushes is how many might have been won on by somebody who had declared ready.
	pushes int8
	suits  [4]int8 // discards by suit
	// declaredWith is the kind that ready was declared with, NoKind if there is none, at
	// the place declaredAt in the log.
	declaredWith tile.Kind
	declaredAt   int16
	// last is the kind of the last discard that had not just been drawn.
	last tile.Kind
	// early are the kinds of the first discards, late of the others; chosen are those of
	// discards that had not just been drawn.
	early, late, chosen tile.Set
	// safe are the kinds that went by since his hand last changed, and those he may not
	// win on for his own discards; lately, those that anybody discarded a short time ago.
	safe tile.Set
	// lines are the lower ends of the waits at two sides that are left to him.
	lines tile.Set
}

// firstDiscards is how many discards are early.
const firstDiscards = 6

// Look takes in what the viewer sees.
func (r *Reader) Look(v sim.View) {
	if r.rules != v.Rules() {
		r.rules = v.Rules()
		if r.net = r.own; r.net == nil {
			r.net = networkOf(r.rules)
		}
	}
	r.view, r.hand = v, v.Hand()
	var live tile.Set
	for k := range r.unseen {
		if r.unseen[k] = int8(v.Unseen(tile.Kind(k))); r.unseen[k] > 0 {
			live |= tile.Kind(k).Bit()
		}
	}
	clear(r.dora[:])
	if r.rules.Dora {
		for i := range v.NumIndicators() {
			r.dora[v.Indicator(i).Kind().Next()]++
		}
	}
	r.draws = v.Left()
	if r.rules.Walls == ruleset.SharedWall {
		r.draws = (r.draws + sim.NumPlayers - 1) / sim.NumPlayers
	}
	for p := range sim.Player(sim.NumPlayers) {
		r.rivers[p] = v.River(p)
		r.pasts[p] = past{declaredWith: tile.NoKind, last: tile.NoKind}
	}
	r.readLog(v)
	for p := range r.pasts {
		t := &r.pasts[p]
		if r.rules.RiverLock != ruleset.LockOff {
			t.safe |= r.rivers[p]
		}
		open := tile.All &^ t.safe
		t.lines = open & (open >> 3) & (live >> 1) & (live >> 2) & (tile.Ones * 0b111111)
	}
}

// readLog takes in the discards.
func (r *Reader) readLog(v sim.View) {
	var rivers [sim.NumPlayers]tile.Set // so far
	for i := range v.NumDiscards() {
		p, f, marks := v.DiscardMarks(i)
		t := &r.pasts[p&3]
		if marks&sim.DiscardDrawn != 0 {
			t.inARow++
		} else {
			t.inARow = 0
			t.fromHand++
			t.safe = 0
		}
		if marks&sim.DiscardReady != 0 {
			t.safe = 0 // what he could not win on before he may win on now
		}
		if f.IsFlower() {
			continue
		}
		k := f.Kind()
		bit := k.Bit()
		for q := range r.pasts {
			if o := &r.pasts[q]; sim.Player(q) != p {
				if o.declaredWith != tile.NoKind && (o.safe|rivers[q])&bit == 0 {
					t.pushes++
				}
				o.safe |= bit
			}
		}
		rivers[p&3] |= bit
		t.n++
		t.suits[k.Suit()]++
		if marks&sim.DiscardDrawn == 0 {
			t.last = k
			t.chosen |= bit
		}
		if t.n <= firstDiscards {
			t.early |= bit
		} else {
			t.late |= bit
		}
		if marks&sim.DiscardReady != 0 {
			t.declaredAt, t.declaredWith = int16(i), k
		}
	}
}

// Safe returns the kinds that player p does not win on: those that went by since his hand
// last changed, and those that his own discards forbid.
func (r *Reader) Safe(p sim.Player) tile.Set { return r.pasts[p&3].safe }
