package belief_test

import (
	"encoding/binary"
	"hash/fnv"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestInputsPinned pins the inputs of the network over a match of each family: networks that
// were fitted to others would be read wrongly. Those of hkma_hktw have no origin of a discard,
// which its network was fitted with and its rules hide.
func TestInputsPinned(t *testing.T) {
	want := map[string]uint64{
		"tenhou": 0xde82b132393a0740, "mcr_2006": 0x2aa4f4f085f55acc, "universal": 0x761cbfd23303fbea, "hkma_hktw": 0x69c02124f2274d73,
	}
	for _, preset := range families {
		r := load(t, preset)
		var reader belief.Estimator
		var list perceptron.InputList
		h := fnv.New64a()
		add := func() {
			if err := binary.Write(h, binary.LittleEndian, list.All()); err != nil {
				t.Fatal(err)
			}
			h.Write([]byte{0xff})
		}
		turns(t, r, played(t, r, 4), 5, func(_ *sim.Table, v sim.View) {
			reader.Observe(v)
			for i := 1; i < sim.NumPlayers; i++ {
				reader.EncodePlayer(&list, v.PlayerAfter(i))
				add()
			}
			discards := discardsOf(v)
			for kinds := discards.Kinds() | tile.Dragons; kinds != 0; kinds = kinds.Rest() {
				for i := 1; i < sim.NumPlayers; i++ {
					reader.EncodeKind(&list, v.PlayerAfter(i), kinds.First())
					add()
				}
			}
		})
		if got := h.Sum64(); got != want[preset] {
			t.Errorf("%s: the inputs have the hash %#x, want %#x", preset, got, want[preset])
		}
	}
}
