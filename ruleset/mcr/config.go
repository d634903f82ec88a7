package mcr

import "github.com/sparrowhall/sparrowhall/ruleset"

// Config is the knobs of a ruleset of the family. The D-numbers name the open
// points of the rule text that a knob decides.
type Config struct {
	ruleset.Flow

	// Payments.
	BasePoints       int                 `knob:"base_points" range:"0,1000" doc:"fixed payment of each loser"`
	DiscardPayment   DiscardPayment      `knob:"mcr_discard_payment" spec:"discard_payment" doc:"who pays the fan of a win on a discard besides the fixed payment"`
	PointsTable      ruleset.PointsTable `knob:"points_table" doc:"points that a player pays by fan, or none: the fan"`
	PointsCap        ruleset.Limit       `knob:"points_cap" range:"1,1000" zero:"none" doc:"most fan that are paid, or none"`
	DealerFactor     int                 `knob:"dealer_factor" range:"1,4" zero:"1" doc:"factor of payments between the dealer and another player"`
	FlowerPoints     int                 `knob:"flower_points" range:"0,100" doc:"points of each flower"`
	FlowersInMinimum bool                `knob:"flowers_count_for_min" doc:"flowers help to reach min_win"`

	// Value of a hand.
	TwoConcealedKongs  int             `knob:"two_concealed_kongs_points" range:"1,88" doc:"value of two concealed kongs (D1)"`
	MixedKongs         int             `knob:"mixed_kongs_points" range:"0,88" doc:"value of one melded and one concealed kong; 0 counts each on its own (D2)"`
	SpecialSelfDraw    SpecialSelfDraw `knob:"special_self_draw" doc:"fan of the self-draw of hands that are concealed by nature (D3)"`
	KongConcealment    KongConcealment `knob:"kong_concealment" doc:"what concealed kongs add to three and four kongs (D4)"`
	GreenHalfFlush     bool            `knob:"all_green_allows_half_flush" doc:"half flush counts with all green (D5)"`
	TerminalDoublePung bool            `knob:"all_terminals_allows_double_pung" doc:"double pung counts with all terminals (D6)"`
	InevitableHog      InevitableHog   `knob:"inevitable_tile_hog" doc:"tile hog for the quad that seven pairs of six kinds cannot avoid (D7)"`
	NineGatesPungs     NineGatesPungs  `knob:"nine_gates_terminal_pungs" doc:"pungs of terminals that nine gates covers (D8)"`
	KnittedWaits       KnittedWaits    `knob:"knitted_straight_waits" doc:"wait fans with a knitted straight (D9)"`
	LesserStraight     bool            `knob:"lesser_knitted_straight" doc:"nine knitted tiles among honors and knitted tiles are a knitted straight (D10)"`
	ClaimedPung        ClaimedPung     `knob:"pung_by_discard" doc:"whether a pung completed by the winning discard is concealed (D11)"`
	ExhaustedWaits     bool            `knob:"exhausted_kinds_are_waits" doc:"a wait is not unique although the own hand holds all of the other kind (D12)"`
	PairsComposition   bool            `knob:"seven_pairs_composition" doc:"fans of the kinds of tiles count with seven pairs (D14)"`
	PairsQuads         bool            `knob:"seven_pairs_quads" doc:"four equal tiles may be two of seven pairs"`
	HonorHogs          bool            `knob:"tile_hog_honors" doc:"four equal honors are a tile hog (D15)"`
	Chicken            bool            `knob:"chicken_hand" doc:"a hand without any fan is a chicken hand"`
	InitialWinTile     InitialWinTile  `knob:"initial_win_tile" doc:"winning tile of a win with the dealt tiles: the last received, or none, so that waits and nine gates do not count (D21)"`
	Patterns           Prices          `knob:"patterns" doc:"points of fan that differ from the list, and fan that do not exist"`
}

// Check returns the contradictions between knobs, and the values of shared
// knobs that the family gives no meaning to.
func (c *Config) Check() []ruleset.Problem {
	var p ruleset.Problems
	c.checkWall(&p)
	c.checkCalls(&p)
	c.checkPlacement(&p)
	c.checkPrices(&p)
	c.checkPoints(&p)
	return p
}

// checkPoints records contradictions between the table of points, the cap and the minimum.
func (c *Config) checkPoints(p *ruleset.Problems) {
	t := &c.PointsTable
	p.Need(t.Len > 0 || t.Curve == ruleset.NoTable, "points_table",
		"%q: fan have no such curve: allowed are \"none\" and a list", ruleset.WordOf(t.Curve))
	p.Need(c.PointsCap == 0 || int(c.PointsCap) >= c.MinWin, "points_cap",
		"%d is below min_win = %d, so that all hands would be worth the same; at least %[2]d, or \"none\"", c.PointsCap, c.MinWin)
	p.Need(t.Len == 0 || c.BasePoints > 0 || t.List[min(c.MinWin, int(t.Len)-1)] > 0, "points_table",
		"%d fan are worth nothing, but min_win = %[1]d lets them win and base_points = 0; the entries from there on are above 0", c.MinWin)
}

func (c *Config) checkWall(p *ruleset.Problems) {
	p.Need(c.HandSize == 13, "hand_size", "%d: hands have 13 tiles", c.HandSize)
	p.Need(c.DeadWall == 0, "dead_wall", "%d: all tiles are drawn, so 0", c.DeadWall)
	if c.Walls == ruleset.WallPerSeat {
		p.Need(c.Flowers == ruleset.NoFlowers, "flowers",
			"private walls are 34 tiles without flowers: allowed with walls = \"per_seat\" is \"none\"")
		p.Need(c.ReplacementFrom == ruleset.FromFront, "replacement_from",
			"private walls have one end: allowed with walls = \"per_seat\" is \"front\"")
	}
}

func (c *Config) checkCalls(p *ruleset.Problems) {
	p.Need(c.MultiWin != ruleset.WinAllAbortOnTriple, "multi_win",
		"three winners abort no hand: allowed are \"nearest\" and \"all\"")
	p.Need(c.RobClosedKan != ruleset.RobClosedAlways, "rob_closed_kan",
		"only thirteen orphans may rob a concealed kong: allowed are \"never\" and \"orphans\"")
	p.Need(c.Ready == ruleset.NoReady, "ready", "no hand is declared ready: allowed is \"none\"")
	p.Need(!c.OneShot, "one_shot", "no hand is declared ready: must be false")
	p.Need(c.RiverLock == ruleset.LockOff, "river_lock", "own discards forbid nothing: allowed is \"off\"")
	p.Need(c.PassLock == ruleset.LockOff, "pass_lock", "passing forbids nothing: allowed is \"off\"")
	p.Need(c.PonPass == ruleset.PonPassOff, "pon_pass", "passing forbids nothing: allowed is \"off\"")
}

// checkPrices refuses prices that other knobs or prices contradict.
func (c *Config) checkPrices(p *ruleset.Problems) {
	p.Need(c.Chicken || !c.Patterns[placeOf(bag{majors: chickenHand})].IsGiven(), "patterns.chicken_hand",
		"chicken_hand = false says that there is none")
	for _, shape := range [...]struct{ of, id majors }{
		{sevenPairs, sevenShiftedPairs},
		{lesserHonorsAndKnittedTiles, greaterHonorsAndKnittedTiles},
	} {
		of, id := placeOf(bag{majors: shape.of}), placeOf(bag{majors: shape.id})
		p.Need(!c.Patterns[of].IsOff() || !c.Patterns[id].IsGiven(), "patterns."+patterns[id].ID,
			"%s is off, and with it the shape", patterns[of].ID)
	}
}

func (c *Config) checkPlacement(p *ruleset.Problems) {
	switch c.PlacementTie {
	case ruleset.TieHigh:
	case ruleset.TieSplit:
		for i := range c.Placement {
			sum := c.Placement[i]
			for j := i + 1; j < len(c.Placement); j++ {
				sum += c.Placement[j]
				n := j - i + 1
				p.Need(int(sum)%n == 0, "placement", "%v points cannot be divided exactly by %d players",
					float64(sum)/ruleset.PlacementUnit, n)
			}
		}
	default:
		p.Need(false, "placement_tie", "allowed are \"split\" and \"high\"")
	}
}
