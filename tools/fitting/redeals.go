package fitting

import (
	"math"

	"github.com/sparrowhall/sparrowhall/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// RedealScore compares redeals by tile odds with uniform ones: the mean negative log-
// likelihood of the true number of tiles of each kind that each player holds.
type RedealScore struct {
	// Counts is the number of pairs of a player and a kind that were compared. Even and
	// Believed are the sums of negative log-likelihoods over them, in nats: of uniform
	// redeals, and of those by tile odds.
	Counts         int
	Even, Believed float64
}

// Add compares redeals at one in every own turns of a match: deals of each sort.
func (s *RedealScore) Add(r *ruleset.Rules, m *sim.Match, reader *belief.Estimator, every, deals int) error {
	n := int(m.Index)
	return m.ReplaySteps(r, func(t *sim.Table, p sim.Player, _ sim.Action, _ []sim.Event) {
		if t == nil || t.Phase() != sim.PhaseTurn {
			return
		}
		if n++; n%every != 0 {
			return
		}
		v := t.View(p)
		reader.Observe(v)
		s.Even += s.surprise(t, v, nil, deals)
		s.Believed += s.surprise(t, v, reader.TileOdds(), deals)
		for k := range tile.Kind(tile.NumKinds) {
			if v.Unseen(k) > 0 {
				s.Counts += r.NumSeats() - 1
			}
		}
	})
}

// surprise redeals the hidden tiles and returns the sum of the negative log-likelihoods
// of the true numbers of tiles.
func (s *RedealScore) surprise(t *sim.Table, v sim.View, odds *sim.Odds, deals int) (sum float64) {
	var had [sim.NumPlayers][tile.NumKinds][5]int
	for seed := range uint64(deals) {
		dealt := v.RedealWithOdds(odds, seed)
		for i := 1; i < t.Rules().NumSeats(); i++ {
			p := v.PlayerAfter(i)
			h := dealt.View(p).Hand()
			for k := range had[p] {
				had[p][k][h.Count(tile.Kind(k))]++
			}
		}
	}
	for i := 1; i < t.Rules().NumSeats(); i++ {
		p := v.PlayerAfter(i)
		h := t.View(p).Hand()
		for k := range had[p] {
			unseen := v.Unseen(tile.Kind(k))
			if unseen == 0 {
				continue
			}
			// Additive smoothing: half a deal for each number.
			n := had[p][k][h.Count(tile.Kind(k))]
			sum -= math.Log((float64(n) + 0.5) / (float64(deals) + 0.5*float64(unseen+1)))
		}
	}
	return sum
}

// Join adds the sums of another score.
func (s *RedealScore) Join(o RedealScore) {
	s.Counts += o.Counts
	s.Even += o.Even
	s.Believed += o.Believed
}
