package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Book holds the aims of a ruleset. It is immutable, so any number of players may share
// it.
//
// Sufficient lists the aims that are enough to win: a player for whom only winning counts
// needs one of them, if any, and a second one does not help. Aims lists the worth of each
// kind of hand: a player who weighs value against distance considers all of them, also
// those that may not win by themselves.
type Book struct {
	Rules *ruleset.Rules
	// Aims are the aims whose shape the family has, the plain hand first, with the worth
	// of an example of each.
	Aims []Aim
	// Sufficient are the aims each of which lets an open hand win with no other value. A
	// triplet of an honor is listed if it is sufficient for any player; see Honors.
	Sufficient []Aim
	// ClosedWins reports whether any closed hand wins by self-draw, declared ready if that
	// is possible; OpenWins whether any open hand wins.
	ClosedWins, OpenWins bool

	sufficient, valued honorGroups
	pairs              bool // seven pairs are a shape
}

// honorGroups are the honors of which a triplet has some property, by what they are to the
// player.
type honorGroups struct{ dragons, seatWind, roundWind bool }

func (g honorGroups) kinds(seat, round tile.Wind) (set tile.Set) {
	if g.dragons {
		set = tile.Dragons
	}
	if g.seatWind {
		set |= seat.Kind().Bit()
	}
	if g.roundWind {
		set |= round.Kind().Bit()
	}
	return set
}

// NewBook scores examples of all aims under the rules. It allocates, and takes about as
// long as a thousand decisions of a simple player.
func NewBook(r *ruleset.Rules) *Book {
	b := &Book{Rules: r}
	b.findSufficient()
	b.findWorth()
	return b
}

// Honors returns the honors of which a triplet is sufficient for a player with a seat
// wind in a round.
func (b *Book) Honors(seat, round tile.Wind) tile.Set { return b.sufficient.kinds(seat, round) }

// ValuedHonors returns the honors of which a triplet is worth more than one of another
// player's wind, whether or not it is sufficient.
func (b *Book) ValuedHonors(seat, round tile.Wind) tile.Set { return b.valued.kinds(seat, round) }

// AnyWins reports whether any complete hand that p can become wins. Honors are those of
// which a triplet is sufficient. Otherwise the hand must be one of Sufficient.
func (b *Book) AnyWins(p *Position, honors tile.Set) bool {
	return b.ClosedWins && !p.Open || b.OpenWins || p.MeldedTriplets()&honors != 0
}

// findSufficient scores one example of each pattern that may be sufficient to win, and lists
// those that are.
func (b *Book) findSufficient() {
	run, triplet := hand.Sequence, hand.Triplet
	const m, p, s = tile.Kind(0), tile.Kind(9), tile.Kind(18) // the ones
	// The fifth set is for hands of 17 tiles.
	base := [hand.MaxSets]hand.Set{run(m), run(p + 4), run(s + 2), run(s + 6), run(m + 3)}
	replaceFourth := func(set hand.Set) [hand.MaxSets]hand.Set {
		sets := base
		sets[3] = set
		return sets
	}
	open := func(pair tile.Kind, sets ...hand.Set) bool { return b.mayWin(2, pair, [hand.MaxSets]hand.Set(sets)) }
	flush := []hand.Set{run(m), run(m + 2), run(m + 4), run(m + 5), run(m + 1)}

	b.ClosedWins = b.mayWin(0, p+8, base)
	b.OpenWins = b.mayWin(2, p+8, base)
	b.sufficient = honorGroups{
		dragons:   b.mayWin(2, p+8, replaceFourth(triplet(tile.White))),
		seatWind:  b.mayWin(2, p+8, replaceFourth(triplet(tile.South))),
		roundWind: b.mayWin(2, p+8, replaceFourth(triplet(tile.East))),
	}
	points := func(k tile.Kind) int32 { return b.valueOf(2, p+8, replaceFourth(triplet(k))).Points }
	guest := points(tile.West)
	b.valued = honorGroups{
		dragons: points(tile.White) > guest, seatWind: points(tile.South) > guest, roundWind: points(tile.East) > guest,
	}
	b.pairs = b.hasPairs()

	list := &b.Sufficient
	if open(p+7, run(m+1), run(p+4), run(s+2), run(s+5), run(m+3)) {
		*list = append(*list, simples())
	}
	half, full := open(tile.North, flush...), open(m+8, flush...)
	for suit := tile.Characters; suit < tile.Honors; suit++ {
		switch {
		case half:
			*list = append(*list, halfFlush(suit))
		case full:
			*list = append(*list, fullFlush(suit))
		}
	}
	for k := tile.East; k < tile.NumKinds; k++ {
		if tile.Dragons.Has(k) && b.sufficient.dragons || !tile.Dragons.Has(k) && (b.sufficient.seatWind || b.sufficient.roundWind) {
			*list = append(*list, aimAtSets(Honors, triplet(k)))
		}
	}
	if open(m+8, triplet(m), triplet(p+2), triplet(s+4), triplet(p+6), triplet(s+7)) {
		*list = append(*list, allTriplets())
	}
	if open(s+8, run(m), run(m+3), run(m+6), run(p+4), run(s+2)) {
		for suit := range 3 {
			*list = append(*list, straight(suit))
		}
	}
	if open(s+8, run(m), run(p), run(s), run(p+4), run(s+2)) {
		for rank := range 7 {
			*list = append(*list, likeSequences(rank))
		}
	}
	if open(tile.North, run(m), run(p+6), run(s), triplet(s+8), run(m+6)) {
		*list = append(*list, outside())
	}
	if b.orphansWin() {
		*list = append(*list, Aim{Shape: Irregular, Kinds: tile.All, Class: OtherShape})
	}
	b.findNeeds(b.Sufficient)
}

// findNeeds computes what a hand without melds needs.
func (b *Book) findNeeds(aims []Aim) {
	p := Position{Sets: b.Rules.HandSize / 3}
	for i := range aims {
		aims[i].need = p.needOf(&aims[i])
	}
}

// mayWin reports whether South may win in an East round with the hand of valueOf.
func (b *Book) mayWin(melded int, pair tile.Kind, sets [hand.MaxSets]hand.Set) bool {
	return b.valueOf(melded, pair, sets).OK
}

// valueOf returns what South wins in an East round on the second tile of the pair, with as
// many of the sets as the hand has. The first of them are melded. Without melds, South wins
// by self-draw, and in riichi if the rules have it.
func (b *Book) valueOf(melded int, pair tile.Kind, sets [hand.MaxSets]hand.Set) (v ruleset.Value) {
	r := b.Rules
	var w ruleset.Win
	for i, set := range sets[:r.HandSize/3] {
		kinds, m := layOut(set)
		if i < melded {
			w.Melds[i] = m
			w.NumMelds++
			continue
		}
		for _, k := range kinds {
			w.Hand.Add(k)
		}
	}
	w.Hand.Add(pair)
	w.Hand.Add(pair)
	w.Tile = pair
	if melded == 0 {
		w.SelfDraw = true
		if r.Ready == ruleset.Riichi {
			w.Flags = ruleset.FlagRiichi
		}
	}
	w.SeatWind, w.RoundWind = 1, 0
	r.Value(&w, &v)
	return v
}

// layOut returns the tiles of a set, and the meld that claims one of them.
func layOut(set hand.Set) (kinds [3]tile.Kind, m hand.Meld) {
	const from = 3 // the player before
	k := set.Kind()
	if set.IsSequence() {
		return [3]tile.Kind{k, k + 1, k + 2}, hand.Meld{Type: hand.Chi, Kind: k, From: from}
	}
	return [3]tile.Kind{k, k, k}, hand.Meld{Type: hand.Pon, Kind: k, From: from}
}

// hasPairs reports whether the family has the shape of seven pairs.
func (b *Book) hasPairs() bool {
	const m, p = tile.Kind(0), tile.Kind(9)
	sixPairs := [tile.NumKinds]uint8{m: 2, m + 2: 2, m + 4: 2, m + 6: 2, m + 8: 2, p + 1: 2, p + 3: 1}
	h := hand.FromCounts(&sixPairs)
	return b.Rules.HandSize == 13 && b.Rules.Waits(&h, 0).Has(p+3)
}

// orphansWin reports whether thirteen orphans, the irregular shape that most families
// have, may win by their shape alone.
func (b *Book) orphansWin() bool {
	w := ruleset.Win{Tile: tile.East, SelfDraw: true}
	for orphans := tile.Orphans; orphans != 0; orphans = orphans.Rest() {
		w.Hand.Add(orphans.First())
	}
	w.Hand.Add(tile.East)
	var v ruleset.Value
	b.Rules.Value(&w, &v)
	return v.OK
}

// plainSets are the lowest kinds of the sets of a plain hand: 123m 567p 345s 789s
// and, of seventeen tiles, 456m. Its pair is 9p.
var plainSets = [hand.MaxSets]tile.Kind{0, 13, 20, 24, 3}

// findWorth lists the aims whose shape the family has, with the worth of the plain hand
// turned into each.
func (b *Book) findWorth() {
	plain := Position{Sets: b.Rules.HandSize / 3}
	for _, k := range plainSets[:plain.Sets] {
		for i := range tile.Kind(3) {
			plain.Hand.Add(k + i)
		}
	}
	plain.Hand.Add(17)
	c := NewCompletion(b.Rules)
	for k := range c.Unseen {
		c.Unseen[k] = int8(4 - plain.Hand.Count(tile.Kind(k)))
	}
	stakes := NewStakes(b.Rules)
	worth := func(a *Aim, open bool) (w Worth) {
		if !c.FindSets(&plain, a) {
			return w
		}
		c.MakeWin(&plain, a, open)
		if !stakes.Score(&c.Win) {
			return w
		}
		me := stakes.Context.Me
		return Worth{Discard: stakes.Settle(me, b.Rules.NextChair(me, 2)), SelfDraw: stakes.Settle(me, ruleset.NoChair)}
	}
	for _, a := range catalog() {
		if !b.possible(&a) {
			continue
		}
		if a.Shape != Other { // its worth is known only when it is near
			a.Closed = worth(&a, false)
		}
		if a.MayOpen() {
			a.Open = worth(&a, true)
		}
		b.Aims = append(b.Aims, a)
	}
	b.findNeeds(b.Aims)
}

// possible reports whether the family has the shape of the aim.
func (b *Book) possible(a *Aim) bool {
	switch {
	case a.Shape == Other:
		return b.orphansWin()
	case a.Shape == SevenPairs:
		return b.Rules.HandSize == 13
	case a.Knitted != 0 && b.Rules.HandSize == 13:
		var h hand.Hand
		for kinds := a.Knitted; kinds != 0; kinds = kinds.Rest() {
			h.Add(kinds.First())
		}
		for range 3 {
			h.Add(tile.East)
		}
		h.Add(tile.White)
		return b.Rules.Waits(&h, 0).Has(tile.White)
	}
	return a.Knitted == 0
}
