package main

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/summary"
	"github.com/sparrowhall/sparrowhall/internal/analysis/tune"
)

// columns are the figures of the tables of changed rulesets.
var columns = []column{
	{"hands", key("match", "hands")},
	{"empty wall", key("hand", "exhausted")},
	{"turns to win", key("win", "turns")},
	{"value of wins", key("win", "value")},
	{"players who called", key("hand", "open")},
	{"last hand decides", key("match", "last_hand_decides")},
	{"spread at the end", key("match", "spread")},
	{"dealer's edge in points", key("dealer", "points_edge")},
}

// writeScreened writes the effects of single changes, and of some together, on skill.
func (s *study) writeScreened() error {
	t := s.table("screened", "ruleset", "changed to", "skill, of ranks", "difference", "`value` over `greedy`, ranks", "`value` over `value:defence=off`, ranks", "hands", "empty wall", "last hand decides")
	var skills, ranks []*stats.Difference
	var rows [][]string
	for _, name := range changedRulesets {
		r := s.screens[name]
		base := component(r, 0, skillPart, byRank)
		for i := range r[0].Datasets {
			var knobs []string
			for _, c := range r[0].Datasets[i].Changes {
				knobs = append(knobs, "`"+c.Knob+" = "+c.To+"`")
			}
			if i == 0 {
				knobs = []string{"as it is"}
			}
			share := component(r, i, skillPart, byRank)
			var difference *stats.Difference
			if i > 0 {
				d := subtract(share, base)
				difference = &d
				skills = append(skills, difference)
			}
			lead, _ := pair(r, i, "value", "greedy")
			defence, _ := pair(r, i, "value", "value:defence=off")
			ranks = append(ranks, &lead, &defence)
			row := []string{"`" + name + "`", strings.Join(knobs, ", "), share.Text(stats.Share), "", "", ""}
			for _, k := range []stats.Key{key("match", "hands"), key("hand", "exhausted"), key("match", "last_hand_decides")} {
				e, unit := r.figure(i, k)
				row = append(row, formatEstimate(e, unit))
			}
			rows = append(rows, row)
		}
	}
	stats.Adjust(skills)
	stats.Adjust(ranks)
	for i, row := range rows {
		if row[3] = "-"; row[1] != "as it is" {
			row[3] = skills[0].Text(stats.Gap)
			skills = skills[1:]
		}
		row[4], row[5] = ranks[2*i].Text(stats.Rank), ranks[2*i+1].Text(stats.Rank)
		t.row(row...)
	}
	return nil
}

// writeProposals writes the effects of the proposals on skill in the field of able players.
func (s *study) writeProposals() error {
	s.writeEffects("proposals", ableField, "value", "greedy")
	return nil
}

// writeEffects writes the effects of the proposals on skill in a field, and on the lead of one of
// its players over another.
func (s *study) writeEffects(table, field, a, b string) {
	t := s.table(table, "ruleset", "skill, of ranks", "as proposed", "difference", "`"+a+"` over `"+b+"`, ranks", "as proposed", "difference", "matches needed", "as proposed")
	var list []*stats.Difference
	for _, name := range changedRulesets {
		before, after := s.cups[field][name], s.cups[field][proposal(name)]
		skillBefore, skillAfter := component(before, 0, skillPart, byRank), component(after, 0, skillPart, byRank)
		skill := subtract(skillAfter, skillBefore)
		ranksBefore, neededBefore := pair(before, 0, a, b)
		ranksAfter, neededAfter := pair(after, 0, a, b)
		lead := stats.Difference{Value: ranksAfter.Value - ranksBefore.Value, Error: math.Hypot(ranksAfter.Error, ranksBefore.Error)}
		setInterval(&lead)
		list = append(list, &skill, &lead)
		t.row("`"+name+"`", skillBefore.Text(stats.Share), skillAfter.Text(stats.Share), "", ranksBefore.Text(stats.Rank), ranksAfter.Text(stats.Rank), "", neededBefore, neededAfter)
	}
	stats.Adjust(list)
	for i := range changedRulesets {
		t.rows[i][3], t.rows[i][6] = list[2*i].Text(stats.Gap), list[2*i+1].Text(stats.Rank)
	}
}

// writeChanged writes the effects of the knobs one at a time, and of the proposal.
func (s *study) writeChanged() error {
	for _, name := range changedRulesets {
		head := []string{"ruleset", "players"}
		for _, c := range columns {
			head = append(head, c.title)
		}
		t := s.table("changes-"+name, append(head, "answers that change")...)
		n := len(s.changes[kinds[0]][name][0].Datasets)
		for v := range n {
			for _, kind := range kinds {
				t.rows = append(t.rows, s.effectRow(kind, name, v, n))
			}
		}
	}
	return nil
}

func (s *study) effectRow(kind, name string, v, n int) []string {
	r := s.changes[kind][name]
	label := "`" + r[0].Label(v) + "`"
	switch v {
	case 0:
		label = "as it is"
	case n - 1:
		label = "**as proposed**"
	}
	cells := []string{label, kind}
	for _, c := range columns {
		if v == 0 {
			e, unit := r.figure(0, c.key)
			cells = append(cells, formatEstimate(e, unit))
			continue
		}
		cell := "-"
		if d := s.effects[effect{kind, name, v, c.key}]; d != nil {
			cell = d.Text(r[0].Datasets[0].Figure(c.key).Unit)
			if d.Error == 0 && d.Value == 0 {
				cell = "0"
			}
		}
		cells = append(cells, cell)
	}
	answers := "-"
	if a := s.responses[response{kind, name, v}]; a != nil && v > 0 {
		answers = fmt.Sprintf("%.2f%%", 100*float64(a.Changed)/float64(a.Decisions))
	}
	return append(cells, answers)
}

// writeSearched writes the results of the searches for a better ruleset.
func (s *study) writeSearched() error {
	t := s.table("searched", "seed", "best", "skill, of ranks", "empty wall", "as it is: skill, of ranks", "empty wall")
	seeds, err := s.seeds("tune", "universal")
	if err != nil {
		return err
	}
	for _, dir := range seeds {
		var found struct {
			Start struct{ Measured []tune.Measured }
			Best  []struct {
				Knobs    map[string]any
				Measured []tune.Measured
			}
		}
		if err := readJSON(filepath.Join(dir, "result.json"), &found); err != nil {
			return err
		}
		if len(found.Best) == 0 {
			return fmt.Errorf("%s: nothing was found", dir)
		}
		best := &found.Best[0]
		var knobs []string
		for _, k := range slices.Sorted(maps.Keys(best.Knobs)) {
			knobs = append(knobs, fmt.Sprintf("`%s = %v`", k, best.Knobs[k]))
		}
		row := []string{filepath.Base(dir), strings.Join(knobs, ", ")}
		for _, m := range slices.Concat(best.Measured, found.Start.Measured) {
			e := stats.Estimate{Value: m.Value, Error: m.Error, Count: 1, Low: summary.Number(m.Low), High: summary.Number(m.High)}
			row = append(row, e.Text(m.Unit))
		}
		t.row(row...)
	}
	return nil
}

// writeAdaptations writes what a player gains by adapting to a ruleset.
func (s *study) writeAdaptations() error {
	t := s.table("adapted", "ruleset", "rules", "worth of adapting, points a match", "of these due to the change", "clearly more or less often than the others", "more than twice as often")
	for _, name := range adaptedRulesets {
		seeds, err := s.seeds("adapt", name)
		if err != nil {
			return err
		}
		var was, is, beyond []stats.Estimate
		var before, after []stats.Habit
		for _, dir := range seeds {
			var r struct {
				Adaptation *stats.Adaptation
				Answers    []report.Answer
			}
			if err := readJSON(filepath.Join(dir, "report", "report.json"), &r); err != nil {
				return err
			}
			if r.Adaptation == nil || len(r.Answers) != 1 || r.Answers[0].Adaptation == nil {
				return fmt.Errorf("%s: no player has adapted; play it again with sweep --adapt", dir)
			}
			a := r.Answers[0].Adaptation
			was, is, beyond = append(was, r.Adaptation.Worth), append(is, a.Worth), append(beyond, *a.Beyond)
			before, after = append(before, r.Adaptation.Habits...), append(after, a.Habits...)
		}
		t.row("`"+name+"`", "as they are", meanOfSeeds(was), "-", habits(before, anyHabit), habits(before, (*stats.Habit).Dominant))
		t.row("`"+name+"`", "as proposed", meanOfSeeds(is), meanOfSeeds(beyond), habits(after, anyHabit), habits(after, (*stats.Habit).Dominant))
	}
	return nil
}

// meanOfSeeds returns the mean of independent estimates with its interval.
func meanOfSeeds(list []stats.Estimate) string {
	var d stats.Difference
	for i := range list {
		d.Value += list[i].Value / float64(len(list))
		d.Error = math.Hypot(d.Error, list[i].Error/float64(len(list)))
	}
	setInterval(&d)
	return d.Text(stats.Points)
}

func anyHabit(*stats.Habit) bool { return true }

// habits returns the names of the habits that pass a test, with the number of seeds at which
// they do.
func habits(list []stats.Habit, test func(*stats.Habit) bool) string {
	seen := map[string]int{}
	for i := range list {
		if test(&list[i]) {
			seen[list[i].Name]++
		}
	}
	var text []string
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		text = append(text, fmt.Sprintf("`%s` (%d)", name, seen[name]))
	}
	if len(text) == 0 {
		return "nothing"
	}
	return strings.Join(text, ", ")
}
