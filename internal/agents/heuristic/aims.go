package heuristic

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// maxFollowed is the largest number of aims that are followed at a time.
const maxFollowed = 4

// followedAim is an aim worth following from a position, at most one of each class.
type followedAim struct {
	rewarded *rewardedAim
	need     aim.Need
	distance int // 0 tenpai, -1 complete
	// closed and open are the gains in units of a likely completion: of a closed hand that
	// stays closed, and that is opened. For an open hand closed holds its gain.
	closed, open float64
	ev           float64 // expected gain in units at typical ukeire
	// restrictedClosed and restrictedOpen report whether a closed and an open hand needs
	// particular sets or kinds, so that fewer tiles help.
	restrictedClosed, restrictedOpen bool
}

func (c *followedAim) restricted(open bool) bool {
	if open {
		return c.restrictedOpen
	}
	return c.restrictedClosed
}

// followAims sets followed to the aims of the highest EV from p.
func (e *evaluator) followAims(p *aim.Position) {
	e.numFollowed, e.slotOfClass = 0, [aim.NumClasses]uint8{}
	list := e.fitting.Possible(p)
	// The first is the plain hand, which all melds leave possible. Aims far behind it are
	// not evaluated.
	nearest := e.tryAim(p, &list[0], aim.Hopeless)
	for _, i := range e.fitting.Reachable(p, list, nearest) {
		e.tryAim(p, &list[i], nearest)
	}
	e.dropWeakAims()
	for i := range e.numFollowed {
		if c := &e.followed[i]; c.rewarded.aim.Class != aim.Plain && c.rewarded.aim.Class != aim.OtherShape {
			c.closed, c.open = e.aimGains(p, c.rewarded)
			c.ev = e.evByUkeire(p, c, c.distance).typical(c.distance)
		}
	}
	e.dropWeakAims()
}

// tryAim follows a fitting aim if it is at most 2 farther than nearest and better than
// another one of its class, or than the worst if all slots are taken. It returns the
// distance to the aim.
func (e *evaluator) tryAim(p *aim.Position, fit *aim.PossibleAim, nearest int) int {
	a, n := &e.aims[fit.Index], &fit.Need
	d := e.book.Distance(p, a.aim, n)
	if d > nearest+2 {
		return d
	}
	c := &e.trial
	c.rewarded, c.distance = a, d
	c.closed, c.open = a.closed, a.open
	if c.restrictedClosed, c.restrictedOpen = a.closed == 0, a.open == 0; a.aim.Class != aim.Plain {
		c.restrictedClosed = a.aim.Shape != aim.Standard || a.aim.Kinds != tile.All || n.Sets > 0
		c.restrictedOpen = c.restrictedClosed
	}
	if p.Open {
		c.closed = a.open
	}
	if a.aim.Class == aim.Plain || a.aim.Class == aim.OtherShape {
		// Examples of these vary too much in worth.
		c.closed, c.open = e.aimGains(p, a)
	}
	c.ev = e.evByUkeire(p, c, d).typical(d)
	slot := int(e.slotOfClass[a.aim.Class]) - 1
	if slot < 0 {
		slot = e.freeSlot()
	}
	if slot == e.numFollowed {
		e.numFollowed++
	} else if other := &e.followed[slot]; other.ev < c.ev {
		e.slotOfClass[other.rewarded.aim.Class] = 0
	} else {
		return d
	}
	e.slotOfClass[a.aim.Class] = uint8(slot + 1)
	c.need = *n
	e.followed[slot] = *c
	return d
}

// freeSlot returns the index in followed of a further aim: the next one or, if there is
// none, that of the aim with the lowest EV.
func (e *evaluator) freeSlot() int {
	if e.numFollowed < maxFollowed {
		return e.numFollowed
	}
	slot := 0
	for i := range e.followed {
		if e.followed[i].ev < e.followed[slot].ev {
			slot = i
		}
	}
	return slot
}

// aimGains returns the gains in units of a likely completion of p, closed and open.
func (e *evaluator) aimGains(p *aim.Position, a *rewardedAim) (closed, open float64) {
	if e.completion.FindSets(p, a.aim) {
		closed = e.completionGain(p, a.aim, false)
		if e.features.calls && !p.Open && (a.open > 0 || a.aim.Class == aim.Plain) {
			open = e.completionGain(p, a.aim, true)
		}
	}
	return closed, open
}

// dropWeakAims drops the aims whose EV is a small part of that of the best one.
func (e *evaluator) dropWeakAims() {
	most := 0.0
	for i := range e.numFollowed {
		most = max(most, e.followed[i].ev)
	}
	n := 0
	for i := range e.numFollowed {
		if e.followed[i].ev > e.weights[minAimShare]*most {
			if n != i {
				e.followed[n] = e.followed[i]
			}
			n++
		}
	}
	e.numFollowed = n
}
