package riichi

import (
	"cmp"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Final ranks the players by points, hands out the sticks left on the table and
// computes the final scores, exactly (S4 2.12; S0 sum.4-5, sum.23, end 3-6).
// The score is
//
//	((points + share - return_points) / 1000 + bonus) x factor
//
// with the bonus of the place, oka included, and the factor of the number of
// wind rounds. Sticks do not change the ranking.
//
// Equal points rank by distance from the first dealer under seat_order.
// Otherwise they share the better rank, and the bonuses of their places are
// added and divided: exactly, or into tenths, of which the player nearest the
// first dealer gets those left over. Tenths are rounded downwards, so there are
// never fewer than none left.
func (s *scorer) Final(f *ruleset.Final) {
	all := [ruleset.NumPlayers]int{0, 1, 2, 3}
	order := all[:s.knobs.NumSeats()]
	slices.SortStableFunc(order, func(p, q int) int { return cmp.Compare(f.Points[q], f.Points[p]) })
	for first := 0; first < len(order); {
		last := first
		for s.knobs.PlacementTie != ruleset.TieSeatOrder && last+1 < len(order) &&
			f.Points[order[last+1]] == f.Points[order[first]] {
			last++
		}
		tied := order[first : last+1]
		if first == 0 {
			s.shareDeposits(f, tied)
		}
		s.place(f, tied, first)
		first = last + 1
	}
}

// shareDeposits gives the sticks left on the table to the first of the winners
// of the match, or divides them into hundreds (S0 end 3-4).
func (s *scorer) shareDeposits(f *ruleset.Final, winners []int) {
	sticks := int32(f.Deposits * s.knobs.RiichiStick)
	switch s.knobs.Leftover {
	case LeftoverVoid:
		sticks = 0
	case LeftoverFirst:
		winners = winners[:1]
	}
	n := int32(len(winners))
	share := sticks / n / 100 * 100
	for _, p := range winners {
		f.Share[p] = share
	}
	f.Share[winners[0]] += sticks - n*share
}

// place fills in the standings of players with equal points, whose places start
// at the index first.
func (s *scorer) place(f *ruleset.Final, tied []int, first int) {
	factor := int(s.knobs.WindFactors[(f.Rounds-1)&3])
	sum := 0
	for i := range tied {
		sum += int(s.knobs.bonus(first + i))
	}
	n := len(tied)
	for i, p := range tied {
		bonus := sum * factor / n
		if s.knobs.PlacementTie == ruleset.TieSplitRemainderToFirstDealer && n > 1 {
			const tenth = ruleset.PlacementUnit / 10
			share := (sum - mod(sum, n*tenth)) / n
			if i == 0 {
				share = sum - (n-1)*share
			}
			bonus = share * factor
		}
		points := int(f.Points[p]+f.Share[p]) - s.knobs.ReturnPoints
		f.Rank[p] = uint8(first + 1)
		f.Placement[p] = ruleset.Placement((int(thousands(points))*factor + bonus) / ruleset.PlacementUnit)
	}
}

// mod returns the remainder of a divided by b, from 0 to b-1.
func mod(a, b int) int { return ((a % b) + b) % b }
