package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/export/report"
	"github.com/jansou/jansou/sim"
)

// table is a table of the page, put where the page has its name.
type table struct {
	name string
	head []string
	rows [][]string
}

func (s *study) table(name string, head ...string) *table {
	t := &table{name: name, head: head}
	s.tables = append(s.tables, t)
	return t
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// fact notes a figure that stands in no table.
func (s *study) fact(format string, args ...any) {
	s.facts = append(s.facts, fmt.Sprintf(format, args...))
}

// column is a figure of a table.
type column struct {
	title string
	key   report.Key
}

func key(section, name string) report.Key { return report.Key{Section: section, Name: name} }

// The tables in which the rulesets stand side by side. Their figures mean the same in
// all families and are compared two by two.
var (
	course = []column{
		{"hands", key("match", "hands")},
		{"decisions", key("match", "decisions")},
		{"lead changes", key("match", "lead_changes")},
		{"comebacks from last", key("match", "comeback_from_last")},
		{"last hand decides", key("match", "last_hand_decides")},
		{"wire to wire", key("match", "wire_to_wire")},
	}
	ends = []column{
		{"self-draw", key("hand", "self_draw")},
		{"discard", key("hand", "discard")},
		{"empty wall", key("hand", "exhausted")},
		{"abortive", key("hand", "aborted")},
		{"players who called", key("hand", "open")},
		{"turns to win", key("win", "turns")},
	}
	compared []report.Key
	winds    = [sim.NumPlayers]string{"east", "south", "west", "north"}
	edge     = key("dealer", "first_mover_edge")
)

func init() {
	for _, c := range append(slices.Clone(course), ends...) {
		compared = append(compared, c.key)
	}
	compared = append(compared, edge)
}

// columns are the figures of the last chapter.
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

// sideBySide makes a table of the rulesets for each kind of players. Rulesets that
// share a letter in a column are not shown to differ.
func (s *study) sideBySide(name string, of []column) {
	for _, kind := range kinds {
		head := []string{"ruleset"}
		for _, c := range of {
			head = append(head, c.title)
		}
		t := s.table(name+"-"+kind, head...)
		cells := make([][]string, len(rulesets))
		for i, r := range rulesets {
			cells[i] = []string{"`" + r + "`"}
		}
		for _, c := range of {
			for i, text := range s.lettered(kind, c.key) {
				cells[i] = append(cells[i], text)
			}
		}
		t.rows = cells
	}
}

// lettered returns a figure of all rulesets with its letters.
func (s *study) lettered(kind string, k report.Key) []string {
	var values []float64
	var text []string
	for i := range rulesets {
		e, unit := s.plays[kind].figure(i, k)
		values = append(values, e.Value)
		text = append(text, tell(e, unit))
	}
	list := letters(values, func(i, j int) bool {
		d := s.tests[test{kind, k, i, j}]
		return d != nil && d.Clear()
	})
	for i, l := range list {
		text[i] += " " + l
	}
	return text
}

// tell writes an estimate, what is the same in all matches without an interval.
func tell(e report.Estimate, unit report.Unit) string {
	if e.Error == 0 {
		e.Low, e.High = export.Missing, export.Missing
	}
	return e.Text(unit)
}

func (s *study) course() error {
	s.sideBySide("course", course)
	return nil
}

func (s *study) ends() error {
	s.sideBySide("ends", ends)
	return nil
}

// seats tells how often each wind wins, and whether it is a matter of the dealer or of
// the order of play.
func (s *study) seats() error {
	for _, kind := range kinds {
		t := s.table("seats-"+kind, "ruleset", "East", "South", "West", "North", "East over the others", "South over North", "rank of North less that of East")
		edges := s.lettered(kind, edge)
		var after, ranks []*report.Difference
		for i := range rulesets {
			for _, one := range []struct {
				list *[]*report.Difference
				of   report.Estimate
			}{{&after, s.counts[kind][i].after.estimate(report.Gap)}, {&ranks, s.counts[kind][i].seats.estimate(report.Rank)}} {
				d := less(one.of, report.Estimate{})
				*one.list = append(*one.list, &d)
			}
		}
		report.Adjust(slices.Concat(after, ranks))
		for i, name := range rulesets {
			cells := []string{"`" + name + "`"}
			for _, w := range winds {
				e, unit := s.plays[kind].figure(i, report.Key{Section: "dealer", Name: "win", Of: w})
				cells = append(cells, e.Rounded(unit))
			}
			t.row(append(cells, edges[i], after[i].Text(report.Gap), ranks[i].Text(report.Rank))...)
		}
	}
	return nil
}

// worth tells what wins are worth. Points of different families are different things.
func (s *study) worth() error {
	for _, kind := range kinds {
		t := s.table("worth-"+kind, "ruleset", "value", "median", "95 % are at most", "by self-draw", "on a discard", "won by players who called")
		for i, name := range rulesets {
			cells := []string{"`" + name + "`"}
			of := func(n string) string {
				e, unit := s.plays[kind].figure(i, key("win", n))
				return tell(e, unit)
			}
			values := s.counts[kind][i].values
			t.row(append(cells, of("value"), strconv.Itoa(quantile(values, 0.5)), strconv.Itoa(quantile(values, 0.95)), of("value_self_draw"), of("value_discard"), of("open"))...)
		}
	}
	return nil
}

// mostNamed is how many patterns are named.
const mostNamed = 5

func (s *study) patterns() error {
	t := s.table("patterns", "ruleset", "players", "most frequent in wins", "largest part of the value")
	for i, name := range rulesets {
		for _, kind := range kinds {
			t.row("`"+name+"`", kind, s.largest(kind, i, "frequency"), s.largest(kind, i, "value_share"))
		}
	}
	return nil
}

// pattern is one of a ruleset with a figure of it.
type pattern struct {
	id string
	report.Estimate
}

// ranked returns the patterns of a ruleset by a figure, the largest first.
func (s *study) ranked(kind string, i int, name string) []pattern {
	var list []pattern
	for _, f := range s.plays[kind][0].Datasets[i].Figures {
		if f.Section == "pattern" && f.Name == name {
			if e, _ := s.plays[kind].figure(i, f.Key); e.Count > 0 {
				list = append(list, pattern{f.Of, e})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b pattern) int { return cmp.Compare(b.Value, a.Value) })
	return list
}

func (s *study) largest(kind string, i int, name string) string {
	var text []string
	for _, p := range s.ranked(kind, i, name)[:mostNamed] {
		text = append(text, fmt.Sprintf("`%s` %.1f%%", p.id, 100*p.Value))
	}
	return strings.Join(text, ", ")
}

// component returns a part of the variance of a dataset over all seeds.
func component(s series, dataset int, of func(*report.Skill) *report.Component, by func(*report.Summary) *report.Skill) report.Estimate {
	var e report.Estimate
	for _, r := range s {
		c := of(by(&r.Datasets[dataset]))
		e.Value += float64(c.Share) / float64(len(s))
		e.Error = math.Hypot(e.Error, float64(c.High-c.Low)/4/float64(len(s)))
	}
	e.Count, e.Clusters = 1, len(s)
	withInterval(&e, report.Gap)
	return e
}

func byRank(s *report.Summary) *report.Skill      { return s.SkillByRank }
func byPlacement(s *report.Summary) *report.Skill { return s.Skill }
func skillPart(s *report.Skill) *report.Component { return &s.Skill }
func wallsPart(s *report.Skill) *report.Component { return &s.Walls }
func restPart(s *report.Skill) *report.Component  { return &s.Rest }

// pair returns by how many ranks one agent is better than another over all seeds, and
// how many matches show it.
func pair(s series, dataset int, a, b string) (d report.Difference, needed string) {
	deviation := 0.0
	for _, r := range s {
		for i := range r.Datasets[dataset].SkillByRank.Pairs {
			p := &r.Datasets[dataset].SkillByRank.Pairs[i]
			sign := 1.0
			if p.A == b && p.B == a {
				sign = -1
			} else if p.A != a || p.B != b {
				continue
			}
			d.Value += sign * p.Difference.Value / float64(len(s))
			d.Error = math.Hypot(d.Error, p.Difference.Error/float64(len(s)))
			deviation += float64(p.PairedDeviation) / float64(len(s))
		}
	}
	judge(&d)
	// Two-sided at 5 % with a power of 80 %.
	const z = 1.959964 + 0.841621
	matches := func(difference float64) string {
		return strconv.FormatFloat(math.Ceil(math.Pow(z*deviation/difference, 2)), 'f', 0, 64)
	}
	least, most := math.Abs(d.Value)-1.96*d.Error, math.Abs(d.Value)+1.96*d.Error
	if least <= 0 {
		return d, "at least " + matches(most)
	}
	return d, matches(d.Value) + " [" + matches(most) + ", " + matches(least) + "]"
}

func (s *study) skill() error {
	t := s.table("skill", "ruleset", "skill, of ranks", "luck of the walls", "luck of play", "skill, of placement points", "skill, of ranks, with a beginner")
	of := func(e report.Estimate) string { return e.Text(report.Share) }
	near, beginner := s.cups["near"], s.cups["beginner"]
	for _, name := range rulesets {
		t.row("`"+name+"`", of(component(near[name], 0, skillPart, byRank)), of(component(near[name], 0, wallsPart, byRank)), of(component(near[name], 0, restPart, byRank)),
			of(component(near[name], 0, skillPart, byPlacement)), of(component(beginner[name], 0, skillPart, byRank)))
	}
	var skills []*report.Difference
	values := make([]float64, len(rulesets))
	at := map[[2]int]*report.Difference{}
	for i, a := range rulesets {
		values[i] = component(near[a], 0, skillPart, byRank).Value
		for j := range i {
			d := less(component(near[a], 0, skillPart, byRank), component(near[rulesets[j]], 0, skillPart, byRank))
			at[[2]int{j, i}] = &d
			skills = append(skills, &d)
		}
	}
	report.Adjust(skills)
	for i, l := range letters(values, func(i, j int) bool { return at[[2]int{i, j}].Clear() }) {
		t.rows[i][1] += " " + l
	}
	pairs := s.table("pairs", "ruleset", "`expert` over `greedy`", "matches needed", "`expert` over `value`", "matches needed", "`value` over `value:defence=off`", "matches needed")
	var list []*report.Difference
	var differences [][]*report.Difference
	var needs [][]string
	for _, name := range rulesets {
		var row []*report.Difference
		var text []string
		for _, p := range [][2]string{{"expert", "greedy"}, {"expert", "value"}, {"value", "value:defence=off"}} {
			d, n := pair(near[name], 0, p[0], p[1])
			row, text = append(row, &d), append(text, n)
			list = append(list, &d)
		}
		differences, needs = append(differences, row), append(needs, text)
	}
	report.Adjust(list)
	for i, name := range rulesets {
		cells := []string{"`" + name + "`"}
		for n, d := range differences[i] {
			cells = append(cells, d.Text(report.Rank), needs[i][n])
		}
		pairs.row(cells...)
	}
	return nil
}

// robust counts how many of the comparisons of rulesets the two kinds of players, and
// the seeds, agree on.
func (s *study) robust() error {
	t := s.table("robust", "figure", "pairs that differ among `expert`", "of these among `greedy` too, the same way", "the other way", "not shown")
	var all [4]int
	for _, c := range slices.Concat(course, ends, []column{{"East over the others", edge}}) {
		var n [4]int
		for i := range rulesets {
			for j := i + 1; j < len(rulesets); j++ {
				a, b := s.tests[test{kinds[0], c.key, i, j}], s.tests[test{kinds[1], c.key, i, j}]
				if a == nil || b == nil || !a.Clear() {
					continue
				}
				n[0]++
				switch {
				case !b.Clear():
					n[3]++
				case a.Value*b.Value > 0:
					n[1]++
				default:
					n[2]++
				}
			}
		}
		row := []string{c.title}
		for i, x := range n {
			all[i] += x
			row = append(row, strconv.Itoa(x))
		}
		t.row(row...)
	}
	t.row("all", strconv.Itoa(all[0]), strconv.Itoa(all[1]), strconv.Itoa(all[2]), strconv.Itoa(all[3]))
	s.fact("comparisons of two rulesets: %d, tested together at 5 %%; matches needed are for a power of 80 %%", len(s.tests))
	figures, apart := 0, 0
	for _, kind := range movers {
		for _, name := range swept {
			r := s.changes[kind][name]
			for i := range r[0].Datasets {
				for _, c := range columns {
					if p, ok := r.heterogeneity(i, c.key); ok {
						figures++
						if p < 0.05 {
							apart++
						}
					}
				}
			}
		}
	}
	s.fact("figures that differ between the seeds at 5 %%: %d of %d, %.1f%%", apart, figures, 100*float64(apart)/float64(max(1, figures)))
	m := s.plays[kinds[0]][0].Datasets[0]
	s.fact("matches of each ruleset, kind and seed: %d; seeds: %d", m.Matches, len(s.plays[kinds[0]]))
	k := s.cups["near"][rulesets[0]][0].Datasets[0]
	s.fact("wall sets of each tournament and seed: %d, of %d matches", k.Skill.Sets, k.Skill.SetMatches)
	c := s.changes[movers[0]][swept[0]][0].Datasets[0]
	s.fact("matches of each variant, kind and seed: %d; seeds: %d", c.Matches, len(s.changes[movers[0]][swept[0]]))
	s.fact("comparisons of variants with rulesets as they are: %d", len(s.effects))
	return nil
}

// proposals makes the tables of the last chapter.
func (s *study) proposals() error {
	for _, name := range swept {
		head := []string{"ruleset", "players"}
		for _, c := range columns {
			head = append(head, c.title)
		}
		t := s.table("changes-"+name, append(head, "answers that change")...)
		n := len(s.changes[movers[0]][name][0].Datasets)
		for v := range n {
			for _, kind := range movers {
				t.rows = append(t.rows, s.effectRow(kind, name, v, n))
			}
		}
	}
	s.screened()
	t := s.table("proposals", "ruleset", "skill, of ranks", "as proposed", "difference", "`expert` over `greedy`, ranks", "as proposed", "difference", "matches needed", "as proposed")
	near := s.cups[fields[0]]
	var list []*report.Difference
	for _, name := range changed {
		was, is := component(near[name], 0, skillPart, byRank), component(near[proposal(name)], 0, skillPart, byRank)
		skill := less(is, was)
		ranks, needed := pair(near[name], 0, "expert", "greedy")
		now, nowNeeded := pair(near[proposal(name)], 0, "expert", "greedy")
		lead := report.Difference{Value: now.Value - ranks.Value, Error: math.Hypot(now.Error, ranks.Error)}
		judge(&lead)
		list = append(list, &skill, &lead)
		t.row("`"+name+"`", was.Text(report.Share), is.Text(report.Share), "", ranks.Text(report.Rank), now.Text(report.Rank), "", needed, nowNeeded)
	}
	report.Adjust(list)
	for i := range changed {
		t.rows[i][3], t.rows[i][6] = list[2*i].Text(report.Gap), list[2*i+1].Text(report.Rank)
	}
	return nil
}

// screened tells what single changes, and some together, do to skill.
func (s *study) screened() {
	t := s.table("screened", "ruleset", "changed to", "skill, of ranks", "`expert` over `greedy`, ranks", "`value` over `value:defence=off`, ranks", "hands", "empty wall", "last hand decides")
	var list []*report.Difference
	var rows [][]string
	for _, name := range changed {
		r := s.screens[name]
		for i := range r[0].Datasets {
			var knobs []string
			for _, c := range r[0].Datasets[i].Changes {
				knobs = append(knobs, "`"+c.Knob+" = "+c.To+"`")
			}
			if i == 0 {
				knobs = []string{"as it is"}
			}
			lead, _ := pair(r, i, "expert", "greedy")
			defence, _ := pair(r, i, "value", "value:defence=off")
			list = append(list, &lead, &defence)
			share := component(r, i, skillPart, byRank)
			row := []string{"`" + name + "`", strings.Join(knobs, ", "), share.Text(report.Share), "", ""}
			for _, k := range []report.Key{key("match", "hands"), key("hand", "exhausted"), key("match", "last_hand_decides")} {
				e, unit := r.figure(i, k)
				row = append(row, tell(e, unit))
			}
			rows = append(rows, row)
		}
	}
	report.Adjust(list)
	for i, row := range rows {
		row[3], row[4] = list[2*i].Text(report.Rank), list[2*i+1].Text(report.Rank)
		t.row(row...)
	}
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
			cells = append(cells, tell(e, unit))
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
	if a := s.answered[response{kind, name, v}]; a != nil && v > 0 {
		answers = fmt.Sprintf("%.2f%%", 100*float64(a.Otherwise)/float64(a.Decisions))
	}
	return append(cells, answers)
}
