package mcr

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// scorer is a compiled Config.
type scorer struct {
	knobs Config
	book  book
	// kongs holds the fan of melded and concealed kongs by their numbers.
	kongs [5][5]kongFans
	// off are the fan that do not exist; the shapes report whether seven pairs,
	// thirteen orphans, honors and knitted tiles, and knitted straights do.
	off                              bag
	pairs, orphans, honors, straight bool
	// plans are the ways to combine chows if fan have other prices than the
	// listed ones, nil otherwise.
	plans *chowPlans
}

// kongFans is what some kongs score, and the least number of concealed pungs,
// kongs included, that score besides.
type kongFans struct {
	fans  bag
	least int
}

// Compile returns the scorer for the knobs.
func (c *Config) Compile() ruleset.Scorer {
	chowOnce.Do(fillChows)
	s := &scorer{knobs: *c}
	adjusted := table
	for i := range adjusted {
		r := &adjusted[i]
		switch {
		case r.fan.majors == twoConcealedKongs:
			r.points = c.TwoConcealedKongs
		case r.fan.minors == mixedKongs:
			r.points = c.MixedKongs
		case r.fan.majors == allGreen && !c.GreenHalfFlush:
			r.excludes.majors |= halfFlush
		case r.fan.majors == allTerminals && !c.TerminalDoublePung:
			r.excludes.minors |= every(doublePung)
		case r.fan.majors == nineGates && c.NineGatesPungs == AbsorbAllPungs:
			r.excludes.minors |= every(pungOfTerminalsOrHonors)
		case i == flowerTiles:
			r.points = c.FlowerPoints
		}
		switch p := c.Patterns[i]; {
		case p.IsOff():
			r.points, r.excludes = 0, bag{}
			s.off = s.off.and(bag{r.fan.majors, every(r.fan.minors)})
		case p.IsGiven():
			r.points = int(p.Closed)
		}
		if i != flowerTiles && c.Patterns[i] != (ruleset.Price{}) {
			s.plans = allChowPlans()
		}
		if r.fan.minors == mixedKongs {
			s.knobs.MixedKongs = r.points
		}
	}
	s.knobs.FlowerPoints = adjusted[flowerTiles].points
	s.knobs.Chicken = s.knobs.Chicken && s.off.majors&chickenHand == 0
	s.pairs = s.off.majors&sevenPairs == 0
	s.orphans = s.off.majors&thirteenOrphans == 0
	s.honors = s.off.majors&lesserHonorsAndKnittedTiles == 0
	s.straight = s.off.majors&knittedStraight == 0
	s.book = newBook(adjusted[:])
	for melded := range s.kongs {
		for concealed := range s.kongs[melded] {
			s.kongs[melded][concealed] = s.kongFans(melded, concealed)
		}
	}
	return s
}

// kongFans returns the fan of kongs (GB06 3.8.1, fan 5, 17, 48, 57, 67 and 74),
// with what concealed ones among three or four add (D4). Where a fan of several
// kongs does not exist, the next lower one counts, and at last each kong.
func (s *scorer) kongFans(melded, concealed int) kongFans {
	k := kongFans{least: 2}
	f := &k.fans
	each := func(melded, concealed int) {
		f.minors += minors(melded)*meldedKong + minors(concealed)*concealedKong
	}
	ofTwo := func() {
		if concealed == 2 && s.off.majors&twoConcealedKongs == 0 {
			f.majors |= twoConcealedKongs
			k.least = 3
		} else {
			each(0, concealed)
		}
	}
	many := majors(0)
	switch total := melded + concealed; {
	case total == 4 && s.off.majors&fourKongs == 0:
		many = fourKongs
	case total >= 3 && s.off.majors&threeKongs == 0:
		many = threeKongs
	}
	switch {
	case many != 0:
		f.majors = many
		if s.knobs.KongConcealment == KongsWMO && concealed <= 2 {
			ofTwo()
		}
	case melded == 2 && concealed == 0 && s.off.minors&twoMeldedKongs == 0:
		f.minors = twoMeldedKongs
	case melded == 1 && concealed == 1 && s.knobs.MixedKongs > 0:
		f.minors = mixedKongs
	default:
		each(melded, 0)
		ofTwo()
	}
	return k
}

// Patterns lists the fan by their numbers; one melded and one concealed kong
// follow fan 57.
func (s *scorer) Patterns() []ruleset.Pattern { return patterns[:] }

// evaluation is a win being valued: what all its readings have in common, and
// the best reading so far.
type evaluation struct {
	scorer *scorer
	win    *ruleset.Win
	before hand.Hand // the concealed tiles without the winning one
	kinds  tile.Set  // of the whole hand
	four   tile.Set  // kinds of which the whole hand has all four, kongs included
	hogs   int       // kinds of which it has all four and no kong

	// The melds.
	chows     [4]chow
	numChows  int
	runs      tile.Set // chows by their lowest kind
	triplets  tile.Set // pungs and kongs
	concealed int      // kongs
	exposed   int

	// Fan of every reading: of the kinds of tiles, of the manner of winning, of
	// the kongs.
	composition bag
	manner      bag
	kong        *kongFans

	unique   uniqueness
	best     bag
	points   int
	complete bool
}

// uniqueness reports whether a hand waited for one kind alone.
type uniqueness uint8

const (
	notAsked uniqueness = iota
	isUnique
	notUnique
)

// Value scores a complete hand by the best of its readings (GB06 3.9.1: freedom
// to choose the highest). Of readings with equal points it takes the one whose
// list of fan by number, with repetitions, comes first.
func (s *scorer) Value(w *ruleset.Win, v *ruleset.Value) {
	e := evaluation{scorer: s, win: w, before: w.Hand}
	e.before.Remove(w.Tile)
	e.noteMelds()
	e.noteFlags()
	e.noteKinds()

	for d := range w.Hand.Divisions(4 - int(w.NumMelds)) {
		e.standard(d)
	}
	if w.NumMelds <= 1 && e.scorer.straight {
		e.knittedStraight()
	}
	if w.NumMelds == 0 && w.Hand.Len() == 14 {
		e.sevenPairs()
		e.thirteenOrphans()
		e.honorsAndKnitted()
	}
	e.report(v)
}

func (e *evaluation) noteMelds() {
	h := &e.win.Hand
	e.kinds = h.Kinds()
	e.chows = [4]chow{noChow, noChow, noChow, noChow}
	twice, thrice, all := h.AtLeast(2), h.AtLeast(3), h.AtLeast(4)
	melded := 0
	for i := range e.win.NumMelds {
		m := &e.win.Melds[i%hand.MaxMelds]
		bit := m.Kind.Bit()
		if m.IsOpen() {
			e.exposed++
		}
		switch {
		case m.Type == hand.Chi:
			e.chows[e.numChows&3] = chowOf[m.Kind&31]
			e.numChows++
			e.runs |= bit
			tiles := 7 * bit
			all |= thrice & tiles
			thrice |= twice & tiles
			twice |= e.kinds & tiles
			e.kinds |= tiles
			continue
		case m.Type == hand.Pon:
			all |= e.kinds & bit
			thrice |= bit
			twice |= bit
		default:
			e.four |= bit
			if m.Type == hand.ClosedKan {
				e.concealed++
			} else {
				melded++
			}
		}
		e.kinds |= bit
		e.triplets |= bit
	}
	e.kong = &e.scorer.kongs[melded%5][e.concealed%5]
	e.four |= all
	if !e.scorer.knobs.HonorHogs {
		all &= tile.Suited
	}
	e.hogs = all.Len()
}

// noteFlags notes the fan of how the hand was won (GB06 3.8.1, fan 44-47, 53,
// 56, 58, 62 and 80).
func (e *evaluation) noteFlags() {
	w, m := e.win, &e.manner
	switch {
	case w.SelfDraw:
		m.minors |= selfDrawn
		if e.exposed == 0 {
			m.minors |= fullyConcealedHand
		}
	case e.exposed == 0:
		m.minors |= concealedHand
	case e.exposed == 4:
		m.majors |= meldedHand
	}
	if w.Flags == 0 {
		return
	}
	if w.Flags&ruleset.FlagLastCopy != 0 {
		m.minors |= lastOfKindTile
	}
	last, kong := lastTileClaim, majors(0)
	if w.Flags&(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan) != 0 {
		kong = robbingTheKong
	}
	if w.SelfDraw {
		last, kong = lastTileDraw, 0
		if w.Flags&ruleset.FlagAfterKan != 0 {
			kong = outWithReplacementTile
		}
		if e.hasNoTile() {
			e.unique = notUnique
		}
	}
	m.majors |= kong
	if w.Flags&ruleset.FlagLastTile != 0 {
		m.majors |= last
	}
}

// hasNoTile reports whether none of the tiles dealt to the dealer counts as the
// winning one (D21).
func (e *evaluation) hasNoTile() bool {
	return e.win.Flags&ruleset.FlagHeavenly != 0 && e.scorer.knobs.InitialWinTile == NoInitialWinTile &&
		e.scorer.knobs.DealerExtraTile == ruleset.ExtraDealt
}

// special returns the manner of winning of a hand that is concealed by nature
// (D3). The fan of such hands exclude concealed hand themselves.
func (e *evaluation) special() bag {
	m := e.manner
	if e.scorer.knobs.SpecialSelfDraw == SpecialSelfDrawn {
		m.minors &^= fullyConcealedHand
	}
	return m
}

// standard considers a division into four sets and a pair. The winning tile may
// have completed any concealed set, or the pair, that holds its kind: a chow
// where possible, since that takes away no concealed pung, and the wait of the
// lowest number if it was the only one.
func (e *evaluation) standard(d hand.Division) {
	chows, n := e.chows, e.numChows
	triplets, concealed := e.triplets|d.Triplets(), e.concealed+d.Triplets().Len()
	own := d.Runs() // concealed chows
	add := func(starts tile.Set) {
		for ; starts != 0; starts = starts.Rest() {
			chows[n&3] = chowOf[starts.First()&31]
			n++
		}
	}
	add(own)
	if d.RunsTwice() != 0 {
		var all tile.Copies
		d.AddRuns(&all)
		for _, starts := range all[1:] {
			add(starts)
		}
	}
	b := e.composition.and(e.kong.fans)
	b.minors += minors(e.hogs) * tileHog
	switch n {
	case 4:
		if !d.Pair.IsHonor() {
			b.minors |= allChows
		}
	case 0:
		b.majors |= allPungs
		if (triplets|d.Pair.Bit())&^evens == 0 {
			b.majors |= allEvenPungs
		}
	}
	b = b.and(edges(own|e.runs, triplets|d.Pair.Bit()))
	if e.scorer.plans != nil {
		e.plan(b, chows, own, triplets, concealed, d.Pair)
		return
	}

	wait, claimed := e.wait(own, d.Pair)
	if claimed {
		concealed--
	}
	if wait != 0 && e.isUnique() {
		b.minors |= wait
	}
	if n > 1 {
		b = b.and(chowsAndPair(chows, d.Pair))
	}
	b = b.and(e.tripletFans(triplets, d.Pair))
	e.consider(e.withManner(b, concealed))
}

// withManner adds the fan of the manner of winning, and of concealed pungs, to
// those of a reading.
func (e *evaluation) withManner(b bag, concealed int) bag {
	if concealed >= e.kong.least {
		b = b.and(e.scorer.concealedPungs(concealed, e.kong.least))
	}
	if b.majors&(nineGates|fourConcealedPungs) != 0 {
		return b.and(e.special())
	}
	return b.and(e.manner)
}

// wait returns the fan of the wait if it was the only one, where own are the
// concealed chows, and whether the winning tile completed a pung that counts as
// melded (D11).
func (e *evaluation) wait(own tile.Set, pair tile.Kind) (fan minors, claimed bool) {
	t := e.win.Tile.Bit()
	switch {
	case own&(t>>2)&firstRuns|own&t&lastRuns != 0:
		return edgeWait, false
	case own&(t>>1) != 0:
		return closedWait, false
	case pair == e.win.Tile:
		return singleWait, false
	case own&(t|t>>2) != 0:
		return 0, false
	}
	return 0, !e.win.SelfDraw && e.scorer.knobs.ClaimedPung == ClaimedMelded
}

// isUnique reports whether the hand waited for one kind alone to be complete as
// four sets and a pair or as seven pairs, whatever it would be worth.
func (e *evaluation) isUnique() bool {
	if e.unique == notAsked {
		waits := e.before.Waits(4 - int(e.win.NumMelds))
		if e.win.NumMelds == 0 && e.scorer.pairs {
			waits |= e.scorer.pairsWaits(&e.before)
		}
		e.unique = notUnique
		if e.isOne(waits) {
			e.unique = isUnique
		}
	}
	return e.unique == isUnique
}

// isOne reports whether waits, the winning kind among them, are one kind. Those
// of which the own hand holds all four are counted or not (D12).
func (e *evaluation) isOne(waits tile.Set) bool {
	if !e.scorer.knobs.ExhaustedWaits {
		waits &^= e.four &^ e.win.Tile.Bit()
	}
	return waits.Rest() == 0
}

// knittedStraight considers a knitted straight with one set and a pair (fan 35).
func (e *evaluation) knittedStraight() {
	kinds := body(e.win.Hand.Kinds())
	if kinds == 0 {
		return
	}
	rest := without(&e.win.Hand, kinds)
	shared := e.kong.fans.and(e.manner)
	shared.majors |= knittedStraight | e.composition.majors&allTypes
	shared.minors += e.composition.minors&noHonors + minors(e.hogs)*tileHog

	for d := range rest.Divisions(1 - int(e.win.NumMelds)) {
		b := shared
		own, triplets := d.Runs(), e.triplets|d.Triplets()
		if triplets == 0 && !d.Pair.IsHonor() {
			b.minors |= allChows
		}
		b = b.and(e.tripletFans(triplets, d.Pair))
		if e.scorer.plans != nil {
			e.planBeside(b, own, d.Pair, kinds, &rest)
			continue
		}
		if wait, _ := e.wait(own, d.Pair); wait != 0 && e.isUniqueBeside(kinds, &rest) {
			b.minors |= wait
		}
		e.consider(b)
	}
}

// isUniqueBeside reports whether the tiles beside a knitted straight waited for
// one kind alone, and for the winning one (D9).
func (e *evaluation) isUniqueBeside(kinds tile.Set, rest *hand.Hand) bool {
	t := e.win.Tile
	if e.scorer.knobs.KnittedWaits == NoKnittedWait || e.scorer.knobs.KnittedWaits == WaitOutsideBody && kinds.Has(t) || e.hasNoTile() {
		return false
	}
	before := *rest
	before.Remove(t)
	return e.isOne(before.Waits(1 - int(e.win.NumMelds)))
}

// sevenPairs considers seven pairs (fan 6 and 19).
func (e *evaluation) sevenPairs() {
	h := &e.win.Hand
	if !e.scorer.pairs || e.scorer.pairsShanten(h) >= 0 {
		return
	}
	b := bag{majors: sevenPairs}
	first := e.kinds.First()
	if first < tile.East && first.Rank() <= 2 && e.kinds>>first == 0x7f && e.scorer.off.majors&sevenShiftedPairs == 0 {
		b.majors = sevenShiftedPairs
	}
	if e.scorer.knobs.PairsComposition {
		b = b.and(e.composition)
	}
	hogs := e.hogs
	if hogs > 0 && b.majors&(allGreen|allTerminals) != 0 && e.scorer.knobs.InevitableHog == AbsorbOneHog {
		hogs--
	}
	b.minors += minors(hogs) * tileHog
	e.consider(b.and(e.special()))
}

// thirteenOrphans considers the thirteen orphans (fan 7).
func (e *evaluation) thirteenOrphans() {
	if e.scorer.orphans && e.win.Hand.OrphansShanten() < 0 {
		e.consider(e.special().and(bag{majors: thirteenOrphans}))
	}
}

// honorsAndKnitted considers fourteen different honors and knitted tiles (fan 20
// and 34).
func (e *evaluation) honorsAndKnitted() {
	if !e.scorer.honors || honorsAndKnittedShanten(&e.win.Hand) >= 0 {
		return
	}
	b := e.special()
	switch suited := e.kinds & tile.Suited; {
	case suited.Len() == 7 && e.scorer.off.majors&greaterHonorsAndKnittedTiles == 0:
		b.majors |= greaterHonorsAndKnittedTiles
	case suited.Len() == 9 && e.scorer.knobs.LesserStraight:
		b.majors |= lesserHonorsAndKnittedTiles | knittedStraight
	default:
		b.majors |= lesserHonorsAndKnittedTiles
	}
	e.consider(b)
}

// consider takes the reading with the given fan if it is the best so far.
func (e *evaluation) consider(held bag) { e.rate(held.without(e.scorer.off), e.scorer.knobs.Chicken) }

// rate does so with fan that all exist; chicken reports whether the hand is a
// chicken hand if it has none.
func (e *evaluation) rate(held bag, chicken bool) {
	b := e.scorer.book.counted(held)
	if b == (bag{}) && chicken {
		b.majors = chickenHand
	}
	points := e.scorer.book.worth(b)
	if !e.complete || points > e.points || points == e.points && b.before(e.best) {
		e.best, e.points, e.complete = b, points, true
	}
}

// report writes the best reading, and the flowers, to v.
func (e *evaluation) report(v *ruleset.Value) {
	flowers := bits.OnesCount8(e.win.Flowers) * e.scorer.knobs.FlowerPoints
	v.Shape, v.OK = e.complete, false
	v.Han, v.Fu, v.Yakuman, v.Base = 0, 0, 0, 0
	v.Points, v.NumPatterns = 0, 0
	if !e.complete {
		return
	}
	e.scorer.book.list(e.best, v)
	if flowers > 0 {
		v.Add(uint8(flowerTiles), int16(flowers))
	}
	v.Points = int32(e.points + flowers)
	counting := e.points
	if e.scorer.knobs.FlowersInMinimum {
		counting += flowers
	}
	// Only thirteen orphans may rob a concealed kong.
	v.OK = counting >= e.scorer.knobs.MinWin &&
		(e.win.Flags&ruleset.FlagRobbingClosedKan == 0 || e.best.majors&thirteenOrphans != 0)
}
