package heuristic

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim"
)

// weight is a number that value plays by.
type weight uint8

// The weights, found by play against greedy.
const (
	// otherAims is the part that aims other than the best add to a hand's worth.
	otherAims weight = iota
	// promising is the part of the best aim's worth below which others are
	// dropped.
	promising
	// callMargin is how much a call must bring of what the hand promises without.
	callMargin
	// pushed is the part of the discards to come that is dangerous, as far as a
	// hand at a distance must make them: fewest, and for each exchange.
	pushed
	pushedReady
	pushedFar
	// withoutBonus is what is left of a hand's worth without a bonus tile.
	withoutBonus
	// silent is what an undeclared ready hand counts beside a declared one of the
	// same worth, which may also earn what comes by luck; staked is the part of
	// the stakes that is lost.
	silent
	staked
	// Players whose readiness is below unlikely are no threat; one above likely is
	// taken to be ready. A hand not declared is usually worth cheap of a declared
	// one.
	unlikely
	likely
	cheap
	// How many waits there are of each sort for every way to take the tiles of the
	// hidden hand from the unseen ones: those of a sequence at two sides, one side
	// or in the middle, of two pairs and of a single tile. waitOwn is what a wait at
	// two sides counts if the player himself discarded one of them, where that does
	// not forbid him to win.
	waitTwoSides
	waitMiddle
	waitOneSide
	waitPair
	waitSingle
	waitOwn
	numWeights
)

// defaults has the name, value and bounds of each weight, in thousandths.
var defaults = [numWeights]sim.Weight{
	otherAims:    {Name: "other_aims", Value: 200, Min: 0, Max: 1000},
	promising:    {Name: "promising", Value: 100, Min: 0, Max: 1000},
	callMargin:   {Name: "call_margin", Value: 900, Min: 0, Max: 3000},
	pushed:       {Name: "pushed", Value: 400, Min: 0, Max: 2000},
	pushedReady:  {Name: "pushed_ready", Value: 3000, Min: 0, Max: 18000},
	pushedFar:    {Name: "pushed_far", Value: 3000, Min: 0, Max: 18000},
	withoutBonus: {Name: "without_bonus", Value: 800, Min: 0, Max: 1000},
	silent:       {Name: "silent", Value: 850, Min: 0, Max: 2000},
	staked:       {Name: "staked", Value: 500, Min: 0, Max: 2000},
	unlikely:     {Name: "unlikely", Value: 100, Min: 0, Max: 1000},
	likely:       {Name: "likely", Value: 500, Min: 0, Max: 1000},
	cheap:        {Name: "cheap", Value: 700, Min: 0, Max: 2000},
	waitTwoSides: {Name: "wait_two_sides", Value: 1000, Min: 1, Max: 10000},
	waitMiddle:   {Name: "wait_middle", Value: 350, Min: 0, Max: 10000},
	waitOneSide:  {Name: "wait_one_side", Value: 300, Min: 0, Max: 10000},
	waitPair:     {Name: "wait_pair", Value: 600, Min: 0, Max: 10000},
	waitSingle:   {Name: "wait_single", Value: 250, Min: 0, Max: 10000},
	waitOwn:      {Name: "wait_own", Value: 400, Min: 0, Max: 10000},
}

// weights are the values that a player has.
type weights [numWeights]float64

// usualWeights returns the defaults.
func usualWeights() (w weights) {
	for i, d := range defaults {
		w[i] = float64(d.Value) / 1000
	}
	return w
}

// set gives the weight of a name the value that a text says, and reports whether
// there is one of that name.
func (w *weights) set(name, text string) (known bool, err error) {
	for i, d := range defaults {
		if d.Name != name {
			continue
		}
		value, err := parseThousandths(text)
		if err != nil {
			return true, fmt.Errorf("weight %s: %w", name, err)
		}
		if value < d.Min || value > d.Max {
			return true, fmt.Errorf("weight %s: %s is not from %s to %s", name, text, formatThousandths(d.Min), formatThousandths(d.Max))
		}
		w[i] = float64(value) / 1000
		return true, nil
	}
	return false, nil
}

// parseThousandths reads a number with at most three digits after the point.
func parseThousandths(text string) (int32, error) {
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole+(part + "000")[:3], 10, 31)
	if err != nil || whole == "" || len(part) > 3 {
		return 0, fmt.Errorf("%q is no number such as 3 or 0.45, with at most three digits after the point", text)
	}
	return int32(n), nil
}

// formatThousandths writes a number as parseThousandths reads it.
func formatThousandths(n int32) string {
	return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64)
}

// weightNames lists the names for an error.
func weightNames() string {
	names := make([]string, len(defaults))
	for i, d := range defaults {
		names[i] = d.Name
	}
	return strings.Join(names, ", ")
}

// Weights implements sim.Weighted.
func (e *evaluator) Weights() []sim.Weight {
	list := defaults
	for i := range list {
		list[i].Value = int32(math.Round(float64(e.weights[i] * 1000)))
	}
	return list[:]
}
