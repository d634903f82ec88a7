// Code generated from knobwords.go. DO NOT EDIT.

package ruleset

func (FlowerMode) Words() []Word {
	return []Word{{Text: "none", Meaning: "no flowers in the set"}, {Text: "forced", Meaning: "a flower is exposed and replaced as soon as it is held"}, {Text: "optional", Meaning: "a flower may be kept, discarded or exposed"}}
}

func (LastFlower) Words() []Word {
	return []Word{{Text: "discard", Meaning: "it is discarded and the hand ends"}, {Text: "reveal", Meaning: "it is exposed and the hand ends"}}
}

func (OpeningFlowers) Words() []Word {
	return []Word{{Text: "seat_complete", Meaning: "each seat replaces all its flowers before the next"}, {Text: "round_robin", Meaning: "each seat in turn replaces those it has, again until no player holds one"}}
}

func (Walls) Words() []Word {
	return []Word{{Text: "shared", Meaning: "one wall for all"}, {Text: "per_seat", Meaning: "a private wall of 34 tiles for each seat"}}
}

func (ReplacementFrom) Words() []Word {
	return []Word{{Text: "tail", Meaning: "from the end of the wall"}, {Text: "front", Meaning: "from the front, like any draw"}}
}

func (ReplacementOrder) Words() []Word {
	return []Word{{Text: "top_first", Meaning: "the upper tile of each stack before the lower"}, {Text: "linear", Meaning: "one by one from the end"}}
}

func (Deal) Words() []Word {
	return []Word{{Text: "blocks", Meaning: "four tiles at a time, then one, with the dealer's jump"}, {Text: "sequential", Meaning: "each hand in one piece"}}
}

func (DealTurn) Words() []Word {
	return []Word{{Text: "forward", Meaning: "in turn order"}, {Text: "backward", Meaning: "against it"}}
}

func (ExtraTile) Words() []Word {
	return []Word{{Text: "dealt", Meaning: "it belongs to the deal"}, {Text: "drawn", Meaning: "it is an ordinary draw"}}
}

func (LastTileWhen) Words() []Word {
	return []Word{{Text: "wall_empty", Meaning: "the wall is empty"}, {Text: "next_wall_empty", Meaning: "the wall of the next player is empty"}}
}

func (ExhaustedWhen) Words() []Word {
	return []Word{{Text: "last_discard", Meaning: "after the last discard, if no player wins on it"}, {Text: "empty_draw", Meaning: "when a player finds no tile to draw"}}
}

func (RoundWind) Words() []Word {
	return []Word{{Text: "by_round", Meaning: "East in the first round, then South, West, North"}, {Text: "random", Meaning: "drawn for each match"}}
}

func (SeatRotation) Words() []Word {
	return []Word{{Text: "none", Meaning: "players keep their chairs"}, {Text: "mcr_table", Meaning: "they move between rounds as in the seat table of MCR"}}
}

func (StaysOnWin) Words() []Word {
	return []Word{{Text: "never", Meaning: "the deal passes"}, {Text: "alone", Meaning: "it stays if the dealer alone wins"}, {Text: "any", Meaning: "it stays if the dealer is among the winners"}}
}

func (StaysOnDraw) Words() []Word {
	return []Word{{Text: "never", Meaning: "the deal passes"}, {Text: "ready", Meaning: "it stays if the dealer is ready"}, {Text: "always", Meaning: "it stays"}}
}

func (OnSharedWin) Words() []Word {
	return []Word{{Text: "plus_one", Meaning: "one more repeat"}, {Text: "reset", Meaning: "the count starts again"}}
}

func (CounterStep) Words() []Word {
	return []Word{{Text: "plus_one", Meaning: "one more"}, {Text: "keep", Meaning: "as it is"}, {Text: "reset", Meaning: "back to zero"}}
}

func (PlacementTie) Words() []Word {
	return []Word{{Text: "split", Meaning: "players who tie share what their places earn"}, {Text: "split_remainder_to_start_dealer", Meaning: "they share, and what does not divide goes to the one nearest the first dealer"}, {Text: "seat_order", Meaning: "the one nearest the first dealer is ahead"}, {Text: "high", Meaning: "each has what the best of their places earns"}}
}

func (Tobi) Words() []Word {
	return []Word{{Text: "none", Meaning: "no player ends the match by going broke"}, {Text: "below_zero", Meaning: "a player below zero ends it"}, {Text: "zero_or_below", Meaning: "a player at zero or below ends it"}}
}

func (Yame) Words() []Word {
	return []Word{{Text: "none", Meaning: "the match goes on"}, {Text: "auto", Meaning: "it ends with the dealer in the lead"}, {Text: "optional", Meaning: "the dealer in the lead may end it"}}
}

func (Extension) Words() []Word {
	return []Word{{Text: "none", Meaning: "the match ends with its last round"}, {Text: "sudden_death", Meaning: "a further round, until a player reaches the goal"}}
}

func (ChiFrom) Words() []Word {
	return []Word{{Text: "left", Meaning: "of the player to the left alone"}, {Text: "any", Meaning: "of any player"}}
}

func (SwapBan) Words() []Word {
	return []Word{{Text: "none", Meaning: "any discard"}, {Text: "same_tile", Meaning: "not the tile just claimed"}, {Text: "same_and_other_end", Meaning: "nor the one that would have completed the other end of the sequence"}}
}

func (LastDiscard) Words() []Word {
	return []Word{{Text: "win_only", Meaning: "it may only be won"}, {Text: "all", Meaning: "it may be called too"}}
}

func (MultiWin) Words() []Word {
	return []Word{{Text: "nearest", Meaning: "only the winner nearest after the giver"}, {Text: "all", Meaning: "all of them"}, {Text: "all_abort_on_triple", Meaning: "all of two; three end the hand without a winner"}}
}

func (RobClosed) Words() []Word {
	return []Word{{Text: "never", Meaning: "no player may win on the tile of a closed kan"}, {Text: "orphans", Meaning: "thirteen orphans may"}, {Text: "always", Meaning: "any hand may"}}
}

func (ReadyMode) Words() []Word {
	return []Word{{Text: "none", Meaning: "there is no declaration"}, {Text: "riichi", Meaning: "riichi: a stake and a closed hand"}, {Text: "ding", Meaning: "ding (叮): nothing is staked"}}
}

func (ReadyKan) Words() []Word {
	return []Word{{Text: "never", Meaning: "never"}, {Text: "waits_same", Meaning: "if the waits stay the same"}, {Text: "waits_and_shape_same", Meaning: "if the waits and the sets they are read from stay the same"}}
}

func (LiveWait) Words() []Word {
	return []Word{{Text: "none", Meaning: "any wait counts"}, {Text: "concealed", Meaning: "one of which the own concealed tiles hold all four copies does not"}, {Text: "concealed_and_melds", Meaning: "nor one of which these and the own melds do"}}
}

func (ReadyTiers) Words() []Word {
	return []Word{{Text: "off", Meaning: "all declarations are alike"}, {Text: "hkma", Meaning: "before the first draw, with the first discard, in the first go-around, later"}, {Text: "first_discard", Meaning: "before the first draw or with the first discard, later"}}
}

func (OneShotEnd) Words() []Word {
	return []Word{{Text: "any_call_or_kong", Meaning: "any call or completed kan ends it"}, {Text: "nothing", Meaning: "nothing does"}}
}

func (ChaseScope) Words() []Word {
	return []Word{{Text: "off", Meaning: "no payment"}, {Text: "any_time", Meaning: "whenever four discards in a row are of one kind"}, {Text: "first_go_around", Meaning: "only if they are the first four of the hand"}}
}

func (Lock) Words() []Word {
	return []Word{{Text: "off", Meaning: "nothing is locked"}, {Text: "kind", Meaning: "a locked kind may not be won on"}, {Text: "hand", Meaning: "a lock on any kind of the wait stops every win on another's tile"}}
}

func (PassEnds) Words() []Word {
	return []Word{{Text: "own_draw", Meaning: "the player's next draw from the wall"}, {Text: "own_discard", Meaning: "the player's next discard"}, {Text: "own_draw_or_call", Meaning: "the next draw from the wall or own call"}, {Text: "any_call", Meaning: "anybody's call, or the next draw from the wall"}, {Text: "any_own_draw", Meaning: "the player's next draw, replacement tiles included"}}
}

func (PassSetBy) Words() []Word {
	return []Word{{Text: "shape", Meaning: "passing a tile that completes the shape"}, {Text: "legal_win", Meaning: "passing a win that was allowed"}}
}

func (PonPass) Words() []Word {
	return []Word{{Text: "off", Meaning: "a pon passed may be made of the next such tile"}, {Text: "own_draw", Meaning: "not before the player's next draw"}, {Text: "own_discard", Meaning: "not before the player's next discard"}}
}

func (Declaration) Words() []Word {
	return []Word{{Text: "none", Meaning: "no player declares; hands count for what they are"}, {Text: "automatic", Meaning: "ready hands are shown by themselves"}, {Text: "optional_in_order", Meaning: "each player may show or not, one after the other"}}
}

func (Suukaikan) Words() []Word {
	return []Word{{Text: "continue", Meaning: "play goes on after the fourth kan of several players"}, {Text: "abort", Meaning: "the hand ends"}}
}

func (IndicatorTiming) Words() []Word {
	return []Word{{Text: "before_rinshan", Meaning: "turned before the replacement tile is drawn"}, {Text: "on_next_discard", Meaning: "turned with the next discard or kan"}}
}

func (TrueLast) Words() []Word {
	return []Word{{Text: "whole_wait", Meaning: "the winning tile is the only one left of the whole wait"}, {Text: "rivers_only", Meaning: "the three other copies lie in the rivers"}}
}

func (HandKongs) Words() []Word {
	return []Word{{Text: "any", Meaning: "any but added kans"}, {Text: "concealed_only", Meaning: "closed kans only"}, {Text: "none", Meaning: "none"}}
}
