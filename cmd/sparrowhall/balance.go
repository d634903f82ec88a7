package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/analysis/balance"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
)

// balanceOptions are the flags of balance.
type balanceOptions struct {
	ruleset string
	matches int64
	seed    uint64
	adapt   int64
	json    bool
	pageFlags
	workFlags
}

func newBalanceCommand() *cobra.Command {
	var o balanceOptions
	cmd := &cobra.Command{
		Use:   "balance",
		Short: "Compare one ruleset with all presets",
		Long: `Balance plays a ruleset and compares it with the presets, in units that all
families share: the shares of luck and skill, and the worth of the seats and of
the first move. It also compares the length of matches and hands, changes of
the lead, the spread of points, and the variety of patterns. The presets are
those for as many players.

Three groups of agents play --matches each: equal agents, agents of
different strength with a beginner, and the same without a beginner. Then an
agent adapts to the ruleset: its weights are tuned within --adapt matches, and
it plays --matches among others that are not tuned. The agents are always the
same, so that rulesets can be compared; docs/balance.md defines the figures.`,
		Example: `  sparrowhall balance --ruleset mcr_2006
  sparrowhall balance --ruleset my_rules.toml --html my_rules.html`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.balance(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	f.Int64Var(&o.matches, "matches", 0, "matches of each group, a multiple of the number of players;\ndefault those of the presets: 1000, or 6000 hands\nif matches are short")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the matches")
	f.Int64Var(&o.adapt, "adapt", balance.DefaultAdapt, "matches within which an agent adapts; 0 for none")
	o.addPage(cmd, "file to write the comparison to as a web page")
	o.addWork(cmd, "matches played")
	jsonFlag(cmd, &o.json)
	return cmd
}

func (o *balanceOptions) balance(cmd *cobra.Command) error {
	if o.adapt < 0 {
		return usagef("--adapt: %d matches; at least 0", o.adapt)
	}
	rules, err := openRuleset(cmd.Context(), o.ruleset)
	if err != nil {
		return err
	}
	players := rules.Config.Common().NumSeats()
	if !cmd.Flags().Changed("matches") {
		o.matches = int64(balance.DefaultMatches(rules.Rules()))
	}
	if n := int64(players); o.matches < 1 || o.matches%n != 0 {
		return usagef("--matches: %d; allowed: multiples of %d, as the agents change seats on the same walls", o.matches, n)
	}
	if err := o.checkFile(); err != nil {
		return err
	}
	presets, err := balance.Presets(players)
	if err != nil {
		return err
	}
	job := &balance.Job{Ruleset: rules, Matches: uint64(o.matches), Seed: o.seed, Adapt: o.adapt, NewAgent: agents.New, Workers: o.number()}
	if err := job.Check(); err != nil {
		return wrongUsage{err}
	}
	if err := job.CheckAdapt(); err != nil {
		return usagef("--adapt: %w", err)
	}
	p := o.progress(cmd, "matches", job.MaxMatches())
	p.AtMost = o.adapt > 0
	v, err := balance.Play(cmd.Context(), job, p)
	p.End()
	if err != nil {
		return explainInterrupt(err)
	}
	if err := o.write(func(w io.Writer) error { return v.HTML(w, presets, commandText(cmd, nil)) }); err != nil {
		return err
	}
	list := v.Compare(presets)
	return printResult(cmd, o.json, struct {
		Summary *findings.Summary `json:"summary"`
		*balance.Profile
		Figures []balance.Comparison `json:"figures"`
		Remarks []string             `json:"remarks"`
	}{v.Summary(list, presets), v, list, balance.Remarks(list)}, func(p *printer) { p.balance(v, list, presets) })
}

// maxPrices is the number of patterns that are printed, those farthest from the line.
const maxPrices = 8

func (p *printer) balance(v *balance.Profile, list []balance.Comparison, presets []balance.Profile) {
	p.summary(v.Summary(list, presets))
	for _, text := range balance.SeatRemarks(list) {
		p.item(text + ".")
	}
	if v.Adaptation != nil {
		p.printf("\n")
	}
	p.paragraphs(v.DescribeAdaptation()...)
	var tables []page.Table
	if beside := balance.BesideTable(list); beside != nil {
		tables = append(tables, *beside)
	}
	for i := range list {
		b := &list[i]
		if n := len(tables); n == 0 || tables[n-1].Title != string(b.Group) {
			tables = append(tables, page.Table{Title: string(b.Group), Head: []string{"figure", "here", "presets", "place"}})
		}
		last := &tables[len(tables)-1]
		last.Rows = append(last.Rows, page.Row{Label: b.Name, Cells: []string{b.Figure.Text(), b.Range(), b.Place()}})
	}
	for _, prices := range [...]*page.Table{v.PriceTable(), v.OfferTable()} {
		prices.Rows = prices.Rows[:min(len(prices.Rows), maxPrices)]
		tables = append(tables, *prices)
	}
	p.tables(tables...)
}
