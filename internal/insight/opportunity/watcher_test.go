package opportunity_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/opportunity"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestFollow follows matches of all families: who wins with a pattern of tiles was offered
// it before, or got it with the last tiles only, and nothing is offered more often than
// there are hands.
func TestFollow(t *testing.T) {
	for name, patterns := range map[string][]string{
		"ema_2016":  {"tanyao", "pinfu", "chiitoitsu"},
		"mcr_2006":  {"all_chows", "seven_pairs", "mixed_triple_chow"},
		"universal": {"all_sequences", "value_honor", "seven_pairs"},
		"hkma_hktw": {"all_chows", "honor_pung", "half_flush"},
	} {
		r, err := configs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		greedy, err := agents.New("greedy")
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]int{}
		for i, p := range r.Patterns() {
			ids[p.ID] = i
		}
		w := opportunity.NewWatcher(r)
		hands := 0
		won := make([]int, len(r.Patterns()))
		for n := range uint64(12) {
			m := &sim.Match{Index: n, Seed: sim.MatchSeed(1, n), Keep: sim.KeepValues}
			m.Play(r, &[sim.NumPlayers]sim.Agent{greedy(), greedy(), greedy(), greedy()})
			w.Follow(m.Events)
			hands += len(m.Hands)
			for i := range m.Values {
				v := &m.Values[i]
				for _, s := range v.Patterns[:v.NumPatterns] {
					won[s.Pattern]++
				}
			}
		}
		if w.Hands != hands {
			t.Errorf("%s: %d hands were followed of %d", name, w.Hands, hands)
		}
		for _, id := range patterns {
			if n := w.Offered[ids[id]]; n == 0 || 2*n < won[ids[id]] || n > sim.NumPlayers*hands {
				t.Errorf("%s: %s was offered in %d of %d hands of players and won with %d times", name, id, n, sim.NumPlayers*hands, won[ids[id]])
			}
		}
	}
}
