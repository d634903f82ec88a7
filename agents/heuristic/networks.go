package heuristic

import (
	"embed"

	"github.com/sparrowhall/sparrowhall/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed weights
var networkFiles embed.FS

var networks = perceptron.NewEmbedded(&networkFiles)

// networkOf returns the embedded network for the rules, nil if there is none. A family may
// have one of its own for matches of a single hand, where only points count, and one for
// three players.
func networkOf(r *ruleset.Rules) *perceptron.Network {
	name := "weights/" + r.FittedName()
	if singleHand(r) {
		if n := networks.Get(name + ".hand.bin"); n != nil {
			return n
		}
	}
	return networks.Get(name + ".bin")
}

func singleHand(r *ruleset.Rules) bool { return r.Rounds*r.HandsPerRound == 1 }
