package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/standings"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/arena"
)

func newTournamentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tournament",
		Short: "Find out who plays best, with luck cancelled by duplicate walls",
		Long: `Tournament lets any number of agents play each other, the same walls with the seats
changed, and says how good they are and how sure that is. docs/tournaments.md
describes it.`,
		Example: "  sparrowhall tournament run --agents value,greedy --rounds 100",
	}
	group(cmd, newTournamentRunCommand(), newTournamentMergeCommand(), newTournamentPageCommand())
	return cmd
}

// tournamentOptions are the flags of tournament run.
type tournamentOptions struct {
	wrapper botWrapper
	datasetFlags
	sealFlags
	acceptFlags
	ruleset    string
	seed       uint64
	agentList  string
	agents     []string
	rounds     int64
	sampled    bool
	swiss      bool
	repeats    bool
	seatings   int
	untilClear float64
}

func newTournamentRunCommand() *cobra.Command {
	var o tournamentOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Play a tournament and print the standings",
		Long: `Run lets every four of the agents play one wall set a round: the walls of a match,
once in each seating, so that all agents have had the same luck. Two or three
agents sit at a table more than once. It prints points, places, ratings and who
finishes ahead of whom, with intervals that know which matches share their walls.

With --out the matches are written to a folder. The same command again continues
a tournament that was interrupted, to the same bytes, and prints the standings of
one that is complete. With --shard the folder holds a part of the matches, for
tournament merge to join.

An agent is one that play takes, or NAME=SPEC for one from outside, which is then
recorded under that name.`,
		Example: `  sparrowhall tournament run --agents value,greedy --rounds 100
  sparrowhall tournament run --agents value,value:defence=off,greedy,random --ruleset tenhou --rounds 1000 --out runs/cup
  sparrowhall tournament run --agents value,greedy --rounds 10000 --until-clear 0.05
  sparrowhall tournament run --agents value,greedy --accept "value>greedy" --elo0 0 --elo1 20
  sparrowhall tournament run --agents value,greedy --rounds 1000 --file-matches 1024 --shard 2/4 --out runs/cup-2
  sparrowhall tournament run --agents greedy,mine=grpc:localhost:9000`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	f.StringVar(&o.agentList, "agents", "", "the agents, separated by commas")
	f.StringArrayVar(&o.agents, "agent", nil, "one agent, given once for each instead of --agents; may hold commas")
	f.Int64Var(&o.rounds, "rounds", 100, "how often every lineup plays a wall set; with --accept at most, and 100000 if not given")
	f.BoolVar(&o.sampled, "sampled", false, "play as many lineups a round as there are agents, drawn so that each is in four of them")
	f.BoolVar(&o.swiss, "swiss", false, "pair agents by how they stand, 16 wall sets a table and round, and let no two meet again while others are near")
	f.BoolVar(&o.repeats, "repeats", false, "let agents sit at a table more than once; two or three agents always do")
	f.IntVar(&o.seatings, "seatings", arena.Rotations, "matches of a wall set: 4 rotations or all 24 seatings")
	f.Float64Var(&o.untilClear, "until-clear", 0, "stop when the best agent is clear, wrongly with at most this probability, such as 0.05")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the tournament")
	o.acceptFlags.add(cmd)
	o.wrapper.add(cmd)
	o.sealFlags.add(cmd)
	o.datasetFlags.add(cmd, export.Matches, "matches played at a time, and with agents behind grpc blocks of 64 matches, then 0 for 8")
	return cmd
}

// check returns what is wrong with the flags themselves.
func (o *tournamentOptions) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	switch {
	case o.rounds < 1:
		return usagef("--rounds: %d is too few; at least 1", o.rounds)
	case f.Changed("agents") == f.Changed("agent"):
		return usagef("name the agents by --agents or by --agent, one of them")
	case f.Changed("until-clear") && !(o.untilClear > 0 && o.untilClear < 1):
		return usagef("--until-clear: %v; allowed: a probability above 0 and below 1", o.untilClear)
	case f.Changed("until-clear") && f.Changed("accept"):
		return usagef("--until-clear and --accept both say when to stop; use one of them")
	}
	if err := o.acceptFlags.check(cmd); err != nil {
		return err
	}
	if err := o.sealFlags.check(cmd, o.out); err != nil {
		return err
	}
	return o.datasetFlags.check(cmd)
}

// outsideName is the name that an agent from outside may be given.
var outsideName = regexp.MustCompile(`^([\w.-]+)=((\w+)(:.*)?)$`)

// parseAgent returns what an agent is recorded as, and what makes it.
func parseAgent(text string) (name, spec string, err error) {
	parts := outsideName.FindStringSubmatch(text)
	switch {
	case parts == nil:
		return text, text, nil
	case !slices.Contains(agents.Outside(), parts[3]):
		return "", "", fmt.Errorf("%q: only agents from outside are given names (%s); others are recorded as they are",
			text, strings.Join(agents.Outside(), ", "))
	}
	return parts[1], parts[2], nil
}

// tournament is one that is to be played.
type tournament struct {
	run       *export.Run
	specs     []string
	factories []func() sim.Agent
	// newMeter makes what tells the luck of the tiles, nil if nobody asks for it.
	newMeter func() *export.LuckMeter
}

// prepare returns the tournament that is asked for.
func (o *tournamentOptions) prepare(cmd *cobra.Command) (*tournament, error) {
	record, err := o.table()
	if err != nil {
		return nil, err
	}
	shard, err := parseShard(o.shard)
	if err != nil {
		return nil, err
	}
	t := &tournament{}
	var names []string
	flag, list := "--agent", o.agents
	if len(list) == 0 {
		flag, list = "--agents", strings.Split(o.agentList, ",")
	}
	for _, text := range list {
		name, spec, err := parseAgent(text)
		if err != nil {
			return nil, usagef("%s: %w", flag, err)
		}
		factory, err := agents.New(o.wrapper.around(spec))
		if err != nil {
			return nil, usagef("%s: %w", flag, err)
		}
		names, t.specs, t.factories = append(names, name), append(t.specs, spec), append(t.factories, factory)
	}
	if err := o.wrapper.check(t.specs); err != nil {
		return nil, err
	}
	accept, err := o.ask(cmd, names)
	if err != nil {
		return nil, err
	}
	if accept != nil && !cmd.Flags().Changed("rounds") {
		o.rounds = roundsToAccept
	}
	selection := arena.Every
	switch {
	case o.sampled && o.swiss:
		return nil, usagef("--sampled and --swiss both say who plays whom; use one of them")
	case o.sampled:
		selection = arena.Sampled
	case o.swiss:
		selection = arena.Swiss
	}
	schedule, err := arena.New(arena.Plan{
		Seed: o.seed, Agents: len(names), Selection: selection, Seatings: o.seatings, Rounds: uint64(o.rounds),
		Repeats: o.repeats || len(names) < sim.NumPlayers,
	})
	if err != nil {
		return nil, usagef("%w", err)
	}
	rules, err := configs.Open(o.ruleset)
	if err != nil {
		return nil, err
	}
	t.run = &export.Run{
		Ruleset: rules, Seed: o.seed, Matches: schedule.Matches(), Agents: names,
		Record: record, FileMatches: uint64(o.fileMatches),
		Shard: shard, Tournament: &export.Tournament{Schedule: schedule, UntilClear: o.untilClear, Accept: accept},
	}
	if err := t.run.Check(); err != nil {
		return nil, usagef("%w", err)
	}
	if accept == nil || !accept.Luck {
		return t, nil
	}
	if t.newMeter, err = export.NewLuckMeters(rules.Rules(), &export.LuckOptions{Fast: accept.FastLuck, Player: agents.Quick}); err != nil {
		return nil, fmt.Errorf("--luck: %w", err)
	}
	return t, nil
}

func (o *tournamentOptions) run(cmd *cobra.Command) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	t, err := o.prepare(cmd)
	if err != nil {
		return err
	}
	if err := o.apply(cmd, t.run, &o.datasetFlags); err != nil {
		return err
	}
	sign, err := o.signer()
	if err != nil {
		return err
	}
	g := game{tournament: t, first: 0, end: t.run.Matches, forfeits: newForfeits(cmd.ErrOrStderr(), t.run)}
	if g.tally, err = standings.New(t.run); err != nil {
		return err
	}
	if t.run.Tournament.Accept != nil {
		g.trial = standings.NewTrial(t.run)
	}
	if g.writer, err = o.create(t.run); err != nil {
		return err
	}
	if g.writer != nil {
		g.first, g.end = g.writer.Next(), g.writer.End()
		if err := g.load(cmd.Context(), o.out); err != nil {
			return errors.Join(err, g.writer.Close())
		}
	}
	complete := g.first == g.end
	g.progress = o.progress(cmd, "matches", g.end-g.first-g.writer.Kept())
	g.progress.open = g.trial != nil || o.untilClear > 0
	err = g.play(cmd.Context(), o.workers)
	g.progress.end()
	if err != nil {
		return o.explain(err, g.writer)
	}
	if err := sign(o.out); err != nil {
		return err
	}
	if g.writer != nil && t.run.Shard.Of > 0 {
		return errors.Join(o.reportShard(cmd, g.writer.First(), g.writer.End()), g.forfeits.sum())
	}
	s, err := g.tally.Compute()
	if err != nil {
		return err
	}
	result := newTournamentResult(t.run, s, g.tally, g.trial)
	result.Speed = newTournamentSpeed(g.progress)
	if o.json {
		return errors.Join(writeJSON(cmd.OutOrStdout(), result), g.forfeits.sum())
	}
	if complete {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is complete already; nothing was played or changed\n\n", plain.Line(o.out)); err != nil {
			return err
		}
	}
	return errors.Join(result.write(cmd.OutOrStdout()), g.forfeits.sum())
}

// game is a tournament that is played.
type game struct {
	*tournament
	// first is the next match to be played, end that after the last.
	first, end uint64
	// writer is nil if nothing is written.
	writer *export.Writer
	tally  *standings.Tally
	// trial is nil unless a question is to be answered.
	trial    *standings.Trial
	progress *progress
	forfeits *forfeits
}

// load adds the matches that are in the dataset already.
func (g *game) load(ctx context.Context, dir string) error {
	if g.writer.Whole() == 0 || g.run.Shard.Of > 0 {
		return nil
	}
	d, err := export.Open(dir)
	if err != nil {
		return err
	}
	if g.trial != nil {
		if err := loadTrial(ctx, g.trial, d); err != nil {
			return err
		}
	}
	if err := g.run.Tournament.AddAll(d); err != nil {
		return err
	}
	return g.tally.Read(d)
}

// play plays the matches and closes the dataset.
func (g *game) play(ctx context.Context, workers int) error {
	job := &sim.Job{
		Rules: g.run.Ruleset.Rules(), Schedule: g.run.Schedule(), Workers: workers, Sealed: g.run.Seal != nil,
		NewAgent: func(number int) sim.Agent { return g.factories[number]() },
		Overlap:  slices.ContainsFunc(g.specs, agents.Overlaps),
		Journal:  &watch{forfeits: g.forfeits, progress: g.progress, journal: g.writer.Journal()},
	}
	if g.writer != nil {
		job.Keep = g.run.Keep()
	}
	err := g.playAll(ctx, job)
	if g.writer != nil {
		if closing := g.writer.Close(); err == nil {
			err = closing
		}
	}
	return err
}

func (g *game) playAll(ctx context.Context, job *sim.Job) error {
	first, end := g.first, g.end
	playTo := func(look uint64) error { return g.playTo(ctx, job, look) }
	var decided bool
	var err error
	switch alpha := g.run.Tournament.UntilClear; {
	case g.trial != nil:
		decided, err = g.trial.Until(first, end, playTo)
	case alpha > 0:
		decided, err = g.tally.UntilClear(alpha, first, end, playTo)
	default:
		err = playTo(end)
	}
	if err != nil || !decided || g.first == end {
		return err
	}
	g.end = g.first
	if g.writer != nil {
		return g.writer.Stop()
	}
	return nil
}

// playTo plays the matches up to a number, one round after another where who plays a
// round follows from the results before.
func (g *game) playTo(ctx context.Context, job *sim.Job, end uint64) error {
	t := g.run.Tournament
	for g.first < end {
		until := end
		if t.Selection == arena.Swiss {
			until = min(end, (g.first/t.RoundMatches()+1)*t.RoundMatches())
		}
		if err := g.playOn(ctx, job, until); err != nil {
			return err
		}
	}
	return nil
}

// playOn plays the matches up to a number.
func (g *game) playOn(ctx context.Context, job *sim.Job, end uint64) error {
	job.First, job.Count = g.first, end-g.first
	sharded := g.run.Shard.Of > 0
	newBlock := newTrialBlock(g.writer.NewBlock, g.newMeter, g.run.Agents)
	err := sim.Run(ctx, job, newBlock, (*trialBlock).add, func(b *trialBlock) error {
		for i := range len(b.Rows) / sim.NumPlayers {
			rows := b.Rows[sim.NumPlayers*i:][:sim.NumPlayers]
			if !sharded {
				g.tally.Add(rows)
				g.run.Tournament.Add(rows)
			}
			if g.trial != nil {
				g.trial.Add(rows, b.of(i))
			}
		}
		b.luck = b.luck[:0]
		return g.writer.Append(b.Block)
	})
	if err == nil {
		g.first = end
	}
	return err
}

func newTournamentMergeCommand() *cobra.Command {
	return newMergeCommand("tournament", "  sparrowhall tournament merge --out runs/cup runs/cup-1 runs/cup-2 runs/cup-3 runs/cup-4", true, mergeTournament)
}

func mergeTournament(o *mergeOptions, cmd *cobra.Command, shards []string) error {
	d, err := o.dataset(cmd, shards, true)
	if err != nil {
		return err
	}
	result, err := readTournament(cmd.Context(), d)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(cmd.OutOrStdout(), result)
	}
	return result.write(cmd.OutOrStdout())
}

// readTournament returns the standings of a dataset.
func readTournament(ctx context.Context, d *export.Dataset) (*tournamentResult, error) {
	tally, err := standings.New(d.Run)
	if err != nil {
		return nil, err
	}
	if err := tally.Read(d); err != nil {
		return nil, err
	}
	s, err := tally.Compute()
	if err != nil {
		return nil, err
	}
	var trial *standings.Trial
	if d.Run.Tournament.Accept != nil {
		trial = standings.NewTrial(d.Run)
		if err := loadTrial(ctx, trial, d); err != nil {
			return nil, err
		}
	}
	return newTournamentResult(d.Run, s, tally, trial), nil
}
