package heuristic

import (
	"fmt"
	"math"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// The play must be the same on every machine, but Go may fuse a product and a sum
// into one operation that rounds once, and does so on some processors. A conversion
// of the product forbids it; that is what all those conversions to float64 of what
// is a float64 are for.

// evaluator plays for the expected value of its hand: the chance to win, told
// from distance and useful tiles, times what a likely completion is worth, less
// the chance to give somebody else his tile times what that costs. What hands
// are worth and who pays for them it asks of the ruleset, so one player plays
// all families.
type evaluator struct {
	style   style
	weights weights
	book    *aim.Book
	aims    []rewarded
	fitting *aim.Fitting // of aims
	chances *chances
	typical ruleset.Value // what a win of somebody else is usually worth

	situation
	*aim.Completion
	*aim.Stakes
	threats [sim.NumPlayers - 1]threat
	dangers
	gains

	// now is the position of the decision, then what a call or kan would make of
	// it. chosen[:numChosen] are the aims worth following.
	now, then aim.Position
	chosen    [maxChosen]chosen
	numChosen int
	// places are those of the classes of aims among the chosen, from 1; 0 is not there.
	places [aim.NumClasses]uint8
	tried  chosen // the aim being thought about
	// after is what each discard leaves to hope for.
	after [tile.NumKinds]prospects
	// dropped is the discard being thought about, if any.
	dropped tile.Set

	// What follows is scratch.
	calls    [aim.MaxCalls]aim.Call
	discards [hand.MaxDiscards]hand.Discard
	shown    ruleset.Win
}

// style is what the options of the player switch off.
type style struct{ defence, calls, worth bool }

// fullStyle has everything on.
var fullStyle = style{defence: true, calls: true, worth: true}

// situation is what a decision depends on besides the position, the tiles that may
// come and the stakes.
type situation struct {
	player sim.Player
	draws  int // own draws left
	rivers [sim.NumPlayers]tile.Set
	// relief is what the viewer pays on average when others win, which he is
	// spared if he does; due is what it was worked out for.
	relief float64
	due    aim.Due
}

// NewValue returns how to make players who play for the expected value of their
// hands, by options such as "defence=off,pushed=0.5"; see docs/agents.md. What it
// makes is a sim.Adviser and sim.Weighted. An error names the option at fault.
func NewValue(options string) (func() sim.Agent, error) {
	e := evaluator{style: fullStyle, weights: usualWeights(), chances: chancesOf()}
	if options != "" {
		for option := range strings.SplitSeq(options, ",") {
			if err := e.set(option); err != nil {
				return nil, err
			}
		}
	}
	return func() sim.Agent { return &evaluator{style: e.style, weights: e.weights, chances: e.chances} }, nil
}

// set obeys one option.
func (e *evaluator) set(option string) error {
	name, value, _ := strings.Cut(option, "=")
	var on *bool
	switch name {
	case "defence":
		on = &e.style.defence
	case "calls":
		on = &e.style.calls
	case "worth":
		on = &e.style.worth
	default:
		if known, err := e.weights.set(name, value); known {
			return err
		}
		return fmt.Errorf("unknown option %q; allowed: defence, calls, worth, each =on or =off, and the weights %s, each =NUMBER", name, weightNames())
	}
	if value != "on" && value != "off" {
		return fmt.Errorf("option %s: %q is neither on nor off", name, value)
	}
	*on = value == "on"
	return nil
}

// Act implements sim.Agent.
func (e *evaluator) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if a, ok := sure(&legal); ok {
		return a
	}
	switch v.Phase() {
	case sim.PhaseTurn:
		return e.turn(v, &legal)
	case sim.PhaseClaim:
		if e.style.calls {
			return e.claim(v, &legal)
		}
	}
	return sim.DefaultAction(&legal)
}

// look takes in the position of the viewer and all it depends on.
func (e *evaluator) look(v sim.View) {
	if e.book == nil || e.book.Rules != v.Rules() {
		e.study(v.Rules())
	}
	e.player = v.Player()
	e.now.Look(v)
	e.Completion.Look(v)
	e.draws = v.Left()
	if v.Rules().Walls == ruleset.SharedWall {
		e.draws = (e.draws + sim.NumPlayers - 1) / sim.NumPlayers
	}
	for p := range sim.Player(sim.NumPlayers) {
		e.rivers[p] = v.River(p)
	}
	e.Stakes.Look(v)
	if !e.due.Same(&e.Due) {
		e.due = e.Due
		e.relief = e.usualLoss()
		e.forget()
	}
	w := &e.Win
	e.under(&circumstances{
		v.Deposits(), e.relief, w.SeatWind, w.RoundWind, w.Flowers, w.Indicators, w.NumIndicators,
	})
	e.survey(v)
}

// turn answers in a turn of its own.
func (e *evaluator) turn(v sim.View, legal *sim.ActionSet) sim.Action {
	if a := unquestioned(v, legal); a != sim.NoAction {
		return a
	}
	closed, added := legal.Kinds(sim.ActClosedKan), legal.Kinds(sim.ActAddedKan)
	e.look(v)
	if legal.Has(sim.ActNineKinds) && e.book.Rules.Shanten(&e.now.Hand, 0) >= tooFar {
		return sim.ActNineKinds
	}
	e.choose(&e.now)
	quiet, declaring := aim.DiscardsOf(legal, v.Drawn(), false), aim.DiscardsOf(legal, v.Drawn(), true)
	mayHide, ready := quiet.Kinds(), declaring.Kinds()
	k, value := e.best(&e.now, mayHide|ready)
	if closed|added != 0 {
		if a := e.kan(closed, added, value); a != sim.NoAction {
			return a
		}
	}
	if ready.Has(k) && (!mayHide.Has(k) || e.declares(k)) {
		return declaring.Of(k)
	}
	return quiet.Of(k)
}

// best returns the discard of the allowed kinds that promises most, and what it
// promises in units.
func (e *evaluator) best(p *aim.Position, allowed tile.Set) (kind tile.Kind, value float64) {
	allowed &= p.Hand.Kinds()
	e.weighDiscards(p, allowed)
	kind, value = tile.NoKind, math.Inf(-1)
	cost := e.toCome(e.book.Rules.Shanten(&p.Hand, p.NumMelds))
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		if total := e.promise(p, k, cost); total > value {
			kind, value = k, total
		}
	}
	return kind, value
}

// promise returns what a discard promises of those that weighDiscards has weighed,
// in units; cost is that of the discards to come.
func (e *evaluator) promise(p *aim.Position, k tile.Kind, cost float64) float64 {
	hope := e.hopeOf(&e.after[k])
	if e.Dora[k] > 0 || k.IsFive() && int(e.Reds[k.Suit()]) == p.Hand.Count(k) {
		hope = float64(hope * e.weights[withoutBonus])
	}
	// A hand that is given up keeps some of its hope, so that of safe tiles the
	// one of least use goes first.
	return float64(max(hope-cost, 0)*(1-e.chance[k])) - e.risk[k] + hope/1000 - uses[k]
}

// uses tell which of two tiles that a hand has no need of is kept longer.
var uses = func() (u [tile.NumKinds]float64) {
	for k := range tile.East {
		u[k] = (1 + float64(min(k.Rank(), 8-k.Rank(), 3))) / 10000
	}
	return u
}()

// going returns what it is worth to go on with a hope of winning: less what the
// discards to come are expected to cost, and nothing if that is more.
func (e *evaluator) going(hope float64, distance int) float64 {
	return max(hope-e.toCome(distance), 0)
}

// toCome returns what the discards to come are expected to cost.
func (e *evaluator) toCome(distance int) float64 {
	w := &e.weights
	discards := min(float64(e.draws), w[pushedReady]+float64(w[pushedFar]*float64(max(distance, 0))))
	return float64(w[pushed] * discards * e.push)
}

// declares reports whether the discard of kind k had better declare the hand
// ready.
func (e *evaluator) declares(k tile.Kind) bool {
	p := &e.now
	p.Hand.Remove(k)
	waits := e.liveWaits(p)
	e.dropped = k.Bit()
	declared := e.readyHope(p, waits) - float64(e.weights[staked]*float64(e.book.Rules.RiichiStick*e.book.Rules.Unit()))
	closed, open := e.ClosedFlags, e.OpenFlags
	e.ClosedFlags, e.OpenFlags = 0, 0
	undeclared := e.weights[silent] * e.readyHope(p, waits)
	e.ClosedFlags, e.OpenFlags = closed, open
	e.dropped = 0
	p.Hand.Add(k)
	return declared >= undeclared
}

// kan returns a closed or added kan after which the hand promises about as much
// as value, or NoAction. Facing a ready player only a ready hand makes one.
func (e *evaluator) kan(closed, added tile.Set, value float64) sim.Action {
	if e.threatened && e.book.Rules.Shanten(&e.now.Hand, e.now.NumMelds) > 0 {
		return sim.NoAction
	}
	const enough = 0.9
	for ; closed != 0; closed = closed.Rest() {
		k := closed.First()
		e.then = e.now
		e.then.Lay(hand.Meld{Type: hand.ClosedKan, Kind: k}, 4, k)
		if e.hope(&e.then) >= enough*value {
			return sim.ActClosedKan + sim.Action(k)
		}
	}
	for ; added != 0; added = added.Rest() {
		k := added.First()
		e.then = e.now
		e.then.Hand.Remove(k)
		if e.hope(&e.then) >= enough*value {
			return sim.ActAddedKan + sim.Action(k)
		}
	}
	return sim.NoAction
}

// claim answers to a discard.
func (e *evaluator) claim(v sim.View, legal *sim.ActionSet) sim.Action {
	e.look(v)
	e.choose(&e.now)
	value, action := math.Inf(-1), sim.ActPass
	for i := range aim.Calls(legal, v.Window().Kind(), &e.calls) {
		call := &e.calls[i]
		if _, c := e.call(call); c > value {
			value, action = c, call.Action
		}
	}
	if action == sim.ActPass {
		return action
	}
	p := &e.now
	if value <= e.weights[callMargin]*e.going(e.hope(p), e.book.Rules.Shanten(&p.Hand, p.NumMelds)) {
		return sim.ActPass
	}
	return action
}

// call returns the discard that follows a chi or pon, and what the hand promises
// after both; no kind if the call brings it no nearer.
func (e *evaluator) call(call *aim.Call) (tile.Kind, float64) {
	p := &e.then
	*p = e.now
	p.Call(call)
	if !e.nearer(p) {
		return tile.NoKind, math.Inf(-1)
	}
	chosen, n := e.chosen, e.numChosen
	e.choose(p)
	k, value := e.best(p, p.Discardable(call, e.book.Rules))
	e.chosen, e.numChosen = chosen, n
	return k, value
}

// nearer reports whether p is nearer to a chosen aim than e.now was.
func (e *evaluator) nearer(p *aim.Position) bool {
	for i := range e.numChosen {
		c := &e.chosen[i]
		if !e.now.Open && c.open == 0 {
			continue
		}
		if n, ok := p.Need(c.Aim); ok && e.book.Distance(p, c.Aim, &n) < c.distance {
			return true
		}
	}
	return false
}
