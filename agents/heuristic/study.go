package heuristic

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// rewarded is an aim that the rules reward, with what an example is worth in
// units: closed, and with a meld.
type rewarded struct {
	*aim.Aim
	closed, open float64
}

// study prepares for the rules: which aims they reward, and what a win is
// usually worth. It plays no part after the first decision under them.
func (e *evaluator) study(r *ruleset.Rules) {
	e.book = aim.Study(r)
	e.Completion, e.Stakes = aim.NewCompletion(r), aim.NewStakes(r)
	e.situation = situation{}
	e.dangers = dangers{}
	e.shown = ruleset.Win{Discards: ruleset.NoCount}
	e.listAims()
	style := e.style
	e.style = fullStyle
	e.findTypical()
	e.style = style
	e.forget()
	e.due.Counter = -1 // so that the relief is worked out anew
}

// rewarding is how much more than a plain hand an aim's example must be worth.
const rewarding = 1.5

// listAims lists the aims that the rules reward: the plain hand, and those whose
// example is worth clearly more or may win where a plain one may not.
func (e *evaluator) listAims() {
	e.aims = e.aims[:0]
	for i := range e.book.Aims {
		a := rewarded{Aim: &e.book.Aims[i]}
		a.closed, a.open = usually(a.Closed.Discard, a.Closed.SelfDraw), usually(a.Open.Discard, a.Open.SelfDraw)
		if i > 0 && a.Shape != aim.Other &&
			a.closed <= rewarding*e.aims[0].closed && a.open <= rewarding*e.aims[0].open {
			continue
		}
		e.aims = append(e.aims, a)
	}
	aims := make([]*aim.Aim, len(e.aims))
	for i, a := range e.aims {
		aims[i] = a.Aim
	}
	e.fitting = aim.NewFitting(aims, e.book.Rules.HandSize/3)
}

// findTypical finds what a win is usually worth: a value somewhat above the
// median of what random hands are worth by the aim that promises most.
func (e *evaluator) findTypical() {
	const samples, draws = 101, 17
	rng := rand.New(rand.NewPCG(1, 1))
	var values []ruleset.Value
	for range samples {
		for k := range e.Unseen {
			e.Unseen[k] = 4
		}
		draw := func() tile.Kind {
			for {
				if k := tile.Kind(rng.IntN(tile.NumKinds)); rng.IntN(4) < int(e.Unseen[k]) {
					e.Unseen[k]--
					return k
				}
			}
		}
		p := &e.now
		*p = aim.Position{Sets: e.book.Rules.HandSize / 3}
		for range e.book.Rules.HandSize {
			p.Hand.Add(draw())
		}
		if e.book.Rules.Dora {
			e.Win.Indicators[0], e.Win.NumIndicators = draw(), 1
		}
		e.draws = draws
		e.forget()
		e.choose(p)
		best := slices.MaxFunc(append([]chosen{{}}, e.chosen[:e.numChosen]...), func(a, b chosen) int {
			return cmp.Compare(a.outlook, b.outlook)
		})
		if best.rewarded != nil && e.Find(p, best.Aim) && e.completed(p, best.Aim, best.open*rewarding > best.closed) > 0 && e.Score(&e.Win) {
			values = append(values, *e.Value())
		}
	}
	slices.SortStableFunc(values, func(a, b ruleset.Value) int { return int(a.Points - b.Points) })
	if len(values) > 0 {
		e.typical = values[len(values)*6/10]
	}
}

// selfDrawn is the part of all wins that are self-draws.
const selfDrawn = 0.35

// usually returns the mean of what a win brings on a discard and by self-draw.
func usually(onDiscard, byDraw int32) float64 {
	return float64((1-selfDrawn)*float64(onDiscard)) + float64(selfDrawn*float64(byDraw))
}

// completed returns the units that p wins with what Find has found, or 0 if that
// may not win.
func (e *evaluator) completed(p *aim.Position, a *aim.Aim, open bool) float64 {
	e.Make(p, a, open)
	return e.gain()
}

// gain returns the units that the win in e.Win brings the viewer, debts and what
// he is spared included; 0 if it may not win.
func (e *evaluator) gain() float64 {
	at, known := e.gains.of(&e.Win)
	if !known {
		at.gain = e.findGain()
	}
	return at.gain
}

func (e *evaluator) findGain() float64 {
	if !e.Score(&e.Win) {
		return 0
	}
	if !e.style.worth {
		*e.Value() = e.typical
	}
	onDiscard := 0.0
	if e.Owing {
		for i := 1; i < sim.NumPlayers; i++ {
			onDiscard += e.settle(e.Me, e.Me.Next(i)) / (sim.NumPlayers - 1)
		}
	} else {
		// Without debts it does not matter much who pays.
		onDiscard = e.settle(e.Me, e.Me.Next(2))
	}
	return float64((1-selfDrawn)*onDiscard) + float64(selfDrawn*e.settle(e.Me, ruleset.NoChair)) + e.relief
}

// usualLoss returns the units that the viewer pays on average for a win among
// the others.
func (e *evaluator) usualLoss() float64 {
	*e.Value() = e.typical
	winner := e.Me.Next(1)
	return -float64((1-selfDrawn)*e.settle(winner, e.Me.Next(2))) - float64(selfDrawn*e.settle(winner, ruleset.NoChair))
}

// settle returns the units that the viewer gains when what is settled wins off
// from or, if that is NoChair, by self-draw.
func (e *evaluator) settle(winner, from ruleset.Chair) float64 {
	return float64(e.Settle(winner, from))
}
