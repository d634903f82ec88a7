package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// playOptions are the flags of play.
type playOptions struct {
	wrapper botWrapper
	datasetFlags
	sealFlags
	ruleset   string
	matches   int64
	seed      uint64
	agentList string
	agents    []string
	keepSeats bool
	// agentsFlag is the flag that named agentList, --agents unless it is set.
	agentsFlag string
}

func newPlayCommand() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Let agents play matches, print a summary, and write a dataset",
		Long: `Play lets four agents play matches under a ruleset and prints how they did, each
figure with its count and 95 % interval. From match to match the agents move on
by one player. The same ruleset, seed and agents give the same matches.

With --out the matches are written to a folder, as docs/datasets.md describes. The
same command again continues a dataset that was interrupted, to the same bytes,
and leaves one alone that is complete. With --shard the folder holds a part of the
matches, for play merge to join.`,
		Example: `  sparrowhall play --ruleset ema_2016 --matches 1000 --seed 1 --out runs/first
  sparrowhall play --agents greedy,random,random,random --json
  sparrowhall play --matches 100000 --shard 2/4 --out runs/first-2`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.play(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	f.Int64Var(&o.matches, "matches", 100, "number of matches")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the run")
	f.StringVar(&o.agentList, "agents", "greedy,greedy,greedy,greedy", "four agents separated by commas")
	f.StringArrayVar(&o.agents, "agent", nil, "one agent, given four times instead of --agents; may hold commas")
	o.wrapper.add(cmd)
	f.BoolVar(&o.keepSeats, "keep-seats", false, "let the first agent play for player 0 in every match, and so on")
	o.datasetFlags.add(cmd, export.Decisions, "matches played at a time")
	o.sealFlags.add(cmd)
	cmd.AddCommand(newMergeCommand("play", "  sparrowhall play merge --out runs/first runs/first-1 runs/first-2 runs/first-3 runs/first-4", true, mergePlay))
	return cmd
}

// check returns what is wrong with the flags themselves.
func (o *playOptions) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	switch {
	case o.matches < 1:
		return usagef("--matches: %d is too few; at least 1", o.matches)
	case f.Changed("agents") && f.Changed("agent"):
		return usagef("--agents and --agent are both given; use one of them")
	}
	if err := o.sealFlags.check(cmd, o.out); err != nil {
		return err
	}
	return o.datasetFlags.check(cmd)
}

// run returns what is to be played and the makers of the agents.
func (o *playOptions) run() (*export.Run, []func() sim.Agent, error) {
	record, err := o.table()
	if err != nil {
		return nil, nil, err
	}
	shard, err := parseShard(o.shard)
	if err != nil {
		return nil, nil, err
	}
	flag, specs := "--agent", o.agents
	if len(specs) == 0 {
		flag, specs = cmp.Or(o.agentsFlag, "--agents"), strings.Split(o.agentList, ",")
	}
	if err := o.wrapper.check(specs); err != nil {
		return nil, nil, err
	}
	if len(specs) != export.NumAgents {
		return nil, nil, usagef("%s: %d agents; %d must be named", flag, len(specs), export.NumAgents)
	}
	var factories []func() sim.Agent
	for _, spec := range specs {
		f, err := agents.New(o.wrapper.around(spec))
		if err != nil {
			return nil, nil, usagef("%s: %w", flag, err)
		}
		factories = append(factories, f)
	}
	rules, err := configs.Open(o.ruleset)
	if err != nil {
		return nil, nil, err
	}
	run := &export.Run{
		Ruleset: rules, Seed: o.seed, Matches: uint64(o.matches), Agents: specs,
		KeepSeats: o.keepSeats, Record: record, FileMatches: uint64(o.fileMatches), Shard: shard,
	}
	if err := run.Check(); err != nil {
		return nil, nil, usagef("%w", err)
	}
	return run, factories, nil
}

// field returns the run of four other agents, which the flag --field names.
func (o *playOptions) field(agentList string) (*export.Run, []func() sim.Agent, error) {
	each := *o
	each.agentList, each.agents, each.agentsFlag = agentList, nil, "--field "+agentList
	return each.run()
}

func (o *playOptions) play(cmd *cobra.Command) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	run, factories, err := o.run()
	if err != nil {
		return err
	}
	if err := o.apply(cmd, run, &o.datasetFlags); err != nil {
		return err
	}
	sign, err := o.signer()
	if err != nil {
		return err
	}
	job := newJob(run, factories, o.workers)
	result := newPlayResult(run)
	result.forfeits = newForfeits(cmd.ErrOrStderr(), run)
	w, err := o.create(run)
	if err != nil {
		return err
	}
	if w != nil {
		job.Keep, job.First, job.Count = run.Keep(), w.Next(), w.End()-w.Next()
		if w.Whole() > 0 {
			err = result.open(o.out)
		}
		if err != nil {
			return errors.Join(err, w.Close())
		}
	}
	if err := o.work(cmd, job, w, result); err != nil {
		return o.explain(err, w)
	}
	if err := sign(o.out); err != nil {
		return err
	}
	if run.Shard.Of > 0 {
		return errors.Join(o.reportShard(cmd, w.First(), w.End()), result.forfeits.sum())
	}
	if o.json {
		return errors.Join(writeJSON(cmd.OutOrStdout(), result.json()), result.forfeits.sum())
	}
	if o.out != "" && job.Count == 0 {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is complete already; nothing was played or changed\n\n", plain.Line(o.out)); err != nil {
			return err
		}
	}
	return errors.Join(result.write(cmd.OutOrStdout()), result.forfeits.sum())
}

// newJob returns the job that plays all matches of a run.
func newJob(run *export.Run, factories []func() sim.Agent, workers int) *sim.Job {
	return &sim.Job{
		Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), Count: run.Matches, Workers: workers, Sealed: run.Seal != nil,
		NewAgent: func(number int) sim.Agent { return factories[number]() },
		Overlap:  slices.ContainsFunc(run.Agents, agents.Overlaps),
	}
}

// work plays the matches and closes the dataset.
func (o *playOptions) work(cmd *cobra.Command, job *sim.Job, w *export.Writer, result *playResult) error {
	p := o.progress(cmd, "matches", job.Count-w.Kept())
	watch := &watch{forfeits: result.forfeits, progress: p, journal: w.Journal()}
	job.Journal = watch
	err := sim.Run(cmd.Context(), job, w.NewBlock, (*export.Block).Add, func(b *export.Block) error {
		for i := range b.Rows {
			result.summary.Add(&b.Rows[i])
		}
		return w.Append(b)
	})
	if w != nil {
		if closing := w.Close(); err == nil {
			err = closing
		}
	}
	p.end()
	result.speed = speed{Matches: p.done, Hands: watch.hands.Load(), Seconds: p.seconds()}
	return err
}

// speed is how fast matches were played.
type speed struct {
	Matches uint64  `json:"matches"`
	Hands   uint64  `json:"hands"`
	Seconds float64 `json:"seconds"`
}

func (s speed) perSecond(n uint64) float64 {
	if s.Seconds == 0 {
		return 0
	}
	return float64(n) / s.Seconds
}

// playResult is what play prints. All of it but the speed depends on the run
// alone.
type playResult struct {
	run      *export.Run
	forfeits *forfeits
	rules    *ruleset.Rules
	summary  export.Summary
	speed    speed
}

func newPlayResult(run *export.Run) *playResult {
	rules := run.Ruleset.Rules()
	return &playResult{run: run, rules: rules, summary: export.Summary{Unit: rules.Unit()}}
}

// open adds the matches that are in a dataset already.
func (r *playResult) open(dir string) error {
	d, err := export.Open(dir)
	if err != nil {
		return err
	}
	return r.load(d)
}

func (r *playResult) load(d *export.Dataset) error {
	for row, err := range d.MatchRows() {
		if err != nil {
			return err
		}
		r.summary.Add(&row)
	}
	return nil
}

func mergePlay(o *mergeOptions, cmd *cobra.Command, shards []string) error {
	d, err := o.dataset(cmd, shards, false)
	if err != nil {
		return err
	}
	result := newPlayResult(d.Run)
	if err := result.load(d); err != nil {
		return err
	}
	if o.json {
		return writeJSON(cmd.OutOrStdout(), result.json())
	}
	return result.write(cmd.OutOrStdout())
}

// agentJSON is one agent of the summary as machines read it.
type agentJSON struct {
	Agent string `json:"agent"`
	export.AgentSummary
}

func (r *playResult) json() any {
	var list []agentJSON
	for i, a := range r.summary.Agents() {
		list = append(list, agentJSON{r.run.Agents[i], a})
	}
	return struct {
		Ruleset   string      `json:"ruleset"`
		Hash      string      `json:"ruleset_hash"`
		Seed      uint64      `json:"seed"`
		Sealed    string      `json:"sealed,omitempty"`
		KeepSeats bool        `json:"keep_seats"`
		Matches   uint64      `json:"matches"`
		Hands     uint64      `json:"hands"`
		Decisions uint64      `json:"decisions"`
		Truncated uint64      `json:"truncated"`
		Agents    []agentJSON `json:"agents"`
		Speed     any         `json:"speed"`
	}{
		r.run.Ruleset.Name, fmt.Sprintf("%x", r.rules.Hash), r.run.Seed, commitment(r.run), r.run.KeepSeats,
		r.summary.Matches, r.summary.Hands, r.summary.Decisions, r.summary.Truncated, list,
		struct {
			speed
			MatchesPerSecond float64 `json:"matches_per_second"`
			HandsPerSecond   float64 `json:"hands_per_second"`
		}{r.speed, r.speed.perSecond(r.speed.Matches), r.speed.perSecond(r.speed.Hands)},
	}
}

// column is one of the printed summary.
type column struct {
	name string
	export.AgentSummary
	pooled bool // of all players, whose points and places tell nothing
}

// columns are the agents; of an agent that plays for all, it and the seats apart.
func (r *playResult) columns() []column {
	var list []column
	if !slices.ContainsFunc(r.run.Agents, func(name string) bool { return name != r.run.Agents[0] }) {
		list = append(list, column{r.run.Agents[0], r.summary.Together(), true})
		for i, a := range r.summary.Seats() {
			list = append(list, column{"starts " + [...]string{"East", "South", "West", "North"}[i], a, false})
		}
		return list
	}
	for i, a := range r.summary.Agents() {
		list = append(list, column{fmt.Sprintf("%d %s", i+1, r.run.Agents[i]), a, false})
	}
	return list
}

// write prints the summary.
func (r *playResult) write(w io.Writer) error {
	head := fmt.Sprintf("%s, %s: %d matches, %d hands, %d decisions; intervals of 95 %%",
		plain.Line(r.run.Ruleset.Name), seedText(r.run), r.summary.Matches, r.summary.Hands, r.summary.Decisions)
	if err := printParagraph(w, head); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	t := r.table()
	if err := printTable(w, &t); err != nil || r.speed.Matches == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "\nplayed %d matches in %.2f s: %s matches/s, %s hands/s\n",
		r.speed.Matches, r.speed.Seconds, rateOf(r.speed.perSecond(r.speed.Matches)), rateOf(r.speed.perSecond(r.speed.Hands)))
	return err
}

func (r *playResult) table() report.Table {
	list := r.columns()
	t := report.Table{Head: []string{""}}
	for _, c := range list {
		t.Head = append(t.Head, c.name)
	}
	row := func(name string, cell func(c *column) string) {
		cells := make([]string, len(list))
		for i := range list {
			cells[i] = cell(&list[i])
		}
		t.Rows = append(t.Rows, report.Row{Label: name, Cells: cells})
	}
	apart := func(name string, cell func(c *column) string) {
		row(name, func(c *column) string {
			if c.pooled {
				return "-"
			}
			return cell(c)
		})
	}
	row("matches", func(c *column) string { return fmt.Sprint(c.Matches) })
	for i, place := range []string{"1st", "2nd", "3rd", "4th"} {
		apart(place, func(c *column) string { return rateText(c.Places[i]) })
	}
	decimals := 0
	if r.rules.StartingPoints < 1000 {
		decimals = 2
	}
	apart("points", func(c *column) string { return meanText(c.Points, decimals) })
	apart("placement", func(c *column) string { return meanText(c.Placement, 2) })
	row("hands", func(c *column) string { return fmt.Sprint(c.Hands) })
	row("win", func(c *column) string { return rateText(c.Wins) })
	row("  self-draw", func(c *column) string { return rateText(c.SelfDraws) })
	row("deal-in", func(c *column) string { return rateText(c.DealIns) })
	if ready := r.rules.Ready; ready != ruleset.NoReady {
		row(ready.Values()[ready], func(c *column) string { return rateText(c.Readies) })
	}
	row("call", func(c *column) string { return rateText(c.Calls) })
	row("draw", func(c *column) string { return rateText(c.Draws) })
	if slices.ContainsFunc(list, func(c column) bool { return c.Forfeits > 0 }) {
		row("forfeited", func(c *column) string { return fmt.Sprint(c.Forfeits) })
	}
	return t
}

// commitment returns that of a sealed run.
func commitment(run *export.Run) string {
	if run.Seal == nil {
		return ""
	}
	return fmt.Sprintf("%x", run.Seal.Commitment)
}

// seedText says what the seed of a run is.
func seedText(run *export.Run) string {
	if run.Seal == nil {
		return fmt.Sprintf("seed %d", run.Seed)
	}
	return fmt.Sprintf("sealed %.16s", commitment(run))
}

// rateText writes a rate with its interval.
func rateText(r export.Rate) string {
	return fmt.Sprintf("%.2f%% [%.2f, %.2f]", 100*r.Rate, 100*r.Low, 100*r.High)
}

// meanText writes a mean with its interval.
func meanText(m export.Mean, decimals int) string {
	s := decimal(m.Mean, decimals)
	if i := m.Interval; i != nil {
		s += " [" + decimal(i[0], decimals) + ", " + decimal(i[1], decimals) + "]"
	}
	return s
}

// decimal writes a number with some decimals, without the sign of one that
// rounds to zero.
func decimal(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}
