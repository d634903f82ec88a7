package belief

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// MeldSummary is a summary of a player's melds. A hidden kan, whose kind is unknown, counts in
// Kans alone.
type MeldSummary struct {
	// Chis, Triplets and Kans are numbers of melds; Triplets include kans.
	Chis, Triplets, Kans int
	// Suits is the number of suits that have a meld.
	Suits int
	// Dora is the number of dora, red fives included. A kan counts as a triplet.
	Dora int
	// Valued is the number of triplets of dragons, the round wind and the seat wind, Outside
	// that of melds with a terminal or honor.
	Valued, Outside int
}

// SummarizeMelds returns the summary for player p. dora has how many dora a tile of each kind
// counts.
func SummarizeMelds(v sim.View, p sim.Player, dora *[tile.NumKinds]uint8) (s MeldSummary) {
	var suits tile.Set
	for i := range v.NumMelds(p) {
		m := v.Meld(p, i)
		if m.Type != hand.Chi && m.Type != hand.Pon {
			s.Kans++
		}
		switch {
		case m.Kind == tile.NoKind:
			continue
		case m.Type == hand.Chi:
			s.Chis++
			for k := m.Kind; k < m.Kind+3; k++ {
				s.Dora += int(dora[k])
			}
			if rank := m.Kind.Rank(); rank == 0 || rank == 6 {
				s.Outside++
			}
		default:
			s.Triplets++
			s.Dora += 3 * int(dora[m.Kind])
			if isValued(v, p, m.Kind) {
				s.Valued++
			}
			if !tile.Simples.Has(m.Kind) {
				s.Outside++
			}
		}
		s.Dora += int(m.Reds)
		if !m.Kind.IsHonor() {
			suits |= 1 << m.Kind.Suit()
		}
	}
	s.Suits = suits.Len()
	return s
}

// isValued reports whether a triplet of an honor has value for player p.
func isValued(v sim.View, p sim.Player, k tile.Kind) bool {
	return tile.Dragons.Has(k) || k == v.SeatWind(p).Kind() || k == v.RoundWind().Kind()
}
