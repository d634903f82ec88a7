package taiwanese

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hktw"
)

// Config is the knobs of a ruleset of Taiwanese mahjong.
type Config struct {
	ruleset.Flow

	// Value of a hand.
	DiscardOpensMeld  bool              `knob:"discard_opens_meld" doc:"a meld completed by a discard is open"`
	ConcealedKongs    ruleset.HandKongs `knob:"concealed_hand_kongs" doc:"kans that a concealed hand may have: all but added ones, closed ones, none"`
	Pinghu            PinghuSet         `knob:"pinghu_conditions" doc:"what all_chows needs besides five chows"`
	SetKeepsProper    bool              `knob:"flower_set_keeps_proper" doc:"the seat flower counts beside its set"`
	BeggingAddsSingle bool              `knob:"begging_adds_single" doc:"true_single counts beside half and all begging"`
	BeggingKeepsDraw  bool              `knob:"begging_keeps_self_draw" doc:"self_draw counts beside half_begging"`
	TailKeepsDraw     bool              `knob:"tail_draw_keeps_self_draw" doc:"self_draw counts beside kong_draw and flower_draw"`
	FivePungsKeep     bool              `knob:"five_pungs_keep" doc:"all_pungs and a concealed hand count beside concealed_pungs_5"`
	HonorSetsKeep     bool              `knob:"honor_sets_keep_pungs" doc:"the pungs of dragon and wind combinations count by themselves too"`
	AllHonorsKeep     bool              `knob:"all_honors_keeps_pungs" doc:"all_pungs counts beside all_honors"`
	FirstWinKeeps     bool              `knob:"first_win_keeps_concealed" doc:"concealed and self-draws count beside heavenly, earthly and human wins"`
	ReadyKeeps        bool              `knob:"ready_keeps_concealed" doc:"concealed counts beside heavenly, earthly and early ready"`
	FanCap            ruleset.Limit     `knob:"fan_cap" range:"1,100000" doc:"most tai that count without the dealer item, or none"`
	Patterns          Prices            `knob:"patterns" doc:"tai of patterns that differ from the table, and patterns that do not exist"`

	// Stakes and payments.
	BasePoints       int                 `knob:"base_points" range:"0,10000" doc:"points of every payment beside the tai"`
	TaiPoints        int                 `knob:"tai_points" range:"1,1000" doc:"points of one tai"`
	FlowerWinBase    bool                `knob:"flower_win_adds_base" doc:"a flower win adds the base"`
	FlowerWinDealer  bool                `knob:"flower_win_adds_dealer" doc:"a flower win adds the dealer item"`
	DealerItem       int                 `knob:"dealer_item" range:"0,1000" doc:"tai added between the dealer and another"`
	DealerItemStreak int                 `knob:"dealer_item_per_repeat" range:"0,100" doc:"tai added to the dealer item for each repeat"`
	DealerItemWin    bool                `knob:"dealer_item_on_dealer_discard_win" doc:"the dealer adds the item when winning on a discard"`
	DealerItemDraw   hktw.DealerItemDraw `knob:"dealer_item_on_self_draw" doc:"who pays the item when another than the dealer draws the winning tile"`

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
	p.Need(c.HandSize == 16, "hand_size", "%d: hands have 16 tiles", c.HandSize)
	p.Need(c.Flowers != ruleset.OptionalFlowers, "flowers", "flowers are exposed at once: allowed are \"none\" and \"forced\"")
	p.Need(c.LastFlower == ruleset.RevealLastFlower, "last_flower", "a flower is never discarded: allowed is \"reveal\"")
	p.Need(c.SeatRotation == ruleset.NoRotation, "seat_rotation", "players keep their seats: allowed is \"none\"")
	p.Need(c.Ready != ruleset.Riichi, "ready", "allowed are \"none\" and \"ding\"")
	p.Need(!c.OneShot, "one_shot", "no pattern counts it: allowed is false")
	p.Need(c.ReadyTiers != ruleset.LeagueTiers, "ready_tiers", "the tiers of the league are those of family hktw: allowed are \"off\", \"first_discard\" and \"uncalled\"")
	p.Need(c.Ready != ruleset.NoReady || c.ReadyWithin == 0, "ready_within", "%d, but ready = \"none\" lets no player declare; 0, or ready = \"ding\"", c.ReadyWithin)
	p.Need(c.ReadyWithin == 0 || !c.Patterns[readyEarly].IsOff(), "ready_within",
		"%d, but such a declaration is worth nothing: patterns.ready_early is \"off\"; 0, or a price", c.ReadyWithin)
	for _, win := range [...]struct {
		by      bool
		key     string
		pattern int
	}{{c.FlowerWinSeven, "flower_win_seven_rob_one", sevenRobOne}, {c.FlowerWinEight, "flower_win_eight", twoFlowerSets}} {
		p.Need(!win.by || !c.Patterns[win.pattern].IsOff(), win.key, "true, but the win is worth nothing: patterns.%s is \"off\"", patterns[win.pattern].ID)
	}
	c.checkValue(&p)
	return p
}

// checkValue records contradictions between the base, the cap and the minimum.
func (c *Config) checkValue(p *ruleset.Problems) {
	most := c.mostTai()
	p.Need(c.MinWin <= most, "min_win", "%d: no hand has more than %d tai; at most %[2]d", c.MinWin, most)
	p.Need(c.FanCap == ruleset.NoLimit || int(c.FanCap) >= c.MinWin, "fan_cap",
		"%d is below min_win = %d, so that no hand could win; at least %d, or \"none\"", c.FanCap, c.MinWin, c.MinWin)
	p.Need(c.BasePoints > 0 || c.MinWin > 0, "base_points",
		"0: a hand without tai would win nothing; at least 1, or min_win = 1")
}

// mostTai returns a number of tai that no hand passes: the sum of all patterns, of those that
// exclude one another the highest.
func (c *Config) mostTai() int {
	total, groups := 0, map[string]int{}
	for id, r := range table {
		worth := c.tai(id) * int(max(r.times, 1))
		if r.group == "" {
			total += worth
		} else {
			groups[r.group] = max(groups[r.group], worth)
		}
	}
	for _, worth := range groups {
		total += worth
	}
	return total
}

// tai returns the tai of a pattern, 0 if it is off. The dealer item is no part of the value of a
// hand.
func (c *Config) tai(id int) int {
	switch p := c.Patterns[id]; {
	case p.IsOff(), id == dealer:
		return 0
	case p.IsGiven():
		return int(p.Closed)
	}
	return int(table[id].tai)
}
