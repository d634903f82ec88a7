package luck

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A value function evaluates a state in which all hands are without a drawn tile. Its
// inputs are seatInputs for each seat in turn order from the mover on, then
// tableInputs.
const (
	one         = InputUnit
	seatInputs  = 67
	tableInputs = 8
	// NumInputs is the number of inputs of a value function.
	NumInputs = sim.NumPlayers*seatInputs + tableInputs

	// maxInput bounds an input.
	maxInput = 32 * one
)

// InputUnit is the fixed-point scale of Inputs.
const InputUnit = 64

// Inputs are the inputs of a value function.
type Inputs [NumInputs]int16

// inputWriter writes one input after another.
type inputWriter struct {
	in *Inputs
	n  int
}

func (c *inputWriter) put(n int) {
	c.in[c.n] = int16(max(-maxInput, min(n, maxInput)))
	c.n++
}

func (c *inputWriter) flag(b bool) { c.put(toInt(b) * one) }

// putIf writes n if b is true, else zero.
func (c *inputWriter) putIf(b bool, n int) { c.put(toInt(b) * n) }

func (c *inputWriter) skip(n int) {
	for range n {
		c.put(0)
	}
}

// encode writes the inputs of the state after the forecast discard. Amounts are
// multiples of scale; sc is scratch space.
func (s *State) encode(t *discardForecast, scale int, in *Inputs, sc *winScratch) {
	c := inputWriter{in: in}
	pool := max(s.poolSize, 1)
	seats := s.rules.NumSeats()
	for i := range seats {
		s.summarize(s.playerAfter(s.mover, i), sc)
	}
	for i := range seats {
		p := s.playerAfter(s.mover, i)
		st := &s.seats[p]
		o := &st.summary
		for d := range int8(6) {
			c.flag(min(o.shanten, 5) == d)
		}
		likely := s.poolOf(o.useful) * one / pool // the probability that a draw is useful
		for d := range int8(3) {
			c.putIf(o.shanten == d, 4*likely)
		}
		c.putIf(o.shanten >= 3, likely)
		onDiscard, onDraw := int(o.onDiscard)*one/scale, int(o.onDraw)*one/scale
		if o.shanten == 0 {
			c.put(s.heldByOthers(p, o.useful) * one / 6)
			c.put(onDiscard)
			c.put(onDraw)
			c.put(int(o.mayWin))
			c.flag(o.furiten)
			c.put(4 * likely * onDraw / one)
		} else {
			c.skip(6)
		}
		c.flag(st.ready)
		c.flag(st.ippatsu)
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
		c.put(int(o.mixed-4) * one / 4)
		c.put(int(o.shifted-4) * one / 4)
		c.put(int(o.knitted-4) * one / 4)
		c.put(bits.OnesCount8(st.flowers) * one / 4)
		c.put(s.endangered(p) * one / 4)
		s.encodePlans(o, pool, scale, &c)
		if i == 0 {
			s.encodeRisks(t, scale, &c)
		} else {
			s.encodeClaims(p, t, onDiscard, &c)
		}
		s.encodeNextDiscards(p, scale, &c)
	}
	c.skip((sim.NumPlayers - seats) * seatInputs)
	c.put(s.left * one / 70)
	c.flag(s.left < 4)
	c.flag(s.left < 12)
	c.flag(s.left < 24)
	c.put(s.counter * one / 4)
	c.put(s.deposits * one / 3)
	c.flag(t.discard != tile.NoKind)
	c.put(s.discards * one / 70)
}

// mayWinOnDiscard reports whether p, whose hand is summarized, may win on some discard of
// another player.
func (s *State) mayWinOnDiscard(p sim.Player) bool {
	o := &s.seats[p].summary
	return o.shanten == 0 && !o.furiten && o.mayWin > 0
}

// endangered returns how many concealed tiles of p deal into another player.
func (s *State) endangered(p sim.Player) int {
	n := 0
	for q := range s.seats {
		if sim.Player(q) != p && s.mayWinOnDiscard(sim.Player(q)) {
			n += s.seats[p].count(s.seats[q].summary.useful)
		}
	}
	return n
}

// turnInputs is the number of inputs of a seat about the mover's discard.
const turnInputs = 13

// encodePlans writes the distance and worth of the nearest hand that may win and of the
// first valuable aim.
func (s *State) encodePlans(o *handSummary, pool, scale int, c *inputWriter) {
	for d := range int8(3) {
		c.flag(o.planDistance == d)
	}
	c.put(int(o.planDistance) * one / 4)
	likely := s.poolOf(o.planUkeire) * one / pool
	for d := int8(1); d <= 2; d++ {
		c.putIf(o.planDistance == d, 4*likely)
	}
	worth := int(o.planWorth) * one / scale
	c.put(worth)
	c.putIf(o.planDistance == 1, 4*likely*worth/one)
	c.flag(o.valuableFar == 0)
	c.flag(o.valuableFar == 1)
	c.put(int(o.valuableFar) * one / 4)
	valuable := int(o.valuableWorth) * one / scale
	c.put(valuable)
	c.putIf(o.valuableFar < hopeless, valuable*int(distanceDiscount[o.valuableFar])/int(distanceDiscount[0]))
}

// encodeRisks writes what the mover's discard may cost the mover.
func (s *State) encodeRisks(t *discardForecast, scale int, c *inputWriter) {
	if t.discard == tile.NoKind {
		c.skip(turnInputs)
		return
	}
	cost, hit := 0, 0
	for i := 1; i < s.rules.NumSeats(); i++ {
		if p := s.playerAfter(s.mover, i); s.mayWinOnDiscard(p) {
			o := &s.seats[p].summary
			n := t.odds.probability(o.useful)
			hit += n
			cost += n * (int(o.onDiscard) * one / scale) / chanceUnit
		}
	}
	c.put(hit * one / chanceUnit)
	c.put(cost)
	c.put(int(t.odds.chances[t.discard]) * one / chanceUnit)
	c.flag(t.discard == t.drawn)
	// The mover and the others use the same places, each for inputs of its own.
	c.skip(turnInputs - 4)
}

// encodeClaims writes what the mover's discard may bring p.
func (s *State) encodeClaims(p sim.Player, t *discardForecast, onDiscard int, c *inputWriter) {
	if t.discard == tile.NoKind {
		c.skip(turnInputs)
		return
	}
	st := &s.seats[p]
	o := &st.summary
	on := func(kinds tile.Set) int { return t.odds.probability(kinds) * one / chanceUnit }
	if s.mayWinOnDiscard(p) {
		hit := on(o.useful)
		c.put(hit)
		c.put(hit * onDiscard / one)
		// The likeliest discard apart from the mean over all: payments are not linear in it.
		surely := o.useful.Has(t.discard)
		c.flag(surely)
		c.put(onDiscard * toInt(surely))
		drew := t.drawn != tile.NoKind && o.useful.Has(t.drawn)
		c.flag(drew)
		c.put(onDiscard * toInt(drew))
		had := seat{hand: t.before}
		c.put(had.count(o.useful) * one / 4)
	} else {
		c.skip(7)
	}
	if st.ready || st.n > 1 {
		safe := st.river | st.passed
		c.put((safe & t.before.Kinds()).Len() * one / 6)
		c.flag(safe&t.before.Kinds() != 0)
		c.put(on(safe))
	} else {
		c.skip(3)
	}
	// A closed hand is opened by pons of valued honors more readily than by others.
	pairs := st.hand.AtLeast(2)
	c.put(on(pairs))
	if !st.open {
		pairs &= s.valuedKinds(p)
	}
	c.put(on(pairs))
	c.putIf(o.planDistance > 0, on(o.planUkeire))
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
