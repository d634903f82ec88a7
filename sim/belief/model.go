package belief

import (
	"embed"
	"fmt"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// The outputs of the network: the logarithm of the odds that a player wins on a kind; what
// he wins then, in multiples of the scale; the logarithm of the odds that he waits for a
// tile, asked without a kind; and by how much likelier an unseen tile of a kind is with him
// than in the wall, beside the number of tiles, as a logarithm.
const (
	OutWin = iota
	OutLoss
	OutReady
	OutHeld
	NumOutputs
)

// Unit is one in what a Reader tells.
const Unit = perceptron.OutputUnit

// version is that of the inputs.
const version = 1

// Purpose is what a network of beliefs says it is for.
func Purpose(family string) string { return fmt.Sprintf("belief %d %s", version, family) }

//go:embed weights
var files embed.FS

// networks holds the embedded network of each family once it is asked for.
var networks sync.Map

// networkOf returns the embedded network for the family of the rules, nil if there is none.
func networkOf(r *ruleset.Rules) *perceptron.Network {
	if n, ok := networks.Load(r.Family); ok {
		return n.(*perceptron.Network)
	}
	var n *perceptron.Network
	if data, err := files.ReadFile("weights/" + r.Family + ".bin"); err == nil {
		if n, err = Parse(data, r.Family); err != nil {
			panic(err) // the file is part of the program
		}
	}
	networks.Store(r.Family, n)
	return n
}

// Parse reads a network of beliefs for a family. The error tells what is wrong with it.
func Parse(data []byte, family string) (*perceptron.Network, error) {
	n, err := perceptron.Parse(data)
	if err != nil {
		return nil, err
	}
	if want := Purpose(family); n.Purpose != want || n.Inputs != NumInputs || n.Outputs != NumOutputs {
		return nil, fmt.Errorf("belief: a network for %q with %d inputs and %d outputs; wanted: %q with %d and %d",
			n.Purpose, n.Inputs, n.Outputs, want, NumInputs, NumOutputs)
	}
	return n, nil
}

// Knows reports whether there is a network for the rules of the view last looked at.
func (r *Reader) Knows() bool { return r.net != nil }

// Read takes in what is known of player p, who is then asked about by Win and Held, and
// returns the chance that he waits for a tile, in 1/Unit; Knows must hold.
func (r *Reader) Read(p sim.Player) (ready int32) {
	s := &r.sums[p&3]
	r.tellPlayer(&r.list, p)
	r.net.Begin(s)
	r.net.Add(s, r.list.all())
	if r.view.Ready(p) != sim.NotReady {
		return Unit
	}
	return chanceOf(r.net.Answer(s)[OutReady])
}

// ask asks the network about kind k in the hands of player p.
func (r *Reader) ask(p sim.Player, k tile.Kind) [perceptron.MaxOutputs]int32 {
	sums := r.sums[p&3]
	r.tellKind(&r.list, p, k)
	r.net.Add(&sums, r.list.all())
	return r.net.Answer(&sums)
}

// Win returns the chance that player p wins if the viewer discards a tile of kind k, and
// what the viewer then pays, in multiples of the scale of the rules ([aim.Scale]), both in
// 1/Unit. Read must have been called for p.
func (r *Reader) Win(p sim.Player, k tile.Kind) (chance, loss int32) {
	if r.pasts[p&3].safe.Has(k) {
		return 0, 0
	}
	out := r.ask(p, k)
	return chanceOf(out[OutWin]), max(out[OutLoss], 0)
}

// chanceOf returns the chance of odds given by their logarithm, both in 1/Unit.
func chanceOf(logit int32) int32 {
	if logit < 0 {
		e := int64(exp(logit))
		return int32(e * Unit / (Unit + e))
	}
	return int32(Unit * Unit / (Unit + int64(exp(-logit))))
}

// exp returns the exponential of a number that is not above zero, in 1/Unit.
func exp(x int32) int32 {
	const most = 12
	if x <= -most*Unit {
		return 0
	}
	// Whole steps of 1/16 by a table, and the rest by a parabola.
	n := uint32(-x)
	i, rest := n>>12, int64(n&(1<<12-1))
	return int32(exponentials[i] * (Unit - rest + rest*rest>>17) >> 30)
}

// exponentials[i] is e to the power of -i/16, in 1/2^30.
var exponentials = func() (list [12*16 + 1]int64) {
	const sixteenth = 1008687096 // e to the power of -1/16
	e := int64(1 << 30)
	for i := range list {
		list[i] = e
		e = e * sixteenth >> 30
	}
	return list
}()

// Odds returns where the hidden tiles are likely to be, for [sim.View.RedealBy]. It reads
// all the others.
// Without a network for the rules it returns nil, which stands for chance alone.
func (r *Reader) Odds() *sim.Odds {
	if r.net == nil {
		return nil
	}
	o := new(sim.Odds)
	for i := 1; i < sim.NumPlayers; i++ {
		p := r.view.At(i)
		r.Read(p)
		for k := range o[p] {
			if r.unseen[k] > 0 {
				o[p][k] = oddsOf(r.ask(p, tile.Kind(k))[OutHeld])
			}
		}
	}
	return o
}

// oddsOf returns the odds of which a logarithm is given in 1/Unit.
func oddsOf(log int32) uint16 {
	const most = 4 // e to the power of it is what uint16 has room for
	log = max(-most*Unit, min(log, most*Unit))
	const e4 = 3578144 // e to the power of 4, in 1/Unit
	return uint16(max(1, int64(exp(log-most*Unit))*e4>>16*sim.OddsUnit>>16))
}
