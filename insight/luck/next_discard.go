package luck

import (
	"github.com/sparrowhall/sparrowhall/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// nextDiscard is the predicted discard of a player after the next draw.
type nextDiscard struct {
	// chances are the probabilities of each kind if the discard is from the hand, in
	// 1/chanceUnit; likely are the kinds with one above zero.
	chances [tile.NumKinds]int16
	likely  tile.Set
	// fromHand is the probability that the discard is from the hand, drawn that it is the
	// tile drawn, in 1/chanceUnit.
	fromHand, drawn int16
}

// probability returns how likely a discard from the hand is of some kinds.
func (t *nextDiscard) probability(kinds tile.Set) int {
	n := 0
	for kinds &= t.likely; kinds != 0; kinds = kinds.Rest() {
		n += int(t.chances[kinds.First()])
	}
	return n
}

// setAfter sets t to what is left after the likeliest discard of a forecast: one of the
// other kinds goes next.
func (t *nextDiscard) setAfter(turn *discardForecast) {
	first := int32(turn.chances[turn.discard])
	*t = nextDiscard{drawn: t.drawn, fromHand: t.fromHand}
	if turn.before.Count(turn.discard) > 1 || first >= chanceUnit {
		return // another copy may go, or there is no other candidate
	}
	t.likely = turn.likely &^ turn.discard.Bit()
	for kinds := t.likely; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		t.chances[k] = int16(int32(turn.chances[k]) * chanceUnit / (chanceUnit - first))
	}
}

// predictNextDiscard predicts the discard of p, whose hand is summarized, after the
// next draw. It evaluates the discards with a drawn tile that is useless to p.
func (s *State) predictNextDiscard(p sim.Player, way *discardModel, who *policies, sc *winScratch) {
	st := &s.seats[p]
	th := &s.nextDiscards[p]
	*th = nextDiscard{}
	if st.ready {
		th.drawn = chanceUnit
		return
	}
	useless := s.uselessTo(p)
	if useless == tile.NoKind {
		return
	}
	mover, drawn := s.mover, s.drawn
	s.mover, s.drawn = p, tile.Face(useless)
	st.hand.Add(useless)
	var d discards
	s.discardFeatures(&d, sc)
	st.hand.Remove(useless)
	s.mover, s.drawn = mover, drawn
	var t discardForecast
	t.setProbabilities(&d, way)
	goes := t.chances[useless]
	switch answer := who.discard(p, tile.Face(useless)); {
	case answer == useless:
		goes = chanceUnit // the discard after a useful tile is unknown
	case answer != tile.NoKind:
		t, goes = discardForecast{}, 0
		t.setCertain(answer)
	}
	keeps := int32(chanceUnit - t.chances[useless])
	if keeps <= 0 {
		th.drawn = chanceUnit
		return
	}
	th.likely = t.likely &^ useless.Bit()
	for kinds := th.likely; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		th.chances[k] = int16(int32(t.chances[k]) * chanceUnit / keeps)
	}
	keeps = int32(chanceUnit - goes)
	// A useful tile is kept and another discarded; one that wins ends the hand.
	useful := int32(s.poolOf(st.summary.useful) * chanceUnit / max(s.poolSize, 1))
	useful = min(useful, chanceUnit)
	th.fromHand = int16((chanceUnit - useful) * keeps / chanceUnit)
	th.drawn = int16(chanceUnit - useful - int32(th.fromHand))
	if st.summary.shanten > 0 {
		th.fromHand += int16(useful)
	}
}

// uselessTo returns a kind in the pool that p does not hold and that connects to the
// fewest tiles held, terminals and honors first; NoKind if there is none.
func (s *State) uselessTo(p sim.Player) tile.Kind {
	had := s.seats[p].hand.Kinds()
	best, least := tile.NoKind, 1000
	for _, among := range [...]tile.Set{tile.Orphans, tile.Simples} {
		for kinds := among &^ had; kinds != 0; kinds = kinds.Rest() {
			k := kinds.First()
			if s.inPool(k) == 0 {
				continue
			}
			n := 0
			if !k.IsHonor() {
				n = (aim.Neighbors(k.Bit()) & had).Len()
			}
			if n < least {
				best, least = k, n
			}
		}
	}
	return best
}

// encodeNextDiscards writes what the discards after the next draws may cost p and bring
// p.
func (s *State) encodeNextDiscards(p sim.Player, scale int, c *inputWriter) {
	pool := max(s.poolSize, 1)
	o := &s.seats[p].summary
	wins := s.mayWinOnDiscard(p)
	var exposed, cost, get, pairs int
	calls := s.seats[p].hand.AtLeast(2)
	if !s.seats[p].open {
		calls &= s.valuedKinds(p)
	}
	own := &s.nextDiscards[p]
	for i := 1; i < sim.NumPlayers; i++ {
		q := s.playerAfter(p, i)
		if s.mayWinOnDiscard(q) {
			other := &s.seats[q].summary
			hit := own.probability(other.useful)
			exposed += hit
			rate := hit*int(own.fromHand)/chanceUnit + s.poolOf(other.useful&^o.useful)*int(own.drawn)/pool
			cost += rate * (int(other.onDiscard) * one / scale) / chanceUnit
		}
		th := &s.nextDiscards[q]
		if wins {
			get += th.probability(o.useful)*int(th.fromHand)/chanceUnit + s.poolOf(o.useful&^s.seats[q].summary.useful)*int(th.drawn)/pool
		}
		pairs += th.probability(calls) * int(th.fromHand) / chanceUnit
	}
	c.put(exposed * one / chanceUnit)
	c.put(4 * cost)
	c.put(4 * get * one / chanceUnit)
	c.put(4 * get * (int(o.onDiscard) * one / scale) / chanceUnit)
	feed := 0
	if before := &s.nextDiscards[s.playerAfter(p, sim.NumPlayers-1)]; o.far > 0 {
		feed = before.probability(o.toward) * int(before.fromHand) / chanceUnit
	}
	c.put(2 * feed * one / chanceUnit)
	c.put(2 * pairs * one / chanceUnit)
}
