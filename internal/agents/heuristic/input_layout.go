package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/sim"
)

// InputsVersion is the version of the layout below. A network is fitted to one version.
const InputsVersion = 1

// The layout of the inputs: groups in this order, with their sizes.
const (
	ownInputs      = 69 // of the viewer's situation
	opponentInputs = 25 // of each opponent
	actionBegin    = ownInputs + (sim.NumPlayers-1)*opponentInputs

	handInputs    = 57 // of the candidate and the hand after it
	discardInputs = 19 // of the discarded tile
	dangerInputs  = 38 // of the discard against each opponent
	tenpaiBegin   = actionBegin + handInputs + discardInputs + (sim.NumPlayers-1)*dangerInputs

	// Beliefs: of the situation for each opponent, of the candidate for each opponent, and
	// of the candidate against all.
	tenpaiInputs, winInputs, totalInputs = 2, 5, 4
	winBegin                             = tenpaiBegin + (sim.NumPlayers-1)*tenpaiInputs
	// NumInputs is the number of inputs of an expert's network.
	NumInputs = winBegin + (sim.NumPlayers-1)*winInputs + totalInputs
)

const one = perceptron.One

// scaled returns units as an input: a multiple of part of the scale, clamped to 4.
func (x *Expert) scaled(units, part float64) int {
	v := units / (float64(x.scale) * part)
	if v > 4 {
		v = 4
	} else if v < -4 {
		v = -4
	}
	return rounded(v * one)
}

func rounded(v float64) int { return int(float64(v) + math.Copysign(0.5, v)) }
