package luck

import (
	"encoding/binary"
	"hash/fnv"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// TestPinned pins the luck of a match of each family, by the network and by the linear
// function: datasets hold it, so it changes with Version alone.
func TestPinned(t *testing.T) {
	want := map[string][2]uint64{
		"ema_2016":  {0xd5fdd29f1a28df26, 0xd493d8e7c3961cc2},
		"mcr_2006":  {0x3144fb80ec774bd4, 0x9d319a8853bdd420},
		"universal": {0xf349a565e37d70b2, 0x48d49cdc7c4ec8a5},
		"hkma_hktw": {0xcbce849b65b7ed6, 0x9d6486860a1cd3d5},
	}
	for preset, sums := range want {
		r := load(t, preset)
		e := estimate(t, r)
		four := seated(t, "greedy", "random")
		m := sim.Match{Seed: 21}
		m.Play(r, &four)
		for i, follow := range []func(*sim.Match, func(sim.Event, Points)) error{NewControlVariate(r, e).FollowMatch, NewLinearControlVariate(r, &e.Linear).FollowMatch} {
			h := fnv.New64a()
			if err := follow(&m, func(_ sim.Event, l Points) { binary.Write(h, binary.LittleEndian, l) }); err != nil {
				t.Fatal(err)
			}
			if got := h.Sum64(); got != sums[i] {
				t.Errorf("%s: luck %d has the hash %#x, want %#x", preset, i, got, sums[i])
			}
		}
	}
}
