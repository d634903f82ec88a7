package belief_test

import (
	"encoding/binary"
	"hash/fnv"
	"testing"

	"github.com/sparrowhall/sparrowhall/insight/belief"
	"github.com/sparrowhall/sparrowhall/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestInputsPinned pins the inputs of the network over a match of each family: networks that
// were fitted to others would be read wrongly.
func TestInputsPinned(t *testing.T) {
	want := map[string]uint64{
		"tenhou": 0xde82b132393a0740, "mcr_2006": 0x2aa4f4f085f55acc, "universal": 0x761cbfd23303fbea, "hkma_hktw": 0x83e673fd839cbd95,
	}
	for _, preset := range families {
		r := load(t, preset)
		var sampler belief.Sampler
		h := fnv.New64a()
		add := func(inputs []perceptron.Input) {
			if err := binary.Write(h, binary.LittleEndian, inputs); err != nil {
				t.Fatal(err)
			}
			h.Write([]byte{0xff})
		}
		turns(t, r, played(t, r, 4), 5, func(table *sim.Table, v sim.View) {
			x := sampler.Sample(table, v.Player(), tile.Dragons)
			for _, p := range x.Players {
				add(p.Inputs)
			}
			for _, k := range x.Kinds {
				for _, p := range k.Players {
					add(p.Inputs)
				}
			}
		})
		if got := h.Sum64(); got != want[preset] {
			t.Errorf("%s: the inputs have the hash %#x, want %#x", preset, got, want[preset])
		}
	}
}
