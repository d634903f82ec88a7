package luck

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// nextDiscard is the predicted discard of a player after the next draw.
type nextDiscard struct {
	odds kindChances // if the discard is from the hand
	// fromHand is the probability that the discard is from the hand, drawn that it is the
	// tile drawn, in 1/chanceUnit.
	fromHand, drawn int16
}

// setNext sets t to the discard after the likeliest one of a forecast: one of the other
// kinds.
func (t *nextDiscard) setNext(turn *discardForecast) {
	first := int32(turn.odds.chances[turn.discard])
	*t = nextDiscard{drawn: t.drawn, fromHand: t.fromHand}
	if turn.before.Count(turn.discard) > 1 || first >= chanceUnit {
		return // another copy may go, or there is no other candidate
	}
	t.odds.likely = turn.odds.likely &^ turn.discard.Bit()
	for kinds := t.odds.likely; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		t.odds.chances[k] = int16(int32(turn.odds.chances[k]) * chanceUnit / (chanceUnit - first))
	}
}

// predictNextDiscard predicts the discard of p, whose hand is summarized, after the
// next draw. It evaluates the discards with a drawn tile that is useless to p.
func (s *State) predictNextDiscard(p sim.Player, model *discardModel, who *policies, sc *winScratch) {
	st := &s.seats[p]
	next := &s.nextDiscards[p]
	*next = nextDiscard{}
	if st.ready {
		next.drawn = chanceUnit
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
	t.setProbabilities(&d, model)
	goes := t.odds.chances[useless]
	switch answer := who.discard(p, tile.Face(useless)); {
	case answer == useless:
		goes = chanceUnit // the discard after a useful tile is unknown
	case answer != tile.NoKind:
		t, goes = discardForecast{}, 0
		t.setCertain(answer)
	}
	keeps := int32(chanceUnit - t.odds.chances[useless])
	if keeps <= 0 {
		next.drawn = chanceUnit
		return
	}
	next.odds.likely = t.odds.likely &^ useless.Bit()
	for kinds := next.odds.likely; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		next.odds.chances[k] = int16(int32(t.odds.chances[k]) * chanceUnit / keeps)
	}
	keeps = int32(chanceUnit - goes)
	// A useful tile is kept and another discarded; one that wins ends the hand.
	useful := int32(s.poolOf(st.summary.useful) * chanceUnit / max(s.poolSize, 1))
	useful = min(useful, chanceUnit)
	next.fromHand = int16((chanceUnit - useful) * keeps / chanceUnit)
	next.drawn = int16(chanceUnit - useful - int32(next.fromHand))
	if st.summary.shanten > 0 {
		next.fromHand += int16(useful)
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

// encodeNextDiscards writes what the discards after the next draws may cost p, and what
// they may bring p.
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
	for i := 1; i < s.rules.NumSeats(); i++ {
		q := s.playerAfter(p, i)
		if s.mayWinOnDiscard(q) {
			wait := &s.seats[q].summary
			hit := own.odds.probability(wait.useful)
			exposed += hit
			rate := hit*int(own.fromHand)/chanceUnit + s.poolOf(wait.useful&^o.useful)*int(own.drawn)/pool
			cost += rate * (int(wait.onDiscard) * one / scale) / chanceUnit
		}
		other := &s.nextDiscards[q]
		if wins {
			get += other.odds.probability(o.useful)*int(other.fromHand)/chanceUnit + s.poolOf(o.useful&^s.seats[q].summary.useful)*int(other.drawn)/pool
		}
		pairs += other.odds.probability(calls) * int(other.fromHand) / chanceUnit
	}
	c.put(exposed * one / chanceUnit)
	c.put(4 * cost)
	c.put(4 * get * one / chanceUnit)
	c.put(4 * get * (int(o.onDiscard) * one / scale) / chanceUnit)
	feed := 0
	if before := &s.nextDiscards[s.playerAfter(p, s.rules.NumSeats()-1)]; o.planDistance > 0 {
		feed = before.odds.probability(o.planUkeire) * int(before.fromHand) / chanceUnit
	}
	c.put(2 * feed * one / chanceUnit)
	c.put(2 * pairs * one / chanceUnit)
}
