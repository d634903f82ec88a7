package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// InputsVersion is that of the inputs below; a network is for one of them.
const InputsVersion = 5

// The inputs of the network: what is told of the situation, then of the action.
const (
	ownInputs      = 69
	opponentInputs = 25
	action0        = ownInputs + (sim.NumPlayers-1)*opponentInputs

	planInputs   = 57
	tileInputs   = 19
	dangerInputs = 38
	belief0      = action0 + planInputs + tileInputs + (sim.NumPlayers-1)*dangerInputs

	// Of the situation, and of the action, what is believed of each of the others; at
	// last what is believed of the action altogether.
	readyInputs, winInputs, allInputs = 2, 5, 4
	winning0                          = belief0 + (sim.NumPlayers-1)*readyInputs
	// NumInputs is the number of inputs of an expert's network.
	NumInputs = winning0 + (sim.NumPlayers-1)*winInputs + allInputs
)

const one = perceptron.One

// inputs is a list of inputs under construction: next is the place of the next one.
type inputs struct {
	list [256]perceptron.Input
	n    int
	next int
}

// put tells the next input.
func (c *inputs) put(n int) {
	// Written in any case and kept if it is not zero, without a branch that nothing could
	// foretell.
	c.list[c.n] = perceptron.Input{At: uint16(c.next), Value: int8(max(-127, min(n, 127)))}
	if n != 0 {
		n = 1
	}
	c.n += n
	c.next++
}

// at tells the input of a place.
func (c *inputs) at(place, n int) {
	c.list[c.n] = perceptron.Input{At: uint16(place), Value: int8(max(-127, min(n, 127)))}
	c.n++
}

func (c *inputs) flag(b bool) {
	c.list[c.n] = perceptron.Input{At: uint16(c.next), Value: one}
	n := 0
	if b {
		n = 1
	}
	c.n += n
	c.next++
}

// oneOf tells which of n inputs holds; none if i is not below n.
func (c *inputs) oneOf(i, n int) {
	if i >= 0 && i < n {
		c.at(c.next+i, one)
	}
	c.next += n
}

// begin empties the list and goes to a place.
func (c *inputs) begin(place int) { c.n, c.next = 0, place }

// skipTo goes to a place; all before it must have been told.
func (c *inputs) skipTo(place int) {
	if c.next > place {
		panic("heuristic: more inputs than there is room for")
	}
	c.next = place
}

func (c *inputs) all() []perceptron.Input { return c.list[:c.n] }

// amount returns units as a multiple of a part of the scale.
func (x *Expert) amount(units, part float64) int {
	v := units / (float64(x.scale) * part)
	if v > 4 {
		v = 4
	} else if v < -4 {
		v = -4
	}
	return whole(v * one)
}

// whole returns the nearest whole number.
func whole(v float64) int { return int(float64(v) + math.Copysign(0.5, v)) }
