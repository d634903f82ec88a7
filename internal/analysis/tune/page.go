package tune

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed page.html
var pageText string

var pageTemplate = findings.NewPage("tune", pageText)

// HTML writes the outcome as one page that loads nothing: why the best is best, the trade-off,
// and all trials.
func (o *Outcome) HTML(w io.Writer) error {
	picture, err := o.Search.plot(o.Result)
	if err != nil {
		return err
	}
	family := o.Run.Ruleset.Family.Name
	title := findings.NewText("title.tune", o.Run.Ruleset.Name)
	return pageTemplate.Execute(w, "tune", family, map[string]any{
		"Title": title.String(), "Heading": title.HTML(), "Summary": o.Summary().Sections(family), "Style": page.Style,
		"Script": page.Sort, "SummaryScript": findings.Script, "Best": o.bestTable(), "Tradeoff": picture, "Tried": o.triedTable(),
		"Made": release.Made(sim.EngineVersion, release.Rules(o.Run.Ruleset.Name, fmt.Sprintf("%x", o.Run.Ruleset.Hash())), fmt.Sprintf("seed %d", o.Search.Seed), o.Command),
	})
}

// bestTable returns the figures of the best trials and of the ruleset without changes, and how
// much each target adds to the loss.
func (o *Outcome) bestTable() *page.Table {
	t := &page.Table{
		Title: "Why the best is best",
		Note:  "The smallest loss is best. The loss is the sum over all targets of (10 d / σ)², which stands in brackets after each figure: d is by how much the figure misses the target, σ the deviation of the figure in a single match without changes.",
		Head:  []string{"ruleset", "loss"},
	}
	for i := range o.Search.Targets {
		t.Head = append(t.Head, o.Search.Targets[i].Text)
	}
	add := func(label string, trial *Trial) {
		row := page.Row{Label: label, Cells: []string{lossText(trial)}}
		for i, m := range trial.Measured {
			value, verdict := o.Verdict(i, m)
			if m.Known() {
				d := o.Search.Targets[i].Distance(m.Value) / o.Result.Scales[i]
				verdict = fmt.Sprintf("%s, %s (%s)", value, verdict, digits.Significant(d*d))
			}
			row.Cells = append(row.Cells, verdict)
		}
		t.Rows = append(t.Rows, row)
	}
	for i := range o.Result.Best {
		add(fmt.Sprintf("%d. %s", i+1, sanitize.Line(o.Name(o.Result.Best[i].Candidate))), &o.Result.Best[i])
	}
	add("without changes", &o.Result.Start)
	return t
}

// lossText returns the loss of a trial, "-" if a figure is missing.
func lossText(t *Trial) string {
	if math.IsInf(float64(t.Loss), 1) {
		return "-"
	}
	return digits.Significant(float64(t.Loss))
}

// triedTable returns all trials, the best first.
func (o *Outcome) triedTable() *page.Table {
	t := &page.Table{
		Title: "What was tried",
		Note:  "Each ruleset is a combination of the knobs. Those with few matches were given up for better ones. A star marks the front of the trade-off: no other ruleset is at least as good in all targets, with no more knobs changed, and better in one.",
		Head:  append([]string{"ruleset"}, "matches", "loss", "front"),
	}
	for i := range o.Search.Targets {
		t.Head = append(t.Head, o.Search.Targets[i].Text)
	}
	for i := range o.Result.Trials {
		trial := &o.Result.Trials[i]
		front := ""
		if trial.Front {
			front = "*"
		}
		row := page.Row{Label: sanitize.Line(o.Name(trial.Candidate)), Cells: []string{strconv.Itoa(trial.Matches), lossText(trial), front}}
		for k, m := range trial.Measured {
			value, _ := o.Verdict(k, m)
			row.Cells = append(row.Cells, value)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
