package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/outfolder"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/variant"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Outcome is a completed search with what its reports need.
type Outcome struct {
	Search *Search
	Result *Result
	Space  *Space
	// Run is the run of the ruleset without changes. Field names the agents whose ranks measure
	// skill, and TargetText is the text of the targets.
	Run               *dataset.Run
	Field, TargetText string
	// Command is the command that made the search, for its page.
	Command string
}

// Name returns the changes of a candidate as text.
func (o *Outcome) Name(c Candidate) string { return variant.Name(o.Space.changes(c)) }

// Verdict returns the measured figure of target i as text, "-" if it is missing, and whether it
// meets the target.
func (o *Outcome) Verdict(i int, m Measured) (value, verdict string) {
	if !m.Known() {
		return "-", "not measured"
	}
	w := &o.Search.Targets[i]
	unit := m.Unit
	missUnit := unit
	if unit == stats.Share {
		missUnit = stats.Gap
	}
	e := stats.Estimate{Value: m.Value, Error: m.Error, Count: 1, Low: interval.Missing, High: interval.Missing}
	if m.Low < m.High { // otherwise the figure is exact, or there are too few matches
		e.Low, e.High = interval.Number(m.Low), interval.Number(m.High)
	}
	switch d := w.Distance(m.Value); {
	case d == 0:
		verdict = "met"
	case m.Low <= w.High && m.High >= w.Low:
		verdict = "met within the interval"
	default:
		verdict = "missed by " + (&stats.Estimate{Value: d, Error: m.Error}).Rounded(missUnit)
	}
	return e.Text(unit), verdict
}

// Table returns a table of the figures of a trial, a row for each target.
func (o *Outcome) Table(t *Trial) *page.Table {
	table := &page.Table{Head: []string{"target", "figure", ""}}
	for i, m := range t.Measured {
		value, verdict := o.Verdict(i, m)
		table.Rows = append(table.Rows, page.Row{Label: o.Search.Targets[i].Text, Cells: []string{value, verdict}})
	}
	return table
}

// File returns a trial as a ruleset file, with the figures in comments.
func (o *Outcome) File(t *Trial) (string, error) {
	var b strings.Builder
	changes := o.Space.changes(t.Candidate)
	r, err := o.Space.source.Apply(changes)
	if err != nil {
		return "", err
	}
	r.Description = sanitize.Line(fmt.Sprintf("%s tuned to %s", o.Run.Ruleset.Name, o.TargetText))
	fmt.Fprintf(&b, "# Found by sparrowhall tune --want %q.\n", o.TargetText)
	fmt.Fprintf(&b, "# %d matches of %s, seed %d; %d of %d rulesets were tried.\n", t.Matches, sanitize.Line(strings.Join(o.Run.Agents, ", ")), o.Search.Seed, len(o.Result.Trials), o.Result.Legal)
	if slices.ContainsFunc(o.Search.Targets, func(w Target) bool { return w.Skill }) {
		fmt.Fprintf(&b, "# Skill is measured in as many matches of %s.\n", sanitize.Line(o.Field))
	}
	for i, m := range t.Measured {
		value, verdict := o.Verdict(i, m)
		before, _ := o.Verdict(i, o.Result.Start.Measured[i])
		fmt.Fprintf(&b, "# %s: %s, %s; without changes %s\n", o.Search.Targets[i].Text, value, verdict, before)
	}
	if !slices.Contains(configs.Names(), o.Space.source.Path) {
		// The file may be copied anywhere, so it names no other file.
		return b.String() + r.TOML(), nil
	}
	fmt.Fprintf(&b, "description = %q\nbase = %q\n", r.Description, o.Space.source.Path)
	var prices strings.Builder
	for i, c := range changes {
		k, _ := ruleset.FindKnob(r.Knobs(), c.Key)
		line := k.Text()
		if old, _ := ruleset.FindKnob(o.Run.Ruleset.Knobs(), c.Key); t.Candidate[i] != o.Search.Start[i] {
			line += " # " + old.Text()
		}
		if id, ok := strings.CutPrefix(c.Key, "patterns."); ok {
			fmt.Fprintf(&prices, "%s = %s\n", id, line)
			continue
		}
		fmt.Fprintf(&b, "%s = %s\n", c.Key, line)
	}
	if prices.Len() > 0 {
		b.WriteString("\n[patterns]\n" + prices.String())
	}
	return b.String(), nil
}

// folder is the kind of a folder with an outcome, which has the parts of the search as well.
var folder = outfolder.Kind{Name: "outcome", Mark: "sparrowhall-tune.json"}

// The files of an outcome, beside those of the best.
const pageFile, jsonFile, svgFile, pngFile = "tune.html", "result.json", "tradeoff.svg", "tradeoff.png"

// bestFile is the name of the ruleset file of best trial i.
func bestFile(i int) string { return fmt.Sprintf("best%d.toml", i+1) }

// CheckFolder returns an error if the outcome of a search for some best trials cannot be written to
// a folder, because it has other files of these names.
func CheckFolder(dir string, best int) error {
	names := []string{pageFile, jsonFile, svgFile, pngFile}
	for i := range best {
		names = append(names, bestFile(i))
	}
	return folder.CheckUpdate(dir, names)
}

// Write writes to a folder a page, a ruleset file for each of the best trials, the picture of the
// trade-off, and the outcome as JSON, in place of an earlier outcome.
func (o *Outcome) Write(dir string) error { return folder.Update(dir, o.fill) }

func (o *Outcome) fill(dir string) error {
	for i := range o.Result.Best {
		text, err := o.File(&o.Result.Best[i])
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, bestFile(i)), []byte(text), 0o666); err != nil {
			return err
		}
	}
	picture, err := o.Search.plot(o.Result)
	if err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{svgFile: picture.SVG, pngFile: picture.PNG, pageFile: o.HTML, jsonFile: o.writeJSON} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (o *Outcome) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(o.JSON())
}

// trialJSON is a trial with the values of its knobs.
type trialJSON struct {
	Knobs map[string]any `json:"knobs"`
	Trial
}

// JSON returns the outcome in the form that is encoded as JSON.
func (o *Outcome) JSON() any {
	trials := func(list []Trial) []trialJSON {
		out := []trialJSON{}
		for _, t := range list {
			knobs := map[string]any{}
			for _, c := range o.Space.changes(t.Candidate) {
				knobs[c.Key] = c.Value
			}
			out = append(out, trialJSON{knobs, t})
		}
		return out
	}
	var targets []string
	for i := range o.Search.Targets {
		targets = append(targets, o.Search.Targets[i].Text)
	}
	return struct {
		Summary *findings.Summary `json:"summary"`
		Ruleset string            `json:"ruleset"`
		Agents  []string          `json:"agents"`
		Seed    uint64            `json:"seed"`
		Targets []string          `json:"wishes"`
		Legal   int               `json:"legal"`
		Drawn   int               `json:"drawn"`
		Start   Trial             `json:"start"`
		Best    []trialJSON       `json:"best"`
		Trials  []trialJSON       `json:"trials"`
	}{o.Summary(), o.Run.Ruleset.Name, o.Run.Agents, o.Search.Seed, targets, o.Result.Legal, o.Result.Drawn, o.Result.Start, trials(o.Result.Best), trials(o.Result.Trials)}
}
