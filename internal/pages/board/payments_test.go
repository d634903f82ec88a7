package board

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestItems plays matches of every preset. The amounts of the items of a payment for a win sum to what
// is paid, every item has a word, and so has every limit.
func TestItems(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(16)})
			if err != nil {
				t.Fatal(err)
			}
			newAgent, err := agents.New("greedy")
			if err != nil {
				t.Fatal(err)
			}
			words := Words("en", r.Family)
			itemized := 0
			for seed := range uint64(4) {
				m := &sim.Match{Seed: seed, Keep: sim.KeepValues}
				m.Play(r, &[sim.NumPlayers]sim.Agent{newAgent(), newAgent(), newAgent(), newAgent()})
				payments, values := NewPayments(r), m.Values
				for n, h := range m.Hands {
					end := len(m.Events)
					if n+1 < len(m.Hands) {
						end = m.Hands[n+1].FirstEvent
					}
					hand := m.Events[h.FirstEvent:end]
					for _, e := range hand {
						var value *ruleset.Value
						if e.Type == sim.EvWin {
							value, values = &values[0], values[1:]
							if key := LimitKey(r, value); key != "" && words[key] == "" {
								t.Errorf("no word %q", key)
							}
						}
						sum, amounts := int32(0), 0
						items := payments.Apply(e, value, hand)
						for _, item := range items {
							if words[item.Key] == "" || item.Text(words, r) == "" {
								t.Errorf("no word %q", item.Key)
							}
							if item.N != nil && item.Of == nil {
								sum += *item.N
								amounts++
							}
						}
						if amounts == 0 || e.Type != sim.EvPay {
							continue
						}
						itemized++
						if paid := paid(e, hand); sum != paid {
							t.Errorf("seed %d, hand %d: %d is paid, the items %v sum to %d", seed, n, paid, items, sum)
						}
					}
				}
			}
			_, pulls := r.Scorer.(ruleset.DebtCollector)
			if itemized == 0 && !r.Traits.DoublingPrices && !pulls {
				t.Error("no payment has items")
			}
		})
	}
}
