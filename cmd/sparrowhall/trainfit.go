package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
	"github.com/sparrowhall/sparrowhall/sim/chance"
)

// fitOptions are the flags of train fit.
type fitOptions struct {
	ruleset string
	also    []string
	every   int
	blend   int64
	from    string
	play    selfPlay
	trainFlags
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
for hands that it was not fitted to.

With --from an estimate that was made before is fitted further: its network goes on
from what it is, in smaller steps, and its habits and linear terms stay. Other
matches, by another --seed, then count as more matches.`,
		Example: `  sparrowhall train fit --ruleset universal --matches 10000 --out zungjung.bin
  sparrowhall train fit --ruleset ema_2016 --agents value,greedy,value,value --hidden 96,32 --out riichi.bin
  sparrowhall train fit --ruleset ema_2016 --matches 6000 --epochs 3 --seed 2 --from riichi.bin --out better.bin`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(hidden) != 2 || hidden[0] < 1 || hidden[1] < 1 || hidden[0] > chance.MaxHidden || hidden[1] > chance.MaxHidden {
				return usagef("--hidden: two numbers from 1 to %d separated by a comma, such as 64,32", chance.MaxHidden)
			}
			if o.from != "" && cmd.Flags().Changed("hidden") {
				return usagef("--hidden: the sizes are those of --from")
			}
			o.options.Hidden = [2]int{hidden[0], hidden[1]}
			return o.fit(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	f.StringSliceVar(&o.also, "also", nil, "further rulesets of the family, of each of which the network sees as many matches")
	o.play.add(cmd, "value,greedy,value,value", 10_000, " and of the fit")
	f.IntVar(&o.every, "every", 2, "learn from one draw of so many")
	f.IntSliceVar(&hidden, "hidden", []int{64, 32}, "sizes of the two hidden layers")
	f.IntVar(&o.options.Epochs, "epochs", 6, "how often all samples are gone through")
	f.Float64Var(&o.options.Lambda, "lambda", 0.8, "how much of the targets is what came in truth, against what the estimate says of the next state")
	f.Int64Var(&o.blend, "blend", 400, "number of further matches to which it is fitted how much of the network and of the linear terms counts; with --from 0 to leave that as it is")
	f.StringVar(&o.from, "from", "", "file of an estimate to fit further")
	o.add(cmd, "matches played at a time")
	return cmd
}

func (o *fitOptions) check() error {
	if err := o.trainFlags.check(); err != nil {
		return err
	}
	switch {
	case o.blend < 0 || o.blend == 0 && o.from == "":
		return usagef("--blend: %d is too few; at least 1", o.blend)
	case o.every < 1:
		return usagef("--every: %d; at least 1", o.every)
	case o.options.Epochs < 1:
		return usagef("--epochs: %d; at least 1", o.options.Epochs)
	case o.options.Lambda < 0 || o.options.Lambda > 1:
		return usagef("--lambda: %v; from 0 to 1", o.options.Lambda)
	}
	return nil
}

func (o *fitOptions) fit(cmd *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
	job, err := o.play.job(o.ruleset, o.workers)
	if err != nil {
		return err
	}
	o.options.Scale, o.options.Seed = aim.Scale(job.Rules), o.play.seed
	jobs := []*sim.Job{job}
	for _, name := range o.also {
		other, err := o.play.job(name, o.workers)
		if err != nil {
			return err
		}
		if other.Rules.Family != job.Rules.Family {
			return usagef("--also: %s is of family %s, %s of %s", name, other.Rules.Family, o.ruleset, job.Rules.Family)
		}
		jobs = append(jobs, other)
	}
	w := cmd.OutOrStdout()
	line, err := o.begin(cmd, job)
	if err != nil {
		return err
	}
	var samples []chance.Sample
	for _, job := range slices.Backward(jobs) {
		list, err := o.sample(cmd, job)
		if err != nil {
			return err
		}
		samples = append(samples, list...)
	}
	if _, err := fmt.Fprintf(w, "%d samples of %d matches\n", len(samples), int64(len(jobs))*o.play.matches); err != nil {
		return err
	}
	o.options.Progress = func(epoch int, explained float64) {
		fmt.Fprintf(w, "epoch %d: explains %.4f of what hands bring\n", epoch, explained)
	}
	e, err := fit.Estimate(cmd.Context(), samples, &o.options)
	if err != nil {
		return err
	}
	e.Linear = *line
	if o.blend == 0 {
		e.Blend = o.options.From.Blend
	} else if err := o.fitBlend(cmd, job, e); err != nil {
		return err
	}
	data := e.AppendTo(nil)
	if err := writeWhole(o.out, data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %d bytes\n", plain.Line(o.out), len(data))
	return err
}

// begin fits the habits and the linear estimate, or reads what to go on from.
func (o *fitOptions) begin(cmd *cobra.Command, job *sim.Job) (*chance.Linear, error) {
	if o.from == "" {
		if err := o.fitHabits(cmd, job); err != nil {
			return nil, err
		}
		return o.fitLinear(cmd, job)
	}
	data, err := os.ReadFile(o.from)
	if err != nil {
		return nil, err
	}
	e, err := chance.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plain.Line(o.from), err)
	}
	o.options.From, o.options.Habits, o.options.Scale = e, e.Habits, e.Scale
	return &e.Linear, nil
}

// linearMatches is the number of matches to which the linear estimate is fitted, at most:
// it has few terms.
const linearMatches = 2_500

// fitLinear fits the linear estimate to the first matches.
func (o *fitOptions) fitLinear(cmd *cobra.Command, job *sim.Job) (*chance.Linear, error) {
	first := *job
	first.Count = min(first.Count, linearMatches)
	samples, err := gather(cmd, &first, func() func([]chance.LinearSample, *sim.Match) ([]chance.LinearSample, error) {
		return func(list []chance.LinearSample, m *sim.Match) ([]chance.LinearSample, error) {
			return chance.AppendLinearSamples(list, job.Rules, m.Events), nil
		}
	})
	if err != nil {
		return nil, err
	}
	line, explained, err := fit.Linear(samples)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "linear: explains %.4f of what %d hands bring beyond self-draws\n", explained, len(samples)/sim.NumPlayers)
	return line, err
}

// fitBlend fits how much of what e says counts, to matches that follow the others.
func (o *fitOptions) fitBlend(cmd *cobra.Command, job *sim.Job, e *chance.Estimate) error {
	later := *job
	blocks := (job.First + job.Count + sim.BlockSize - 1) / sim.BlockSize
	later.First, later.Count = blocks*sim.BlockSize, uint64(o.blend)
	samples, err := gather(cmd, &later, func() func([]chance.BlendSample, *sim.Match) ([]chance.BlendSample, error) {
		meter := chance.NewMeter(job.Rules, e)
		players := o.players()
		return func(list []chance.BlendSample, m *sim.Match) ([]chance.BlendSample, error) {
			meter.Know(players(m))
			return meter.AppendBlendSamples(list, m)
		}
	})
	if err != nil {
		return err
	}
	var explained float64
	if e.Blend, explained, err = fit.Blend(samples); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "blended: explains %.4f of what %d further hands bring\n", explained, len(samples)/sim.NumPlayers)
	return err
}

// gather plays matches and returns what newWorker's functions append of them, in the
// order of the matches.
func gather[T any](cmd *cobra.Command, job *sim.Job, newWorker func() func([]T, *sim.Match) ([]T, error)) (all []T, err error) {
	type block struct {
		add  func([]T, *sim.Match) ([]T, error)
		list []T
	}
	err = sim.Run(cmd.Context(), job,
		func() *block { return &block{add: newWorker()} },
		func(b *block, m *sim.Match) (err error) {
			b.list, err = b.add(b.list, m)
			return err
		},
		func(b *block) error {
			all = append(all, b.list...)
			clear(b.list)
			b.list = b.list[:0]
			return nil
		})
	return all, err
}

// habitMatches is the number of matches whose discards are learned from.
const habitMatches = 250

// fitHabits learns from the first matches how likely discards are.
func (o *fitOptions) fitHabits(cmd *cobra.Command, job *sim.Job) error {
	first := *job
	first.Count = min(first.Count, habitMatches)
	choices, err := gather(cmd, &first, func() func([]chance.Choice, *sim.Match) ([]chance.Choice, error) {
		meter := chance.NewMeter(job.Rules, new(chance.Estimate))
		return func(list []chance.Choice, m *sim.Match) ([]chance.Choice, error) {
			return meter.AppendChoices(list, m.Events), nil
		}
	})
	if err != nil {
		return err
	}
	var right, loss float64
	o.options.Habits, err = fit.Habits(cmd.Context(), choices, o.play.seed, func(_ int, r, l float64) { right, loss = r, l })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d discards: %.3f are the likeliest one, %.3f is lost on average\n", len(choices), right, loss)
	return err
}

// sample keeps one draw of o.every of all matches, and the last of each hand.
func (o *fitOptions) sample(cmd *cobra.Command, job *sim.Job) ([]chance.Sample, error) {
	p := o.progress(cmd, "matches", job.Count)
	defer p.end()
	return gather(cmd, job, func() func([]chance.Sample, *sim.Match) ([]chance.Sample, error) {
		meter := chance.NewMeter(job.Rules, &chance.Estimate{Habits: o.options.Habits})
		players := o.players()
		var all []chance.Sample
		return func(list []chance.Sample, m *sim.Match) (_ []chance.Sample, err error) {
			meter.Know(players(m))
			if all, err = meter.AppendSamples(all[:0], o.options.Scale, m); err != nil {
				return nil, err
			}
			for i := range all {
				if all[i].Last || (uint64(i)+m.Index)%uint64(o.every) == 0 {
					list = append(list, all[i])
				}
			}
			p.add(1)
			return list, nil
		}
	})
}

// players returns what tells who of a match can be asked what he would discard: everybody
// who answers at once, but in one match of four nobody, and in one only who sits at
// even places, for the estimate is asked about unknown players as well.
func (o *fitOptions) players() func(m *sim.Match) [sim.NumPlayers]sim.Agent {
	var quick [sim.NumPlayers][sim.NumPlayers]sim.Agent // by agent and player
	for i, name := range strings.Split(o.play.agents, ",") {
		for p := range quick {
			quick[i][p] = agents.Quick(name)
		}
	}
	return func(m *sim.Match) (players [sim.NumPlayers]sim.Agent) {
		for p, agent := range m.Agents {
			if k := m.Index % 4; k > 1 || k == 1 && p%2 == 0 {
				players[p] = quick[agent][p]
			}
		}
		return players
	}
}
