package heuristic

import (
	"fmt"
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/option"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The play must be the same on every machine, but on some processors Go fuses a product
// and a sum into one operation that rounds once. A conversion of the product to float64
// forbids that, which is why there are conversions of what is a float64 already.

// evaluator is the player "value": it plays the action of the highest expected value. That
// is the chance to win, by distance and ukeire, times the worth of a likely completion,
// less the chance to deal in times what that costs. Only the ruleset decides what hands
// are worth and who pays, so the same player plays all families.
type evaluator struct {
	features   features
	weights    weights
	book       *aim.Book // of the rules last played by
	aims       []rewardedAim
	fitting    *aim.AimFilter // of aims
	winChances *winChances
	typicalWin ruleset.Value // of another player

	table      tableState
	completion *aim.Completion
	stakes     *aim.Stakes
	threats    [sim.NumPlayers - 1]threat
	dealIn     dealIn
	wins       winCache

	// now is the position of the decision, then the one after a call or kan.
	now, then aim.Position
	// followed[:numFollowed] are the aims of the position that is evaluated.
	followed    [maxFollowed]followedAim
	numFollowed int
	slotOfClass [aim.NumClasses]uint8 // 1 + the index in followed, 0 for none
	trial       followedAim           // the aim that tryAim looks at
	// What evaluateDiscards and bestDiscard compute for each kind: the EVs by aims, these
	// combined, and the total EV.
	afterDiscard   [tile.NumKinds]aimValues
	discardWinEV   [tile.NumKinds]float64
	discardTotal   [tile.NumKinds]float64
	pendingDiscard tile.Set // the discard that tenpaiEV is about, for furiten

	// Scratch memory.
	calls    [aim.MaxCalls]aim.Call
	discards [hand.MaxDiscards]hand.Discard
	kanList  [16]sim.Action
	shownWin ruleset.Win
}

// tableState is what a decision depends on besides the position, the unseen tiles and
// the stakes.
type tableState struct {
	player sim.Player
	draws  int // own draws left
	rivers [sim.NumPlayers]tile.Set
	// sparedLoss is the mean payment, in units, for a win of another player; a win of
	// one's own spares it. It is valid for the payments sparedFor.
	sparedLoss float64
	sparedFor  aim.PaymentContext
}

// features are the parts of the player that options switch off.
type features struct{ defense, calls, worth bool }

var allFeatures = features{defense: true, calls: true, worth: true}

// NewValue returns a constructor of players that maximize the expected value of their
// hands, configured by options such as "defence=off,pushed=0.5"; see docs/agents.md.
// They implement [sim.Adviser] and [sim.Tunable]. An error names the option at fault.
func NewValue(options string) (func() sim.Agent, error) {
	e := evaluator{features: allFeatures, weights: usualWeights(), winChances: sharedWinChances()}
	if err := option.Parse(options, e.setOption); err != nil {
		return nil, err
	}
	return func() sim.Agent {
		// Each player has a state of its own; the options and the table of chances are shared.
		return &evaluator{features: e.features, weights: e.weights, winChances: e.winChances}
	}, nil
}

var valueOptions = []option.Option[evaluator]{
	option.OnOff("defence", "fears danger", func(e *evaluator) *bool { return &e.features.defense }),
	option.OnOff("calls", "claims more than wins", func(e *evaluator) *bool { return &e.features.calls }),
	option.OnOff("worth", "distinguishes what wins are worth", func(e *evaluator) *bool { return &e.features.worth }),
}

func (e *evaluator) setOption(name, value string) error {
	if known, err := option.Set(valueOptions, e, name, value); known {
		return err
	}
	if known, err := e.weights.set(name, value); known {
		return err
	}
	return fmt.Errorf("unknown option %q; allowed: defence, calls, worth, each =on or =off, and the weights %s, each =NUMBER", name, weightNames())
}

// Act implements sim.Agent.
func (e *evaluator) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if a, ok := winOrForced(&legal); ok {
		return a
	}
	switch v.Phase() {
	case sim.PhaseTurn:
		return e.actInTurn(v, &legal)
	case sim.PhaseClaim:
		if e.features.calls {
			return e.actOnDiscard(v, &legal)
		}
	}
	// Other phases, such as the choice to end the match, have no value of a hand.
	return sim.DefaultAction(&legal)
}

// observe reads the position of the viewer, the stakes and the threats of the others.
func (e *evaluator) observe(v sim.View) {
	// An agent may go from match to match under other rules. To prepare scores
	// hundreds of hands, so it is done when the rules change alone.
	if e.book == nil || e.book.Rules != v.Rules() {
		e.prepare(v.Rules())
	}
	e.table.player = v.Player()
	e.now.Observe(v)
	e.completion.Observe(v)
	e.table.draws = v.TilesLeft()
	if v.Rules().Walls == ruleset.SharedWall {
		// The wall is what all will draw; a wall of one's own is not shared.
		seats := v.Rules().NumSeats()
		e.table.draws = (e.table.draws + seats - 1) / seats
	}
	for p := range sim.Player(sim.NumPlayers) {
		e.table.rivers[p] = v.River(p)
	}
	e.stakes.Observe(v)
	// Payments are the same all hand long. Where they change, so does what wins of others cost, which
	// is part of every cached gain.
	if !e.table.sparedFor.Equal(&e.stakes.Context) {
		e.table.sparedFor = e.stakes.Context
		e.table.sparedLoss = e.meanLossToOthers()
		e.wins.invalidate()
	}
	// All that a gain depends on must be in the context or in the key of the cache. A field that is
	// missing lets play depend on what the agent met before, and so datasets on the worker count.
	w := &e.completion.Win
	e.wins.setContext(&winContext{
		v.Deposits(), e.table.sparedLoss, w.SeatWind, w.RoundWind, w.Flowers, w.Norths, w.Indicators, w.NumIndicators,
	})
	e.observeThreats(v)
}

func (e *evaluator) actInTurn(v sim.View, legal *sim.ActionSet) sim.Action {
	if a := forcedInTurn(v, legal); a != sim.NoAction {
		return a
	}
	e.observe(v)
	if legal.Has(sim.ActNineKinds) && e.book.Rules.Shanten(&e.now.Hand, 0) >= nineKindsShanten {
		return sim.ActNineKinds
	}
	e.followAims(&e.now)
	d := discardActionsOf(v, legal)
	k, total := e.bestDiscard(&e.now, d.kinds())
	if a := e.chooseKan(e.kans(legal), total); a != sim.NoAction {
		return a
	}
	return e.discardAction(&d, k)
}

// discardActions are the discards of an own turn.
type discardActions struct {
	silent, declaring           aim.DiscardActions
	silentKinds, declaringKinds tile.Set
}

func discardActionsOf(v sim.View, legal *sim.ActionSet) (d discardActions) {
	d.silent, d.declaring = aim.NewDiscardActions(legal, v.Drawn(), false), aim.NewDiscardActions(legal, v.Drawn(), true)
	d.silentKinds, d.declaringKinds = d.silent.Kinds(), d.declaring.Kinds()
	return d
}

func (d *discardActions) kinds() tile.Set { return d.silentKinds | d.declaringKinds }

// discardAction returns the discard of kind k, declaring ready where that is better.
func (e *evaluator) discardAction(d *discardActions, k tile.Kind) sim.Action {
	if e.declares(d, k) {
		return d.declaring.Action(k)
	}
	return d.silent.Action(k)
}

// declares reports whether the discard of kind k declares ready: where there is no
// choice, or where that has the higher EV.
func (e *evaluator) declares(d *discardActions, k tile.Kind) bool {
	return d.declaringKinds.Has(k) && (!d.silentKinds.Has(k) || e.prefersReady(k))
}

// bestDiscard returns the discard from p of the highest total EV and that EV in units. It
// fills discardWinEV and discardTotal for the allowed kinds. followAims(p) comes before it.
func (e *evaluator) bestDiscard(p *aim.Position, allowed tile.Set) (kind tile.Kind, total float64) {
	// Flowers are legal discards of some rules and no kinds; they are discarded before it comes to
	// this.
	allowed &= p.Hand.Kinds()
	e.evaluateDiscards(p, allowed)
	kind, total = tile.NoKind, math.Inf(-1)
	// The cost of later discards is the same whichever is made now, so it is computed once.
	cost := e.futureDealInCost(e.book.Rules.Shanten(&p.Hand, p.NumMelds))
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		e.discardWinEV[k] = e.combine(&e.afterDiscard[k])
		e.discardTotal[k] = e.totalEV(p, k, cost)
		if e.discardTotal[k] > total {
			kind, total = k, e.discardTotal[k]
		}
	}
	return kind, total
}

// totalEV returns the EV of discarding kind k from p when later discards of the hand cost
// futureCost, in units.
func (e *evaluator) totalEV(p *aim.Position, k tile.Kind, futureCost float64) float64 {
	win := e.discardWinEV[k]
	// The gains of aims are those of the hand before the discard, with the dora or red five that it
	// gives away. A red five is the last of its kind to go.
	if e.completion.Dora[k] > 0 || k.IsFive() && int(e.completion.Reds[k.Suit()]) == p.Hand.Count(k) {
		win = float64(win * e.weights[withoutBonus])
	}
	// A hand is won only if this discard does not deal in, and folds where later discards cost more
	// than it may win. Folded, it keeps a thousandth of its EV, so that the least useful of the
	// safe tiles goes first.
	return float64(max(win-futureCost, 0)*(1-e.dealIn.dealInRate[k])) - e.dealIn.dealInCost[k] + win/1000 - keepBonus[k]
}

// keepBonus breaks ties between tiles that the hand does not need: the nearer to the
// middle of its suit, the longer a tile is kept.
var keepBonus = func() (u [tile.NumKinds]float64) {
	for k := range tile.East {
		u[k] = (1 + float64(min(k.Rank(), 8-k.Rank(), 3))) / 10000
	}
	return u
}()

// pursuitEV returns the EV of pursuing a hand rather than folding: its winEV less the
// expected cost of later discards, at least 0.
func (e *evaluator) pursuitEV(winEV float64, shanten int) float64 {
	return max(winEV-e.futureDealInCost(shanten), 0)
}

// futureDealInCost returns the expected deal-in cost of the discards that a hand has yet
// to make until it is won.
func (e *evaluator) futureDealInCost(shanten int) float64 {
	w := &e.weights
	// No more discards than draws are left. A tenpai hand needs some yet, one farther away more for
	// each step.
	discards := min(float64(e.table.draws), w[futureDiscardsTenpai]+float64(w[futureDiscardsPerShanten]*float64(max(shanten, 0))))
	return float64(w[futureDiscards] * discards * e.dealIn.meanDealInCost)
}

// prefersReady reports whether declaring ready with the discard of kind k has a higher EV
// than a silent (dama) tenpai.
func (e *evaluator) prefersReady(k tile.Kind) bool {
	p := &e.now
	p.Hand.Remove(k)
	waits := e.waits(p)
	// The river does not have k yet, but furiten will count it.
	e.pendingDiscard = k.Bit()
	declared := e.tenpaiEV(p, waits) - float64(e.weights[stickShareLost]*float64(e.book.Rules.RiichiStick*e.book.Rules.Unit()))
	closed, open := e.completion.ClosedFlags, e.completion.OpenFlags
	e.completion.ClosedFlags, e.completion.OpenFlags = 0, 0
	// The flags have the yaku of the declaration, without which the same waits may not win.
	undeclared := e.weights[damaWorth] * e.tenpaiEV(p, waits)
	e.completion.ClosedFlags, e.completion.OpenFlags = closed, open
	e.pendingDiscard = 0
	p.Hand.Add(k)
	return declared >= undeclared
}

// kans lists the legal closed and added kans, valid until the next call.
func (e *evaluator) kans(legal *sim.ActionSet) []sim.Action {
	list := e.kanList[:0] // no allocation: a hand has fewer kans than that
	for kinds := legal.Kinds(sim.ActClosedKan); kinds != 0; kinds = kinds.Rest() {
		list = append(list, sim.ActClosedKan+sim.Action(kinds.First()))
	}
	for kinds := legal.Kinds(sim.ActAddedKan); kinds != 0; kinds = kinds.Rest() {
		list = append(list, sim.ActAddedKan+sim.Action(kinds.First()))
	}
	return list
}

// layKan sets e.then to the position after a closed or added kan.
func (e *evaluator) layKan(a sim.Action) {
	e.then = e.now
	if a >= sim.ActAddedKan {
		e.then.Hand.Remove(tile.Kind(a - sim.ActAddedKan))
		return
	}
	k := tile.Kind(a - sim.ActClosedKan)
	e.then.AddMeld(hand.Meld{Type: hand.ClosedKan, Kind: k}, 4, k)
}

// chooseKan returns the first kan that keeps nearly all of the EV of the best discard, or
// NoAction. Facing a threat only a tenpai hand makes one.
func (e *evaluator) chooseKan(kans []sim.Action, total float64) sim.Action {
	if len(kans) == 0 || e.dealIn.threatened && e.book.Rules.Shanten(&e.now.Hand, e.now.NumMelds) > 0 {
		return sim.NoAction
	}
	// winEV leaves out new dora and what the kan itself pays, so it may fall a little.
	const enough = 0.9
	for _, a := range kans {
		e.layKan(a)
		if e.winEV(&e.then) >= enough*total {
			return a
		}
	}
	return sim.NoAction
}

// actOnDiscard chooses a chi or pon of another player's discard, or passes.
func (e *evaluator) actOnDiscard(v sim.View, legal *sim.ActionSet) sim.Action {
	e.observe(v)
	e.followAims(&e.now)
	best, action := math.Inf(-1), sim.ActPass
	for i := range aim.FindCalls(legal, v.ClaimableTile().Kind(), &e.calls) {
		call := &e.calls[i]
		if _, total := e.evaluateCall(call); total > best {
			best, action = total, call.Action
		}
	}
	if action == sim.ActPass {
		return action
	}
	// Passing is evaluated only where there is a call to compare it with.
	p := &e.now
	if best <= e.weights[callMargin]*e.pursuitEV(e.winEV(p), e.book.Rules.Shanten(&p.Hand, p.NumMelds)) {
		return sim.ActPass
	}
	return action
}

// evaluateCall sets e.then to the position after a chi or pon and returns the best discard
// from it with its total EV; NoKind if the call lowers the distance to no followed aim.
func (e *evaluator) evaluateCall(call *aim.Call) (tile.Kind, float64) {
	// ApplyCall changes a copy: the hand of the decision is needed for the next call.
	e.then = e.now
	e.then.ApplyCall(call)
	// A call that brings no aim nearer only gives up a concealed hand.
	if !e.lowersDistance(&e.then) {
		return tile.NoKind, math.Inf(-1)
	}
	return e.bestDiscardAfterCall(e.then.LegalDiscards(call, e.book.Rules))
}

// bestDiscardAfterCall is bestDiscard from e.then by the aims of that position. It keeps
// the followed aims of e.now.
func (e *evaluator) bestDiscardAfterCall(allowed tile.Set) (tile.Kind, float64) {
	// Each call of a decision is compared with the aims of e.now, so those are put back.
	followed, n := e.followed, e.numFollowed
	e.followAims(&e.then)
	k, total := e.bestDiscard(&e.then, allowed)
	e.followed, e.numFollowed = followed, n
	return k, total
}

// lowersDistance reports whether p is nearer to a followed aim than e.now.
func (e *evaluator) lowersDistance(p *aim.Position) bool {
	for i := range e.numFollowed {
		c := &e.followed[i]
		if !e.now.Open && c.open == 0 {
			continue // the call would open a hand that this aim must keep closed
		}
		if n, ok := p.Need(c.rewarded.aim); ok && e.book.Distance(p, c.rewarded.aim, &n) < c.distance {
			return true
		}
	}
	return false
}
