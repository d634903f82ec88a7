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

// Inputs are those of python/src/sparrowhall/learn/inputs.py, which says how they come about.
const (
	numPhases     = 9
	numTypes      = 6 // of actions: discard, ready, chi, pon, kan, pass
	numMoney      = 3 // hope, risk and total of a candidate
	numCandidate  = 4 + 2*numMoney + numTypes
	maxCandidates = 16

	maxChannels = 2
	maxNumbers  = 128
)

// layout is where an observation has what goes into a network, by the index of tensors.
type layout struct {
	planeTensors []int // sets of kinds
	planes       int   // how many they have
	kinds        int   // planes and channels of numbers for each kind
	numbers      int

	state, amounts, discarding, summary, candidates int // -1 for none

	window, drawn, points int // fields
	shifts                map[int][]uint8
}

func (l *layout) advised() bool { return l.candidates >= 0 }

// layoutOf looks at an observation.
func layoutOf(s *observe.Spec) (layout, error) {
	find := func(name string) int {
		return slices.IndexFunc(s.Tensors, func(t observe.Tensor) bool { return t.Name == name })
	}
	l := layout{
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

// shift returns by how many bits a number is shifted whose largest value is high.
func shift(high int64) uint8 {
	s := uint8(valueBits)
	for high<<s > 4*one {
		s--
	}
	return s
}

// level returns about 32 times the logarithm of 1 + |x| to base 2, with the sign of x.
func level(x int64) int32 {
	v := uint64(max(x, -x)) + 1
	k := bits.Len64(v) - 1
	n := int32(32*k) + int32(v*32>>k) - 32
	if x < 0 {
		return -n
	}
	return n
}

// inputs are what a network is asked with.
type inputs struct {
	planes        [128]tile.Set
	channels      [maxChannels][tile.NumKinds]int32
	numbers       [maxNumbers]int32
	window, drawn tile.Set

	candidates int
	candidate  [maxCandidates]candidate
}

// candidate is an action and what its adviser says of it.
type candidate struct {
	action sim.Action
	values [numCandidate]int32
}

// read takes in an observation.
func (in *inputs) read(l *layout, tensors [][]byte) {
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
		list = append(list, level(int64(int32(binary.LittleEndian.Uint32(data)))))
	}
	points := func(i int) int64 { return int64(int32(binary.LittleEndian.Uint32(amounts[4*(l.points+i):]))) }
	for i := 1; i < sim.NumPlayers; i++ {
		list = append(list, level(points(i)-points(0)))
	}
	if l.summary >= 0 {
		for i, b := range tensors[l.discarding] {
			in.channels[i%maxChannels][i/maxChannels] = int32(b) << l.shifts[l.discarding][i%maxChannels]
		}
		appendShifted(list, tensors[l.summary], l.shifts[l.summary])
	}
	in.candidates = 0
	if l.advised() {
		in.readCandidates(tensors[l.candidates])
	}
}

func appendShifted(list []int32, data, shifts []byte) []int32 {
	for i, b := range data {
		list = append(list, int32(b)<<shifts[i])
	}
	return list
}

// readCandidates takes in the tensor of candidates.
func (in *inputs) readCandidates(data []byte) {
	const words = 3 + numMoney // action, shanten, chance to deal in, money
	word := func(i, j int) int64 { return int64(int32(binary.LittleEndian.Uint32(data[4*(words*i+j):]))) }
	for i := range maxCandidates {
		if word(i, 0) == 0 {
			return
		}
		c := &in.candidate[i]
		*c = candidate{action: sim.Action(word(i, 0) - 1)}
		if i == 0 {
			c.values[0] = one
		}
		c.values[1] = int32(i) << 5
		c.values[2] = int32(word(i, 1)+1) << 6
		c.values[3] = level(word(i, 2))
		for j := range numMoney {
			c.values[4+j] = level(word(i, 3+j))
			c.values[4+numMoney+j] = level(word(i, 3+j) - word(0, 3+j))
		}
		if t := typeOf(c.action); t >= 0 {
			c.values[4+2*numMoney+t] = one
		}
		in.candidates++
	}
}

// typeOf returns which type an action is of, -1 for none.
func typeOf(a sim.Action) int {
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
