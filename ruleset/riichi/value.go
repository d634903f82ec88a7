package riichi

import (
	"math"
	"math/bits"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
)

// evaluation is a win being valued: what all its readings have in common, and
// the best reading so far.
type evaluation struct {
	*scorer
	win     *ruleset.Win
	open    int      // 1 if some meld shows another player's tile
	kinds   tile.Set // of the whole hand
	runs    tile.Set // melded sequences by their lowest kind
	trips   tile.Set // melded triplets and quads
	ankans  int
	fu      uint8  // of the melds and of the way of winning
	yaku    uint64 // ordinary yaku of every reading
	yakuman uint64 // yakuman of every reading
	// extra is the han of dora, red fives and ura dora.
	extra [3]int
	best  reading
}

// reading is one way to look at a complete hand. A yakuman has no ordinary yaku
// and the other way round.
type reading struct {
	// key orders readings; 0 means none.
	key      uint64
	patterns uint64
	points   int32
	base     int32
	han, fu  uint8
	multiple uint8
	ok       bool
}

// Value scores a complete hand by its best reading, the one that pays most
// among those that may win (S4 4.3.3, S0 settle 10). Readings that pay the same
// are told apart by han and fu, yakuman by the number of patterns, then by the
// order in which the rules list them.
func (s *scorer) Value(w *ruleset.Win, v *ruleset.Value) {
	e := evaluation{scorer: s, win: w}
	e.lookAtMelds()
	e.lookAtKinds()
	e.lookAtFlags()
	e.countDora()

	for d := range w.Hand.Divisions(4 - int(w.NumMelds)) {
		e.standard(d)
	}
	if w.NumMelds == 0 {
		switch {
		case e.pairs && w.Hand.PairsShanten() < 0:
			e.consider(e.yaku|1<<chiitoitsu, e.yakuman, 25)
		case e.scorer.orphans && w.Hand.OrphansShanten() < 0:
			e.thirteenOrphans()
		}
	}
	if e.Renhou == RenhouFlat && e.best.key != 0 && e.isHuman() {
		e.flatRenhou()
	}
	e.report(v)
}

func (e *evaluation) lookAtMelds() {
	e.kinds = e.win.Hand.Kinds()
	e.fu = 20
	kans := 0
	for i := range e.win.NumMelds {
		m := &e.win.Melds[i%hand.MaxMelds]
		bit := m.Kind.Bit()
		if m.Type == hand.Chi {
			e.kinds |= 7 * bit
			e.runs |= bit
			e.open = 1
			continue
		}
		e.kinds |= bit
		e.trips |= bit
		fu := uint8(2)
		if bit&tile.Orphans != 0 {
			fu = 4
		}
		if m.Type.IsKan() {
			fu *= 4
			kans++
		}
		if m.Type == hand.ClosedKan {
			fu *= 2
			e.ankans++
		} else {
			e.open = 1
		}
		e.fu += fu
	}
	switch kans {
	case 3:
		e.yaku |= 1 << sankantsu
	case 4:
		e.yakuman |= 1 << suukantsu
	}
}

// lookAtKinds notes what follows from the kinds alone.
func (e *evaluation) lookAtKinds() {
	kinds := e.kinds
	honors, suited := kinds&tile.HonorSet, kinds&tile.Suited
	if kinds&tile.Orphans == 0 {
		e.yaku |= 1 << tanyao
	}
	if suited&^tile.Ranks == 0 || suited&^(tile.Ranks<<9) == 0 || suited&^(tile.Ranks<<18) == 0 {
		switch {
		case honors == 0:
			e.yaku |= 1 << chinitsu
			e.nineGates()
		case suited != 0:
			e.yaku |= 1 << honitsu
		default:
			e.yakuman |= 1 << tsuuiisou
		}
	}
	if kinds&tile.Simples == 0 && suited != 0 {
		if honors == 0 {
			e.yakuman |= 1 << chinroutou
		} else {
			e.yaku |= 1 << honroutou
		}
	}
	if kinds&^tile.Greens == 0 {
		e.yakuman |= 1 << ryuuiisou
	}
}

// nineGates notes 1112345678999 and one more tile (S4 4.2.5.2) in a hand of one
// suit.
func (e *evaluation) nineGates() {
	h := &e.win.Hand
	if e.win.NumMelds != 0 || e.kinds.Len() != 9 || (h.AtLeast(3)&tile.Terminals).Len() != 2 {
		return
	}
	surplus := 2
	if tile.Terminals.Has(e.win.Tile) {
		surplus = 4
	}
	if h.Count(e.win.Tile) == surplus {
		e.yakuman |= 1 << junseiChuurenPoutou
	} else {
		e.yakuman |= 1 << chuurenPoutou
	}
}

// lookAtFlags notes what follows from the circumstances.
func (e *evaluation) lookAtFlags() {
	w := e.win
	last := uint64(1 << houtei)
	switch {
	case w.SelfDraw:
		last = 1 << haitei
		e.yaku |= 1 << menzenTsumo
		if w.Flags&ruleset.FlagAfterKan != 0 {
			e.fu += uint8(e.RinshanTsumoFu)
		} else {
			e.fu += 2
		}
	case e.open == 0:
		e.fu += 10
	}
	if w.Flags == 0 {
		return
	}
	set := func(flag ruleset.Flags, yaku uint64) uint64 {
		if w.Flags&flag == 0 {
			return 0
		}
		return yaku
	}
	if w.Flags&ruleset.FlagDoubleRiichi != 0 {
		e.yaku |= 1 << doubleRiichi
	} else {
		e.yaku |= set(ruleset.FlagRiichi, 1<<riichi)
	}
	e.yaku |= set(ruleset.FlagOneShot, 1<<ippatsu) |
		set(ruleset.FlagRobbingKan, 1<<chankan) |
		set(ruleset.FlagAfterKan, 1<<rinshanKaihou) |
		set(ruleset.FlagLastTile, last)
	e.yakuman |= set(ruleset.FlagHeavenly, 1<<tenhou) | set(ruleset.FlagEarthly, 1<<chiihou)
	if e.isHuman() {
		switch e.Renhou {
		case RenhouCumulative:
			e.yaku |= 1 << renhou
		case RenhouYakuman:
			e.yakuman |= 1 << renhou
		}
	}
}

// isHuman reports a closed hand won on a discard before the first own draw (S4
// 4.2.4.2).
func (e *evaluation) isHuman() bool {
	return e.win.Flags&ruleset.FlagHuman != 0 && !e.win.SelfDraw && e.open == 0
}

// countDora notes the han of the dora that the indicators show, of red fives and
// of ura dora (S4 4.2.1.16, S0 dora 6-8).
func (e *evaluation) countDora() {
	w := e.win
	for _, k := range w.Indicators[:w.NumIndicators] {
		e.extra[0] += e.count(k.Next())
	}
	if w.Flags&(ruleset.FlagRiichi|ruleset.FlagDoubleRiichi) != 0 {
		for _, k := range w.Ura[:e.UraIndicators(int(w.NumUra))] {
			e.extra[2] += e.count(k.Next())
		}
	}
	e.extra[0] *= e.bonusHan[0]
	e.extra[1] = int(w.Reds) * e.bonusHan[1]
	e.extra[2] *= e.bonusHan[2]
}

// count returns how many tiles of kind k the whole hand holds.
func (e *evaluation) count(k tile.Kind) int {
	n := e.win.Hand.Count(k)
	if e.win.NumMelds == 0 || !e.kinds.Has(k) {
		return n
	}
	for i := range e.win.NumMelds {
		n += e.win.Melds[i%hand.MaxMelds].Count(k)
	}
	return n
}

const (
	// firstRuns and lastRuns are the sequences 123 and 789.
	firstRuns = tile.Ones
	lastRuns  = tile.Ones << 6
)

// standard considers all readings of a division into four sets and a pair: the
// winning tile may have completed any set, or the pair, that holds its kind.
func (e *evaluation) standard(d hand.Division) {
	runs, trips := d.Runs(), d.Triplets() // concealed
	all := d.AllRuns()
	twins := all[1].Len() + all[3].Len()
	yaku, yakuman := e.yaku, e.yakuman
	more, limit := e.sets(runs|e.runs, trips|e.trips, d.Pair)
	yaku |= more
	yakuman |= limit
	switch twins {
	case 1:
		yaku |= 1 << iipeikou
	case 2:
		yaku |= 1 << ryanpeikou
	}
	pairFu := e.pairFu(d.Pair)
	fu := e.fu + pairFu + uint8(4*trips.Len()+4*(trips&tile.Orphans).Len())
	ankous := trips.Len() + e.ankans

	t, bit := e.win.Tile, e.win.Tile.Bit()
	if d.Pair == t {
		more, limit := concealedTriplets(ankous, true)
		e.consider(yaku|more, yakuman|limit, roundFu(fu+2))
	}
	if trips.Has(t) {
		fu, ankous := fu, ankous
		if !e.win.SelfDraw {
			// The triplet counts as open.
			ankous--
			fu -= 2
			if tile.Orphans.Has(t) {
				fu -= 2
			}
		}
		more, limit := concealedTriplets(ankous, false)
		e.consider(yaku|more, yakuman|limit, roundFu(fu))
	}
	if near := runs & (bit | bit>>1 | bit>>2); near != 0 {
		more, _ := concealedTriplets(ankous, false)
		yaku |= more
		outer := near & (bit&^lastRuns | bit>>2&^firstRuns)
		if outer != 0 {
			e.twoSided(yaku, yakuman, fu, trips|e.trips == 0 && pairFu == 0)
		}
		if near != outer {
			e.consider(yaku, yakuman, roundFu(fu+2))
		}
	}
}

// twoSided considers a reading in which the winning tile completed a two-sided
// wait; flat means that only the way of winning earns fu.
func (e *evaluation) twoSided(yaku, yakuman uint64, fu uint8, flat bool) {
	if flat && e.open == 0 && e.off&(1<<pinfu) == 0 && (e.PinfuTsumo || !e.win.SelfDraw) {
		yaku |= 1 << pinfu
		if e.win.SelfDraw {
			fu = 20
		}
	} else if fu == 20 {
		fu = uint8(e.OpenMinFu)
	}
	e.consider(yaku, yakuman, roundFu(fu))
}

// sets returns the yaku and the yakuman that all sets together make.
func (e *evaluation) sets(runs, trips tile.Set, pair tile.Kind) (yaku, yakuman uint64) {
	if runs == 0 {
		yaku |= 1 << toitoi
	} else {
		if runs&(runs>>9)&(runs>>18) != 0 {
			yaku |= 1 << sanshokuDoujun
		}
		if runs&(runs>>3)&(runs>>6)&firstRuns != 0 {
			yaku |= 1 << ittsu
		}
		if runs&^tile.EdgeSequences == 0 && (trips|pair.Bit())&^tile.Orphans == 0 {
			if e.kinds&tile.HonorSet != 0 {
				yaku |= 1 << chanta
			} else {
				yaku |= 1 << junchan
			}
		}
	}
	if trips&(trips>>9)&(trips>>18)&tile.Ranks != 0 {
		yaku |= 1 << sanshokuDoukou
	}
	if trips&tile.HonorSet == 0 {
		return yaku, yakuman
	}
	yaku |= uint64(trips>>tile.White) << yakuhaiHaku
	if trips.Has(e.win.SeatWind.Kind()) {
		yaku |= 1 << yakuhaiSeatWind
	}
	if trips.Has(e.win.RoundWind.Kind()) {
		yaku |= 1 << yakuhaiRoundWind
	}
	switch dragons := (trips & tile.Dragons).Len(); {
	case dragons == 3:
		yakuman |= 1 << daisangen
	case dragons == 2 && tile.Dragons.Has(pair):
		yaku |= 1 << shousangen
	}
	switch winds := (trips & tile.Winds).Len(); {
	case winds == 4:
		yakuman |= 1 << daisuushii
	case winds == 3 && tile.Winds.Has(pair):
		yakuman |= 1 << shousuushii
	}
	return yaku, yakuman
}

// concealedTriplets returns the yaku or the yakuman of n concealed triplets;
// tanki tells whether the winning tile completed the pair.
func concealedTriplets(n int, tanki bool) (yaku, yakuman uint64) {
	switch {
	case n < 3:
		return 0, 0
	case n == 3:
		return 1 << sanankou, 0
	case tanki:
		return 0, 1 << suuankouTanki
	}
	return 0, 1 << suuankou
}

// pairFu returns what the pair earns (S4 4.1, S0 fu).
func (e *evaluation) pairFu(pair tile.Kind) uint8 {
	if pair < tile.East {
		return 0
	}
	seat, round := pair == e.win.SeatWind.Kind(), pair == e.win.RoundWind.Kind()
	switch {
	case seat && round:
		return uint8(e.DoubleWindFu)
	case seat, round, pair >= tile.White:
		return 2
	}
	return 0
}

func roundFu(fu uint8) uint8 { return (fu + 9) / 10 * 10 }

// thirteenOrphans considers them.
func (e *evaluation) thirteenOrphans() {
	id := kokushiMusou
	if e.win.Hand.Count(e.win.Tile) == 2 {
		id = kokushiMusou13
	}
	e.consider(0, e.yakuman|1<<id, 0)
}

// flatRenhou considers a flat mangan without any other yaku or bonus tile (S4
// 4.2.4.2).
func (e *evaluation) flatRenhou() {
	han := e.han[0][renhou]
	e.rate(&reading{patterns: 1 << renhou, han: han, base: mangan, ok: int(han) >= e.MinWin})
}

// exist returns the patterns without those that do not exist; the greatest that
// they contain stand in for them.
func (e *evaluation) exist(yaku, yakuman uint64) (uint64, uint64) {
	for _, l := range lowered {
		held := &yaku
		if isYakuman(l.id) {
			held = &yakuman
		}
		if e.off>>l.id&1 == 0 || *held>>l.id&1 == 0 {
			continue
		}
		if isYakuman(l.of) {
			yakuman |= 1 << l.of
		} else {
			yaku |= 1 << l.of
		}
	}
	return yaku &^ e.off, yakuman &^ e.off
}

// consider takes the reading with the given patterns if it is the best so far.
func (e *evaluation) consider(yaku, yakuman uint64, fu uint8) {
	var r reading
	if e.off != 0 {
		yaku, yakuman = e.exist(yaku, yakuman)
	}
	if yakuman != 0 {
		r.ok = e.win.Flags&ruleset.FlagRobbingClosedKan == 0 || yakuman&(1<<kokushiMusou|1<<kokushiMusou13) != 0
		r.patterns = yakuman
		for ; yakuman != 0; yakuman &= yakuman - 1 {
			m := e.multiple[bits.TrailingZeros64(yakuman)%numPatterns]
			if e.YakumanStacking {
				r.multiple += m
			} else {
				r.multiple = max(r.multiple, m)
			}
		}
		r.base = int32(r.multiple) * yakumanBase
	} else {
		r.patterns = yaku & e.allowed[e.open]
		worth := &e.han[e.open]
		han := 0
		for yaku := r.patterns; yaku != 0; yaku &= yaku - 1 {
			han += int(worth[bits.TrailingZeros64(yaku)%numPatterns])
		}
		// Only thirteen orphans may rob a closed kan (S0 sum.18).
		r.ok = han >= e.MinWin && e.win.Flags&ruleset.FlagRobbingClosedKan == 0
		r.han = uint8(min(han+e.extra[0]+e.extra[1]+e.extra[2], math.MaxUint8))
		r.fu = fu
		r.base = e.base(r.han, fu)
	}
	e.rate(&r)
}

// rate completes r and makes it the best reading if it is.
func (e *evaluation) rate(r *reading) {
	r.points = points(r.base, e.win.SeatWind == 0, e.win.SelfDraw)
	r.key = uint64(r.points)<<24 | uint64(r.han)<<8 | uint64(r.fu)
	if r.multiple > 0 {
		r.key |= 1<<23 | uint64(bits.OnesCount64(r.patterns))<<8
	}
	if r.ok {
		r.key |= 1 << 63
	}
	if r.key > e.best.key || r.key == e.best.key && bits.Reverse64(r.patterns) > bits.Reverse64(e.best.patterns) {
		e.best = *r
	}
}

// report writes the best reading to v.
func (e *evaluation) report(v *ruleset.Value) {
	r := &e.best
	v.Shape, v.OK = r.key != 0, r.ok
	v.Han, v.Fu, v.Yakuman = r.han, r.fu, r.multiple
	v.Points, v.Base = r.points, r.base
	v.NumPatterns = 0
	worth := &e.han[e.open]
	if r.multiple > 0 {
		worth = &e.multiple
	}
	for m := r.patterns; m != 0; m &= m - 1 {
		id := bits.TrailingZeros64(m) % numPatterns
		v.Add(uint8(id), int16(worth[id]))
	}
	if r.multiple > 0 || r.fu == 0 {
		return // a yakuman or a flat renhou: bonus tiles do not count
	}
	for i, n := range e.extra {
		if n > 0 {
			v.Add(uint8(dora+i), int16(n))
		}
	}
}

// Limits of the base (S4 4.2, S0 table).
const (
	mangan      = 2000
	haneman     = 3000
	baiman      = 4000
	sanbaiman   = 6000
	yakumanBase = 8000
)

// base returns what payments are computed from (S4 4.3.1, S0 pay 9).
func (s *scorer) base(han, fu uint8) int32 {
	switch {
	case han >= 13 && s.Counted == CountedYakuman:
		return yakumanBase
	case han >= 11:
		return sanbaiman
	case han >= 8:
		return baiman
	case han >= 6:
		return haneman
	case han == 5:
		return mangan
	case han == 0:
		return 0
	}
	b := int32(fu) << (han + 2)
	if b > mangan || s.Kiriage && b == 1920 {
		return mangan
	}
	return b
}

// up rounds a payment up to a multiple of 100.
func up(points int32) int32 { return (points + 99) / 100 * 100 }

// points returns what a win is worth to the winner, without honba and sticks
// (S4 4.3.1, S0 pay 2-3).
func points(base int32, dealer, selfDraw bool) int32 {
	switch {
	case dealer && selfDraw:
		return 3 * up(2*base)
	case dealer:
		return up(6 * base)
	case selfDraw:
		return up(2*base) + 2*up(base)
	}
	return up(4 * base)
}
