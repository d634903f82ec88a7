package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Summary returns the summary of the search: by how much the best ruleset is closer to the
// targets than the one without changes. It was chosen by these figures, so each probability is
// multiplied by the number of rulesets tried (Bonferroni), and then corrected for the targets
// (Holm). The errors are taken as independent, which overstates the error of a difference with
// common random numbers.
func (o *Outcome) Summary() *findings.Summary {
	s := &findings.Summary{Scale: findings.NewText("tune.scale")}
	s.Compared = []findings.Text{
		findings.NewText("tune.compared", o.Run.Ruleset.Name, o.Search.Seed, findings.ListAgents(o.Run.Agents), len(o.Result.Trials), o.Result.Legal, o.Search.Matches),
		findings.NewText("tune.targets", o.TargetText), findings.NewText("tune.knobs", strings.Join(o.Space.keys(), ", ")),
	}
	if len(o.Result.Best) == 0 {
		return s
	}
	best, start := &o.Result.Best[0], &o.Result.Start
	tests := make([]*stats.Difference, len(o.Search.Targets))
	for i := range o.Search.Targets {
		a, b := start.Measured[i], best.Measured[i]
		tests[i] = &stats.Difference{Value: b.Value - a.Value, Error: math.Hypot(a.Error, b.Error), P: 1, Adjusted: interval.Missing}
		if d := tests[i]; a.Known() && b.Known() && d.Error > 0 {
			d.P = interval.Number(min(1, 2*distuv.UnitNormal.Survival(math.Abs(d.Value)/d.Error)*float64(len(o.Result.Trials))))
		}
	}
	stats.Adjust(tests)
	name := findings.PlainText(o.Name(best.Candidate))
	var list []findings.Finding
	for i := range o.Search.Targets {
		w := &o.Search.Targets[i]
		a, b := start.Measured[i], best.Measured[i]
		value, _ := o.Verdict(i, b)
		before, _ := o.Verdict(i, a)
		if !a.Known() || !b.Known() {
			s.Unchanged = append(s.Unchanged, findings.NewText("tune.unmeasured", w.Text, value, before))
			continue
		}
		if a.Error > 0 {
			before = (&stats.Estimate{Value: a.Value, Error: a.Error}).Rounded(a.Unit)
		}
		closer := w.Distance(a.Value) - w.Distance(b.Value)
		if !tests[i].Clear() || closer == 0 {
			id := "tune.unchanged"
			if tests[i].Clear() {
				id = "tune.both"
			}
			s.Unchanged = append(s.Unchanged, findings.NewText(id, w.Text, value, before))
			continue
		}
		f := findings.Finding{
			Text: findings.NewText("tune.finding", name, w.Text), Number: findings.NewText("tune.met", value, before, o.verdictText(i, b)),
			P: tests[i].Adjusted, Topic: w.Text, Picture: o.picture(i, best),
		}
		if closer < 0 {
			f.Text.ID = "tune.worse"
		}
		if a.Spread > 0 {
			f.Size = closer / a.Spread
		}
		list = append(list, f)
	}
	s.Findings = findings.Choose(list)
	s.Further = len(list) - len(s.Findings)
	s.Certainty = append(s.Certainty, findings.NewText("tune.corrected", len(o.Result.Trials)))
	if o.Search.changed(best.Candidate) > 0 {
		s.Certainty = append(s.Certainty, findings.NewText("tune.again", o.again(best.Candidate)))
	}
	if rest := o.Result.Legal - len(o.Result.Trials); rest > 0 {
		s.Certainty = append(s.Certainty, findings.NewText("tune.legal", rest))
	}
	s.Certainty = append(s.Certainty, findings.NewText("sure.more", 4*o.Search.Matches), findings.NewText("sure.programs"))
	return s
}

// verdictText returns whether a figure meets target i.
func (o *Outcome) verdictText(i int, m Measured) findings.Text {
	_, verdict := o.Verdict(i, m)
	switch by, missed := strings.CutPrefix(verdict, "missed by "); {
	case missed:
		return findings.NewText("tune.verdict.missed", by)
	case verdict == "met":
		return findings.NewText("tune.verdict.met")
	}
	return findings.NewText("tune.verdict.within")
}

// picture returns the figure of target i of a trial, beside that without changes and the target.
func (o *Outcome) picture(i int, t *Trial) findings.Picture {
	w, m, before := &o.Search.Targets[i], t.Measured[i], o.Result.Start.Measured[i].Value
	without := findings.NewText("tune.before")
	p := findings.Picture{Value: m.Value, Low: m.Low, High: m.High, Marks: []findings.Mark{{At: before, Name: without}}, Band: [2]float64{w.Low, w.High}}
	p.Lines = []findings.Mark{{At: before, Name: without}}
	p.Text = m.Unit.Text
	if w.Low == w.High {
		p.Lines = append(p.Lines, findings.Mark{At: w.Low, Name: findings.PlainText(w.Text)})
	}
	findings.Align(&p)
	return p
}

// again returns the command that measures a candidate with as many matches of the same agents on
// other walls.
func (o *Outcome) again(c Candidate) string {
	list := []string{"sparrowhall sweep --ruleset", shellquote.Join(o.Space.source.Path)}
	for i, change := range o.Space.changes(c) {
		if c[i] != o.Search.Start[i] {
			list = append(list, "--knob", change.Flag())
		}
	}
	flag, specs := "--agents", []string{strings.Join(o.Run.Agents, ",")}
	if slices.ContainsFunc(o.Run.Agents, func(spec string) bool { return strings.Contains(spec, ",") }) {
		flag, specs = "--agent", o.Run.Agents
	}
	for _, spec := range specs {
		list = append(list, flag, shellquote.Join(spec))
	}
	return strings.Join(append(list, fmt.Sprintf("--matches %d --seed %d", o.Search.Matches, o.Search.Seed+1)), " ")
}
