package env

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Playing at a table and encoding what is seen allocates nothing once the buffers
// have grown.
func TestAllocations(t *testing.T) {
	for _, name := range []string{"ema_2016", "mcr_2006", "hkma_hktw"} {
		for _, spec := range views() {
			rules, err := configs.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w := &worker{ctx: t.Context(), setup: &setup{
				opened: opened{rules: rules}, spec: spec, debts: true, tables: 1, auto: true, hand: true,
				seats: [][sim.NumPlayers]uint8{{external, external, external, external}},
			}}
			w.make()
			p := &place{}
			out := newPiece(spec)
			w.open(0, p, out)
			decide := func() {
				out.clear()
				for i := range p.legal {
					if p.asked.Has(sim.Player(i)) {
						p.answers[i] = p.legal[i].Nth(int(p.step) % p.legal[i].Len())
					}
				}
				w.answer(0, p, out)
			}
			for range 2000 {
				decide()
			}
			if n := testing.AllocsPerRun(2000, decide); n != 0 {
				t.Errorf("%s, %s: %v allocations a decision", name, spec.Name, n)
			}
		}
	}
}
