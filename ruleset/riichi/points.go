package riichi

// Limits of the base (S4 4.2, S0 table).
const (
	mangan      = 2000
	haneman     = 3000
	baiman      = 4000
	sanbaiman   = 6000
	yakumanBase = 8000
)

// limitsOf returns the most that the base can be, by han up to thirteen (S4 4.2, S0
// table).
func limitsOf(counted Counted) [14]int32 {
	limits := [...]int32{
		1: mangan, 2: mangan, 3: mangan, 4: mangan, 5: mangan, 6: haneman, 7: haneman,
		8: baiman, 9: baiman, 10: baiman, 11: sanbaiman, 12: sanbaiman, 13: sanbaiman,
	}
	if counted == CountedYakuman {
		limits[13] = yakumanBase
	}
	return limits
}

// base returns what payments are computed from (S4 4.3.1, S0 pay 9). From five han on
// any fu, which are twenty at least, reach the limit. A table has the base instead.
func (s *scorer) base(han, fu uint8) int32 {
	if n := s.knobs.PointsTable.Len; n > 0 {
		return s.knobs.PointsTable.List[min(han, n-1)]
	}
	han = min(han, 13)
	b := min(int32(fu)<<(han+2), s.limits[han])
	if b == 1920 && s.knobs.Kiriage {
		return mangan
	}
	return b
}

// up rounds a payment up to a multiple of 100.
func up(points int32) int32 { return (points + 99) / 100 * 100 }

// points returns what a win is worth to the winner, without honba, sticks and gap (S4 4.3.1,
// S0 pay 2-3).
func (s *scorer) points(base int32, dealer, selfDraw bool) int32 {
	p := &s.shares[bit(dealer)][bit(selfDraw)]
	return p[0].payers*up(p[0].times*base) + p[1].payers*up(p[1].times*base)
}

// shares are how many players pay how many times the base, [dealer][self-draw]: the one who
// gave the tile or the others, and of these the dealer by himself.
type shares [2][2][2]struct{ payers, times int32 }

// sharesOf returns the shares where the dealer pays and wins so many times what others do.
// One who pays alone pays the same among three players as among four.
func (c *Config) sharesOf(dealer int32) shares {
	payers := int32(c.NumSeats() - 1)
	list := shares{
		{{{1, 2 + dealer}}, {{payers - 1, 1}, {1, dealer}}},
		{{{1, 3 * dealer}}, {{payers, dealer}}},
	}
	if c.RonPayment == EachPays {
		list[0][0], list[1][0] = list[0][1], list[1][1]
	}
	return list
}

// selfDrawShare returns what one payer of a self-draw pays: by the factor of the dealer if
// he or the winner deals.
func (s *scorer) selfDrawShare(base int32, dealer bool) int32 {
	if dealer {
		base *= s.dealer
	}
	return up(base)
}

// gapShare returns what each payer of a self-draw adds for the missing fourth player, whose
// share has that factor if the winner deals (SM 11.1).
func (s *scorer) gapShare(base int32, dealer bool) int32 {
	if !s.gapShared {
		return 0
	}
	return up(s.selfDrawShare(base, dealer) / 2)
}

// gap returns what the payers of a win, if each pays by himself, add together for the missing
// fourth player.
func (s *scorer) gap(base int32, dealer, each bool) int32 {
	if !each {
		return 0
	}
	return 2 * s.gapShare(base, dealer)
}
