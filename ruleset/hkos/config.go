package hkos

import "github.com/sparrowhall/sparrowhall/ruleset"

// Config is the knobs of a ruleset of Hong Kong Old Style.
type Config struct {
	ruleset.Flow

	// Value of a hand.
	FlowersCount         bool              `knob:"flowers_count_for_min" doc:"the faan of flowers, and of having none, count toward min_win"`
	LimitExclusive       bool              `knob:"limit_exclusive" doc:"of a hand with limit patterns only the highest of them counts, with ways of winning and flowers"`
	SequencesPair        SequencesPair     `knob:"all_sequences_pair" doc:"pair that all_sequences may have"`
	QuadsArePairs        bool              `knob:"seven_pairs_quads" doc:"four equal tiles are two of the seven pairs"`
	ClaimedTripletCounts bool              `knob:"discard_triplet_concealed" doc:"a triplet completed by the winning discard counts as concealed"`
	ConcealedKongs       ruleset.HandKongs `knob:"concealed_hand_kongs" doc:"kans that a concealed hand may have: all but added ones, closed ones, none"`
	ConcealedFlowers     ConcealedFlowers  `knob:"concealed_hand_flowers" doc:"concealed_hand with exposed flowers"`
	GatesAnyWait         bool              `knob:"nine_gates_any_wait" doc:"nine_gates is made by any of its tiles, not by one of nine waits alone"`
	SetKeepsProper       bool              `knob:"flower_set_keeps_proper" doc:"the seat flower counts beside its set"`
	Patterns             Prices            `knob:"patterns" doc:"faan of patterns that differ from the table, and patterns that do not exist"`

	// Points and payments.
	PointsTable    ruleset.PointsTable `knob:"points_table" doc:"share by faan"`
	SpicyFrom      int                 `knob:"spicy_from" range:"1,13" doc:"faan from which half_spicy doubles with each second faan only"`
	PointsCap      ruleset.Limit       `knob:"points_cap" range:"1,100" doc:"most faan that count, or none"`
	DiscarderShare int                 `knob:"discarder_share" range:"0,12" doc:"shares that the discarder pays"`
	OtherShare     int                 `knob:"other_share" range:"0,4" doc:"shares that each other player pays for a win on a discard"`
	SelfDrawShare  int                 `knob:"self_draw_multiplier" range:"0,12" doc:"shares that each player pays for a self-draw"`
	DealerFactor   int                 `knob:"dealer_factor" range:"1,2" doc:"factor of payments between the dealer and another player"`
	RobPayment     RobPayment          `knob:"rob_payment" doc:"payment for a robbed kan"`

	// Liability.
	Liable           LiabilitySet   `knob:"liability" doc:"what makes the giver of a tile liable for a win"`
	LiabilityScope   LiabilityScope `knob:"liability_scope" doc:"wins for which a liable player pays"`
	LiableClosedKans bool           `knob:"liability_counts_closed_kan" doc:"closed kans count among the sets that make a player liable"`
}

// Check returns the contradictions between knobs, and the values of shared knobs
// that the family cannot be played with.
func (c *Config) Check() []ruleset.Problem {
	var p ruleset.Problems
	p.NeedPlain(&c.Flow)
	p.Need(c.HandSize == 13, "hand_size", "%d: hands have 13 tiles", c.HandSize)
	p.Need(c.Flowers != ruleset.OptionalFlowers, "flowers", "flowers are exposed at once: allowed are \"none\" and \"forced\"")
	p.Need(c.LastFlower == ruleset.RevealLastFlower, "last_flower", "a flower is never discarded: allowed is \"reveal\"")
	p.Need(c.DealerExtraTile == ruleset.ExtraDealt, "dealer_extra_tile", "no draw precedes the first discard: allowed is \"dealt\"")
	p.Need(c.Ready == ruleset.NoReady, "ready", "there is no declaration of a ready hand: allowed is \"none\"")
	p.Need(c.SelfDrawShare > 0, "self_draw_multiplier", "0: no player would pay for a self-draw; at least 1")
	p.Need(c.DiscarderShare+c.OtherShare > 0, "discarder_share",
		"0 as other_share is: no player would pay for a win on a discard; at least 1 of one of them")
	for _, win := range [...]struct {
		by      bool
		key     string
		pattern int
	}{{c.FlowerDrawSeven, "flower_win_seven", sevenFlowers}, {c.FlowerWinEight, "flower_win_eight", eightFlowers}} {
		p.Need(!win.by || !c.Patterns[win.pattern].IsOff(), win.key, "true, but the win is worth nothing: patterns.%s is \"off\"", patterns[win.pattern].ID)
	}
	c.checkValue(&p)
	return p
}

// checkValue records contradictions between the table of points, the cap and the minimum.
func (c *Config) checkValue(p *ruleset.Problems) {
	most := c.mostFaan(c.MinWin)
	capped := c.PointsCap != ruleset.NoLimit
	switch {
	case c.MinWin > most:
		p.Need(false, "min_win", "%d: no hand has more than %d faan that count toward it; at most %[2]d", c.MinWin, most)
		return
	case capped && int(c.PointsCap) < c.MinWin:
		p.Need(false, "points_cap", "%d is below min_win = %d, so that no hand could win; at least %d, or \"none\"", c.PointsCap, c.MinWin, c.MinWin)
		return
	}
	shares := c.shares()
	last := len(shares) - 1
	p.Need(c.PointsTable.Len > 0 || !capped || int(c.PointsCap) <= last, "points_cap",
		"%d: the table passes %d beyond %d faan; at most %d, \"none\" for that, or a list as points_table", c.PointsCap, ruleset.MaxPointsShare, last, last)
	p.Need(shares[min(c.MinWin, last)] > 0, "points_table",
		"%d faan are worth nothing, but min_win = %[1]d lets them win; the entries from there on are above 0", c.MinWin)
}

// shares returns the share for each number of faan that counts.
func (c *Config) shares() []int32 {
	most := ruleset.MaxPointsTable - 1
	if c.PointsCap != ruleset.NoLimit {
		most = int(c.PointsCap)
	}
	return c.PointsTable.Shares(c.SpicyFrom, most)
}
