// Code generated from knobwords.go. DO NOT EDIT.

package ruleset

// Values returns the words of FlowerMode in the order of its constants.
func (FlowerMode) Values() []string { return []string{"none", "forced", "optional"} }

// Meanings returns what the words of FlowerMode mean.
func (FlowerMode) Meanings() []string {
	return []string{
		"no flowers in the set",
		"a flower is exposed and replaced as soon as it is held",
		"a flower may be kept, discarded or exposed",
	}
}

// Values returns the words of LastFlower in the order of its constants.
func (LastFlower) Values() []string { return []string{"discard", "reveal"} }

// Meanings returns what the words of LastFlower mean.
func (LastFlower) Meanings() []string {
	return []string{
		"it is discarded and the hand ends",
		"it is exposed and the hand ends",
	}
}

// Values returns the words of OpeningFlowers in the order of its constants.
func (OpeningFlowers) Values() []string { return []string{"seat_complete", "round_robin"} }

// Meanings returns what the words of OpeningFlowers mean.
func (OpeningFlowers) Meanings() []string {
	return []string{
		"each seat replaces all its flowers before the next",
		"each seat in turn replaces those it has, again until nobody holds one",
	}
}

// Values returns the words of Walls in the order of its constants.
func (Walls) Values() []string { return []string{"shared", "per_seat"} }

// Meanings returns what the words of Walls mean.
func (Walls) Meanings() []string {
	return []string{
		"one wall for all",
		"a private wall of 34 tiles for each seat",
	}
}

// Values returns the words of ReplacementFrom in the order of its constants.
func (ReplacementFrom) Values() []string { return []string{"tail", "front"} }

// Meanings returns what the words of ReplacementFrom mean.
func (ReplacementFrom) Meanings() []string {
	return []string{
		"from the end of the wall",
		"from the front, like any draw",
	}
}

// Values returns the words of ReplacementOrder in the order of its constants.
func (ReplacementOrder) Values() []string { return []string{"top_first", "linear"} }

// Meanings returns what the words of ReplacementOrder mean.
func (ReplacementOrder) Meanings() []string {
	return []string{
		"the upper tile of each stack before the lower",
		"one by one from the end",
	}
}

// Values returns the words of Deal in the order of its constants.
func (Deal) Values() []string { return []string{"blocks", "sequential"} }

// Meanings returns what the words of Deal mean.
func (Deal) Meanings() []string {
	return []string{
		"four tiles at a time, then one, with the dealer's jump",
		"each hand in one piece",
	}
}

// Values returns the words of DealTurn in the order of its constants.
func (DealTurn) Values() []string { return []string{"forward", "backward"} }

// Meanings returns what the words of DealTurn mean.
func (DealTurn) Meanings() []string {
	return []string{
		"in turn order",
		"against it",
	}
}

// Values returns the words of ExtraTile in the order of its constants.
func (ExtraTile) Values() []string { return []string{"dealt", "drawn"} }

// Meanings returns what the words of ExtraTile mean.
func (ExtraTile) Meanings() []string {
	return []string{
		"it belongs to the deal",
		"it is an ordinary draw",
	}
}

// Values returns the words of LastTileWhen in the order of its constants.
func (LastTileWhen) Values() []string { return []string{"wall_empty", "next_wall_empty"} }

// Meanings returns what the words of LastTileWhen mean.
func (LastTileWhen) Meanings() []string {
	return []string{
		"the wall is empty",
		"the wall of the next player is empty",
	}
}

// Values returns the words of ExhaustedWhen in the order of its constants.
func (ExhaustedWhen) Values() []string { return []string{"last_discard", "empty_draw"} }

// Meanings returns what the words of ExhaustedWhen mean.
func (ExhaustedWhen) Meanings() []string {
	return []string{
		"after the last discard, if nobody wins on it",
		"when somebody finds no tile to draw",
	}
}

// Values returns the words of RoundWind in the order of its constants.
func (RoundWind) Values() []string { return []string{"by_round", "random"} }

// Meanings returns what the words of RoundWind mean.
func (RoundWind) Meanings() []string {
	return []string{
		"East in the first round, then South, West, North",
		"drawn for each match",
	}
}

// Values returns the words of SeatRotation in the order of its constants.
func (SeatRotation) Values() []string { return []string{"none", "mcr_table"} }

// Meanings returns what the words of SeatRotation mean.
func (SeatRotation) Meanings() []string {
	return []string{
		"players keep their chairs",
		"they move between rounds as in the seat table of MCR",
	}
}

// Values returns the words of StaysOnWin in the order of its constants.
func (StaysOnWin) Values() []string { return []string{"never", "alone", "any"} }

// Meanings returns what the words of StaysOnWin mean.
func (StaysOnWin) Meanings() []string {
	return []string{
		"the deal passes",
		"it stays if the dealer alone wins",
		"it stays if the dealer is among the winners",
	}
}

// Values returns the words of StaysOnDraw in the order of its constants.
func (StaysOnDraw) Values() []string { return []string{"never", "ready", "always"} }

// Meanings returns what the words of StaysOnDraw mean.
func (StaysOnDraw) Meanings() []string {
	return []string{
		"the deal passes",
		"it stays if the dealer is ready",
		"it stays",
	}
}

// Values returns the words of OnSharedWin in the order of its constants.
func (OnSharedWin) Values() []string { return []string{"plus_one", "reset"} }

// Meanings returns what the words of OnSharedWin mean.
func (OnSharedWin) Meanings() []string {
	return []string{
		"one more repeat",
		"the count starts again",
	}
}

// Values returns the words of CounterStep in the order of its constants.
func (CounterStep) Values() []string { return []string{"plus_one", "keep", "reset"} }

// Meanings returns what the words of CounterStep mean.
func (CounterStep) Meanings() []string {
	return []string{
		"one more",
		"as it is",
		"back to zero",
	}
}

// Values returns the words of PlacementTie in the order of its constants.
func (PlacementTie) Values() []string {
	return []string{"split", "split_remainder_to_start_dealer", "seat_order", "high"}
}

// Meanings returns what the words of PlacementTie mean.
func (PlacementTie) Meanings() []string {
	return []string{
		"players who tie share what their places earn",
		"they share, and what does not divide goes to the one nearest the first dealer",
		"the one nearest the first dealer is ahead",
		"each has what the best of their places earns",
	}
}

// Values returns the words of Tobi in the order of its constants.
func (Tobi) Values() []string { return []string{"none", "below_zero", "zero_or_below"} }

// Meanings returns what the words of Tobi mean.
func (Tobi) Meanings() []string {
	return []string{
		"nobody ends the match by going broke",
		"a player below zero ends it",
		"a player at zero or below ends it",
	}
}

// Values returns the words of Yame in the order of its constants.
func (Yame) Values() []string { return []string{"none", "auto", "optional"} }

// Meanings returns what the words of Yame mean.
func (Yame) Meanings() []string {
	return []string{
		"the match goes on",
		"it ends with the dealer in the lead",
		"the dealer in the lead may end it",
	}
}

// Values returns the words of Extension in the order of its constants.
func (Extension) Values() []string { return []string{"none", "sudden_death"} }

// Meanings returns what the words of Extension mean.
func (Extension) Meanings() []string {
	return []string{
		"the match ends with its last round",
		"a further round, until somebody reaches the goal",
	}
}

// Values returns the words of ChiFrom in the order of its constants.
func (ChiFrom) Values() []string { return []string{"left", "any"} }

// Meanings returns what the words of ChiFrom mean.
func (ChiFrom) Meanings() []string {
	return []string{
		"of the player to the left alone",
		"of any player",
	}
}

// Values returns the words of SwapBan in the order of its constants.
func (SwapBan) Values() []string { return []string{"none", "same_tile", "same_and_other_end"} }

// Meanings returns what the words of SwapBan mean.
func (SwapBan) Meanings() []string {
	return []string{
		"any discard",
		"not the tile just claimed",
		"nor the one that would have completed the other end of the sequence",
	}
}

// Values returns the words of LastDiscard in the order of its constants.
func (LastDiscard) Values() []string { return []string{"win_only", "all"} }

// Meanings returns what the words of LastDiscard mean.
func (LastDiscard) Meanings() []string {
	return []string{
		"it may only be won",
		"it may be called too",
	}
}

// Values returns the words of MultiWin in the order of its constants.
func (MultiWin) Values() []string { return []string{"nearest", "all", "all_abort_on_triple"} }

// Meanings returns what the words of MultiWin mean.
func (MultiWin) Meanings() []string {
	return []string{
		"only the winner nearest after the giver",
		"all of them",
		"all of two; three end the hand without a winner",
	}
}

// Values returns the words of RobClosed in the order of its constants.
func (RobClosed) Values() []string { return []string{"never", "orphans", "always"} }

// Meanings returns what the words of RobClosed mean.
func (RobClosed) Meanings() []string {
	return []string{
		"nobody may win on the tile of a closed kan",
		"thirteen orphans may",
		"any hand may",
	}
}

// Values returns the words of ReadyMode in the order of its constants.
func (ReadyMode) Values() []string { return []string{"none", "riichi", "ding"} }

// Meanings returns what the words of ReadyMode mean.
func (ReadyMode) Meanings() []string {
	return []string{
		"there is no declaration",
		"riichi: a stake and a closed hand",
		"ding (叮): nothing is staked",
	}
}

// Values returns the words of ReadyKan in the order of its constants.
func (ReadyKan) Values() []string { return []string{"never", "waits_same", "waits_and_shape_same"} }

// Meanings returns what the words of ReadyKan mean.
func (ReadyKan) Meanings() []string {
	return []string{
		"never",
		"if the waits stay the same",
		"if the waits and the sets they are read from stay the same",
	}
}

// Values returns the words of LiveWait in the order of its constants.
func (LiveWait) Values() []string { return []string{"none", "concealed", "concealed_and_melds"} }

// Meanings returns what the words of LiveWait mean.
func (LiveWait) Meanings() []string {
	return []string{
		"any wait counts",
		"one of which the own concealed tiles hold all four copies does not",
		"nor one of which these and the own melds do",
	}
}

// Values returns the words of ReadyTiers in the order of its constants.
func (ReadyTiers) Values() []string { return []string{"off", "hkma", "first_discard"} }

// Meanings returns what the words of ReadyTiers mean.
func (ReadyTiers) Meanings() []string {
	return []string{
		"all declarations are alike",
		"before the first draw, with the first discard, in the first go-around, later",
		"before the first draw or with the first discard, later",
	}
}

// Values returns the words of OneShotEnd in the order of its constants.
func (OneShotEnd) Values() []string { return []string{"any_call_or_kong", "nothing"} }

// Meanings returns what the words of OneShotEnd mean.
func (OneShotEnd) Meanings() []string {
	return []string{
		"any call or completed kan ends it",
		"nothing does",
	}
}

// Values returns the words of ChaseScope in the order of its constants.
func (ChaseScope) Values() []string { return []string{"off", "any_time", "first_go_around"} }

// Meanings returns what the words of ChaseScope mean.
func (ChaseScope) Meanings() []string {
	return []string{
		"no payment",
		"whenever four discards in a row are of one kind",
		"only if they are the first four of the hand",
	}
}

// Values returns the words of Lock in the order of its constants.
func (Lock) Values() []string { return []string{"off", "kind", "hand"} }

// Meanings returns what the words of Lock mean.
func (Lock) Meanings() []string {
	return []string{
		"nothing is locked",
		"a locked kind may not be won on",
		"a lock on any kind of the wait stops every win on another's tile",
	}
}

// Values returns the words of PassEnds in the order of its constants.
func (PassEnds) Values() []string {
	return []string{"own_draw", "own_discard", "own_draw_or_call", "any_call", "any_own_draw"}
}

// Meanings returns what the words of PassEnds mean.
func (PassEnds) Meanings() []string {
	return []string{
		"the player's next draw from the wall",
		"the player's next discard",
		"the next draw from the wall or own call",
		"anybody's call, or the next draw from the wall",
		"the player's next draw, replacement tiles included",
	}
}

// Values returns the words of PassSetBy in the order of its constants.
func (PassSetBy) Values() []string { return []string{"shape", "legal_win"} }

// Meanings returns what the words of PassSetBy mean.
func (PassSetBy) Meanings() []string {
	return []string{
		"passing a tile that completes the shape",
		"passing a win that was allowed",
	}
}

// Values returns the words of PonPass in the order of its constants.
func (PonPass) Values() []string { return []string{"off", "own_draw", "own_discard"} }

// Meanings returns what the words of PonPass mean.
func (PonPass) Meanings() []string {
	return []string{
		"a pon passed may be made of the next such tile",
		"not before the player's next draw",
		"not before the player's next discard",
	}
}

// Values returns the words of Declaration in the order of its constants.
func (Declaration) Values() []string { return []string{"none", "automatic", "optional_in_order"} }

// Meanings returns what the words of Declaration mean.
func (Declaration) Meanings() []string {
	return []string{
		"nobody declares; hands count for what they are",
		"ready hands are shown by themselves",
		"each player may show or not, one after the other",
	}
}

// Values returns the words of Suukaikan in the order of its constants.
func (Suukaikan) Values() []string { return []string{"continue", "abort"} }

// Meanings returns what the words of Suukaikan mean.
func (Suukaikan) Meanings() []string {
	return []string{
		"play goes on after the fourth kan of several players",
		"the hand ends",
	}
}

// Values returns the words of IndicatorTiming in the order of its constants.
func (IndicatorTiming) Values() []string { return []string{"before_rinshan", "on_next_discard"} }

// Meanings returns what the words of IndicatorTiming mean.
func (IndicatorTiming) Meanings() []string {
	return []string{
		"turned before the replacement tile is drawn",
		"turned with the next discard or kan",
	}
}

// Values returns the words of TrueLast in the order of its constants.
func (TrueLast) Values() []string { return []string{"whole_wait", "rivers_only"} }

// Meanings returns what the words of TrueLast mean.
func (TrueLast) Meanings() []string {
	return []string{
		"the winning tile is the only one left of the whole wait",
		"the three other copies lie in the rivers",
	}
}
