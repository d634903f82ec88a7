package belief

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// The inputs of the network: what is told of a player, then of a kind of tile in his
// hands, which have a place of their own for players who have declared ready.
const (
	playerInputs = 56
	kindInputs   = 72
	// NumInputs is the number of inputs.
	NumInputs = playerInputs + 2*kindInputs
)

const one = perceptron.One

// list is a list of inputs under construction: next is the place of the next one.
type list struct {
	inputs [96]perceptron.Input
	n      int
	next   int
}

func (c *list) put(n int) {
	// Written in any case and kept if it is not zero, without a branch that nothing could
	// foretell.
	c.inputs[c.n] = perceptron.Input{At: uint16(c.next), Value: int8(max(-127, min(n, 127)))}
	if n != 0 {
		n = 1
	}
	c.n += n
	c.next++
}

func (c *list) flag(b bool) {
	n := 0
	if b {
		n = one
	}
	c.put(n)
}

// oneOf tells which of n inputs holds, the last for all beyond.
func (c *list) oneOf(i, n int) {
	at := c.next
	c.next += min(i, n-1)
	c.put(one)
	c.next = at + n
}

func (c *list) skip(n int) { c.next += n }

func (c *list) all() []perceptron.Input { return c.inputs[:c.n] }

// valued reports whether a triplet of an honor is worth something to player p.
func (r *Reader) valued(p sim.Player, k tile.Kind) bool {
	return tile.Dragons.Has(k) || k == r.view.SeatWind(p).Kind() || k == r.view.RoundWind().Kind()
}

// tellPlayer tells what is known of player p.
func (r *Reader) tellPlayer(c *list, p sim.Player) {
	c.n, c.next = 0, 0
	v, t := r.view, &r.pasts[p&3]
	declared := v.Ready(p) != sim.NotReady
	c.flag(declared)
	c.flag(declared && v.OneShot(p))
	c.flag(v.Dealer() == p)
	c.flag(v.IsOpen(p))
	melds := v.NumMelds(p)
	c.oneOf(melds, 5)
	turn := int(t.n)
	c.put(turn * one / 16)
	c.oneOf(turn/3, 6)
	c.put(r.draws * one / 16)
	c.flag(r.draws <= 2)
	c.put(int(t.inARow) * one / 6)
	c.flag(t.inARow >= 3)
	c.put(int(t.fromHand) * one / 8)
	c.put(int(t.pushes) * one / 4)
	c.flag(t.pushes > 0)
	others := 0
	for q := range sim.Player(sim.NumPlayers) {
		if q != p && v.Ready(q) != sim.NotReady {
			others++
		}
	}
	c.put(others * one / 2)
	chis, triplets, kans, dora, valued, outside := 0, 0, 0, 0, 0, 0
	var suits tile.Set
	for i := range melds {
		m := v.Meld(p, i)
		switch {
		case m.Kind == tile.NoKind:
			kans++
			continue
		case m.Type == hand.Chi:
			chis++
			for j := range tile.Kind(3) {
				dora += int(r.dora[m.Kind+j])
			}
			if rank := m.Kind.Rank(); rank == 0 || rank == 6 {
				outside++
			}
		default:
			triplets++
			dora += 3 * int(r.dora[m.Kind])
			if m.Kind.IsHonor() {
				if r.valued(p, m.Kind) {
					valued++
				}
			}
			if !tile.Simples.Has(m.Kind) {
				outside++
			}
		}
		if m.Type != hand.Chi && m.Type != hand.Pon {
			kans++
		}
		dora += int(m.Reds)
		if !m.Kind.IsHonor() {
			suits |= 1 << m.Kind.Suit()
		}
	}
	c.put(chis * one / 2)
	c.put(triplets * one / 2)
	c.put(kans * one)
	c.put(dora * one / 3)
	c.flag(dora > 0)
	c.put(valued * one)
	c.flag(melds > 0 && outside == melds)
	c.flag(melds > 0 && outside == 0)
	c.flag(melds >= 2 && suits.Len() <= 1)
	c.flag(melds >= 2 && triplets == melds)
	n := max(turn, 1)
	most, least := 0, n
	for s := range 3 {
		most, least = max(most, int(t.suits[s])), min(least, int(t.suits[s]))
	}
	c.put(least * one / n)
	c.put(most * one / n)
	c.put(int(t.suits[tile.Honors]) * one / n)
	c.put((t.early & middle).Len() * one / 4)
	c.put(t.safe.Len() * one / 16)
	if declared {
		c.put((v.NumDiscards() - int(t.declaredAt)) * one / 24)
	} else {
		c.skip(1)
	}
	if k := t.last; k != tile.NoKind {
		c.oneOf(class(r, p, k), 6)
		c.flag(r.dora[k] > 0)
	} else {
		c.skip(7)
	}
	if c.next > playerInputs {
		panic("belief: more inputs of a player than there is room for")
	}
}

// middle are the kinds that tell most when they are discarded early.
const middle = tile.Ones * 0b001111100

// class tells a kind in general: from the edge to the middle, or honors.
func class(r *Reader, p sim.Player, k tile.Kind) int {
	switch {
	case !k.IsHonor():
		return min(k.Rank(), 8-k.Rank(), 3)
	case r.valued(p, k):
		return 4
	}
	return 5
}

// tellKind tells of kind k in the hands of player p. Its suited neighbours are told from
// the nearer edge of the suit on.
func (r *Reader) tellKind(c *list, p sim.Player, k tile.Kind) {
	v, t := r.view, &r.pasts[p&3]
	c.n, c.next = 0, playerInputs
	if v.Ready(p) != sim.NotReady {
		c.next += kindInputs
	}
	end := c.next + kindInputs
	bit := k.Bit()
	c.flag(t.safe&bit != 0)
	c.flag(t.early&bit != 0)
	c.flag(t.late&bit != 0)
	c.flag(t.chosen&bit != 0)
	c.oneOf(int(r.unseen[k]), 5)
	c.put((4 - int(r.unseen[k]) - r.hand.Count(k)) * one / 3)
	c.put(int(r.dora[k]) * one)
	if k.IsHonor() {
		c.flag(k == v.SeatWind(p).Kind())
		c.flag(k == v.RoundWind().Kind())
		c.flag(tile.Dragons.Has(k))
		c.flag(!r.valued(p, k))
		c.skip(5)
	} else {
		c.skip(4)
		c.oneOf(min(k.Rank(), 8-k.Rank()), 5)
	}
	suit := k.Suit()
	n := max(int(t.n), 1)
	c.put(int(t.suits[suit]) * one / n)
	c.flag(t.n >= firstDiscards && t.suits[suit] == 0)
	// What his melds say of the kind.
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
	c.put(same * one / 2)
	c.put(others * one / 2)
	c.flag(has)
	all := same + others + honors
	if k.IsHonor() {
		c.skip(1)
		c.flag(all >= 2 && (same == 0 || others == 0))
		c.flag(all >= 2 && ends == all)
	} else {
		c.flag(all >= 2 && same == 0)
		c.flag(all >= 2 && others == 0)
		c.flag(all >= 2 && ends == all)
	}
	c.flag(all >= 1 && ends == 0 && !tile.Simples.Has(k))
	c.flag(all >= 2 && chis == 0)
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
			c.skip(7)
			continue
		}
		ways := int(r.unseen[a]) * int(r.unseen[b])
		switch {
		case ways == 0:
			c.flag(true)
			c.skip(6)
			continue
		case other == tile.NoKind:
			c.skip(1)
			c.put(ways * one / 16)
			c.skip(5)
			continue
		}
		c.skip(2)
		if safe := t.safe.Has(other); safe {
			c.flag(true)
			c.flag(t.early.Has(other))
			c.flag(own.Has(other) && !t.early.Has(other))
			c.skip(2)
		} else {
			c.skip(3)
			c.put(ways * one / 16)
			c.flag(own.Has(other)) // no lock by discards
		}
	}
	if a, b := at(-1), at(1); a != tile.NoKind {
		c.put(int(r.unseen[a]) * int(r.unseen[b]) * one / 16)
	} else {
		c.skip(1)
	}
	for _, d := range [...]int{-2, -1, 1, 2} {
		a := at(d)
		if a == tile.NoKind {
			c.skip(5)
			continue
		}
		c.put(int(r.unseen[a]) * one / 4)
		c.flag(t.early.Has(a))
		c.flag(t.late.Has(a))
		c.flag(t.last == a)
		c.flag(r.dora[a] > 0)
	}
	// Waits at two sides of his that are left, in all and on this kind.
	here := 0
	if t.lines.Has(k) {
		here++
	}
	if k.Rank() >= 3 && t.lines.Has(k-3) {
		here++
	}
	if here > 0 {
		c.put(here * one / t.lines.Len())
	} else {
		c.skip(1)
	}
	if c.next > end {
		panic("belief: more inputs of a kind than there is room for")
	}
}
