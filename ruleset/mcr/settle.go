package mcr

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
)

// Settle appends the payments of a won hand (GB06 3.9.1). Each other player pays
// the fixed payment. All pay the fan, flowers included, or what the table of points has for
// them, on a self-draw. On a discard the discarder pays them alone, or all do. Several
// winners are each paid as if alone.
func (s *scorer) Settle(t *ruleset.Settlement) {
	for i := range t.Winners[:t.NumWinners] {
		w := &t.Winners[i]
		for n := 1; n < ruleset.NumPlayers; n++ {
			c := w.Chair.Next(n)
			amount := s.knobs.BasePoints
			if t.From == ruleset.NoChair || t.From == c || s.knobs.DiscardPayment == AllPayFan {
				amount += s.paid(int(w.Value.Points))
			}
			if c == t.Dealer || w.Chair == t.Dealer {
				amount *= s.knobs.DealerFactor + 1
			}
			t.Pay(c, w.Chair, amount, ruleset.ForWin)
		}
	}
}

// paid returns what a player pays for so many fan.
func (s *scorer) paid(fan int) int {
	if s.knobs.PointsCap != 0 {
		fan = min(fan, int(s.knobs.PointsCap))
	}
	if n := int(s.knobs.PointsTable.Len); n > 0 {
		return int(s.knobs.PointsTable.List[min(fan, n-1)])
	}
	return fan
}

// Drawn appends nothing: an exhausted hand pays nothing (SEED 3.4.30).
func (*scorer) Drawn(*ruleset.Settlement) {}

// Liability returns 0: no player pays for having fed a set.
func (*scorer) Liability([]hand.Meld) uint8 { return 0 }

// Final ranks the players by points and gives out the table points. Players
// with equal points share the better rank; they share the table points of their
// places equally, or each gets those of the best.
func (s *scorer) Final(f *ruleset.Final) {
	f.RankByPoints(false)
	for p, points := range f.Points {
		first, tied := int(f.Rank[p])-1, 0
		for _, other := range f.Points {
			if other == points {
				tied++
			}
		}
		sum := ruleset.Placement(0)
		for _, place := range s.knobs.Placement[first : first+tied] {
			sum += place
		}
		f.Placement[p] = sum / ruleset.Placement(tied)
		if s.knobs.PlacementTie == ruleset.TieHigh {
			f.Placement[p] = s.knobs.Placement[first]
		}
		f.Share[p] = 0
	}
}
