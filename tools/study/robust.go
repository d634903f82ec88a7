package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// writeNotes writes how much was played and compared.
func (s *study) writeNotes() error {
	n := 0
	for t := range s.tests {
		if t.kind != strongerKind {
			n++
		}
	}
	s.fact("comparisons of two rulesets: %d, tested together at 5 %%; matches needed are for a power of 80 %%", n)
	m := s.plays[kinds[0]]
	s.fact("matches of each ruleset, kind and seed: %d, of `%s` %d; seeds: %d", m[0].Datasets[0].Matches, strongerKind, s.plays[strongerKind][0].Datasets[0].Matches, len(m))
	k := s.cups[ableField][rulesets[0]]
	s.fact("duplicate sets of each tournament and seed: %d, of %d matches; seeds: %d", k[0].Datasets[0].Skill.Sets, k[0].Datasets[0].Skill.SetMatches, len(k))
	c := s.changes[kinds[0]][changedRulesets[0]]
	s.fact("matches of each variant, kind and seed: %d; seeds: %d", c[0].Datasets[0].Matches, len(c))
	s.fact("comparisons of variants with rulesets as they are: %d", len(s.effects))
	side, sideApart := countHeterogeneous(s.plays, comparedKeys)
	var keys []stats.Key
	for _, c := range columns {
		keys = append(keys, c.key)
	}
	varied, variedApart := 0, 0
	for _, kind := range kinds {
		a, b := countHeterogeneous(s.changes[kind], keys)
		varied, variedApart = varied+a, variedApart+b
	}
	s.fact("figures that differ between the seeds at 5 %%: %d of %d side by side, %.1f%%, and %d of %d where rules are changed, %.1f%%",
		sideApart, side, percent(sideApart, side), variedApart, varied, percent(variedApart, varied))
	return nil
}

func percent(part, of int) float64 { return 100 * float64(part) / float64(max(1, of)) }

// countHeterogeneous returns how many figures can be compared between the seeds, and how many
// of these differ at 5 %. The stronger player is left out.
func countHeterogeneous(all map[string]series, keys []stats.Key) (figures, apart int) {
	for name, r := range all {
		if name == strongerKind {
			continue
		}
		for i := range r[0].Datasets {
			for _, k := range keys {
				if p, ok := r.heterogeneity(i, k); ok {
					figures++
					if p < 0.05 {
						apart++
					}
				}
			}
		}
	}
	return figures, apart
}

// writeBySeed writes the figures of each seed, which are on no page.
func (s *study) writeBySeed() error {
	head := []string{"ruleset", "players", "figure", "all seeds"}
	for i := range s.plays[kinds[0]] {
		head = append(head, "seed "+strconv.Itoa(i+1))
	}
	t := s.table("seeds", append(head, "p")...)
	for _, kind := range append(slices.Clone(kinds), strongerKind) {
		for i, name := range rulesets {
			r := s.plays[kind]
			for _, k := range append(slices.Clone(comparedKeys), key("win", "value")) {
				e, unit := r.figure(i, k)
				cells := []string{name, kind, strings.ReplaceAll(k.Section+" "+k.Name, "_", " "), formatEstimate(e, unit)}
				for n := range r {
					e, unit := r[n:n+1].figure(i, k)
					cells = append(cells, formatEstimate(e, unit))
				}
				p := "-"
				if x, ok := r.heterogeneity(i, k); ok {
					p = fmt.Sprintf("%.2f", x)
				}
				t.row(append(cells, p)...)
			}
		}
	}
	for _, field := range []string{ableField, beginnerField, strongField} {
		for _, name := range slices.Sorted(maps.Keys(s.cups[field])) {
			r := s.cups[field][name]
			e := component(r, 0, skillPart, byRank)
			cells := []string{name, field, "skill, of ranks", e.Text(stats.Share)}
			for n := range r {
				e := component(r[n:n+1], 0, skillPart, byRank)
				cells = append(cells, e.Text(stats.Share))
			}
			t.row(append(cells, "-")...)
		}
	}
	return nil
}

// writeRobust writes on how many of the comparisons of rulesets the kinds of players agree.
func (s *study) writeRobust() error {
	others := []string{kinds[1], strongerKind}
	head := []string{"figure", "pairs that differ among `" + kinds[0] + "`"}
	for _, kind := range others {
		head = append(head, "of these among `"+kind+"` too, the same way", "the other way", "not shown")
	}
	t := s.table("robust", head...)
	all := make([]int, 1+3*len(others))
	for _, c := range slices.Concat(course, ends, []column{{"East over the others", edge}}) {
		n := make([]int, len(all))
		for i := range rulesets {
			for j := i + 1; j < len(rulesets); j++ {
				a := s.tests[test{kinds[0], c.key, i, j}]
				if a == nil || !a.Clear() {
					continue
				}
				n[0]++
				for k, kind := range others {
					b := s.tests[test{kind, c.key, i, j}]
					switch {
					case b == nil || !b.Clear():
						n[1+3*k+2]++
					case a.Value*b.Value > 0:
						n[1+3*k]++
					default:
						n[1+3*k+1]++
					}
				}
			}
		}
		t.row(countRow(c.title, n)...)
		for i, x := range n {
			all[i] += x
		}
	}
	t.row(countRow("all", all)...)
	return nil
}

func countRow(title string, n []int) []string {
	row := []string{title}
	for _, x := range n {
		row = append(row, strconv.Itoa(x))
	}
	return row
}

// writeStronger writes how the rulesets look where the stronger player plays.
func (s *study) writeStronger() error {
	figures := []column{
		{"hands", key("match", "hands")},
		{"empty wall", key("hand", "exhausted")},
		{"self-draw", key("hand", "self_draw")},
		{"players who called", key("hand", "open")},
		{"turns to win", key("win", "turns")},
		{"last hand decides", key("match", "last_hand_decides")},
		{"East over the others", edge},
	}
	head := []string{"ruleset"}
	for _, c := range figures {
		head = append(head, c.title)
	}
	t := s.table("stronger", append(head, "South over North")...)
	for _, name := range rulesets {
		t.row("`" + name + "`")
	}
	for _, c := range figures {
		for i, text := range s.figuresWithLetters(strongerKind, c.key) {
			t.rows[i] = append(t.rows[i], text)
		}
	}
	var list []*stats.Difference
	for i := range rulesets {
		d := subtract(s.counts[strongerKind][i].afterDealer.estimate(stats.Gap), stats.Estimate{})
		list = append(list, &d)
	}
	stats.Adjust(list)
	for i := range rulesets {
		t.rows[i] = append(t.rows[i], list[i].Text(stats.Gap))
	}
	skills := s.table("stronger-skill", "ruleset", "skill, of ranks")
	for i, text := range s.skillsWithLetters(strongField) {
		skills.row("`"+rulesets[i]+"`", text)
	}
	s.writePairs("stronger-pairs", strongField, [][2]string{{strongerKind, "value"}, {strongerKind, "greedy"}})
	s.writeEffects("stronger-proposals", strongField, strongerKind, "greedy")
	return nil
}
