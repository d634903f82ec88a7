package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Position is a player's tiles. It is a plain value: assigning it copies it, for
// example to try a call or a discard.
type Position struct {
	// Hand is the concealed tiles, the drawn one included.
	Hand hand.Hand
	// Melds[:NumMelds] are the melds.
	Melds    [hand.MaxMelds]hand.Meld
	NumMelds int
	// Sets is the number of sets that the concealed tiles of the complete hand have.
	Sets int
	// Open reports whether a meld contains another player's tile.
	Open bool
}

// Observe sets p to the position of the viewer.
func (p *Position) Observe(v sim.View) {
	me := v.Player()
	p.Hand = v.Hand()
	p.NumMelds = v.NumMelds(me)
	for i := range p.NumMelds {
		p.Melds[i] = v.Meld(me, i)
	}
	p.Sets = v.Rules().HandSize/3 - p.NumMelds
	p.Open = v.IsOpen(me)
}

// AddMeld moves n concealed tiles of each of the kinds into a new meld.
func (p *Position) AddMeld(m hand.Meld, n int, kinds ...tile.Kind) {
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

func (p *Position) hasMeld(set hand.Set) bool {
	for _, m := range p.Melds[:p.NumMelds] {
		if m.Kind == set.Kind() && (m.Type == hand.Chi) == set.IsSequence() {
			return true
		}
	}
	return false
}

// MeldedKinds returns the kinds of the melded tiles.
func (p *Position) MeldedKinds() (kinds tile.Set) {
	for _, m := range p.Melds[:p.NumMelds] {
		if m.Type == hand.Chi {
			kinds |= 7 * m.Kind.Bit()
		} else {
			kinds |= m.Kind.Bit()
		}
	}
	return kinds
}

// MeldedTriplets returns the kinds of the melded triplets and kans.
func (p *Position) MeldedTriplets() (kinds tile.Set) {
	for _, m := range p.Melds[:p.NumMelds] {
		if m.Type != hand.Chi {
			kinds |= m.Kind.Bit()
		}
	}
	return kinds
}

// DistanceBound returns a lower bound of the distance to an aim: the number of tiles
// that the aim has no use for.
func (p *Position) DistanceBound(a *Aim) int {
	tiles := 0
	for n := 1; n <= 4; n++ {
		tiles += (p.Hand.AtLeast(n) & a.Kinds).Len()
	}
	return 3*p.Sets + 1 - tiles
}

// Call is a way to call pon or chi.
type Call struct {
	Action sim.Action
	Meld   hand.Meld
	Own    [2]tile.Kind // the caller's own tiles
}

// MaxCalls is the largest number of ways to call pon or chi.
const MaxCalls = 4

// FindCalls writes to dst the legal ways to call pon or chi of a discard of kind k, and
// returns their number. It prefers calls with the most red fives. The melds do not
// record who discarded: From is always 3.
func FindCalls(legal *sim.ActionSet, k tile.Kind, dst *[MaxCalls]Call) int {
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

// ApplyCall changes p to the position after a call, before the discard.
func (p *Position) ApplyCall(c *Call) { p.AddMeld(c.Meld, 1, c.Own[0], c.Own[1]) }

// LegalDiscards returns the kinds that may be discarded after a call.
func (p *Position) LegalDiscards(c *Call, r *ruleset.Rules) tile.Set {
	return p.Hand.Kinds() &^ ruleset.SwapBanned(c.Meld, r.SwapBan)
}

// DiscardActions are the legal discards of an own turn, either all without declaring
// ready or all with it.
type DiscardActions struct {
	legal       *sim.ActionSet
	first, last sim.Action
	drawn       tile.Face
}

// NewDiscardActions returns the discards among the legal actions, those that declare
// ready if ready is true. Drawn is the drawn tile or NoFace.
func NewDiscardActions(legal *sim.ActionSet, drawn tile.Face, ready bool) DiscardActions {
	if ready {
		return DiscardActions{legal, sim.ActReady, sim.ActReadyDrawn, drawn}
	}
	return DiscardActions{legal, sim.ActDiscard, sim.ActDiscardDrawn, drawn}
}

// Kinds returns the kinds that may be discarded.
func (d *DiscardActions) Kinds() tile.Set {
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

// Action returns the action that discards a tile of kind k, one of Kinds. It keeps a
// red five if there is another five, and prefers the drawn tile to an equal one.
func (d *DiscardActions) Action(k tile.Kind) sim.Action {
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
