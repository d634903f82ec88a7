// Code generated from knobwords.go. DO NOT EDIT.

package ruleset

func (FlowerMode) Words() []Word       { return words[0] }
func (LastFlower) Words() []Word       { return words[1] }
func (OpeningFlowers) Words() []Word   { return words[2] }
func (Walls) Words() []Word            { return words[3] }
func (ReplacementFrom) Words() []Word  { return words[4] }
func (ReplacementOrder) Words() []Word { return words[5] }
func (Deal) Words() []Word             { return words[6] }
func (DealTurn) Words() []Word         { return words[7] }
func (ExtraTile) Words() []Word        { return words[8] }
func (LastTileWhen) Words() []Word     { return words[9] }
func (ExhaustedWhen) Words() []Word    { return words[10] }
func (RoundWind) Words() []Word        { return words[11] }
func (SeatRotation) Words() []Word     { return words[12] }
func (StaysOnWin) Words() []Word       { return words[13] }
func (StaysOnDraw) Words() []Word      { return words[14] }
func (OnSharedWin) Words() []Word      { return words[15] }
func (CounterStep) Words() []Word      { return words[16] }
func (PlacementTie) Words() []Word     { return words[17] }
func (Tobi) Words() []Word             { return words[18] }
func (Yame) Words() []Word             { return words[19] }
func (Extension) Words() []Word        { return words[20] }
func (ChiFrom) Words() []Word          { return words[21] }
func (SwapBan) Words() []Word          { return words[22] }
func (LastDiscard) Words() []Word      { return words[23] }
func (MultiWin) Words() []Word         { return words[24] }
func (RobClosed) Words() []Word        { return words[25] }
func (ReadyMode) Words() []Word        { return words[26] }
func (ReadyKan) Words() []Word         { return words[27] }
func (LiveWait) Words() []Word         { return words[28] }
func (ReadyTiers) Words() []Word       { return words[29] }
func (Earthly) Words() []Word          { return words[30] }
func (OneShotEnd) Words() []Word       { return words[31] }
func (ChaseScope) Words() []Word       { return words[32] }
func (Lock) Words() []Word             { return words[33] }
func (PassEnds) Words() []Word         { return words[34] }
func (PassSetBy) Words() []Word        { return words[35] }
func (PonPass) Words() []Word          { return words[36] }
func (Declaration) Words() []Word      { return words[37] }
func (Suukaikan) Words() []Word        { return words[38] }
func (IndicatorTiming) Words() []Word  { return words[39] }
func (TrueLast) Words() []Word         { return words[40] }
func (HandKongs) Words() []Word        { return words[41] }
func (PointsCurve) Words() []Word      { return words[42] }
func (TileSet) Words() []Word          { return words[43] }
func (KitaMode) Words() []Word         { return words[44] }
func (KitaReady) Words() []Word        { return words[45] }
func (KitaIndicator) Words() []Word    { return words[46] }
func (RobKita) Words() []Word          { return words[47] }

var words = [...][]Word{
	{{Text: "none", Meaning: "no flowers in the set"}, {Text: "forced", Meaning: "a flower is exposed and replaced as soon as it is held"}, {Text: "optional", Meaning: "a flower may be kept, discarded or exposed"}},
	{{Text: "discard", Meaning: "it is discarded and the hand ends"}, {Text: "reveal", Meaning: "it is exposed and the hand ends"}},
	{{Text: "seat_complete", Meaning: "each seat replaces all its flowers before the next"}, {Text: "round_robin", Meaning: "each seat in turn replaces those it has, again until no player holds one"}},
	{{Text: "shared", Meaning: "one wall for all"}, {Text: "per_seat", Meaning: "a private wall of 34 tiles for each seat"}},
	{{Text: "tail", Meaning: "from the end of the wall"}, {Text: "front", Meaning: "from the front, like any draw"}},
	{{Text: "top_first", Meaning: "the upper tile of each stack before the lower"}, {Text: "linear", Meaning: "one by one from the end"}},
	{{Text: "blocks", Meaning: "four tiles at a time, then one, with the dealer's jump"}, {Text: "sequential", Meaning: "each hand in one piece"}},
	{{Text: "forward", Meaning: "in turn order"}, {Text: "backward", Meaning: "against it"}},
	{{Text: "dealt", Meaning: "it belongs to the deal"}, {Text: "drawn", Meaning: "it is an ordinary draw"}},
	{{Text: "wall_empty", Meaning: "the wall is empty"}, {Text: "next_wall_empty", Meaning: "the wall of the next player is empty"}},
	{{Text: "last_discard", Meaning: "after the last discard, if no player wins on it"}, {Text: "empty_draw", Meaning: "when a player finds no tile to draw"}},
	{{Text: "by_round", Meaning: "East in the first round, then South, West, North"}, {Text: "random", Meaning: "drawn for each match"}},
	{{Text: "none", Meaning: "players keep their chairs"}, {Text: "mcr_table", Meaning: "they move between rounds as in the seat table of MCR"}},
	{{Text: "never", Meaning: "the deal passes"}, {Text: "alone", Meaning: "it stays if the dealer alone wins"}, {Text: "any", Meaning: "it stays if the dealer is among the winners"}},
	{{Text: "never", Meaning: "the deal passes"}, {Text: "ready", Meaning: "it stays if the dealer is ready"}, {Text: "always", Meaning: "it stays"}},
	{{Text: "plus_one", Meaning: "one more repeat"}, {Text: "reset", Meaning: "the count starts again"}},
	{{Text: "plus_one", Meaning: "one more"}, {Text: "keep", Meaning: "as it is"}, {Text: "reset", Meaning: "back to zero"}},
	{{Text: "split", Meaning: "players who tie share what their places earn"}, {Text: "split_remainder_to_start_dealer", Meaning: "they share, and what does not divide goes to the one nearest the first dealer"}, {Text: "seat_order", Meaning: "the one nearest the first dealer is ahead"}, {Text: "high", Meaning: "each has what the best of their places earns"}},
	{{Text: "none", Meaning: "no player ends the match by going broke"}, {Text: "below_zero", Meaning: "a player below zero ends it"}, {Text: "zero_or_below", Meaning: "a player at zero or below ends it"}},
	{{Text: "none", Meaning: "the match goes on"}, {Text: "auto", Meaning: "it ends with the dealer in the lead"}, {Text: "optional", Meaning: "the dealer in the lead may end it"}},
	{{Text: "none", Meaning: "the match ends with its last round"}, {Text: "sudden_death", Meaning: "a further round, until a player reaches the goal"}},
	{{Text: "left", Meaning: "of the player to the left alone"}, {Text: "any", Meaning: "of any player"}, {Text: "none", Meaning: "of no player"}},
	{{Text: "none", Meaning: "any discard"}, {Text: "same_tile", Meaning: "not the tile just claimed"}, {Text: "same_and_other_end", Meaning: "nor the one that would have completed the other end of the sequence"}},
	{{Text: "win_only", Meaning: "it may only be won"}, {Text: "all", Meaning: "it may be called too"}},
	{{Text: "nearest", Meaning: "only the winner nearest after the giver"}, {Text: "all", Meaning: "all of them"}, {Text: "all_abort_on_triple", Meaning: "all of two; three end the hand without a winner"}},
	{{Text: "never", Meaning: "no player may win on the tile of a closed kan"}, {Text: "orphans", Meaning: "thirteen orphans may"}, {Text: "always", Meaning: "any hand may"}},
	{{Text: "none", Meaning: "there is no declaration"}, {Text: "riichi", Meaning: "riichi: a stake and a closed hand"}, {Text: "ding", Meaning: "ding (叮): nothing is staked"}},
	{{Text: "never", Meaning: "never"}, {Text: "waits_same", Meaning: "if the waits stay the same"}, {Text: "waits_and_shape_same", Meaning: "if the waits and the sets they are read from stay the same"}},
	{{Text: "none", Meaning: "any wait counts"}, {Text: "concealed", Meaning: "one of which the own concealed tiles hold all four copies does not"}, {Text: "concealed_and_melds", Meaning: "nor one of which these and the own melds do"}},
	{{Text: "off", Meaning: "all declarations are alike"}, {Text: "hkma", Meaning: "before the first draw, with the first discard, in the first go-around, later"}, {Text: "first_discard", Meaning: "before the first draw or with the first discard, later"}, {Text: "uncalled", Meaning: "with the first discard before any call or kan, later"}},
	{{Text: "dealer_discard", Meaning: "on the dealer's first discard"}, {Text: "first_draw", Meaning: "on the first own draw"}},
	{{Text: "any_call_or_kong", Meaning: "any call or completed kan ends it"}, {Text: "nothing", Meaning: "nothing does"}},
	{{Text: "off", Meaning: "no payment"}, {Text: "any_time", Meaning: "whenever four discards in a row are of one kind"}, {Text: "first_go_around", Meaning: "only if they are the first four of the hand"}},
	{{Text: "off", Meaning: "nothing is locked"}, {Text: "kind", Meaning: "a locked kind may not be won on"}, {Text: "hand", Meaning: "a lock on any kind of the wait stops every win on another's tile"}},
	{{Text: "own_draw", Meaning: "the player's next draw from the wall"}, {Text: "own_discard", Meaning: "the player's next discard"}, {Text: "own_draw_or_call", Meaning: "the next draw from the wall or own call"}, {Text: "any_call", Meaning: "any player's call, or the next draw from the wall"}, {Text: "any_own_draw", Meaning: "the player's next draw, replacement tiles included"}},
	{{Text: "shape", Meaning: "passing a tile that completes the shape"}, {Text: "legal_win", Meaning: "passing a win that was allowed"}},
	{{Text: "off", Meaning: "a pon passed may be made of the next such tile"}, {Text: "own_draw", Meaning: "not before the player's next draw"}, {Text: "own_discard", Meaning: "not before the player's next discard"}},
	{{Text: "none", Meaning: "no player declares; hands count for what they are"}, {Text: "automatic", Meaning: "tenpai hands are shown by themselves"}, {Text: "optional_in_order", Meaning: "each player may show or not, one after the other"}},
	{{Text: "continue", Meaning: "play goes on after the fourth kan of several players"}, {Text: "abort", Meaning: "the hand ends"}},
	{{Text: "before_rinshan", Meaning: "turned before the replacement tile is drawn"}, {Text: "on_next_discard", Meaning: "turned with the next discard or kan"}},
	{{Text: "whole_wait", Meaning: "the winning tile is the only one left of the whole wait"}, {Text: "rivers_only", Meaning: "the three other copies lie in the rivers"}},
	{{Text: "any", Meaning: "any but added kans"}, {Text: "concealed_only", Meaning: "closed kans only"}, {Text: "none", Meaning: "none"}},
	{{Text: "none", Meaning: "no table: a hand pays what the family makes of its value"}, {Text: "half_spicy", Meaning: "doubled with each step to the knee, with each second one beyond it (半辣上)"}, {Text: "full_spicy", Meaning: "doubled with each step (辣辣上)"}},
	{{Text: "full", Meaning: "all 34 kinds, 136 tiles"}, {Text: "no_middle_characters", Meaning: "without 2 to 8 of characters, 108 tiles; 1 and 9 of characters follow each other as dora"}},
	{{Text: "none", Meaning: "they may not"}, {Text: "bonus", Meaning: "each is a bonus han of the winner"}},
	{{Text: "never", Meaning: "none"}, {Text: "drawn_only", Meaning: "the one just drawn"}},
	{{Text: "before_rob", Meaning: "before others may win on it"}, {Text: "before_replacement", Meaning: "only before its replacement is drawn"}},
	{{Text: "never", Meaning: "no player"}, {Text: "orphans", Meaning: "kokushi musou alone"}, {Text: "always", Meaning: "any hand"}},
}
