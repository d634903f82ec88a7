package viewer

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// texts are a sentence by language.
type texts map[string]string

func inLanguages(sentence func(language string) string) texts {
	t := texts{}
	for _, language := range board.Languages {
		t[language] = sentence(language)
	}
	return t
}

// reviewSummary is the summary of a review on the page.
type reviewSummary struct {
	Noise   texts            `json:"noise"`
	Players []reviewedPlayer `json:"players"`
}

// reviewedPlayer is the costs of a player, by kind and of all, and the mistakes.
type reviewedPlayer struct {
	Player sim.Player `json:"player"`
	Rows   []kindRow  `json:"rows"`
	Groups []mistakes `json:"groups"`
}

// kindRow is the costs of a kind of decisions, or of all.
type kindRow struct {
	Kind     string `json:"kind"`
	Other    int    `json:"other"`
	Mistakes int    `json:"mistakes"`
	Cost     string `json:"cost"`
}

// mistakes are those of a kind, the costliest first.
type mistakes struct {
	Kind     string    `json:"kind"`
	Mistakes []mistake `json:"mistakes"`
}

// mistake is a sentence and the place of the decision on the page.
type mistake struct {
	Hand int   `json:"hand"`
	Step int   `json:"step"`
	Text texts `json:"text"`
}

func summarize(found *review.Review, r *ruleset.Rules, m *sim.Match) *reviewSummary {
	if found == nil {
		return nil
	}
	all := stops(m)
	place := func(d *review.Decision) (hand, step int) {
		at, _ := slices.BinarySearch(all, d.Event)
		first, _ := slices.BinarySearch(all, m.Hands[d.Hand].FirstEvent+1)
		return d.Hand, at - first
	}
	s := &reviewSummary{Noise: inLanguages(found.Noise.Text)}
	for i := range found.Players {
		p := &found.Players[i]
		of := reviewedPlayer{Player: p.Player, Groups: []mistakes{}}
		for _, k := range p.Kinds {
			of.Rows = append(of.Rows, kindRow{k.Kind.Title(r), k.Other, k.Mistakes, k.Text(r)})
		}
		of.Rows = append(of.Rows, kindRow{"all", p.Other, p.Mistakes, p.Text(r)})
		for _, g := range found.Groups(p.Player) {
			group := mistakes{Kind: g.Kind.Title(r)}
			for _, d := range g.Mistakes {
				hand, step := place(d)
				group.Mistakes = append(group.Mistakes, mistake{hand, step, sentenceOf(d, r)})
			}
			of.Groups = append(of.Groups, group)
		}
		s.Players = append(s.Players, of)
	}
	return s
}

func sentenceOf(d *review.Decision, r *ruleset.Rules) texts {
	return inLanguages(func(language string) string { return d.Sentence(language, r) })
}
