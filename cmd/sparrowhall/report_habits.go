package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// habitsOptions are the flags of report habits.
type habitsOptions struct {
	judge, player, seal string
	deals, decisions    int
	matches             int64
	json                bool
	workFlags
}

func newReportHabitsCommand() *cobra.Command {
	var o habitsOptions
	cmd := &cobra.Command{
		Use:   "habits DIR",
		Short: "Compare the habits of recorded players with an agent",
		Long: `Habits compares the players of a dataset, people of imported records or agents,
with a judge under the same rules. It prints how often each declares ready,
calls, wins or plays safe in the same positions, and what the differences cost.
Results of hands are compared with --matches matches of the judge against
itself.

The cost of an answer is estimated as by review, at some decisions of each habit
that are drawn from all. Differences are corrected for their number (Holm).`,
		Example: `  sparrowhall report habits runs/club
  sparrowhall report habits runs/club --player "Aoki" --decisions 200`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.judge, "judge", "expert", "built-in agent to compare with")
	f.StringVar(&o.player, "player", "", "compare only the player of this name")
	f.IntVar(&o.decisions, "decisions", 60, "decisions of each habit whose cost is estimated")
	f.IntVar(&o.deals, "deals", 50, "deals of the unseen tiles per decision")
	f.Int64Var(&o.matches, "matches", 200, "matches that the judge plays against itself")
	jsonFlag(cmd, &o.json)
	o.addWork(cmd, "matches replayed and decisions judged")
	sealFileFlag(cmd, &o.seal, sealHelp)
	require(cmd, o.check)
	return cmd
}

func (o *habitsOptions) check() error {
	switch {
	case o.deals < 2 || o.deals > 100000:
		return usagef("--deals: %d; allowed: 2 to 100000", o.deals)
	case o.decisions < 2 || o.decisions > 100000:
		return usagef("--decisions: %d; allowed: 2 to 100000", o.decisions)
	case o.matches < 2 || o.matches > 1e6:
		return usagef("--matches: %d; allowed: 2 to 1000000", o.matches)
	}
	return nil
}

// habits is the result that report habits prints.
type habits struct {
	Dataset string `json:"dataset"`
	Ruleset string `json:"ruleset"`
	Player  string `json:"player,omitempty"`
	Judge   string `json:"judge"`
	*review.People

	rules *ruleset.Rules
}

func (o *habitsOptions) run(cmd *cobra.Command, dir string) error {
	judge, err := newJudge(o.judge)
	if err != nil {
		return err
	}
	d, err := openDataset(cmd.Context(), dir, o.seal)
	if err != nil {
		return err
	}
	if d.Matches() == 0 {
		return fmt.Errorf("%s: %w", dir, stats.ErrNothing)
	}
	p := o.progress(cmd, "matches and decisions", d.Matches()+uint64(o.matches))
	found, err := review.Habits(cmd.Context(), d, &review.HabitOptions{
		NewJudge: judge, Player: o.player, Decisions: o.decisions, Deals: o.deals, Matches: uint64(o.matches), Workers: o.number(), Done: p.Add,
	})
	p.End()
	if err != nil {
		return explainInterrupt(fmt.Errorf("%s: %w", dir, err))
	}
	result := habits{Dataset: dir, Ruleset: d.Run.Ruleset.Name, Player: o.player, Judge: o.judge, People: found, rules: d.Rules()}
	return printResult(cmd, o.json, result, result.print)
}

func (r *habits) print(p *printer) {
	who := "all players"
	if r.Player != "" {
		who = r.Player
	}
	p.paragraphs(sanitize.Line(fmt.Sprintf("%s (%s): %s compared with %s, in %s, %s", r.Dataset, r.Ruleset, who, r.Judge, digits.Count(r.Matches, "match"), digits.Count(r.Hands, "hand"))))
	p.paragraph("Of %d decisions %s answers %s alike.", r.Decisions, r.Judge, digits.Share(float64(r.Same)/float64(max(r.Decisions, 1))))
	if r.Unknown > 0 {
		p.paragraph("%d passed claims are left out: another claim went through, and the record does not show who else wanted the tile.", r.Unknown)
	}
	p.printf("\n")
	p.paragraph("What differs:")
	found := r.findings()
	if len(found) == 0 {
		found = []string{"No habit and no result differs clearly."}
	}
	for _, text := range found {
		p.item(text)
	}
	p.printf("\n")
	p.tables(r.tables()...)
}

// shareText returns a share of cases in percent, "-" without cases.
func shareText(e *stats.Estimate) string {
	if e.Count == 0 {
		return "-"
	}
	return digits.Share(e.Value)
}

// gapText returns a difference with its interval: of shares in percentage points.
func gapText(d *stats.Difference, u stats.Unit) string {
	if !d.P.Known() {
		return "-"
	}
	scale, most := 1.0, math.Inf(1)
	if u == stats.Share {
		scale, most = 100, 1
	}
	places := digits.Places(scale * d.Error)
	text := digits.Signed(scale*d.Value, places)
	if d.Low.Known() {
		text += fmt.Sprintf(" [%s, %s]", digits.Fixed(scale*max(float64(d.Low), -most), places), digits.Fixed(scale*min(float64(d.High), most), places))
	}
	if d.Adjusted < clearBelow {
		text += " *"
	}
	return text
}

// findings returns what differs clearly, in words.
func (r *habits) findings() (list []string) {
	for i := range r.Habits {
		h := &r.Habits[i]
		if !(h.Adjusted < clearBelow) {
			continue
		}
		more := "More"
		if h.Value < 0 {
			more = "Less"
		}
		text := fmt.Sprintf("%s often than %s they %s: in %s instead of %s of %.0f positions", more, r.Judge, h.About, shareText(&h.People), shareText(&h.Judge), h.People.Count)
		if h.Total.Clear() {
			text += fmt.Sprintf("; the difference costs %s points in 100 hands", r.cost(&h.Total))
		}
		list = append(list, text)
	}
	for i := range r.Results {
		x := &r.Results[i]
		if x.Adjusted < clearBelow {
			list = append(list, fmt.Sprintf("%s: %s, %s %s", x.About, r.value(&x.People, x.Unit, x.Error), r.Judge, r.value(&x.Judge, x.Unit, x.Error)))
		}
	}
	return list
}

func (r *habits) value(e *stats.Estimate, u stats.Unit, err float64) string {
	if u == stats.Share {
		return shareText(e)
	}
	return digits.Fixed(e.Value, digits.Places(err))
}

func (r *habits) cost(c *review.Cost) string {
	if !c.Cost.Known() {
		return "-"
	}
	return digits.Interval(float64(c.Cost), float64(c.Low), float64(c.High), digits.OfPoints(r.rules.StartingPoints))
}

func (r *habits) tables() []page.Table {
	answers := page.Table{
		Title: "Answers in the same positions", Head: []string{"habit", "positions", "players", r.Judge, "difference, pp"},
		Note: "Intervals are of 95 %, by matches; a star marks differences that are clear at 5 % among all habits together.",
	}
	costs := page.Table{
		Title: "What the differences cost, in points", Head: []string{"habit", "differ", "judged", "each", "in 100 hands"},
		Note: "A decision counts for the first habit in which the answers differ. The costs are those of the decisions judged, among players like the judge.",
	}
	for i := range r.Habits {
		h := &r.Habits[i]
		if h.People.Count > 0 {
			answers.Rows = append(answers.Rows, page.Row{Label: h.Name, Cells: []string{
				fmt.Sprintf("%.0f", h.People.Count), shareText(&h.People), shareText(&h.Judge), gapText(&h.Difference, stats.Share),
			}})
		}
		costs.Rows = append(costs.Rows, page.Row{Label: h.Name, Cells: []string{fmt.Sprint(h.Differ), fmt.Sprint(h.Judged), r.cost(&h.Cost), r.cost(&h.Total)}})
	}
	for i := range r.Habits {
		answers.Note += fmt.Sprintf(" %s: %s.", r.Habits[i].Name, r.Habits[i].About)
	}
	results := page.Table{
		Title: "Results of hands", Head: []string{"result", "players", r.Judge, "difference"},
		Note: fmt.Sprintf("%s in %d matches against itself. Shares differ in percentage points.", r.Judge, r.Played),
	}
	for i := range r.Results {
		x := &r.Results[i]
		results.Rows = append(results.Rows, page.Row{Label: x.About, Cells: []string{
			r.value(&x.People, x.Unit, x.Error), r.value(&x.Judge, x.Unit, x.Error), gapText(&x.Difference, x.Unit),
		}})
	}
	return []page.Table{answers, costs, results}
}
