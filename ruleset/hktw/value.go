package hktw

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Scorer is a compiled Config of Hong Kong-style Taiwanese or of a Variant.
type Scorer struct {
	knobs   Config
	variant Variant
	values  [numAll]price
	exists  fans
	// pairs, disjoints and orphans report whether the special forms exist: lik gu,
	// sixteen disjoint, thirteen orphans.
	pairs, disjoints, orphans bool
	// absorbers are the fan that remove others, absorbed those they remove.
	absorbers     fans
	absorbed      [numAll]fans
	disjointSuits [512]disjointSuit
}

// price is what a fan counts: in open tiles, and in concealed ones.
type price struct{ open, concealed int16 }

// Compile returns the scorer for the knobs.
func (c *Config) Compile() ruleset.Scorer {
	s := c.scorer()
	// Without it the table stays empty, and consider drops nothing.
	if c.NoCompounding {
		s.fillAbsorbed()
	}
	return s
}

// scorer returns the scorer but for what fan remove.
func (c *Config) scorer() *Scorer {
	s := &Scorer{knobs: *c, disjointSuits: disjointSuits(c.DisjointMinGap)}
	for id := range numFans {
		s.values[id] = c.price(id)
		if !c.Patterns[id].IsOff() {
			s.exists.add(id)
		}
	}
	s.pairs, s.disjoints, s.orphans = s.exists.has(likGu), s.exists.has(sixteenDisjoint), s.exists.has(thirteenOrphans)
	// No hand is asked about the extra kan then: this settles mayBeExtra, which reads the knob
	// alone.
	if !s.orphans {
		s.knobs.OrphansKong = OrphansKongNone
	}
	// A price in patterns stands in place of the knob of its own (docs/rules/hktw.md).
	s.knobs.BaseFan, s.knobs.DealerItem = int(s.values[base].open), int(s.values[dealer].open)
	// Fan that are off need no test in play: their values and what belongs to them are nothing.
	if !s.exists.has(base) {
		s.knobs.BaseFan, s.knobs.FlowerWinBase = 0, false
	}
	if !s.exists.has(dealer) {
		s.knobs.DealerItem, s.knobs.DealerItemStreak = 0, 0
	}
	return s
}

// Patterns lists the fan in the order of the catalog.
func (s *Scorer) Patterns() []ruleset.Pattern { return patterns[:] }

// Liability returns nothing: no player is liable for another's hand ([H] 4.1).
func (s *Scorer) Liability([]hand.Meld) uint8 { return 0 }

// fanCount counts the fan of a reading: which there are, how often each counts at its open
// and its concealed value, and their sum.
type fanCount struct {
	scorer *Scorer
	fans   fans
	sum    int
	times  [numAll]instances
}

// instances is how often a fan counts at its open and at its concealed value.
type instances struct{ open, concealed uint8 }

// add counts a fan once at its open value.
func (t *fanCount) add(id int) { t.addTimes(id, 1, 0) }

func (t *fanCount) addIf(ok bool, id int) {
	if ok {
		t.add(id)
	}
}

// addTimes counts a fan so many times, some of them at its concealed value.
func (t *fanCount) addTimes(id, times, concealed int) {
	// Fan that are off are dropped here, so that no test of a fan needs to look at the prices.
	if times == 0 || !t.scorer.exists.has(id) {
		return
	}
	t.fans.add(id)
	// The remainder spares the check of the bounds: every id is below numAll.
	n, v := &t.times[id%numAll], &t.scorer.values[id%numAll]
	n.open += uint8(times - concealed)
	n.concealed += uint8(concealed)
	t.sum += (times-concealed)*int(v.open) + concealed*int(v.concealed)
}

// drop removes a fan that the fanCount has.
func (t *fanCount) drop(id int) {
	t.fans = t.fans.without(fansOf(id))
	n, v := &t.times[id%numAll], &t.scorer.values[id%numAll]
	t.sum -= int(n.open)*int(v.open) + int(n.concealed)*int(v.concealed)
	*n = instances{}
}

// count returns how often a fan counts at its open and its concealed value.
func (t *fanCount) count(id int) (open, concealed int) {
	n := &t.times[id%numAll]
	return int(n.open), int(n.concealed)
}

// before reports whether t is to be shown rather than u of the same total: its
// list of fan in the order of the catalog comes first, or at equal lists that
// with more concealed instances of the first fan in which they differ.
func (t *fanCount) before(u *fanCount) bool {
	// The first difference in how many are concealed decides only if the lists are equal to their
	// ends.
	hidden := 0
	for both := t.fans.or(u.fans); both != (fans{}); {
		var id int
		id, both = both.next()
		tOpen, tConcealed := t.count(id)
		uOpen, uConcealed := u.count(id)
		// The list that has fewer goes on with a later fan, or has ended and so
		// comes first.
		switch n := tOpen + tConcealed - uOpen - uConcealed; {
		case n > 0:
			return u.fans.and(both) != (fans{})
		case n < 0:
			return t.fans.and(both) == (fans{})
		}
		if hidden == 0 {
			hidden = tConcealed - uConcealed
		}
	}
	return hidden > 0
}

// reading is a way to look at a complete hand, if there is one.
type reading struct {
	fanCount
	found bool
}

// evaluation is a win being valued: what its readings have in common.
type evaluation struct {
	scorer    *Scorer
	win       *ruleset.Win
	melds     []hand.Meld
	held      tile.Set // kinds of the whole hand
	quads     tile.Set // kinds of which all four are held, not as a kan
	called    int      // melds with another player's tile
	kans      int
	concealed bool // neither chi nor pon was called, nor a kan that spoils it
	tail      int  // value of tail_chain
	chows     chows
	pungs     tile.Set // of the melds
	hidden    int      // melds that count among the concealed pungs
	waits     tile.Set // before the win, once looked for
	waitsDone bool
	isOrphans bool // the tiles are thirteen orphans

	common fanCount // fan of every reading
	whole  fanCount // and those of all tiles, for standard and lik gu readings
	sets   fanCount // and those of honors, for standard readings
}

// Value scores a complete hand ([H] 4.1): by its best standard reading, with a
// lik gu of the same tiles added, or by its best special form.
func (s *Scorer) Value(w *ruleset.Win, v *ruleset.Value) {
	*v = ruleset.Value{}
	// A win by flowers has no shape and takes no tile ([H] 2.10).
	if w.Flags&anyFlowerWin != 0 {
		s.flowerWin(w, v)
		return
	}
	e := evaluation{scorer: s, win: w, melds: w.Melds[:w.NumMelds]}
	e.common.scorer = s
	e.noteMelds()
	e.noteFlags()
	e.noteKinds()
	e.noteHonors()

	// Fan that all readings share are counted once, before the hand is divided; a reading begins with
	// a copy of the sums.
	var standard, special reading
	for d := range w.Hand.Divisions(numSets - int(w.NumMelds)) {
		e.divide(d, &standard)
	}
	// Looked for in the best standard reading alone ([H] 4.7): a poorer one that is a chicken, and so
	// worth more, does not count.
	if standard.found {
		e.chickenOrDuck(&standard)
	}
	e.special(standard.found, &special)
	v.Shape = standard.found || special.found
	// Where thirteen orphans alone may rob a closed kan, others may not.
	v.OK = v.Shape && (w.Flags&ruleset.FlagRobbingClosedKan == 0 || e.isOrphans || s.knobs.RobClosedKan == ruleset.RobClosedAlways)
	if !v.Shape {
		return
	}
	v.DealerItems = 1
	total := 0
	switch {
	case standard.found && special.found && s.knobs.LikGuDouble == LikGuSum:
		// The one case in which two readings add up ([H] 4.8). Base counts once.
		special.drop(base)
		total = standard.sum + special.sum
		if s.knobs.LikGuDoubleDealer {
			v.DealerItems = 2
		}
		e.report(v, &standard.fanCount, &special.fanCount)
	case special.found && (special.sum > standard.sum ||
		special.sum == standard.sum && special.before(&standard.fanCount)):
		total = special.sum
		e.report(v, &special.fanCount)
	default:
		total = standard.sum
		e.report(v, &standard.fanCount)
	}
	// The cap is on the hand. The dealer item, which finish adds, is not part of it.
	if s.knobs.FanCap != ruleset.NoLimit {
		total = min(total, int(s.knobs.FanCap))
	}
	s.finish(w, v, total)
}

// finish enters the total, and the dealer item where w says that it applies.
func (s *Scorer) finish(w *ruleset.Win, v *ruleset.Value, total int) {
	// The dealer item belongs to the payments and does not help to reach the minimum ([H] 4.9).
	v.OK = v.OK && total >= s.knobs.MinWin
	v.Base = int32(total)
	v.Points = v.Base
	if w.Dealer && s.exists.has(dealer) {
		item := s.dealerItem(int(w.Streak))
		for range v.DealerItems {
			v.Add(dealer, int16(item))
			v.Points += int32(item)
		}
	}
}

// dealerItem returns what is added once between the dealer and another ([H] 4.9).
func (s *Scorer) dealerItem(streak int) int {
	return s.knobs.DealerItem + streak*s.knobs.DealerItemStreak
}

// report lists the fan of the readings in v, in the order of the catalog.
func (e *evaluation) report(v *ruleset.Value, readings ...*fanCount) {
	for _, t := range readings {
		for set := t.fans; set != (fans{}); {
			var id int
			id, set = set.next()
			open, concealed := t.count(id)
			// A row for each instance, since a reader adds the rows up.
			for range concealed {
				v.Add(uint8(id), e.scorer.values[id%numAll].concealed)
			}
			for range open {
				worth := e.scorer.values[id%numAll].open
				if id == tailChain { // its value depends on the length of the chain
					worth = int16(e.tail)
				}
				v.Add(uint8(id), worth)
			}
		}
	}
}

// consider drops the fan of t that others absorb and takes t if it is better than
// the best reading so far ([H] 4.4, 4.6).
func (e *evaluation) consider(t *fanCount, best *reading) {
	// All that is absorbed is collected before any is dropped: a fan that is itself absorbed still
	// absorbs ([H] 4.6), so the order of the rows does not matter.
	var absorbed fans
	for set := t.fans.and(e.scorer.absorbers); set != (fans{}); {
		var id int
		id, set = set.next()
		absorbed = absorbed.or(e.scorer.absorbed[id%numAll])
	}
	// The one row that depends on the others: where another fan implies concealed, self_draw counts
	// and not the two together.
	if e.scorer.variant.ConcealedWithSelfDraw && t.fans.has(concealedSelfDraw) {
		if absorbed.has(concealed) {
			t.drop(concealedSelfDraw)
		} else {
			absorbed = absorbed.or(fansOf(concealed, selfDraw))
		}
	}
	for set := t.fans.and(absorbed); set != (fans{}); {
		var id int
		id, set = set.next()
		t.drop(id)
	}
	// Readings of equal worth are shown by one order, so that a hand has one list of fan.
	if !best.found || t.sum > best.sum || t.sum == best.sum && t.before(&best.fanCount) {
		*best = reading{*t, true}
	}
}

const anyFlowerWin = ruleset.FlagFlowerWin8 | ruleset.FlagFlowerWin7

// flowerWin scores a win by flowers alone ([H] 2.10).
func (s *Scorer) flowerWin(w *ruleset.Win, v *ruleset.Value) {
	v.Shape, v.OK, v.FlowerWin = true, true, true
	total := 0
	if s.knobs.FlowerWinBase {
		v.Add(base, s.values[base].open)
		total += s.knobs.BaseFan
	}
	id := twoFlowerSets
	if w.Flags&ruleset.FlagFlowerWin7 != 0 {
		id = sevenRobOne
	}
	if s.exists.has(id) {
		v.Add(uint8(id), s.values[id].open)
		total += int(s.values[id].open)
	}
	if s.knobs.FlowerWinDealer {
		v.DealerItems = 1
	}
	s.finish(w, v, total)
}

func (e *evaluation) noteMelds() {
	h := &e.win.Hand
	e.held = h.Kinds()
	e.concealed = true // until a meld spoils it: the hand is concealed whoever gives the last tile
	e.quads = h.AtLeast(4)
	if len(e.melds) == 0 {
		return
	}
	var laid tile.Copies // kinds of which more than i tiles lie in melds but kans
	closed := 0
	for i := range e.melds {
		m := &e.melds[i]
		bit := m.Kind.Bit()
		// A chi is three kinds from its lowest; 7 is three neighboring bits.
		if m.Type == hand.Chi {
			e.chows.all.Add(bit)
			e.held |= 7 * bit
			laid.Add(7 * bit)
		} else {
			e.pungs |= bit
			e.held |= bit
		}
		switch m.Type {
		case hand.ClosedKan:
			closed++
			// Which kans leave a hand concealed is a knob ([H] 4.2).
			e.concealed = e.concealed && e.scorer.knobs.ConcealedKongs != ruleset.KongsNone
		case hand.OpenKan:
			e.called++
			e.concealed = e.concealed && e.scorer.knobs.ConcealedKongs == ruleset.KongsAny
		default:
			e.called++
			e.concealed = false
		}
		switch {
		case m.Type == hand.Pon:
			for range 3 {
				laid.Add(bit)
			}
		case m.Type.IsKan():
			e.kans++
			if e.scorer.knobs.OpenKongConcealed || m.Type == hand.ClosedKan {
				e.hidden++
			}
		}
	}
	// Four of a kind, some of them in melds: three in the hand and one laid, and so on. Kans are
	// left out of laid, since a kan is no return ([H] 4.5.8).
	e.quads |= h.AtLeast(3)&laid[0] | h.AtLeast(2)&laid[1] | h.Kinds()&laid[2] | laid[3]
	e.common.addTimes(kong, e.kans, closed)
}

// noteFlags notes what does not depend on the tiles ([H] 4.5.1-4.5.3).
func (e *evaluation) noteFlags() {
	w, t := e.win, &e.common
	is := func(f ruleset.Flags) bool { return w.Flags&f != 0 }
	t.add(base)
	t.addIf(e.concealed, concealed)
	t.addIf(w.SelfDraw, selfDraw)
	t.addIf(w.SelfDraw && e.concealed, concealedSelfDraw)
	if e.called == numSets && (e.kans == 0 || e.scorer.knobs.BeggingOpenKong) {
		t.addIf(w.SelfDraw, halfBegging)
		t.addIf(!w.SelfDraw, allBegging)
	}
	// The counts are nested; the table of absorption leaves the best ([H] 4.6).
	if w.Discards != ruleset.NoCount {
		t.addIf(w.Discards <= 10, withinTen)
		t.addIf(w.Discards <= 7, withinSeven)
		t.addIf(w.Discards <= 4, withinFour)
	}
	if w.SelfDraw && w.TailDraws >= 2 {
		e.addTailChain(t, int(w.TailDraws)-2)
	}
	e.noteFlowers()
	// Most hands have no flag: this spares a score of tests.
	if w.Flags == 0 {
		return
	}
	t.addIf(is(ruleset.FlagReady), ready)
	t.addIf(is(ruleset.FlagReady) && e.concealed, concealedReady)
	t.addIf(is(ruleset.FlagReadyHuman), readyHuman)
	t.addIf(is(ruleset.FlagReadyEarth), readyEarth)
	t.addIf(is(ruleset.FlagReadyHeaven), readyHeaven)
	t.addIf(is(ruleset.FlagIppatsu), oneShot)
	t.addIf(is(ruleset.FlagLastTile) && (w.SelfDraw || e.scorer.knobs.LastTileScope == LastDrawAndDiscard), lastTile)
	t.addIf(is(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan), robbingKong)
	t.addIf(is(ruleset.FlagAfterFlower), flowerDraw)
	t.addIf(is(ruleset.FlagAfterKan), kongDraw)
	t.addIf(is(ruleset.FlagDoubleWin), doubleWin)
	t.addIf(is(ruleset.FlagTripleWin), tripleWin)
	t.addIf(is(ruleset.FlagHeavenly), heavenlyWin)
	t.addIf(is(ruleset.FlagEarthly), earthlyWin)
	byDraw, byDiscard := e.scorer.knobs.HumanWinScope != HumanDiscard, e.scorer.knobs.HumanWinScope != HumanSelfDraw
	t.addIf(is(ruleset.FlagHuman) && (w.SelfDraw && byDraw || !w.SelfDraw && byDiscard), humanWin)
	t.addIf(is(ruleset.FlagLastCopy), fourthCopy)
	t.addIf(is(ruleset.FlagSoleLive), trueLast)
}

// addTailChain counts two replacement tiles in one turn and so many more.
func (e *evaluation) addTailChain(t *fanCount, more int) {
	t.add(tailChain)
	two := int(e.scorer.values[tailChain].open)
	if e.scorer.knobs.TailChainFormula == TailDouble {
		e.tail = two << more
	} else {
		e.tail = two * (more + 1)
	}
	// The fan may be off, and its value for two is in the sum already.
	if t.fans.has(tailChain) {
		t.sum += e.tail - two
	}
}

// Flowers as bits: 1f-4f the seasons, 5f-8f the plants. Each wind has one of either, North the
// last.
const (
	seasons     uint8 = 0x0f
	plants      uint8 = 0xf0
	eastFlowers uint8 = 0x11
)

func (e *evaluation) noteFlowers() {
	t, single := &e.common, e.win.Flowers
	if single == 0 {
		t.add(noFlowers)
		return
	}
	// All eight contain both sets and all single flowers ([H] 4.5.3). Where two_flower_sets is off,
	// or this family counts each flower, the two sets count instead.
	if single == seasons|plants && !e.scorer.variant.EachCounts && e.scorer.exists.has(twoFlowerSets) {
		t.add(twoFlowerSets)
		return
	}
	for _, set := range [...]uint8{seasons, plants} {
		if single&set == set {
			t.add(oneFlowerSet)
			single &^= set
		}
	}
	// The flowers of a set count neither as flowers nor as proper ones, unless the family's rules
	// let them.
	proper := single
	if e.scorer.variant.EachCounts {
		single = e.win.Flowers
		if e.scorer.variant.SetKeepsProper {
			proper = single
		}
	}
	t.addTimes(flower, bits.OnesCount8(single), 0)
	t.addTimes(properFlower, bits.OnesCount8(proper&(eastFlowers<<e.win.SeatWind)), 0)
}

// fives are the fives of every suit.
const fives = tile.Ones << 4

// types returns which of the five types of tiles there are among some kinds, one
// bit each.
func types(kinds tile.Set) (set uint8) {
	for i, of := range [...]tile.Set{tile.Ranks, tile.Ranks << dots, tile.Ranks << bamboo, tile.Winds, tile.Dragons} {
		if kinds&of != 0 {
			set |= 1 << i
		}
	}
	return set
}

const (
	allTypes  uint8 = 0x1f
	suitTypes uint8 = 0x07
)

// noteKinds notes what follows from the kinds of the whole hand ([H] 4.5.4,
// 4.5.5).
func (e *evaluation) noteKinds() {
	e.whole = e.common
	t := &e.whole
	honors, suited := e.held&tile.HonorSet, e.held&tile.Suited
	suits := bits.OnesCount8(types(suited))
	orphans := e.held&tile.Simples == 0
	// Each fan has one of two branches: what excludes honors is not asked of a hand with honors.
	if honors == 0 {
		t.add(noHonors)
		t.addIf(e.win.Flowers == 0, noHonorsNoFlowers)
		t.addIf(suits == 1, fullFlush)
		t.addIf(suited&tile.Terminals == 0, allSimples)
		t.addIf(orphans, pureTerminals)
	} else {
		t.addIf(suits == 0, allHonors)
		t.addIf(suits == 1, halfFlush)
		t.addIf(orphans && suits > 0, mixedTerminals)
	}
	t.addIf(suits == 2 && (honors == 0 || e.scorer.knobs.MissingSuitHonors), missingSuit)
	t.addIf(suited&fives == 0 && (honors == 0 || e.scorer.knobs.MissingFiveHonors), missingFive)
}

// noteHonors notes the pungs and the pair of honors, which are the same in
// every standard reading ([H] 4.5.4).
func (e *evaluation) noteHonors() {
	e.sets = e.whole
	t, h := &e.sets, &e.win.Hand
	pungs := (h.AtLeast(3) | e.pungs) & tile.HonorSet
	if pungs == 0 {
		return
	}
	// In a standard reading two equal honors can only be the pair, and three only a pung: honors
	// have no sequences.
	pair := h.AtLeast(2) &^ h.AtLeast(3)
	winds, dragons := pungs&tile.Winds, pungs&tile.Dragons
	// The pungs that count, and those that count as proper. A pung of the seat or round wind is not
	// implied by three winds, so it stays proper beside them; by four winds it is ([H] 4.5.4).
	each, proper := pungs, pungs
	if id := windFan(winds, pair); id >= 0 {
		t.add(id)
		if e.absorbs(id) && !e.scorer.variant.HonorSetsKeep {
			each &^= winds
			if id == bigFourWinds || !e.scorer.knobs.ProperUnderWinds {
				proper &^= winds
			}
		}
	}
	if id := dragonFan(dragons, pair); id >= 0 {
		t.add(id)
		if e.absorbs(id) && !e.scorer.variant.HonorSetsKeep {
			each &^= dragons
			proper &^= dragons
		}
	}
	if e.scorer.variant.EachCounts {
		t.addTimes(honorPung, pungs.Len(), 0)
		t.addIf(proper.Has(e.win.SeatWind.Kind()), seatWind)
		t.addIf(proper.Has(e.win.RoundWind.Kind()), prevalentWind)
		t.addTimes(dragonPung, (proper & tile.Dragons).Len(), 0)
		return
	}
	t.addTimes(honorPung, each.Len(), 0)
	t.addTimes(properHonor, e.proper(proper), 0)
}

// proper returns how often pungs of honors count as proper: those of the seat
// wind, of the round wind and of dragons.
func (e *evaluation) proper(pungs tile.Set) int {
	n := (pungs & e.win.SeatWind.Kind().Bit()).Len() + (pungs & e.win.RoundWind.Kind().Bit()).Len()
	if e.scorer.knobs.DragonIsProper {
		n += (pungs & tile.Dragons).Len()
	}
	return n
}

// dragonFan returns the combination that dragon pungs make with the pair, or -1.
func dragonFan(pungs, pair tile.Set) int {
	switch {
	case pungs == tile.Dragons:
		return bigThreeDragons
	case pungs.Len() == 2 && pair&tile.Dragons != 0:
		return smallThreeDragons
	}
	return -1
}

// windFan returns the combination that wind pungs make with the pair, or -1.
func windFan(pungs, pair tile.Set) int {
	n, withPair := pungs.Len(), pair&tile.Winds != 0
	switch {
	case n == 4:
		return bigFourWinds
	case n == 3 && withPair:
		return smallFourWinds
	case n == 3:
		return bigThreeWinds
	case n == 2 && withPair:
		return smallThreeWinds
	}
	return -1
}

// absorbs reports whether a fan that a reading has takes others away.
func (e *evaluation) absorbs(id int) bool {
	return e.scorer.knobs.NoCompounding && e.scorer.exists.has(id)
}

// isOnlyWait reports whether the hand waited for one kind alone ([H] 4.5.8).
func (e *evaluation) isOnlyWait() bool {
	if !e.waitsDone {
		// Waits are the same for all readings, so they are looked for once, and only where a reading
		// completes a single place.
		h := e.win.Hand
		// By waits that are live: a kind of which the hand has all four is no other wait ([H]
		// 4.5.8).
		h.Remove(e.win.Tile)
		waits := e.scorer.waits(&h, e.melds)
		e.waits = ruleset.LiveWaits(waits, &h, e.melds, ruleset.LiveConcealedAndMelds)
		e.waitsDone = true
	}
	return e.waits.Len() == 1
}

// events are the fan of circumstances that chicken_ignores_events overlooks.
var events = fansOf(ready, concealedReady, oneShot, lastTile, robbingKong, flowerDraw, kongDraw, tailChain,
	doubleWin, tripleWin, withinTen, withinSeven, withinFour, humanWin, earthlyWin, heavenlyWin,
	readyHuman, readyEarth, readyHeaven, fourthCopy, trueLast)

// chickenOrDuck adds big_chicken or big_duck to the best standard reading if a
// flower or the lack of flowers is all it has ([H] 4.7).
func (e *evaluation) chickenOrDuck(r *reading) {
	// What is absorbed has been dropped, so rest is all that the hand has besides.
	rest := r.fans.without(fansOf(base, selfDraw))
	switch {
	// A concealed hand is no chicken even where an event has absorbed the fan of it.
	case e.scorer.knobs.ChickenIgnoresEvents && !e.concealed:
		rest = rest.without(events)
	case e.win.SelfDraw && !r.fans.has(selfDraw):
		return // a fan of the way of winning has absorbed it, and spoils the duck
	}
	switch {
	case rest == fansOf(noFlowers) && e.scorer.knobs.ChickenNoFlowers:
	case rest == fansOf(flower) && r.times[flower] == instances{open: 1}:
	default:
		return
	}
	id := bigChicken
	if e.win.SelfDraw {
		id = bigDuck
	}
	if !e.scorer.exists.has(id) {
		return
	}
	r.add(id)
	if id == bigDuck && !e.scorer.knobs.DuckKeepsSelfDraw && r.fans.has(selfDraw) {
		r.drop(selfDraw)
	}
}
