package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/summary"
	"github.com/sparrowhall/sparrowhall/sim"
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

// fact adds a line of text with figures that are in no table.
func (s *study) fact(format string, args ...any) {
	s.facts = append(s.facts, fmt.Sprintf(format, args...))
}

// column is a figure of a table.
type column struct {
	title string
	key   stats.Key
}

func key(section, name string) stats.Key { return stats.Key{Section: section, Name: name} }

// The tables that compare the rulesets side by side. Their figures mean the same in
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
	comparedKeys []stats.Key
	winds        = [sim.NumPlayers]string{"east", "south", "west", "north"}
	edge         = key("dealer", "first_mover_edge")
)

func init() {
	for _, c := range append(slices.Clone(course), ends...) {
		comparedKeys = append(comparedKeys, c.key)
	}
	comparedKeys = append(comparedKeys, edge)
}

// sideBySide makes a table of the rulesets for each kind of players. Rulesets that
// share a letter in a column are not shown to differ.
func (s *study) sideBySide(name string, columns []column) {
	for _, kind := range kinds {
		head := []string{"ruleset"}
		for _, c := range columns {
			head = append(head, c.title)
		}
		t := s.table(name+"-"+kind, head...)
		cells := make([][]string, len(rulesets))
		for i, r := range rulesets {
			cells[i] = []string{"`" + r + "`"}
		}
		for _, c := range columns {
			for i, text := range s.figuresWithLetters(kind, c.key) {
				cells[i] = append(cells[i], text)
			}
		}
		t.rows = cells
	}
}

// figuresWithLetters returns a figure of all rulesets with its letters.
func (s *study) figuresWithLetters(kind string, k stats.Key) []string {
	var values []float64
	var text []string
	for i := range rulesets {
		e, unit := s.plays[kind].figure(i, k)
		values = append(values, e.Value)
		text = append(text, formatEstimate(e, unit))
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

// formatEstimate writes an estimate with its interval, which a figure that is the same in all
// matches does not have.
func formatEstimate(e stats.Estimate, unit stats.Unit) string {
	if e.Error == 0 {
		e.Low, e.High = summary.Missing, summary.Missing
	}
	return e.Text(unit)
}

func (s *study) writeCourse() error {
	s.sideBySide("course", course)
	return nil
}

func (s *study) writeEnds() error {
	s.sideBySide("ends", ends)
	return nil
}

// writeSeats writes how often each wind wins, and whether it is a matter of the dealer or of
// the order of play.
func (s *study) writeSeats() error {
	for _, kind := range kinds {
		t := s.table("seats-"+kind, "ruleset", "East", "South", "West", "North", "East over the others", "South over North", "rank of North less that of East")
		edges := s.figuresWithLetters(kind, edge)
		var after, ranks []*stats.Difference
		for i := range rulesets {
			for _, one := range []struct {
				list     *[]*stats.Difference
				estimate stats.Estimate
			}{{&after, s.counts[kind][i].afterDealer.estimate(stats.Gap)}, {&ranks, s.counts[kind][i].seats.estimate(stats.Rank)}} {
				d := subtract(one.estimate, stats.Estimate{})
				*one.list = append(*one.list, &d)
			}
		}
		stats.Adjust(slices.Concat(after, ranks))
		for i, name := range rulesets {
			cells := []string{"`" + name + "`"}
			for _, w := range winds {
				e, unit := s.plays[kind].figure(i, stats.Key{Section: "dealer", Name: "win", Of: w})
				cells = append(cells, e.Rounded(unit))
			}
			t.row(append(cells, edges[i], after[i].Text(stats.Gap), ranks[i].Text(stats.Rank))...)
		}
	}
	return nil
}

// writeWorth writes what wins are worth. Points of different families are different things.
func (s *study) writeWorth() error {
	for _, kind := range kinds {
		t := s.table("worth-"+kind, "ruleset", "value", "median", "95 % are at most", "by self-draw", "on a discard", "won by players who called")
		for i, name := range rulesets {
			cells := []string{"`" + name + "`"}
			text := func(n string) string {
				e, unit := s.plays[kind].figure(i, key("win", n))
				return formatEstimate(e, unit)
			}
			values := s.counts[kind][i].values
			t.row(append(cells, text("value"), strconv.Itoa(quantile(values, 0.5)), strconv.Itoa(quantile(values, 0.95)), text("value_self_draw"), text("value_discard"), text("open"))...)
		}
	}
	return nil
}

// mostNamed is how many patterns are named.
const mostNamed = 5

func (s *study) writePatterns() error {
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
	stats.Estimate
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
