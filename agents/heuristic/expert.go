package heuristic

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// Expert plays as value does, but for actions that a network fitted to paired
// playouts tells to be better. Make one with NewExpert.
type Expert struct {
	evaluator
	// networks tells whether the networks are asked; own is one from a file, asked
	// under all rules.
	networks bool
	own      *perceptron.Network
	net      *perceptron.Network // of the rules, nil if there is none
	// margin is what an action must bring more than the one value plays, threshold the
	// same in 1/OutputUnit of the scale. Unless it was set it depends on the rules.
	margin    int32 // in thousandths of the scale
	threshold int32
	marginSet bool
	// wary is what is taken off what an action brings, where the hand is not ready after it, for
	// the chance to deal in to a player who has declared ready: in thousandths of the scale for
	// all of the chance.
	wary int32
	// explore is how many of a thousand decisions are answered by another action.
	explore int32
	// places is what a place is worth, in thousandths of the scale; placing the same
	// where there is more than one hand to a match.
	places, placing int32

	list   [MaxConsidered]considered
	n      int
	totals [tile.NumKinds]float64 // what each discard promises
	// readyPays tells whether the rules pay for being ready when the wall is exhausted,
	// keptReady is the discard to stay ready by shortly before, NoKind if there is none.
	readyPays bool
	keptReady tile.Kind

	// What follows is for the network.
	scale     int // what amounts are told in multiples of, in units
	shanten   int // of the hand before the action
	pasts     [sim.NumPlayers]past
	spread    float64         // of points until the end of the match, in multiples of the scale
	described bool            // whether common is of the decision last considered
	common    inputs          // of the situation
	act       inputs          // of an action
	sums      perceptron.Sums // of the situation
	ahead     ahead
	beliefs   beliefs
}

// NewExpert returns how to make players who play as value does but where a network
// knows better, by options such as "net=off"; see docs/agents.md. What it makes is an
// *Expert. An error names the option at fault.
func NewExpert(options string) (func() sim.Agent, error) {
	x := Expert{evaluator: evaluator{style: fullStyle, weights: usualWeights(), chances: chancesOf()}, networks: true}
	x.weights[pushed] = 1
	x.setMargin(usualMargin)
	x.places, x.wary = usualPlaces, usualWary
	if options != "" {
		for option := range strings.SplitSeq(options, ",") {
			if err := x.setOption(option); err != nil {
				return nil, err
			}
		}
	}
	return func() sim.Agent {
		made := x
		return &made
	}, nil
}

// The margin, what a place is worth and how wary the player is, in thousandths of the scale.
const (
	usualMargin, maxMargin = 15, 10_000
	// riichiMargin is the usual one under riichi, whose network was fitted to the most pairs.
	riichiMargin           = 8
	usualPlaces, maxPlaces = 2000, 100_000
	usualWary, maxWary     = 600, 10_000
)

// always is all of a thousand decisions.
const always = 1000

func (x *Expert) setMargin(thousandths int32) {
	x.margin, x.threshold = thousandths, int32(int64(thousandths)*perceptron.OutputUnit/1000)
}

// setOption obeys one option.
func (x *Expert) setOption(option string) error {
	name, value, _ := strings.Cut(option, "=")
	switch name {
	case "net", "beliefs":
		if value != "on" && value != "off" {
			return fmt.Errorf("option %s: %q is neither on nor off", name, value)
		}
		if name == "net" {
			x.networks = value == "on"
		} else {
			x.beliefs.off = value == "off"
		}
		return nil
	case "margin":
		n, err := parseUpTo(maxMargin, value)
		if err != nil {
			return fmt.Errorf("weight margin: %w", err)
		}
		x.setMargin(n)
		x.marginSet = true
		return nil
	case "wary":
		n, err := parseUpTo(maxWary, value)
		if err != nil {
			return fmt.Errorf("weight wary: %w", err)
		}
		x.wary = n
		return nil
	case "explore":
		n, err := parseUpTo(always, value)
		if err != nil {
			return fmt.Errorf("option explore: %w", err)
		}
		x.explore = n
		return nil
	case "places":
		n, err := parseUpTo(maxPlaces, value)
		if value == "off" {
			n, err = 0, nil
		}
		if err != nil {
			return fmt.Errorf("weight places: %w", err)
		}
		x.places = n
		return nil
	case "weights":
		data, err := os.ReadFile(value)
		if err != nil {
			return fmt.Errorf("option weights: %w", err)
		}
		if x.own, err = perceptron.Parse(data); err != nil {
			return fmt.Errorf("option weights: %s: %w", value, err)
		}
		if n := x.own; n.Inputs != NumInputs || n.Outputs != numOutputs || !strings.HasPrefix(n.Purpose, Purpose("")) {
			return fmt.Errorf("option weights: %s is for %q with %d inputs and %d outputs; expert wants %q with %d and %d",
				value, n.Purpose, n.Inputs, n.Outputs, Purpose("FAMILY"), NumInputs, numOutputs)
		}
		return nil
	}
	return x.evaluator.set(option)
}

// parseUpTo reads a number in thousandths that is not above a bound.
func parseUpTo(most int32, text string) (int32, error) {
	n, err := parseThousandths(text)
	if err == nil && n > most {
		err = fmt.Errorf("%s is not from 0 to %s", text, formatThousandths(most))
	}
	return n, err
}

// numOutputs is the number of outputs of a network: points, and places gained, both up
// to amounts that all actions have in common.
const numOutputs = 2

// Purpose is what a network of an expert says it is for.
func Purpose(family string) string { return fmt.Sprintf("expert %d %s", InputsVersion, family) }

// Act implements sim.Agent.
func (x *Expert) Act(v sim.View) sim.Action {
	a := x.consider(v)
	if x.n < 2 {
		return a
	}
	best := 0
	if x.net != nil {
		best = x.better(v)
	}
	if x.explore > 0 {
		if r := v.Rand(); r.Below(always) < int(x.explore) {
			best = (best + 1 + r.Below(x.n-1)) % x.n
		}
	}
	return x.list[best].action
}

// better returns which of the considered actions to play: the one that the network
// says brings most, if that is more by the margin than the first brings.
func (x *Expert) better(v sim.View) int {
	x.describe(v)
	x.net.Begin(&x.sums)
	x.net.Add(&x.sums, x.common.all())
	best, most := 0, int64(math.MinInt64)
	for i := range x.list[:x.n] {
		x.describeAction(v, &x.list[i])
		sums := x.sums
		x.net.Add(&sums, x.act.all())
		a := &x.list[i]
		out := x.net.Answer(&sums)
		a.brings = int64(out[0]) + int64(out[1])*int64(x.placing)/1000
		if i == 0 {
			a.brings += int64(x.threshold)
		}
		if a.danger > 0 && x.wary > 0 && x.book.Rules.Shanten(&a.after.Hand, a.after.NumMelds) > 0 {
			a.brings -= int64(a.danger) * int64(x.wary) / 1000
		}
		if a.brings > most {
			best, most = i, a.brings
		}
	}
	return best
}

// Advise implements sim.Adviser. Total is what the network says an action brings, up to
// an amount that all actions have in common.
func (x *Expert) Advise(v sim.View, dst []sim.Candidate) []sim.Candidate {
	choice, first := x.Act(v), len(dst)
	if x.n == 1 {
		return append(dst, sim.Candidate{Action: choice}) // nothing to weigh up
	}
	for i := range x.list[:x.n] {
		a := &x.list[i]
		c := sim.Candidate{
			Action:  a.action,
			Shanten: int8(x.book.Rules.Shanten(&a.after.Hand, a.after.NumMelds)),
			DealIn:  int32(math.Round(float64(1e6 * a.chance))),
			Hope:    thousandths(a.hope), Risk: thousandths(a.risk), Total: thousandths(a.total),
		}
		if x.net != nil && x.n > 1 {
			c.Total = a.brings * int64(x.scale) * 1000 / perceptron.OutputUnit
		}
		dst = append(dst, c)
	}
	return arrange(dst, first, choice)
}

// Weights implements sim.Weighted. A margin that was not set is that of the rules last played
// by, before the first match that of most families.
func (x *Expert) Weights() []sim.Weight {
	return append(x.evaluator.Weights(),
		sim.Weight{Name: "margin", Value: x.margin, Min: 0, Max: maxMargin},
		sim.Weight{Name: "places", Value: x.places, Min: 0, Max: maxPlaces},
		sim.Weight{Name: "wary", Value: x.wary, Min: 0, Max: maxWary})
}

// Considered returns the number of actions that the last Act chose from, 0 or 1 where
// there was nothing to weigh up.
func (x *Expert) Considered() int { return x.n }

// Option returns the i-th of the actions that the last Act chose from, the first being
// what it would play without a network.
func (x *Expert) Option(i int) sim.Action { return x.list[i].action }

// Promises returns what the network says the i-th of these actions brings, in 1/1000 of
// the scale and up to an amount that all have in common; 0 without a network.
func (x *Expert) Promises(i int) int {
	if x.net == nil {
		return 0
	}
	return int(x.list[i].brings * 1000 / perceptron.OutputUnit)
}

// Rare reports whether the i-th is a call that brings the hand no nearer to a win and only
// makes it ready for an exhausted wall.
func (x *Expert) Rare(i int) bool {
	c := &x.list[i]
	return c.ready && !c.action.IsDiscard()
}

// Inputs returns the inputs of the situation in which Act was last asked and of the
// i-th of the actions it chose from. v must be the view it was asked with. Both are
// valid until the next call.
func (x *Expert) Inputs(v sim.View, i int) (situation, action []perceptron.Input) {
	if !x.described {
		x.describe(v)
	}
	x.describeAction(v, &x.list[i])
	return x.common.all(), x.act.all()
}
