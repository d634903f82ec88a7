package heuristic

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
)

// study prepares for the rules: which aims they reward, and what a win is
// usually worth. It plays no part after the first decision under them.
func (e *evaluator) study(r *ruleset.Rules) {
	e.rules = r
	_, e.debts = r.Scorer.(ruleset.DebtCollector)
	e.situation = situation{due: due{me: 1}}
	e.dangers = dangers{}
	e.win = ruleset.Win{SeatWind: tile.Wind(e.me), Discards: ruleset.NoCount}
	e.shown = ruleset.Win{Discards: ruleset.NoCount}
	e.settlement = ruleset.Settlement{NumWinners: 1}
	for i := range e.settlement.Winners[0].Liable {
		e.settlement.Winners[0].Liable[i] = ruleset.NoChair
	}
	switch {
	case r.Ready == ruleset.Riichi:
		e.closedFlags = ruleset.FlagRiichi
	case r.Ready == ruleset.Ding:
		e.closedFlags = ruleset.FlagReady
		if !r.ReadyClosedOnly {
			e.openFlags = ruleset.FlagReady
		}
	}
	style := e.style
	e.style = fullStyle
	e.listAims()
	e.findTypical()
	e.style = style
	e.due.counter = -1 // so that the relief is worked out anew
}

// exampleSets are the lowest kinds of the sets of a plain hand: 123m 567p 345s
// 789s and, of seventeen tiles, 456m. Its pair is 9p.
var exampleSets = [hand.MaxSets]tile.Kind{0, 13, 20, 24, 3}

// rewarding is how much more than a plain hand an aim's example must be worth.
const rewarding = 1.5

// listAims lists the aims that the rules reward: a plain hand is the first, and
// the example of any other, made of the plain one, is worth clearly more or may
// win where a plain one may not.
func (e *evaluator) listAims() {
	plain := position{sets: e.rules.HandSize / 3}
	for _, k := range exampleSets[:plain.sets] {
		for i := range tile.Kind(3) {
			plain.hand.Add(k + i)
		}
	}
	plain.hand.Add(17)
	e.now = plain
	for k := range e.unseen {
		e.unseen[k] = int8(4 - plain.hand.Count(tile.Kind(k)))
	}
	e.aims = e.aims[:0]
	for _, a := range everyAim() {
		if !e.possible(&a) {
			continue
		}
		a.need, _ = plain.needOf(&a)
		if a.shape != otherShape { // which shows when it is near what it is worth
			a.closed = e.worthOf(&plain, &a, false)
		}
		if a.canOpen() {
			a.open = e.worthOf(&plain, &a, true)
		}
		if len(e.aims) > 0 && a.shape != otherShape &&
			a.closed <= rewarding*e.aims[0].closed && a.open <= rewarding*e.aims[0].open {
			continue
		}
		e.aims = append(e.aims, a)
	}
}

// possible reports whether the family has the shape of the aim.
func (e *evaluator) possible(a *aim) bool {
	switch {
	case a.shape == otherShape:
		return orphansWin(e.rules)
	case a.shape == sevenPairs:
		return e.rules.HandSize == 13
	case a.knitted != 0 && e.rules.HandSize == 13:
		var h hand.Hand
		for kinds := a.knitted; kinds != 0; kinds = kinds.Rest() {
			h.Add(kinds.First())
		}
		for range 3 {
			h.Add(tile.East)
		}
		h.Add(tile.White)
		return e.rules.Waits(&h, 0).Has(tile.White)
	}
	return a.knitted == 0
}

// findTypical finds what a win is usually worth: a value somewhat above the
// median of what random hands are worth by the aim that promises most.
func (e *evaluator) findTypical() {
	const samples, draws = 101, 17
	rng := rand.New(rand.NewPCG(1, 1))
	var values []ruleset.Value
	for range samples {
		for k := range e.unseen {
			e.unseen[k] = 4
		}
		draw := func() tile.Kind {
			for {
				if k := tile.Kind(rng.IntN(tile.NumKinds)); rng.IntN(4) < int(e.unseen[k]) {
					e.unseen[k]--
					return k
				}
			}
		}
		p := &e.now
		*p = position{sets: e.rules.HandSize / 3}
		for range e.rules.HandSize {
			p.hand.Add(draw())
		}
		if e.rules.Dora {
			e.win.Indicators[0], e.win.NumIndicators = draw(), 1
		}
		e.draws = draws
		e.choose(p)
		best := slices.MaxFunc(append([]chosen{{}}, e.chosen[:e.numChosen]...), func(a, b chosen) int {
			return cmp.Compare(a.outlook, b.outlook)
		})
		if best.aim != nil && e.worthOf(p, best.aim, best.open*rewarding > best.closed) > 0 {
			values = append(values, e.settlement.Winners[0].Value)
		}
	}
	slices.SortStableFunc(values, func(a, b ruleset.Value) int { return int(a.Points - b.Points) })
	if len(values) > 0 {
		e.typical = values[len(values)*6/10]
	}
}
