package observe

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	// maxCandidates is the number of candidates in the tensor; more are rare.
	maxCandidates = 16

	candidateAction  = 0
	candidateShanten = candidateAction + 1
	candidateDealIn  = candidateShanten + 1
	candidateHope    = candidateDealIn + 1
	candidateRisk    = candidateHope + 1
	candidateTotal   = candidateRisk + 1
	candidateWords   = candidateTotal + 1

	usualAdviser = "value"
)

var adviceSpec = Spec{
	Name: "advice", Version: Version,
	Doc:     "features, and what a built-in player thinks of the actions: value, or the one named after a colon, as in advice:expert; for networks that know better now and then",
	Tensors: append(featuresSpec.Tensors[:len(featuresSpec.Tensors):len(featuresSpec.Tensors)], candidateTensor()),
	append: func(e *Encoder, dst [][]byte, v sim.View, h *History, b *Board) {
		featuresSpec.append(e, dst, v, h, b)
		e.appendCandidates(&dst[len(featuresSpec.Tensors)], v)
	},
}

// Advice returns the spec of the encoding with the candidates of an adviser. Names does
// not list it, since it needs an agent; see [LookupWithAgents].
func Advice(newAdviser func() sim.Adviser) *Spec {
	s := adviceSpec
	s.newAdviser = newAdviser
	return &s
}

// LookupWithAgents is Lookup for names that may also be "advice", which uses the agent
// value, or "advice:" with the name of another agent. newAgent returns a constructor for
// the name of an agent, which must be a sim.Adviser.
func LookupWithAgents(name string, newAgent func(spec string) (func() sim.Agent, error)) (*Spec, error) {
	base, player, named := strings.Cut(name, ":")
	if base != adviceSpec.Name {
		s, err := Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("%w, %s", err, adviceSpec.Name)
		}
		return s, nil
	}
	if !named {
		player = usualAdviser
	}
	maker, err := newAgent(player)
	if err != nil {
		return nil, fmt.Errorf("observe: %s: %w", name, err)
	}
	if _, ok := sim.As[sim.Adviser](maker()); !ok {
		return nil, fmt.Errorf("observe: %s: %s is no adviser; want an agent such as %s", name, player, usualAdviser)
	}
	s := Advice(func() sim.Adviser {
		a, _ := sim.As[sim.Adviser](maker())
		return a
	})
	s.Name = name
	return s, nil
}

func candidateTensor() Tensor {
	const most = math.MaxInt32
	c := newFields(most)
	c.bound("action", 1, 0, sim.NumActions, "1 + the action; 0 after the last candidate")
	c.bound("shanten", 1, -1, 20, "shanten after the action, and after the discard that follows a call: 0 ready, -1 complete")
	c.bound("deal_in", 1, 0, 1_000_000, "chance, in millionths, that the tile discarded is won on")
	c.bound("hope", 1, -most-1, most, "what the hand can be expected to win, in thousandths of a unit")
	c.bound("risk", 1, -most-1, most, "what the discard can be expected to lose, the same")
	c.bound("total", 1, -most-1, most, "what the player makes of both, the same")
	return Tensor{
		Name: "candidates", DType: Int32, Shape: []int{maxCandidates, candidateWords}, Low: -most - 1, High: most, Fields: c.list, LastAxis: true,
		Doc: "the actions that the player weighs up: first the one he would choose, then the others, the best first; without numbers where there is nothing to weigh up, and empty where the viewer is not asked",
	}
}

// appendCandidates appends the tensor of candidateTensor.
func (e *Encoder) appendCandidates(dst *[]byte, v sim.View) {
	out := grow(dst, 4*maxCandidates*candidateWords)
	if legal := v.Legal(); legal.Len() == 0 {
		return
	}
	e.candidates = e.adviser.Advise(v, slices.Grow(e.candidates[:0], maxCandidates))
	for _, c := range e.candidates[:min(len(e.candidates), maxCandidates)] {
		for i, n := range [candidateWords]int64{
			candidateAction: int64(c.Action) + 1, candidateShanten: int64(c.Shanten),
			candidateDealIn: int64(c.DealIn), candidateHope: c.Gain, candidateRisk: c.Risk,
			candidateTotal: c.Total,
		} {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(int32(max(math.MinInt32, min(n, math.MaxInt32)))))
		}
		out = out[4*candidateWords:]
	}
}
