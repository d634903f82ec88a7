package viewer

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/review"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// reviewSummary is the summary of a review on the page.
type reviewSummary struct {
	Noise   string
	Players []reviewedPlayer
}

type reviewedPlayer struct {
	Name   string
	Rows   []kindRow
	Groups []mistakes
}

// kindRow is the costs of a kind of decisions, or of all.
type kindRow struct {
	Kind            string
	Other, Mistakes int
	Cost            string
}

// mistakes are those of a kind, the costliest first.
type mistakes struct {
	Kind     string
	Mistakes []mistake
}

// mistake is a sentence and the place of the decision on the page.
type mistake struct {
	Hand, Step int
	Text       string
}

// summarize returns the summary of a review, nil for none.
func summarize(found *review.Review, r *ruleset.Rules, m *sim.Match, agents [sim.NumPlayers]string) *reviewSummary {
	if found == nil {
		return nil
	}
	all := stops(m)
	place := func(d *review.Decision) (hand, step int) {
		at, _ := slices.BinarySearch(all, d.Event)
		first, _ := slices.BinarySearch(all, m.Hands[d.Hand].FirstEvent+1)
		return d.Hand, at - first
	}
	s := &reviewSummary{Noise: found.Noise.String()}
	for i := range found.Players {
		p := &found.Players[i]
		of := reviewedPlayer{Name: fmt.Sprintf("player %d %s", p.Player, agents[p.Player])}
		for _, k := range p.Kinds {
			of.Rows = append(of.Rows, kindRow{k.Kind.Title(r), k.Other, k.Mistakes, k.Text(r)})
		}
		of.Rows = append(of.Rows, kindRow{"all", p.Other, p.Mistakes, p.Text(r)})
		for _, g := range found.Groups(p.Player) {
			group := mistakes{Kind: g.Kind.Title(r)}
			for _, d := range g.Mistakes {
				hand, step := place(d)
				group.Mistakes = append(group.Mistakes, mistake{hand, step, d.Sentence(r)})
			}
			of.Groups = append(of.Groups, group)
		}
		s.Players = append(s.Players, of)
	}
	return s
}
