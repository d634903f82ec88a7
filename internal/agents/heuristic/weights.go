package heuristic

import (
	"math"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/option"
	"github.com/sparrowhall/sparrowhall/sim"
)

// weight is the index of a parameter of value.
type weight uint8

// The weights, tuned by matches against greedy. defaults has what they are.
const (
	otherAims weight = iota
	minAimShare
	callMargin
	futureDiscards
	futureDiscardsTenpai
	futureDiscardsPerShanten
	withoutBonus
	damaWorth
	stickShareLost
	noThreatBelow
	threatAbove
	undeclaredWorth
	// How often waits of each form occur, for each way to take their tiles from the unseen
	// ones.
	waitTwoSides
	waitMiddle
	waitOneSide
	waitPair
	waitSingle
	waitOwn
	numWeights
)

// defaults has the option, value and bounds of each weight, in thousandths, and what it is.
var defaults = [numWeights]struct {
	sim.Weight
	meaning string
}{
	otherAims:                {sim.Weight{Name: "other_aims", Value: 200, Min: 0, Max: 1000}, "share of the EVs of aims other than the best"},
	minAimShare:              {sim.Weight{Name: "promising", Value: 100, Min: 0, Max: 1000}, "share of the best aim's EV below which an aim is dropped"},
	callMargin:               {sim.Weight{Name: "call_margin", Value: 900, Min: 0, Max: 3000}, "share of the EV of passing that a call must exceed"},
	futureDiscards:           {sim.Weight{Name: "pushed", Value: 400, Min: 0, Max: 2000}, "share of future discards that are dangerous"},
	futureDiscardsTenpai:     {sim.Weight{Name: "pushed_ready", Value: 3000, Min: 0, Max: 18000}, "dangerous future discards of a tenpai hand"},
	futureDiscardsPerShanten: {sim.Weight{Name: "pushed_far", Value: 3000, Min: 0, Max: 18000}, "more of them for each shanten"},
	withoutBonus:             {sim.Weight{Name: "without_bonus", Value: 800, Min: 0, Max: 1000}, "share of its EV that a hand keeps without a dora or red five"},
	damaWorth:                {sim.Weight{Name: "silent", Value: 850, Min: 0, Max: 2000}, "worth of an undeclared tenpai hand, over a declared one, which ura dora may raise"},
	stickShareLost:           {sim.Weight{Name: "staked", Value: 500, Min: 0, Max: 2000}, "share of riichi sticks that are lost"},
	noThreatBelow:            {sim.Weight{Name: "unlikely", Value: 100, Min: 0, Max: 1000}, "chance to be tenpai below which a player is no threat"},
	threatAbove:              {sim.Weight{Name: "likely", Value: 500, Min: 0, Max: 1000}, "chance above which a player is treated as tenpai"},
	undeclaredWorth:          {sim.Weight{Name: "cheap", Value: 700, Min: 0, Max: 2000}, "worth of another's undeclared hand, over a declared one"},
	waitTwoSides:             {sim.Weight{Name: "wait_two_sides", Value: 1000, Min: 1, Max: 10000}, "frequency of two-sided waits (ryanmen)"},
	waitMiddle:               {sim.Weight{Name: "wait_middle", Value: 350, Min: 0, Max: 10000}, "of closed ones (kanchan)"},
	waitOneSide:              {sim.Weight{Name: "wait_one_side", Value: 300, Min: 0, Max: 10000}, "of edge waits (penchan)"},
	waitPair:                 {sim.Weight{Name: "wait_pair", Value: 600, Min: 0, Max: 10000}, "of two pairs (shanpon)"},
	waitSingle:               {sim.Weight{Name: "wait_single", Value: 250, Min: 0, Max: 10000}, "of single waits (tanki)"},
	waitOwn:                  {sim.Weight{Name: "wait_own", Value: 400, Min: 0, Max: 10000}, "of two-sided ones with one end in the own river, under rules without furiten"},
}

// weights are the values of the weights of a player.
type weights [numWeights]float64

func usualWeights() (w weights) {
	for i, d := range defaults {
		w[i] = float64(d.Value) / 1000
	}
	return w
}

// set sets the weight of a name to a value given as text, and reports whether there is
// one of that name.
func (w *weights) set(name, text string) (known bool, err error) {
	for i, d := range defaults {
		if d.Name == name {
			value, err := option.Thousandths(name, text, d.Min, d.Max)
			if err == nil {
				w[i] = float64(value) / 1000
			}
			return true, err
		}
	}
	return false, nil
}

func weightNames() string {
	names := make([]string, len(defaults))
	for i, d := range defaults {
		names[i] = d.Name
	}
	return strings.Join(names, ", ")
}

// Weights implements sim.Tunable.
func (e *evaluator) Weights() []sim.Weight {
	list := make([]sim.Weight, numWeights)
	for i := range list {
		list[i] = defaults[i].Weight
		list[i].Value = int32(math.Round(float64(e.weights[i] * 1000)))
	}
	return list
}
