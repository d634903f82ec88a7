package review

import (
	"fmt"
	"math"

	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// wording is the answers of a decision in words: "discarding 5p", "discards 9m".
type wording struct{ choice, better phrase }

func (s *situation) wording() wording {
	choice, better := s.answer(s.decision.Choice), s.answer(s.decision.Better)
	choice.key, better.key = "doing_"+choice.key, "does_"+better.key
	return wording{choice, better}
}

// answer returns an answer as a phrase, whose key lacks doing_ or does_ before it.
func (s *situation) answer(a sim.Action) phrase {
	claimed := s.view.ClaimableTile()
	switch {
	case a == sim.ActReadyNow:
		return phrase{"ready_now", values{"ready": s.ready}}
	case a.DeclaresReady():
		return phrase{"ready", values{"ready": s.ready, "f": reasons.DiscardedTile(a, s.decision.Drawn)}}
	case a.IsDiscard():
		return phrase{"discard", values{"f": reasons.DiscardedTile(a, s.decision.Drawn)}}
	case a >= sim.ActChi && a < sim.ActPon:
		low := claimed.Kind() - tile.Kind(int(a-sim.ActChi)%3)
		return phrase{"chi", values{"tiles": []tile.Kind{low, low + 1, low + 2}}}
	case a >= sim.ActPon && a < sim.ActOpenKan:
		return phrase{"pon", values{"f": claimed}}
	case a == sim.ActOpenKan:
		return phrase{"open_kan", values{"f": claimed}}
	case a >= sim.ActClosedKan && a < sim.ActAddedKan:
		return phrase{"closed_kan", values{"f": tile.Kind(a - sim.ActClosedKan)}}
	case a >= sim.ActAddedKan && a < sim.ActWin:
		return phrase{"added_kan", values{"f": tile.Kind(a - sim.ActAddedKan)}}
	case a == sim.ActPass && claimed != tile.NoFace:
		return phrase{"pass_on", values{"f": claimed}}
	}
	switch a {
	case sim.ActWin, sim.ActFlowerWin, sim.ActFlowerAward, sim.ActPass, sim.ActNineKinds, sim.ActTenpai, sim.ActNoten, sim.ActKita:
		return phrase{key: a.String()}
	}
	return phrase{"other", values{"a": a.String()}}
}

// pointsText formats points: to tens where players have thousands, otherwise to hundredths.
func pointsText(r *ruleset.Rules, x float64) string {
	if r.StartingPoints >= 1000 {
		return digits.Fixed(math.Round(x/10)*10, 0)
	}
	return digits.Fixed(x, 2)
}

// Sentence returns a decision in words of a language: what was chosen, what it cost, why, and what
// the judge does. The interval is the corrected one of a mistake.
func (d *Decision) Sentence(language string, r *ruleset.Rules) string {
	text := d.costPhrase("cost_", r)
	if len(d.reasons) > 0 {
		text = phrase{"because", values{"text": text, "reason": joined(d.reasons)}}
	}
	return board.WithTerms(phrase{"judge", values{"text": text, "better": d.words.better}}.in(language), language, r.Family)
}

// Brief returns what was chosen and its cost in words of a language.
func (d *Decision) Brief(language string, r *ruleset.Rules) string {
	return board.WithTerms(d.costPhrase("brief_", r).in(language), language, r.Family)
}

// costPhrase returns the phrase of what was chosen and its cost; the key begins with prefix.
func (d *Decision) costPhrase(prefix string, r *ruleset.Rules) phrase {
	c, unit := &d.Cost, "points"
	write := func(x interval.Number) string { return pointsText(r, float64(x)) }
	if d.Kind == Placement && d.Places != nil {
		c, unit = d.Places, "places"
		write = func(x interval.Number) string { return digits.Fixed(float64(x), 2) }
	}
	low, high := c.Low, c.High
	if d.Corrected != nil {
		low, high = d.Corrected[0], d.Corrected[1]
	}
	return phrase{prefix + unit, values{"choice": d.words.choice, "n": write(c.Cost), "low": write(low), "high": write(high)}}
}

func joined(list []phrase) phrase {
	text := list[0]
	for _, next := range list[1:] {
		text = phrase{"and", values{"a": text, "b": next}}
	}
	return text
}

// Text returns the sum of the costs with its interval.
func (t *Total) Text(r *ruleset.Rules) string {
	return fmt.Sprintf("%s [%s, %s]", pointsText(r, float64(t.Cost)), pointsText(r, float64(t.Low)), pointsText(r, float64(t.High)))
}
