package sim

import "github.com/sparrowhall/sparrowhall/ruleset"

// Ending is how a hand ended.
type Ending uint8

// Values of Ending.
const (
	EndWin Ending = iota
	EndDraw
	EndAbort
)

// HandEnd is the result of a hand as far as it decides, with the points, how the match
// continues.
type HandEnd struct {
	Ending Ending
	// DealerWon is set if the dealer is among the winners, MultipleWinners if there
	// are several.
	DealerWon, MultipleWinners bool
	// DealerReady is set if the dealer was ready when the wall was exhausted.
	DealerReady bool
}

// Stays reports whether the dealer deals again. After an abort he does (riichi 2.11).
func (e HandEnd) Stays(r *ruleset.Rules) bool {
	switch e.Ending {
	case EndWin:
		return e.DealerWon && (r.DealerStaysOnWin == ruleset.StaysAny || r.DealerStaysOnWin == ruleset.StaysAlone && !e.MultipleWinners)
	case EndDraw:
		return r.DealerStaysOnDraw == ruleset.StaysAlways || r.DealerStaysOnDraw == ruleset.StaysReady && e.DealerReady
	}
	return true
}

// Progress is the part of the state of a match that decides when it is over.
type Progress struct {
	// Round counts the wind rounds from 0; Dealer is the chair that deals, DealerPlayer
	// the player in it.
	Round        int
	Dealer       ruleset.Chair
	DealerPlayer Player
	// Points are those of all players after the hand.
	Points [NumPlayers]int32
}

// Advance updates c after a hand; DealerPlayer keeps its value if the deal passes. It
// reports whether the match is over, and if not, whether the dealer may end it
// (riichi 2.12, riichi 2.13). It does not check limits on the number of hands.
func (c *Progress) Advance(r *ruleset.Rules, end HandEnd) (over, mayStop bool) {
	last := c.isLast(r)
	inExtension := r.Extension != ruleset.NoExtension && c.Round >= r.Rounds
	stays := end.Stays(r)
	if !stays {
		c.passDeal(r)
	}
	switch {
	case c.isBankrupt(r):
		return true, false
	case !last:
		return false, false
	case stays:
		over = !r.LastDealerPlaysOn || c.dealerStops(r, end, ruleset.AutoYame) ||
			inExtension && !r.ExtensionRepeats && c.reachedTarget(r)
		return over, !over && c.dealerStops(r, end, ruleset.OptionalYame)
	}
	// The deal has passed. An extension lasts one round at most.
	return r.Extension == ruleset.NoExtension || c.reachedTarget(r) || c.Round > r.Rounds, false
}

// isLast reports whether the hand is the last scheduled one or one of an extension.
func (c *Progress) isLast(r *ruleset.Rules) bool {
	return c.Round >= r.Rounds || c.Round == r.Rounds-1 && int(c.Dealer) == r.HandsPerRound-1
}

// passDeal gives the deal to the next chair. After the last chair the next round begins
// (S4 2.9, 2.10).
func (c *Progress) passDeal(r *ruleset.Rules) {
	c.Dealer++
	if int(c.Dealer) == r.HandsPerRound {
		c.Dealer = 0
		c.Round++
	}
}

// isBankrupt reports whether a player has so few points that the match is over.
func (c *Progress) isBankrupt(r *ruleset.Rules) bool {
	limit := int32(0)
	switch r.Tobi {
	case ruleset.NoTobi:
		return false
	case ruleset.ZeroOrBelow:
		limit = 1
	}
	for _, p := range c.Points[:r.NumSeats()] {
		if p < limit {
			return true
		}
	}
	return false
}

// reachedTarget reports whether a player has the points that end an extension.
func (c *Progress) reachedTarget(r *ruleset.Rules) bool {
	for _, p := range c.Points[:r.NumSeats()] {
		if int(p) >= r.ExtensionTarget {
			return true
		}
	}
	return false
}

// dealerStops reports whether the last dealer, who keeps the deal, leads and may (or
// with AutoYame does) end the match.
func (c *Progress) dealerStops(r *ruleset.Rules, end HandEnd, yame ruleset.Yame) bool {
	knob := r.AgariYame
	switch end.Ending {
	case EndDraw:
		if !end.DealerReady {
			return false
		}
		knob = r.TenpaiYame
	case EndAbort:
		return false
	}
	return knob == yame && c.leader(r) == c.DealerPlayer && int(c.Points[c.DealerPlayer]) >= r.YameMinPoints
}

// leader returns the player with the most points. The player nearest to the first
// dealer wins ties.
func (c *Progress) leader(r *ruleset.Rules) Player {
	best := Player(0)
	for p, n := range c.Points[:r.NumSeats()] {
		if n > c.Points[best] {
			best = Player(p)
		}
	}
	return best
}
