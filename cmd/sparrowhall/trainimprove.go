package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/pairs"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// improveOptions are the flags of train improve.
type improveOptions struct {
	from   string
	hidden []int
	trainFlags
	fit fit.ImproveOptions
}

func newTrainImproveCommand() *cobra.Command {
	o := improveOptions{}
	cmd := &cobra.Command{
		Use:   "improve FILE...",
		Short: "Fit the network by which expert plays to pairs",
		Long: `Improve fits to files of train pairs, all of one family of rules, the network that tells
expert what an action brings. One match of twenty-five is held back. After each epoch it
prints which share of the variance of the pairs held back the network explains, and what
they would have brought where it prefers the other action by a margin, in points for a
hundred pairs. What the tiles that came by chance were worth is taken off the points. Where
matches are single hands nothing is learned of places.

With --from the fit begins with a network, such as the one by which the pairs were made,
whose hidden layers may be smaller: then few pairs and small steps are enough. With
millions of pairs large batches, and the larger steps that they allow, find more: what one
pair tells is mostly chance.

sparrowhall play --agent expert:weights=FILE plays by the network.`,
		Example: `  sparrowhall train improve --out riichi.bin tenhou.pairs ema.pairs
  sparrowhall train improve --from riichi.bin --rate 0.0005 --epochs 2 --out better.bin more.pairs
  sparrowhall train improve --from riichi.bin --batch 32768 --rate 0.006 --epochs 6 --out better.bin *.pairs`,
		Args: arguments(1, 64),
		RunE: func(cmd *cobra.Command, files []string) error { return o.improve(cmd, files) },
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.hidden, "hidden", []int{32, 16}, "sizes of the two hidden layers")
	f.IntVar(&o.fit.Epochs, "epochs", 3, "how often all pairs are gone through")
	f.IntVar(&o.fit.Batch, "batch", 512, "pairs that a step is taken for")
	f.StringVar(&o.from, "from", "", "network to begin with; random weights if not given")
	f.Float64Var(&o.fit.Rate, "rate", 0.002, "size of the steps at their largest")
	f.Float64Var(&o.fit.Decay, "decay", 0.25, "decay of the weights")
	f.Uint64Var(&o.fit.Seed, "seed", 1, "seed of the fit")
	o.add(cmd, "goroutines")
	return cmd
}

func (o *improveOptions) check() error {
	if err := o.trainFlags.check(); err != nil {
		return err
	}
	switch {
	case len(o.hidden) != 2 || o.hidden[0] < 1 || o.hidden[1] < 1 || o.hidden[0] > perceptron.MaxHidden || o.hidden[1] > perceptron.MaxHidden:
		return usagef("--hidden: two numbers from 1 to %d separated by a comma, such as 32,16", perceptron.MaxHidden)
	case o.fit.Epochs < 1:
		return usagef("--epochs: %d; at least 1", o.fit.Epochs)
	case o.fit.Batch < 1:
		return usagef("--batch: %d; at least 1", o.fit.Batch)
	case !(o.fit.Rate > 0 && o.fit.Rate <= 1):
		return usagef("--rate: %v; above 0 and at most 1", o.fit.Rate)
	case o.fit.Decay < 0 || o.fit.Decay > 1:
		return usagef("--decay: %v; from 0 to 1", o.fit.Decay)
	}
	return nil
}

func (o *improveOptions) improve(cmd *cobra.Command, files []string) error {
	if err := o.check(); err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	var rows []fit.Row
	var err error
	family, places := "", float32(0)
	for _, name := range files {
		list, rules, err := o.read(cmd, name)
		if err != nil {
			return fmt.Errorf("%s: %w", plain.Line(name), err)
		}
		if family != "" && rules.Family != family {
			return fmt.Errorf("%s is of the family %s, the files before are of %s: a network is for one family", plain.Line(name), rules.Family, family)
		}
		family = rules.Family
		if rules.Rounds*rules.HandsPerRound > 1 {
			places = 1
		}
		rows = append(rows, list...)
		fmt.Fprintf(w, "%s: %d pairs\n", plain.Line(name), len(list))
	}
	o.fit.Sizes = perceptron.Sizes{Inputs: heuristic.NumInputs, First: o.hidden[0], Second: o.hidden[1], Outputs: fit.NumTargets}
	if o.from != "" {
		if o.fit.From, err = o.begin(heuristic.Purpose(family)); err != nil {
			return fmt.Errorf("--from: %s: %w", plain.Line(o.from), err)
		}
	}
	o.fit.Weights = [fit.NumTargets]float32{1, places} // where matches are single hands, points alone
	o.fit.Workers = o.number()
	o.fit.Progress = func(epoch int, p *fit.Pairwise) { o.report(w, epoch, p) }
	n, err := fit.Improve(cmd.Context(), rows, &o.fit)
	if err != nil {
		return err
	}
	rounded, err := n.Round(heuristic.Purpose(family))
	if err != nil {
		return err
	}
	data := rounded.AppendTo(nil)
	if err := writeWhole(o.out, data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %d bytes\n", plain.Line(o.out), len(data))
	return err
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
	case n.Purpose != purpose || n.Inputs != heuristic.NumInputs || n.Outputs != fit.NumTargets:
		return nil, fmt.Errorf("it is for %q with %d inputs and %d outputs; wanted: %q with %d and %d",
			n.Purpose, n.Inputs, n.Outputs, purpose, heuristic.NumInputs, fit.NumTargets)
	case n.First > o.hidden[0] || n.Second > o.hidden[1]:
		return nil, fmt.Errorf("it has hidden layers of %d and %d values; --hidden must be no smaller", n.First, n.Second)
	}
	return n, nil
}

// The groups of pairs that are reported by themselves.
var pairSorts = [...]string{"claims", "declarations", "kans", "discards to a ready player", "calm discards"}

func pairSort(x *pairs.Examined) uint8 {
	a, b := x.Played, sim.Action(x.Action)
	switch {
	case x.View.Phase() == sim.PhaseClaim:
		return 0
	case a.DeclaresReady() || b.DeclaresReady():
		return 1
	case !a.IsDiscard() || !b.IsDiscard():
		return 2
	}
	for i := 1; i < sim.NumPlayers; i++ {
		if x.View.Ready(x.View.At(i)) != sim.NotReady {
			return 3
		}
	}
	return 4
}

// examined is what a worker makes of a match.
type examined struct {
	rows []fit.Row
	room []byte
}

// read reads a file and returns its rows and its rules.
func (o *improveOptions) read(cmd *cobra.Command, name string) ([]fit.Row, *ruleset.Rules, error) {
	open := func() (*pairs.Reader, *os.File, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, err
		}
		r, err := pairs.NewReader(f)
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
	places := pairs.NewPlaces(rules)
	const sample = 1000
	for range sample {
		var m pairs.Match
		if err := in.Read(&m); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, err
		}
		places.Learn(&m)
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
	var rows []fit.Row
	p := o.progress(cmd, "matches", again.Header.Matches)
	scale := float32(aim.Scale(rules))
	err = pairs.Examine(cmd.Context(), again, rules, o.number(),
		func() pairs.Describer { return expert().(pairs.Describer) },
		func() *examined { return new(examined) },
		func(e *examined, m *pairs.Match, x *pairs.Examined) {
			row := fit.NewRow(&e.room, x.Situation, x.First, x.Second)
			base := &m.Bases[x.Hand]
			row.More[0] = float32(x.Other.Points[x.Player]-base.Points[x.Player]-x.Luck) / scale
			row.More[1] = float32(places.Gained(m, x.Pair))
			row.Held, row.Sort = x.Match%25 == 24, pairSort(x)
			e.rows = append(e.rows, row)
		},
		func(e *examined) error {
			rows = append(rows, e.rows...)
			e.rows, e.room = e.rows[:0], nil
			p.add(1)
			return nil
		})
	p.end()
	return rows, rules, err
}

// report prints how the rows held back fare.
func (o *improveOptions) report(w io.Writer, epoch int, p *fit.Pairwise) {
	margins := [...]float32{0, 1. / 128, 1. / 64, 1. / 32, 1. / 16}
	type account struct {
		rows      int
		left, all [fit.NumTargets]float64
		taken     [len(margins)]int
		more      [len(margins)]float64
	}
	var total account
	sorts := make([]account, len(pairSorts))
	p.Predict(func(r *fit.Row, more [fit.NumTargets]float32) {
		for _, a := range [...]*account{&total, &sorts[r.Sort]} {
			a.rows++
			for t := range more {
				d := float64(r.More[t] - more[t])
				a.left[t] += d * d
				a.all[t] += float64(r.More[t]) * float64(r.More[t])
			}
			for i, m := range margins {
				if more[0] > m {
					a.taken[i]++
					a.more[i] += float64(r.More[0])
				}
			}
		}
	})
	fmt.Fprintf(w, "epoch %d: explains %.4f of points, %.4f of places\n", epoch, 1-total.left[0]/total.all[0], 1-total.left[1]/total.all[1])
	show := func(name string, a *account) {
		fmt.Fprintf(w, "  %-28s %8d", name, a.rows)
		for i := range margins {
			fmt.Fprintf(w, "  %5.1f %% %+7.4f", 100*float64(a.taken[i])/float64(max(a.rows, 1)), 100*a.more[i]/float64(max(a.rows, 1)))
		}
		fmt.Fprintln(w)
	}
	show("all", &total)
	for i := range sorts {
		show(pairSorts[i], &sorts[i])
	}
}
