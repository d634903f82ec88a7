package viewer

import (
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

// reviewedPlayer is the costs of a player, by kind and of all.
type reviewedPlayer struct {
	Player sim.Player `json:"player"`
	Rows   []kindRow  `json:"rows"`
}

// kindRow is the costs of a kind of decisions, or of all.
type kindRow struct {
	Kind      string `json:"kind"`
	Decisions int    `json:"decisions"`
	Other     int    `json:"other"`
	Mistakes  int    `json:"mistakes"`
	Cost      string `json:"cost"`
}

func summarize(found *review.Review, r *ruleset.Rules) *reviewSummary {
	if found == nil {
		return nil
	}
	s := &reviewSummary{Noise: inLanguages(found.Noise.Text)}
	for i := range found.Players {
		p := &found.Players[i]
		of := reviewedPlayer{Player: p.Player}
		row := func(kind string, t *review.Total) {
			of.Rows = append(of.Rows, kindRow{kind, t.Decisions, t.Other, t.Mistakes, t.Text(r)})
		}
		for i := range p.Kinds {
			row(p.Kinds[i].Kind.Title(r), &p.Kinds[i].Total)
		}
		row("all", &p.Total)
		s.Players = append(s.Players, of)
	}
	return s
}

func sentenceOf(d *review.Decision, r *ruleset.Rules) texts {
	return inLanguages(func(language string) string { return d.Sentence(language, r) })
}
