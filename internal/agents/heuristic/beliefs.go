package heuristic

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// beliefs is what an expert infers about the other players' concealed tiles.
type beliefs struct {
	estimator belief.Estimator
	// By opponent in turn order: whether it may be tenpai, and the chance in 1/belief.Unit.
	mayWin [sim.NumPlayers - 1]bool
	tenpai [sim.NumPlayers - 1]int32
}

// minTenpai is the chance to be tenpai, in 1/belief.Unit, from which waits are estimated.
const minTenpai = belief.Unit / 50

// observeBeliefs estimates the opponents who may be tenpai, and sets their safe kinds.
func (x *Expert) observeBeliefs(v sim.View) {
	b := &x.beliefs
	clear(b.mayWin[:])
	clear(b.tenpai[:])
	if !x.options.useBeliefs || !x.value.features.defense || x.value.book.Rules.Ready != ruleset.Riichi {
		return // the networks of other families are fitted without beliefs
	}
	observed := false
	for i := range x.value.others() {
		p := v.PlayerAfter(i + 1)
		if v.Ready(p) == sim.NotReady && x.value.threats[i].tenpai < x.value.weights[noThreatBelow] && v.NumMelds(p) < 2 {
			continue
		}
		if !observed {
			b.estimator.Observe(v)
			if observed = true; !b.estimator.HasNetwork() {
				return
			}
		}
		if b.tenpai[i] = b.estimator.EvaluatePlayer(p); b.tenpai[i] < minTenpai {
			continue
		}
		b.mayWin[i] = true
		x.value.threats[i].safe = b.estimator.SafeKinds(p)
	}
}

func (x *Expert) encodeTenpaiBeliefs() {
	c, b := &x.situationInputs, &x.beliefs
	for i := range b.mayWin {
		c.SkipTo(tenpaiBegin + i*tenpaiInputs)
		c.Put(int(b.tenpai[i]) / beliefPerInput)
		c.Put(4 * int(b.tenpai[i]) / beliefPerInput)
	}
}

// encodeWinBeliefs encodes the estimated chances and costs of dealing in with the discard of
// a candidate, and sets its declaredDealInRate.
func (x *Expert) encodeWinBeliefs(v sim.View, a *candidate) {
	k := a.discard
	if k == tile.NoKind {
		return
	}
	c, b := &x.actionInputs, &x.beliefs
	chance, risk := 0, 0
	a.declaredDealInRate = 0
	for i := range b.mayWin {
		if !b.mayWin[i] {
			continue
		}
		win, pays := b.estimator.DealIn(v.PlayerAfter(i+1), k)
		if win == 0 {
			continue
		}
		c.SkipTo(winBegin + i*winInputs)
		p, loss := int(win), int(pays)
		r := int(int64(p) * int64(loss) / belief.Unit)
		chance += p
		risk += r
		if v.Ready(v.PlayerAfter(i+1)) != sim.NotReady {
			a.declaredDealInRate += win
		}
		c.Put(8 * p / beliefPerInput)
		c.Put(40 * p / beliefPerInput)
		c.Put(20 * r / beliefPerInput)
		c.Put(100 * r / beliefPerInput)
		c.Put(loss / beliefPerInput)
	}
	c.SkipTo(winBegin + (sim.NumPlayers-1)*winInputs)
	c.Put(8 * chance / beliefPerInput)
	c.Put(40 * chance / beliefPerInput)
	c.Put(20 * risk / beliefPerInput)
	c.Put(100 * risk / beliefPerInput)
}

// beliefPerInput is the chance in 1/belief.Unit that one step of an input stands for.
const beliefPerInput = belief.Unit / one
