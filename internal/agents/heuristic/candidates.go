package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// maxCandidates is the largest number of actions that an Expert compares at a decision.
const maxCandidates = 24

// candidate is an action that an expert compares with others.
type candidate struct {
	action sim.Action
	// discard is the kind that is discarded, after a call if the action is one; NoKind for
	// a pass or kan.
	discard tile.Kind
	// What value computes: the EV of winning and the expected deal-in cost in units, the
	// chance to deal in, and the total EV in units.
	winEV, dealInCost, dealInRate, total float64
	// after is the position after the action and discard.
	after aim.Position
	// forTenpai reports whether the action is listed only to be tenpai at an exhaustive draw.
	forTenpai bool
	// predictedGain is the adjusted prediction of the network, in 1/OutputUnit of the scale;
	// see Expert.PredictedGain.
	predictedGain int64
	forecast      forecast
	// declaredDealInRate is the chance to deal into a player who has declared ready, in
	// 1/belief.Unit.
	declaredDealInRate int32
}

// How many discards are candidates: of the highest total EV and, facing a threat, besides
// of the lowest deal-in cost and of the highest EV of winning. What is never listed no fit can
// teach. A fourth by total made no difference in 10,000 matches of tenhou, and each one costs an
// evaluation of the network.
const (
	mostByTotal  = 3
	mostBySafety = 2
	mostByWinEV  = 1
)

// listCandidates sets x.candidates to the actions worth comparing, first the one that
// value would play, and returns that one. Where there is no choice the list has at most
// one action.
func (x *Expert) listCandidates(v sim.View) sim.Action {
	// Where no network compares them, the situation is encoded when Inputs asks for it.
	x.numCandidates, x.situationEncoded = 0, false
	legal := v.Legal()
	if a, ok := winOrForced(&legal); ok {
		return a
	}
	switch v.Phase() {
	case sim.PhaseTurn:
		if a := forcedInTurn(v, &legal); a != sim.NoAction {
			return a
		}
		x.beginDecision(v)
		if legal.Has(sim.ActNineKinds) && x.value.book.Rules.Shanten(&x.value.now.Hand, 0) >= nineKindsShanten {
			return sim.ActNineKinds
		}
		x.listTurnCandidates(v, &legal)
		return x.candidates[0].action
	case sim.PhaseClaim:
		x.beginDecision(v)
		x.listClaimCandidates(v, &legal)
		return x.candidates[0].action
	}
	return sim.DefaultAction(&legal)
}

// addCandidate appends an action with the kind that it discards or NoKind.
func (x *Expert) addCandidate(a sim.Action, k tile.Kind) *candidate {
	c := &x.candidates[x.numCandidates]
	x.numCandidates++
	*c = candidate{action: a, discard: k}
	return c
}

// addDiscard appends an action after which kind k is discarded from p, whose discards
// bestDiscard has evaluated.
func (x *Expert) addDiscard(a sim.Action, p *aim.Position, k tile.Kind) *candidate {
	c := x.addCandidate(a, k)
	c.winEV, c.dealInCost, c.dealInRate, c.total = x.value.discardWinEV[k], x.value.dealIn.dealInCost[k], x.value.dealIn.dealInRate[k], x.value.discardTotal[k]
	c.after = *p
	// Not the melds: p already has the call, if the action is one.
	c.after.Hand.Remove(k)
	return c
}

// addKan appends a kan that leads to x.value.then, if there is room.
func (x *Expert) addKan(a sim.Action) {
	if x.numCandidates == len(x.candidates) {
		return // discards come first, so kans are what a full list drops
	}
	c := x.addCandidate(a, tile.NoKind)
	// A kan discards nothing, so it has no cost of dealing in. Robbing is left out.
	c.winEV = x.value.winEV(&x.value.then)
	c.total = c.winEV
	c.after = x.value.then
}

// listTurnCandidates lists discards, declaring ready and not, and kans.
func (x *Expert) listTurnCandidates(v sim.View, legal *sim.ActionSet) {
	x.value.followAims(&x.value.now)
	d := discardActionsOf(v, legal)
	best, total := x.value.bestDiscard(&x.value.now, d.kinds())
	// Candidate 0 must be what value would play: the margin of chooseByNetwork is added to it, and
	// expert:net=off plays it.
	kans := x.value.kans(legal)
	choice := x.value.chooseKan(kans, total)
	for kinds := x.selectDiscards(&x.value.now, best, d.kinds()&x.value.now.Hand.Kinds()); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		if k == best && choice == sim.NoAction {
			choice = x.value.discardAction(&d, k)
		}
		// A discard with and without the declaration has the same figures. Only the class among its
		// inputs distinguishes the two for the network.
		if d.silentKinds.Has(k) {
			x.addDiscard(d.silent.Action(k), &x.value.now, k).forTenpai = k == x.tenpaiDiscard
		}
		if d.declaringKinds.Has(k) {
			x.addDiscard(d.declaring.Action(k), &x.value.now, k).forTenpai = k == x.tenpaiDiscard
		}
	}
	if choice.IsDiscard() {
		// dropDominated keeps the first and compares the others with it.
		x.moveToFront(choice)
		x.dropDominated()
	}
	// Each kan overwrites x.value.then, so it is added before the next is laid.
	for _, a := range kans {
		x.value.layKan(a)
		x.addKan(a)
	}
	x.moveToFront(choice)
}

// Thresholds of dropDominated in multiples of the scale: by how much a discard has a lower
// total EV than the first without a threat, or else both a lower EV of winning and a
// higher deal-in cost than another.
const (
	lessTotal                 = 0.03
	lessWinEV, moreDealInCost = 0.02, 0.005
)

// dropDominated drops the discards that the network would hardly ever choose: fewer than 3 % of
// its choices were such. It saves their evaluation.
func (x *Expert) dropDominated() {
	scale := float64(x.scale)
	dominated := func(c *candidate) bool {
		if c.forTenpai {
			return false // its gain is not of winning
		}
		if x.value.dealIn.meanDealInCost == 0 {
			// Without a threat a discard has one figure, so less of it is all there is to compare.
			return x.candidates[0].total-c.total > lessTotal*scale
		}
		for j := range x.candidates[:x.numCandidates] {
			o := &x.candidates[j]
			if o.winEV-c.winEV > lessWinEV*scale && c.dealInCost-o.dealInCost > moreDealInCost*scale {
				return true
			}
		}
		return false
	}
	// Candidate 0 stays in any case, as the choice of value.
	n := 1
	for i := 1; i < x.numCandidates; i++ {
		if !dominated(&x.candidates[i]) {
			x.candidates[n] = x.candidates[i]
			n++
		}
	}
	x.numCandidates = n
}

// selectDiscards returns the kinds whose discard is a candidate: the best and others of
// high EV or low deal-in cost.
func (x *Expert) selectDiscards(p *aim.Position, best tile.Kind, kinds tile.Set) tile.Set {
	selected := best.Bit()
	take := func(n int, worth func(tile.Kind) float64) {
		for range n {
			k := argmax(kinds&^selected, worth)
			selected |= kindSet(k)
		}
	}
	take(mostByTotal-1, func(k tile.Kind) float64 { return x.value.discardTotal[k] })
	if x.value.dealIn.meanDealInCost > 0 {
		// A thousandth of the total decides between equally safe tiles.
		take(mostBySafety, func(k tile.Kind) float64 { return x.value.discardTotal[k]/1000 - x.value.dealIn.dealInCost[k] })
		take(mostByWinEV, func(k tile.Kind) float64 { return x.value.discardWinEV[k] })
	}
	x.tenpaiDiscard = tile.NoKind
	if x.nearExhaustion() && x.value.book.Rules.Shanten(&p.Hand, p.NumMelds) <= 0 {
		x.tenpaiDiscard = argmax(x.tenpaiDiscards(p, kinds), func(k tile.Kind) float64 { return x.value.discardTotal[k] })
		selected |= kindSet(x.tenpaiDiscard)
	}
	return selected
}

// argmax returns the first of the kinds with the largest worth, NoKind for none.
func argmax(kinds tile.Set, worth func(tile.Kind) float64) tile.Kind {
	most, best := math.Inf(-1), tile.NoKind
	for ; kinds != 0; kinds = kinds.Rest() {
		if w := worth(kinds.First()); w > most {
			most, best = w, kinds.First()
		}
	}
	return best
}

func kindSet(k tile.Kind) tile.Set {
	if k == tile.NoKind {
		return 0
	}
	return k.Bit()
}

// listClaimCandidates lists passing, the calls that lower the distance, those that only
// make the hand tenpai late in the hand, pons of valued honors, and an open kan.
func (x *Expert) listClaimCandidates(v sim.View, legal *sim.ActionSet) {
	x.value.followAims(&x.value.now)
	// Passing is listed first and completed last: without a call there is no choice to make, and
	// its EV need not be computed.
	pass := x.addCandidate(sim.ActPass, tile.NoKind)
	most, choice := math.Inf(-1), sim.ActPass
	if !x.value.features.calls {
		return
	}
	for i := range aim.FindCalls(legal, v.ClaimableTile().Kind(), &x.value.calls) {
		call := &x.value.calls[i]
		// Each of these sets x.value.then, which addDiscard stores.
		k, total := x.value.evaluateCall(call)
		nearer, forTenpai := k != tile.NoKind, false
		if !nearer && x.nearExhaustion() {
			k, total = x.evaluateTenpaiCall(call), 0 // it brings no win nearer
			forTenpai = k != tile.NoKind
		}
		if k == tile.NoKind && x.options.ponsHonors && call.Meld.Type == hand.Pon && x.valuedHonors(v).Has(call.Meld.Kind) {
			k, total = x.evaluateHonorPon(call)
		}
		if k == tile.NoKind {
			continue
		}
		c := x.addDiscard(call.Action, &x.value.then, k)
		c.total, c.forTenpai = total, forTenpai
		// Calls that value does not consider are listed for the network alone: they never become
		// candidate 0.
		if nearer && total > most {
			most, choice = total, call.Action
		}
	}
	if legal.Has(sim.ActOpenKan) {
		k := v.ClaimableTile().Kind()
		x.value.then = x.value.now
		// No figure here depends on who gave the tile, so any player but the viewer will do.
		x.value.then.AddMeld(hand.Meld{Type: hand.OpenKan, Kind: k, From: sim.NumPlayers - 1}, 3, k)
		x.addKan(sim.ActOpenKan)
	}
	if x.numCandidates == 1 {
		return
	}
	pass.after, pass.winEV = x.value.now, x.value.winEV(&x.value.now)
	pass.total = x.value.pursuitEV(pass.winEV, x.value.book.Rules.Shanten(&x.value.now.Hand, x.value.now.NumMelds))
	// As evaluator.actOnDiscard decides, or candidate 0 would not be what value plays.
	if most <= float64(x.value.weights[callMargin]*pass.total) {
		choice = sim.ActPass
	}
	x.moveToFront(choice)
}

// valuedHonors returns the honors of which a triplet is worth more to the viewer.
func (x *Expert) valuedHonors(v sim.View) tile.Set {
	return x.value.book.ValuedHonors(v.SeatWind(x.value.table.player), v.RoundWind())
}

// evaluateHonorPon sets x.value.then to the position after a pon and returns the best discard from
// it with its total EV. It is for pons of valued honors, which the aims may not bring nearer
// though they are worth it: the aim of the honor is dropped where the closed hand is worth
// more, and of the other aims few are nearer by a triplet of what was a pair.
func (x *Expert) evaluateHonorPon(call *aim.Call) (tile.Kind, float64) {
	x.value.then = x.value.now
	x.value.then.ApplyCall(call)
	return x.value.bestDiscardAfterCall(x.value.then.LegalDiscards(call, x.value.book.Rules))
}

func (x *Expert) moveToFront(a sim.Action) {
	for i := range x.candidates[:x.numCandidates] {
		if x.candidates[i].action == a {
			x.candidates[0], x.candidates[i] = x.candidates[i], x.candidates[0]
			return
		}
	}
}

// Where the rules pay tenpai hands at an exhaustive draw, a hand that can no longer win may
// still be made tenpai, or kept so.

// nearExhaustionDraws is the number of own draws left from which that is considered. In 17,000
// matches of tenhou calls for tenpai alone brought 0.5 of a usual win with one draw left and no
// player ready, 0.2 and 0.1 with two and three draws, and cost with four.
const nearExhaustionDraws = 3

// rewardsTenpai reports whether the rules pay tenpai hands at an exhaustive draw.
func rewardsTenpai(r *ruleset.Rules) bool {
	// The ruleset is asked rather than a knob read: each family settles a drawn hand by its own.
	end := ruleset.Settlement{Ready: 1}
	r.Drawn(&end)
	return end.NumPayments > 0
}

// nearExhaustion reports whether being tenpai at the exhaustive draw is considered.
func (x *Expert) nearExhaustion() bool {
	return x.paysTenpai && x.value.table.draws <= nearExhaustionDraws
}

// tenpaiDiscards returns those of the kinds whose discard from p leaves it tenpai in any
// shape.
func (x *Expert) tenpaiDiscards(p *aim.Position, kinds tile.Set) (leaving tile.Set) {
	for kinds &= p.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		p.Hand.Remove(k)
		if x.value.book.Rules.Shanten(&p.Hand, p.NumMelds) <= 0 {
			leaving |= k.Bit()
		}
		p.Hand.Add(k)
	}
	return leaving
}

// evaluateTenpaiCall sets x.value.then to the position after a chi or pon and returns the best
// discard that makes a hand tenpai that was not; NoKind for none.
func (x *Expert) evaluateTenpaiCall(call *aim.Call) tile.Kind {
	// A hand that is tenpai already gains nothing by a call.
	if x.value.book.Rules.Shanten(&x.value.now.Hand, x.value.now.NumMelds) <= 0 {
		return tile.NoKind
	}
	x.value.then = x.value.now
	x.value.then.ApplyCall(call)
	kinds := x.tenpaiDiscards(&x.value.then, x.value.then.LegalDiscards(call, x.value.book.Rules))
	if kinds == 0 {
		return tile.NoKind
	}
	k, _ := x.value.bestDiscardAfterCall(kinds)
	return k
}
