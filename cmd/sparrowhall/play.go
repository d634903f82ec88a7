package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/summary"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/progress"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// playOptions are the flags of play.
type playOptions struct {
	agentFlags
	datasetFlags
	sealFlags
	watchRunFlags
	ruleset   string
	matches   int64
	seed      uint64
	keepSeats bool
	wall      wallFlag
}

func newPlayCommand() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play matches, print a summary, write a dataset",
		Long: `Play lets one agent for each player play matches under a ruleset and prints
their results, each figure with its 95 % interval. From match to match the
agents move on by one seat. The same ruleset, seed and agents give the same
matches.

With --out the matches are written to a folder, as docs/datasets.md describes.
The same command continues a dataset that was interrupted, to the same bytes,
and leaves a complete one alone. With --shard the folder holds a part of the
matches; play merge joins the parts.`,
		Example: `  sparrowhall play --ruleset ema_2016 --matches 1000 --out runs/first
  sparrowhall play --agents greedy,random,random,random --json
  sparrowhall play --matches 100000 --shard 2/4 --out runs/first-2`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.play(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	o.wall.add(cmd)
	f.Int64Var(&o.matches, "matches", 100, "number of matches")
	o.addSeed(cmd)
	o.addFour(cmd, "greedy,greedy,greedy,greedy")
	o.addOutside(cmd)
	f.BoolVar(&o.keepSeats, "keep-seats", false, "keep the agents in their seats: the first is player 0 in every match")
	o.datasetFlags.add(cmd, schema.Decisions, "matches played")
	o.addShard(cmd)
	o.sealFlags.add(cmd)
	o.watchRunFlags.add(cmd)
	cmd.AddCommand(newMergeCommand("play", `  sparrowhall play merge --out runs/first \
    runs/first-1 runs/first-2 runs/first-3 runs/first-4`, true, mergePlay))
	return cmd
}

func (o *playOptions) addSeed(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "seed of the matches")
}

// addFour adds --agents, with its default, and --agent.
func (o *playOptions) addFour(cmd *cobra.Command, list string) {
	o.addAgents(cmd, list, "agents separated by commas, one for each player", "one agent, given once for each player")
}

// check returns what is wrong with the flags.
func (o *playOptions) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	switch {
	case o.matches < 1:
		return usagef("--matches: %d is too few; at least 1", o.matches)
	case f.Changed("agents") && f.Changed("agent"):
		return usagef("--agents and --agent are both given; use one of them")
	}
	return cmp.Or(o.sealFlags.check(cmd, o.out), o.watchRunFlags.check(o.sealed), o.datasetFlags.check(cmd))
}

// run returns the run that the flags describe, and the constructors of its agents.
func (o *playOptions) run(ctx context.Context) (*dataset.Run, []func() sim.Agent, error) {
	record, err := o.table()
	if err != nil {
		return nil, nil, err
	}
	shard, err := parseShard(o.shard)
	if err != nil {
		return nil, nil, err
	}
	rules, err := openRuleset(ctx, o.ruleset)
	if err != nil {
		return nil, nil, err
	}
	flag, specs, err := o.seated(rules)
	if err != nil {
		return nil, nil, err
	}
	newAgents, err := o.constructors(flag, specs)
	if err != nil {
		return nil, nil, err
	}
	if err := o.wall.apply(ctx, rules); err != nil {
		return nil, nil, err
	}
	run := &dataset.Run{
		Repeatable: areBuiltIn(specs),
		Ruleset:    rules, Seed: o.seed, Matches: uint64(o.matches), Agents: specs,
		KeepSeats: o.keepSeats, Record: record, FileMatches: uint64(o.fileMatches), Shard: shard,
	}
	if err := run.Check(); err != nil {
		return nil, nil, usagef("%w", err)
	}
	return run, newAgents, nil
}

// field returns the options with the agents of a --field.
func (o *playOptions) field(list string) *playOptions {
	f := *o
	f.list, f.each, f.flag = list, nil, "--field "+list
	return &f
}

func (o *playOptions) play(cmd *cobra.Command) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	run, newAgents, err := o.run(cmd.Context())
	if err != nil {
		return err
	}
	if err := o.apply(cmd, run, &o.datasetFlags); err != nil {
		return err
	}
	if err := o.sign.read(cmd.Context()); err != nil {
		return err
	}
	job := newJob(run, run.Agents, newAgents, o.workers)
	end, err := o.show(cmd, run, job)
	if err != nil {
		return err
	}
	defer end()
	result := newPlayResult(run)
	result.forfeits = newForfeits(cmd.ErrOrStderr(), run, o.maxForfeits)
	w, err := o.create(run)
	if err != nil {
		return err
	}
	if w != nil {
		job.Keep, job.First, job.Count = run.Keep(), w.Next(), w.End()-w.Next()
		if w.WholeMatches() > 0 {
			err = cmp.Or(result.open(o.out), result.forfeits.resume(o.out))
		}
		if err != nil {
			return errors.Join(err, w.Close())
		}
	}
	if err := o.work(cmd, job, w, result); err != nil {
		return o.explain(err, w)
	}
	if err := o.sign.apply(o.out); err != nil {
		return err
	}
	if run.Shard.Of > 0 {
		return errors.Join(o.reportShard(cmd, w.First(), w.End()), result.forfeits.sum())
	}
	result.complete = o.out != "" && job.Count == 0
	return errors.Join(result.print(cmd, &o.datasetFlags), result.forfeits.sum())
}

// newJob returns the job that plays all matches of a run. The specs are those of the agents,
// whose names in the run may be others.
func newJob(run *dataset.Run, specs []string, newAgents []func() sim.Agent, workers int) *sim.Job {
	overlap := slices.ContainsFunc(specs, agents.Overlaps)
	if overlap {
		newAgents = agents.Share(specs, newAgents)
	}
	return &sim.Job{
		Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), Count: run.Matches, Workers: workers, Sealed: run.Seal != nil,
		NewAgent: func(number int) sim.Agent { return newAgents[number]() },
		Overlap:  overlap,
	}
}

// work plays the matches and closes the dataset.
func (o *playOptions) work(cmd *cobra.Command, job *sim.Job, w *dataset.Writer, result *playResult) error {
	p := o.progress(cmd, "matches", job.Count-w.KeptMatches())
	journal := &runJournal{forfeits: result.forfeits, progress: p, journal: w.Journal()}
	job.Journal = journal
	err := sim.Run(cmd.Context(), job, w.NewBlock, (*dataset.Block).Add, func(b *dataset.Block) error {
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
	p.End()
	result.speed = speed{Matches: p.Done(), Hands: journal.hands.Load(), Seconds: p.Seconds()}
	return err
}

// speed is the number of matches and hands played within a wall time.
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

// playResult is the result that play prints. All of it but the speed depends on the run alone.
type playResult struct {
	run      *dataset.Run
	forfeits *forfeits
	rules    *ruleset.Rules
	summary  *summary.Summary
	speed    speed
	complete bool // nothing was played, as the dataset was complete
}

func newPlayResult(run *dataset.Run) *playResult {
	rules := run.Ruleset.Rules()
	return &playResult{run: run, rules: rules, summary: summary.New(rules)}
}

// open adds the matches of the dataset in a folder.
func (r *playResult) open(dir string) error {
	d, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	return r.load(d)
}

func (r *playResult) load(d *dataset.Dataset) error {
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
	return result.print(cmd, &datasetFlags{json: o.json})
}

// agentJSON is an agent of the summary in JSON.
type agentJSON struct {
	Agent string `json:"agent"`
	summary.AgentSummary
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

// column is a column of the printed summary.
type column struct {
	name string
	summary.AgentSummary
	pooled bool // of all players: their mean points and places follow from the rules
}

// columns returns a column per agent; for equal agents, one for all and one per seat.
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

// print prints the result of matches that were written with some flags.
func (r *playResult) print(cmd *cobra.Command, o *datasetFlags) error {
	return printResult(cmd, o.json, r.json(), func(p *printer) {
		if r.complete {
			o.printComplete(p)
		}
		p.paragraph("%s, %s: %s, %s, %s; intervals of 95 %%",
			sanitize.Line(r.run.Ruleset.Name), seedText(r.run), digits.Count(r.summary.Matches, "match"), digits.Count(r.summary.Hands, "hand"), digits.Count(r.summary.Decisions, "decision"))
		p.printf("\n")
		p.table(r.table())
		if s := r.speed; s.Matches > 0 {
			p.printf("\nPlayed %s in %.2f s: %s matches/s, %s hands/s\n",
				digits.Count(s.Matches, "match"), s.Seconds, progress.FormatRate(s.perSecond(s.Matches)), progress.FormatRate(s.perSecond(s.Hands)))
		}
	})
}

func (r *playResult) table() *page.Table {
	list := r.columns()
	t := &page.Table{Head: []string{""}}
	for _, c := range list {
		t.Head = append(t.Head, c.name)
	}
	row := func(name string, cell func(c *column) string) {
		cells := make([]string, len(list))
		for i := range list {
			cells[i] = cell(&list[i])
		}
		t.Rows = append(t.Rows, page.Row{Label: name, Cells: cells})
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
	for i, place := range []string{"1st", "2nd", "3rd", "4th"}[:r.rules.NumSeats()] {
		apart(place, func(c *column) string { return rateText(c.Places[i]) })
	}
	decimals := digits.OfPoints(r.rules.StartingPoints)
	apart("points", func(c *column) string { return meanText(c.Points, decimals) })
	apart("placement", func(c *column) string { return meanText(c.Placement, 2) })
	row("hands", func(c *column) string { return fmt.Sprint(c.Hands) })
	row("win", func(c *column) string { return rateText(c.Wins) })
	row("  self-draw", func(c *column) string { return rateText(c.SelfDraws) })
	row("deal-in", func(c *column) string { return rateText(c.DealIns) })
	if ready := r.rules.Ready; ready != ruleset.NoReady {
		row(ruleset.WordOf(ready), func(c *column) string { return rateText(c.Readies) })
	}
	row("call", func(c *column) string { return rateText(c.Calls) })
	row("draw", func(c *column) string { return rateText(c.Draws) })
	if slices.ContainsFunc(list, func(c column) bool { return c.Forfeits > 0 }) {
		row("forfeited", func(c *column) string { return fmt.Sprint(c.Forfeits) })
	}
	return t
}

// commitment returns the commitment of a sealed run in hexadecimal, or an empty text.
func commitment(run *dataset.Run) string {
	if run.Seal == nil {
		return ""
	}
	return fmt.Sprintf("%x", run.Seal.Commitment)
}

// seedText returns the seed of a run, or the beginning of the commitment to it.
func seedText(run *dataset.Run) string {
	if run.Seal == nil {
		return fmt.Sprintf("seed %d", run.Seed)
	}
	return fmt.Sprintf("sealed %.16s", commitment(run))
}

func rateText(r summary.Rate) string {
	if !r.Low.Known() {
		return fmt.Sprintf("%.2f%%", 100*r.Rate)
	}
	return fmt.Sprintf("%.2f%% [%.2f, %.2f]", 100*r.Rate, 100*r.Low, 100*r.High)
}

func meanText(m summary.Mean, decimals int) string {
	if i := m.Interval; i != nil {
		return digits.Interval(m.Mean, i[0], i[1], decimals)
	}
	return digits.Fixed(m.Mean, decimals)
}
