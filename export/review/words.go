package review

import (
	"fmt"
	"math"
	"strings"

	"github.com/sparrowhall/sparrowhall/insight/reasons"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// wording is the answers of a decision in words: "discarding 5p", "discards 9m".
type wording struct{ choice, better string }

// verbs are an answer in two forms; %s stands for its tile.
type verbs struct{ doing, does string }

// gerund returns an answer as a gerund.
func (s *situation) gerund(a sim.Action) string {
	v, f := s.verbs(a)
	return strings.ReplaceAll(v.doing, "%s", f)
}

// presentTense returns an answer in the present tense.
func (s *situation) presentTense(a sim.Action) string {
	v, f := s.verbs(a)
	return strings.ReplaceAll(v.does, "%s", f)
}

// verbs returns the words of an answer, and the tile in them.
func (s *situation) verbs(a sim.Action) (verbs, string) {
	claimed := s.view.ClaimableTile()
	switch {
	case a == sim.ActReadyNow:
		return verbs{"declaring " + s.riichi, "declares " + s.riichi}, ""
	case a.DeclaresReady():
		return verbs{"declaring " + s.riichi + " with %s", "declares " + s.riichi + " with %s"}, reasons.DiscardedTile(a, s.Drawn).String()
	case a.IsDiscard():
		return verbs{"discarding %s", "discards %s"}, reasons.DiscardedTile(a, s.Drawn).String()
	case a >= sim.ActChi && a < sim.ActPon:
		shape := chiShape(a, claimed)
		return verbs{"calling chi " + shape, "calls chi " + shape}, ""
	case a >= sim.ActPon && a < sim.ActOpenKan:
		return verbs{"calling pon of %s", "calls pon of %s"}, claimed.String()
	case a == sim.ActOpenKan:
		return verbs{"calling kan of %s", "calls kan of %s"}, claimed.String()
	case a >= sim.ActClosedKan && a < sim.ActAddedKan:
		return verbs{"declaring a closed kan of %s", "declares a closed kan of %s"}, tile.Kind(a - sim.ActClosedKan).String()
	case a >= sim.ActAddedKan && a < sim.ActWin:
		return verbs{"adding %s to a pon", "adds %s to the pon"}, tile.Kind(a - sim.ActAddedKan).String()
	case a == sim.ActPass && claimed != tile.NoFace:
		return verbs{"passing on %s", "passes on %s"}, claimed.String()
	}
	if v, ok := plainVerbs[a]; ok {
		return v, ""
	}
	return verbs{"answering %s", "answers %s"}, a.String()
}

// plainVerbs are those of answers without a tile.
var plainVerbs = map[sim.Action]verbs{
	sim.ActWin:         {"winning", "wins"},
	sim.ActFlowerWin:   {"winning with the flowers", "wins with the flowers"},
	sim.ActFlowerAward: {"taking the award", "takes the award"},
	sim.ActPass:        {"passing", "passes"},
	sim.ActNineKinds:   {"aborting the hand", "aborts the hand"},
	sim.ActTenpai:      {"showing the ready hand", "shows the ready hand"},
	sim.ActNoten:       {"hiding the ready hand", "hides the ready hand"},
	sim.ActKita:        {"setting a North aside", "sets a North aside"},
}

// chiShape returns the sequence that a chi makes of a claimed tile.
func chiShape(a sim.Action, claimed tile.Face) string {
	place := int(a-sim.ActChi) % 3
	low := claimed.Kind() - tile.Kind(place)
	return fmt.Sprintf("%s%s%s", low, low+1, low+2)
}

// pointsText formats points: to tens where players have thousands, otherwise to hundredths.
func pointsText(r *ruleset.Rules, x float64) string {
	if r.StartingPoints >= 1000 {
		return digits.Fixed(math.Round(x/10)*10, 0)
	}
	return digits.Fixed(x, 2)
}

// Sentence returns a decision in words: what was chosen, what it cost, why, and what the judge
// does. The interval is the corrected one of a mistake.
func (d *Decision) Sentence(r *ruleset.Rules) string {
	c, unit := &d.Cost, "points"
	write := func(x float64) string { return pointsText(r, x) }
	if d.Kind == Placement && d.Places != nil {
		c, unit = d.Places, "placement points"
		write = func(x float64) string { return digits.Fixed(x, 2) }
	}
	low, high := c.Low, c.High
	if d.Corrected != nil {
		low, high = d.Corrected[0], d.Corrected[1]
	}
	text := fmt.Sprintf("%s cost about %s %s [%s, %s]", d.words.choice, write(float64(c.Cost)), unit, write(float64(low)), write(float64(high)))
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text + ". The judge " + d.words.better + "."
}

// Text returns the sum of the costs with its interval.
func (t *Total) Text(r *ruleset.Rules) string {
	return fmt.Sprintf("%s [%s, %s]", pointsText(r, float64(t.Cost)), pointsText(r, float64(t.Low)), pointsText(r, float64(t.High)))
}
