package hkos

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// scorer is a compiled Config.
type scorer struct {
	knobs Config
	hand.Shapes
	// faan is the value of each pattern, exists the set of those that are not off.
	faan   [numPatterns]int16
	exists uint64
	// table is the share by faan.
	table []int32
}

// Compile returns the scorer for the knobs.
func (c *Config) Compile() ruleset.Scorer { return c.scorer() }

func (c *Config) scorer() *scorer {
	s := &scorer{knobs: *c, table: c.shares()}
	for id := range numPatterns {
		if s.faan[id] = c.price(id); s.faan[id] > 0 {
			s.exists |= 1 << id
		}
	}
	if c.Flowers == ruleset.NoFlowers {
		s.exists &^= ofFlowers // a set without flowers has none of their patterns ([K] 1.1)
	}
	s.Shapes = hand.Shapes{
		Pairs: s.exists&(1<<sevenPairs) != 0, Quads: c.QuadsArePairs, Orphans: s.exists&(1<<thirteenTerminals) != 0,
	}
	return s
}

// price returns the faan of a pattern, 0 if it is off.
func (c *Config) price(id int) int16 {
	switch p := c.Patterns[id]; {
	case p.IsOff():
		return 0
	case p.IsGiven():
		return p.Closed
	}
	return listed[id]
}

// Patterns lists the patterns of the table in its order.
func (s *scorer) Patterns() []ruleset.Pattern { return patterns[:] }

// evaluation is a win being valued: what all its readings have in common, and the best
// reading so far.
type evaluation struct {
	scorer  *scorer
	win     *ruleset.Win
	melds   hand.MeldSummary
	kinds   tile.Set // of the whole hand
	dragons int      // triplets of dragons
	common  uint64   // patterns of every reading
	regular uint64   // patterns of every reading as sets and a pair
	best    reading
}

// reading is one way to look at a complete hand.
type reading struct {
	// key orders readings; 0 means none.
	key      uint64
	patterns uint64
	faan     int
	ok       bool
}

const anyFlowerWin = ruleset.FlagFlowerWin7 | ruleset.FlagFlowerWin8

// Value scores a complete hand by the reading with the most faan, of equals the one whose
// patterns come first in the table ([K] 6.1).
func (s *scorer) Value(w *ruleset.Win, v *ruleset.Value) {
	e := evaluation{scorer: s, win: w}
	if w.Flags&anyFlowerWin != 0 {
		e.flowerWin()
	} else {
		e.noteMelds()
		e.noteKinds()
		e.noteHonors()
		e.noteManner()
		for d := range w.Hand.Divisions(4 - int(w.NumMelds)) {
			e.divide(d)
		}
		if w.NumMelds == 0 {
			e.irregular()
		}
	}
	r := &e.best
	*v = ruleset.Value{Shape: r.key != 0, OK: r.ok}
	if !v.Shape {
		return
	}
	faan := r.faan
	if s.knobs.PointsCap != ruleset.NoLimit {
		faan = min(faan, int(s.knobs.PointsCap))
	}
	robbed := w.Flags&(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan) != 0
	v.Base = int32(faan)
	v.Points = int32(s.gain(faan, w.SelfDraw || robbed && s.knobs.RobPayment == RobAsSelfDraw, w.SeatWind == 0))
	for m := r.patterns; m != 0; m &= m - 1 {
		id := bits.TrailingZeros64(m)
		v.Add(uint8(id), int16(e.patternFaan(id)))
	}
}

// flowerWin is a win by seven or eight flowers, which is free of the minimum and counts
// nothing else ([K] 4.6).
func (e *evaluation) flowerWin() {
	id := sevenFlowers
	if e.win.Flags&ruleset.FlagFlowerWin8 != 0 {
		id = eightFlowers
	}
	e.best = reading{key: 1, patterns: e.scorer.exists & (1 << id), faan: int(e.scorer.faan[id]), ok: true}
}

func (e *evaluation) noteMelds() {
	e.melds = hand.SummarizeMelds(e.win.Melds[:e.win.NumMelds])
	e.kinds = e.win.Hand.Kinds() | e.melds.Kinds
	if e.melds.Kans > 0 {
		e.common |= 1 << kong
		if e.melds.Kans == 4 {
			e.regular |= 1 << fourKong
		}
	}
	if e.isConcealed() {
		e.common |= 1 << concealedHand
	}
}

// isConcealed reports whether the hand is concealed ([K] 6.2 row 21).
func (e *evaluation) isConcealed() bool {
	if e.win.Flowers != 0 && e.scorer.knobs.ConcealedFlowers == NoExposedFlowers {
		return false
	}
	for _, m := range e.win.Melds[:e.win.NumMelds] {
		switch m.Type {
		case hand.ClosedKan:
			if e.scorer.knobs.ConcealedKongs == ruleset.KongsNone {
				return false
			}
		case hand.OpenKan:
			if e.scorer.knobs.ConcealedKongs != ruleset.KongsAny {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// noteKinds notes what follows from the kinds alone.
func (e *evaluation) noteKinds() {
	honors, suited := e.kinds&tile.HonorSet, e.kinds&tile.Suited
	if suited.InOneSuit() {
		switch {
		case suited == 0:
			e.common |= 1 << allHonors
		case honors == 0:
			e.common |= 1 << pureOneSuit
			if gates, pure := e.win.Hand.NineGates(e.win.Tile); gates && (pure || e.scorer.knobs.GatesAnyWait) {
				e.regular |= 1 << nineGates
			}
		default:
			e.common |= 1 << mixedOneSuit
		}
	}
	if e.kinds&tile.Simples == 0 && suited != 0 {
		if honors == 0 {
			e.regular |= 1 << pureGreaterTerminals
		} else {
			e.common |= 1 << mixedGreaterTerminals
		}
	}
}

// noteHonors notes what follows from the triplets and the pair of honors, which are the
// same in every reading as sets and a pair.
func (e *evaluation) noteHonors() {
	h := &e.win.Hand
	triplets := (h.AtLeast(3) | e.melds.Triplets) & tile.HonorSet
	if triplets == 0 {
		return
	}
	pair := h.AtLeast(2) &^ h.AtLeast(3)
	if e.dragons = (triplets & tile.Dragons).Len(); e.dragons > 0 {
		e.regular |= 1 << dragonPung
		switch {
		case e.dragons == 3:
			e.regular |= 1 << bigThreeDragons
		case e.dragons == 2 && pair&tile.Dragons != 0:
			e.regular |= 1 << smallThreeDragons
		}
	}
	if triplets.Has(e.win.SeatWind.Kind()) {
		e.regular |= 1 << seatWind
	}
	if triplets.Has(e.win.RoundWind.Kind()) {
		e.regular |= 1 << prevalentWind
	}
	switch winds := (triplets & tile.Winds).Len(); {
	case winds == 4:
		e.regular |= 1 << bigFourWinds
	case winds == 3 && pair&tile.Winds != 0:
		e.regular |= 1 << smallFourWinds
	}
}

// noteManner notes what follows from the way of winning and from the flowers.
func (e *evaluation) noteManner() {
	w := e.win
	last := uint64(1 << finalDiscard)
	if w.SelfDraw {
		last = 1 << finalDraw
		e.common |= 1 << selfDraw
	}
	if w.Flowers == 0 {
		e.common |= 1 << noFlowers
	} else {
		e.common |= 1<<properFlower | 1<<oneFlowerSet
	}
	if w.Flags == 0 {
		return
	}
	for _, n := range [...]struct {
		flags    ruleset.Flags
		patterns uint64
	}{
		{ruleset.FlagLastTile, last},
		{ruleset.FlagAfterKan, 1 << winOnKong},
		{ruleset.FlagAfterTwoKans, 1 << winOnDoubleKong},
		{ruleset.FlagAfterFlower, 1 << flowerDraw},
		{ruleset.FlagRobbingKan | ruleset.FlagRobbingClosedKan, 1 << robbingAKong},
		{ruleset.FlagHeavenly, 1 << blessingOfHeaven},
		{ruleset.FlagEarthly, 1 << blessingOfEarth},
	} {
		if w.Flags&n.flags != 0 {
			e.common |= n.patterns
		}
	}
	if w.Flags&ruleset.FlagHuman != 0 && !w.SelfDraw {
		e.common |= 1 << blessingOfMan
	}
}

// divide considers all readings of a division into four sets and a pair: the winning tile may
// have completed any set, or the pair, that holds its kind.
func (e *evaluation) divide(d hand.Division) {
	p := e.common | e.regular
	triplets := d.Triplets()
	switch runs := d.Runs(); {
	case runs == 0 && e.melds.Runs[0] == 0:
		p |= 1 << allTriplets
	case triplets|e.melds.Triplets == 0 && (e.scorer.knobs.SequencesPair == AnyPair || !d.Pair.IsHonor()):
		p |= 1 << allSequences
	}
	t := e.win.Tile
	// With four triplets, a winning tile in one of them is in none else and not the pair.
	if p&(1<<allTriplets) != 0 && triplets.Len()+e.melds.ClosedKans == 4 &&
		(e.win.SelfDraw || e.scorer.knobs.ClaimedTripletCounts || d.Pair == t) {
		p |= 1 << fourConcealedTriplets
	}
	// Where thirteen terminals alone may rob a closed kan, others may not.
	e.consider(p, e.win.Flags&ruleset.FlagRobbingClosedKan == 0 || e.scorer.knobs.RobClosedKan == ruleset.RobClosedAlways)
}

// irregular considers seven pairs and thirteen terminals.
func (e *evaluation) irregular() {
	h := &e.win.Hand
	if e.scorer.IsPairs(h) {
		e.consider(e.common|1<<sevenPairs, e.win.Flags&ruleset.FlagRobbingClosedKan == 0 || e.scorer.knobs.RobClosedKan == ruleset.RobClosedAlways)
	}
	if e.scorer.IsOrphans(h) {
		e.consider(e.common&^ofTiles|1<<thirteenTerminals, true)
	}
}

// consider takes the reading with the given patterns if it is the best so far; ok reports
// whether its shape may win.
func (e *evaluation) consider(patterns uint64, ok bool) {
	patterns &= e.scorer.exists
	if patterns&(1<<fourConcealedTriplets) != 0 {
		patterns &^= 1 << allTriplets
	}
	if patterns&(1<<winOnDoubleKong) != 0 {
		patterns &^= 1 << winOnKong
	}
	if patterns&concealed != 0 {
		patterns &^= 1 << concealedHand
	}
	if patterns&(1<<blessingOfHeaven) != 0 {
		patterns &^= 1 << selfDraw
	}
	if limit := patterns & limits; limit != 0 && e.scorer.knobs.LimitExclusive {
		patterns = patterns&^ofTiles | e.highest(limit)
	}
	r := reading{patterns: patterns, ok: ok}
	counting := 0
	for p := patterns; p != 0; p &= p - 1 {
		id := bits.TrailingZeros64(p)
		faan := e.patternFaan(id)
		if faan == 0 {
			r.patterns &^= 1 << id // such as flowers of other seats
		}
		r.faan += faan
		if ofFlowers>>id&1 == 0 {
			counting += faan
		}
	}
	if e.scorer.knobs.FlowersCount {
		counting = r.faan
	}
	r.ok = ok && counting >= e.scorer.knobs.MinWin
	r.key = uint64(r.faan)<<1 | 1
	if ok {
		r.key |= 1 << 63
	}
	if r.key > e.best.key || r.key == e.best.key && bits.Reverse64(r.patterns) > bits.Reverse64(e.best.patterns) {
		e.best = r
	}
}

// highest returns the pattern of a set that is worth most, of equals the first in the table.
func (e *evaluation) highest(set uint64) uint64 {
	best, most := uint64(0), int16(-1)
	for ; set != 0; set &= set - 1 {
		if n := e.scorer.faan[bits.TrailingZeros64(set)]; n > most {
			best, most = set&-set, n
		}
	}
	return best
}

// Flowers as bits: 1f-4f the seasons, 5f-8f the plants. Each wind has one of either, North the
// last.
const (
	seasons     uint8 = 0x0f
	plants      uint8 = 0xf0
	eastFlowers uint8 = 0x11
)

func (e *evaluation) patternFaan(id int) int {
	n := int(e.scorer.faan[id%numPatterns])
	switch id {
	case dragonPung:
		n *= e.dragons
	case kong:
		n *= e.melds.Kans
	case properFlower, oneFlowerSet:
		single, sets := e.win.Flowers, 0
		for _, set := range [...]uint8{seasons, plants} {
			if single&set == set {
				if sets++; !e.scorer.knobs.SetKeepsProper {
					single &^= set
				}
			}
		}
		if id == oneFlowerSet {
			return n * sets
		}
		n *= bits.OnesCount8(single & (eastFlowers << e.win.SeatWind))
	}
	return n
}
