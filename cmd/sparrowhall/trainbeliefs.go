package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/belief"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// beliefOptions are the flags of train beliefs.
type beliefOptions struct {
	ruleset string
	every   int
	hidden  []int
	check   []string
	play    selfPlay
	trainFlags
	fit fit.ImproveOptions
}

func newTrainBeliefsCommand() *cobra.Command {
	o := beliefOptions{}
	cmd := &cobra.Command{
		Use:   "beliefs",
		Short: "Fit what is believed of tiles that a player cannot see",
		Long: `Beliefs plays matches and fits to them what a player can believe of the others: how
likely each waits for a tile, wins on a discard and by how much, and where each unseen
tile is likely to be. The truth is known in self-play, so every decision is a lesson.
expert plays by it, and re-deals for searches are weighted by it; see docs/agents.md.
The networks that are part of the program were made this way; a new one takes the place
of a file in sim/belief/weights.

It prints, for decisions that it was not fitted to, how much is left to be surprised by
(mean logarithm, in nats), and for 10 further matches how well re-deals foresee how many
tiles of a kind a player has, by chance alone and by these beliefs. --check does the
latter for datasets, which may be imported ones; without --out, by the network of the
program and for these alone.`,
		Example: `  sparrowhall train beliefs --ruleset tenhou --matches 4000 --out riichi.bin
  sparrowhall train beliefs --check runs/club`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	o.play.add(cmd, "expert,value,expert,value", 4_000, " and of the fit")
	f.IntVar(&o.every, "every", 4, "learn from one decision of so many, where nobody has declared or melded from a quarter of them")
	f.IntSliceVar(&o.hidden, "hidden", []int{32, 16}, "sizes of the two hidden layers")
	f.IntVar(&o.fit.Epochs, "epochs", 3, "how often all decisions are gone through")
	f.Float64Var(&o.fit.Rate, "rate", 0.003, "size of the steps at their largest")
	f.StringSliceVar(&o.check, "check", nil, "datasets on whose matches re-deals are measured")
	o.add(cmd, "matches played at a time")
	return cmd
}

func (o *beliefOptions) run(cmd *cobra.Command) error {
	w := cmd.OutOrStdout()
	if o.out == "" && len(o.check) > 0 {
		return o.checkAll(w, nil)
	}
	switch {
	case o.every < 1:
		return usagef("--every: %d; at least 1", o.every)
	case len(o.hidden) != 2 || o.hidden[0] < 1 || o.hidden[1] < 1 || o.hidden[0] > perceptron.MaxHidden || o.hidden[1] > perceptron.MaxHidden:
		return usagef("--hidden: two numbers from 1 to %d separated by a comma, such as 32,16", perceptron.MaxHidden)
	case o.fit.Epochs < 1:
		return usagef("--epochs: %d; at least 1", o.fit.Epochs)
	case !(o.fit.Rate > 0 && o.fit.Rate <= 1):
		return usagef("--rate: %v; above 0 and at most 1", o.fit.Rate)
	}
	if err := o.trainFlags.check(); err != nil {
		return err
	}
	job, err := o.play.job(o.ruleset, o.workers)
	if err != nil {
		return err
	}
	samples, err := o.sample(cmd, job)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%d decisions of %d matches\n", len(samples), job.Count); err != nil {
		return err
	}
	o.fit.Sizes = perceptron.Sizes{First: o.hidden[0], Second: o.hidden[1]}
	o.fit.Seed, o.fit.Workers = o.play.seed, o.number()
	net, err := fit.Beliefs(cmd.Context(), job.Rules.Family, samples, &o.fit, func(epoch int, s fit.BeliefScore) {
		fmt.Fprintf(w, "epoch %d: ready %.4f, wins %.4f, tiles %.4f (by chance alone %.4f)\n", epoch, s.Ready, s.Win, s.Held, s.Even)
	})
	if err != nil {
		return err
	}
	data := net.AppendTo(nil)
	if err := writeWhole(o.out, data); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s: %d bytes\n", plain.Line(o.out), len(data)); err != nil {
		return err
	}
	if err := o.checkFurther(cmd, job, net); err != nil {
		return err
	}
	return o.checkAll(w, net)
}

// sample plays the matches and takes their decisions.
func (o *beliefOptions) sample(cmd *cobra.Command, job *sim.Job) ([]belief.Sample, error) {
	p := o.progress(cmd, "matches", job.Count)
	defer p.end()
	return gather(cmd, job, func() func([]belief.Sample, *sim.Match) ([]belief.Sample, error) {
		var sampler belief.Sampler
		return func(list []belief.Sample, m *sim.Match) ([]belief.Sample, error) {
			const stride = 977 // so that matches do not all begin with the same decisions
			n := int(m.Index) * stride
			err := m.Retrace(job.Rules, func(t *sim.Table, player sim.Player, a sim.Action, _ []sim.Event) {
				if t == nil || t.Phase() != sim.PhaseTurn || !a.IsDiscard() {
					return
				}
				v := t.View(player)
				if v.Ready(player) != sim.NotReady {
					return
				}
				every := o.every
				if !shown(v) {
					every *= 4
				}
				if n++; n%every == 0 {
					list = append(list, sampler.Sample(t, player, someKinds(n/every)))
				}
			})
			p.add(1)
			return list, err
		}
	})
}

// shown reports whether another player than the viewer has declared ready or melded.
func shown(v sim.View) bool {
	for i := 1; i < sim.NumPlayers; i++ {
		if p := v.At(i); v.Ready(p) != sim.NotReady || v.NumMelds(p) > 0 {
			return true
		}
	}
	return false
}

// someKinds returns a few of the kinds, of which all have their turn.
func someKinds(n int) (kinds tile.Set) {
	const some, step, apart = 6, 7, 11
	for i := range some {
		kinds |= tile.Kind((n*step + i*apart) % tile.NumKinds).Bit()
	}
	return kinds
}

// So many times the hidden tiles are dealt anew at one own turn of so many.
const checkDeals, checkEvery = 100, 40

// checkFurther measures re-deals on matches that follow the others.
func (o *beliefOptions) checkFurther(cmd *cobra.Command, job *sim.Job, net *perceptron.Network) error {
	const further = 10
	later := *job
	blocks := (job.First + job.Count + sim.BlockSize - 1) / sim.BlockSize
	later.First, later.Count = blocks*sim.BlockSize, further
	scores, err := gather(cmd, &later, func() func([]fit.Redeals, *sim.Match) ([]fit.Redeals, error) {
		reader := belief.NewReader(net)
		return func(list []fit.Redeals, m *sim.Match) ([]fit.Redeals, error) {
			var s fit.Redeals
			err := s.Add(job.Rules, m, reader, checkEvery, checkDeals)
			return append(list, s), err
		}
	})
	if err != nil {
		return err
	}
	var all fit.Redeals
	for _, s := range scores {
		all.Join(s)
	}
	return printRedeals(cmd.OutOrStdout(), fmt.Sprintf("%d further matches", further), &all)
}

// checkAll measures re-deals on the datasets.
func (o *beliefOptions) checkAll(w io.Writer, net *perceptron.Network) error {
	for _, dir := range o.check {
		d, err := export.Open(dir)
		if err != nil {
			return err
		}
		reader := belief.NewReader(net)
		if net != nil && net.Purpose != belief.Purpose(d.Rules().Family) {
			return fmt.Errorf("--check: %s is of the family %s, for which the beliefs are not fitted", plain.Line(dir), d.Rules().Family)
		}
		var s fit.Redeals
		for m, err := range d.Replays(0) {
			if err != nil {
				return err
			}
			if err := s.Add(d.Rules(), m.Match, reader, checkEvery/4, checkDeals); err != nil {
				return err
			}
		}
		if err := printRedeals(w, plain.Line(dir), &s); err != nil {
			return err
		}
	}
	return nil
}

func printRedeals(w io.Writer, name string, s *fit.Redeals) error {
	if s.Counts == 0 {
		return fmt.Errorf("%s: there are too few turns to measure re-deals on", name)
	}
	n := float64(s.Counts)
	_, err := fmt.Fprintf(w, "%s: re-deals by chance %.4f, by beliefs %.4f nats for each of %d counts\n", name, s.Even/n, s.Believed/n, s.Counts)
	return err
}
