package heuristic

import (
	"math"
	"slices"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic/search"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// closeGain is the predicted gain, in 1/OutputUnit of the scale, by which a candidate that is
// searched may be below the network's choice.
const closeGain = 60 * perceptron.OutputUnit / 1000

// minRedeals is the least number of redeals from which the noise is estimated.
const minRedeals = 8

// closeSearch searches at close decisions. What it finds corrects the differences that the network
// predicts, by a small factor: most of what a few hundred hands show is chance, and a part of the
// rest is the error of the beliefs and of value, which plays the hands to their end.
type closeSearch struct {
	searcher *search.Searcher
	// indices are those of the candidates compared, first that of the network's choice.
	indices []int
	actions []sim.Action
	random  sim.Stream
	redeals int // tables played
}

// search returns the index of the candidate to play, and corrects the predicted gains of the
// candidates that it compares.
func (x *Expert) search(v sim.View) int {
	if x.closeSearch == nil {
		x.closeSearch = &closeSearch{searcher: search.New(func() sim.Agent {
			return &evaluator{features: allFeatures, weights: usualWeights(), winChances: sharedWinChances()}
		})}
	}
	s := x.closeSearch
	s.redeals = 0
	s.indices, s.actions = x.CloseCandidates(s.indices[:0]), s.actions[:0]
	if len(s.indices) < 2 {
		return s.indices[0]
	}
	for _, i := range s.indices {
		s.actions = append(s.actions, x.candidates[i].action)
	}
	s.random = v.Rand()
	c := search.Comparison{Actions: s.actions, Redeals: x.options.searchRedeals, PlaceWorth: x.placeWorthNow, Random: &s.random, Beliefs: x.options.useBeliefs}
	if x.options.searchBudget > 0 {
		c.Deadline = time.Now().Add(x.options.searchBudget)
	}
	if s.redeals = s.searcher.Compare(v, &c); s.redeals < minRedeals {
		return s.indices[0]
	}
	return x.correct(searchTrustOf(v.Rules(), x.SearchKind(v, s.indices)))
}

// CloseCandidates appends the indices of the candidates of the last Act that a search compares:
// first the one of the highest predicted gain, then those that are close to it, at most
// [search.MaxActions] in all. There must be a candidate.
func (x *Expert) CloseCandidates(dst []int) []int {
	list := x.candidates[:x.numCandidates]
	least := int64(math.MinInt64)
	for first := len(dst); len(dst)-first < search.MaxActions; {
		next := -1
		for i := range list {
			if g := list[i].predictedGain; g >= least && !slices.Contains(dst[first:], i) && (next < 0 || g > list[next].predictedGain) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		if len(dst) == first {
			least = list[next].predictedGain - closeGain
		}
		dst = append(dst, next)
	}
	return dst
}

// SearchKind is a kind of decisions, by the candidates that a search compares.
type SearchKind int

// The kinds of decisions.
const (
	SearchCalm     SearchKind = iota // discards without a threat
	SearchThreat                     // discards under threat
	SearchReady                      // a declaration is among the candidates
	SearchCall                       // claims of a discard, and kans
	NumSearchKinds = iota
)

// SearchKind returns the kind of the decision of the last Act, with the indices of the candidates
// compared. v must be the view of that Act.
func (x *Expert) SearchKind(v sim.View, indices []int) SearchKind {
	if v.Phase() == sim.PhaseClaim {
		return SearchCall
	}
	kind := SearchCalm
	if x.value.dealIn.meanDealInCost > 0 {
		kind = SearchThreat
	}
	for _, i := range indices {
		switch a := x.candidates[i].action; {
		case a.DeclaresReady():
			return SearchReady
		case !a.IsDiscard():
			kind = SearchCall
		}
	}
	return kind
}

// searchTrust is how far a search is trusted at decisions of a kind. The difference that it finds
// beyond what the network predicts has the variance all + noise/redeals between decisions, in
// squares of the scale, and the covariance truth with the true difference beyond that. The best
// linear correction of the prediction is the difference times truth/(all + noise/redeals).
type searchTrust struct{ truth, all float64 }

// searchTrusts are the trusts by FittedName and kind of decision, and usualTrusts those of other
// rules.
//
// The usual trust is that of 11,588 close decisions of tenhou, which a prototype searched by 64 to
// 256 redeals: the covariance with results at the true hands of the others, on 48 shuffled walls,
// is 0.0019 ± 0.0006, and is 0.38 of the variance. For riichi the variance is that of 5,769
// decisions of tenhou by kind; its own covariances are too uncertain, so all have that share. Those
// of zungjung are of 9,232 decisions: the variance by kind, and the share of all of them, 0.32.
// "How far a search is trusted" in docs/research/players.md has the commands and the results.
var (
	usualTrusts  = [NumSearchKinds]searchTrust{{0.0019, 0.0048}, {0.0019, 0.0048}, {0.0019, 0.0048}, {0.0019, 0.0048}}
	riichiTrusts = [NumSearchKinds]searchTrust{
		SearchCalm: {0.0007, 0.0018}, SearchThreat: {0.0022, 0.0057}, SearchReady: {0.0145, 0.038}, SearchCall: {0.0122, 0.032},
	}
	zungjungTrusts = [NumSearchKinds]searchTrust{
		SearchCalm: {0.0007, 0.0022}, SearchThreat: {0.0024, 0.0075}, SearchReady: usualTrusts[SearchReady], SearchCall: {0.0024, 0.0076},
	}
	searchTrusts = map[string]*[NumSearchKinds]searchTrust{
		"riichi": &riichiTrusts, "riichi_three": &riichiTrusts, "zungjung": &zungjungTrusts,
	}
)

// correction returns what to add to a predicted difference, in multiples of the scale, where a
// search found another one with the given noise, which is the variance of its mean.
func (t *searchTrust) correction(predicted, found, noise float64) float64 {
	return (found - predicted) * t.truth / (t.all + noise)
}

func searchTrustOf(r *ruleset.Rules, kind SearchKind) *searchTrust {
	if t, ok := searchTrusts[r.FittedName()]; ok {
		return &t[kind]
	}
	return &usualTrusts[kind]
}

// correct moves the predicted gains toward what the search found, and returns the index of the
// highest.
func (x *Expert) correct(t *searchTrust) int {
	s := x.closeSearch
	best := s.indices[0]
	first := x.candidates[best].predictedGain
	for i, index := range s.indices {
		if i == 0 {
			continue
		}
		// The noise is that of this decision, so that rare large differences count less.
		mean, variance := s.searcher.Difference(i)
		c := &x.candidates[index]
		const unit = perceptron.OutputUnit
		c.predictedGain += int64(t.correction(float64(float64(c.predictedGain-first)/unit), mean, variance/float64(s.redeals)) * unit)
		if c.predictedGain > x.candidates[best].predictedGain {
			best = index
		}
	}
	return best
}
