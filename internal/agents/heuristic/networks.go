package heuristic

import (
	"embed"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed weights/*.bin weights/expert-1
var networkFiles embed.FS

var networks = perceptron.NewEmbedded(&networkFiles)

// networkOf returns the embedded network for the rules, nil if there is none. A family may
// have one of its own for matches of a single hand, where only points count, and one for
// three players. With first it is the network that expert-1 plays by: the folder expert-1 has
// those that have been fitted again since.
func networkOf(r *ruleset.Rules, first bool) *perceptron.Network {
	names := []string{r.FittedName() + ".bin"}
	if singleHand(r) {
		names = []string{r.FittedName() + ".hand.bin", names[0]}
	}
	for _, name := range names {
		if first {
			if n := networks.Get("weights/expert-1/" + name); n != nil {
				return n
			}
		}
		if n := networks.Get("weights/" + name); n != nil {
			return n
		}
	}
	return nil
}

func singleHand(r *ruleset.Rules) bool { return r.Rounds*r.HandsPerRound == 1 }
