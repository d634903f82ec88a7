package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/pairs"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/sim"
)

// pairsOptions are the flags of train pairs.
type pairsOptions struct {
	ruleset string
	agents  []string
	matches int64
	share   int
	seed    uint64
	trainFlags
}

func newTrainPairsCommand() *cobra.Command {
	o := pairsOptions{}
	cmd := &cobra.Command{
		Use:   "pairs",
		Short: "Play matches and try other actions at copies of the table",
		Long: `Pairs plays matches. At decisions drawn by lot the table is copied, another of the
actions that the player considers is taken at the copy, and the same players finish the
hand there. How the two hands differ tells what the action is worth, with most of the
luck taken off: the wall is the same. sparrowhall train improve learns from the file.

Pairs are made for the first agent, which must be expert or net with any options, and for
those written like it. The file is the same for any number of workers. Until it is whole
its name ends in .part; a run that was stopped goes on by the same command.`,
		Example: `  sparrowhall train pairs --ruleset tenhou --matches 20000 --out tenhou.pairs
  sparrowhall train pairs --ruleset tenhou --agents expert,value,value,value --matches 20000 --seed 7 --out more.pairs`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.generate(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	f.StringSliceVar(&o.agents, "agents", []string{"expert", "value", "value", "value"}, "four agents separated by commas")
	f.Int64Var(&o.matches, "matches", 1000, "number of matches to play")
	f.IntVar(&o.share, "share", 400, "of a thousand calm decisions at how many a pair is made; elsewhere twice as many")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the matches")
	o.add(cmd, "matches played at a time")
	return cmd
}

func (o *pairsOptions) check() error {
	if err := o.trainFlags.check(); err != nil {
		return err
	}
	switch {
	case o.matches < 1:
		return usagef("--matches: %d is too few; at least 1", o.matches)
	case o.share < 1 || o.share > 1000:
		return usagef("--share: %d; from 1 to 1000", o.share)
	case len(o.agents) != sim.NumPlayers:
		return usagef("--agents: %d agents; %d must be named", len(o.agents), sim.NumPlayers)
	}
	return nil
}

func (o *pairsOptions) generate(cmd *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
	rules, err := configs.Open(o.ruleset)
	if err != nil {
		return err
	}
	var factories [sim.NumPlayers]func() sim.Agent
	job := &pairs.Job{Rules: rules.Rules(), Seed: o.seed, Matches: uint64(o.matches), Share: o.share, Workers: o.number()}
	for i, spec := range o.agents {
		if factories[i], err = agents.New(spec); err != nil {
			return usagef("--agents: %w", err)
		}
		job.Learns[i] = spec == o.agents[0]
	}
	if _, ok := factories[0]().(pairs.Considerer); !ok {
		return usagef("--agents: %s does not say what it chooses from; the first must be expert or net", o.agents[0])
	}
	job.NewAgent = func(number int) sim.Agent { return factories[number]() }
	part := o.out + ".part"
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	header := pairs.Header{
		Name: rules.Name, Ruleset: rules.TOML(), Agents: o.agents, Seed: o.seed, Matches: uint64(o.matches), Share: o.share,
	}
	w, n, err := goOn(file, header, job)
	if err != nil {
		return fmt.Errorf("%s: %w", plain.Line(part), err)
	}
	progress := o.progress(cmd, "matches", job.Matches-job.First)
	err = pairs.Generate(cmd.Context(), job, func(m *pairs.Match) error {
		n += len(m.Pairs)
		progress.add(1)
		return w.Write(m)
	})
	progress.end()
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(part, o.out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d pairs of %d matches of %s\n", plain.Line(o.out), n, o.matches, strings.Join(o.agents, ", "))
	return err
}

// goOn returns what goes on with a file of a run that was stopped, or begins one, and how
// many pairs there are already. It tells the job how many matches.
func goOn(file *os.File, h pairs.Header, job *pairs.Job) (*pairs.Writer, int, error) {
	if info, err := file.Stat(); err != nil {
		return nil, 0, err
	} else if info.Size() == 0 {
		w, err := pairs.NewWriter(file, h)
		return w, 0, err
	}
	r, err := pairs.NewReader(file)
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%w; remove it to begin anew", err)
	case !reflect.DeepEqual(r.Header, h):
		return nil, 0, errors.New("it was begun with other flags, of which all but --workers must be the same to go on with it; remove it to begin anew")
	}
	whole, n, end := r.Whole()
	if err := file.Truncate(end); err != nil {
		return nil, 0, err
	}
	if _, err := file.Seek(end, io.SeekStart); err != nil {
		return nil, 0, err
	}
	job.First = whole
	return pairs.Append(file), n, nil
}
