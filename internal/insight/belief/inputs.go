package belief

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The inputs of the network: those of a player, then those of a kind in the player's
// hand. The latter have separate places for players who have declared ready.
const (
	playerInputs = 56
	kindInputs   = 72
	// NumInputs is the number of inputs.
	NumInputs = playerInputs + 2*kindInputs
)

const one = perceptron.One

// EncodePlayer sets c to the inputs about player p: those before NumInputs that do not
// depend on a kind. Observe must come before it.
func (r *Estimator) EncodePlayer(c *perceptron.InputList, p sim.Player) {
	c.Begin(0)
	v, t := r.view, &r.discards[p&3]
	declared := v.Ready(p) != sim.NotReady
	c.Flag(declared)
	c.Flag(declared && v.Ippatsu(p))
	c.Flag(v.Dealer() == p)
	c.Flag(v.IsOpen(p))
	melds := v.NumMelds(p)
	c.OneHot(min(melds, 4), 5)
	turn := int(t.Count)
	c.Put(turn * one / 16)
	c.OneHot(min(turn/3, 5), 6)
	c.Put(r.draws * one / 16)
	c.Flag(r.draws <= 2)
	c.Put(int(t.DrawnInARow) * one / 6)
	c.Flag(t.DrawnInARow >= 3)
	c.Put(int(t.FromHand) * one / 8)
	c.Put(int(t.Pushes) * one / 4)
	c.Flag(t.Pushes > 0)
	others := 0
	for q := range sim.Player(sim.NumPlayers) {
		if q != p && v.Ready(q) != sim.NotReady {
			others++
		}
	}
	c.Put(others * one / 2)
	m := SummarizeMelds(v, p, &r.dora)
	c.Put(m.Chis * one / 2)
	c.Put(m.Triplets * one / 2)
	c.Put(m.Kans * one)
	c.Put(m.Dora * one / 3)
	c.Flag(m.Dora > 0)
	c.Put(m.Valued * one)
	c.Flag(melds > 0 && m.Outside == melds)
	c.Flag(melds > 0 && m.Outside == 0)
	c.Flag(melds >= 2 && m.Suits <= 1)
	c.Flag(melds >= 2 && m.Triplets == melds)
	n := max(turn, 1)
	most, least := 0, n
	for s := range 3 {
		most, least = max(most, int(t.Suits[s])), min(least, int(t.Suits[s]))
	}
	c.Put(least * one / n)
	c.Put(most * one / n)
	c.Put(int(t.Suits[tile.Honors]) * one / n)
	c.Put((t.Early & MiddleKinds).Len() * one / 4)
	c.Put(t.Safe.Len() * one / 16)
	c.PutIf(declared, (v.NumDiscards()-int(t.ReadyAt))*one/24)
	if k := t.LastFromHand; k != tile.NoKind {
		c.OneHot(class(r, p, k), 6)
		c.Flag(r.dora[k] > 0)
	} else {
		c.Skip(7)
	}
	c.Put(v.Norths(p) * one / 4)
	c.SkipTo(playerInputs)
}

// class returns the class of a kind: 0 to 3 from the edge to the middle of a suit, 4
// for valued and 5 for other honors.
func class(r *Estimator, p sim.Player, k tile.Kind) int {
	switch {
	case !k.IsHonor():
		return min(k.Rank(), 8-k.Rank(), 3)
	case isValued(r.view, p, k):
		return 4
	}
	return 5
}

// EncodeKind sets c to the inputs about kind k in the hand of player p. The suited
// neighbors are in order from the nearer edge of the suit. Observe must come before it.
func (r *Estimator) EncodeKind(c *perceptron.InputList, p sim.Player, k tile.Kind) {
	v, t := r.view, &r.discards[p&3]
	first := playerInputs
	if v.Ready(p) != sim.NotReady {
		first += kindInputs
	}
	c.Begin(first)
	bit := k.Bit()
	c.Flag(t.Safe&bit != 0)
	c.Flag(t.Early&bit != 0)
	c.Flag(t.Late&bit != 0)
	c.Flag(t.Chosen&bit != 0)
	c.OneHot(min(int(r.unseen[k]), 4), 5)
	c.Put((4 - int(r.unseen[k]) - r.hand.Count(k)) * one / 3)
	c.Put(int(r.dora[k]) * one)
	if k.IsHonor() {
		c.Flag(k == v.SeatWind(p).Kind())
		c.Flag(k == v.RoundWind().Kind())
		c.Flag(tile.Dragons.Has(k))
		c.Flag(!isValued(r.view, p, k))
		c.Skip(5)
	} else {
		c.Skip(4)
		c.OneHot(min(k.Rank(), 8-k.Rank()), 5)
	}
	suit := k.Suit()
	n := max(int(t.Count), 1)
	c.Put(int(t.Suits[suit]) * one / n)
	c.Flag(t.Count >= EarlyDiscards && t.Suits[suit] == 0)
	// The player's melds beside the kind.
	same, others, honors, ends, chis := 0, 0, 0, 0, 0
	has := false
	for i := range v.NumMelds(p) {
		m := v.Meld(p, i)
		switch {
		case m.Kind == tile.NoKind:
			continue
		case m.Kind.IsHonor():
			honors++
		case m.Kind.Suit() == suit:
			same++
		default:
			others++
		}
		if m.Type == hand.Chi {
			chis++
			has = has || m.Kind <= k && k < m.Kind+3
			if rank := m.Kind.Rank(); rank == 0 || rank == 6 {
				ends++
			}
		} else if !tile.Simples.Has(m.Kind) {
			ends++
		}
	}
	c.Put(same * one / 2)
	c.Put(others * one / 2)
	c.Flag(has)
	all := same + others + honors
	if k.IsHonor() {
		c.Skip(1)
		c.Flag(all >= 2 && (same == 0 || others == 0))
		c.Flag(all >= 2 && ends == all)
	} else {
		c.Flag(all >= 2 && same == 0)
		c.Flag(all >= 2 && others == 0)
		c.Flag(all >= 2 && ends == all)
	}
	c.Flag(all >= 1 && ends == 0 && !tile.Simples.Has(k))
	c.Flag(all >= 2 && chis == 0)
	if k.IsHonor() {
		return
	}
	// Step 1 leads away from the nearer edge.
	rank, step := k.Rank(), 1
	if rank > 4 {
		rank, step = 8-rank, -1
	}
	at := func(d int) tile.Kind {
		if r := rank + d; r < 0 || r > 8 {
			return tile.NoKind
		}
		return tile.Kind(int(k) + step*d)
	}
	own := r.rivers[p&3]
	for _, d := range [...]int{1, -1} {
		a, b, other := at(d), at(2*d), at(3*d)
		if b == tile.NoKind {
			c.Skip(7)
			continue
		}
		ways := int(r.unseen[a]) * int(r.unseen[b])
		switch {
		case ways == 0:
			c.Flag(true)
			c.Skip(6)
			continue
		case other == tile.NoKind:
			c.Skip(1)
			c.Put(ways * one / 16)
			c.Skip(5)
			continue
		}
		c.Skip(2)
		if safe := t.Safe.Has(other); safe {
			c.Flag(true)
			c.Flag(t.Early.Has(other))
			c.Flag(own.Has(other) && !t.Early.Has(other))
			c.Skip(2)
		} else {
			c.Skip(3)
			c.Put(ways * one / 16)
			c.Flag(own.Has(other)) // under rules without furiten
		}
	}
	if a, b := at(-1), at(1); a != tile.NoKind {
		c.Put(int(r.unseen[a]) * int(r.unseen[b]) * one / 16)
	} else {
		c.Skip(1)
	}
	for _, d := range [...]int{-2, -1, 1, 2} {
		a := at(d)
		if a == tile.NoKind {
			c.Skip(5)
			continue
		}
		c.Put(int(r.unseen[a]) * one / 4)
		c.Flag(t.Early.Has(a))
		c.Flag(t.Late.Has(a))
		c.Flag(t.LastFromHand == a)
		c.Flag(r.dora[a] > 0)
	}
	// The share of the player's two-sided waits that are on this kind.
	lines := r.lines[p&3]
	here := 0
	if lines.Has(k) {
		here++
	}
	if k.Rank() >= 3 && lines.Has(k-3) {
		here++
	}
	if here > 0 {
		c.Put(here * one / lines.Len())
	} else {
		c.Skip(1)
	}
	c.SkipTo(first + kindInputs)
}
