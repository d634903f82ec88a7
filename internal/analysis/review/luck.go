package review

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Luck returns the luck of the players of a match in points, nil if there is no value function
// for the rules. policies are the agents of the players, nil where they are unknown or slow; see
// [luck.ControlVariate.SetPolicies].
func Luck(r *ruleset.Rules, m *sim.Match, policies [sim.NumPlayers]sim.Agent) ([]float64, error) {
	e, err := luck.ValueFunctionFor(r)
	if err != nil {
		return nil, nil
	}
	sum := make([]float64, r.NumSeats())
	meter := luck.NewControlVariate(r, e)
	meter.SetPolicies(policies)
	err = meter.FollowMatch(m, func(_ sim.Event, l luck.Points) {
		for p, x := range l[:len(sum)] {
			sum[p] += float64(x) / luck.Unit / float64(r.Unit())
		}
	})
	return sum, err
}
