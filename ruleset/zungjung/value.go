package zungjung

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// scorer is a compiled Config.
type scorer struct {
	knobs  Config
	points [numPatterns]int16
	// exists are the patterns there are, alone those of them that count alone.
	exists, alone uint64
	// rivals[:numRivals] are the sets of patterns of which only the highest
	// counts.
	rivals    [numTable]uint64
	numRivals uint8
	hand.Shapes
}

// Compile returns the scorer for the knobs.
func (c *Config) Compile() ruleset.Scorer {
	s := &scorer{knobs: *c}
	for id, r := range table {
		s.points[id] = r.points
		s.exists |= 1 << id
	}
	s.points[selfDraw] = int16(c.SelfDrawPoints)
	s.points[chickenHand] = int16(c.ChickenPoints)
	for id, p := range c.Patterns {
		switch {
		case p.IsOff():
			s.points[id] = 0
			s.exists &^= 1 << id
		case p.IsGiven():
			s.points[id] = p.Closed
		}
	}
	if s.points[selfDraw] > 0 {
		s.exists |= 1 << selfDraw
	}
	s.knobs.ChickenPoints = int(s.points[chickenHand])
	s.Shapes = hand.Shapes{
		Pairs: s.exists&(1<<sevenPairs) != 0, Quads: c.QuadsArePairs, Orphans: s.exists&(1<<thirteenTerminals) != 0,
	}
	groups := map[int16]uint64{}
	for id, r := range table {
		bit := s.exists & (1 << id)
		if c.ListedLimit != ruleset.NoLimit && int(s.points[id]) >= int(c.ListedLimit) {
			s.alone |= bit
		}
		group := r.series
		if c.Exclusion == ByCategory {
			group /= 10
		}
		groups[group] |= bit
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if set := groups[group]; set&(set-1) != 0 {
			s.rivals[s.numRivals] = set
			s.numRivals++
		}
	}
	return s
}

// Patterns lists the patterns of the table in its order, then self_draw and
// chicken_hand.
func (s *scorer) Patterns() []ruleset.Pattern { return patterns[:] }

// Liability returns nothing: no player is liable for another's pattern ([S] 4.2).
func (s *scorer) Liability([]hand.Meld) uint8 { return 0 }

// evaluation is a win being valued: what all its readings have in common, and
// the best reading so far.
type evaluation struct {
	scorer  *scorer
	win     *ruleset.Win
	laid    hand.MeldSummary
	kinds   tile.Set // of the whole hand
	honors  int      // triplets worth points for their kind
	every   uint64   // patterns of every reading
	regular uint64   // patterns of every regular reading
	best    reading
}

// reading is one way to look at a complete hand.
type reading struct {
	// key orders readings; 0 means none.
	key      uint64
	patterns uint64
	points   int32
	ok       bool
}

// Value scores a complete hand by its best reading ([Z] 3.2). Readings of equal
// value are distinguished by their sums before limits, then by the order of the
// table.
func (s *scorer) Value(w *ruleset.Win, v *ruleset.Value) {
	e := evaluation{scorer: s, win: w}
	e.noteMelds()
	e.noteKinds()
	e.noteHonors()
	e.noteFlags()

	for d := range w.Hand.Divisions(4 - int(w.NumMelds)) {
		e.divide(d)
	}
	if w.NumMelds == 0 {
		e.irregular()
	}

	r := &e.best
	v.Shape, v.OK = r.key != 0, r.ok
	v.Han, v.Fu, v.Yakuman = 0, 0, 0
	v.Points, v.Base = r.points, r.points
	v.NumPatterns = 0
	for m := r.patterns; m != 0; m &= m - 1 {
		id := bits.TrailingZeros64(m)
		v.Add(uint8(id), int16(e.worth(id)))
	}
}

func (e *evaluation) noteMelds() {
	e.laid = hand.SummarizeMelds(e.win.Melds[:e.win.NumMelds])
	e.kinds = e.win.Hand.Kinds() | e.laid.Kinds
	if e.laid.Kans > 0 {
		e.regular |= 1 << (oneKong - 1 + e.laid.Kans)
	}
	if !e.laid.Open {
		e.regular |= 1 << concealedHand
	}
}

// noteHonors notes what follows from the triplets and the pair of honors, which
// are the same in every regular reading.
func (e *evaluation) noteHonors() {
	h := &e.win.Hand
	trips := (h.AtLeast(3) | e.laid.Triplets) & tile.HonorSet
	if trips == 0 {
		return
	}
	pair := h.AtLeast(2) &^ h.AtLeast(3)
	valued := tile.Dragons | e.win.SeatWind.Kind().Bit()
	if e.scorer.knobs.RoundWindScores {
		valued |= e.win.RoundWind.Kind().Bit()
	}
	if e.honors = (trips & valued).Len(); e.honors > 0 {
		e.regular |= 1 << valueHonor
	}
	switch dragons := (trips & tile.Dragons).Len(); {
	case dragons == 3:
		e.regular |= 1 << bigThreeDragons
	case dragons == 2 && pair&tile.Dragons != 0:
		e.regular |= 1 << smallThreeDragons
	}
	switch winds := (trips & tile.Winds).Len(); {
	case winds == 4:
		e.regular |= 1<<bigFourWinds | 1<<bigThreeWinds
	case winds == 3:
		e.regular |= 1 << bigThreeWinds
		if pair&tile.Winds != 0 {
			e.regular |= 1 << smallFourWinds
		}
	case winds == 2 && pair&tile.Winds != 0:
		e.regular |= 1 << smallThreeWinds
	}
}

// noteKinds notes what follows from the kinds alone.
func (e *evaluation) noteKinds() {
	honors, suited := e.kinds&tile.HonorSet, e.kinds&tile.Suited
	if e.kinds&tile.Orphans == 0 {
		e.every |= 1 << noTerminals
	}
	if suited.InOneSuit() {
		switch {
		case suited == 0:
			e.every |= 1 << allHonors
		case honors == 0:
			e.every |= 1 << pureOneSuit
			if e.nineGates() {
				e.regular |= 1 << nineGates
			}
		default:
			e.every |= 1 << mixedOneSuit
		}
	}
	if e.kinds&tile.Simples == 0 {
		e.every |= 1 << mixedGreaterTerminals
		if honors == 0 {
			e.every |= 1 << pureGreaterTerminals
		}
	}
}

// nineGates reports whether a hand of one suit was 1112345678999 before the win.
// With all tiles dealt any of them may be the last
// (a decision on docs/rules/zungjung.md).
func (e *evaluation) nineGates() bool {
	gates, pure := e.win.Hand.NineGates(e.win.Tile)
	return pure || gates && e.scorer.knobs.HeavenlyAnyTile && e.win.Flags&ruleset.FlagHeavenly != 0
}

// noteFlags notes what follows from the circumstances.
func (e *evaluation) noteFlags() {
	f := e.win.Flags
	last := uint64(1 << finalDiscard)
	if e.win.SelfDraw {
		last = 1 << finalDraw
		e.every |= 1 << selfDraw
	}
	if f == 0 {
		return
	}
	for _, n := range [...]struct {
		flags    ruleset.Flags
		patterns uint64
	}{
		{ruleset.FlagLastTile, last},
		{ruleset.FlagAfterKan, 1 << winOnKong},
		{ruleset.FlagRobbingKan | ruleset.FlagRobbingClosedKan, 1 << robbingAKong},
		{ruleset.FlagHeavenly, 1 << blessingOfHeaven},
		{ruleset.FlagEarthly, 1 << blessingOfEarth},
	} {
		if f&n.flags != 0 {
			e.every |= n.patterns
		}
	}
}

// divide considers all readings of a division into four sets and a pair: the
// winning tile may have completed any set, or the pair, that holds its kind.
func (e *evaluation) divide(d hand.Division) {
	trips := d.Triplets() // concealed
	all := e.laid.Runs
	d.AddRuns(&all)
	starts := d.Runs()
	held := starts | starts<<1 | starts<<2 | d.Pair.Bit() // kinds of the concealed sequences and the pair
	base := e.every | e.regular | e.sets(&all, trips|e.laid.Triplets, d.Pair)
	concealed := e.laid.ClosedKans + trips.Len()
	t := e.win.Tile
	// Only thirteen terminals may rob a closed kan.
	ok := e.win.Flags&ruleset.FlagRobbingClosedKan == 0
	if e.win.SelfDraw || e.scorer.knobs.ClaimedTripletCounts || held.Has(t) {
		e.consider(base|concealedTriplets(concealed), ok)
		if e.win.SelfDraw || e.scorer.knobs.ClaimedTripletCounts {
			return
		}
	}
	if trips.Has(t) {
		e.consider(base|concealedTriplets(concealed-1), ok)
	}
}

// concealedTriplets returns the pattern of exactly n of them.
func concealedTriplets(n int) uint64 {
	if n < 2 {
		return 0
	}
	return 1 << (twoConcealedTriplets - 2 + n)
}

const (
	// firstRuns and lastRuns are the sequences 123 and 789.
	firstRuns = tile.Ones
	lastRuns  = tile.Ones << 6
)

// sets returns the patterns that all sets together with the pair make.
func (e *evaluation) sets(all *tile.Copies, trips tile.Set, pair tile.Kind) uint64 {
	var p uint64
	if runs := all[0]; runs == 0 {
		p |= 1 << allTriplets
	} else {
		if trips == 0 {
			p |= 1 << allSequences
		}
		if runs&(runs>>9)&(runs>>18)&tile.Ranks != 0 {
			p |= 1 << threeSimilarSequences
		}
		if runs&(runs>>3)&(runs>>6)&firstRuns != 0 {
			p |= 1 << nineTileStraight
		}
	}
	if all[1] != 0 {
		p |= 1 << twoIdenticalSequences
		switch {
		case all[3] != 0:
			p |= 1<<fourIdenticalSequences | 1<<threeIdenticalSequences
		case all[2] != 0:
			p |= 1 << threeIdenticalSequences
		case all[1]&(all[1]-1) != 0:
			p |= 1 << twoIdenticalSequencesTwice
		}
	}
	if all[0]&^tile.EdgeSequences == 0 && (trips|pair.Bit())&^tile.Orphans == 0 {
		p |= 1 << mixedLesserTerminals
		if e.kinds&tile.HonorSet == 0 {
			p |= 1 << pureLesserTerminals
		}
	}
	if suited := trips & tile.Suited; suited&(suited-1) != 0 {
		p |= suitedTriplets(suited, pair)
	}
	return p
}

// suitedTriplets returns the patterns of triplets of numbers.
func suitedTriplets(trips tile.Set, pair tile.Kind) uint64 {
	var p uint64
	if trips&(trips>>9)&(trips>>18)&tile.Ranks != 0 {
		p |= 1 << threeSimilarTriplets
	}
	if pair < tile.East && (firstRuns<<pair.Rank())&^trips == pair.Bit() {
		p |= 1 << smallThreeSimilarTriplets
	}
	if rows := trips & (trips >> 1) & (trips >> 2) & tile.Sequences; rows != 0 {
		p |= 1 << threeConsecutiveTriplets
		if rows&(rows>>1) != 0 {
			p |= 1 << fourConsecutiveTriplets
		}
	}
	return p
}

// irregular considers seven pairs and thirteen terminals.
func (e *evaluation) irregular() {
	p := e.every
	if e.scorer.knobs.ConcealedIrregular {
		p |= 1 << concealedHand
	}
	h := &e.win.Hand
	if e.scorer.IsPairs(h) {
		e.consider(p|1<<sevenPairs, e.win.Flags&ruleset.FlagRobbingClosedKan == 0)
	}
	if e.scorer.IsOrphans(h) {
		// Terminals and honors only is no pattern of its own here ([Z] 3.4 row 35).
		e.consider(p&^(1<<mixedGreaterTerminals)|1<<thirteenTerminals, true)
	}
}

// consider takes the reading with the given patterns if it is the best so far;
// ok reports whether its shape may win ([S] 3.3, 3.6, 3.7).
func (e *evaluation) consider(patterns uint64, ok bool) {
	patterns &= e.scorer.exists
	for _, rivals := range e.scorer.rivals[:e.scorer.numRivals] {
		if p := patterns & rivals; p&(p-1) != 0 {
			patterns = patterns&^p | e.highest(p)
		}
	}
	sum := 0
	for p := patterns; p != 0; p &= p - 1 {
		sum += e.worth(bits.TrailingZeros64(p))
	}
	points := sum
	switch alone := patterns & e.scorer.alone; {
	case alone != 0:
		patterns = e.highest(alone)
		sum = e.worth(bits.TrailingZeros64(patterns))
		points = sum
	case patterns == 0 && e.scorer.knobs.ChickenPoints > 0:
		patterns = 1 << chickenHand
		points = e.scorer.knobs.ChickenPoints
	case e.scorer.knobs.CompoundLimit != ruleset.NoLimit:
		points = min(points, int(e.scorer.knobs.CompoundLimit))
	}
	r := reading{uint64(points)<<32 | uint64(sum)<<1 | 1, patterns, int32(points), ok && points >= e.scorer.knobs.MinWin}
	if ok {
		r.key |= 1 << 63
	}
	if r.key > e.best.key || r.key == e.best.key && bits.Reverse64(r.patterns) > bits.Reverse64(e.best.patterns) {
		e.best = r
	}
}

// highest returns the pattern of a set that is worth most, of equals the first
// in the table.
func (e *evaluation) highest(set uint64) uint64 {
	best, most := uint64(0), -1
	for ; set != 0; set &= set - 1 {
		if n := e.worth(bits.TrailingZeros64(set)); n > most {
			best, most = set&-set, n
		}
	}
	return best
}

// worth returns the points of a pattern, those of value_honor for each set.
func (e *evaluation) worth(id int) int {
	n := int(e.scorer.points[id%numPatterns])
	if id == valueHonor {
		n *= e.honors
	}
	return n
}
