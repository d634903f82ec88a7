package rollout

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Replay replays the match up to the last pair. It calls each at the decision of every pair,
// with the table before it and the action played.
func (m *Match) Replay(r *ruleset.Rules, each func(t *sim.Table, p *Pair, played sim.Action)) error {
	t := sim.NewTable(r, m.Seed)
	var events []sim.Event
	pairs, n := m.Pairs, 0
	for !t.Over() && len(pairs) > 0 {
		events = t.StartHand(events[:0])
		for p := range t.RestOfHand() {
			if len(pairs) == 0 {
				break
			}
			if n == len(m.Actions) {
				return fmt.Errorf("the actions end at decision %d", n)
			}
			a := sim.Action(m.Actions[n])
			for len(pairs) > 0 && int(pairs[0].At) == n {
				if sim.Player(pairs[0].Player) != p || int(pairs[0].Hand) >= len(m.Baselines) {
					return fmt.Errorf("decision %d is that of player %d in hand %d", n, p, t.Hands())
				}
				each(&t, &pairs[0], a)
				pairs = pairs[1:]
			}
			var err error
			if events, err = t.Step(p, a, events[:0]); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}
