package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/internal/fit"
	"github.com/jansou/jansou/internal/plain"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/aim"
	"github.com/jansou/jansou/sim/chance"
)

func newTrainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "train",
		Short:   "Fit from self-play what players and statistics stand on",
		Long:    `Train fits from self-play what players and statistics stand on.`,
		Example: `  jansou train fit --ruleset universal --matches 10000 --out zungjung.bin`,
	}
	group(cmd, newTrainFitCommand(), newTrainPairsCommand(), newTrainImproveCommand(), newTrainPlacesCommand())
	return cmd
}

// fitOptions are the flags of train fit.
type fitOptions struct {
	ruleset string
	agents  string
	matches int64
	every   int
	seed    uint64
	out     string
	workers int
	quiet   bool
	options fit.Options
}

func newTrainFitCommand() *cobra.Command {
	o := fitOptions{options: fit.Options{Hidden: [2]int{64, 32}}}
	var hidden []int
	cmd := &cobra.Command{
		Use:   "fit",
		Short: "Fit the estimate that luck is measured by",
		Long: `Fit plays matches and fits to them the estimate of what each player can expect in
the rest of a hand when all hands are known. Luck is measured by it; see
docs/luck.md. The estimates that are part of the program were made this way, one for
each family; a new one takes the place of a file in sim/chance/weights.

The share of the variance that the estimate explains is printed after each epoch,
for hands that it was not fitted to.`,
		Example: `  jansou train fit --ruleset universal --matches 10000 --out zungjung.bin
  jansou train fit --ruleset ema_2016 --agents value,greedy,value,value --hidden 96,32 --out riichi.bin`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(hidden) != 2 || hidden[0] < 1 || hidden[1] < 1 || hidden[0] > chance.MaxHidden || hidden[1] > chance.MaxHidden {
				return usagef("--hidden: two numbers from 1 to %d separated by a comma, such as 64,32", chance.MaxHidden)
			}
			o.options.Hidden = [2]int{hidden[0], hidden[1]}
			return o.fit(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	f.StringVar(&o.agents, "agents", "value,greedy,value,value", "four agents separated by commas")
	f.Int64Var(&o.matches, "matches", 10_000, "number of matches to play")
	f.IntVar(&o.every, "every", 2, "learn from one draw of so many")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the matches and of the fit")
	f.IntSliceVar(&hidden, "hidden", []int{64, 32}, "sizes of the two hidden layers")
	f.IntVar(&o.options.Epochs, "epochs", 6, "how often all samples are gone through")
	f.Float64Var(&o.options.Lambda, "lambda", 0.8, "how much of the targets is what came in truth, against what the estimate says of the next state")
	f.StringVar(&o.out, "out", "", "file to write")
	f.IntVar(&o.workers, "workers", 0, "matches played at a time; 0 for one a core")
	f.BoolVar(&o.quiet, "quiet", false, "show no progress")
	return cmd
}

func (o *fitOptions) check() error {
	switch {
	case o.out == "":
		return usagef("--out: name the file to write")
	case o.matches < 1:
		return usagef("--matches: %d is too few; at least 1", o.matches)
	case o.every < 1:
		return usagef("--every: %d; at least 1", o.every)
	case o.options.Epochs < 1:
		return usagef("--epochs: %d; at least 1", o.options.Epochs)
	case o.options.Lambda < 0 || o.options.Lambda > 1:
		return usagef("--lambda: %v; from 0 to 1", o.options.Lambda)
	case o.workers < 0:
		return usagef("--workers: %d; at least 0", o.workers)
	}
	return nil
}

func (o *fitOptions) fit(cmd *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
	play := playOptions{ruleset: o.ruleset, matches: o.matches, seed: o.seed, agentList: o.agents}
	play.record, play.fileMatches = export.Matches.String(), export.DefaultFileMatches
	run, factories, err := play.run()
	if err != nil {
		return err
	}
	job := newJob(run, factories, o.workers)
	o.options.Scale = aim.Scale(job.Rules)
	samples, err := o.sample(cmd, job)
	if err != nil {
		return err
	}
	o.options.Seed = o.seed
	w := cmd.OutOrStdout()
	if _, err := fmt.Fprintf(w, "%d samples of %d matches\n", len(samples), o.matches); err != nil {
		return err
	}
	o.options.Progress = func(epoch int, explained float64) {
		fmt.Fprintf(w, "epoch %d: explains %.4f of what hands bring\n", epoch, explained)
	}
	e, err := fit.Estimate(cmd.Context(), samples, &o.options)
	if err != nil {
		return err
	}
	data := e.AppendTo(nil)
	if err := os.WriteFile(o.out, data, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %d bytes\n", plain.Line(o.out), len(data))
	return err
}

// sampled is what a worker keeps of a block of matches.
type sampled struct {
	meter *chance.Meter
	all   []chance.Sample
	kept  []chance.Sample
}

// sample plays the matches and keeps one draw of o.every, and the last of each hand.
func (o *fitOptions) sample(cmd *cobra.Command, job *sim.Job) ([]chance.Sample, error) {
	var samples []chance.Sample
	var to io.Writer
	if !o.quiet {
		to = cmd.ErrOrStderr()
	}
	p := newProgress(to, "matches", job.Count, time.Now)
	err := sim.Run(cmd.Context(), job,
		func() *sampled { return &sampled{meter: chance.NewMeter(job.Rules, nil)} },
		func(b *sampled, m *sim.Match) error {
			b.all = b.meter.AppendSamples(b.all[:0], o.options.Scale, m.Events)
			for i := range b.all {
				if b.all[i].Last || (uint64(i)+m.Index)%uint64(o.every) == 0 {
					b.kept = append(b.kept, b.all[i])
				}
			}
			p.add(1)
			return nil
		},
		func(b *sampled) error {
			samples = append(samples, b.kept...)
			b.kept = b.kept[:0]
			return nil
		})
	p.end()
	return samples, err
}
