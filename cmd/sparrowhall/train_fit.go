package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/progress"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// fitOptions are the flags of train fit.
type fitOptions struct {
	ruleset string
	also    []string
	every   int
	blend   int64
	from    string
	hidden  []int
	play    selfPlay
	trainFlags
	fit fit.ValueOptions
}

func newTrainFitCommand() *cobra.Command {
	var o fitOptions
	cmd := &cobra.Command{
		Use:   "fit",
		Short: "Fit the value function that measures luck",
		Long: `Fit plays matches and fits to them a value function: what each player can
expect from the rest of a hand when all hands are known. It is the control
variate of luck; see docs/luck.md. The program contains one for each family,
made this way; a new one replaces a file in internal/insight/luck/weights.

After each epoch it prints the share of the variance that the value function
explains, for hands that it was not fitted to.

With --from an earlier value function is fitted further: its network is trained
in smaller steps, its discard model and linear terms stay. Use another --seed,
so that the matches are new.`,
		Example: `  sparrowhall train fit --ruleset universal --out zungjung.bin
  sparrowhall train fit --ruleset ema_2016 --hidden 96,32 --out riichi.bin \
    --agents value,greedy,value,value
  sparrowhall train fit --matches 6000 --epochs 3 --seed 2 \
    --from riichi.bin --out better.bin`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	f.StringSliceVar(&o.also, "also", nil, "further rulesets of the family, with as many matches each, on walls of their own")
	o.play.add(cmd, "value,greedy,value,value", 10_000)
	f.IntVar(&o.every, "every", 2, "learn from one draw of so many")
	f.IntSliceVar(&o.hidden, "hidden", []int{64, 32}, "sizes of the two hidden layers")
	f.IntVar(&o.fit.Epochs, "epochs", 6, "passes over the samples")
	f.Float64Var(&o.fit.Lambda, "lambda", 0.8, "share of the result in the targets, the rest being the value of the next state")
	f.Int64Var(&o.blend, "blend", 400, "further matches to fit the weights of network and linear terms; with --from, 0 keeps them")
	f.StringVar(&o.from, "from", "", "file of a value function to fit further")
	o.add(cmd, "matches played")
	require(cmd, func() error { return o.check(cmd) })
	return cmd
}

// check returns what is wrong with the flags.
func (o *fitOptions) check(cmd *cobra.Command) error {
	h := o.hidden
	switch {
	case len(h) != 2 || h[0] < 1 || h[1] < 1 || h[0] > luck.MaxHidden || h[1] > luck.MaxHidden:
		return usagef("--hidden: two numbers from 1 to %d separated by a comma, such as 64,32", luck.MaxHidden)
	case o.from != "" && cmd.Flags().Changed("hidden"):
		return usagef("--hidden: the sizes are those of --from")
	case o.blend < 0 || o.blend == 0 && o.from == "":
		return usagef("--blend: %d is too few; at least 1", o.blend)
	case o.every < 1:
		return usagef("--every: %d; at least 1", o.every)
	case o.fit.Epochs < 1:
		return usagef("--epochs: %d; at least 1", o.fit.Epochs)
	case o.fit.Lambda < 0 || o.fit.Lambda > 1:
		return usagef("--lambda: %v; from 0 to 1", o.fit.Lambda)
	}
	return nil
}

// maxWeights is the largest size of a file of --from in bytes.
const maxWeights = 64 << 20

func (o *fitOptions) run(cmd *cobra.Command) error {
	jobs, err := o.jobs(cmd.Context())
	if err != nil {
		return err
	}
	o.fit.Hidden = [2]int{o.hidden[0], o.hidden[1]}
	o.fit.Scale, o.fit.Seed = jobs[0].Rules.Traits.Scale, o.play.seed
	w := cmd.OutOrStdout()
	p := progress.New(nil, "", 0)
	s := &fit.SelfPlay{
		Jobs: jobs, Every: o.every, BlendMatches: uint64(o.blend), NewPolicies: o.newPolicies, Log: w, Options: o.fit,
		Begin: func(matches uint64) func() {
			p = o.progress(cmd, "matches", matches)
			return func() { p.Add(1) }
		},
	}
	if o.from != "" {
		data, err := userfile.Read(cmd.Context(), o.from, maxWeights)
		if err == nil {
			s.From, err = luck.Parse(data)
		}
		if err != nil {
			return fmt.Errorf("--from %s: %w", sanitize.Line(o.from), err)
		}
	}
	e, err := s.Fit(cmd.Context())
	p.End()
	if err != nil {
		return explainInterrupt(err)
	}
	data := e.AppendTo(nil)
	if err := writeBytes(o.out, data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %d bytes\n", sanitize.Line(o.out), len(data))
	return err
}

// jobs returns the matches under each ruleset. Each has walls of its own: those of the hands that are
// held out would be known from the others.
func (o *fitOptions) jobs(ctx context.Context) ([]*sim.Job, error) {
	first, err := o.play.job(ctx, o.ruleset, o.workers)
	if err != nil {
		return nil, err
	}
	jobs := []*sim.Job{first}
	for i, name := range o.also {
		play := o.play
		play.seed = sim.MatchSeed(o.play.seed, uint64(i))
		other, err := play.job(ctx, name, o.workers)
		if err != nil {
			return nil, err
		}
		if other.Rules.FittedName() != first.Rules.FittedName() {
			return nil, usagef("--also: %s is for %s, %s for %s", name, other.Rules.FittedName(), o.ruleset, first.Rules.FittedName())
		}
		jobs = append(jobs, other)
	}
	return jobs, nil
}

// newPolicies returns the function that says whose discards in a match are known: in half of the
// matches all agents that answer at once, in a quarter those of even players, and in a quarter
// none, as the value function is used for unknown players too.
func (o *fitOptions) newPolicies() func(m *sim.Match) [sim.NumPlayers]sim.Agent {
	var quick [sim.NumPlayers][sim.NumPlayers]sim.Agent // by agent and player
	for i, spec := range strings.Split(o.play.agents, ",") {
		for p := range quick[i] {
			quick[i][p] = agents.Quick(spec)
		}
	}
	return func(m *sim.Match) (known [sim.NumPlayers]sim.Agent) {
		for p, agent := range m.Agents {
			if k := m.Index % 4; k > 1 || k == 1 && p%2 == 0 {
				known[p] = quick[agent][p]
			}
		}
		return known
	}
}
