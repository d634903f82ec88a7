package chance

import (
	"math/bits"

	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// The estimate is asked about a state in which everybody has a hand without a drawn
// tile, by numbers in units of one: seatInputs for each seat in turn order from the
// mover on, then tableInputs.
const (
	one         = InputUnit
	seatInputs  = 48
	tableInputs = 8
	// NumInputs is the number of inputs of an estimate.
	NumInputs = sim.NumPlayers*seatInputs + tableInputs

	// maxInput bounds an input.
	maxInput = 32 * one
)

// InputUnit is what stands for one in Inputs.
const InputUnit = 64

// Inputs is what an estimate is asked about.
type Inputs [NumInputs]int16

// turn is what a player in turn is about to do.
type turn struct {
	had   hand.Hand // his tiles before he discards; empty where he has no drawn tile
	drawn tile.Kind
	// discard is the kind he seems likely to discard, NoKind where there is none, and
	// near those that are about as good.
	discard tile.Kind
	near    tile.Set
}

// columns writes one input after another.
type columns struct {
	in *Inputs
	n  int
}

func (c *columns) put(n int) {
	c.in[c.n] = int16(max(-maxInput, min(n, maxInput)))
	c.n++
}

func (c *columns) flag(b bool) {
	c.put(0)
	if b {
		c.in[c.n-1] = one
	}
}

func (c *columns) skip(n int) {
	for range n {
		c.put(0)
	}
}

// inputs writes what the estimate is asked about the state after t. Amounts are told
// as multiples of scale; sc is room.
func (s *State) inputs(t *turn, scale int, in *Inputs, sc *score) {
	c := columns{in: in}
	pool := max(s.poolSize, 1)
	for i := range sim.NumPlayers {
		s.look(s.after(s.mover, i), sc)
	}
	for i := range sim.NumPlayers {
		p := s.after(s.mover, i)
		st := &s.seats[p]
		o := &st.outlook
		for d := range int8(6) {
			c.flag(min(o.shanten, 5) == d)
		}
		likely := s.poolOf(o.useful) * one / pool // that a draw lowers the shanten
		for d := range int8(3) {
			if o.shanten == d {
				c.put(4 * likely)
			} else {
				c.put(0)
			}
		}
		if o.shanten >= 3 {
			c.put(likely)
		} else {
			c.put(0)
		}
		onDiscard, onDraw := int(o.onDiscard)*one/scale, int(o.onDraw)*one/scale
		if o.shanten == 0 {
			c.put(s.heldBeside(p, o.useful) * one / 6)
			c.put(onDiscard)
			c.put(onDraw)
			c.put(int(o.mayWin))
			c.flag(o.locked)
			c.put(4 * likely * onDraw / one)
		} else {
			c.skip(6)
		}
		c.flag(st.ready)
		c.flag(st.oneShot)
		c.flag(st.open)
		c.put(int(st.n) * one / 4)
		c.flag(p == s.dealer)
		c.put(int(o.dora) * one / 3)
		c.put(int(o.valued) * one)
		c.put(int(o.valuedPairs) * one / 2)
		c.put(int(o.flush-8) * one / 6)
		c.put(int(o.simples-8) * one / 6)
		c.put(int(o.orphans-4) * one / 4)
		c.put(int(o.pairs) * one / 4)
		c.put(int(o.triplets) * one / 3)
		c.put(int(o.straight-4) * one / 4)
		c.put(int(o.like-4) * one / 4)
		c.put(int(o.shifted-4) * one / 4)
		c.put(int(o.knitted-4) * one / 4)
		c.put(bits.OnesCount8(st.flowers) * one / 4)
		c.put(s.endangered(p) * one / 4)
		if i == 0 {
			c.skip(seatInputs - 35)
		} else {
			s.against(p, t, onDiscard, &c)
		}
	}
	c.put(s.left * one / 70)
	c.flag(s.left < 4)
	c.flag(s.left < 12)
	c.flag(s.left < 24)
	c.put(s.counter * one / 4)
	c.put(s.deposits * one / 3)
	c.flag(t.discard != tile.NoKind)
	c.put(s.discards * one / 70)
}

// wins reports whether p, whose outlook is known, may win on some discards.
func (s *State) wins(p sim.Player) bool {
	o := &s.seats[p].outlook
	return o.shanten == 0 && !o.locked && o.mayWin > 0
}

// endangered returns how many of the tiles of p others wait for.
func (s *State) endangered(p sim.Player) int {
	n := 0
	for q := range s.seats {
		if sim.Player(q) != p && s.wins(sim.Player(q)) {
			n += s.seats[p].count(s.seats[q].outlook.useful)
		}
	}
	return n
}

// against tells what the mover's turn may bring p.
func (s *State) against(p sim.Player, t *turn, onDiscard int, c *columns) {
	st := &s.seats[p]
	o := &st.outlook
	if t.had.Len() == 0 {
		c.skip(seatInputs - 35)
		return
	}
	if s.wins(p) {
		hit := t.discard != tile.NoKind && o.useful.Has(t.discard)
		c.flag(hit)
		c.put(onDiscard * toInt(hit))
		drew := t.drawn != tile.NoKind && o.useful.Has(t.drawn)
		c.flag(drew)
		c.put(onDiscard * toInt(drew))
		had := seat{hand: t.had}
		c.put(had.count(o.useful) * one / 4)
		near := 0
		if t.near != 0 {
			near = (t.near & o.useful).Len() * one / t.near.Len()
		}
		c.put(near)
		c.put(near * onDiscard / one)
	} else {
		c.skip(7)
	}
	if st.ready || st.n > 1 {
		safe := st.river | st.passed
		c.put((safe & t.had.Kinds()).Len() * one / 6)
		c.flag(safe&t.had.Kinds() != 0)
		c.flag(t.discard != tile.NoKind && safe.Has(t.discard))
	} else {
		c.skip(3)
	}
	pair := t.discard != tile.NoKind && st.hand.Count(t.discard) >= 2
	c.flag(pair)
	c.flag(pair && (st.open || s.valuedKinds(p).Has(t.discard)))
	c.flag(t.discard != tile.NoKind && o.shanten > 0 && o.useful.Has(t.discard))
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// discardLikely takes the tile out of the mover's hand, which holds a drawn one, that
// leaves it nearest to a win and with most tiles to come as far as he can know;
// players in riichi discard what they drew.
func (s *State) discardLikely() turn {
	p := s.mover
	st := &s.seats[p]
	t := turn{had: st.hand, drawn: s.drawn.Kind(), discard: s.drawn.Kind()}
	if !st.ready || t.drawn == tile.NoKind {
		s.findDiscard(p, st, &t)
	}
	f := tile.Face(t.discard)
	if t.discard.IsFive() && int(st.reds[t.discard.Suit()]) == st.hand.Count(t.discard) {
		f = tile.RedOf(t.discard.Suit())
	}
	s.give(p, f)
	return t
}

func (s *State) findDiscard(p sim.Player, st *seat, t *turn) {
	sets, melds := s.sets(st), st.melds[:st.n]
	shanten := s.rules.HandShanten(&st.hand, melds)
	if shanten < 0 || st.hand.Shanten(sets) == shanten {
		var list [hand.MaxDiscards]hand.Discard
		var worth [hand.MaxDiscards]int
		best := -1
		n := st.hand.BestDiscards(sets, &list)
		for i := range list[:n] {
			d := &list[i]
			// Ten for each useful tile that he cannot see, less for what he would miss.
			worth[i] = 10*(s.poolOf(d.Useful)+s.heldBeside(p, d.Useful)) - 3*int(s.dora[d.Kind])
			if tile.Orphans&d.Kind.Bit() != 0 {
				worth[i]++
			}
			if d.Kind.IsFive() && st.reds[d.Kind.Suit()] > 0 && int(st.reds[d.Kind.Suit()]) == st.hand.Count(d.Kind) {
				worth[i] -= 3
			}
			if best < 0 || worth[i] > worth[best] {
				best = i
			}
		}
		if best >= 0 {
			t.discard = list[best].Kind
			for i := range list[:n] {
				if 4*worth[i] >= 3*worth[best] {
					t.near |= list[i].Kind.Bit()
				}
			}
			return
		}
	}
	least, fewest := int(hand.MaxDiscards), 0
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		left := s.inPool(k) + s.heldBeside(p, k.Bit())
		st.hand.Remove(k)
		if d := s.rules.HandShanten(&st.hand, melds); d < least || d == least && left < fewest {
			least, fewest, t.discard = d, left, k
		}
		st.hand.Add(k)
	}
}
