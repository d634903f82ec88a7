package sim_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A decliner seldom wins, and throws a drawn tile that he does not win on, so that
// all see what he lets pass.
type decliner struct{ player }

func (p *decliner) Act(v sim.View) sim.Action {
	a := p.player.Act(v)
	if legal := v.Legal(); a != sim.ActWin && legal.Has(sim.ActWin) && legal.Has(sim.ActDiscardDrawn) {
		return sim.ActDiscardDrawn
	}
	return a
}

// hasClaimed reports whether the player began his last turn with a claim: what he
// let pass before it was another hand.
func hasClaimed(v sim.View) bool {
	claimed := func(i int) bool { return i >= 0 && v.Discard(i).Claimed }
	last := v.NumDiscards() - 1
	if v.Turn() == v.Player() && v.Phase() != sim.PhaseClaim {
		return claimed(last)
	}
	for ; last >= 0; last-- {
		if v.Discard(last).Player == v.Player() {
			return claimed(last - 1)
		}
	}
	return false
}

// TestRelock works out again, at the decisions of some matches, which wins and
// pons players may not make as they have let them pass: the same as the table
// noted when they did. A re-deal does so for players who are dealt other tiles. One in
// fifty may differ: a kan or an earlier claim has changed what they wait for.
func TestRelock(t *testing.T) {
	seldom := &decliner{player{win: 1, kan: 16, ready: 12, call: 3, lower: true}}
	never := &decliner{player{win: 0, kan: 8, ready: 16, call: 0, lower: true}}
	agents := [4]sim.Agent{seldom, never, kanner, never}
	locked, wrong := map[string]int{}, map[string]int{}
	for i, preset := range []string{"ema_2016", "universal", "zung_jung", "hkma_hktw"} {
		for j, ends := range []string{"own_discard", "own_draw", "own_draw_or_call", "any_call", "any_own_draw"} {
			for _, knobs := range []knobs{
				{"pass_lock": "kind", "pon_pass": "own_draw", "pass_lock_on_rob": true, "pass_lock_final_when_ready": true},
				{"pass_lock": "hand", "pon_pass": "own_discard", "pass_lock_final_when_ready": j%2 == 0},
				{"pass_lock": "kind", "pon_pass": "own_draw", "pass_lock_set_by": "legal_win", "pass_lock_on_rob": true},
				{"pass_lock": "hand", "pon_pass": "own_discard", "pass_lock_set_by": "legal_win"},
				{"pass_lock": "off", "pon_pass": "off"},
			} {
				knobs["pass_lock_ends"] = ends
				if knobs["pass_lock_set_by"] == nil {
					knobs["pass_lock_set_by"] = "shape"
				}
				knobs["pass_lock_on_own_draw"] = true
				knobs["river_lock"] = "off"
				r, err := configs.LoadWith(preset, knobs)
				if err != nil {
					t.Fatal(err)
				}
				table := sim.NewTable(r, uint64(i*10+j))
				for n := 0; !table.Over() && n < 3000; n++ {
					if table.Phase() == sim.PhaseDeal {
						table.StartHand(nil)
						continue
					}
					asked := table.Asked()
					for p := range sim.Player(4) {
						v := table.View(p)
						if w := v.Waits(); w != 0 && v.Furiten(w.First()) {
							locked[preset]++
						}
						if diff := table.Relocked(p); diff != "" && !hasClaimed(v) {
							wrong[preset]++
						}
					}
					for p := range sim.Player(4) {
						if asked.Has(p) {
							if _, err := table.Step(p, agents[p].Act(table.View(p)), nil); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
			}
		}
		if locked[preset] < 100 {
			t.Errorf("%s: locks at %d decisions are too few to tell", preset, locked[preset])
		}
		if wrong[preset]*50 > locked[preset] {
			t.Errorf("%s: of locks at %d decisions %d are worked out otherwise", preset, locked[preset], wrong[preset])
		}
	}
}

// TestLegalWinLocks lets a tile pass that would complete the hand without a yaku, and
// that could be claimed: it locks by its shape, not where only a legal win locks.
func TestLegalWinLocks(t *testing.T) {
	for by, want := range map[string]bool{"shape": true, "legal_win": false} {
		p := newScript(t, by, `
			with pass_lock_set_by = "`+by+`"
			with river_lock = "off"
			with renhou = "none"
			E | 1p
			W 123m456p789s11p99m
			E discard 1p
			? asked W
			W pass
			? turn S`).run(t, "ema_2016")
		if got := p.table.View(2).Furiten(tile.Kind(9)); got != want {
			t.Errorf("set by %s: locked %v, want %v", by, got, want)
		}
		if diff := p.table.Relocked(2); diff != "" {
			t.Errorf("set by %s: %s", by, diff)
		}
	}
}

// TestDeclaredOnPassedWin lets the drawn tile that would complete a hand without a yaku
// go with the declaration of riichi. He was not ready when he let it pass: the lock ends
// with his next draw, and there is none where only a legal win locks (riichi 2.9, S4
// 3.13.2). A re-deal, which looks back when he is ready, sees the same.
func TestDeclaredOnPassedWin(t *testing.T) {
	const declares = `
		with pass_lock_on_own_draw = true
		with pass_lock_final_when_ready = true
		with river_lock = "off"
		with patterns.menzen_tsumo = "off"
		with patterns.chiihou = "off"
		E | 3z
		W 123m456p789s11p99m
		draws 2z1p4z4z3z`
	const turn = `
		until W
		? W may not tsumo
		W ready drawn`
	for _, c := range []struct {
		by, draw, text string
		locked         bool
	}{
		{"shape", "9m", "", true},
		{"legal_win", "9m", "", false},
		{"shape", "9m", "\nuntil W", false},
		{"shape", "9m", "\nuntil W\n? W may tsumo\nW discard drawn", true},
		{"shape", "6z", "\nuntil E\nuntil N", false},
	} {
		p := newScript(t, c.by, "with pass_lock_set_by = \""+c.by+"\""+declares+c.draw+turn+c.text).run(t, "ema_2016")
		if got := p.table.View(2).Furiten(tile.Kind(9)); got != c.locked {
			t.Errorf("set by %s%q: locked %v, want %v", c.by, c.text, got, c.locked)
		}
		if diff := p.table.Relocked(2); diff != "" {
			t.Errorf("set by %s%q: %s", c.by, c.text, diff)
		}
	}
}
