package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// beliefOptions are the flags of beliefs.
type beliefOptions struct {
	*commonFlags
	play  selfPlay
	every int
	fit   fitting.PairOptions
}

// fitBeliefs fits to self-play what a player can believe about the hidden tiles: the probability
// that each opponent waits for a tile, wins on a discard and by how much, and where each unseen
// tile is. A new network replaces a file in internal/insight/belief/weights.
//
// It prints the mean loss in nats over decisions that it was not fitted to, and beside it that of
// uniform deals of the tiles that are unseen.
func fitBeliefs(ctx context.Context, args []string, w io.Writer) error {
	o := beliefOptions{commonFlags: newCommon("beliefs")}
	h := hiddenSizes{32, 16}
	o.play.add(o.commonFlags, "expert,value,expert,value")
	o.IntVar(&o.every, "every", 4, "learn from one decision of so many; from a quarter of them before any opponent calls or declares ready")
	o.Var(&h, "hidden", "sizes of the two hidden layers")
	o.IntVar(&o.fit.Epochs, "epochs", 3, "passes over the decisions")
	o.Float64Var(&o.fit.Rate, "rate", 0.003, "largest learning rate")
	if err := o.Parse(args); err != nil {
		return err
	}
	if o.out == "" || o.every < 1 || o.fit.Epochs < 1 || !(o.fit.Rate > 0 && o.fit.Rate <= 1) {
		return fmt.Errorf("-out %q, -every %d, -epochs %d, -rate %v; allowed: a file, at least 1, at least 1, above 0 and at most 1", o.out, o.every, o.fit.Epochs, o.fit.Rate)
	}
	job, err := o.play.job(o.workers)
	if err != nil {
		return err
	}
	samples, err := o.sample(ctx, job)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d decisions of %d matches\n", len(samples), job.Count)
	o.fit.Sizes = perceptron.Sizes{First: h.first, Second: h.second}
	o.fit.Seed = o.play.seed
	net, err := fitting.Beliefs(ctx, job.Rules.FittedName(), samples, &o.fit, func(epoch int, s fitting.BeliefScore) {
		fmt.Fprintf(w, "epoch %d: ready %.4f, wins %.4f, tiles %.4f (uniform %.4f)\n", epoch, s.Ready, s.Win, s.Held, s.Even)
	})
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, net.AppendTo(nil), 0o666)
}

// sample plays the matches and returns some of their decisions.
func (o *beliefOptions) sample(ctx context.Context, job *sim.Job) ([]fitting.BeliefSample, error) {
	return fit.Gather(ctx, job, func() func([]fitting.BeliefSample, *sim.Match) ([]fitting.BeliefSample, error) {
		var sampler fitting.BeliefSampler
		return func(list []fitting.BeliefSample, m *sim.Match) ([]fitting.BeliefSample, error) {
			const stride = 977 // matches begin with different decisions
			n := int(m.Index) * stride
			err := m.ReplaySteps(job.Rules, func(t *sim.Table, player sim.Player, a sim.Action, _ []sim.Event) {
				if t == nil || t.Phase() != sim.PhaseTurn || !a.IsDiscard() {
					return
				}
				v := t.View(player)
				if v.Ready(player) != sim.NotReady {
					return
				}
				every := o.every
				if !hasShownHand(v) {
					every *= 4
				}
				if n++; n%every == 0 {
					list = append(list, sampler.Sample(t, player, someKinds(n/every)))
				}
			})
			return list, err
		}
	})
}

// hasShownHand reports whether an opponent of the viewer has declared ready or called.
func hasShownHand(v sim.View) bool {
	for i := 1; i < v.Rules().NumSeats(); i++ {
		if p := v.PlayerAfter(i); v.Ready(p) != sim.NotReady || v.NumMelds(p) > 0 {
			return true
		}
	}
	return false
}

// someKinds returns a few of the kinds; over many n all kinds are equally frequent.
func someKinds(n int) (kinds tile.Set) {
	const some, step, apart = 6, 7, 11
	for i := range some {
		kinds |= tile.Kind((n*step + i*apart) % tile.NumKinds).Bit()
	}
	return kinds
}
