package luck

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// handSummary is what a hand without a drawn tile is worth: its shanten, ukeire and the
// value of its waits.
type handSummary struct {
	shanten int8
	useful  tile.Set // ukeire; the waits of a tenpai hand

	// Of a tenpai hand: the gain of a win in units, on a discard and by self-draw, averaged
	// over the unseen tiles of the waits; drawGain is that of all players by a self-draw.
	// mayWin is the share of waits that may win on a discard, in units of one.
	onDiscard, onDraw int32
	drawGain          [sim.NumPlayers]int32
	mayWin            int16
	furiten           bool

	// The potential value of the hand: dora, triplets and pairs of valued kinds, the tiles
	// of the longest suit and honors, simples, terminals and honors, and the most tiles of
	// a pattern of three sequences.
	dora, valued, valuedPairs int8
	pairs, triplets           int8
	flush, simples, orphans   int8
	straight, mixed, shifted  int8
	knitted                   int8

	// The nearest hand that may win: its plan, its distance (0 tenpai), the kinds that lower
	// the distance, and the gain in units of a likely such hand on a discard.
	plan         uint8
	planDistance int8
	planUkeire   tile.Set
	planWorth    int32
	// The valuable aims of the highest discounted worth, as indices of book.Aims, the highest
	// first. valuableFar is the distance to the first, valuableWorth the worth of its example
	// in units.
	valuable      [3]uint8
	numValuable   uint8
	valuableFar   int8
	valuableWorth int32
}

// summarize updates the summary of p's hand, which must be without a drawn tile, and
// returns it.
func (s *State) summarize(p sim.Player, sc *winScratch) *handSummary {
	st := &s.seats[p]
	o := &st.summary
	if st.summarized {
		return o
	}
	st.summarized = true
	before := *o
	*o = handSummary{}
	s.findUkeire(st, o)
	s.countValue(p, st, o)
	if o.shanten == 0 {
		s.valueWaits(p, st, o, sc)
	}
	s.findPlans(p, st, o, &before, sc)
	return o
}

// sets returns the number of sets that the concealed tiles form when complete.
func (s *State) sets(st *seat) int { return s.rules.HandSize/3 - int(st.n) }

// findUkeire finds the shanten over all shapes, and the ukeire.
func (s *State) findUkeire(st *seat, o *handSummary) {
	h, melds := &st.hand, st.melds[:st.n]
	shanten := s.rules.HandShanten(h, melds)
	o.shanten = int8(shanten)
	if shanten <= 0 {
		o.useful = s.rules.HandWaits(h, melds)
		return
	}
	found := false
	if h.Shanten(s.sets(st)) == shanten {
		o.useful, found = h.Ukeire(s.sets(st)), true
	}
	if st.n == 0 && s.rules.HandSize == 13 && h.PairsShanten() == shanten {
		o.useful, found = o.useful|h.PairsUkeire(), true
	}
	if found {
		return
	}
	for kinds := tile.All &^ h.AtLeast(4); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		h.Add(k)
		if s.rules.HandShanten(h, melds) < shanten {
			o.useful |= k.Bit()
		}
		h.Remove(k)
	}
}

// valuedKinds are the honors of which a triplet has value for p.
func (s *State) valuedKinds(p sim.Player) tile.Set {
	return tile.Dragons | s.roundWind.Kind().Bit() | s.seatWind(p).Kind().Bit()
}

func (s *State) seatWind(p sim.Player) tile.Wind {
	return s.rules.SeatWind(s.chairOf[p], s.chairOf[s.dealer])
}

// The tiles of the patterns of three sequences: straights in one suit, the same ranks in three
// suits and straights over three suits (mixed), shifted by one rank over three suits, and
// knitted tiles.
var straights, mixeds, shifteds, knitteds = func() (straights, mixeds, shifteds, knitteds []tile.Set) {
	run := func(suit, rank int) tile.Set { return tile.Set(7) << (9*suit + rank) }
	const third tile.Set = 1<<0 | 1<<3 | 1<<6
	for s := range 3 {
		straights = append(straights, run(s, 0)|run(s, 3)|run(s, 6))
	}
	for r := range 7 {
		mixeds = append(mixeds, run(0, r)|run(1, r)|run(2, r))
	}
	for _, of := range [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		mixeds = append(mixeds, run(of[0], 0)|run(of[1], 3)|run(of[2], 6))
		for r := range 5 {
			shifteds = append(shifteds, run(of[0], r)|run(of[1], r+1)|run(of[2], r+2))
		}
		knitteds = append(knitteds, third<<(9*of[0])|third<<(9*of[1]+1)|third<<(9*of[2]+2))
	}
	return straights, mixeds, shifteds, knitteds
}()

// most returns the largest number of the kinds that a pattern contains.
func most(kinds tile.Set, patterns []tile.Set) int8 {
	n := 0
	for _, p := range patterns {
		n = max(n, (p & kinds).Len())
	}
	return int8(n)
}

// countValue counts the tiles and sets that may give the hand value.
func (s *State) countValue(p sim.Player, st *seat, o *handSummary) {
	valued := s.valuedKinds(p)
	h := &st.hand
	var suits [4]int8
	for kinds := h.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		n := int8(h.Count(k))
		suits[k.Suit()] += n
		o.dora += int8(s.dora[k]) * n
		if tile.Simples&k.Bit() != 0 {
			o.simples += n
		}
	}
	o.dora += int8(st.reds[0]+st.reds[1]+st.reds[2]) + int8(st.norths)*(1+int8(s.dora[tile.North]))
	o.pairs, o.triplets = int8(h.AtLeast(2).Len()), int8(h.AtLeast(3).Len())
	o.valued = int8((h.AtLeast(3) & valued).Len())
	o.valuedPairs = int8((h.AtLeast(2) &^ h.AtLeast(3) & valued).Len())
	kinds := h.Kinds()
	if st.n <= 1 {
		o.knitted = most(kinds, knitteds)
	}
	for i := range st.melds[:st.n] {
		m := &st.melds[i]
		suits[m.Kind.Suit()] += 3
		o.dora += int8(m.Reds)
		of := m.Kind.Bit()
		if m.Type == hand.Chi {
			of *= 7
			kinds |= of
			for k := m.Kind; k < m.Kind+3; k++ {
				o.dora += int8(s.dora[k])
			}
		} else {
			o.dora += int8(s.dora[m.Kind]) * int8(m.Size())
			o.triplets++
			if valued&of != 0 {
				o.valued++
			}
		}
		if of&^tile.Simples == 0 {
			o.simples += 3
		}
	}
	o.flush = suits[tile.Honors] + max(suits[0], suits[1], suits[2])
	o.straight, o.mixed, o.shifted = most(kinds, straights), most(kinds, mixeds), most(kinds, shifteds)
	o.orphans = int8((kinds & tile.Orphans).Len())
}

// valueWaits computes the value of a tenpai hand.
func (s *State) valueWaits(p sim.Player, st *seat, o *handSummary, sc *winScratch) {
	o.furiten = s.rules.RiverLock != ruleset.LockOff && o.useful&st.river != 0
	var onDiscard, discards, draws, may int64
	var drawGain [sim.NumPlayers]int64
	for waits := o.useful &^ st.hand.AtLeast(4); waits != 0; waits = waits.Rest() {
		k := waits.First()
		draw := int64(s.inPool(k))
		discard := draw + int64(s.heldByOthers(p, k.Bit()))
		if discard == 0 {
			continue
		}
		discards += discard
		draws += draw
		s.describeWin(&sc.win, p, k, false)
		if s.settleWin(sc, p, s.rules.NextChair(s.chairOf[p], 1)) {
			may += discard
			onDiscard += discard * int64(sc.gain[p])
		}
		if draw == 0 {
			continue
		}
		sc.win.SelfDraw = true
		if s.settleWin(sc, p, ruleset.NoChair) {
			for q, gain := range sc.gain {
				drawGain[q] += draw * int64(gain)
			}
		}
	}
	if discards > 0 {
		o.onDiscard = int32(onDiscard / discards)
		o.mayWin = int16(may * one / discards)
	}
	if draws > 0 {
		for q, gain := range drawGain {
			o.drawGain[q] = int32(gain / draws)
		}
		o.onDraw = o.drawGain[p]
	}
}

// winScratch is scratch space to evaluate a win.
type winScratch struct {
	win        ruleset.Win
	settlement ruleset.Settlement
	gain       [sim.NumPlayers]int32
	completion *aim.Completion
	position   aim.Position
}

// describeWin sets w to the win of p on a tile of kind k. It leaves out rare
// circumstances.
func (s *State) describeWin(w *ruleset.Win, p sim.Player, k tile.Kind, selfDraw bool) {
	st := &s.seats[p]
	*w = ruleset.Win{
		Hand: st.hand, Melds: st.melds, NumMelds: st.n, Tile: k, SelfDraw: selfDraw,
		SeatWind: s.seatWind(p), RoundWind: s.roundWind, Flowers: st.flowers, Norths: st.norths, Discards: ruleset.NoCount,
		Indicators: s.indicators, NumIndicators: uint8(s.numDora),
		Reds:   st.reds[0] + st.reds[1] + st.reds[2],
		Dealer: p == s.dealer, Streak: uint8(min(s.counter, 255)),
	}
	w.Hand.Add(k)
	for i := range st.melds[:st.n] {
		w.Reds += st.melds[i].Reds
	}
	if st.ready {
		w.Flags = ruleset.FlagReady
		if s.rules.Ready == ruleset.Riichi {
			w.Flags = ruleset.FlagRiichi
		}
		if st.ippatsu && s.rules.OneShot {
			w.Flags |= ruleset.FlagIppatsu
		}
	}
	if s.left == 0 {
		w.Flags |= ruleset.FlagLastTile
	}
}

// settleWin sets sc.gain to the change of every player's net points if p wins with
// sc.win, on a tile of the chair from, or by self-draw for NoChair. It returns false if
// the hand may not win.
func (s *State) settleWin(sc *winScratch, p sim.Player, from ruleset.Chair) bool {
	sc.gain = [sim.NumPlayers]int32{}
	st := &sc.settlement
	*st = ruleset.Settlement{
		NumWinners: 1, From: from, Dealer: s.chairOf[s.dealer],
		Counter: s.counter, Deposits: s.deposits, Ledger: s.ledger,
	}
	w := &st.Winners[0]
	w.Chair, w.Responsible = s.chairOf[p], from
	for i := range w.Liable {
		w.Liable[i] = ruleset.NoChair
	}
	s.rules.Value(&sc.win, &w.Value)
	if !w.Value.OK {
		return false
	}
	s.rules.Settle(st)
	for _, pay := range st.Payments[:st.NumPayments] {
		if pay.From != ruleset.Pot {
			sc.gain[s.who[pay.From]] -= pay.Amount
		}
		if pay.To != ruleset.Pot {
			sc.gain[s.who[pay.To]] += pay.Amount
		}
	}
	for creditor := range st.Ledger {
		for debtor, d := range st.Ledger[creditor] {
			more := d.Points - s.ledger[creditor][debtor].Points
			sc.gain[s.who[creditor]] += more
			sc.gain[s.who[debtor]] -= more
		}
	}
	return true
}
