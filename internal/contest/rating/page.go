package rating

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// ReturnText returns [PartResult.Return] as text, placement points to one decimal.
func (p *PartResult) ReturnText() string {
	if p.Placement != nil {
		return p.Placement.Text(1)
	}
	return p.Points.Text(0)
}

// Leaderboard returns the leaderboards of some results as Markdown: a table for each suite and
// season, the best entrant first.
func Leaderboard(results []*Result) string {
	groups := map[string][]*Result{}
	var names []string
	for _, r := range results {
		name := r.Suite
		if r.Season != "" {
			name += ", season " + r.Season[:min(16, len(r.Season))]
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], r)
	}
	slices.Sort(names)
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString("\n")
		}
		list := groups[name]
		slices.SortStableFunc(list, func(a, b *Result) int {
			if a.Rating != nil && b.Rating != nil {
				return cmp.Or(cmp.Compare(b.Rating.Value, a.Rating.Value), strings.Compare(a.Name, b.Name))
			}
			return cmp.Or(cmp.Compare(b.Worst.Return.Value, a.Worst.Return.Value), strings.Compare(a.Name, b.Name))
		})
		fmt.Fprintf(&b, "## %s\n\n", cell(name))
		list[0].writeHead(&b)
		for _, r := range list {
			r.writeRow(&b)
		}
	}
	return b.String()
}

func (r *Result) writeHead(b *strings.Builder) {
	b.WriteString("| player | agent | rating | worst case |")
	for _, p := range r.Parts {
		fmt.Fprintf(b, " against %s |", cell(p.label(r)))
	}
	b.WriteString(" matches | version | date |\n|")
	b.WriteString(strings.Repeat(" --- |", len(r.Parts)+7))
	b.WriteString("\n")
}

// label returns the name of a part: the opponent, and the ruleset if there are several.
func (p *PartResult) label(r *Result) string {
	if p.Ruleset == r.Parts[0].Ruleset && p.Ruleset == r.Parts[len(r.Parts)-1].Ruleset {
		return p.Opponent
	}
	return p.Opponent + ", " + p.Ruleset
}

func (r *Result) writeRow(b *strings.Builder) {
	rating := "-"
	if r.Rating != nil {
		rating = r.Rating.Text(0)
	}
	var worst string
	var matches uint64
	for i := range r.Parts {
		p := &r.Parts[i]
		matches += p.Matches
		if p.Opponent == r.Worst.Opponent && p.Ruleset == r.Worst.Ruleset {
			worst = cell(p.Opponent) + ": " + p.ReturnText()
		}
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s |", cell(r.Name), cell(cmp.Or(r.Agent, "-")), rating, worst)
	for i := range r.Parts {
		fmt.Fprintf(b, " %s |", r.Parts[i].ReturnText())
	}
	note := ""
	if r.MaxMatches > 0 {
		note = " (a part of the suite)"
	}
	fmt.Fprintf(b, " %d%s | %s | %s |\n", matches, note, cell(r.Program), cell(cmp.Or(r.Date, "-")))
}

// cell returns a text that others chose, safe in a cell of a table.
func cell(s string) string {
	s = sanitize.Line(s)
	for _, c := range `\|<>&[]*_` + "`" {
		s = strings.ReplaceAll(s, string(c), `\`+string(c))
	}
	return s
}
