package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/variant"
	"github.com/sparrowhall/sparrowhall/internal/analysis/whatif"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// whatIfOptions are the flags of rules what-if.
type whatIfOptions struct {
	knobs       []string
	judge, seal string
	json        bool
	workFlags
}

func newRulesWhatIfCommand() *cobra.Command {
	var o whatIfOptions
	cmd := &cobra.Command{
		Use:   "what-if DIR",
		Short: "Re-score recorded matches under another rule",
		Long: `What-if replays the matches of a dataset, played or imported, at a second table
with other values of knobs, and gives the recorded answers there. It prints how
values, payments, points and places would have differed, with intervals.

A hand is re-scored where every player would have seen the same and had the same
choices at every decision. Other hands are set apart, with the reason. A knob on
which the choices of most hands depend is refused: sweep plays both rules.

Players who know the other rule might have chosen otherwise from the same
choices. The record cannot show that; how often --judge does is printed.`,
		Example: `  sparrowhall rules what-if runs/club --knob double_wind_pair_fu=2
  sparrowhall rules what-if runs/first --knob 'placement=[30,10,-10,-30]' --json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.knobs, "knob", nil, "KEY=VALUE: a knob and its other value; may be given again")
	f.StringVar(&o.judge, "judge", "expert", "built-in agent that answers under both rules, or none")
	jsonFlag(cmd, &o.json)
	o.addWork(cmd, "matches replayed")
	sealFileFlag(cmd, &o.seal, sealHelp)
	return cmd
}

func (o *whatIfOptions) changes(source *variant.Source) (list []variant.Change, err error) {
	if len(o.knobs) == 0 {
		return nil, usagef("--knob is missing: which rule would be another? Name it and its value, such as --knob min_win=2")
	}
	for _, text := range o.knobs {
		if !strings.Contains(text, "=") {
			return nil, usagef("--knob %s: name its value: %s=VALUE", text, text)
		}
		found, err := source.Parse(text, true)
		if err != nil {
			return nil, usagef("--knob: %w", err)
		}
		if len(found) != 1 {
			return nil, usagef("--knob %s: %d values; name one, sweep compares several", text, len(found))
		}
		for _, c := range list {
			if c.Key == found[0].Key {
				return nil, usagef("--knob %s: %s is given twice", text, c.Key)
			}
		}
		list = append(list, found[0])
	}
	return list, nil
}

// apply returns the rules with some changes, which must differ from those of the source and be
// for as many players.
func (o *whatIfOptions) apply(source *variant.Source, changes []variant.Change) (*configs.Ruleset, error) {
	r, err := source.Apply(changes)
	if err == nil {
		_, err = source.Append(nil, r)
	}
	if err != nil {
		return nil, usagef("--knob: %w", err)
	}
	return r, nil
}

// whatIf is the result that rules what-if prints.
type whatIf struct {
	Dataset string `json:"dataset"`
	Ruleset string `json:"ruleset"`
	Changes string `json:"changes"`
	Judge   string `json:"judge,omitempty"`
	*whatif.Result

	sweep string // the command that plays both rules
}

func (o *whatIfOptions) run(cmd *cobra.Command, dir string) error {
	options := whatif.Options{Workers: o.number()}
	if o.judge != "none" {
		judge, err := newJudge(o.judge)
		if err != nil {
			return err
		}
		options.NewJudge = judge
	}
	d, err := openDataset(cmd.Context(), dir, o.seal)
	if err != nil {
		return err
	}
	if d.Matches() == 0 {
		return fmt.Errorf("%s: %w", dir, stats.ErrNothing)
	}
	recorded, err := d.Manifest.ReadRuleset()
	if err != nil {
		return err
	}
	source := &variant.Source{Path: recorded.Name, Ruleset: recorded}
	changes, err := o.changes(source)
	if err != nil {
		return err
	}
	other, err := o.apply(source, changes)
	if err != nil {
		return err
	}
	options.Other = other.Rules()
	result := whatIf{Dataset: dir, Ruleset: d.Run.Ruleset.Name, Changes: whatif.Changes(recorded, other), sweep: "sparrowhall sweep --ruleset " + d.Run.Ruleset.Name}
	if options.NewJudge != nil {
		result.Judge = o.judge
	}
	for _, c := range changes {
		options.Keys = append(options.Keys, c.Key)
		result.sweep += " --knob " + c.Flag()
		if len(changes) > 1 {
			one, err := o.apply(source, []variant.Change{c})
			if err != nil {
				return err
			}
			options.Alone = append(options.Alone, one.Rules())
		}
	}
	p := o.progress(cmd, "matches", d.Matches())
	options.Read = p.Add
	result.Result, err = whatif.Run(cmd.Context(), d, &options)
	p.End()
	if errors.Is(err, whatif.ErrDepends) {
		return fmt.Errorf("%s: %w; play both rules: %s", dir, err, result.sweep)
	}
	if err != nil {
		return explainInterrupt(err)
	}
	return printResult(cmd, o.json, result, result.print)
}

func (r *whatIf) print(p *printer) {
	p.paragraphs(fmt.Sprintf("%s (%s), %s, %s, as if %s", sanitize.Line(r.Dataset), sanitize.Line(r.Ruleset), digits.Count(r.Matches, "match"), digits.Count(r.Hands, "hand"), r.Changes))
	p.paragraphs(r.scope()...)
	found := r.findings()
	if len(found) == 0 {
		found = []string{"No figure changes clearly."}
	}
	p.paragraph("What changes:")
	for _, text := range found {
		p.item(text)
	}
	p.printf("\n")
	p.paragraphs(r.decisions()...)
	t := r.table()
	p.table(&t)
	p.paragraph("%s", t.Note)
}

// scope describes what is re-scored and what is not.
func (r *whatIf) scope() []string {
	rescored := r.Hands - r.Apart.Hands
	list := []string{fmt.Sprintf("Re-scored: %s (%s), in which every player would have seen the same and had the same choices, and %s.",
		digits.Count(rescored, "hand"), digits.Share(float64(rescored)/float64(r.Hands)), digits.Count(r.WholeMatches, "whole match"))}
	apart := func(a *whatif.HandsApart) string {
		var causes []string
		for i := range a.Causes {
			causes = append(causes, a.Causes[i].Text())
		}
		return strings.Join(causes, "; ")
	}
	if r.Apart.Hands > 0 {
		list = append(list, fmt.Sprintf("Set apart because of %s: %s (%s). The figures say nothing about them: %s.",
			r.Apart.Knobs, digits.Count(r.Apart.Hands, "hand"), digits.Share(float64(r.Apart.Hands)/float64(r.Hands)), apart(&r.Apart)))
	}
	for i := range r.Alone {
		list = append(list, fmt.Sprintf("Because of %s alone: %s.", r.Alone[i].Knobs, digits.Count(r.Alone[i].Hands, "hand")))
	}
	if r.OtherCourse > 0 {
		list = append(list, fmt.Sprintf("%s would have taken another course, with other hands than those recorded; only the recorded hands are re-scored.", digits.Count(r.OtherCourse, "match")))
	}
	if r.Incomplete > 0 {
		list = append(list, fmt.Sprintf("Not recorded to the end: %s, of which only the hands are re-scored.", digits.Count(r.Incomplete, "match")))
	}
	return list
}

// clearBelow is the corrected p-value below which a difference is a finding.
const clearBelow = 0.05

// findings returns what changes clearly, in words.
func (r *whatIf) findings() (list []string) {
	share := func(e *stats.Estimate, text string) {
		if e.Sum > 0 {
			list = append(list, fmt.Sprintf("%s: %s [%s, %s]", text, digits.Share(e.Value), digits.Share(float64(e.Low)), digits.Share(float64(e.High))))
		}
	}
	share(&r.ChangedHands, "the payments of re-scored hands change in")
	share(&r.OtherWinner, "another player wins the match in")
	share(&r.OtherPlaces, "some place changes in")
	for i := range r.Figures {
		f := &r.Figures[i]
		if !(f.Adjusted < clearBelow) {
			continue
		}
		places := digits.Places(f.Difference.Error)
		more := "more"
		if f.Difference.Value < 0 {
			more = "less"
		}
		value, low, high := f.Difference.Absolute()
		if f.Difference.Low.Known() {
			more += fmt.Sprintf(" [%s, %s]", digits.Fixed(low, places), digits.Fixed(high, places))
		}
		list = append(list, fmt.Sprintf("%s: %s %s, %s instead of %s", f.About, digits.Fixed(value, places), more,
			digits.Fixed(f.After.Value, places), digits.Fixed(f.Before.Value, places)))
	}
	return list
}

// decisions describes what the record cannot show.
func (r *whatIf) decisions() []string {
	text := "Where decisions could depend on the rule: "
	if r.OtherPoints > 0 {
		text += fmt.Sprintf("before %s the players would have had other points, counters or deposits than they knew of. ", digits.Count(r.OtherPoints, "re-scored hand"))
	}
	if d := r.Response; d != nil && d.Decisions > 0 {
		text += fmt.Sprintf("Of %s in %s %s answers %d (%s) otherwise under the other rule", digits.Count(d.Decisions, "decision"), digits.Count(d.Matches, "match"), r.Judge, d.Changed, digits.Share(float64(d.Changed)/float64(d.Decisions)))
		for _, c := range d.Kinds {
			if c.Changed > 0 {
				text += fmt.Sprintf("; %s %d of %d", c.Kind, c.Changed, c.Decisions)
			}
		}
		text += ". "
	}
	return []string{text + "The figures hold for players who go on as before. For players who know the rule, play both: " + r.sweep}
}

// table returns the figures under both rules.
func (r *whatIf) table() page.Table {
	t := page.Table{Title: "figures", Head: []string{"figure", "recorded", "other", "difference"}, Note: "Intervals are of 95 %, by matches. A star marks differences that are clear at 5 % among all figures together (Holm)."}
	for i := range r.Figures {
		f := &r.Figures[i]
		places := digits.Places(f.Difference.Error)
		change := digits.Signed(f.Difference.Value, places)
		if f.Difference.Low.Known() {
			change = fmt.Sprintf("%s [%s, %s]", change, digits.Fixed(float64(f.Difference.Low), places), digits.Fixed(float64(f.Difference.High), places))
		}
		if f.Adjusted < clearBelow {
			change += " *"
		}
		t.Rows = append(t.Rows, page.Row{Label: f.About, Cells: []string{digits.Fixed(f.Before.Value, places), digits.Fixed(f.After.Value, places), change}})
	}
	return t
}
