package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// beliefOptions are the flags of beliefs.
type beliefOptions struct {
	*commonFlags
	play  selfPlay
	every int
	check string
	fit   fitting.PairOptions
}

// fitBeliefs fits to self-play what a player can believe about the hidden tiles: the probability
// that each opponent waits for a tile, wins on a discard and by how much, and where each unseen
// tile is. A new network replaces a file in internal/insight/belief/weights.
//
// It prints the mean loss in nats over decisions that it was not fitted to, and for 10 further
// matches how well re-deals predict how many tiles of a kind a player has, uniform ones and those
// by the beliefs. With -check it prints the latter for datasets; without -out it does so for the
// network of the program and does nothing else.
func fitBeliefs(ctx context.Context, args []string, w io.Writer) error {
	o := beliefOptions{commonFlags: newCommon("beliefs")}
	h := hiddenSizes{32, 16}
	o.play.add(o.commonFlags, "expert,value,expert,value")
	o.IntVar(&o.every, "every", 4, "learn from one decision of so many; from a quarter of them before any opponent calls or declares ready")
	o.Var(&h, "hidden", "sizes of the two hidden layers")
	o.IntVar(&o.fit.Epochs, "epochs", 3, "passes over the decisions")
	o.Float64Var(&o.fit.Rate, "rate", 0.003, "largest learning rate")
	o.StringVar(&o.check, "check", "", "datasets to measure re-deals on, separated by blanks")
	if err := o.Parse(args); err != nil {
		return err
	}
	if o.out == "" && o.check != "" {
		return o.checkAll(w, nil)
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
	o.fit.Seed, o.fit.Workers = o.play.seed, o.workers
	net, err := fitting.Beliefs(ctx, job.Rules.FittedName(), samples, &o.fit, func(epoch int, s fitting.BeliefScore) {
		fmt.Fprintf(w, "epoch %d: ready %.4f, wins %.4f, tiles %.4f (uniform %.4f)\n", epoch, s.Ready, s.Win, s.Held, s.Even)
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.out, net.AppendTo(nil), 0o666); err != nil {
		return err
	}
	if err := o.checkFurther(ctx, w, job, net); err != nil {
		return err
	}
	return o.checkAll(w, net)
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

// The hidden tiles are dealt checkDeals times at one turn of checkEvery.
const checkDeals, checkEvery = 100, 40

// checkFurther measures re-deals on matches that follow the others.
func (o *beliefOptions) checkFurther(ctx context.Context, w io.Writer, job *sim.Job, net *perceptron.Network) error {
	const further = 10
	scores, err := fit.Gather(ctx, fit.Following(job, further), func() func([]fitting.RedealScore, *sim.Match) ([]fitting.RedealScore, error) {
		reader := belief.NewEstimator(net)
		return func(list []fitting.RedealScore, m *sim.Match) ([]fitting.RedealScore, error) {
			var s fitting.RedealScore
			err := s.Add(job.Rules, m, reader, checkEvery, checkDeals)
			return append(list, s), err
		}
	})
	if err != nil {
		return err
	}
	var all fitting.RedealScore
	for i := range scores {
		all.Join(&scores[i])
	}
	return printRedeals(w, fmt.Sprintf("%d further matches", further), &all)
}

// checkAll measures re-deals on the datasets.
func (o *beliefOptions) checkAll(w io.Writer, net *perceptron.Network) error {
	for _, dir := range strings.Fields(o.check) {
		d, err := dataset.Open(dir)
		if err != nil {
			return err
		}
		reader := belief.NewEstimator(net)
		if net != nil && net.Purpose != belief.Purpose(d.Rules().FittedName()) {
			return fmt.Errorf("-check: %s is for %s, for which the beliefs are not fitted", sanitize.Line(dir), d.Rules().FittedName())
		}
		var s fitting.RedealScore
		for m, err := range d.Replays(0) {
			if err != nil {
				return err
			}
			if err := s.Add(d.Rules(), m.Match, reader, checkEvery/4, checkDeals); err != nil {
				return err
			}
		}
		if err := printRedeals(w, sanitize.Line(dir), &s); err != nil {
			return err
		}
	}
	return nil
}

// printRedeals prints a line for all opponents, and a table by their kinds: shares of ready hands,
// and nats for a number of tiles and for a wait.
func printRedeals(w io.Writer, name string, s *fitting.RedealScore) error {
	all := s.All()
	if all.Counts == 0 {
		return fmt.Errorf("%s: too few turns to measure re-deals", name)
	}
	n := float64(all.Counts)
	fmt.Fprintf(w, "%s: uniform re-deals %.4f, by beliefs %.4f nats for each of %d counts\n", name, all.EvenTiles/n, all.OddsTiles/n, all.Counts)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "opponent\thands\tready\tbelieved\tdealt\ttiles, uniform\tby beliefs\twaits, uniform\tby beliefs")
	for k := range s {
		if s[k].Counts > 0 {
			printOpponent(table, fitting.OpponentKind(k).String(), &s[k])
		}
	}
	printOpponent(table, "all", &all)
	return table.Flush()
}

func printOpponent(w io.Writer, name string, s *fitting.OpponentScore) {
	hands, counts := float64(s.Hands), float64(s.Counts)
	fmt.Fprintf(w, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.4f\t%.4f\t%.4f\t%.4f\n", name, s.Hands,
		float64(s.Ready)/hands, s.BelievedReady/hands, s.OddsDealt/hands,
		s.EvenTiles/counts, s.OddsTiles/counts, s.EvenWaits/counts, s.OddsWaits/counts)
}
