package riichi

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// paoPatterns are the yakuman of the bits of PaoSet, which are those of
// Liability.
var paoPatterns = [...]uint8{daisangen, daisuushii, suukantsu}

// rinshanPao is the place in Winner.Liable of the giver of the open kan on whose
// replacement tile the hand was won.
const rinshanPao = ruleset.NumLiabilities - 1

// Liabilities returns the ids of the patterns of Winner.Liable, empty for those
// the ruleset knows no liability for.
func (s *scorer) Liabilities() [ruleset.NumLiabilities]string {
	var ids [ruleset.NumLiabilities]string
	for bit, pattern := range paoPatterns {
		if s.knobs.PaoYakuman>>bit&1 != 0 {
			ids[bit] = patterns[pattern].ID
		}
	}
	if s.knobs.RinshanPao {
		ids[rinshanPao] = patterns[rinshanKaihou].ID
	}
	return ids
}

// Liability returns the patterns that the giver of the last meld, a pon or an open kan,
// becomes liable for. These are the last dragon or wind set laid down, and the fourth kan
// (S4 4.2.5.10, 4.2.5.12; S0 pay 5, sum.35).
func (s *scorer) Liability(melds []hand.Meld) uint8 {
	if len(melds) == 0 {
		return 0
	}
	last := melds[len(melds)-1]
	if last.Type != hand.Pon && last.Type != hand.OpenKan {
		return 0
	}
	var due PaoSet
	if ruleset.CompletesKinds(melds, tile.Dragons, s.knobs.PaoCountsAnkan) {
		due |= PaoDaisangen
	}
	if ruleset.CompletesKinds(melds, tile.Winds, s.knobs.PaoCountsAnkan) {
		due |= PaoDaisuushii
	}
	if hand.SummarizeMelds(melds).Kans == 4 {
		due |= PaoSuukantsu
	}
	return uint8(due & s.knobs.PaoYakuman)
}

// cover is the part of a hand's base that a liable player covers.
type cover struct {
	chair ruleset.Chair
	base  int32
	order uint8
}

// covers returns the covers[:n] of a won hand, the earliest liability first.
// There are two at most: no hand has three dragon and four wind sets.
func (s *scorer) covers(w *ruleset.Winner) (covers [2]cover, n int) {
	for bit, pattern := range paoPatterns {
		if w.Liable[bit] == ruleset.NoChair {
			continue
		}
		for _, p := range w.Value.Patterns[:w.Value.NumPatterns] {
			if p.Pattern == pattern {
				covers[n] = cover{w.Liable[bit], int32(p.Points) * yakumanBase, w.LiableOrder[bit]}
				n++
			}
		}
	}
	if n == 0 {
		return covers, 0
	}
	first, second := &covers[0], &covers[1]
	if n == 2 && second.order < first.order {
		*first, *second = *second, *first
	}
	if s.knobs.PaoMultiple == PaoFirstOnly || !s.knobs.YakumanStacking {
		first.base += second.base
		second.base = 0
		n = 1
	}
	if s.knobs.PaoScope == PaoWholeHand || !s.knobs.YakumanStacking {
		first.base = w.Value.Base - second.base
	}
	return covers, n
}

// Settle appends the payments of a won hand: for each winner value and honba,
// then the riichi sticks (S4 3.12, 4.3; S0 pay, honba 3, riichi 15).
func (s *scorer) Settle(t *ruleset.Settlement) {
	winners := t.Winners[:t.NumWinners]
	for i := range winners {
		honba := t.Counter * s.knobs.HonbaValue
		if i > 0 && s.knobs.HonbaMultiRon == HonbaNearest {
			honba = 0
		}
		s.settle(t, &winners[i], honba)
	}
	left := t.Deposits
	var sticks [len(t.Winners)]int
	if s.knobs.DepositsMultiRon == OwnDepositBack {
		for i := range winners {
			if t.Sticks.Has(winners[i].Chair) {
				sticks[i] = 1
				left--
			}
		}
	}
	sticks[0] += left
	for i := range winners {
		t.Pay(ruleset.Pot, winners[i].Chair, sticks[i]*s.knobs.RiichiStick, ruleset.ForDeposit)
	}
}

// settle appends what one winner receives from the other players.
func (s *scorer) settle(t *ruleset.Settlement, w *ruleset.Winner, honba int) {
	var owed, extra [ruleset.NumPlayers]int
	covers, n := s.covers(w)
	selfDraw := t.From == ruleset.NoChair
	each := selfDraw || s.knobs.RonPayment == EachPays
	dealer := w.Chair == t.Dealer
	payers := s.knobs.NumSeats() - 1
	rest := w.Value.Base
	for _, c := range covers[:n] {
		rest -= c.base
		amount := int(s.points(c.base, dealer, selfDraw) + s.gap(c.base, dealer, each))
		if selfDraw {
			owed[c.chair] += amount
		} else {
			owed[c.chair] += amount / 2
			owed[t.From] += amount / 2
		}
	}
	if selfDraw {
		feeder := w.Liable[rinshanPao] // pays for all, where the rules have it
		for i := range payers {
			c := s.knobs.NextChair(w.Chair, i+1)
			share := s.selfDrawShare(rest, dealer || c == t.Dealer) + s.gapShare(rest, dealer)
			if s.knobs.RinshanPao && feeder != ruleset.NoChair {
				c = feeder
			}
			owed[c] += int(share)
			if n > 0 {
				c = covers[0].chair
			}
			extra[c] += honba / payers
		}
	} else {
		if s.knobs.RonPayment == EachPays {
			for i := range payers {
				c := s.knobs.NextChair(w.Chair, i+1)
				owed[c] += int(s.selfDrawShare(rest, dealer || c == t.Dealer) + s.gapShare(rest, dealer))
			}
		} else {
			owed[t.From] += int(s.points(rest, dealer, false))
		}
		c := t.From
		if n > 0 && s.knobs.PaoHonbaOnRon == PaoHonbaLiable {
			c = covers[0].chair
		}
		extra[c] = honba
	}
	for i := range payers {
		c := s.knobs.NextChair(w.Chair, i+1)
		t.Pay(c, w.Chair, owed[c], ruleset.ForWin)
		t.Pay(c, w.Chair, extra[c], ruleset.ForCounter)
	}
}

// Drawn appends the payments of an exhausted wall (S4 3.14, S0 draw 4). Every player with
// a river of terminals and honors gains a mangan by self-draw. If there is none, the noten
// payments follow.
func (s *scorer) Drawn(t *ruleset.Settlement) {
	if s.knobs.Nagashi == NagashiDrawBonus && t.Nagashi != 0 {
		for i := range s.knobs.NumSeats() {
			c := s.knobs.NextChair(t.Dealer, i)
			if t.Nagashi.Has(c) {
				s.nagashi(t, c)
			}
		}
		return
	}
	tenpai := make([]ruleset.Chair, 0, ruleset.NumPlayers)
	noten := make([]ruleset.Chair, 0, ruleset.NumPlayers)
	for i := range s.knobs.NumSeats() {
		if c := s.knobs.NextChair(t.Dealer, i); t.Ready.Has(c) {
			tenpai = append(tenpai, c)
		} else {
			noten = append(noten, c)
		}
	}
	if len(tenpai) == 0 || len(noten) == 0 {
		return
	}
	n := max(len(tenpai), len(noten))
	for i := range n {
		t.Pay(noten[i%len(noten)], tenpai[i%len(tenpai)], s.knobs.NotenTotal/n, ruleset.ForNoten)
	}
}

// nagashi appends a mangan by self-draw to chair c.
func (s *scorer) nagashi(t *ruleset.Settlement, c ruleset.Chair) {
	dealer := c == t.Dealer
	for i := range s.knobs.NumSeats() - 1 {
		payer := s.knobs.NextChair(c, i+1)
		amount := s.selfDrawShare(mangan, dealer || payer == t.Dealer) + s.gapShare(mangan, dealer)
		t.Pay(payer, c, int(amount), ruleset.ForNagashi)
	}
}
