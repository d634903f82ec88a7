package heuristic

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim"
)

// weight is the index of a parameter of value.
type weight uint8

// The weights, tuned by matches against greedy. Options set them by the names in defaults.
const (
	// otherAims is the factor of the EVs of aims other than the best.
	otherAims weight = iota
	// minAimShare is the share of the best aim's EV below which an aim is dropped.
	minAimShare
	// callMargin is the share of the EV of passing that a call must exceed.
	callMargin
	// futureDiscards is the share of future discards that are dangerous. A tenpai hand has
	// futureDiscardsTenpai of them, and futureDiscardsPerShanten more for each shanten.
	futureDiscards
	futureDiscardsTenpai
	futureDiscardsPerShanten
	// withoutBonus is the share of its EV that a hand keeps without a dora or red five.
	withoutBonus
	// damaWorth is the worth of a silent tenpai hand beside a declared one of the same
	// value, which may gain more by ura dora; stickShareLost is the share of riichi sticks
	// that are lost.
	damaWorth
	stickShareLost
	// A player whose chance to be tenpai is below noThreatBelow is no threat, one above
	// threatAbove is treated as tenpai. undeclaredWorth is the worth of a hand that is not
	// declared beside a declared one.
	noThreatBelow
	threatAbove
	undeclaredWorth
	// How often waits of each form occur, for each way to take their tiles from the unseen
	// ones: two-sided (ryanmen), closed (kanchan), edge (penchan), two pairs (shanpon) and
	// single (tanki). waitOwn is for a two-sided wait with one end in the player's own
	// river, under rules without furiten.
	waitTwoSides
	waitMiddle
	waitOneSide
	waitPair
	waitSingle
	waitOwn
	numWeights
)

// defaults has the option, value and bounds of each weight, in thousandths.
var defaults = [numWeights]sim.Weight{
	otherAims:                {Name: "other_aims", Value: 200, Min: 0, Max: 1000},
	minAimShare:              {Name: "promising", Value: 100, Min: 0, Max: 1000},
	callMargin:               {Name: "call_margin", Value: 900, Min: 0, Max: 3000},
	futureDiscards:           {Name: "pushed", Value: 400, Min: 0, Max: 2000},
	futureDiscardsTenpai:     {Name: "pushed_ready", Value: 3000, Min: 0, Max: 18000},
	futureDiscardsPerShanten: {Name: "pushed_far", Value: 3000, Min: 0, Max: 18000},
	withoutBonus:             {Name: "without_bonus", Value: 800, Min: 0, Max: 1000},
	damaWorth:                {Name: "silent", Value: 850, Min: 0, Max: 2000},
	stickShareLost:           {Name: "staked", Value: 500, Min: 0, Max: 2000},
	noThreatBelow:            {Name: "unlikely", Value: 100, Min: 0, Max: 1000},
	threatAbove:              {Name: "likely", Value: 500, Min: 0, Max: 1000},
	undeclaredWorth:          {Name: "cheap", Value: 700, Min: 0, Max: 2000},
	waitTwoSides:             {Name: "wait_two_sides", Value: 1000, Min: 1, Max: 10000},
	waitMiddle:               {Name: "wait_middle", Value: 350, Min: 0, Max: 10000},
	waitOneSide:              {Name: "wait_one_side", Value: 300, Min: 0, Max: 10000},
	waitPair:                 {Name: "wait_pair", Value: 600, Min: 0, Max: 10000},
	waitSingle:               {Name: "wait_single", Value: 250, Min: 0, Max: 10000},
	waitOwn:                  {Name: "wait_own", Value: 400, Min: 0, Max: 10000},
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
			value, err := parseBetween(name, text, d.Min, d.Max)
			if err == nil {
				w[i] = float64(value) / 1000
			}
			return true, err
		}
	}
	return false, nil
}

// parseBetween reads the value of an option with at most three digits after the point,
// in thousandths, and checks its bounds.
func parseBetween(name, text string, least, most int32) (int32, error) {
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole+(part + "000")[:3], 10, 31)
	if err != nil || whole == "" || len(part) > 3 {
		return 0, fmt.Errorf("option %s: %q is no number such as 3 or 0.45, with at most three digits after the point", name, text)
	}
	if int32(n) < least || int32(n) > most {
		return 0, fmt.Errorf("option %s: %s is not from %s to %s", name, text, formatThousandths(least), formatThousandths(most))
	}
	return int32(n), nil
}

func formatThousandths(n int32) string {
	return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64)
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
	list := defaults
	for i := range list {
		list[i].Value = int32(math.Round(float64(e.weights[i] * 1000)))
	}
	return list[:]
}
