package heuristic

import (
	"embed"
	"sync"

	"github.com/sparrowhall/sparrowhall/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed weights
var networkFiles embed.FS

// networks holds the embedded networks that were parsed, by file name; nil for no file.
var networks sync.Map

// networkOf returns the embedded network for the rules, nil if there is none. A family may
// have one of its own for matches of a single hand, where only points count.
func networkOf(r *ruleset.Rules) *perceptron.Network {
	if singleHand(r) {
		if n := embedded(r.Family + ".hand.bin"); n != nil {
			return n
		}
	}
	return embedded(r.Family + ".bin")
}

func singleHand(r *ruleset.Rules) bool { return r.Rounds*r.HandsPerRound == 1 }

// embedded returns the embedded network of a file, nil if there is none.
func embedded(name string) *perceptron.Network {
	if n, ok := networks.Load(name); ok {
		return n.(*perceptron.Network)
	}
	var n *perceptron.Network
	if data, err := networkFiles.ReadFile("weights/" + name); err == nil {
		if n, err = perceptron.Parse(data); err != nil {
			panic(err) // the file is part of the program
		}
	}
	networks.Store(name, n)
	return n
}
