package tune

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Evaluator measures the figures of candidates: each is a ruleset whose cells it requests from Parts, and
// an interrupted search finds them there.
type Evaluator struct {
	// Targets are the targets whose figures are measured.
	Targets []Target
	// Ruleset returns the ruleset of a candidate.
	Ruleset func(Candidate) (*configs.Ruleset, error)
	// Agents are the players whose figures are measured, Field those of different strength
	// whose ranks measure skill. Each line-up plays only if a target requires it, and both have
	// the same matches and parts.
	Agents, Field *experiment.Lineup
	// Parts plays the cells.
	Parts experiment.Parts
}

// OpenFolder prepares a folder for the parts of a search. It returns an error if the folder has the
// parts of a search with other agents, seed or matches. field names the agents of p.Field.
func (p *Evaluator) OpenFolder(dir, field string) (err error) {
	run := p.Agents.Run
	p.Parts.Dir, err = experiment.OpenParts(dir, []string{
		"agents " + strings.Join(run.Agents, ","), fmt.Sprint("seed ", run.Seed), fmt.Sprint("matches ", run.Matches),
		fmt.Sprint("engine ", sim.EngineVersion), "field " + field,
	})
	return err
}

// lineups returns the line-ups that the targets require, and for each target the index of its
// line-up.
func (p *Evaluator) lineups() (list []*experiment.Lineup, index []int) {
	for i := range p.Targets {
		l := p.Agents
		if p.Targets[i].Skill {
			l = p.Field
		}
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
		index = append(index, slices.Index(list, l))
	}
	return list, index
}

// Lineups returns the number of line-ups that play each candidate.
func (p *Evaluator) Lineups() uint64 {
	list, _ := p.lineups()
	return uint64(len(list))
}

// Evaluate measures the figures of candidates; it is an [EvaluateFunc].
func (p *Evaluator) Evaluate(ctx context.Context, candidates []Candidate, matches int) ([][]Measured, error) {
	lineups, lineupOf := p.lineups()
	var cells []experiment.PartialCell
	for _, c := range candidates {
		r, err := p.Ruleset(c)
		if err != nil {
			return nil, err
		}
		for _, l := range lineups {
			cell := experiment.PartialCell{Ruleset: r, Lineup: l, Matches: uint64(matches)}
			if l == p.Field {
				cell.Suffix = "-field"
			}
			cells = append(cells, cell)
		}
	}
	figures, err := p.Parts.Figures(ctx, cells)
	if err != nil {
		return nil, err
	}
	var out [][]Measured
	for i := range candidates {
		var row []Measured
		for w, l := range lineupOf {
			row = append(row, p.Targets[w].measure(figures[i*len(lineups)+l]))
		}
		out = append(out, row)
	}
	return out, nil
}
