package sim_test

import (
	"fmt"
	"testing"

	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// TestRedealFindsReadyHands checks that in practice players who have declared
// ready are dealt other ready hands, such as could not have won before.
func TestRedealFindsReadyHands(t *testing.T) {
	t.Parallel()
	r := load(t, "ema_2016")
	hands, kept, won := 0, 0, 0
	for seed := range uint64(sample(12, 500)) {
		table := sim.NewTable(r, seed)
		for n := 0; !table.Over(); {
			if table.Phase() == sim.PhaseDeal {
				table.StartHand(nil)
				continue
			}
			asked := table.Asked()
			for p := range sim.Player(4) {
				if !asked.Has(p) {
					continue
				}
				v := table.View(p)
				if n++; n%3 == 0 && table.Phase() != sim.PhaseDeclare {
					d := v.Redeal(seed)
					if err := keeping(v, &table, seed); err != nil {
						t.Fatal(err)
					}
					for q := range sim.Player(4) {
						if q == p || v.Ready(q) == sim.NotReady {
							continue
						}
						hands++
						if d.View(q).Hand() == table.View(q).Hand() {
							kept++
						}
						if d.View(q).Waits()&passedSince(v, q) != 0 {
							won++
						}
					}
				}
				if _, err := table.Step(p, closed.Act(v), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d ready hands re-dealt, %d kept, %d with a wait that was let pass", hands, kept, won)
	if hands < 100 {
		t.Fatal("too few ready hands to tell")
	}
	if kept*100 > hands || won*100 > hands {
		t.Errorf("of %d ready hands %d were kept and %d could have won before; want under 1 in 100 each", hands, kept, won)
	}
}

// keeping checks what Redeal does when it finds no ready hand for somebody: ready
// players keep their tiles, the others are dealt new ones.
func keeping(v sim.View, table *sim.Table, seed uint64) error {
	d := v.RedealKeeping(seed)
	if tilesOf(&d) != fullSet(v.Rules()) {
		return fmt.Errorf("tiles are not conserved: %v", tilesOf(&d))
	}
	for q := range sim.Player(4) {
		if v.Ready(q) != sim.NotReady && d.View(q).Hand() != table.View(q).Hand() {
			return fmt.Errorf("ready player %d does not keep the tiles", q)
		}
	}
	if diff := look(v).differs(look(d.View(v.Player()))); diff != "" {
		return fmt.Errorf("player %d sees hidden tiles: %s", v.Player(), diff)
	}
	return nil
}

// passedSince returns the kinds discarded since player q's declaration, that of
// the window left out.
func passedSince(v sim.View, q sim.Player) (set tile.Set) {
	n := v.NumDiscards()
	if v.Phase() == sim.PhaseClaim {
		n--
	}
	since := false
	for i := range n {
		d := v.Discard(i)
		since = since || d.Player == q && d.Ready
		if since {
			set |= d.Tile.Kind().Bit()
		}
	}
	return set
}

// TestHiddenKanBeingRobbed checks who knows the kind of a closed kan that the
// rules hide while thirteen orphans may rob it: its owner and the robber.
func TestHiddenKanBeingRobbed(t *testing.T) {
	p := newScript(t, "hidden kan", `
		with closed_kan_visible = false
		S 119m19p19s123456z
		E 7777z
		E closed_kan 7z
		? phase rob
		? asked S`).run(t, "mahjong_soul")
	for q, want := range []tile.Face{tile.Face(tile.Red), tile.Face(tile.Red), tile.NoFace, tile.NoFace} {
		if got := p.table.View(sim.Player(q)).Window(); got != want {
			t.Errorf("player %d sees %v in the window, want %v", q, got, want)
		}
	}
	for seed := range uint64(20) {
		d := p.table.View(1).Redeal(seed)
		if m := d.View(0).Meld(0, 0); m.Kind != tile.Red {
			t.Fatalf("the robbed kan became %+v", m)
		}
		if diff := look(p.table.View(1)).differs(look(d.View(1))); diff != "" {
			t.Fatal(diff)
		}
		if _, err := d.Step(1, sim.ActWin, nil); err != nil {
			t.Fatal(err)
		}
	}
	// Once it is not robbed, its kind may be any.
	p.must(t, "S pass")
	seen := map[tile.Kind]bool{}
	for seed := range uint64(50) {
		p := p.table
		if _, err := p.Step(0, sim.ActDiscardDrawn, nil); err != nil {
			t.Fatal(err)
		}
		for p.Phase() == sim.PhaseClaim {
			for q := range sim.Player(4) {
				if p.Asked().Has(q) {
					if _, err := p.Step(q, sim.ActPass, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		d := p.View(1).Redeal(seed)
		seen[d.View(0).Meld(0, 0).Kind] = true
	}
	if len(seen) < 2 {
		t.Errorf("the hidden kan is always %v", seen)
	}
}
