package main

import (
	"math"
	"strconv"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// component returns a part of the variance of a dataset over all seeds.
func component(s series, dataset int, part func(*stats.Skill) *stats.Component, skill func(*stats.Summary) *stats.Skill) stats.Estimate {
	var e stats.Estimate
	for _, r := range s {
		c := part(skill(&r.Datasets[dataset]))
		e.Value += float64(c.Share) / float64(len(s))
		e.Error = math.Hypot(e.Error, float64(c.High-c.Low)/4/float64(len(s)))
	}
	e.Count, e.Clusters = 1, len(s)
	withInterval(&e, stats.Gap)
	return e
}

func byRank(s *stats.Summary) *stats.Skill      { return s.SkillByRank }
func byPlacement(s *stats.Summary) *stats.Skill { return s.Skill }
func skillPart(s *stats.Skill) *stats.Component { return &s.Skill }
func wallsPart(s *stats.Skill) *stats.Component { return &s.Walls }
func restPart(s *stats.Skill) *stats.Component  { return &s.Rest }

// pair returns by how many ranks one agent is better than another over all seeds, and
// how many matches show it.
func pair(s series, dataset int, a, b string) (d stats.Difference, needed string) {
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
	setInterval(&d)
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

// writeSkill writes the share of skill in a match, and the differences between players.
func (s *study) writeSkill() error {
	t := s.table("skill", "ruleset", "skill, of ranks", "luck of the walls", "luck of play", "skill, of placement points", "skill, of ranks, with a beginner")
	share := func(field, name string, part func(*stats.Skill) *stats.Component, skill func(*stats.Summary) *stats.Skill) string {
		e := component(s.cups[field][name], 0, part, skill)
		return e.Text(stats.Share)
	}
	for i, text := range s.skillsWithLetters(ableField) {
		name := rulesets[i]
		t.row("`"+name+"`", text, share(ableField, name, wallsPart, byRank), share(ableField, name, restPart, byRank), share(ableField, name, skillPart, byPlacement), share(beginnerField, name, skillPart, byRank))
	}
	s.writePairs("pairs", ableField, [][2]string{{"value", "greedy"}, {"value", "value:defence=off"}, {"value", "value:worth=off"}})
	return nil
}

// skillsWithLetters returns the skill of all rulesets in a field with letters: those that
// share one are not shown to differ.
func (s *study) skillsWithLetters(field string) []string {
	var list []*stats.Difference
	values, text := make([]float64, len(rulesets)), make([]string, len(rulesets))
	at := map[[2]int]*stats.Difference{}
	for i, a := range rulesets {
		e := component(s.cups[field][a], 0, skillPart, byRank)
		values[i], text[i] = e.Value, e.Text(stats.Share)
		for j := range i {
			d := subtract(e, component(s.cups[field][rulesets[j]], 0, skillPart, byRank))
			at[[2]int{j, i}] = &d
			list = append(list, &d)
		}
	}
	stats.Adjust(list)
	for i, l := range letters(values, func(i, j int) bool { return at[[2]int{i, j}].Clear() }) {
		text[i] += " " + l
	}
	return text
}

// writePairs writes by how many ranks pairs of players of a field are apart.
func (s *study) writePairs(name, field string, pairs [][2]string) {
	head := []string{"ruleset"}
	for _, p := range pairs {
		head = append(head, "`"+p[0]+"` over `"+p[1]+"`", "matches needed")
	}
	t := s.table(name, head...)
	var list []*stats.Difference
	var needs []string
	for _, name := range rulesets {
		for _, p := range pairs {
			d, needed := pair(s.cups[field][name], 0, p[0], p[1])
			list, needs = append(list, &d), append(needs, needed)
		}
	}
	stats.Adjust(list)
	for i, name := range rulesets {
		cells := []string{"`" + name + "`"}
		for n := range pairs {
			at := i*len(pairs) + n
			cells = append(cells, list[at].Text(stats.Rank), needs[at])
		}
		t.row(cells...)
	}
}
