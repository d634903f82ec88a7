package zungjung

import "github.com/sparrowhall/sparrowhall/ruleset"

// Config is the knobs of a Zung Jung ruleset.
type Config struct {
	ruleset.Flow

	// Value of a hand.
	Exclusion            Exclusion     `knob:"pattern_exclusion" doc:"only the highest pattern counts of each series, or of each category"`
	CompoundLimit        ruleset.Limit `knob:"compound_limit" range:"1,100000" doc:"cap of the sum of patterns, or none"`
	ListedLimit          ruleset.Limit `knob:"listed_limit" range:"1,100000" doc:"a pattern listed at this value or more counts alone and uncapped; none lets all patterns add up"`
	ChickenPoints        int           `knob:"chicken_points" range:"0,5000" doc:"value of a win without a pattern"`
	SelfDrawPoints       int           `knob:"self_draw_points" range:"0,5000" doc:"points of a self-drawn win, which then is a pattern"`
	RoundWindScores      bool          `knob:"round_wind_scores" doc:"a triplet of the round wind is a value honor too"`
	ConcealedIrregular   bool          `knob:"concealed_hand_on_irregular" doc:"seven pairs and thirteen terminals take concealed_hand"`
	QuadsArePairs        bool          `knob:"seven_pairs_quads" doc:"four equal tiles are two of the seven pairs"`
	ClaimedTripletCounts bool          `knob:"discard_triplet_concealed" doc:"a triplet completed by the winning discard counts as concealed"`
	HeavenlyAnyTile      bool          `knob:"heaven_any_win_tile" doc:"any of the tiles dealt may stand for the winning tile of a blessing of heaven"`
	Patterns             Prices        `knob:"patterns" doc:"points of patterns that differ from the table, and patterns that do not exist"`

	// Payments.
	PayoffScheme PayoffScheme `knob:"payoff_scheme" doc:"what each player pays; see docs/rules/zungjung.md"`
	DealerFactor int          `knob:"dealer_factor" range:"1,4" zero:"1" doc:"factor of payments between the dealer and another player"`
	ParScore     int          `knob:"par_score" range:"0,100000" doc:"most that the others pay for a win on a discard under competition"`
}

// Check returns the contradictions between knobs, and the values of shared knobs
// that the family cannot be played with.
func (c *Config) Check() []ruleset.Problem {
	var p ruleset.Problems
	p.NeedPlain(&c.Flow)
	p.Need(c.HandSize == 13, "hand_size", "%d: hands have 13 tiles", c.HandSize)
	p.Need(c.Flowers == ruleset.NoFlowers, "flowers", "there are no flowers: allowed is \"none\"")
	p.Need(c.ReplacementFrom == ruleset.FromTail, "replacement_from", "replacement tiles come from the tail: allowed is \"tail\"")
	p.Need(c.DealerExtraTile == ruleset.ExtraDealt, "dealer_extra_tile", "no draw precedes the first discard: allowed is \"dealt\"")
	p.Need(c.KanMinWall >= 1, "kan_min_wall", "%d: a kan needs a replacement tile that is no king tile, so at least 1", c.KanMinWall)
	p.Need(c.RobClosedKan != ruleset.RobClosedAlways, "rob_closed_kan",
		"only thirteen terminals may rob a closed kan: allowed are \"never\" and \"orphans\"")
	p.Need(c.Ready == ruleset.NoReady, "ready", "there is no declaration of a ready hand: allowed is \"none\"")
	if c.CompoundLimit != ruleset.NoLimit {
		most := c.mostPoints()
		p.Need(c.MinWin <= most, "min_win", "%d: no hand is worth more than %d points; at most %[2]d", c.MinWin, most)
	}
	return p
}

// mostPoints returns the most points of a hand where compound_limit is set: that, or the price
// of a pattern that counts alone or of a win without a pattern.
func (c *Config) mostPoints() int {
	s := c.Compile().(*scorer)
	most := max(int(c.CompoundLimit), s.knobs.ChickenPoints)
	for id, points := range s.points {
		times := 1
		if id == valueHonor {
			times = 4 // triplets
		}
		if s.alone&(1<<id) != 0 {
			most = max(most, times*int(points))
		}
	}
	return most
}
