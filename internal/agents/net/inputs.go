package net

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// The inputs must be those of python/src/sparrowhall/learn/inputs.py, which defines them.
const (
	numPhases      = 9
	numActionTypes = 6 // of actions: discard, ready, chi, pon, kan, pass
	numMoney       = 3 // hope, risk and total of a candidate
	maxCandidates  = 16

	maxChannels = 2
	maxNumbers  = 128

	// The inputs of a candidate: whether it is the first, its place, the shanten after it, the
	// chance to deal in, its money, the money less that of the first, and its type.
	inFirst, inPlace, inShanten, inDealIn, inMoney = 0, 1, 2, 3, 4
	inGains, inType, numCandidate                  = inMoney + numMoney, inMoney + 2*numMoney, inMoney + 2*numMoney + numActionTypes
)

// inputLayout has the indexes of tensors and fields of an observation that a network reads.
type inputLayout struct {
	planeTensors []int // tensors of sets of kinds
	planes       int   // sets in all of them
	kinds        int   // inputs of each kind: planes and channels of numbers
	numbers      int   // inputs of the table

	state, amounts, discarding, summary, candidates int // -1 for none

	window, drawn, points int // fields
	shifts                map[int][]uint8
}

func (l *inputLayout) hasAdvice() bool { return l.candidates >= 0 }

func newInputLayout(s *observe.Spec) (inputLayout, error) {
	find := func(name string) int {
		return slices.IndexFunc(s.Tensors, func(t observe.Tensor) bool { return t.Name == name })
	}
	l := inputLayout{
		state: find("state"), amounts: find("amounts"), discarding: find("discarding"),
		summary: find("summary"), candidates: find("candidates"), shifts: map[int][]uint8{},
	}
	planes := find("planes")
	if planes < 0 || l.state < 0 || l.amounts < 0 {
		return l, fmt.Errorf("networks do not read the observation %s; allowed: planes, features, advice", s.Name)
	}
	first := func(tensor int, field string) int {
		fields := s.Tensors[tensor].Fields
		return fields[slices.IndexFunc(fields, func(f observe.Field) bool { return f.Name == field })].First
	}
	l.window, l.drawn, l.points = first(planes, "window"), first(planes, "drawn"), first(l.amounts, "points")
	l.planeTensors = []int{planes}
	l.planes = s.Tensors[planes].Shape[0]
	l.numbers = s.Tensors[l.state].Shape[0] + numPhases + s.Tensors[l.amounts].Shape[0] + sim.NumPlayers - 1
	tensors := []int{l.state}
	if l.summary >= 0 {
		shape := find("shape")
		l.planeTensors = append(l.planeTensors, shape)
		l.planes += s.Tensors[shape].Shape[0]
		l.kinds = maxChannels
		l.numbers += s.Tensors[l.summary].Shape[0]
		tensors = append(tensors, l.discarding, l.summary)
	}
	l.kinds += l.planes
	for _, i := range tensors {
		t := &s.Tensors[i]
		for _, f := range t.Fields {
			for range f.Count {
				l.shifts[i] = append(l.shifts[i], shift(f.High))
			}
		}
	}
	return l, nil
}

// shift returns by how many bits a number with the bound high is shifted to become an input.
func shift(high int64) uint8 {
	s := uint8(valueBits)
	for high<<s > 4*one {
		s--
	}
	return s
}

// logScale returns about 32 log2(1 + |x|) with the sign of x.
func logScale(x int64) int32 {
	v := uint64(max(x, -x)) + 1
	k := bits.Len64(v) - 1
	n := int32(32*k) + int32(v*32>>k) - 32
	if x < 0 {
		return -n
	}
	return n
}

// inputs are the inputs of a network at one decision.
type inputs struct {
	planes        [128]tile.Set
	channels      [maxChannels][tile.NumKinds]int32
	numbers       [maxNumbers]int32
	window, drawn tile.Set

	candidates int
	candidate  [maxCandidates]candidate
}

// candidate is an action of the adviser with its inputs.
type candidate struct {
	action sim.Action
	values [numCandidate]int32
}

// read sets the inputs to those of an observation.
func (in *inputs) read(l *inputLayout, tensors [][]byte) {
	plane := 0
	const size = (tile.NumKinds + 7) / 8
	for _, i := range l.planeTensors {
		for data := range slices.Chunk(tensors[i], size) {
			in.planes[plane] = tile.Set(binary.LittleEndian.Uint32(data)) | tile.Set(data[4])<<32
			plane++
		}
	}
	in.window, in.drawn = in.planes[l.window], in.planes[l.drawn]

	list := in.numbers[:0]
	state := tensors[l.state]
	list = appendShifted(list, state, l.shifts[l.state])
	for phase := range byte(numPhases) {
		n := int32(0)
		if state[0] == phase {
			n = one
		}
		list = append(list, n)
	}
	amounts := tensors[l.amounts]
	for data := range slices.Chunk(amounts, 4) {
		list = append(list, logScale(int64(int32(binary.LittleEndian.Uint32(data)))))
	}
	points := func(i int) int64 { return int64(int32(binary.LittleEndian.Uint32(amounts[4*(l.points+i):]))) }
	for i := 1; i < sim.NumPlayers; i++ {
		list = append(list, logScale(points(i)-points(0)))
	}
	if l.summary >= 0 {
		for i, b := range tensors[l.discarding] {
			in.channels[i%maxChannels][i/maxChannels] = int32(b) << l.shifts[l.discarding][i%maxChannels]
		}
		appendShifted(list, tensors[l.summary], l.shifts[l.summary])
	}
	in.candidates = 0
	if l.hasAdvice() {
		in.readCandidates(tensors[l.candidates])
	}
}

func appendShifted(list []int32, data, shifts []byte) []int32 {
	for i, b := range data {
		list = append(list, int32(b)<<shifts[i])
	}
	return list
}

// readCandidates sets the candidates to those of the tensor "candidates".
func (in *inputs) readCandidates(data []byte) {
	// The words of a candidate in the tensor. The first is 1 + the action, 0 for none.
	const wordAction, wordShanten, wordDealIn, wordMoney, words = 0, 1, 2, 3, 3 + numMoney
	word := func(i, j int) int64 { return int64(int32(binary.LittleEndian.Uint32(data[4*(words*i+j):]))) }
	for i := range maxCandidates {
		if word(i, wordAction) == 0 {
			return
		}
		c := &in.candidate[i]
		*c = candidate{action: sim.Action(word(i, wordAction) - 1)}
		if i == 0 {
			c.values[inFirst] = one
		}
		c.values[inPlace] = int32(i) << 5
		c.values[inShanten] = int32(word(i, wordShanten)+1) << 6
		c.values[inDealIn] = logScale(word(i, wordDealIn))
		for j := range numMoney {
			c.values[inMoney+j] = logScale(word(i, wordMoney+j))
			c.values[inGains+j] = logScale(word(i, wordMoney+j) - word(0, wordMoney+j))
		}
		if t := actionType(c.action); t >= 0 {
			c.values[inType+t] = one
		}
		in.candidates++
	}
}

// actionType returns the type of an action, -1 for none.
func actionType(a sim.Action) int {
	switch {
	case a <= sim.ActDiscardDrawn:
		return 0
	case a <= sim.ActReadyDrawn || a == sim.ActReadyNow:
		return 1
	case a < sim.ActPon:
		return 2
	case a < sim.ActOpenKan:
		return 3
	case a < sim.ActWin:
		return 4
	case a == sim.ActPass:
		return 5
	}
	return -1
}
