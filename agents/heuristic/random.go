package heuristic

import "github.com/sparrowhall/sparrowhall/sim"

// random plays any legal action, each as likely as the others.
type random struct{}

// NewRandom returns a player who plays any legal action, each as likely as the
// others, from the stream of the decision.
func NewRandom() sim.Agent { return new(random) }

// Act implements sim.Agent.
func (*random) Act(v sim.View) sim.Action { return v.Pick() }
