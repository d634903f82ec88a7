package net

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// Bounds of the sizes of a network.
const (
	maxWidth  = 128
	maxWhole  = 512
	maxBlocks = 16
	maxMargin = 1 << 30
)

// What is scored for each kind of tile.
const (
	eachDiscard = iota
	eachReady
	eachClosedKan
	eachAddedKan
	eachDiscardRed // what a red five adds
	eachReadyRed
	numEach
)

const (
	rowKinds = 9  // kinds of a suit: what convolutions run along
	scored   = 32 // hidden values of a candidate
)

// network is what a file holds. It is not changed by being asked.
type network struct {
	family               string
	observation          *observe.Spec
	width, whole, blocks int
	inputs               layout

	embed  layer // its bias is there for each kind
	suits  []convolution
	first  layer
	second layer
	join   layer
	each   layer
	other  []int32 // [action][whole]
	others []int32 // biases
	// Of candidates, where somebody advises.
	candidate layer
	situation layer
	score     []int32
	// By margin another candidate, or declaring ready, must promise more to be preferred to
	// what is advised; with 0 the network is free.
	margin int64
}

// convolution has for each input of a kind the weights to the values of the kind before,
// of itself and of the next one, one after the other.
type convolution struct {
	weights []int16
	bias    []int32
}

// parse reads a network. newAgent makes the player whose advice it wants.
func parse(data []byte, newAgent func(spec string) (func() sim.Agent, error)) (*network, error) {
	f, err := parseFile(data)
	if err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	n := &network{family: f.metadata["family"]}
	if n.observation, err = observe.LookupWith(f.metadata["observation"], newAgent); err != nil {
		return nil, fmt.Errorf("it reads an observation that there is not: %w", err)
	}
	if got := f.metadata["observation_version"]; got != strconv.Itoa(n.observation.Version) {
		return nil, fmt.Errorf("it reads version %q of the observation %s, this program has version %d: train a network anew", got, n.observation.Name, n.observation.Version)
	}
	if n.inputs, err = layoutOf(n.observation); err != nil {
		return nil, err
	}
	for _, size := range []struct {
		key         string
		n           *int
		least, most int
	}{{"width", &n.width, 2, maxWidth}, {"whole", &n.whole, 2, maxWhole}, {"blocks", &n.blocks, 0, maxBlocks}} {
		if *size.n, err = f.number(size.key, size.least, size.most); err != nil {
			return nil, err
		}
		if *size.n%2 != 0 && size.key != "blocks" {
			return nil, fmt.Errorf("its %s is %d; allowed: even numbers", size.key, *size.n)
		}
	}
	n.take(f)
	if _, ok := f.metadata["margin"]; ok {
		margin, err := f.number("margin", 0, maxMargin)
		if err != nil {
			return nil, err
		}
		n.margin = int64(margin)
	}
	return n, f.end()
}

// take takes all tensors.
func (n *network) take(f *file) {
	w, h := n.width, n.whole
	weights := f.take("embed.weight", "I16", n.inputs.kinds, w)
	bias := f.take("embed.bias", "I32", tile.NumKinds, w)
	for k := range tile.NumKinds {
		f.room("embed", weights, bias[k*w:][:w], n.inputs.kinds, w)
	}
	n.embed = layer{w, short(weights), bias}
	for i := range n.blocks {
		name := fmt.Sprintf("suits.%d", i)
		weights, bias := f.take(name+".weight", "I16", 3, w, w), f.take(name+".bias", "I32", w)
		f.room(name, weights, bias, 0, w)
		c := convolution{bias: bias}
		for i := range w {
			for t := 2; t >= 0; t-- { // what comes before a kind is what it comes after
				c.weights = append(c.weights, short(weights[(t*w+i)*w:][:w])...)
			}
		}
		n.suits = append(n.suits, c)
	}
	n.first = f.layer("first", n.inputs.numbers, 3*w, h, true)
	n.second = f.layer("second", 0, h, h, true)
	n.join = f.layer("join", 0, h, w, true)
	n.each = f.layer("per_kind", 0, w, numEach, true)
	weights = f.take("other.weight", "I16", h, sim.NumActions)
	n.others = f.take("other.bias", "I32", sim.NumActions)
	f.room("other", weights, n.others, 0, sim.NumActions)
	n.other = make([]int32, len(weights))
	for i, x := range weights {
		n.other[i%sim.NumActions*h+i/sim.NumActions] = x
	}
	if n.inputs.advised() {
		n.candidate = f.layer("candidate", numCandidate, 0, scored, true)
		n.situation = f.layer("situation", 0, h, scored, false)
		n.score = f.take("score.weight", "I16", scored, 1)
		f.room("score", n.score, []int32{0}, 0, 1)
	}
}

// scratch is what a question needs room for.
type scratch struct {
	sums   [tile.NumKinds * maxWidth]int32
	values [tile.NumKinds * maxWidth]int32 // [kind][width]
	whole  [maxWhole]int32
	other  [maxWhole]int32
	each   [tile.NumKinds][numEach]int32
	scores [sim.NumActions]int64 // of those that are legal
	legal  sim.ActionSet
}

// answer returns the legal action with the highest score, the first of equal ones.
func (n *network) answer(s *scratch, in *inputs, legal *sim.ActionSet) sim.Action {
	w := n.width
	s.legal = *legal
	n.look(s, in)
	n.sumUp(s, in)
	whole := s.whole[:n.whole]

	// Kind by kind, of those about which there is something to say.
	drawn := tile.NoKind
	if in.drawn != 0 {
		drawn = in.drawn.First()
	}
	join := s.sums[:w]
	copy(join, n.join.bias)
	n.join.apply(join, whole)
	for i := range join {
		join[i] >>= weightBits
	}
	for kinds := kindsOf(legal) | in.drawn; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		x := s.values[int(k)*w:][:w]
		for i := range x {
			x[i] = bounded(x[i] + join[i])
		}
		each := s.each[k][:]
		copy(each, n.each.bias)
		n.each.apply(each, x)
	}

	for rest := *legal; rest != (sim.ActionSet{}); {
		a := next(&rest)
		score := int64(n.others[a])
		for i, x := range n.other[int(a)*n.whole:][:n.whole] {
			score += int64(x) * int64(whole[i])
		}
		s.scores[a] = score + s.ofKind(a, drawn)
	}
	n.addCandidates(s, in)

	best, most, rest := sim.NoAction, int64(math.MinInt64), *legal
	if n.margin > 0 && in.candidates > 0 {
		rest = near(in, legal)
		s.scores[in.candidate[0].action] += n.margin
	}
	for rest != (sim.ActionSet{}) {
		a := next(&rest)
		if s.scores[a] > most {
			best, most = a, s.scores[a]
		}
	}
	return best
}

// near returns the candidates and, if they are several, the declarations of ready.
func near(in *inputs, legal *sim.ActionSet) sim.ActionSet {
	var set sim.ActionSet
	for i := range in.candidates {
		set.Add(in.candidate[i].action)
	}
	for rest := *legal; in.candidates > 1 && rest != (sim.ActionSet{}); {
		if a := next(&rest); a.DeclaresReady() {
			set.Add(a)
		}
	}
	return set
}

// look fills in the values of all kinds.
func (n *network) look(s *scratch, in *inputs) {
	w := n.width
	sums := s.sums[:tile.NumKinds*w]
	copy(sums, n.embed.bias)
	add := func(k, channel int, v int32) {
		term := [...]perceptron.Term{{Row: int32(channel), Times: v}}
		perceptron.AddTerms(sums[k*w:][:w], n.embed.weights, w, term[:])
	}
	for c, set := range in.planes[:n.inputs.planes] {
		for ; set != 0; set = set.Rest() {
			add(int(set.First()), c, one)
		}
	}
	for c, list := range in.channels[:n.inputs.kinds-n.inputs.planes] {
		for k, v := range list {
			if v != 0 {
				add(k, n.inputs.planes+c, v)
			}
		}
	}
	x := s.values[:tile.NumKinds*w]
	values(x, sums)
	for b := range n.suits {
		suit := &n.suits[b]
		for k := range tile.NumKinds {
			copy(sums[k*w:][:w], suit.bias)
		}
		for k := range tile.NumKinds {
			from, to, weights := k-1, k+2, suit.weights
			if k%rowKinds == 0 {
				from, weights = k, weights[w:]
			}
			if k%rowKinds == rowKinds-1 || k == tile.NumKinds-1 {
				to = k + 1
			}
			addAll(sums[from*w:to*w], weights, 3*w, x[k*w:][:w])
		}
		for i, sum := range sums {
			x[i] = min(x[i]+bounded(sum>>weightBits), mostValue)
		}
	}
}

// sumUp fills in the values of the whole.
func (n *network) sumUp(s *scratch, in *inputs) {
	w := n.width
	var pooled [3 * maxWidth]int32
	mean, most, window := pooled[:w], pooled[w:2*w], pooled[2*w:3*w]
	for k := range tile.NumKinds {
		for i, v := range s.values[k*w:][:w] {
			mean[i] += v
			most[i] = max(most[i], v)
		}
	}
	for i := range mean {
		mean[i] = (mean[i] + tile.NumKinds/2) / tile.NumKinds
	}
	if in.window != 0 {
		copy(window, s.values[int(in.window.First())*w:][:w])
	}
	sums := s.sums[:n.whole]
	copy(sums, n.first.bias)
	n.first.apply(sums, in.numbers[:n.inputs.numbers])
	rest := layer{out: n.whole, weights: n.first.weights[n.inputs.numbers*n.whole:]}
	rest.apply(sums, pooled[:3*w])
	values(s.other[:n.whole], sums)
	copy(sums, n.second.bias)
	n.second.apply(sums, s.other[:n.whole])
	values(s.whole[:n.whole], sums)
}

// kindsOf returns the kinds that actions name.
func kindsOf(legal *sim.ActionSet) tile.Set {
	set := legal.Kinds(sim.ActDiscard) | legal.Kinds(sim.ActReady) | legal.Kinds(sim.ActClosedKan) | legal.Kinds(sim.ActAddedKan)
	for suit := range tile.Suit(3) {
		red := tile.RedOf(suit)
		if legal.Has(sim.ActDiscard+sim.Action(red)) || legal.Has(sim.ActReady+sim.Action(red)) {
			set |= red.Kind().Bit()
		}
	}
	return set
}

// ofKind returns what an action's kind of tile adds to its score, drawn being the kind
// of the drawn tile.
func (s *scratch) ofKind(a sim.Action, drawn tile.Kind) int64 {
	face := func(first sim.Action, plain, red int) int64 {
		f := tile.Face(a - first)
		switch {
		case f < tile.NumKinds:
			return int64(s.each[f][plain])
		case f < tile.FirstFlower:
			return int64(s.each[f.Kind()][plain]) + int64(s.each[f.Kind()][red])
		}
		return 0
	}
	switch {
	case a < sim.ActDiscardDrawn:
		return face(sim.ActDiscard, eachDiscard, eachDiscardRed)
	case a == sim.ActDiscardDrawn && drawn != tile.NoKind:
		return int64(s.each[drawn][eachDiscard])
	case a >= sim.ActReady && a < sim.ActReadyDrawn:
		return face(sim.ActReady, eachReady, eachReadyRed)
	case a == sim.ActReadyDrawn && drawn != tile.NoKind:
		return int64(s.each[drawn][eachReady])
	case a >= sim.ActClosedKan && a < sim.ActAddedKan:
		return int64(s.each[a-sim.ActClosedKan][eachClosedKan])
	case a >= sim.ActAddedKan && a < sim.ActWin:
		return int64(s.each[a-sim.ActAddedKan][eachAddedKan])
	}
	return 0
}

// addCandidates adds to the scores of candidates what the advice is worth.
func (n *network) addCandidates(s *scratch, in *inputs) {
	if !n.inputs.advised() || in.candidates == 0 {
		return
	}
	var begin, sums [scored]int32
	copy(begin[:], n.candidate.bias)
	n.situation.apply(begin[:], s.whole[:n.whole])
	var hidden [scored]int32
	for i := range in.candidates {
		c := &in.candidate[i]
		sums = begin
		n.candidate.apply(sums[:], c.values[:])
		values(hidden[:], sums[:])
		score := int64(0)
		for j, v := range hidden {
			score += int64(v) * int64(n.score[j])
		}
		s.scores[c.action] += score
	}
}
