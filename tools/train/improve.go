package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// improveOptions are the flags of improve.
type improveOptions struct {
	*commonFlags
	from   string
	hidden hiddenSizes
	fit    fitting.PairOptions
}

// improveExpert fits the network of expert, which predicts the gain of each action, to files of
// train pairs of one family. One match of twenty-five is held back. After each epoch it prints
// the share of the variance of these pairs that the network explains, and what they would have
// gained where it prefers the other action by a margin, in points per hundred pairs. The points
// are luck-adjusted. Single hands teach nothing about placement.
//
// With -from the fit starts from a network, whose hidden layers may be smaller: then few pairs
// and small steps are enough. With millions of pairs, large batches and larger steps find more,
// as a single pair is mostly noise.
//
// "sparrowhall play --agent expert:weights=FILE" plays with the network.
func improveExpert(ctx context.Context, args []string, w io.Writer) error {
	o := improveOptions{commonFlags: newCommon("improve"), hidden: hiddenSizes{32, 16}}
	o.Var(&o.hidden, "hidden", "sizes of the two hidden layers")
	o.IntVar(&o.fit.Epochs, "epochs", 3, "passes over the pairs")
	o.IntVar(&o.fit.Batch, "batch", 512, "pairs of a step")
	o.StringVar(&o.from, "from", "", "network to start from; random weights if empty")
	o.Float64Var(&o.fit.Rate, "rate", 0.002, "largest learning rate")
	o.Float64Var(&o.fit.Decay, "decay", 0.25, "decay of the weights")
	o.Uint64Var(&o.fit.Seed, "seed", 1, "seed of the fit")
	if err := o.Parse(args); err != nil {
		return err
	}
	switch f := &o.fit; {
	case o.out == "" || o.NArg() == 0:
		return fmt.Errorf("name a file to write with -out, and files of pairs")
	case f.Epochs < 1 || f.Batch < 1 || !(f.Rate > 0 && f.Rate <= 1) || f.Decay < 0 || f.Decay > 1:
		return fmt.Errorf("-epochs %d, -batch %d, -rate %v, -decay %v; allowed: at least 1, at least 1, above 0 and at most 1, from 0 to 1", f.Epochs, f.Batch, f.Rate, f.Decay)
	}
	var rows []fitting.PairRow
	var err error
	fitted, places := "", float32(0)
	for _, name := range o.Args() {
		list, rules, err := o.read(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", sanitize.Line(name), err)
		}
		if fitted != "" && rules.FittedName() != fitted {
			return fmt.Errorf("%s is for %s, the files before are for %s: a network is for one family and number of players", sanitize.Line(name), rules.FittedName(), fitted)
		}
		fitted = rules.FittedName()
		if rules.Rounds*rules.HandsPerRound > 1 {
			places = 1
		}
		rows = append(rows, list...)
		fmt.Fprintf(w, "%s: %d pairs\n", sanitize.Line(name), len(list))
	}
	o.fit.Sizes = perceptron.Sizes{Inputs: heuristic.NumInputs, First: o.hidden.first, Second: o.hidden.second, Outputs: fitting.NumTargets}
	if o.from != "" {
		if o.fit.From, err = o.begin(heuristic.Purpose(fitted)); err != nil {
			return fmt.Errorf("-from: %s: %w", sanitize.Line(o.from), err)
		}
	}
	o.fit.Weights = [fitting.NumTargets]float32{1, places} // single hands have points alone
	o.fit.Progress = func(epoch int, p *fitting.PairNetwork) { o.report(w, epoch, p) }
	n, err := fitting.Pairs(ctx, rows, &o.fit)
	if err != nil {
		return err
	}
	rounded, err := n.Round(heuristic.Purpose(fitted))
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, rounded.AppendTo(nil), 0o666)
}

// begin reads the network to begin with, which must be for a purpose.
func (o *improveOptions) begin(purpose string) (*perceptron.Network, error) {
	data, err := os.ReadFile(o.from)
	if err != nil {
		return nil, err
	}
	n, err := perceptron.Parse(data)
	switch {
	case err != nil:
		return nil, err
	case n.Purpose != purpose || n.Inputs != heuristic.NumInputs || n.Outputs != fitting.NumTargets:
		return nil, fmt.Errorf("it is for %q with %d inputs and %d outputs; allowed: %q with %d and %d",
			n.Purpose, n.Inputs, n.Outputs, purpose, heuristic.NumInputs, fitting.NumTargets)
	case n.First > o.hidden.first || n.Second > o.hidden.second:
		return nil, fmt.Errorf("it has hidden layers of %d and %d values; -hidden must be no smaller", n.First, n.Second)
	}
	return n, nil
}

// matchRows are the rows of a match, and the memory of their inputs.
type matchRows struct {
	rows []fitting.PairRow
	room []perceptron.Input
}

func (o *improveOptions) read(ctx context.Context, name string) ([]fitting.PairRow, *ruleset.Rules, error) {
	open := func() (*rollout.Reader, *os.File, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, err
		}
		r, err := rollout.NewReader(f)
		return r, f, err
	}
	in, file, err := open()
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	rules, err := configs.Parse(in.Header.Name, []byte(in.Header.Ruleset))
	if err != nil {
		return nil, nil, err
	}
	places := fitting.NewPlaceModel(rules)
	const sample = 1000
	for range sample {
		var m rollout.Match
		if err := in.Read(&m); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, err
		}
		places.Add(&m)
	}
	again, second, err := open()
	if err != nil {
		return nil, nil, err
	}
	defer second.Close()
	expert, err := heuristic.NewExpert("net=off")
	if err != nil {
		return nil, nil, err
	}
	var rows []fitting.PairRow
	scale := float32(rules.Traits.Scale)
	err = fitting.Examine(ctx, again, rules, o.workers,
		func() fitting.FeatureSource { return expert().(fitting.FeatureSource) },
		func() *matchRows { return new(matchRows) },
		func(e *matchRows, m *rollout.Match, x *fitting.ExaminedPair) {
			row := fitting.NewPairRow(&e.room, x.Situation, x.First, x.Second)
			base := &m.Baselines[x.Hand]
			row.Gain[0] = float32(x.Other.Points[x.Player]-base.Points[x.Player]-x.Luck) / scale
			row.Gain[1] = float32(places.Gained(m, x.Pair))
			row.HeldOut = x.Match%25 == 24
			e.rows = append(e.rows, row)
		},
		func(e *matchRows) error {
			rows = append(rows, e.rows...)
			e.rows, e.room = e.rows[:0], nil
			return nil
		})
	return rows, rules, err
}

// report prints how much of the rows held back the network explains, and for each margin how often
// it prefers the other action by as much and what that brings. ruleset.Traits.Margin follows from it.
func (o *improveOptions) report(w io.Writer, epoch int, p *fitting.PairNetwork) {
	margins := [...]float32{0, 1. / 128, 1. / 64, 1. / 32, 1. / 16}
	var left, all [fitting.NumTargets]float64
	var taken, gain [len(margins)]float64
	rows := 0.0
	p.Predict(func(r *fitting.PairRow, more [fitting.NumTargets]float32) {
		rows++
		for t := range more {
			d := float64(r.Gain[t] - more[t])
			left[t] += d * d
			all[t] += float64(r.Gain[t]) * float64(r.Gain[t])
		}
		for i, m := range margins {
			if more[0] > m {
				taken[i]++
				gain[i] += float64(r.Gain[0])
			}
		}
	})
	fmt.Fprintf(w, "epoch %d: explains %.4f of points, %.4f of places\n", epoch, 1-left[0]/all[0], 1-left[1]/all[1])
	for i, m := range margins {
		fmt.Fprintf(w, "  above %.4f: %5.1f %% of %.0f pairs, %+.4f for each hundred\n", m, 100*taken[i]/max(rows, 1), rows, 100*gain[i]/max(rows, 1))
	}
}
