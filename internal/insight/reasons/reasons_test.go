package reasons_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestReader reads the discards of matches of all families. Its reasons agree with rivers and
// visible tiles, every class occurs, and the shanten is that of the rules.
func TestReader(t *testing.T) {
	var seen [reasons.Open + 1]int
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw", "hk_old_style", "taiwanese", "tenhou_sanma"} {
		r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(3)})
		if err != nil {
			t.Fatal(err)
		}
		newAgent, err := agents.New("value")
		if err != nil {
			t.Fatal(err)
		}
		m := &sim.Match{Seed: 3}
		m.Play(r, &[sim.NumPlayers]sim.Agent{newAgent(), newAgent(), newAgent(), newAgent()})
		var reader reasons.Reader
		err = m.ReplaySteps(r, func(before *sim.Table, p sim.Player, a sim.Action, _ []sim.Event) {
			if before == nil || !a.IsDiscard() {
				return
			}
			v := before.View(p)
			f := reasons.DiscardedTile(a, v.Drawn())
			if f.IsFlower() {
				return
			}
			reader.Observe(v)
			k := f.Kind()
			o := reader.AfterDiscard(k)
			h := v.Hand()
			h.Remove(k)
			if v.NumMelds(p) == 0 && o.Shanten != r.HandShanten(&h, nil) || o.Tiles < 0 || o.Useful == 0 && o.Tiles > 0 {
				t.Errorf("%s: outlook %+v", preset, o)
			}
			for _, rival := range reader.Rivals() {
				d := reader.Danger(rival.Player, k)
				seen[d.Class]++
				river := v.River(rival.Player).Has(k)
				if d.Class == reasons.Genbutsu && !river || d.Class > reasons.Passed && river && r.RiverLock != 0 ||
					d.Class == reasons.Honor && (!k.IsHonor() || d.G != v.Unseen(k)) {
					t.Errorf("%s: discard of %v: %+v", preset, k, d)
				}
			}
			if chance, ok := reader.DealIn(k); ok && (chance < 0 || chance > 1) {
				t.Errorf("%s: deal-in %v", preset, chance)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for c, n := range seen {
		if n == 0 {
			t.Errorf("no discard is %v", reasons.Class(c))
		}
	}
}
