//go:build !js

package builtin

import (
	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/internal/agents/net"
	"github.com/sparrowhall/sparrowhall/sim"
)

// corrected are the players by networks. They are not in the program for browsers, which they would
// make half as large again.
var corrected = []Entry{
	{"expert-ppo", "expert, corrected by networks that learned by self-play, for some families", newExpertPPO, false},
}

func newExpertPPO(options string) (func() sim.Agent, error) {
	// The networks have advice:expert alone. Looking it up in Players, which has this function,
	// would be a circle.
	newAgent, err := net.NewExpertPPO(func(string) (func() sim.Agent, error) { return heuristic.NewExpert("") })
	if err != nil {
		return nil, err
	}
	return always(newAgent)(options)
}
