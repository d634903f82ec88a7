package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Position is a player's tiles. It is a plain value: a copy is another position,
// to try a call or a discard on.
type Position struct {
	// Hand is the concealed tiles, the drawn one included.
	Hand hand.Hand
	// Melds[:NumMelds] are the sets laid down.
	Melds    [hand.MaxMelds]hand.Meld
	NumMelds int
	// Sets is the number of concealed sets of the complete hand.
	Sets int
	// Open tells whether a meld shows another player's tile.
	Open bool
}

// Look makes p the position of the viewer.
func (p *Position) Look(v sim.View) {
	me := v.Player()
	p.Hand = v.Hand()
	p.NumMelds = v.NumMelds(me)
	for i := range p.NumMelds {
		p.Melds[i] = v.Meld(me, i)
	}
	p.Sets = v.Rules().HandSize/3 - p.NumMelds
	p.Open = v.IsOpen(me)
}

// Lay moves n concealed tiles of each kind into a new meld.
func (p *Position) Lay(m hand.Meld, n int, kinds ...tile.Kind) {
	for _, k := range kinds {
		for range n {
			p.Hand.Remove(k)
		}
	}
	p.Melds[p.NumMelds] = m
	p.NumMelds++
	p.Sets--
	p.Open = p.Open || m.IsOpen()
}

// hasMeld reports whether a meld of p is the set.
func (p *Position) hasMeld(set hand.Set) bool {
	for _, m := range p.Melds[:p.NumMelds] {
		if m.Kind == set.Kind() && (m.Type == hand.Chi) == set.IsSequence() {
			return true
		}
	}
	return false
}

// Laid returns the kinds of the tiles laid down.
func (p *Position) Laid() (kinds tile.Set) {
	for _, m := range p.Melds[:p.NumMelds] {
		if m.Type == hand.Chi {
			kinds |= 7 * m.Kind.Bit()
		} else {
			kinds |= m.Kind.Bit()
		}
	}
	return kinds
}

// Triplets returns the kinds of the triplets and kans laid down.
func (p *Position) Triplets() (kinds tile.Set) {
	for _, m := range p.Melds[:p.NumMelds] {
		if m.Type != hand.Chi {
			kinds |= m.Kind.Bit()
		}
	}
	return kinds
}

// FarAtLeast returns a distance that p is not below, known from the tiles that the
// aim has any use for.
func (p *Position) FarAtLeast(a *Aim) int {
	tiles := 0
	for n := 1; n <= 4; n++ {
		tiles += (p.Hand.AtLeast(n) & a.Kinds).Len()
	}
	return 3*p.Sets + 1 - tiles
}

// Call is a way to call a discard.
type Call struct {
	Action sim.Action
	Meld   hand.Meld
	Own    [2]tile.Kind // the own tiles it takes
}

// MaxCalls is the largest number of ways to call pon or chi.
const MaxCalls = 4

// Calls writes to dst the ways to call pon or chi of a discard of kind k, with as
// many red fives as can be used, and returns their number. Who discarded is left
// out of the melds: From is always 3.
func Calls(legal *sim.ActionSet, k tile.Kind, dst *[MaxCalls]Call) int {
	const from = sim.NumPlayers - 1
	n := 0
	for a := sim.ActPon + 2; a >= sim.ActPon; a-- {
		if legal.Has(a) {
			dst[n] = Call{a, hand.Meld{Type: hand.Pon, Kind: k, From: from}, [2]tile.Kind{k, k}}
			n++
			break
		}
	}
	for place := range sim.Action(3) {
		a := sim.ActChiRed + place
		if !legal.Has(a) {
			a = sim.ActChi + place
		}
		if !legal.Has(a) {
			continue
		}
		low := k - tile.Kind(place)
		own := [...][2]tile.Kind{{low + 1, low + 2}, {low, low + 2}, {low, low + 1}}[place]
		dst[n] = Call{a, hand.Meld{Type: hand.Chi, Kind: low, Claimed: uint8(place), From: from}, own}
		n++
	}
	return n
}

// Call makes p the position after a call, which has a tile too many.
func (p *Position) Call(c *Call) { p.Lay(c.Meld, 1, c.Own[0], c.Own[1]) }

// Discardable returns the kinds that may be discarded after a call.
func (p *Position) Discardable(c *Call, r *ruleset.Rules) tile.Set {
	return p.Hand.Kinds() &^ ruleset.SwapBanned(c.Meld, r.SwapBan)
}

// Discards are the actions of an own turn that discard a tile: quietly, or
// declaring ready with it.
type Discards struct {
	legal       *sim.ActionSet
	first, last sim.Action
	drawn       tile.Face
}

// DiscardsOf returns the discards among the legal actions, with the drawn tile or
// NoFace; with ready, those that declare ready.
func DiscardsOf(legal *sim.ActionSet, drawn tile.Face, ready bool) Discards {
	if ready {
		return Discards{legal, sim.ActReady, sim.ActReadyDrawn, drawn}
	}
	return Discards{legal, sim.ActDiscard, sim.ActDiscardDrawn, drawn}
}

// Kinds returns the kinds that may be discarded.
func (d *Discards) Kinds() tile.Set {
	set := d.legal.Kinds(d.first)
	for s := tile.Characters; s < tile.Honors; s++ {
		if red := tile.RedOf(s); d.legal.Has(d.first + sim.Action(red)) {
			set |= red.Kind().Bit()
		}
	}
	if d.legal.Has(d.last) {
		set |= d.drawn.Kind().Bit()
	}
	return set
}

// Of returns the action that discards a tile of kind k, one of Kinds: no red five
// if there is another, and the drawn tile rather than its like.
func (d *Discards) Of(k tile.Kind) sim.Action {
	isDrawn, held := d.drawn.Kind() == k, d.first+sim.Action(k)
	switch {
	case isDrawn && !d.drawn.IsRed():
		return d.last
	case d.legal.Has(held):
		return held
	case isDrawn:
		return d.last
	}
	return d.first + sim.Action(tile.RedOf(k.Suit()))
}
