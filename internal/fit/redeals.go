package fit

import (
	"math"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/belief"
)

// Redeals compares re-deals by odds with re-deals by chance alone: how likely does each
// make the number of tiles of a kind that a player truly has?
type Redeals struct {
	// Counts is the number of players and kinds that were looked at, Even and Believed the sums of
	// the logarithms, with the sign turned.
	Counts         int
	Even, Believed float64
}

// Add deals anew a number of times at one own turn of every so many of a match.
func (s *Redeals) Add(r *ruleset.Rules, m *sim.Match, reader *belief.Reader, every, deals int) error {
	n := int(m.Index)
	return m.Retrace(r, func(t *sim.Table, p sim.Player, _ sim.Action, _ []sim.Event) {
		if t == nil || t.Phase() != sim.PhaseTurn {
			return
		}
		if n++; n%every != 0 {
			return
		}
		v := t.View(p)
		reader.Look(v)
		s.Even += s.surprise(t, v, nil, deals)
		s.Believed += s.surprise(t, v, reader.Odds(), deals)
		for k := range tile.Kind(tile.NumKinds) {
			if v.Unseen(k) > 0 {
				s.Counts += sim.NumPlayers - 1
			}
		}
	})
}

// surprise deals anew what the viewer cannot see and returns the sum of the logarithms of how
// often players then have as many tiles of a kind as in truth.
func (s *Redeals) surprise(t *sim.Table, v sim.View, odds *sim.Odds, deals int) (sum float64) {
	var had [sim.NumPlayers][tile.NumKinds][5]int
	for seed := range uint64(deals) {
		dealt := v.RedealBy(odds, seed)
		for i := 1; i < sim.NumPlayers; i++ {
			p := v.At(i)
			h := dealt.View(p).Hand()
			for k := range had[p] {
				had[p][k][h.Count(tile.Kind(k))]++
			}
		}
	}
	for i := 1; i < sim.NumPlayers; i++ {
		p := v.At(i)
		h := t.View(p).Hand()
		for k := range had[p] {
			unseen := v.Unseen(tile.Kind(k))
			if unseen == 0 {
				continue
			}
			// What never came is not impossible: half a deal more for each number.
			n := had[p][k][h.Count(tile.Kind(k))]
			sum -= math.Log((float64(n) + 0.5) / (float64(deals) + 0.5*float64(unseen+1)))
		}
	}
	return sum
}

// Join adds what another has seen.
func (s *Redeals) Join(o Redeals) {
	s.Counts += o.Counts
	s.Even += o.Even
	s.Believed += o.Believed
}
