package zungjung

import "github.com/sparrowhall/sparrowhall/ruleset"

// Settle appends what the other players pay to each winner, other winners
// included ([Z] 4).
func (s *scorer) Settle(t *ruleset.Settlement) {
	for i := range t.Winners[:t.NumWinners] {
		w := &t.Winners[i]
		for n := range ruleset.NumPlayers - 1 {
			c := w.Chair.Next(n + 1)
			amount := s.share(int(w.Value.Points), c, w.Responsible)
			if c == t.Dealer || w.Chair == t.Dealer {
				amount *= s.knobs.DealerFactor + 1
			}
			t.Pay(c, w.Chair, amount, ruleset.ForWin)
		}
	}
}

// share returns what chair c pays for a hand of the given points.
func (s *scorer) share(points int, c, responsible ruleset.Chair) int {
	if responsible == ruleset.NoChair || s.knobs.PayoffScheme == Uniform {
		return points
	}
	others := 0
	if s.knobs.PayoffScheme == Competition {
		others = min(points, s.knobs.ParScore)
	}
	if c == responsible {
		return 3*points - 2*others
	}
	return others
}

// Drawn appends nothing: no player pays for a drawn hand ([S] 2.10).
func (s *scorer) Drawn(*ruleset.Settlement) {}
