package tables

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// playAll is the seats of a client that plays for all players.
var playAll = [][sim.NumPlayers]uint8{{External, External, External, External}}

// TestAllocations plays at a table and encodes what players see. It allocates nothing
// once the buffers have grown.
func TestAllocations(t *testing.T) {
	for _, name := range []string{"ema_2016", "mcr_2006", "hkma_hktw", "tenhou_sanma"} {
		for _, observation := range observe.Names() {
			spec, err := observe.Lookup(observation)
			if err != nil || spec.Tensors[0].DType == observe.Text {
				continue
			}
			rules, err := configs.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			s := New(t.Context(), Config{Rules: rules, Observation: spec.For(rules.NumSeats()), Tables: 1, AutoReset: true, HandEpisodes: true, Seats: playAll})
			w, out := s.own, newPiece(&s.Config)
			w.prepare()
			w.open(0, out)
			p := &s.tables[0]
			decide := func() {
				out.clear()
				for i := range p.decision.legal {
					if p.decision.asked.Has(sim.Player(i)) {
						p.decision.answers[i] = p.decision.legal[i].Nth(int(p.decision.step) % p.decision.legal[i].Len())
					}
				}
				w.answer(0, out)
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
