package belief

import (
	"embed"
	"fmt"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The outputs of the network, for a player and a kind:
//   - the log odds that the player wins on the kind;
//   - the payment then, in multiples of the scale;
//   - the log odds that the player is tenpai, without a kind;
//   - the log odds that an unseen tile of the kind is the player's rather than in the
//     wall, relative to the numbers of tiles.
const (
	OutWin = iota
	OutLoss
	OutReady
	OutHeld
	NumOutputs
)

// Unit is the fixed-point scale of an Estimator's results.
const Unit = perceptron.OutputUnit

// version is that of the inputs.
const version = 1

// Purpose returns the purpose of a network, by the FittedName of the rules.
func Purpose(fitted string) string { return fmt.Sprintf("belief %d %s", version, fitted) }

//go:embed weights/*.bin
var files embed.FS

// networks are FAMILY.bin for some families.
var networks = perceptron.NewEmbedded(&files)

// networkOf returns the embedded network for the family of the rules, nil if there is
// none.
func networkOf(r *ruleset.Rules) *perceptron.Network {
	return networks.Get("weights/" + r.FittedName() + ".bin")
}

// Parse reads a network for rules of a FittedName.
func Parse(data []byte, fitted string) (*perceptron.Network, error) {
	n, err := perceptron.Parse(data)
	if err != nil {
		return nil, err
	}
	if want := Purpose(fitted); n.Purpose != want || n.Inputs != NumInputs || n.Outputs != NumOutputs {
		return nil, fmt.Errorf("belief: a network for %q with %d inputs and %d outputs; want %q with %d and %d",
			n.Purpose, n.Inputs, n.Outputs, want, NumInputs, NumOutputs)
	}
	return n, nil
}

// HasNetwork reports whether there is a network for the rules of the last view. The
// other estimates need one.
func (r *Estimator) HasNetwork() bool { return r.net != nil }

// EvaluatePlayer prepares DealIn for player p, and returns the probability that p is
// tenpai, in 1/Unit.
func (r *Estimator) EvaluatePlayer(p sim.Player) (ready int32) {
	s := &r.sums[p&3]
	r.EncodePlayer(&r.list, p)
	r.net.Begin(s)
	r.net.Add(s, r.list.All())
	if r.view.Ready(p) != sim.NotReady {
		return Unit
	}
	return chanceOf(r.net.Evaluate(s)[OutReady])
}

// evaluateKind returns the outputs for kind k in the hand of player p.
func (r *Estimator) evaluateKind(p sim.Player, k tile.Kind) [perceptron.MaxOutputs]int32 {
	sums := r.sums[p&3]
	r.EncodeKind(&r.list, p, k)
	r.net.Add(&sums, r.list.All())
	return r.net.Evaluate(&sums)
}

// DealIn returns the probability that player p wins if the viewer discards a tile of
// kind k, and the viewer's payment then, in multiples of the scale of the rules
// ([ruleset.Traits]). Both are in 1/Unit. EvaluatePlayer must have been called for p.
func (r *Estimator) DealIn(p sim.Player, k tile.Kind) (chance, loss int32) {
	if r.discards[p&3].Safe.Has(k) {
		return 0, 0
	}
	out := r.evaluateKind(p, k)
	return chanceOf(out[OutWin]), max(out[OutLoss], 0)
}

// chanceOf returns the probability of log odds (the logistic function), both in 1/Unit.
func chanceOf(logit int32) int32 {
	if logit < 0 {
		e := int64(exp(logit))
		return int32(e * Unit / (Unit + e))
	}
	return int32(Unit * Unit / (Unit + int64(exp(-logit))))
}

// exp returns the exponential of a number that is not positive, both in 1/Unit.
func exp(x int32) int32 {
	const most = 12
	if x <= -most*Unit {
		return 0
	}
	// A table gives steps of 1/16, a parabola the rest.
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

// Odds returns where the hidden tiles are likely to be and who is likely to be tenpai, for
// [sim.View.RedealWithOdds], given the visible discards and melds of all players.
// Without a network it returns nil, which stands for equally likely deals.
func (r *Estimator) Odds() *sim.Odds {
	if r.net == nil {
		return nil
	}
	o := new(sim.Odds)
	for i := 1; i < r.rules.NumSeats(); i++ {
		p := r.view.PlayerAfter(i)
		o.Ready[p] = uint16(int64(r.EvaluatePlayer(p)) * sim.OddsUnit / Unit)
		for k := range o.Tiles[p] {
			if r.unseen[k] > 0 {
				o.Tiles[p][k] = oddsOf(r.evaluateKind(p, tile.Kind(k))[OutHeld])
			}
		}
	}
	return o
}

// oddsOf returns the odds of log odds in 1/Unit.
func oddsOf(log int32) uint16 {
	const most = 4 // its exponential fits into 16 bits
	log = max(-most*Unit, min(log, most*Unit))
	const e4 = 3578144 // e to the power of 4, in 1/Unit
	return uint16(max(1, int64(exp(log-most*Unit))*e4>>16*sim.OddsUnit>>16))
}
