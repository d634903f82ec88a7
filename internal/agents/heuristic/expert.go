package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Expert is the player "expert". It lists candidates by the evaluation of value and plays
// the first, which value would play, unless a small network predicts a clearly higher gain
// for another. [NewExpert] returns a constructor.
//
// A decision is four steps: beginDecision reads the view, listCandidates evaluates and
// lists actions, encodeSituation and encodeAction compute inputs, and chooseByNetwork
// compares the outputs.
type Expert struct {
	value         evaluator // the player "value", which lists the candidates and plays the first
	options       expertOptions
	net           *perceptron.Network // for the rules last played by, nil without one
	threshold     int32               // margin in 1/OutputUnit of the scale
	placeWorthNow int32               // placeWorth, 0 where a match is a single hand

	candidates    [maxCandidates]candidate
	numCandidates int
	// paysTenpai reports whether the rules pay tenpai hands at an exhaustive draw,
	// tenpaiDiscard is the discard that stays tenpai for that, NoKind for none.
	paysTenpai    bool
	tenpaiDiscard tile.Kind

	// What the inputs are computed from.
	scale            int // units that amounts are divided by
	shanten          int // before the action
	discardHistories [sim.NumPlayers]belief.DiscardHistory
	pointSpread      float64 // deviation of points until the end of the match, in scales
	situationEncoded bool    // whether situationInputs are those of this decision
	situationInputs  perceptron.InputList
	actionInputs     perceptron.InputList
	sums             perceptron.Sums // first layer after situationInputs
	tenpaiCache      tenpaiCache
	beliefs          beliefs
	closeSearch      *closeSearch // nil before the first search
}

// Act implements sim.Agent.
func (x *Expert) Act(v sim.View) sim.Action {
	a := x.listCandidates(v)
	if x.numCandidates < 2 {
		return a
	}
	best := 0 // what value would play
	if x.net != nil {
		best = x.chooseByNetwork(v)
		if x.options.searchRedeals > 0 {
			best = x.search(v)
		}
	}
	// For training data: learners that see only what expert plays learn nothing of the rest. The
	// numbers are of the stream of the decision, so a match is the same wherever it is played.
	if x.options.exploreRate > 0 {
		if r := v.Rand(); r.Below(1000) < int(x.options.exploreRate) {
			best = (best + 1 + r.Below(x.numCandidates-1)) % x.numCandidates
		}
	}
	return x.candidates[best].action
}

func (x *Expert) beginDecision(v sim.View) {
	// observe sets the book to the new rules, so this comparison must come before it.
	if r := v.Rules(); x.value.book == nil || x.value.book.Rules != r {
		x.scale, x.paysTenpai = r.Traits.Scale, rewardsTenpai(r)
		// The network of single hands is fitted to points alone.
		if x.placeWorthNow = x.options.placeWorth; singleHand(r) {
			x.placeWorthNow = 0
		}
		if !x.options.marginSet {
			x.options.margin = r.Traits.Margin
		}
		x.threshold = int32(int64(x.options.margin) * perceptron.OutputUnit / 1000)
		switch {
		case !x.options.useNetworks:
			x.net = nil
		case x.options.fileNetwork != nil:
			x.net = x.options.fileNetwork // Start has checked its family
		default:
			x.net = networkOf(r, x.options.firstNetworks)
		}
	}
	x.value.observe(v)
}

// chooseByNetwork sets the predicted gains of the candidates and returns the index of the
// highest.
func (x *Expert) chooseByNetwork(v sim.View) int {
	// The first layer is most of the network. Its sums over the inputs of the situation are the same
	// for all candidates: they are computed once, and each candidate adds its own to a copy.
	x.encodeSituation(v)
	x.net.Begin(&x.sums)
	x.net.Add(&x.sums, x.situationInputs.All())
	best, most := 0, int64(math.MinInt64)
	for i := range x.candidates[:x.numCandidates] {
		a := &x.candidates[i]
		x.encodeAction(v, a)
		sums := x.sums
		x.net.Add(&sums, x.actionInputs.All())
		out := x.net.Evaluate(&sums)
		a.predictedGain = int64(out[outPoints]) + int64(out[outPlaces])*int64(x.placeWorthNow)/1000
		// The network is fitted to differences that are mostly chance. So the choice of value
		// stands unless another action exceeds it clearly.
		if i == 0 {
			a.predictedGain += int64(x.threshold)
		}
		// Rare and dear losses are learned last, so a hand that is not ready pays more for them than
		// the network predicts.
		if a.declaredDealInRate > 0 && x.options.dealInPenalty > 0 && x.value.book.Rules.Shanten(&a.after.Hand, a.after.NumMelds) > 0 {
			a.predictedGain -= int64(a.declaredDealInRate) * int64(x.options.dealInPenalty) / 1000
		}
		// Of equal gains the first counts, so that the choice of value stands.
		if a.predictedGain > most {
			best, most = i, a.predictedGain
		}
	}
	return best
}

// Advise implements sim.Adviser. With a network, Total is the predicted gain by which Act
// compares candidates, as in [Expert.PredictedGain].
func (x *Expert) Advise(v sim.View, dst []sim.Candidate) []sim.Candidate {
	choice, first := x.Act(v.Masked()), len(dst)
	if x.numCandidates == 1 {
		return append(dst, sim.Candidate{Action: choice})
	}
	for i := range x.candidates[:x.numCandidates] {
		a := &x.candidates[i]
		c := x.value.candidateOf(a.action, &a.after, a.dealInRate, a.winEV, a.dealInCost, a.total)
		if x.net != nil {
			c.Total = a.predictedGain * int64(x.scale) * 1000 / perceptron.OutputUnit
		}
		dst = append(dst, c)
	}
	return sortCandidates(dst, first, choice)
}

// NumCandidates returns the number of candidates of the last Act. It is 0 or 1 where there
// was no choice.
func (x *Expert) NumCandidates() int { return x.numCandidates }

// Candidate returns the action of candidate i of the last Act; candidate 0 is what value
// would play.
func (x *Expert) Candidate(i int) sim.Action { return x.candidates[i].action }

// PredictedGain returns the figure by which the last Act compared candidate i with the
// others, in 1/1000 of the scale; only differences have a meaning. It is what the network
// predicts of points and places, with two adjustments: the margin is added to candidate 0,
// and the penalty "wary" for dealing into a declared hand is subtracted. A search corrects it.
// Without exploration Act plays a candidate of the highest figure, and without a search the first
// of them. It is 0 without a network.
func (x *Expert) PredictedGain(i int) int {
	if x.net == nil {
		return 0
	}
	return int(x.candidates[i].predictedGain * 1000 / perceptron.OutputUnit)
}

// OnlyForTenpai reports whether candidate i is a call that lowers no distance to a win and only
// makes the hand tenpai for an exhaustive draw.
func (x *Expert) OnlyForTenpai(i int) bool {
	c := &x.candidates[i]
	return c.forTenpai && !c.action.IsDiscard()
}

// Inputs returns the inputs of the network for the situation of the last Act and for
// candidate i. v must be the view of that Act. The slices are valid until the next call.
func (x *Expert) Inputs(v sim.View, i int) (situation, action []perceptron.Input) {
	if !x.situationEncoded {
		x.encodeSituation(v)
	}
	x.encodeAction(v, &x.candidates[i])
	return x.situationInputs.All(), x.actionInputs.All()
}
