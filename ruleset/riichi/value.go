package riichi

import (
	"math"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// evaluation is a win being valued: what all its readings have in common, the best
// reading so far and room for another.
type evaluation struct {
	scorer   *scorer
	win      *ruleset.Win
	flags    ruleset.Flags // with Norths set aside as the rules treat them
	patterns uint64        // of every reading
	kinds    tile.Set      // of the whole hand
	runs     tile.Set      // melded sequences by their lowest kind
	trips    tile.Set      // melded triplets and quads
	laid     tile.Tally    // tiles of the melds
	ankans   int
	open     uint8 // 1 if some meld shows another player's tile
	fu       uint8 // of the melds and of the way of winning
	// extra is the han of dora, red fives, ura dora and Norths set aside, allExtra their sum.
	extra    [4]int
	allExtra int
	// readings[best&1] is the best.
	readings [2]reading
	best     int
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

// when returns the patterns if they are there, none otherwise. It is no branch to the
// processor, which could not predict most of what distinguishes hands.
func when(there bool, patterns uint64) uint64 {
	if there {
		return patterns
	}
	return 0
}

// bit returns 1 for true, 0 for false.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Value scores a complete hand by its best reading, the one that pays most
// among those that may win (S4 4.3.3, S0 settle 10). Readings that pay the same
// are distinguished by han and fu, yakuman by the number of patterns, then by the
// order in which the rules list them.
func (s *scorer) Value(w *ruleset.Win, v *ruleset.Value) {
	e := evaluation{scorer: s, win: w, flags: w.Flags, fu: 20}
	e.noteMelds()
	e.noteKinds()
	e.noteFlags()
	e.countDora()

	for d := range w.Hand.Divisions(4 - int(w.NumMelds)) {
		e.standard(d)
	}
	switch {
	case w.NumMelds == 0 && e.scorer.IsPairs(&w.Hand):
		e.consider(e.patterns|1<<chiitoitsu, 25)
	case w.NumMelds == 0 && e.scorer.IsOrphans(&w.Hand):
		e.thirteenOrphans()
	}
	if e.scorer.knobs.Renhou == RenhouFlat && e.readings[e.best&1].key != 0 && e.isHuman() {
		e.flatRenhou()
	}
	e.report(v)
}

// melds is what each type of meld adds to a hand.
var melds = [...]struct {
	tiles            tile.Tally // where the first is of kind 0
	run              tile.Set   // all ones for a sequence
	fu               [2]uint8   // of simples, of terminals and honors (S4 4.1, S0 fu)
	open, kan, ankan uint8
}{
	hand.Chi:       {tiles: tile.Tally{7}, run: tile.All, open: 1},
	hand.Pon:       {tiles: tile.Tally{1, 1}, fu: [2]uint8{2, 4}, open: 1},
	hand.OpenKan:   {tiles: tile.Tally{2: 1}, fu: [2]uint8{8, 16}, open: 1, kan: 1},
	hand.AddedKan:  {tiles: tile.Tally{2: 1}, fu: [2]uint8{8, 16}, open: 1, kan: 1},
	hand.ClosedKan: {tiles: tile.Tally{2: 1}, fu: [2]uint8{16, 32}, kan: 1, ankan: 1},
}

func (e *evaluation) noteMelds() {
	w := e.win
	kans := uint8(0)
	for i := range w.Melds[:w.NumMelds] {
		m := &melds[w.Melds[i].Type]
		first := w.Melds[i].Kind.Bit()
		e.runs |= m.run & first
		e.trips |= first &^ m.run
		e.laid.Add(m.tiles[0]*first, m.tiles[1]*first, m.tiles[2]*first)
		e.fu += m.fu[bit(first&tile.Orphans != 0)]
		e.open |= m.open
		e.ankans += int(m.ankan)
		kans += m.kan
	}
	e.kinds = w.Hand.Kinds() | e.laid.Kinds()
	if kans >= 3 {
		e.patterns |= when(kans == 3, 1<<sankantsu) | when(kans == 4, 1<<suukantsu)
	}
}

// noteKinds notes what follows from the kinds alone.
func (e *evaluation) noteKinds() {
	kinds := e.kinds
	honors, suited := kinds&tile.HonorSet, kinds&tile.Suited
	if kinds&tile.Orphans == 0 {
		e.patterns |= 1 << tanyao
	}
	if suited.InOneSuit() {
		switch {
		case honors == 0:
			e.patterns |= 1 << chinitsu
			e.nineGates()
		case suited != 0:
			e.patterns |= 1 << honitsu
		default:
			e.patterns |= 1 << tsuuiisou
		}
	}
	if kinds&tile.Simples == 0 && suited != 0 {
		if honors == 0 {
			e.patterns |= 1 << chinroutou
		} else {
			e.patterns |= 1 << honroutou
		}
	}
	if kinds&^tile.Greens == 0 {
		e.patterns |= 1 << ryuuiisou
	}
}

// nineGates notes 1112345678999 and one more tile (S4 4.2.5.2) in a hand of one
// suit.
func (e *evaluation) nineGates() {
	if gates, pure := e.win.Hand.NineGates(e.win.Tile); pure {
		e.patterns |= 1 << junseiChuurenPoutou
	} else if gates {
		e.patterns |= 1 << chuurenPoutou
	}
}

// noteFlags notes what follows from the circumstances.
func (e *evaluation) noteFlags() {
	const usual = ruleset.FlagRiichi | ruleset.FlagDoubleRiichi | ruleset.FlagIppatsu
	w := e.win
	e.fu += wayFu[e.open][bit(w.SelfDraw)]
	e.patterns |= when(w.SelfDraw, 1<<menzenTsumo) |
		when(w.Flags&ruleset.FlagDoubleRiichi != 0, 1<<doubleRiichi) |
		when(w.Flags&(ruleset.FlagRiichi|ruleset.FlagDoubleRiichi) == ruleset.FlagRiichi, 1<<riichi) |
		when(w.Flags&ruleset.FlagIppatsu != 0, 1<<ippatsu)
	if w.Flags&^usual == 0 {
		return
	}
	e.treatKita()
	last := uint64(1 << houtei)
	if w.SelfDraw {
		last = 1 << haitei
		if e.flags&ruleset.FlagAfterKan != 0 {
			e.fu += uint8(e.scorer.knobs.RinshanTsumoFu) - 2
		}
	}
	e.patterns |= when(e.flags&ruleset.FlagRobbingKan != 0, 1<<chankan) |
		when(e.flags&ruleset.FlagAfterKan != 0, 1<<rinshanKaihou) |
		when(w.Flags&ruleset.FlagLastTile != 0, last) |
		when(w.Flags&ruleset.FlagHeavenly != 0, 1<<tenhou) |
		when(w.Flags&ruleset.FlagEarthly != 0, 1<<chiihou) |
		when((e.scorer.knobs.Renhou == RenhouCumulative || e.scorer.knobs.Renhou == RenhouYakuman) && e.isHuman(), 1<<renhou)
}

// treatKita makes the flags of Norths set aside those of kans that the rules treat them
// like (SM 5.3, SM 6).
func (e *evaluation) treatKita() {
	if e.flags&ruleset.FlagAfterKita != 0 && e.scorer.knobs.KitaRinshan {
		e.flags |= ruleset.FlagAfterKan
	}
	if e.flags&ruleset.FlagRobbingKita == 0 {
		return
	}
	if e.scorer.knobs.RobKitaYaku {
		e.flags |= ruleset.FlagRobbingKan
	}
	if e.scorer.knobs.RobKita == ruleset.RobKitaOrphans {
		e.flags |= ruleset.FlagRobbingClosedKan // which orphans alone may rob
	}
}

// wayFu is what the way of winning earns, [open][self-draw] (S4 4.1, S0 fu).
var wayFu = [2][2]uint8{{10, 2}, {0, 2}}

// isHuman reports a closed hand won on a discard before the first own draw (S4
// 4.2.4.2).
func (e *evaluation) isHuman() bool {
	return e.win.Flags&ruleset.FlagHuman != 0 && !e.win.SelfDraw && e.open == 0
}

// countDora notes the han of the dora that the indicators show, of red fives, of ura dora
// (S4 4.2.1.16, S0 dora 6-8) and of Norths set aside (SM 5.4).
func (e *evaluation) countDora() {
	w := e.win
	shown, under := 0, 0
	for _, k := range w.Indicators[:w.NumIndicators] {
		shown += e.count(e.scorer.knobs.DoraOf(k))
	}
	ura := 0
	if w.Flags&(ruleset.FlagRiichi|ruleset.FlagDoubleRiichi) != 0 {
		ura = e.scorer.knobs.UraIndicators(int(w.NumUra))
	}
	for _, k := range w.Ura[:ura] {
		under += e.count(e.scorer.knobs.DoraOf(k))
	}
	if w.Norths > 0 {
		shown += e.northDora(w.Indicators[:w.NumIndicators])
		under += e.northDora(w.Ura[:ura])
	}
	e.extra = [...]int{shown * e.scorer.bonusHan[0], int(w.Reds) * e.scorer.bonusHan[1], under * e.scorer.bonusHan[2], int(w.Norths) * e.scorer.bonusHan[3]}
	e.allExtra = e.extra[0] + e.extra[1] + e.extra[2] + e.extra[3]
}

// northDora returns how many of the Norths set aside, which may be dora (SM 5.5), are by
// the indicators, each as often as one shows it.
func (e *evaluation) northDora(indicators []tile.Kind) int {
	n := 0
	for _, k := range indicators {
		if e.scorer.knobs.KitaAlsoDora && e.scorer.knobs.DoraOf(k) == tile.North {
			n += int(e.win.Norths)
		}
	}
	return n
}

// count returns how many tiles of kind k the whole hand holds.
func (e *evaluation) count(k tile.Kind) int { return e.win.Hand.Count(k) + e.laid.Count(k) }

const (
	// firstRuns and lastRuns are the sequences 123 and 789.
	firstRuns = tile.Ones
	lastRuns  = tile.Ones << 6
)

// The places in a division that the winning tile may have completed.
const (
	thePair = iota
	aTriplet
	twoSided // a sequence, as one of the two kinds that could have
	oneSided // a sequence, as the kind in its middle, or as 3 or 7 of 123 or 789
)

// standard considers all readings of a division into four sets and a pair: the
// winning tile may have completed any set, or the pair, that holds its kind.
func (e *evaluation) standard(d hand.Division) {
	runs, trips := d.Runs(), d.Triplets() // concealed
	patterns := e.patterns | e.sets(runs|e.runs, trips|e.trips, d.Pair)
	if d.RunsTwice() != 0 {
		var all tile.Copies
		d.AddRuns(&all)
		twins := all[1].Len() + all[3].Len()
		patterns |= when(twins == 1, 1<<iipeikou) | when(twins == 2, 1<<ryanpeikou)
	}
	pairFu := e.pairFu(d.Pair)
	fu := e.fu + pairFu + uint8(4*trips.Len()+4*(trips&tile.Orphans).Len())
	ankous := trips.Len() + e.ankans

	won := e.win.Tile.Bit()
	near := runs & (won | won>>1 | won>>2)
	outer := near & (won&^lastRuns | won>>2&^firstRuns)
	places := bit(d.Pair == e.win.Tile)<<thePair | bit(trips&won != 0)<<aTriplet |
		bit(outer != 0)<<twoSided | bit(near != outer)<<oneSided

	both, bothFu := e.twoSided(fu, trips|e.trips == 0 && pairFu == 0)
	claimed := bit(!e.win.SelfDraw) // a triplet completed by a discard counts as open
	claimedFu := 2 * claimed << bit(won&tile.Orphans != 0)
	more := [...]uint64{
		thePair:  concealedTriplets[1][ankous&7],
		aTriplet: concealedTriplets[0][(ankous-int(claimed))&7],
		twoSided: concealedTriplets[0][ankous&7] | both,
		oneSided: concealedTriplets[0][ankous&7],
	}
	earned := [...]uint8{thePair: fu + 2, aTriplet: fu - claimedFu, twoSided: bothFu, oneSided: fu + 2}
	for ; places != 0; places &= places - 1 {
		place := bits.TrailingZeros8(places) & 3
		e.consider(patterns|more[place], roundFu(earned[place]))
	}
}

// twoSided returns the patterns and the fu of a reading of fu in which the winning
// tile completed a two-sided wait; flat means that only the way of winning earns fu.
func (e *evaluation) twoSided(fu uint8, flat bool) (uint64, uint8) {
	switch {
	case flat && e.open == 0 && e.scorer.pinfu[bit(e.win.SelfDraw)]:
		if e.win.SelfDraw {
			fu = 20
		}
		return 1 << pinfu, fu
	case fu == 20 && e.open == 1:
		return 0, uint8(e.scorer.knobs.OpenMinFu)
	}
	return 0, fu
}

// sets returns the patterns that all sets together make.
func (e *evaluation) sets(runs, trips tile.Set, pair tile.Kind) uint64 {
	patterns := when(runs == 0, 1<<toitoi) |
		when(runs&(runs>>9)&(runs>>18) != 0, 1<<sanshokuDoujun) |
		when(runs&(runs>>3)&(runs>>6)&firstRuns != 0, 1<<ittsu) |
		when(trips&(trips>>9)&(trips>>18)&tile.Ranks != 0, 1<<sanshokuDoukou)
	if runs&^tile.EdgeSequences == 0 && (trips|pair.Bit())&^tile.Orphans == 0 && runs != 0 {
		if e.kinds&tile.HonorSet != 0 {
			patterns |= 1 << chanta
		} else {
			patterns |= 1 << junchan
		}
	}
	honors := trips & tile.HonorSet
	patterns |= uint64(honors>>tile.White)<<yakuhaiHaku |
		uint64(honors>>e.win.SeatWind.Kind()&1)<<yakuhaiSeatWind |
		uint64(honors>>e.win.RoundWind.Kind()&1)<<yakuhaiRoundWind
	if honors.Rest() == 0 {
		return patterns
	}
	switch dragons := (honors & tile.Dragons).Len(); {
	case dragons == 3:
		patterns |= 1 << daisangen
	case dragons == 2 && tile.Dragons.Has(pair):
		patterns |= 1 << shousangen
	}
	switch winds := (honors & tile.Winds).Len(); {
	case winds == 4:
		patterns |= 1 << daisuushii
	case winds == 3 && tile.Winds.Has(pair):
		patterns |= 1 << shousuushii
	}
	return patterns
}

// concealedTriplets are the patterns of so many concealed triplets, [1] where the
// winning tile completed the pair.
var concealedTriplets = [2][8]uint64{
	{3: 1 << sanankou, 4: 1 << suuankou},
	{3: 1 << sanankou, 4: 1 << suuankouTanki},
}

// pairFu returns what the pair earns (S4 4.1, S0 fu).
func (e *evaluation) pairFu(pair tile.Kind) uint8 {
	fu := 2 * (bit(pair == e.win.SeatWind.Kind()) + bit(pair == e.win.RoundWind.Kind()) + bit(pair >= tile.White))
	return min(fu, uint8(e.scorer.knobs.DoubleWindFu))
}

func roundFu(fu uint8) uint8 { return (fu + 9) / 10 * 10 }

func (e *evaluation) thirteenOrphans() {
	id := kokushiMusou
	if e.win.Hand.Count(e.win.Tile) == 2 {
		id = kokushiMusou13
	}
	e.consider(e.patterns|1<<id, 0)
}

// flatRenhou considers a flat mangan without any other yaku or bonus tile (S4
// 4.2.4.2).
func (e *evaluation) flatRenhou() {
	han := e.scorer.worth[0][renhou].Points
	r := e.other()
	r.patterns = 1 << renhou
	r.han, r.fu, r.multiple = uint8(han), 0, 0
	r.base = mangan
	r.ok = int(han) >= e.scorer.knobs.MinWin
	e.rate(r)
}

// consider takes the reading with the given patterns if it is the best so far. Where
// one of them does not exist the greatest that it contains replaces it.
func (e *evaluation) consider(patterns uint64, fu uint8) {
	for _, l := range e.scorer.lowered {
		if patterns&l.from != 0 {
			patterns |= l.to
		}
	}
	patterns &= e.scorer.allowed[e.open]
	if patterns&e.scorer.yakuman != 0 {
		e.considerYakuman(patterns & e.scorer.yakuman)
		return
	}
	worth := &e.scorer.hanBits[e.open]
	han := bits.OnesCount64(patterns&worth[0]) + bits.OnesCount64(patterns&worth[1])<<1 +
		bits.OnesCount64(patterns&worth[2])<<2 + bits.OnesCount64(patterns&worth[3])<<3
	r := e.other()
	r.patterns = patterns
	r.han, r.fu, r.multiple = uint8(min(han+e.allExtra, math.MaxUint8)), fu, 0
	r.base = e.scorer.base(r.han, fu)
	// Only kokushi musou may rob a closed kan (S0 sum.18).
	r.ok = e.flags&ruleset.FlagRobbingClosedKan == 0 && han >= e.scorer.knobs.MinWin
	e.rate(r)
}

func (e *evaluation) considerYakuman(yakuman uint64) {
	r := e.other()
	r.patterns = yakuman
	r.han, r.fu, r.multiple = 0, 0, 0
	r.ok = e.flags&ruleset.FlagRobbingClosedKan == 0 || yakuman&(1<<kokushiMusou|1<<kokushiMusou13) != 0
	for rest := yakuman; rest != 0; rest &= rest - 1 {
		m := uint8(e.scorer.worth[e.open][bits.TrailingZeros64(rest)].Points)
		if e.scorer.knobs.YakumanStacking {
			r.multiple += m
		} else {
			r.multiple = max(r.multiple, m)
		}
	}
	r.base = int32(r.multiple) * yakumanBase
	e.rate(r)
}

// other returns the room for another reading than the best.
func (e *evaluation) other() *reading { return &e.readings[e.best&1^1] }

// rate completes the other reading and makes it the best if it is.
func (e *evaluation) rate(r *reading) {
	dealer := e.win.SeatWind == 0
	r.points = e.scorer.points(r.base, dealer, e.win.SelfDraw)
	if e.scorer.gapShared {
		r.points += e.scorer.gap(r.base, dealer, e.win.SelfDraw || e.scorer.knobs.RonPayment == EachPays)
	}
	r.key = uint64(r.points)<<24 | uint64(r.han)<<8 | uint64(r.fu)
	if r.multiple > 0 {
		r.key |= 1<<23 | uint64(bits.OnesCount64(r.patterns))<<8
	}
	r.key |= uint64(bit(r.ok)) << 63
	best := &e.readings[e.best&1]
	if r.key > best.key || r.key == best.key && bits.Reverse64(r.patterns) > bits.Reverse64(best.patterns) {
		e.best ^= 1
	}
}

func (e *evaluation) report(v *ruleset.Value) {
	r := &e.readings[e.best&1]
	v.Shape, v.OK = r.key != 0, r.ok
	v.Han, v.Fu, v.Yakuman = r.han, r.fu, r.multiple
	v.Points, v.Base = r.points, r.base
	// Four at a time: few hands have more, and how many they have nothing foretells.
	// Where the patterns have come to an end, 64 zeros trail, and that place is empty.
	worth := &e.scorer.worth[e.open]
	list := v.Patterns[:]
	for m := r.patterns; ; list = list[4:] {
		list[0], m = worth[bits.TrailingZeros64(m)], m&(m-1)
		list[1], m = worth[bits.TrailingZeros64(m)], m&(m-1)
		list[2], m = worth[bits.TrailingZeros64(m)], m&(m-1)
		list[3], m = worth[bits.TrailingZeros64(m)], m&(m-1)
		if m == 0 {
			break
		}
	}
	n := bits.OnesCount64(r.patterns)
	if r.multiple == 0 && r.fu != 0 { // for a yakuman or a flat renhou bonus tiles do not count
		n = addBonus(v, n, dora, e.extra[0])
		n = addBonus(v, n, akaDora, e.extra[1])
		n = addBonus(v, n, uraDora, e.extra[2])
		if e.extra[3] > 0 {
			n = addBonus(v, n, nukiDora, e.extra[3])
		}
	}
	v.NumPatterns = uint8(n)
}

// addBonus adds bonus tiles of so many han, if any, to the n patterns of v, and returns
// how many there are then.
func addBonus(v *ruleset.Value, n, id, han int) int {
	v.Patterns[n%ruleset.MaxPatterns] = ruleset.Scored{Pattern: uint8(id), Points: int16(han)}
	return n + int(bit(han > 0))
}
