package hktw

import "github.com/sparrowhall/sparrowhall/ruleset"

// Config is the knobs of a Hong Kong-style Taiwanese ruleset.
type Config struct {
	ruleset.Flow

	// Payments and the pull.
	FlowerWinBase    bool           `knob:"flower_win_adds_base" doc:"a flower win adds the base"`
	FlowerWinDealer  bool           `knob:"flower_win_adds_dealer" doc:"a flower win adds the dealer item"`
	BaseFan          int            `knob:"base_fan" range:"0,1000" doc:"fan of every hand that wins"`
	FanCap           ruleset.Limit  `knob:"fan_cap" range:"1,100000" doc:"most that a hand is worth without the dealer item, or none"`
	DealerItem       int            `knob:"dealer_item" range:"0,1000" doc:"points added between the dealer and another"`
	DealerItemStreak int            `knob:"dealer_item_per_repeat" range:"0,100" doc:"points added to the dealer item for each repeat"`
	DealerItemWin    bool           `knob:"dealer_item_on_dealer_discard_win" doc:"the dealer adds the item when winning on a discard"`
	DealerItemDraw   DealerItemDraw `knob:"dealer_item_on_self_draw" doc:"who pays the item when another than the dealer draws the winning tile"`
	Pull             bool           `knob:"pull_enabled" doc:"wins are carried as debts; false pays every win at once"`
	PullGrowth       ruleset.Halves `knob:"pull_growth" range:"1,10" doc:"factor of a debt whose creditor wins off its debtor again"`
	PullGrowthRound  Rounding       `knob:"pull_growth_round" doc:"rounding of a grown debt"`
	PullHalfRound    Rounding       `knob:"pull_half_round" doc:"rounding of half a debt"`
	PullOutsider     PullOutsider   `knob:"pull_creditor_and_outsider" doc:"creditor and another both win off the debtor: the debt grows, or is paid and begins again"`
	PullBothWin      PullHold       `knob:"pull_both_win_off_third" doc:"creditor and debtor both win off a third: the debt is paid or stays"`
	PullOutsiderWins PullHold       `knob:"pull_outsider_also_wins" doc:"creditor and another win off a third: the debt is paid or stays"`
	PullEnd          PullEnd        `knob:"pull_end_of_match" doc:"debts at the end of the match"`
	PullFlowerWin    bool           `knob:"pull_applies_to_flower_win" doc:"a flower win enters the pull; false pays it at once and leaves the debts alone"`

	// Value of a hand.
	SingleCount           SingleCount       `knob:"single_count" doc:"two counted instances of a fan with the same melds must differ in two of them"`
	NoCompounding         bool              `knob:"no_compounding" doc:"fan that others imply are not counted"`
	DiscardOpensMeld      bool              `knob:"discard_opens_meld" doc:"a meld completed by a discard is open"`
	ConcealedKongs        ruleset.HandKongs `knob:"concealed_hand_kongs" doc:"kans that a concealed hand may have: all but added ones, closed ones, none"`
	ConcealedSelfDraw     SelfDrawMode      `knob:"concealed_self_draw_mode" doc:"concealed_self_draw replaces concealed and self_draw, or self_draw alone"`
	BeggingOpenKong       bool              `knob:"begging_allows_open_kong" doc:"half and all begging with open kans"`
	LastTileScope         LastTileScope     `knob:"last_tile_scope" doc:"last_tile on the last draw, or also on the discard after it"`
	TailChainFormula      TailChain         `knob:"tail_chain_formula" doc:"growth of tail_chain with each replacement tile after the second: by its value, or doubling"`
	HumanWinScope         HumanWinScope     `knob:"human_win_scope" doc:"human_win on a self-draw, on a discard, or both"`
	DragonIsProper        bool              `knob:"dragon_is_proper" doc:"dragon pungs count proper_honor"`
	ProperUnderWinds      bool              `knob:"keep_proper_under_three_winds" doc:"winds count proper_honor beside small and big three winds and small four winds"`
	MissingSuitHonors     bool              `knob:"missing_suit_allows_honors" doc:"missing_suit with honors"`
	MissingFiveHonors     bool              `knob:"missing_five_allows_honors" doc:"missing_five with honors"`
	CommonRankGroups      int               `knob:"common_rank_min_suited_groups" range:"1,5" doc:"least suited groups of mixed_common_rank"`
	AllChowsSuitedPair    bool              `knob:"all_chows_requires_suited_pair" doc:"all_chows needs a suited pair"`
	DoubleIdentical       IdenticalIn       `knob:"double_identical_scope" doc:"double_identical_chows of any two chows, or of two suits only"`
	OpenKongConcealed     bool              `knob:"open_kong_counts_as_concealed_pung" doc:"open kans count among the concealed pungs"`
	PureConcealedSelfDraw bool              `knob:"pure_concealed_requires_self_draw" doc:"pure_concealed_pungs by self-draw only"`
	ReturnsIndependent    bool              `knob:"four_return_independent" doc:"four-returns count beside quad_identical_chows, which implies them"`
	EightReturn           ReturnMode        `knob:"eight_return_mode" doc:"eight_return and twelve_return count beside the returns, or instead of them"`
	NoHonorsNoFlowersKept bool              `knob:"keep_no_honors_no_flowers" doc:"no_honors_no_flowers counts beside fan that imply no_honors"`
	StackAllPungs         bool              `knob:"terminal_hands_stack_all_pungs" doc:"all_pungs counts beside all_honors, mixed_terminals and pure_terminals"`
	PureTerminalsFlat     bool              `knob:"pure_terminals_flat" doc:"pure_terminals absorbs the combinations of pungs it implies"`
	ChickenNoFlowers      bool              `knob:"chicken_allows_no_flowers" doc:"no_flowers may be the one fan of a chicken or duck"`
	ChickenIgnoresEvents  bool              `knob:"chicken_ignores_events" doc:"fan of events do not spoil a chicken or duck"`
	DuckKeepsSelfDraw     bool              `knob:"duck_keeps_self_draw" doc:"self_draw counts beside big_duck"`
	LikGuDouble           LikGuDouble       `knob:"lik_gu_double" doc:"a lik gu that is a standard hand too: both add up, or the higher counts"`
	LikGuDoubleDealer     bool              `knob:"lik_gu_double_dealer" doc:"such a sum adds the dealer item twice"`
	LikGuQuads            bool              `knob:"lik_gu_quad_as_two_pairs" doc:"four equal tiles are two pairs of a lik gu"`
	LikGuSingleWait       bool              `knob:"lik_gu_single_wait" doc:"true_single and fake_single in a lik gu"`
	DisjointMinGap        int               `knob:"disjoint_min_gap" range:"1,4" doc:"least distance of ranks in a suit of sixteen_disjoint"`
	DisjointPair          DisjointPair      `knob:"disjoint_pair" doc:"which kind of sixteen_disjoint may be doubled"`
	OrphansKong           OrphansKong       `knob:"thirteen_orphans_kong" doc:"kans that may be the extra meld of thirteen_orphans: all but added ones, closed ones, none"`
	OrphansTerminals      bool              `knob:"orphans_count_mixed_terminals" doc:"thirteen_orphans of orphans alone count mixed_terminals, or else mixed_outside"`
	SpecialTypes          SpecialTypes      `knob:"special_forms_count_types" doc:"small_seven_types in neither special form, in thirteen_orphans, or in sixteen_disjoint too"`
	Patterns              Prices            `knob:"patterns" doc:"values of fan that differ from the catalog, as one number or as [concealed, open], and fan that do not exist"`
}

// Check returns the contradictions between knobs, and the values of shared knobs
// that the family cannot be played with.
func (c *Config) Check() []ruleset.Problem {
	var p ruleset.Problems
	p.NeedPlain(&c.Flow)
	p.Need(c.HandSize == 16, "hand_size", "%d: hands have 16 tiles", c.HandSize)
	p.Need(c.Flowers != ruleset.OptionalFlowers, "flowers", "flowers are revealed at once: allowed are \"none\" and \"forced\"")
	p.Need(c.LastFlower == ruleset.RevealLastFlower, "last_flower", "a flower is never discarded: allowed is \"reveal\"")
	p.Need(c.SeatRotation == ruleset.NoRotation, "seat_rotation", "players keep their seats: allowed is \"none\"")
	p.Need(c.Ready != ruleset.Riichi, "ready", "allowed are \"none\" and \"ding\"")
	for id, price := range c.Patterns {
		p.Need(!price.IsGiven() || price.Open <= price.Closed, "patterns."+patterns[id].ID,
			"[%d, %d]: the concealed value is at least the open one", price.Closed, price.Open)
	}
	for _, id := range [...]int{disjointSame, disjointStraight} {
		p.Need(!c.Patterns[sixteenDisjoint].IsOff() || !c.Patterns[id].IsGiven(), "patterns."+patterns[id].ID,
			"sixteen_disjoint is off, and with it the shape")
	}
	chain := c.price(tailChain).open
	p.Need(c.TailChainFormula != TailDouble || chain <= 30, "patterns.tail_chain", "%d doubles up to ten times: at most 30", chain)
	return p
}

// price returns what a fan counts: by the price that is given, by the knob of its own, or by the
// catalog.
func (c *Config) price(id int) price {
	switch p := c.Patterns[id]; {
	case p.IsGiven():
		return price{p.Open, p.Closed}
	case id == base:
		return price{int16(c.BaseFan), int16(c.BaseFan)}
	case id == dealer:
		return price{int16(c.DealerItem), int16(c.DealerItem)}
	}
	return listed[id]
}
