package agents

import "github.com/jansou/jansou/sim"

// random plays any legal action, each as likely as the others.
type random struct{}

func newRandom() sim.Agent { return random{} }

// Act implements sim.Agent.
func (random) Act(v sim.View) sim.Action {
	legal, r := v.Legal(), v.Rand()
	return legal.Nth(r.Below(legal.Len()))
}
