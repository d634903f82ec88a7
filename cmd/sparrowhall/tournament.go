package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

func newTournamentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tournament",
		Short: "Rate agents on duplicate walls, or test whether one is better",
		Long: `Tournament plays any number of agents against each other, with the same walls
for all seatings (duplicate mahjong), and prints ratings with intervals.
docs/contests.md describes it.`,
		Example: "  sparrowhall tournament run --agents value,greedy --rounds 100",
	}
	addVerbs(cmd, newTournamentRunCommand(), newTournamentMergeCommand(), newTournamentPageCommand())
	return cmd
}

// tournamentOptions are the flags of tournament run.
type tournamentOptions struct {
	agentFlags
	datasetFlags
	sealFlags
	watchRunFlags
	acceptFlags
	ruleset    string
	seed       uint64
	rounds     int64
	single     bool
	sampled    bool
	swiss      bool
	swissSets  uint64
	repeats    bool
	lineups    string
	seatings   int
	untilClear float64
	share      string
}

func newTournamentRunCommand() *cobra.Command {
	var o tournamentOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Play a tournament and print the standings",
		Long: `Run lets every four of the agents play one duplicate set per round, or every
three where the ruleset is for three. A set is matches with the same walls, one
in each seating, so that all agents get the same tiles. Fewer agents than seats
have several seats at a table. It prints points, places, ratings and who
finishes ahead of whom, with intervals that account for the shared walls.

With --accept "A>B" the tournament tests whether A is stronger than B and stops
at the verdict, which is the first line: accepted, rejected or undecided.

With --share the same command on several machines plays one tournament, by a
folder that all of them see. Each takes the next matches that no other plays.
The end and the standings are those of one machine.

With --out the matches are written to a folder. The same command continues a
tournament that was interrupted, to the same bytes, and prints the standings of
a complete one. With --shard the folder holds a part of the matches; tournament
merge joins the parts.

An agent is written as for play, or NAME=SPEC for an external agent, which is
then recorded under that name.`,
		Example: `  sparrowhall tournament run --agents value,greedy --rounds 100
  sparrowhall tournament run --agents value,value:defence=off,greedy,random \
    --ruleset tenhou --rounds 1000 --out runs/cup
  sparrowhall tournament run --agents value,greedy --until-clear 0.05
  sparrowhall tournament run --agents value,greedy --accept "value>greedy"
  sparrowhall tournament run --agents value,greedy --rounds 1000 \
    --file-matches 1024 --shard 2/4 --out runs/cup-2
  sparrowhall tournament run --agents greedy,mine=grpc:localhost:9000`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	o.addAgents(cmd, "", "the agents, separated by commas", "one agent, given once for each")
	f.Int64Var(&o.rounds, "rounds", 100, "duplicate sets of every lineup; with --accept at most, and by default 100000")
	f.BoolVar(&o.single, "single", false, "play lineups in which the first agent has one seat: measure it among the others")
	f.BoolVar(&o.sampled, "sampled", false, "draw as many lineups per round as there are agents, each agent in one for each seat")
	f.BoolVar(&o.swiss, "swiss", false, "pair agents of similar standing")
	f.Uint64Var(&o.swissSets, "swiss-sets", arena.SwissSets(sim.NumPlayers), "duplicate sets of a table in a round of --swiss, a multiple of 16 (three players: 64)")
	f.BoolVar(&o.repeats, "repeats", false, "let agents have several seats at a table; fewer agents than seats always do")
	f.StringVar(&o.lineups, "lineups", "", "file with a lineup in each line, agents by name or number; each plays one duplicate set per round")
	f.IntVar(&o.seatings, "seatings", arena.Rotations(sim.NumPlayers), "matches of a duplicate set: 4 rotations or all 24 seatings (three players: 3 or 6)")
	f.Float64Var(&o.untilClear, "until-clear", 0, "stop when the best agent is clear of all others, at this error rate, such as 0.05")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the matches")
	f.StringVar(&o.share, "share", "", "folder that machines share which play the tournament together, by the same command")
	o.acceptFlags.add(cmd)
	o.addOutside(cmd)
	o.sealFlags.add(cmd)
	o.watchRunFlags.add(cmd)
	o.datasetFlags.add(cmd, schema.Matches, "matches (with grpc agents: blocks of 64 matches) played")
	o.addShard(cmd)
	return cmd
}

// check returns what is wrong with the flags.
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
	case f.Changed("share") && (o.share == "" || o.shard != "" || f.Changed("watch")):
		return usagef("--share names the folder of machines that take what is next; it goes without --shard and --watch")
	}
	o.later = o.share != ""
	return cmp.Or(o.acceptFlags.check(cmd), o.sealFlags.check(cmd, o.out), o.watchRunFlags.check(o.sealed), o.datasetFlags.check(cmd))
}

// botVersion matches the version of a bot in a league at the end of its name, such as mine@2.
var botVersion = regexp.MustCompile(`@\d+$`)

// parseAgent returns the name under which an agent is recorded, and its spec. A name is one that
// a league takes; it ends before the first = that an external agent follows.
func parseAgent(text string) (name, spec string, err error) {
	if isKind(text, agents.Names()) || isKind(text, agents.Outside()) {
		return text, text, nil
	}
	for i := range len(text) {
		switch rest := text[i+1:]; {
		case text[i] != '=':
		case isKind(rest, agents.Outside()):
			return text[:i], rest, league.CheckName(botVersion.ReplaceAllString(text[:i], ""))
		case isKind(rest, agents.Names()):
			return "", "", fmt.Errorf("%q: only external agents have names (%s); others are recorded by their spec",
				text, strings.Join(agents.Outside(), ", "))
		}
	}
	return text, text, nil
}

// prepare returns the tournament of the flags, and the job that plays it.
func (o *tournamentOptions) prepare(cmd *cobra.Command) (*strength.Contest, *sim.Job, error) {
	record, err := o.table()
	if err != nil {
		return nil, nil, err
	}
	shard, err := parseShard(o.shard)
	if err != nil {
		return nil, nil, err
	}
	var names, specs []string
	flag, list := o.specs()
	for _, text := range list {
		name, spec, err := parseAgent(text)
		if err != nil {
			return nil, nil, usagef("%s: %w", flag, err)
		}
		names, specs = append(names, name), append(specs, spec)
	}
	newAgents, err := o.constructors(flag, specs)
	if err != nil {
		return nil, nil, err
	}
	accept, err := o.test(cmd, names)
	if err != nil {
		return nil, nil, err
	}
	if accept != nil && !cmd.Flags().Changed("rounds") {
		o.rounds = roundsToAccept
	}
	rules, err := openRuleset(cmd.Context(), o.ruleset)
	if err != nil {
		return nil, nil, err
	}
	schedule, err := o.schedule(cmd, names, rules.Config.Common().NumSeats())
	if err != nil {
		return nil, nil, wrongUsage{err}
	}
	run := &dataset.Run{
		Repeatable: areBuiltIn(specs),
		Ruleset:    rules, Seed: o.seed, Matches: schedule.Matches(), Agents: names,
		Record: record, FileMatches: uint64(o.fileMatches),
		Shard: shard, Tournament: &dataset.Tournament{Schedule: schedule, UntilClear: o.untilClear, Accept: accept},
	}
	if err := run.Check(); err != nil {
		return nil, nil, usagef("%w", err)
	}
	var newMeter func() *matchluck.Meter
	if accept != nil && accept.Luck {
		options := o.luck.options(1)
		if newMeter, err = matchluck.NewMeters(rules.Rules(), &options); err != nil {
			return nil, nil, fmt.Errorf("--luck: %w", err)
		}
	}
	if err := o.apply(cmd, run, &o.datasetFlags); err != nil {
		return nil, nil, err
	}
	c, err := strength.NewContest(run)
	if err != nil {
		return nil, nil, err
	}
	c.NewMeter = newMeter
	return c, newJob(run, specs, newAgents, o.workers), nil
}

func (o *tournamentOptions) schedule(cmd *cobra.Command, names []string, seats int) (*arena.Schedule, error) {
	agents := len(names)
	if !cmd.Flags().Changed("seatings") {
		o.seatings = arena.Rotations(seats)
	}
	plan := arena.Plan{
		Seats: seats, Seed: o.seed, Agents: agents, Selection: arena.EveryLineup, Seatings: o.seatings, Rounds: uint64(o.rounds),
		Repeats: o.repeats || agents < seats,
	}
	sets := cmd.Flags().Changed("swiss-sets")
	switch {
	case sets && !o.swiss:
		return nil, errors.New("--swiss-sets says how long a pairing of --swiss lasts; use both")
	case sets && o.swissSets == 0:
		return nil, fmt.Errorf("--swiss-sets: 0; allowed: multiples of %d", arena.SwissSets(seats))
	case o.sampled && o.swiss, o.single && (o.sampled || o.swiss), o.lineups != "" && (o.single || o.sampled || o.swiss || o.repeats):
		return nil, errors.New("--single, --sampled, --swiss and --lineups each say who plays whom; use one of them")
	case o.lineups != "":
		lineups, err := readLineups(cmd.Context(), o.lineups, names, seats)
		if err != nil {
			return nil, err
		}
		plan.Selection, plan.Lineups, plan.SetsPerTable, plan.Repeats = arena.ListedLineups, lineups, 1, false
	case o.single:
		plan.Selection = arena.FirstAgainstOthers
	case o.sampled:
		plan.Selection = arena.SampledLineups
	case o.swiss:
		plan.Selection = arena.Swiss
	}
	if sets {
		plan.SetsPerTable = o.swissSets
	}
	return arena.New(plan)
}

func (o *tournamentOptions) run(cmd *cobra.Command) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	var shared *strength.Shared
	var seen *forfeits // in what this process has played of it
	if o.share != "" {
		var err error
		if shared, seen, err = o.playShared(cmd); err != nil || o.out == "" {
			return err
		}
	}
	c, job, err := o.prepare(cmd)
	if err != nil {
		return err
	}
	if err := o.sign.read(cmd.Context()); err != nil {
		return err
	}
	end, err := o.show(cmd, c.Run, job)
	if err != nil {
		return err
	}
	defer end()
	if shared != nil {
		c.NewMeter, c.Luck = nil, shared.Luck
	}
	if c.Writer, err = o.create(c.Run); err != nil {
		return err
	}
	if c.Writer != nil {
		if err := c.Load(cmd.Context(), o.out, o.luck.options(o.number())); err != nil {
			return errors.Join(err, c.Writer.Close())
		}
	}
	complete := c.Next == c.End
	flags := o.progressFlags
	if shared != nil {
		flags = progressFlags{quiet: true} // the file keeps what was played together
	}
	p := flags.progress(cmd, "matches", c.End-c.Next-c.Writer.KeptMatches())
	p.AtMost = c.Trial != nil || o.untilClear > 0
	forfeits := newForfeits(cmd.ErrOrStderr(), c.Run, o.maxForfeits)
	job.Journal = &runJournal{forfeits: forfeits, progress: p, journal: c.Writer.Journal()}
	if shared != nil {
		job.Journal, forfeits = shared, seen // all has been played
	} else if c.Writer != nil && c.Writer.WholeMatches() > 0 {
		if err := forfeits.resume(o.out); err != nil {
			return errors.Join(err, c.Writer.Close())
		}
	}
	err = c.Play(cmd.Context(), job)
	p.End()
	if err != nil {
		return o.explain(err, c.Writer)
	}
	if err := o.sign.apply(o.out); err != nil {
		return err
	}
	if c.Writer != nil && c.Run.Shard.Of > 0 {
		return errors.Join(o.reportShard(cmd, c.Writer.First(), c.Writer.End()), forfeits.sum())
	}
	result, err := strength.NewResult(c.Run, c.Tally, c.Trial)
	if err != nil {
		return err
	}
	if n := p.Done(); n > 0 {
		result.Speed = &strength.Speed{Matches: n, Seconds: p.Seconds(), MatchesPerSecond: p.Rate()}
	}
	return errors.Join(printResult(cmd, o.json, result, func(p *printer) {
		if complete {
			o.printComplete(p)
		}
		p.tournament(result)
	}), forfeits.sum())
}

// playShared plays the tournament together with the other processes of --share. It prints the result
// if no dataset is written; otherwise the caller sums the forfeits up after it is.
func (o *tournamentOptions) playShared(cmd *cobra.Command) (*strength.Shared, *forfeits, error) {
	c, job, err := o.prepare(cmd)
	if err != nil {
		return nil, nil, err
	}
	s, err := strength.OpenShared(o.share, c.Run)
	if err != nil {
		return nil, nil, err
	}
	p := o.progress(cmd, "matches", c.End)
	p.AtMost = true // others play too
	forfeits := newForfeits(cmd.ErrOrStderr(), c.Run, o.maxForfeits)
	job.Journal = &runJournal{forfeits: forfeits, progress: p}
	warning, err := c.PlayShared(cmd.Context(), job, s)
	p.End()
	if err != nil {
		return nil, nil, o.explain(err, nil)
	}
	warn(cmd, warning)
	if o.out != "" {
		return s, forfeits, nil
	}
	result, err := strength.NewResult(c.Run, c.Tally, c.Trial)
	if err != nil {
		return nil, nil, err
	}
	return s, forfeits, errors.Join(printResult(cmd, o.json, result, func(p *printer) { p.tournament(result) }), forfeits.sum())
}

// maxAheadTable is the largest number of agents for which the table of who finishes ahead of
// whom is printed.
const maxAheadTable = 16

// tournament prints a result: the verdict of a test first, then the standings.
func (p *printer) tournament(r *strength.Result) {
	if r.Accept != nil {
		p.paragraphs(r.Verdict().String())
	}
	p.paragraphs(r.Summary().String() + "; 95 % intervals from the spread of duplicate sets")
	p.table(r.Table())
	if len(r.Agents) <= maxAheadTable {
		p.printf("\n")
		p.paragraphs("share of matches in which the agent of the row finishes ahead of the agent of the column")
		p.table(r.AheadTable())
	}
	// A sequential test has its own bounds, which may separate agents that one look does not.
	var remarks []findings.Text
	if r.Accept == nil {
		remarks = r.Neighbors()
	}
	for _, text := range append(remarks, r.Remarks()...) {
		p.printf("\n")
		p.paragraph("%s", text)
	}
}

func newTournamentMergeCommand() *cobra.Command {
	return newMergeCommand("tournament", `  sparrowhall tournament merge --out runs/cup \
    runs/cup-1 runs/cup-2 runs/cup-3 runs/cup-4`, true, mergeTournament)
}

func mergeTournament(o *mergeOptions, cmd *cobra.Command, shards []string) error {
	d, err := o.dataset(cmd, shards, true)
	if err != nil {
		return err
	}
	if err := compareShards(cmd, filepath.Clean(o.out)+".shards.json", d.Run, shards); err != nil {
		return err
	}
	result, err := strength.ReadResult(cmd.Context(), d, luckStrong.options(o.number()))
	if err != nil {
		return err
	}
	return printResult(cmd, o.json, result, func(p *printer) { p.tournament(result) })
}

// compareShards writes what each shard has played to a file, and warns of one that played otherwise
// than the others.
func compareShards(cmd *cobra.Command, path string, run *dataset.Run, shards []string) error {
	nodes := strength.NewNodes(run.Tournament.Schedule, run.Agents)
	for _, dir := range shards {
		shard, err := dataset.Open(dir)
		if err != nil {
			return err
		}
		for rows, err := range shard.MatchesByRows() {
			if err != nil {
				return err
			}
			nodes.Add(dir, rows)
		}
	}
	warning, err := nodes.WriteFile(path)
	warn(cmd, warning)
	return err
}

// warn prints a warning, unless it is empty.
func warn(cmd *cobra.Command, warning string) {
	if warning != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", sanitize.Line(warning))
	}
}
