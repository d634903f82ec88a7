package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// pairsOptions are the flags of train pairs.
type pairsOptions struct {
	ruleset string
	agents  []string
	matches int64
	share   int
	near    int
	seed    uint64
	trainFlags
}

func newTrainPairsCommand() *cobra.Command {
	o := pairsOptions{}
	cmd := &cobra.Command{
		Use:   "pairs",
		Short: "Play matches with paired rollouts of other actions",
		Long: `Pairs plays matches. At randomly chosen decisions it copies the table, takes
another of the actions that the player considers, and lets the same players
finish the hand. The difference between the two hands estimates what the action
is worth, with little noise, as both have the same wall (common random
numbers). python -m sparrowhall.learn improve trains a network with the file.

Pairs are made for the first agent, which must be expert without a level or
net, and for agents written like it. The file is the same for any number of
workers. Until it is complete its name ends in .part; the same command
continues it, and leaves a complete file as it is.`,
		Example: `  sparrowhall train pairs --ruleset tenhou --matches 20000 --out tenhou.pairs
  sparrowhall train pairs --ruleset tenhou --agents expert,value,value,value \
    --matches 20000 --seed 7 --out more.pairs`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.generate(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	f.StringSliceVar(&o.agents, "agents", []string{"expert", "value", "value", "value"}, "one agent for each player, separated by commas")
	f.Int64Var(&o.matches, "matches", 1000, "number of matches")
	f.IntVar(&o.share, "share", 400, "pairs per thousand decisions without an opponent in riichi; twice as many with one")
	f.IntVar(&o.near, "near", 0, "only actions whose predicted gain is at most this much below that of the action played,\nin thousandths of what a win is worth; 0 for all")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the matches")
	o.add(cmd, "matches played")
	require(cmd, o.check)
	return cmd
}

func (o *pairsOptions) check() error {
	switch {
	case o.matches < 1:
		return usagef("--matches: %d is too few; at least 1", o.matches)
	case o.share < 1 || o.share > 1000:
		return usagef("--share: %d; from 1 to 1000", o.share)
	case o.near < 0:
		return usagef("--near: %d; at least 0", o.near)
	}
	return nil
}

func (o *pairsOptions) generate(cmd *cobra.Command) error {
	rules, err := openRuleset(cmd.Context(), o.ruleset)
	if err != nil {
		return err
	}
	seats := rules.Rules().NumSeats()
	if !cmd.Flags().Changed("agents") {
		o.agents = o.agents[:seats]
	}
	if len(o.agents) != seats {
		return usagef("--agents: %s; %d must be named, one for each player of %s", digits.Count(len(o.agents), "agent"), seats, rules.Name)
	}
	var factories [sim.NumPlayers]func() sim.Agent
	job := &rollout.Job{Rules: rules.Rules(), Seed: o.seed, Matches: uint64(o.matches), Share: o.share, Near: o.near, Workers: o.number()}
	for i, spec := range o.agents {
		if factories[i], err = agents.New(spec); err != nil {
			return usagef("--agents: %w", err)
		}
		job.Learns[i] = spec == o.agents[0]
	}
	for _, spec := range o.agents {
		if isKind(spec, agents.Outside()) && !isKind(spec, []string{"net"}) {
			return usagef("--agents: %s: no program outside plays rollouts, which are at copies of the table", sanitize.Line(spec))
		}
	}
	if _, ok := factories[0]().(rollout.Considerer); !ok {
		return usagef("--agents: %s does not list the actions it considers; the first agent must be expert without a level, or net", o.agents[0])
	}
	job.NewAgent = func(number int) sim.Agent { return factories[number]() }
	header := rollout.Header{
		Name: rules.Name, Ruleset: rules.TOML(), Agents: o.agents, Engine: sim.EngineVersion,
		Seed: o.seed, Matches: uint64(o.matches), Share: o.share, Near: o.near,
	}
	if n, err := completePairs(cmd, o.out, header); err == nil {
		return o.printPairs(cmd, n)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	part := o.out + ".part"
	file, err := tempdir.ContinueFile(part, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	w, n, err := continueFile(cmd, file, header, job)
	if err != nil {
		return fmt.Errorf("%s: %w", sanitize.Line(part), err)
	}
	progress := o.progress(cmd, "matches", job.Matches-job.First)
	err = rollout.Generate(cmd.Context(), job, func(m *rollout.Match) error {
		n += len(m.Pairs)
		progress.Add(1)
		return w.Write(m)
	})
	progress.End()
	if err != nil {
		return explainInterrupt(err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(part, o.out); err != nil {
		return err
	}
	return o.printPairs(cmd, n)
}

func (o *pairsOptions) printPairs(cmd *cobra.Command, n int) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s of %s of %s\n", sanitize.Line(o.out), digits.Count(n, "pair"), digits.Count(o.matches, "match"), strings.Join(o.agents, ", "))
	return err
}

// completePairs returns the number of pairs in a complete file of the same run. The error is that of
// any other file, [fs.ErrNotExist] where there is none.
func completePairs(cmd *cobra.Command, path string, h rollout.Header) (int, error) {
	file, err := userfile.Open(cmd.Context(), path, maxPairs)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	r, err := rollout.NewReader(file)
	if err != nil || !reflect.DeepEqual(r.Header, h) {
		return 0, fmt.Errorf("%s: another file is there; remove it, or name another --out", sanitize.Line(path))
	}
	whole, n, _, err := r.CountWhole()
	if err == nil && whole < h.Matches {
		err = errors.New("it is cut off")
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w; remove it to start over", sanitize.Line(path), err)
	}
	return n, nil
}

// continueFile returns a writer that continues the file of an interrupted run, or begins one, and
// the number of pairs in it. It sets the first match of the job.
func continueFile(cmd *cobra.Command, file *os.File, h rollout.Header, job *rollout.Job) (*rollout.Writer, int, error) {
	if info, err := file.Stat(); err != nil {
		return nil, 0, err
	} else if info.Size() == 0 {
		w, err := rollout.NewWriter(file, h)
		return w, 0, err
	}
	r, err := rollout.NewReader(file)
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%w; remove it to start over", err)
	case !reflect.DeepEqual(r.Header, h):
		return nil, 0, errors.New("it was begun with other flags; continue it with the same flags, or remove it to start over")
	}
	whole, n, end, err := r.CountWhole()
	if err != nil {
		warn(cmd, fmt.Sprintf("%s: %v; it is played again from there", file.Name(), err))
	}
	if err := file.Truncate(end); err != nil {
		return nil, 0, err
	}
	if _, err := file.Seek(end, io.SeekStart); err != nil {
		return nil, 0, err
	}
	job.First = whole
	return rollout.NewAppender(file), n, nil
}
