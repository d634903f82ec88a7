package net

import (
	"fmt"
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// Bounds of the sizes of a network.
const (
	maxWidth  = 128
	maxGlobal = 512
	maxBlocks = 16
	maxMargin = 1 << 30
)

// The scores of each kind of tile.
const (
	scoreDiscard = iota
	scoreReady
	scoreClosedKan
	scoreAddedKan
	scoreDiscardRed // added for a red five
	scoreReadyRed
	numScores
)

const (
	rowKinds        = 9  // kinds of a suit, along which convolutions run
	candidateHidden = 32 // hidden values of a candidate
)

// network is a parsed file. It is immutable.
//
// Each kind of tile has width values: an embedding of its planes, changed by residual
// convolutions along the suits. Their mean, maximum and the claimable tile, with numbers of
// the table, go through two layers to the global values. Actions are scored by these and,
// where they name a kind, by its values; the candidates of an adviser also by what it
// computes of them.
type network struct {
	family                string
	observation           *observe.Spec
	width, global, blocks int
	inputs                inputLayout

	embed         layer // with a bias for each kind
	convolutions  []convolution
	first, second layer   // to the global values
	broadcast     layer   // from the global values to those of each kind
	perKind       layer   // scores of a kind
	perAction     []int32 // [action][global]
	actionBias    []int32
	// With an adviser: the layers of a candidate's and the global values, and the weights of
	// their sum.
	candidate, situation layer
	score                []int32
	// margin is the score by which another candidate, or declaring ready, must exceed the
	// first candidate. With 0 all legal actions compete.
	margin int64
}

// convolution has for each input value of a kind the weights to the values of the kind
// before, of the same and of the next, in this order.
type convolution struct {
	weights []int16
	bias    []int32
}

// parse parses a file. newAgent constructs the adviser that the network names.
func parse(f *tensorFile, newAgent func(spec string) (func() sim.Agent, error)) (*network, error) {
	if err := f.check(netVersion, sim.ActionTableVersion); err != nil {
		return nil, err
	}
	n := &network{family: f.metadata["family"]}
	var err error
	if n.observation, err = f.observation(sim.NumPlayers, newAgent); err != nil {
		return nil, err
	}
	if n.inputs, err = newInputLayout(n.observation); err != nil {
		return nil, err
	}
	for _, size := range []struct {
		key         string
		n           *int
		least, most int
	}{{"width", &n.width, 2, maxWidth}, {"whole", &n.global, 2, maxGlobal}, {"blocks", &n.blocks, 0, maxBlocks}} {
		if *size.n, err = f.metadataInt(size.key, size.least, size.most); err != nil {
			return nil, err
		}
		if *size.n%2 != 0 && size.key != "blocks" {
			return nil, fmt.Errorf("its %s is %d; allowed: even numbers", size.key, *size.n)
		}
	}
	n.readTensors(f)
	margin, err := f.metadataInt("margin", 0, maxMargin)
	if err != nil {
		return nil, err
	}
	n.margin = int64(margin)
	return n, f.finish()
}

func (n *network) readTensors(f *tensorFile) {
	w, h := n.width, n.global
	weights := f.tensor("embed.weight", "I16", n.inputs.kinds, w)
	bias := f.tensor("embed.bias", "I32", tile.NumKinds, w)
	for k := range tile.NumKinds {
		f.checkRange("embed", weights, bias[k*w:][:w], n.inputs.kinds, w)
	}
	n.embed = layer{w, toInt16(weights), bias}
	for i := range n.blocks {
		name := fmt.Sprintf("suits.%d", i)
		weights, bias := f.tensor(name+".weight", "I16", 3, w, w), f.tensor(name+".bias", "I32", w)
		f.checkRange(name, weights, bias, 0, w)
		c := convolution{bias: bias}
		for i := range w {
			for t := 2; t >= 0; t-- { // stored by where they come from, needed by where they go
				c.weights = append(c.weights, toInt16(weights[(t*w+i)*w:][:w])...)
			}
		}
		n.convolutions = append(n.convolutions, c)
	}
	n.first = f.layer("first", n.inputs.numbers, 3*w, h, true)
	n.second = f.layer("second", 0, h, h, true)
	n.broadcast = f.layer("join", 0, h, w, true)
	n.perKind = f.layer("per_kind", 0, w, numScores, true)
	weights = f.tensor("other.weight", "I16", h, sim.NumActions)
	n.actionBias = f.tensor("other.bias", "I32", sim.NumActions)
	f.checkRange("other", weights, n.actionBias, 0, sim.NumActions)
	n.perAction = make([]int32, len(weights))
	for i, x := range weights {
		n.perAction[i%sim.NumActions*h+i/sim.NumActions] = x
	}
	if n.inputs.hasAdvice() {
		n.candidate = f.layer("candidate", numCandidate, 0, candidateHidden, true)
		n.situation = f.layer("situation", 0, h, candidateHidden, false)
		n.score = f.tensor("score.weight", "I16", candidateHidden, 1)
		f.checkRange("score", n.score, []int32{0}, 0, 1)
	}
}

// scratch is the memory of one forward pass.
type scratch struct {
	sums    [tile.NumKinds * maxWidth]int32
	values  [tile.NumKinds * maxWidth]int32 // [kind][width]
	hidden  [maxGlobal]int32
	global  [maxGlobal]int32
	perKind [tile.NumKinds][numScores]int32
	scores  [sim.NumActions]int64 // of the legal actions
	legal   sim.ActionSet
}

// choose returns the legal action with the highest score, the first of equal ones.
func (n *network) choose(s *scratch, in *inputs, legal *sim.ActionSet) sim.Action {
	w := n.width
	s.legal = *legal
	n.embedKinds(s, in)
	n.pool(s, in)
	global := s.global[:n.global]

	// Kinds that legal actions name.
	drawn := tile.NoKind
	if in.drawn != 0 {
		drawn = in.drawn.First()
	}
	broadcast := s.sums[:w]
	copy(broadcast, n.broadcast.bias)
	n.broadcast.apply(broadcast, global)
	for i := range broadcast {
		broadcast[i] >>= weightBits
	}
	for kinds := actionKinds(legal) | in.drawn; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		x := s.values[int(k)*w:][:w]
		for i := range x {
			x[i] = clampValue(x[i] + broadcast[i])
		}
		scores := s.perKind[k][:]
		copy(scores, n.perKind.bias)
		n.perKind.apply(scores, x)
	}

	for rest := *legal; rest != (sim.ActionSet{}); {
		a := takeFirst(&rest)
		score := int64(n.actionBias[a])
		for i, x := range n.perAction[int(a)*n.global:][:n.global] {
			score += int64(x) * int64(global[i])
		}
		s.scores[a] = score + s.kindScore(a, drawn)
	}
	n.addCandidates(s, in)

	best, most, rest := sim.NoAction, int64(math.MinInt64), *legal
	if n.margin > 0 && in.candidates > 0 {
		rest = marginActions(in, legal)
		s.scores[in.candidate[0].action] += n.margin
	}
	for rest != (sim.ActionSet{}) {
		a := takeFirst(&rest)
		if s.scores[a] > most {
			best, most = a, s.scores[a]
		}
	}
	return best
}

// marginActions returns the candidates and, if there are several, the actions that declare
// ready: those that compete where a network has a margin.
func marginActions(in *inputs, legal *sim.ActionSet) sim.ActionSet {
	var set sim.ActionSet
	for i := range in.candidates {
		set.Add(in.candidate[i].action)
	}
	for rest := *legal; in.candidates > 1 && rest != (sim.ActionSet{}); {
		if a := takeFirst(&rest); a.DeclaresReady() {
			set.Add(a)
		}
	}
	return set
}

// embedKinds computes the values of all kinds.
func (n *network) embedKinds(s *scratch, in *inputs) {
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
	activate(x, sums)
	for b := range n.convolutions {
		c := &n.convolutions[b]
		for k := range tile.NumKinds {
			copy(sums[k*w:][:w], c.bias)
		}
		for k := range tile.NumKinds {
			from, to, weights := k-1, k+2, c.weights
			if k%rowKinds == 0 {
				from, weights = k, weights[w:]
			}
			if k%rowKinds == rowKinds-1 || k == tile.NumKinds-1 {
				to = k + 1
			}
			addRows(sums[from*w:to*w], weights, 3*w, x[k*w:][:w])
		}
		for i, sum := range sums {
			x[i] = min(x[i]+clampValue(sum>>weightBits), maxValue)
		}
	}
}

// pool computes the global values from the mean and maximum over all kinds, the claimable
// tile and the numbers.
func (n *network) pool(s *scratch, in *inputs) {
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
	sums := s.sums[:n.global]
	copy(sums, n.first.bias)
	n.first.apply(sums, in.numbers[:n.inputs.numbers])
	rest := layer{out: n.global, weights: n.first.weights[n.inputs.numbers*n.global:]}
	rest.apply(sums, pooled[:3*w])
	activate(s.hidden[:n.global], sums)
	copy(sums, n.second.bias)
	n.second.apply(sums, s.hidden[:n.global])
	activate(s.global[:n.global], sums)
}

func actionKinds(legal *sim.ActionSet) tile.Set {
	set := legal.Kinds(sim.ActDiscard) | legal.Kinds(sim.ActReady) | legal.Kinds(sim.ActClosedKan) | legal.Kinds(sim.ActAddedKan)
	for suit := range tile.Suit(3) {
		red := tile.RedOf(suit)
		if legal.Has(sim.ActDiscard+sim.Action(red)) || legal.Has(sim.ActReady+sim.Action(red)) {
			set |= red.Kind().Bit()
		}
	}
	return set
}

// kindScore returns what the kind that an action names adds to its score; drawn is the kind
// of the drawn tile.
func (s *scratch) kindScore(a sim.Action, drawn tile.Kind) int64 {
	face := func(first sim.Action, plain, red int) int64 {
		f := tile.Face(a - first)
		switch {
		case f < tile.NumKinds:
			return int64(s.perKind[f][plain])
		case f < tile.FirstFlower:
			return int64(s.perKind[f.Kind()][plain]) + int64(s.perKind[f.Kind()][red])
		}
		return 0
	}
	switch {
	case a < sim.ActDiscardDrawn:
		return face(sim.ActDiscard, scoreDiscard, scoreDiscardRed)
	case a == sim.ActDiscardDrawn && drawn != tile.NoKind:
		return int64(s.perKind[drawn][scoreDiscard])
	case a >= sim.ActReady && a < sim.ActReadyDrawn:
		return face(sim.ActReady, scoreReady, scoreReadyRed)
	case a == sim.ActReadyDrawn && drawn != tile.NoKind:
		return int64(s.perKind[drawn][scoreReady])
	case a >= sim.ActClosedKan && a < sim.ActAddedKan:
		return int64(s.perKind[a-sim.ActClosedKan][scoreClosedKan])
	case a >= sim.ActAddedKan && a < sim.ActWin:
		return int64(s.perKind[a-sim.ActAddedKan][scoreAddedKan])
	}
	return 0
}

func (n *network) addCandidates(s *scratch, in *inputs) {
	if !n.inputs.hasAdvice() || in.candidates == 0 {
		return
	}
	var begin, sums [candidateHidden]int32
	copy(begin[:], n.candidate.bias)
	n.situation.apply(begin[:], s.global[:n.global])
	var hidden [candidateHidden]int32
	for i := range in.candidates {
		c := &in.candidate[i]
		sums = begin
		n.candidate.apply(sums[:], c.values[:])
		activate(hidden[:], sums[:])
		score := int64(0)
		for j, v := range hidden {
			score += int64(v) * int64(n.score[j])
		}
		s.scores[c.action] += score
	}
}
