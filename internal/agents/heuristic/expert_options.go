package heuristic

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/internal/option"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// expertOptions are the options of an Expert. Amounts are in thousandths of the scale.
type expertOptions struct {
	useNetworks   bool
	fileNetwork   *perceptron.Network // from a file, for all rules; nil for the embedded ones
	firstNetworks bool                // the embedded ones that expert-1 plays by
	useBeliefs    bool
	// ponsHonors lists pons of valued honors that bring no followed aim nearer.
	ponsHonors bool
	// margin is by how much the predicted gain of another candidate must exceed that of the
	// one that value would play. Unless it was set it depends on the rules.
	margin    int32
	marginSet bool
	// dealInPenalty is subtracted from the predicted gain of a hand that is not tenpai, times
	// the chance to deal into a player who has declared ready.
	dealInPenalty int32
	placeWorth    int32 // of one place in the final ranking
	exploreRate   int32 // decisions in a thousand that are answered by another candidate
	// searchRedeals is the number of redeals of a search at close decisions, 0 for none.
	// searchBudget is the time after which it deals no more, 0 without a limit.
	searchRedeals int
	searchBudget  time.Duration
}

// Bounds of the options of the search; the budget is in milliseconds.
const (
	maxRedeals = 1024
	maxBudget  = 60_000
)

// Defaults and bounds of options. The margin is that before the first match.
const (
	defaultMargin, maxMargin               = 15, 10_000
	defaultPlaceWorth, maxPlaceWorth       = 2000, 100_000
	defaultDealInPenalty, maxDealInPenalty = 600, 10_000
)

// maxWeightsFile is the largest file of a network in bytes; the embedded ones have less
// than 40 KiB.
const maxWeightsFile = 1 << 20

// NewExpert returns a constructor of [*Expert], with options such as "net=off"; see
// docs/agents.md. With a level from 1 to 4, as in "level=2", it is that of a weaker player. An
// error names the option at fault.
func NewExpert(options string) (func() sim.Agent, error) {
	level, options, err := cutLevel(options)
	if err != nil {
		return nil, err
	}
	if level < maxLevel {
		return newLevel(level), nil
	}
	x := Expert{
		value:   evaluator{features: allFeatures, weights: usualWeights(), winChances: sharedWinChances()},
		options: expertOptions{useNetworks: true, useBeliefs: true, ponsHonors: true, margin: defaultMargin, placeWorth: defaultPlaceWorth, dealInPenalty: defaultDealInPenalty},
	}
	x.value.weights[futureDiscards] = 1
	if err := option.Parse(options, x.setOption); err != nil {
		return nil, err
	}
	if err := x.checkSearch(); err != nil {
		return nil, err
	}
	return func() sim.Agent {
		made := x
		return &made
	}, nil
}

// amount returns an option of Expert in thousandths.
func amount(name string, usual, most int32, meaning string, field func(x *Expert) *int32) option.Option[Expert] {
	return option.New(name, option.FormatThousandths(usual), "0 to "+option.FormatThousandths(most), meaning, func(x *Expert, value string) (err error) {
		*field(x), err = option.Thousandths(name, value, 0, most)
		return err
	})
}

// expertOptionList are the options of Expert besides those of value.
var expertOptionList = []option.Option[Expert]{
	option.OnOff("net", "corrects by the network", func(x *Expert) *bool { return &x.options.useNetworks }),
	option.OnOff("honors", "considers pons of honors that bring no aim nearer", func(x *Expert) *bool { return &x.options.ponsHonors }),
	option.New("networks", "the newest", "1", "the networks of `expert-1`", (*Expert).setFirstNetworks),
	option.OnOff("beliefs", "[estimates hidden tiles](research/players.md#beliefs); much weaker without", func(x *Expert) *bool { return &x.options.useBeliefs }),
	option.New("weights", "", "FILE", "the network of a file; not for clients of a server", (*Expert).setFile),
	option.New("margin", "0.015, riichi 0.008", "0 to "+option.FormatThousandths(maxMargin), "gain over the choice of `value`, in average wins", (*Expert).setMargin),
	option.New("places", option.FormatThousandths(defaultPlaceWorth), "0 to "+option.FormatThousandths(maxPlaceWorth)+", off", "worth of a place at the end, in average wins", (*Expert).setPlaces),
	amount("wary", defaultDealInPenalty, maxDealInPenalty, "extra cost of dealing into a declared hand, in average wins", func(x *Expert) *int32 { return &x.options.dealInPenalty }),
	option.New("level", fmt.Sprint(maxLevel), fmt.Sprintf("1 to %d", maxLevel), "[a weaker player](#levels)", (func(*Expert, string) error)(nil)),
	amount("explore", 0, 1000, "share of decisions with another candidate, for training data", func(x *Expert) *int32 { return &x.options.exploreRate }),
	option.New("search", "0", fmt.Sprintf("%d to %d, 0 for none", minRedeals, maxRedeals), "deals by which it plays out [close decisions](research/players.md#search-at-close-decisions); slow, without a measured gain", (*Expert).setSearch),
	option.New("budget", "", fmt.Sprintf("1 to %d", maxBudget), "milliseconds after which a search ends; not reproducible, and leagues leave it out", (*Expert).setBudget),
}

func (x *Expert) setOption(name, value string) error {
	if known, err := option.Set(expertOptionList, x, name, value); known {
		return err
	}
	return x.value.setOption(name, value)
}

func (x *Expert) setFirstNetworks(value string) error {
	if value != "1" {
		return fmt.Errorf("option networks: %q; allowed: 1, the networks of expert-1", value)
	}
	x.options.firstNetworks = true
	return nil
}

func (x *Expert) setFile(path string) (err error) {
	x.options.fileNetwork, err = readNetwork(path)
	return err
}

func (x *Expert) setPlaces(value string) (err error) {
	if value == "off" {
		value = "0"
	}
	x.options.placeWorth, err = option.Thousandths("places", value, 0, maxPlaceWorth)
	return err
}

func (x *Expert) setMargin(value string) (err error) {
	x.options.margin, err = option.Thousandths("margin", value, 0, maxMargin)
	x.options.marginSet = true
	return err
}

func (x *Expert) setSearch(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n != 0 && n < minRedeals || n > maxRedeals {
		return fmt.Errorf("option search: %q is neither 0 nor a whole number from %d to %d", value, minRedeals, maxRedeals)
	}
	x.options.searchRedeals = n
	return nil
}

func (x *Expert) setBudget(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxBudget {
		return fmt.Errorf("option budget: %q is not a whole number of milliseconds from 1 to %d", value, maxBudget)
	}
	x.options.searchBudget = time.Duration(n) * time.Millisecond
	return nil
}

func (x *Expert) checkSearch() error {
	switch {
	case x.options.searchRedeals == 0 && x.options.searchBudget > 0:
		return errors.New("option budget: it limits a search; add search=N, or leave it out")
	case x.options.searchRedeals > 0 && !x.options.useNetworks:
		return errors.New("option search: it corrects the network's predictions; leave out net=off or search")
	case x.options.searchRedeals > 0 && x.options.exploreRate > 0:
		return errors.New("option search: it does not go with explore; leave out one of them")
	}
	return nil
}

func readNetwork(path string) (*perceptron.Network, error) {
	data, err := userfile.ReadRegular(path, maxWeightsFile)
	if err != nil {
		return nil, fmt.Errorf("option weights: %w", err)
	}
	n, err := perceptron.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("option weights: %s: %w", path, err)
	}
	if n.Inputs != NumInputs || n.Outputs != numOutputs || !strings.HasPrefix(n.Purpose, Purpose("")) {
		return nil, fmt.Errorf("option weights: %s is for %q with %d inputs and %d outputs; expert wants %q with %d and %d",
			path, n.Purpose, n.Inputs, n.Outputs, Purpose("FAMILY"), NumInputs, numOutputs)
	}
	return n, nil
}

// The outputs of a network: points and places gained, both up to an amount that all candidates
// have in common.
const (
	outPoints = iota
	outPlaces
	numOutputs
)

// Purpose returns the purpose that the file of a network must state, by the FittedName of the
// rules.
func Purpose(fitted string) string { return fmt.Sprintf("expert %d %s", InputsVersion, fitted) }

// Start implements sim.Starter. A network from a file must be for the family of the rules and
// their number of players.
func (x *Expert) Start(r *ruleset.Rules) error {
	if want := Purpose(r.FittedName()); x.options.fileNetwork != nil && x.options.fileNetwork.Purpose != want {
		return fmt.Errorf("heuristic: the weights of expert are for %q, these rules want %q", x.options.fileNetwork.Purpose, want)
	}
	if x.options.searchRedeals > 0 && x.options.fileNetwork == nil && networkOf(r, x.options.firstNetworks) == nil {
		return fmt.Errorf("heuristic: expert has no network for %q, and search corrects its predictions; leave out search", r.FittedName())
	}
	return nil
}

// Weights implements sim.Tunable. A margin that was not set is that of the rules last
// played by.
func (x *Expert) Weights() []sim.Weight {
	return append(x.value.Weights(),
		sim.Weight{Name: "margin", Value: x.options.margin, Min: 0, Max: maxMargin},
		sim.Weight{Name: "places", Value: x.options.placeWorth, Min: 0, Max: maxPlaceWorth},
		sim.Weight{Name: "wary", Value: x.options.dealInPenalty, Min: 0, Max: maxDealInPenalty})
}
