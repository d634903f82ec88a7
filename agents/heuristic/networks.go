package heuristic

import (
	"embed"
	"fmt"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

//go:embed weights
var networkFiles embed.FS

// networks holds the embedded networks by the names of their files once they are asked
// for.
var networks sync.Map

// networkOf returns the embedded network for the family of the rules, nil if there is
// none. Where a match is a single hand, and nothing counts but its points, a family may
// have another.
func networkOf(r *ruleset.Rules) *perceptron.Network {
	if singleHand(r) {
		if n := embedded(r.Family + ".hand.bin"); n != nil {
			return n
		}
	}
	return embedded(r.Family + ".bin")
}

// marginOf returns the usual margin under the rules, in thousandths of the scale.
func marginOf(r *ruleset.Rules) int32 {
	if r.Family == "riichi" {
		return riichiMargin
	}
	return usualMargin
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

// lookAt takes in the position and all it depends on, and finds the network when the
// rules are new.
func (x *Expert) lookAt(v sim.View) {
	if x.book == nil || x.book.Rules != v.Rules() {
		r := v.Rules()
		x.scale, x.readyPays = aim.Scale(r), paysReady(r)
		if x.placing = x.places; singleHand(r) {
			x.placing = 0
		}
		if !x.marginSet {
			x.setMargin(marginOf(r))
		}
		switch {
		case !x.networks:
			x.net = nil
		case x.own != nil:
			x.net = x.own // Start has compared what it is for
		default:
			x.net = networkOf(v.Rules())
		}
	}
	x.look(v)
}

// Start implements sim.Starter: a network from a file must be for the family of the
// rules.
func (x *Expert) Start(r *ruleset.Rules) error {
	if want := Purpose(r.Family); x.own != nil && x.own.Purpose != want {
		return fmt.Errorf("heuristic: the weights of expert are for %q, these rules want %q", x.own.Purpose, want)
	}
	return nil
}
