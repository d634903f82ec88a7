// Package reasons computes why an answer is good or bad in the terms that players use. These
// are the shanten and ukeire that it leaves, and genbutsu, suji and walls against each player
// who may be ready. It uses one player's view alone.
//
//	var r reasons.Reader
//	r.Observe(view)
//	for _, rival := range r.Rivals() {
//		fmt.Println(rival.Player, r.Danger(rival.Player, kind).Class)
//	}
package reasons

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/facts"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Reader reads a view. The zero value is ready for [Reader.Observe].
type Reader struct {
	estimator belief.Estimator
	view      sim.View
}

// Observe makes v the view that the other methods are about.
func (r *Reader) Observe(v sim.View) {
	r.view = v
	r.estimator.Observe(v)
}

// Outlook is what a hand between turns may become.
type Outlook struct {
	// Shanten is 0 for a ready hand, -1 for a complete one.
	Shanten int
	// Useful are the kinds that lower the shanten (ukeire), of a ready hand its waits.
	Useful tile.Set
	// Tiles is the number of tiles of these kinds that the player cannot see.
	Tiles int
	// Furiten is set if the player's own discards forbid a win on a discard.
	Furiten bool
}

// Outlook returns the outlook of a hand of the player once k, NoKind for none, has been
// discarded from it.
func (r *Reader) Outlook(h *hand.Hand, k tile.Kind) (o Outlook) {
	v := r.view
	rules := v.Rules()
	melds := facts.Melds(v)
	o.Shanten = rules.HandShanten(h, melds)
	if o.Shanten == 0 {
		o.Useful = rules.HandWaits(h, melds)
		own := v.River(v.Player())
		if k != tile.NoKind {
			own |= k.Bit()
		}
		o.Furiten = rules.RiverLock == ruleset.LockHand && o.Useful&own != 0
	} else {
		for n := range tile.Kind(tile.NumKinds) {
			if v.Unseen(n) == 0 || h.Count(n) == 4 {
				continue
			}
			h.Add(n)
			if rules.HandShanten(h, melds) < o.Shanten {
				o.Useful |= n.Bit()
			}
			h.Remove(n)
		}
	}
	for kinds := o.Useful; kinds != 0; kinds = kinds.Rest() {
		o.Tiles += v.Unseen(kinds.First())
	}
	return o
}

// AfterDiscard returns the outlook of the player's hand without a tile of kind k.
func (r *Reader) AfterDiscard(k tile.Kind) Outlook {
	h := r.view.Hand()
	h.Remove(k)
	return r.Outlook(&h, k)
}

// NearestDiscards returns the kinds whose discard leaves the player's hand the lowest shanten.
func NearestDiscards(v sim.View, kinds tile.Set) (best tile.Set) {
	melds := facts.Melds(v)
	h, lowest := v.Hand(), 0
	for ; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		h.Remove(k)
		n := v.Rules().HandShanten(&h, melds)
		h.Add(k)
		if best == 0 || n < lowest {
			best, lowest = 0, n
		}
		if n == lowest {
			best |= k.Bit()
		}
	}
	return best
}

// DealIn returns the probability that a discard of kind k deals in, if there is a network of
// beliefs for the rules.
func (r *Reader) DealIn(k tile.Kind) (chance float64, ok bool) {
	if !r.estimator.HasNetwork() {
		return 0, false
	}
	safe := 1.0 // the probability that no player wins
	for i := 1; i < r.view.Rules().NumSeats(); i++ {
		chance, _ := r.estimator.DealIn(r.view.PlayerAfter(i), k)
		safe *= 1 - float64(float64(chance)/belief.Unit)
	}
	return 1 - safe, true
}

// Rival is a player who may be ready.
type Rival struct {
	Player sim.Player
	// Declared reports whether the player has declared ready, Ready is the probability.
	Declared bool
	Ready    float64
}

// rivalAbove is the probability of a ready hand from which a player counts as a rival.
const rivalAbove = 0.15

// Rivals returns the other players who may be ready, the next one first. Without a network of
// beliefs those count who have declared ready or hold no more than one concealed set.
func (r *Reader) Rivals() (list []Rival) {
	v := r.view
	for i := 1; i < v.Rules().NumSeats(); i++ {
		p := v.PlayerAfter(i)
		declared, chance := v.Ready(p) != sim.NotReady, 0.0
		switch {
		case r.estimator.HasNetwork():
			chance = float64(r.estimator.EvaluatePlayer(p)) / belief.Unit
		case declared:
			chance = 1
		case v.ConcealedLen(p) <= 5:
			chance = 0.5
		}
		if chance > rivalAbove {
			list = append(list, Rival{p, declared, chance})
		}
	}
	return list
}

// Class is how safe a discard is against a player.
type Class uint8

// The classes, the safest first.
const (
	Genbutsu Class = iota // the player discarded the kind, and so may not win on it
	Passed                // the player passed on the kind and has kept the same hand
	Honor                 // an honor, of which G tiles are unseen
	Suji                  // no two-sided wait, since the player has discarded or passed on G
	Wall                  // no two-sided wait, since every G is visible
	HalfSuji              // safe beside F, but a two-sided wait with G is open
	HalfWall              // every F is visible, but a two-sided wait with G is open
	Open                  // a two-sided wait with G is open
)

// String returns the name of the class.
func (c Class) String() string {
	return [...]string{"genbutsu", "passed", "honor", "suji", "wall", "half_suji", "half_wall", "open"}[c]
}

// Danger is why a discard is safe or dangerous. F and G are kinds in the reason, but for an
// honor G is a number of tiles.
type Danger struct {
	Class Class
	F, G  int
}

// Danger returns why a discard of kind k is safe or dangerous against player p, by what all
// players can see and the player's own tiles.
func (r *Reader) Danger(p sim.Player, k tile.Kind) Danger {
	v, safe := r.view, r.estimator.SafeKinds(p)
	d := Danger{F: int(k), G: int(k)}
	switch {
	case v.Rules().RiverLock != ruleset.LockOff && v.River(p).Has(k):
		d.Class = Genbutsu
		return d
	case safe.Has(k):
		d.Class = Passed
		return d
	case k.IsHonor():
		d.Class, d.G = Honor, v.Unseen(k)
		return d
	}
	// A two-sided wait on k and other needs the two kinds between them.
	open, suji, wall := tile.NoKind, tile.NoKind, tile.NoKind
	sides := 0
	for _, step := range [...]int{-1, 1} {
		rank := k.Rank() + 3*step
		if rank < 0 || rank > 8 {
			continue
		}
		sides++
		other, near, far := tile.Kind(int(k)+3*step), tile.Kind(int(k)+step), tile.Kind(int(k)+2*step)
		switch {
		case v.Unseen(near) == 0:
			wall = near
		case v.Unseen(far) == 0:
			wall = far
		case safe.Has(other):
			suji = other
		default:
			open = other
		}
	}
	switch {
	case open == tile.NoKind && suji != tile.NoKind:
		d.Class, d.G = Suji, int(suji)
	case open == tile.NoKind:
		d.Class, d.G = Wall, int(wall)
	case sides == 2 && suji != tile.NoKind:
		d.Class, d.F, d.G = HalfSuji, int(suji), int(open)
	case sides == 2 && wall != tile.NoKind:
		d.Class, d.F, d.G = HalfWall, int(wall), int(open)
	default:
		d.Class, d.G = Open, int(open)
	}
	return d
}

// DiscardedTile returns the tile that a discard gives away, by the tile that was drawn.
func DiscardedTile(a sim.Action, drawn tile.Face) tile.Face {
	switch {
	case a == sim.ActDiscardDrawn || a == sim.ActReadyDrawn:
		return drawn
	case a.DeclaresReady():
		return tile.Face(a - sim.ActReady)
	}
	return tile.Face(a - sim.ActDiscard)
}
