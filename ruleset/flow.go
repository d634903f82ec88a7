package ruleset

import (
	"math"
	"strconv"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Flow holds the knobs that the table, not the scorer, obeys: the set of
// tiles, the deal, calls, locks, draws and the frame of a match.
//
// Field tags are the schema of the configuration files: knob is the key, doc its meaning,
// range the bounds of a number, both included. The tag spec has the names in the rule
// texts where they differ. A knob with the tag optional exists only in families that list
// it in [Family.FlowKnobs]; all families have the others. The tag zero has what the zero value
// of a number stands for, where that is not 0: the number, which is then stored less this
// one, or "none" of a [Limit]. The tag scoring marks knobs of values and payments.
type Flow struct {
	// Players. Knobs with the tag three exist only in rulesets of three players, the knob
	// seats among them: without it there are four.
	Seats             Seats         `knob:"seats" optional:"true" three:"true" doc:"players at the table"`
	TileSet           TileSet       `knob:"tile_set" optional:"true" three:"true" doc:"kinds in the set"`
	ReplacementTiles  int           `knob:"replacement_tiles" optional:"true" three:"true" range:"4,8" doc:"replacement tiles before the indicators"`
	Kita              KitaMode      `knob:"kita" optional:"true" three:"true" doc:"Norths may be set aside for a replacement tile"`
	KitaMinWall       int           `knob:"kita_min_wall" optional:"true" three:"true" range:"0,4" doc:"drawable tiles that must be left to set a North aside"`
	KitaAfterClaim    bool          `knob:"kita_after_claim" optional:"true" three:"true" doc:"Norths may be set aside in the turn of a pon"`
	KitaReady         KitaReady     `knob:"kita_ready" optional:"true" three:"true" doc:"Norths set aside in riichi"`
	KitaEndsFirstTurn bool          `knob:"kita_breaks_first_turn" optional:"true" three:"true" doc:"a North set aside ends double riichi, tenhou, chiihou and nine kinds for all"`
	KitaEndsOneShot   bool          `knob:"kita_breaks_one_shot" optional:"true" three:"true" doc:"a North set aside and not won on ends every ippatsu"`
	KitaRinshan       bool          `knob:"kita_rinshan" optional:"true" three:"true" doc:"a win on the replacement of a North scores rinshan_kaihou"`
	KitaIndicator     KitaIndicator `knob:"kita_indicator" optional:"true" three:"true" doc:"when a North turns a pending kan indicator"`
	RobKita           RobKita       `knob:"rob_kita" optional:"true" three:"true" doc:"who may win on a North that is set aside"`
	RobKitaYaku       bool          `knob:"rob_kita_yaku" optional:"true" three:"true" doc:"such a win scores chankan"`

	// Tiles and walls.
	HandSize         int              `knob:"hand_size" range:"13,16" doc:"tiles held between turns: 13 or 16"`
	Flowers          FlowerMode       `knob:"flowers" spec:"use_flowers flower_replacement" doc:"flowers in the set, and whether a drawn one must be exposed at once"`
	LastFlower       LastFlower       `knob:"last_flower" doc:"a flower drawn when no replacement is left"`
	OpeningFlowers   OpeningFlowers   `knob:"opening_flowers" spec:"initial_flower_order" doc:"order in which the dealt flowers are replaced"`
	Walls            Walls            `knob:"walls" spec:"wall_mode" doc:"one wall, or one private wall for each seat"`
	DeadWall         int              `knob:"dead_wall" spec:"dead_wall_size dead_wall_tiles" range:"0,20" doc:"tiles never drawn; replacements come out of the wall and the dead wall is refilled"`
	ReplacementFrom  ReplacementFrom  `knob:"replacement_from" spec:"replacement_source" doc:"end of the wall replacement tiles come from"`
	ReplacementOrder ReplacementOrder `knob:"replacement_order" doc:"upper tile of each stack first, or one by one from the end"`
	Deal             Deal             `knob:"deal" spec:"deal_pattern" doc:"four tiles at a time with the dealer's jump, or each hand in one piece"`
	DealTurn         DealTurn         `knob:"deal_turn" spec:"deal_order" doc:"order of the seats in the deal"`
	DealerExtraTile  ExtraTile        `knob:"dealer_extra_tile" spec:"dealer_first_tile dealer_17th_tile" doc:"the dealer's extra tile belongs to the deal or is an ordinary draw"`
	LastTileWhen     LastTileWhen     `knob:"last_tile_when" spec:"last_tile_rule" doc:"what makes a tile the last: an empty wall, or an empty wall of the next player"`
	ExhaustedWhen    ExhaustedWhen    `knob:"exhausted_when" spec:"exhausted_rule" doc:"when a hand without a winner ends"`
	AkaDora          [3]int           `knob:"aka_dora" optional:"true" range:"0,4" scoring:"true" doc:"number of red fives among characters, dots and bamboo"`
	Dora             bool             // the family has dora indicators; fixed by the family, not a knob
	FirstWins        FirstWins        // what the family calls heavenly, earthly and human; fixed by the family, not a knob
	HalfPoints       bool             // amounts are in half points; fixed by the family, not a knob
	FlowersAtOnce    bool             // under seat_complete a flower drawn for a dealt one is exposed before the next is drawn; fixed by the family, not a knob
	UraDora          bool             `knob:"ura_dora" optional:"true" scoring:"true" doc:"the tiles under the indicators count for winners in riichi"`
	KanUraDora       bool             `knob:"kan_ura_dora" optional:"true" scoring:"true" doc:"the tiles under the indicators of kans count too"`
	KanDora          bool             `knob:"kan_dora" optional:"true" scoring:"true" doc:"each completed kan turns an indicator"`
	KanDoraClosed    IndicatorTiming  `knob:"kan_dora_timing_ankan" optional:"true" doc:"when the indicator of a closed kan is turned"`
	KanDoraOpen      IndicatorTiming  `knob:"kan_dora_timing_open" optional:"true" doc:"when the indicator of an open or added kan is turned"`

	// Frame of the match.
	Rounds              int          `knob:"rounds" spec:"match_winds game_length" range:"1,4" doc:"wind rounds in a match"`
	HandsPerRound       int          `knob:"hands_per_round" range:"1,4" doc:"deals in a round, repeats not counted"`
	RoundWind           RoundWind    `knob:"round_wind" spec:"round_wind_mode" doc:"round wind follows the rounds, or is drawn from the seed for each match"`
	SeatRotation        SeatRotation `knob:"seat_rotation" doc:"change of seats between rounds"`
	StartingPoints      int          `knob:"starting_points" spec:"starting_score start_score" range:"-1000000,1000000" doc:"points each player holds at the start"`
	DealerStaysOnWin    StaysOnWin   `knob:"dealer_stays_on_win" spec:"dealer_repeat dealer_keeps_on_shared_win" doc:"the dealer keeps the deal: never, when winning alone, when among the winners"`
	DealerStaysOnDraw   StaysOnDraw  `knob:"dealer_stays_on_draw" spec:"renchan dealer_keeps_on_draw" doc:"the dealer keeps the deal after an exhausted wall: never, when ready, always"`
	CounterOnSharedWin  OnSharedWin  `knob:"counter_on_shared_win" spec:"streak_on_shared_win" doc:"repeat counter when the dealer wins together with others"`
	CounterOnDrawKept   CounterStep  `knob:"counter_on_draw_kept" spec:"streak_on_draw" doc:"repeat counter after a draw that keeps the deal"`
	CounterOnDrawPassed CounterStep  `knob:"counter_on_draw_passed" spec:"honba_on_noten_dealer_draw" doc:"repeat counter after a draw that passes the deal"`
	LastDealerPlaysOn   bool         `knob:"last_dealer_plays_on" doc:"the match goes on while the last dealer keeps the deal"`
	Placement           [4]Placement `knob:"placement" spec:"uma table_points" seats:"true" doc:"placement points of first to last place"`
	PlacementTie        PlacementTie `knob:"placement_tie" spec:"uma_tie table_points_tie" doc:"how equal points share placement"`
	MaxHands            int          `knob:"max_hands" range:"0,32767" doc:"truncate the match after this many hands; 0 plays to the end"`
	ForfeitPoints       int          `knob:"forfeit_points" optional:"true" spec:"illegal_action_points" range:"0,1000000" scoring:"true" doc:"points that a player who answers illegally pays to each other one, ending the match; 0 plays on with a default answer"`
	Tobi                Tobi         `knob:"tobi" optional:"true" doc:"bankruptcy ends the match"`
	AgariYame           Yame         `knob:"agari_yame" optional:"true" doc:"a last dealer who wins and leads ends the match"`
	TenpaiYame          Yame         `knob:"tenpai_yame" optional:"true" doc:"the same after an exhaustive draw with the dealer ready"`
	YameMinPoints       int          `knob:"yame_min_points" optional:"true" range:"-1000000,1000000" doc:"points the last dealer needs to stop"`
	Extension           Extension    `knob:"extension" optional:"true" doc:"one more wind round while no player has the target"`
	ExtensionTarget     int          `knob:"extension_target" optional:"true" range:"-1000000,1000000" doc:"points that end an extension"`
	ExtensionRepeats    bool         `knob:"extension_renchan_priority" optional:"true" doc:"in an extension a repeat goes on although a player has the target"`

	// Calls.
	ChiFrom          ChiFrom     `knob:"chi_from" spec:"chow_source chow_from" doc:"whose discard may be claimed for a sequence"`
	SwapBan          SwapBan     `knob:"swap_ban" spec:"kuikae_forbidden swap_calling swap_call" doc:"kinds that may not be discarded right after a claim"`
	KanAfterClaim    bool        `knob:"kan_after_claim" spec:"kong_after_claim kong_after_call" doc:"closed and added kans allowed in the turn of a chi or pon"`
	KanOnFreshPon    bool        `knob:"kan_on_fresh_pon" spec:"added_kong_on_fresh_pung" doc:"a pon may be raised to a kan in the turn it was claimed"`
	KanMinWall       int         `knob:"kan_min_wall" spec:"kan_on_last_draw kong_min_wall kong_requires_wall" range:"0,4" doc:"drawable tiles that must be left to declare a kan"`
	KanNeedsNextWall bool        `knob:"kan_needs_next_wall" spec:"kong_needs_next_wall" doc:"closed and added kans need a tile in the next player's wall"`
	MaxKans          Limit       `knob:"max_kans" spec:"max_kans_per_hand" range:"0,16" doc:"kans in a hand by all players together, or none"`
	ClosedKanVisible bool        `knob:"closed_kan_visible" spec:"concealed_kong_visibility" doc:"the kind of a closed kan is shown to all"`
	OriginHidden     bool        `knob:"discard_origin_hidden" optional:"true" doc:"others do not see whether a discard was the tile just drawn, except after a ready declaration, which leaves no other"`
	LastDiscard      LastDiscard `knob:"last_discard_claims" spec:"last_discard_calls" doc:"claims on the discard after the last tile"`
	MultiWin         MultiWin    `knob:"multi_win" spec:"multi_ron multiple_winners" doc:"several wins on one tile"`
	MinWin           int         `knob:"min_win" spec:"min_yaku_han min_fan min_points" range:"0,1000" doc:"least value that may win, counted as the family counts it"`
	RobAddedKan      bool        `knob:"rob_added_kan" spec:"rob_added_kong rob_kong" doc:"the tile of an added kan may be won on"`
	RobClosedKan     RobClosed   `knob:"rob_closed_kan" spec:"chankan_ankan_kokushi rob_concealed_kong" doc:"who may win on the tile of a closed kan"`

	// Ready.
	Ready           ReadyMode `knob:"ready" spec:"ready_enabled" doc:"declaration of a ready hand: none, riichi, or ding (calls allowed)"`
	ReadyClosedOnly bool      `knob:"ready_closed_only" spec:"ready_requires_concealed" doc:"only a hand without open melds may declare"`
	ReadyKan        ReadyKan  `knob:"ready_kan" spec:"riichi_ankan ready_allows_kong" doc:"closed kan of the drawn tile after the declaration"`
	LiveWait        LiveWait  `knob:"live_wait" spec:"karaten_scope" doc:"a hand is not ready when every wait tile is already held in this part of it"`
	OneShot         bool      `knob:"one_shot" spec:"ippatsu" scoring:"true" doc:"a win within one uninterrupted go-around of the declaration counts extra"`
	RiichiMinWall   int       `knob:"riichi_min_live_wall" optional:"true" range:"0,70" doc:"drawable tiles that must be left to declare riichi"`
	RiichiMinPoints Limit     `knob:"riichi_min_points" optional:"true" range:"-1000000,1000000" doc:"points needed to declare riichi, or none"`
	RiichiFuriten   bool      `knob:"riichi_furiten_allowed" optional:"true" doc:"a furiten hand may declare riichi"`
	RiichiLiveShape bool      `knob:"riichi_needs_live_shape" optional:"true" doc:"a hand that live_wait calls noten may not declare riichi"`
	RiichiStick     int       `knob:"riichi_stick" optional:"true" range:"0,100000" scoring:"true" doc:"points staked with riichi"`
	DoubleRiichiKan bool      `knob:"double_riichi_broken_by_ankan" optional:"true" doc:"a closed kan before the declaration cancels double riichi"`

	// Locks.
	RiverLock           Lock        `knob:"river_lock" spec:"discard_furiten" doc:"own discards forbid a win on a discard: of that kind, or of any kind while a wait is among them"`
	PassLock            Lock        `knob:"pass_lock" spec:"same_turn_furiten" doc:"passing a winning tile forbids a win on that kind, or on any"`
	PassLockEnds        PassEnds    `knob:"pass_lock_ends" spec:"temp_furiten_clears same_turn_furiten_clear" doc:"what ends the lock of a passed win"`
	PassLockSetBy       PassSetBy   `knob:"pass_lock_set_by" spec:"yakuless_pass_sets_furiten" doc:"passing any tile that completes the shape, or only one that could have been won on"`
	PassLockOnOwnDraw   bool        `knob:"pass_lock_on_own_draw" doc:"declining a self-drawn win sets the lock"`
	PassLockOnRob       bool        `knob:"pass_lock_on_rob" spec:"win_pass_on_missed_added_kong" doc:"not robbing a kan sets the lock"`
	PassLockBlocksDraw  bool        `knob:"pass_lock_blocks_self_draw" spec:"win_pass_blocks_self_draw" doc:"the lock forbids self-drawn wins too"`
	PassLockFinal       bool        `knob:"pass_lock_final_when_ready" spec:"win_pass_ready_whole_hand" doc:"a lock set after the ready declaration lasts to the end of the hand"`
	PassLockFromDeal    bool        `knob:"pass_lock_from_deal" spec:"same_turn_furiten_from_deal" doc:"wins passed before the first own discard count"`
	LocksBlockRob       bool        `knob:"locks_block_rob" spec:"furiten_blocks_rob" doc:"the locks forbid robbing a kan as well"`
	PonPass             PonPass     `knob:"pon_pass" spec:"pung_pass" doc:"passing a pon forbids a pon of that kind until then"`
	TenpaiDeclaration   Declaration `knob:"tenpai_declaration" optional:"true" doc:"tenpai hands at a draw are shown by rule, or declared by choice from the dealer on"`
	LastTileAfterKan    bool        `knob:"rinshan_counts_as_haitei" optional:"true" doc:"a win on a replacement tile that leaves no drawable tile counts as the last tile"`
	LastDiscardAfterKan bool        `knob:"houtei_after_rinshan" optional:"true" doc:"the discard after such a draw is the last discard"`
	FourKansAbort       Suukaikan   `knob:"suukaikan" optional:"true" doc:"the fourth kan of two or more players ends the hand"`
	NineKindsAbort      bool        `knob:"kyuushu_kyuuhai" optional:"true" doc:"abortive draw by choice with nine kinds of terminals and honors"`
	FourWindsAbort      bool        `knob:"suufon_renda" optional:"true" doc:"abortive draw when the first four discards are one wind"`
	FourRiichiAbort     bool        `knob:"suucha_riichi" optional:"true" doc:"abortive draw when all four players are in riichi"`

	// What the table passes to a Zung Jung scorer.
	SameRoundImmunity bool `knob:"same_round_immunity" optional:"true" doc:"the first to throw the winning kind since the winner's last discard is responsible, no player if the winner did"`
	BlessingsVoid     bool `knob:"blessings_void_after_east_kong" optional:"true" doc:"no heavenly and no earthly win in a hand in which the dealer has declared a closed kan before the first discard"`

	// Ready, flowers and awards, most of them of hktw. The table pays the awards.
	ReadyInitial        bool       `knob:"ready_initial_window" optional:"true" doc:"ready may be declared after the deal, before the first draw"`
	ReadyTiers          ReadyTiers `knob:"ready_tiers" optional:"true" doc:"tiers of early declarations: none, those of the league, or by the first discard"`
	ReadyWithin         int        `knob:"ready_within" optional:"true" range:"0,16" doc:"ready declared within so many discards of the hand, before any call or kan, is early; 0 never"`
	EarthlyScope        Earthly    `knob:"earthly_scope" optional:"true" doc:"earthly wins of the first go-around"`
	OneShotBrokenBy     OneShotEnd `knob:"one_shot_broken_by" optional:"true" doc:"what ends the go-around of one_shot early"`
	PassLockOnFlowerWin bool       `knob:"win_pass_on_flower_decline" optional:"true" doc:"declining a flower win sets the lock"`
	FlowerWinEight      bool       `knob:"flower_win_eight" optional:"true" doc:"eight flowers are a win"`
	FlowerWinSeven      bool       `knob:"flower_win_seven_rob_one" optional:"true" doc:"seven flowers are a win off the holder of the eighth"`
	FlowerDrawSeven     bool       `knob:"flower_win_seven" optional:"true" doc:"seven flowers are a self-drawn win"`
	FlowerWinOptional   bool       `knob:"flower_win_optional" optional:"true" doc:"the winner by flowers may take the award instead and play on"`
	FlowerWinOpening    bool       `knob:"flower_win_in_opening" optional:"true" doc:"a flower win is possible while dealt flowers are replaced"`
	DiPoints            int        `knob:"di_points" optional:"true" range:"0,1000" scoring:"true" doc:"points of one di, the unit of awards"`
	AwardGrass          Halves     `knob:"award_grass_di" optional:"true" range:"0,100" scoring:"true" doc:"di from each for four flowers of the four numbers"`
	AwardGrassOnce      bool       `knob:"award_grass_once" optional:"true" scoring:"true" doc:"that award is paid once a hand to each player"`
	AwardGrassAndSet    bool       `knob:"award_grass_and_set_together" optional:"true" scoring:"true" doc:"a flower that completes four numbers and a set earns both awards"`
	AwardFlowerSet      Halves     `knob:"award_flower_set_di" optional:"true" range:"0,100" scoring:"true" doc:"di from each for the four seasons or the four plants"`
	AwardSevenFlowers   Halves     `knob:"award_seven_rob_one_di" optional:"true" range:"0,100" scoring:"true" doc:"di from the holder of the eighth flower for seven, not declared as a win"`
	AwardEightFlowers   Halves     `knob:"award_eight_flowers_di" optional:"true" range:"0,100" scoring:"true" doc:"di from each for eight flowers, not declared as a win"`
	AwardClosedKan      Halves     `knob:"award_concealed_kong_di" optional:"true" range:"0,100" scoring:"true" doc:"di from each for a closed kan"`
	AwardKanEscalates   bool       `knob:"award_concealed_kong_escalates" optional:"true" scoring:"true" doc:"each further closed kan of a player in a hand earns twice the one before"`
	AwardChaseOuter     Halves     `knob:"award_chase_outer_di" optional:"true" range:"0,100" scoring:"true" doc:"di to each from the first of four players who discard the same terminal or honor in turn"`
	AwardChaseInner     Halves     `knob:"award_chase_inner_di" optional:"true" range:"0,100" scoring:"true" doc:"the same for other kinds"`
	ChaseScope          ChaseScope `knob:"chase_scope" optional:"true" doc:"when such discards earn the award"`
	PullCutAfter        int        `knob:"pull_cut_after" optional:"true" range:"0,63" doc:"wins in a debt from which on its debtor may pay it between hands; 0 never"`

	// What the table passes to a hktw scorer.
	WithinCountsWinning bool     `knob:"early_counts_winning_discard" optional:"true" doc:"the winning discard counts among the tiles in the rivers"`
	WithinCountsClaimed bool     `knob:"early_counts_called_tiles" optional:"true" doc:"claimed discards count among the tiles in the rivers"`
	TrueLast            TrueLast `knob:"true_last_mode" optional:"true" doc:"the last copy of a wait: no tile of another wait is left, or the three others lie in the rivers"`
}

// Seats is the number of players as a knob: 3 or 4 in files.
type Seats uint8

// Values of Seats.
const (
	FourSeats Seats = iota
	ThreeSeats
)

// Count returns the number of players.
func (s Seats) Count() int { return NumPlayers - int(s) }

// NumSeats returns the number of players at the table, who sit in the chairs from 0 on.
func (f *Flow) NumSeats() int { return f.Seats.Count() }

// HasKind reports whether the set has tiles of kind k; NoKind counts as there.
func (f *Flow) HasKind(k tile.Kind) bool {
	return f.TileSet == FullSet || k == 0 || k >= 8
}

// DoraOf returns the kind that an indicator shows to be dora (S4 2.7, S0 dora 1). Without
// the middle of characters their 9 follows the 1 (SM 1).
func (f *Flow) DoraOf(indicator tile.Kind) tile.Kind {
	if f.TileSet == NoMiddleCharacters && indicator == 0 {
		return 8
	}
	return indicator.Next()
}

// NextChair returns the chair n places after c in turn order, for n of at least 0.
func (f *Flow) NextChair(c Chair, n int) Chair {
	if f.Seats == FourSeats {
		return c.Next(n)
	}
	return Chair((int(c) + n) % 3)
}

// SeatWind returns the wind of chair c where dealer deals.
func (f *Flow) SeatWind(c, dealer Chair) tile.Wind {
	if f.Seats == FourSeats {
		return tile.Wind(c-dealer) & 3
	}
	return tile.Wind(c-dealer+3) % 3
}

// Common returns f. A Config that embeds a Flow has its method of that name.
func (f *Flow) Common() *Flow { return f }

// Unit returns how many units of amounts make a point: 1, or 2 where the family
// counts half points.
func (f *Flow) Unit() int {
	if f.HalfPoints {
		return 2
	}
	return 1
}

// PointsText returns an amount in units as points, "2.5" for five half points.
func (f *Flow) PointsText(units int32) string {
	return strconv.FormatFloat(float64(units)/float64(f.Unit()), 'f', -1, 64)
}

// UraIndicators returns how many of the tiles under the given number of
// indicators are turned for a winner in riichi (S4 3.12, S0 dora 8).
func (f *Flow) UraIndicators(indicators int) int {
	switch {
	case !f.UraDora:
		return 0
	case !f.KanUraDora:
		return min(indicators, 1)
	}
	return indicators
}

// Limit is a number that may be absent, written "none".
type Limit int

// Placement is a number of placement points in units of 1/120, so that a mean of
// two, three or four places is exact. In files it is written as a decimal.
type Placement int32

// PlacementUnit is the number of Placement units in one placement point.
const PlacementUnit = 120

// Halves is a number of halves, written as a decimal in files: 3 is 1.5.
type Halves int

// NoLimit is the absent limit.
const NoLimit Limit = math.MinInt32

// FirstWins is what a family calls heavenly, earthly and human wins.
type FirstWins uint8

// Values of FirstWins.
const (
	// FirstTurnWins: before any call or kan, the dealer on the first turn is
	// heavenly, another player on the first own draw earthly, on a discard
	// before it human.
	FirstTurnWins FirstWins = iota
	// DealtWins: the dealer on the dealt tiles is heavenly, another player on
	// the dealer's first discard earthly.
	DealtWins
	// GoAroundWins, before any call or kan: the dealer's win on the first drawn tile is
	// heavenly. Another player's on the dealer's first discard is earthly, or that on the
	// first own draw: see the knob earthly_scope. Any other win on one of the first four
	// discards or on the first own draw is human.
	GoAroundWins
)
