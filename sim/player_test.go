package sim_test

import (
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// player is a test agent: it takes the first action it likes, by its style.
// What it does depends on the view and the view's random numbers alone.
type player struct {
	name string
	// chance out of 16 to take each of these when it is legal.
	win, kan, ready, call, abort int
	// lower lowers the shanten number with the discard, otherwise any tile goes.
	lower bool
}

// The players lead to different parts of the rules.
var (
	anyhow  = &player{name: "anyhow", win: -1}
	eager   = &player{name: "eager", win: 16, kan: 16, ready: 16, call: 12, abort: 4, lower: true}
	closed  = &player{name: "closed", win: 16, kan: 12, ready: 16, lower: true}
	passer  = &player{name: "passer", win: 2, kan: 8, ready: 10, call: 4, lower: true}
	kanner  = &player{name: "kanner", win: 8, kan: 16, ready: 4, call: 16, lower: false}
	mixed   = [4]sim.Agent{eager, closed, passer, anyhow}
	closeds = [4]sim.Agent{closed, closed, closed, closed}
	eagers  = [4]sim.Agent{eager, eager, eager, eager}
	kanners = [4]sim.Agent{kanner, eager, kanner, closed}
	passers = [4]sim.Agent{passer, closed, passer, closed}
	anyhows = [4]sim.Agent{anyhow, anyhow, anyhow, anyhow}
	tables  = [][4]sim.Agent{mixed, closeds, eagers, kanners, passers, anyhows}
)

// Act implements sim.Agent.
func (p *player) Act(v sim.View) sim.Action {
	legal := v.Legal()
	stream := v.Rand()
	rng := rand.New(&stream)
	if p.win < 0 {
		return legal.Nth(rng.IntN(legal.Len()))
	}
	var wins, kans, readies, calls, rest, discards []sim.Action
	for a := range legal.All {
		switch {
		case a == sim.ActWin:
			wins = append(wins, a)
		case a >= sim.ActOpenKan && a < sim.ActWin, a == sim.ActKita:
			kans = append(kans, a)
		case a.DeclaresReady():
			readies = append(readies, a)
		case a >= sim.ActChi && a < sim.ActOpenKan:
			calls = append(calls, a)
		case a == sim.ActNineKinds:
			if rng.IntN(16) < p.abort {
				return a
			}
		case a.IsDiscard() && a < sim.ActDiscard+sim.Action(tile.FirstFlower) || a == sim.ActDiscardDrawn && !v.Drawn().IsFlower():
			discards = append(discards, a)
		default:
			rest = append(rest, a)
		}
	}
	for _, x := range []struct {
		actions []sim.Action
		chance  int
	}{{wins, p.win}, {kans, p.kan}, {readies, p.ready}, {calls, p.call}} {
		if len(x.actions) > 0 && rng.IntN(16) < x.chance {
			return x.actions[rng.IntN(len(x.actions))]
		}
	}
	switch {
	case len(rest) > 0:
		return rest[rng.IntN(len(rest))]
	case p.lower:
		return lowest(v, discards, rng)
	}
	return discards[rng.IntN(len(discards))]
}

// lowest returns a discard after which the hand is nearest to ready.
func lowest(v sim.View, discards []sim.Action, rng *rand.Rand) sim.Action {
	best, bestShanten, ties := discards[0], 100, 0
	h, melds := v.Hand(), v.NumMelds(v.Player())
	for _, a := range discards {
		f := v.Drawn()
		if a != sim.ActDiscardDrawn {
			f = tile.Face(a)
		}
		h.Remove(f.Kind())
		n := v.Rules().Shanten(&h, melds)
		h.Add(f.Kind())
		if n < bestShanten {
			best, bestShanten, ties = a, n, 0
		}
		if n == bestShanten {
			if ties++; rng.IntN(ties) == 0 {
				best = a
			}
		}
	}
	return best
}

// isReadyHand reports whether the hand of p without a drawn tile waits for
// something that live_wait leaves.
func isReadyHand(t *sim.Table, p sim.Player) bool {
	v := t.View(p)
	h := v.Hand()
	if k := v.Drawn().Kind(); k != tile.NoKind {
		h.Remove(k)
	}
	melds := make([]meld, 0, 4)
	for i := range v.NumMelds(p) {
		melds = append(melds, v.Meld(p, i))
	}
	return ruleset.LiveWaits(v.Waits(), &h, melds, t.Rules().LiveWait) != 0
}
