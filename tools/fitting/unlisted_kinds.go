package fitting

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sameAction reports whether two legal actions lead to the same hand: they are equal, or discard
// equal tiles, one of them the drawn one.
func sameAction(v sim.View, a, b sim.Action) bool {
	return a == b || a.IsDiscard() && b.IsDiscard() && a.DeclaresReady() == b.DeclaresReady() &&
		reasons.DiscardedTile(a, v.Drawn()) == reasons.DiscardedTile(b, v.Drawn())
}

// isCopyOfDrawn reports whether an action discards a held tile that is equal to the drawn one,
// which may be discarded as well.
func isCopyOfDrawn(v sim.View, legal *sim.ActionSet, a sim.Action) bool {
	if !a.IsDiscard() {
		return false
	}
	drawn := sim.ActDiscardDrawn
	if a.DeclaresReady() {
		drawn = sim.ActReadyDrawn
	}
	return a != drawn && legal.Has(drawn) && reasons.DiscardedTile(a, v.Drawn()) == v.Drawn()
}

// kindOf returns the name of the kind of a legal action: the action, then the conditions that
// matter most.
func (s *unlistedSearch) kindOf(v sim.View, legal *sim.ActionSet, a sim.Action) string {
	switch {
	case a == sim.ActWin:
		return "win"
	case legal.Has(sim.ActWin):
		return "playing on instead of a win"
	case a.IsDiscard():
		return s.discardKind(v, legal, a) + threat(v)
	case a < sim.ActPon+2 && legal.Has(a+1) && a >= sim.ActPon, a >= sim.ActChi && a < sim.ActChiRed && legal.Has(a+sim.ActChiRed-sim.ActChi):
		return "call that keeps a red five"
	case a >= sim.ActChi && a < sim.ActOpenKan:
		return s.callKind(v, a) + openness(v) + threat(v)
	case a == sim.ActOpenKan:
		return "open kan" + s.honorName(v, v.ClaimableTile().Kind())
	case a >= sim.ActClosedKan && a < sim.ActAddedKan:
		return "closed kan" + threat(v)
	case a >= sim.ActAddedKan && a < sim.ActWin:
		return "added kan" + threat(v)
	case a == sim.ActPass:
		return "pass"
	case a >= sim.ActFlower && a < sim.ActFlowerWin:
		return "flower"
	}
	return a.String()
}

// discardKind distinguishes discards by the shanten that they leave, declarations, silent ready
// hands, and red fives that are given up before plain ones.
func (s *unlistedSearch) discardKind(v sim.View, legal *sim.ActionSet, a sim.Action) string {
	r, h, f := s.job.Rules, v.Hand(), reasons.DiscardedTile(a, v.Drawn())
	melds := v.NumMelds(v.Player())
	switch {
	case v.Ready(v.Player()) != sim.NotReady:
		return "discard of a declared hand"
	case f.IsFlower():
		return "discard of a flower"
	case a.DeclaresReady():
		return "declaring ready"
	case f.IsRed() && int(v.Reds()[f.Kind().Suit()]) < h.Count(f.Kind()):
		return "discard of a red five before a plain one"
	}
	before := r.Shanten(&h, melds)
	h.Remove(f.Kind())
	name := "discard that keeps the shanten"
	if after := r.Shanten(&h, melds); after > before {
		name = "discard that raises the shanten"
	} else if after <= 0 && mayDeclare(v, legal, f) {
		name = "silent ready hand"
	}
	return name
}

// mayDeclare reports whether the discard of a face may declare ready.
func mayDeclare(v sim.View, legal *sim.ActionSet, f tile.Face) bool {
	return legal.Has(sim.ActReady+sim.Action(f)) || legal.Has(sim.ActReadyDrawn) && v.Drawn() == f
}

// callKind distinguishes chi and pon by whether they lower the shanten, and pons by the worth of
// the honor.
func (s *unlistedSearch) callKind(v sim.View, a sim.Action) string {
	k, h := v.ClaimableTile().Kind(), v.Hand()
	melds := v.NumMelds(v.Player())
	before := s.job.Rules.Shanten(&h, melds)
	name := "chi"
	if a < sim.ActPon {
		low := k - tile.Kind((a-sim.ActChi)%3)
		for i := range tile.Kind(3) {
			if low+i != k {
				h.Remove(low + i)
			}
		}
	} else {
		name = "pon" + s.honorName(v, k)
		h.Remove(k)
		h.Remove(k)
	}
	// After the call a tile is discarded, so the least shanten of what remains counts.
	least := before + 1
	for kinds := h.Kinds(); kinds != 0; kinds = kinds.Rest() {
		rest := h
		rest.Remove(kinds.First())
		least = min(least, s.job.Rules.Shanten(&rest, melds+1))
	}
	if least < before {
		return name + " that lowers the shanten"
	}
	return name + " that lowers no shanten"
}

// honorName returns what is added to the name of a call of a kind of honors.
func (s *unlistedSearch) honorName(v sim.View, k tile.Kind) string {
	if s.book.ValuedHonors(v.SeatWind(v.Player()), v.RoundWind()).Has(k) {
		return " of a valued honor"
	}
	return ""
}

func openness(v sim.View) string {
	if v.IsOpen(v.Player()) {
		return ", open hand"
	}
	return ", closed hand"
}

// threat returns what is added to the name where another player has declared ready or has
// several melds.
func threat(v sim.View) string {
	for i := 1; i < v.Rules().NumSeats(); i++ {
		if p := v.PlayerAfter(i); v.Ready(p) != sim.NotReady || v.NumMelds(p) > 2 {
			return ", under threat"
		}
	}
	return ""
}
