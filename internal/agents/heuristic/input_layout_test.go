package heuristic

import (
	"encoding/binary"
	"hash/fnv"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

// TestInputsPinned pins the inputs of expert's network over a match of each family: networks
// that were fitted to others would be read wrongly. The match does not change with networks that
// are fitted again.
func TestInputsPinned(t *testing.T) {
	want := map[string]uint64{
		"tenhou": 0x358040cd5fba777b, "mcr_2006": 0xa15fef23a37c2283, "universal": 0xe9fc7fd6306c301f, "hkma_hktw": 0xaa322e6aa7ba0c9b,
		sanma: 0xea14846243193e95,
	}
	for preset, sum := range want {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		m := sim.Match{Seed: 17}
		x := expertOf(t, "networks=1")
		seats := [sim.NumPlayers]sim.Agent{&inputHasher{t, x, h.Write}, expertOf(t, "net=off"), expertOf(t, "net=off"), expertOf(t, "net=off")}
		m.Play(r, &seats)
		if got := h.Sum64(); got != sum {
			t.Errorf("%s: the inputs have the hash %#x, want %#x", preset, got, sum)
		}
	}
}

// inputHasher writes the inputs of all decisions of an expert to a hash.
type inputHasher struct {
	t *testing.T
	*Expert
	write func([]byte) (int, error)
}

func (h *inputHasher) Act(v sim.View) sim.Action {
	a := h.Expert.Act(v)
	for i := range h.NumCandidates() {
		situation, action := h.Inputs(v, i)
		for _, list := range [][]perceptron.Input{situation, action} {
			data, err := binary.Append(nil, binary.LittleEndian, list)
			if err != nil {
				h.t.Fatal(err)
			}
			if _, err := h.write(append(data, 0xff)); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	return a
}
