package riichi

import "github.com/sparrowhall/sparrowhall/ruleset"

// Config is the knobs of a riichi ruleset.
type Config struct {
	ruleset.Flow

	// Score of the match.
	WindFactors  WindFactors       `knob:"score_multiplier_by_winds" doc:"factor of the final score by number of wind rounds"`
	ReturnPoints int               `knob:"return_points" range:"-1000000,1000000" doc:"points subtracted at settlement"`
	Oka          ruleset.Placement `knob:"oka" doc:"paid to first place: the gap between starting and return points of all players together, in thousands"`
	Leftover     Leftover          `knob:"leftover_deposits" doc:"riichi sticks still on the table at the end of the match"`

	// Value of a hand.
	Kuitan          bool      `knob:"kuitan" doc:"tanyao with an open hand"`
	Kiriage         bool      `knob:"kiriage_mangan" doc:"4 han 30 fu and 3 han 60 fu are rounded up to mangan"`
	Counted         Counted   `knob:"counted_limit" doc:"value of 13 and more han without a yakuman"`
	YakumanStacking bool      `knob:"yakuman_stacking" doc:"several yakuman in one hand add up"`
	DoubleYakuman   DoubleSet `knob:"double_yakuman" doc:"patterns worth two yakuman"`
	Renhou          Renhou    `knob:"renhou" doc:"win on a discard before the first own draw"`
	DoubleWindFu    int       `knob:"double_wind_pair_fu" range:"2,4" doc:"fu of a pair that is both seat and round wind"`
	RinshanTsumoFu  int       `knob:"rinshan_tsumo_fu" range:"0,2" doc:"fu of the self-draw on a replacement tile"`
	PinfuTsumo      bool      `knob:"pinfu_tsumo" doc:"pinfu counts on a self-draw, with 20 fu"`
	OpenMinFu       int       `knob:"open_no_fu_min" range:"20,30" doc:"fu of an open hand without any further fu"`
	KitaAlsoDora    bool      `knob:"kita_also_dora" three:"true" doc:"Norths set aside count as dora and ura dora where an indicator shows West"`
	Patterns        Prices    `knob:"patterns" doc:"han of patterns that differ from the list, multiples of yakuman, and patterns that do not exist"`

	// Payments.
	PointsTable      ruleset.PointsTable `knob:"points_table" doc:"base of payments by han instead of fu and limits, or none; yakuman, and a mangan that is no number of han, keep theirs"`
	DealerFactor     int                 `knob:"dealer_factor" range:"1,4" zero:"2" doc:"factor of payments between the dealer and another player"`
	RonPayment       RonPayment          `knob:"ron_payment" doc:"who pays for a win on a discard"`
	HonbaMultiRon    HonbaMultiRon       `knob:"honba_multi_ron" doc:"who collects honba when several win on a tile"`
	DepositsMultiRon DepositsMultiRon    `knob:"deposits_multi_ron" doc:"who collects riichi sticks when several win on a tile"`
	HonbaValue       int                 `knob:"honba_value" range:"0,30000" doc:"points of one honba, a multiple of 100 for each payer of a self-draw"`
	NotenTotal       int                 `knob:"noten_total" range:"0,60000" doc:"points moved from noten to tenpai players at an exhausted wall"`
	SelfDrawGap      SelfDrawGap         `knob:"self_draw_gap" three:"true" doc:"share of the missing fourth player of a self-draw"`
	Nagashi          Nagashi             `knob:"nagashi_mangan" doc:"payment for a river of terminals and honors only, none of them claimed"`

	// Liability.
	PaoYakuman     PaoSet      `knob:"pao_yakuman" doc:"yakuman whose last set makes its giver liable"`
	PaoCountsAnkan bool        `knob:"pao_counts_ankan" doc:"closed kans count among the exposed sets"`
	PaoScope       PaoScope    `knob:"pao_scope" doc:"part of several yakuman that is covered"`
	PaoHonbaOnRon  PaoHonba    `knob:"pao_honba_on_ron" doc:"who pays honba when a win on a discard is split"`
	PaoMultiple    PaoMultiple `knob:"pao_multiple" doc:"two different players liable for one hand"`
	RinshanPao     bool        `knob:"rinshan_pao" doc:"the giver of an open kan pays for a win on its replacement tile"`
}

// WindFactors holds at i the factor of the final score of a match of i+1 wind
// rounds; 0 means that the ruleset has no such match.
type WindFactors [4]ruleset.Placement

// Keys returns the numbers of wind rounds in the order of the factors.
func (WindFactors) Keys() []string { return []string{"1", "2", "3", "4"} }

// IsSet marks the type as a set of the words.
func (DoubleSet) IsSet() {}

// IsSet marks the type as a set of the words.
func (PaoSet) IsSet() {}

// Check returns the contradictions between knobs, and the values of shared
// knobs that riichi cannot be played with.
func (c *Config) Check() []ruleset.Problem {
	var p ruleset.Problems
	c.checkTable(&p)
	c.checkPoints(&p)
	c.checkFinal(&p)
	c.checkPrices(&p)
	return p
}

func (c *Config) checkTable(p *ruleset.Problems) {
	p.Need(c.HandSize == 13, "hand_size", "%d: riichi hands have 13 tiles", c.HandSize)
	p.Need(c.Flowers == ruleset.NoFlowers, "flowers", "riichi has no flowers: allowed is \"none\"")
	p.Need(c.Walls == ruleset.SharedWall, "walls", "riichi has one wall: allowed is \"shared\"")
	p.Need(c.DeadWall == 14, "dead_wall", "%d: indicators and replacement tiles need a dead wall of 14", c.DeadWall)
	p.Need(c.ReplacementFrom == ruleset.FromTail, "replacement_from",
		"replacement tiles come out of the dead wall: allowed is \"tail\"")
	p.Need(c.ReplacementOrder == ruleset.TopFirst, "replacement_order",
		"the dead wall is taken stack by stack: allowed is \"top_first\"")
	p.Need(c.LastTileWhen == ruleset.WallEmpty, "last_tile_when", "riichi has one wall: allowed is \"wall_empty\"")
	c.checkSeats(p)
	p.Need(c.MaxKans >= 0 && c.MaxKans <= 4, "max_kans", "the dead wall holds four replacement tiles: allowed is 0 to 4")
	p.Need(c.RobClosedKan != ruleset.RobClosedAlways, "rob_closed_kan",
		"only kokushi musou may rob a closed kan: allowed are \"never\" and \"orphans\"")
	p.Need(c.MinWin >= 1, "min_win", "%d: a win needs a yaku, so at least 1", c.MinWin)
	p.Need(c.Ready != ruleset.Ding, "ready", "allowed are \"none\" and \"riichi\"")
	p.Need(c.Ready != ruleset.Riichi || c.ReadyClosedOnly, "ready_closed_only",
		"riichi is for closed hands: must be true")
	p.Need(c.Rounds != 3, "rounds", "allowed are 1, 2 and 4 wind rounds")
	p.Need(c.Extension == ruleset.NoExtension || c.Rounds < 4, "extension",
		"no wind follows the fourth round: allowed with rounds = %d is \"none\"", c.Rounds)
	c.needYamePoints(p, "agari_yame", c.AgariYame)
	c.needYamePoints(p, "tenpai_yame", c.TenpaiYame)
}

// checkSeats refuses what three players, or four, cannot be dealt or cannot do.
func (c *Config) checkSeats(p *ruleset.Problems) {
	if c.Seats == ruleset.FourSeats {
		p.Need(!c.Patterns[nukiDora].IsGiven(), "patterns.nuki_dora", "Norths are set aside by three players only: needs seats = 3")
		return
	}
	p.Need(c.HandsPerRound <= 3, "hands_per_round", "%d: with three players at most 3", c.HandsPerRound)
	p.Need(c.SeatRotation == ruleset.NoRotation, "seat_rotation", "the table of seats is of four players: allowed is \"none\"")
	p.Need(c.Placement[3] == 0, "placement", "the base has four places: give the points of three")
	p.Need(c.TileSet == ruleset.FullSet || c.AkaDora[0] == 0, "aka_dora",
		"there is no five of characters under tile_set = \"no_middle_characters\": the first number must be 0")
	p.Need(c.Kita == ruleset.NoKita || c.ReplacementTiles == 8, "replacement_tiles",
		"%d: four kans and four Norths need 8", c.ReplacementTiles)
	p.Need(c.ChiFrom == ruleset.ChiFromNone, "chi_from", "three players claim no sequences: allowed is \"none\"")
	p.Need(c.MultiWin != ruleset.WinAllAbortOnTriple, "multi_win", "two players at most win on a tile: allowed are \"nearest\" and \"all\"")
	p.Need(!c.FourWindsAbort, "suufon_renda", "there are three first discards: allowed is false")
	p.Need(!c.FourRiichiAbort, "suucha_riichi", "there are three players: allowed is false")
}

func (c *Config) needYamePoints(p *ruleset.Problems, key string, yame ruleset.Yame) {
	p.Need(yame == ruleset.NoYame || c.YameMinPoints != 0, key,
		"%q needs yame_min_points, the points the dealer must have (1 requires only the lead)", ruleset.WordOf(yame))
}

// checkPoints keeps all points multiples of 100, as the sticks are.
func (c *Config) checkPoints(p *ruleset.Problems) {
	for _, k := range []struct {
		key       string
		value, of int
	}{
		{"starting_points", c.StartingPoints, 100},
		{"return_points", c.ReturnPoints, 100},
		{"riichi_stick", c.RiichiStick, 100},
		{"honba_value", c.HonbaValue, 100 * (c.NumSeats() - 1)},
		{"noten_total", c.NotenTotal, 100 * []int{3: 2, 4: 6}[c.NumSeats()]},
	} {
		p.Need(k.value%k.of == 0, k.key, "%d is not a multiple of %d", k.value, k.of)
	}
	p.Need(c.StartingPoints > 0, "starting_points", "%d: must be positive", c.StartingPoints)
	p.Need(c.ReturnPoints >= c.StartingPoints, "return_points", "%d is below starting_points = %d",
		c.ReturnPoints, c.StartingPoints)
	p.Need(c.DoubleWindFu%2 == 0, "double_wind_pair_fu", "%d: allowed are 2 and 4", c.DoubleWindFu)
	p.Need(c.RinshanTsumoFu%2 == 0, "rinshan_tsumo_fu", "%d: allowed are 0 and 2", c.RinshanTsumoFu)
	p.Need(c.PointsTable.Len > 0 || c.PointsTable.Curve == ruleset.NoTable, "points_table",
		"%q: han have no such curve: allowed are \"none\" and a list", ruleset.WordOf(c.PointsTable.Curve))
	p.Need(c.PointsTable.Len == 0 || c.PointsTable.List[min(c.MinWin, int(c.PointsTable.Len)-1)] > 0, "points_table",
		"%d han are worth nothing, but min_win = %[1]d lets them win; the entries from there on are above 0", c.MinWin)
	p.Need(c.OpenMinFu%10 == 0, "open_no_fu_min", "%d: allowed are 20 and 30", c.OpenMinFu)
}

func (c *Config) checkFinal(p *ruleset.Problems) {
	var sum ruleset.Placement
	for _, u := range c.Placement {
		sum += u
	}
	p.Need(sum == 0, "placement", "adds up to %v, must be 0", decimal(sum))
	seats := c.NumSeats()
	oka := thousands(seats * (c.ReturnPoints - c.StartingPoints))
	p.Need(c.Oka == oka, "oka", "%v: %d times the gap between return_points and starting_points is %v, in thousands: set oka = %[3]v, or both points alike and oka = 0",
		decimal(c.Oka), seats, decimal(oka))
	p.Need(c.PlacementTie != ruleset.TieHigh, "placement_tie", "\"high\" pays more than there is: allowed are "+
		"\"split\", \"split_remainder_to_start_dealer\" and \"seat_order\"")
	if c.Rounds < 1 || c.Rounds > len(c.WindFactors) {
		return
	}
	const key = "score_multiplier_by_winds"
	factor := c.WindFactors[c.Rounds-1]
	p.Need(factor > 0 && factor <= 100*ruleset.PlacementUnit, key, "%v for rounds = %d: must be above 0, at most 100",
		decimal(factor), c.Rounds)
	// Points are multiples of 100, which are 12 units of placement.
	p.Need(12*factor%ruleset.PlacementUnit == 0, key, "%v does not keep scores exact: use a multiple of 0.25",
		decimal(factor))
	for i := range seats {
		sum := ruleset.Placement(0)
		for j := i; j < seats && (j == i || c.PlacementTie == ruleset.TieSplit); j++ {
			sum += c.bonus(j)
			n := j - i + 1
			p.Need(int(sum)*int(factor)%(n*ruleset.PlacementUnit) == 0, "placement",
				"%v times the factor %v cannot be divided exactly by %d players", decimal(sum), decimal(factor), n)
		}
	}
}

// checkPrices refuses prices that other knobs contradict.
func (c *Config) checkPrices(p *ruleset.Problems) {
	for i, id := range doubles {
		price := c.Patterns[id]
		p.Need(price == (ruleset.Price{}) || c.DoubleYakuman>>i&1 == 0, "patterns."+patterns[id].ID,
			"double_yakuman names it too: leave it out there: its multiple is set here")
	}
	price := c.Patterns[tanyao]
	p.Need(c.Kuitan || price.Open <= 0 || price.Open == price.Closed, "patterns.tanyao",
		"%d in an open hand, but kuitan = false forbids it there", price.Open)
	price = c.Patterns[renhou]
	p.Need(!price.IsGiven() || c.Renhou == RenhouCumulative || c.Renhou == RenhouYakuman, "patterns.renhou",
		"renhou = %q leaves nothing to price: allowed with \"mangan_cumulative\" (han) and \"yakuman\" (multiple)", ruleset.WordOf(c.Renhou))
	p.Need(!price.IsGiven() || c.Renhou != RenhouYakuman || price.Closed <= maxMultiple, "patterns.renhou",
		"%d is no multiple of a yakuman: allowed are 1 to %d", price.Closed, maxMultiple)
	for _, l := range lowered {
		p.Need(!c.Patterns[l.of].IsOff() || !l.shape || !c.Patterns[l.id].IsGiven(), "patterns."+patterns[l.id].ID,
			"%s is off, and with it the shape", patterns[l.of].ID)
	}
}

// bonus returns what the place of index i earns, oka included.
func (c *Config) bonus(i int) ruleset.Placement {
	if i == 0 {
		return c.Placement[0] + c.Oka
	}
	return c.Placement[i]
}

// thousands converts points, a multiple of 25, to placement points.
func thousands(points int) ruleset.Placement {
	return ruleset.Placement(points * ruleset.PlacementUnit / 1000)
}

// decimal is p as it is written in files.
func decimal(p ruleset.Placement) float64 { return float64(p) / ruleset.PlacementUnit }
