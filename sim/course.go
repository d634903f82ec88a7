package sim

import "github.com/sparrowhall/sparrowhall/ruleset"

// Ending is the way in which a hand ended, as far as the rest of the match cares.
type Ending uint8

// Values of Ending.
const (
	EndWin Ending = iota
	EndDraw
	EndAbort
)

// HandEnd is what of a hand decides, beside the points, how a match goes on.
type HandEnd struct {
	Ending Ending
	// DealerWon tells whether the dealer is among the winners, Shared whether there
	// are several.
	DealerWon, Shared bool
	// DealerReady tells whether the dealer was ready when the wall was exhausted.
	DealerReady bool
}

// Stays reports whether the dealer deals again; after an abort he does (riichi 2.11).
func (e HandEnd) Stays(r *ruleset.Rules) bool {
	switch e.Ending {
	case EndWin:
		return e.DealerWon && (r.DealerStaysOnWin == ruleset.StaysAny || r.DealerStaysOnWin == ruleset.StaysAlone && !e.Shared)
	case EndDraw:
		return r.DealerStaysOnDraw == ruleset.StaysAlways || r.DealerStaysOnDraw == ruleset.StaysReady && e.DealerReady
	}
	return true
}

// Course is where a match stands, as far as that decides when it is over.
type Course struct {
	// Round counts the wind rounds from 0; Dealer is the chair that deals, Who the
	// player in it.
	Round  int
	Dealer ruleset.Chair
	Who    Player
	// Points are those of all players after the hand.
	Points [NumPlayers]int32
}

// Advance moves c past a hand that ended so; Who is then out of date if the deal
// passed. It reports whether the match is over,
// and if not, whether the dealer may end it (riichi 2.12, riichi 2.13). Limits on
// the number of hands are not looked at.
func (c *Course) Advance(r *ruleset.Rules, end HandEnd) (over, mayStop bool) {
	last := c.last(r)
	inExtension := r.Extension != ruleset.NoExtension && c.Round >= r.Rounds
	stays := end.Stays(r)
	if !stays {
		c.passDeal(r)
	}
	switch {
	case c.broke(r):
		return true, false
	case !last:
		return false, false
	case stays:
		over = !r.LastDealerPlaysOn || c.stops(r, end, ruleset.AutoYame) ||
			inExtension && !r.ExtensionRepeats && c.reached(r)
		return over, !over && c.stops(r, end, ruleset.OptionalYame)
	}
	// The deal has moved on: after the one extra wind the round is past it.
	return r.Extension == ruleset.NoExtension || c.reached(r) || c.Round > r.Rounds, false
}

// last reports whether the hand is the last scheduled one or one of an extension.
func (c *Course) last(r *ruleset.Rules) bool {
	return c.Round >= r.Rounds || c.Round == r.Rounds-1 && int(c.Dealer) == r.HandsPerRound-1
}

// passDeal gives the deal to the next chair, and to the first of the next round
// after the last (S4 2.9, 2.10).
func (c *Course) passDeal(r *ruleset.Rules) {
	c.Dealer++
	if int(c.Dealer) == r.HandsPerRound {
		c.Dealer = 0
		c.Round++
	}
}

// broke reports whether a player has so few points that the match is over.
func (c *Course) broke(r *ruleset.Rules) bool {
	limit := int32(0)
	switch r.Tobi {
	case ruleset.NoTobi:
		return false
	case ruleset.ZeroOrBelow:
		limit = 1
	}
	for _, p := range c.Points {
		if p < limit {
			return true
		}
	}
	return false
}

// reached reports whether a player has the points that end an extension.
func (c *Course) reached(r *ruleset.Rules) bool {
	for _, p := range c.Points {
		if int(p) >= r.ExtensionTarget {
			return true
		}
	}
	return false
}

// stops reports whether the last dealer, who keeps the deal, leads and may (or
// with AutoYame does) end the match.
func (c *Course) stops(r *ruleset.Rules, end HandEnd, yame ruleset.Yame) bool {
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
	return knob == yame && c.leader() == c.Who && int(c.Points[c.Who]) >= r.YameMinPoints
}

// leader returns the player with the most points; of equals the one nearest to
// the first dealer.
func (c *Course) leader() Player {
	best := Player(0)
	for p, n := range c.Points {
		if n > c.Points[best] {
			best = Player(p)
		}
	}
	return best
}
