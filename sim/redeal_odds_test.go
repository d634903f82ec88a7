package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

func randomOdds(rng *rand.Rand) *sim.Odds {
	o := new(sim.Odds)
	for p := range o.Tiles {
		for k := range o.Tiles[p] {
			o.Tiles[p][k] = uint16(math.Exp2(10 + 8*(rng.Float64()-0.5)))
		}
		o.Ready[p] = uint16(rng.IntN(sim.OddsUnit + 1))
	}
	return o
}

// TestRedealBy deals anew by odds at decisions of all families: the viewer sees the same,
// and no tile is lost.
func TestRedealBy(t *testing.T) {
	t.Parallel()
	for _, preset := range []string{"tenhou", "mcr_2006", "universal", "hkma_hktw"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			rng := rand.New(rand.NewPCG(1, 2))
			table := sim.NewTable(r, 4)
			for n := 0; !table.Over(); {
				if table.Phase() == sim.PhaseDeal {
					table.StartHand(nil)
					continue
				}
				p := table.Asked().First()
				v := table.View(p)
				if n++; n%3 == 0 && table.Phase() != sim.PhaseDeclare {
					d := v.RedealWithOdds(randomOdds(rng), rng.Uint64())
					if err := same(v, &d); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := table.Step(p, closed.Act(v), nil); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestRedealInto deals into a used table what RedealWithOdds returns, and allocates nothing.
func TestRedealInto(t *testing.T) {
	r := load(t, "tenhou")
	rng := rand.New(rand.NewPCG(3, 4))
	table, dealt := sim.NewTable(r, 6), sim.NewTable(r, 7)
	ready := 0
	for n := 0; !table.Over(); {
		if table.Phase() == sim.PhaseDeal {
			table.StartHand(nil)
			continue
		}
		p := table.Asked().First()
		v := table.View(p)
		if n++; n%5 == 0 {
			odds, seed := randomOdds(rng), rng.Uint64()
			if v.RedealInto(&dealt, odds, seed) && dealt != v.RedealWithOdds(odds, seed) {
				t.Fatalf("decision %d: another table", n)
			}
			for q := range sim.Player(sim.NumPlayers) {
				if q != p && v.Ready(q) != sim.NotReady {
					ready++
				}
			}
			if a := testing.AllocsPerRun(2, func() { v.RedealInto(&dealt, odds, seed) }); a > 0 {
				t.Fatalf("decision %d: %v allocations", n, a)
			}
		}
		if _, err := table.Step(p, closed.Act(v), nil); err != nil {
			t.Fatal(err)
		}
	}
	if ready == 0 {
		t.Error("no player was ready")
	}
}

// same reports what of a table that was dealt anew is not as the viewer sees it.
func same(v sim.View, d *sim.Table) error {
	if tilesOf(d) != fullSet(v.Rules()) {
		return fmt.Errorf("tiles are not conserved: %v", tilesOf(d))
	}
	if diff := look(v).differs(look(d.View(v.Player()))); diff != "" {
		return fmt.Errorf("player %d sees hidden tiles: %s", v.Player(), diff)
	}
	return nil
}

// TestOdds checks that tiles come to lie as odds say: a kind that is four times as likely
// with one player is with him as often as his share of the places, weighted, says.
func TestOdds(t *testing.T) {
	t.Parallel()
	table := sim.NewTable(load(t, "tenhou"), 7)
	table.StartHand(nil)
	p := table.Asked().First()
	v := table.View(p)
	const weight, deals = 4, 4000
	var k tile.Kind
	for v.Unseen(k) < 4 {
		k++
	}
	for _, o := range []struct {
		name string
		of   float64
	}{{"chance", 1}, {"by odds", weight}} {
		odds := new(sim.Odds)
		for q := range odds.Tiles {
			for j := range odds.Tiles[q] {
				odds.Tiles[q][j] = sim.OddsUnit
			}
		}
		q := v.PlayerAfter(2)
		odds.Tiles[q][k] = uint16(o.of * sim.OddsUnit)
		n := 0
		for seed := range uint64(deals) {
			d := v.RedealWithOdds(odds, seed)
			h := d.View(q).Hand()
			n += h.Count(k)
		}
		// All tiles but the viewer's own and the indicator; each of the kind is about by itself.
		places := float64(136 - 14 - 1)
		want := 13 * o.of / (13*o.of + places - 13)
		if got := float64(n) / (4 * deals); math.Abs(got-want) > 0.012 {
			t.Errorf("%s: %.3f of the tiles of %v are with him, want about %.3f", o.name, got, k, want)
		}
	}
}

// TestReadyOdds checks that a player who has not declared gets a ready hand as often as the
// odds say, and the hidden tiles stay the same.
func TestReadyOdds(t *testing.T) {
	t.Parallel()
	for _, preset := range []string{"tenhou", "mcr_2006", "zung_jung", "taiwanese"} {
		table := sim.NewTable(load(t, preset), 7)
		table.StartHand(nil)
		for range 30 {
			if _, err := table.Step(table.Asked().First(), closed.Act(table.View(table.Asked().First())), nil); err != nil {
				t.Fatal(err)
			}
		}
		v := table.View(table.Asked().First())
		q := v.PlayerAfter(2)
		const deals = 1000
		for _, share := range []float64{0, 0.3, 1} {
			odds := new(sim.Odds)
			for p := range odds.Tiles {
				for k := range odds.Tiles[p] {
					odds.Tiles[p][k] = sim.OddsUnit
				}
			}
			odds.Ready[q] = uint16(share * sim.OddsUnit)
			ready := 0
			for seed := range uint64(deals) {
				d := v.RedealWithOdds(odds, seed)
				if d.View(q).Waits() != 0 {
					ready++
				}
				// A look at everything costs far more than a re-deal.
				if seed%uint64(sample(10, 1)) != 0 {
					continue
				}
				if err := same(v, &d); err != nil {
					t.Fatal(err)
				}
			}
			if got := float64(ready) / deals; math.Abs(got-share) > 0.05 {
				t.Errorf("%s: %.3f of the hands are ready, want %.1f", preset, got, share)
			}
		}
	}
}
