package chance

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// throws is what a player will discard after his next draw, as far as it can be known
// before it.
type throws struct {
	// chances are how likely each kind is if a tile of the hand goes, in units of
	// chance; likely are those that are likely at all.
	chances [tile.NumKinds]int16
	likely  tile.Set
	// fromHand is how likely it is that one goes, drawn that it is the tile drawn, in
	// units of chance.
	fromHand, drawn int16
}

// of returns how likely the discard is one of some kinds if it is of the hand.
func (t *throws) of(kinds tile.Set) int {
	n := 0
	for kinds &= t.likely; kinds != 0; kinds = kinds.Rest() {
		n += int(t.chances[kinds.First()])
	}
	return n
}

// follow makes t what is left when the likeliest discard of a turn has been made: one of
// the others goes next.
func (t *throws) follow(turn *turn) {
	first := int32(turn.chances[turn.discard])
	*t = throws{drawn: t.drawn, fromHand: t.fromHand}
	if turn.had.Count(turn.discard) > 1 || first >= chanceUnit {
		return // another of the kind may go, or nothing is known
	}
	t.likely = turn.likely &^ turn.discard.Bit()
	for kinds := t.likely; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		t.chances[k] = int16(int32(turn.chances[k]) * chanceUnit / (chanceUnit - first))
	}
}

// foresee works out what p, whose hand is whole and whose outlook is known, will discard
// after his next draw. He is asked what he would do with a tile that is of no use.
func (s *State) foresee(p sim.Player, way *manner, who *known, sc *score) {
	st := &s.seats[p]
	th := &s.throws[p]
	*th = throws{}
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
	s.figures(&d, sc)
	st.hand.Remove(useless)
	s.mover, s.drawn = mover, drawn
	var t turn
	t.weigh(&d, way)
	goes := t.chances[useless]
	switch answer := who.discard(p, tile.Face(useless)); {
	case answer == useless:
		goes = chanceUnit // what goes after a tile of use is not known
	case answer != tile.NoKind:
		t, goes = turn{}, 0
		t.surely(answer)
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
	// A tile that lowers the shanten stays and another goes; one that wins ends the hand.
	useful := int32(s.poolOf(st.outlook.useful) * chanceUnit / max(s.poolSize, 1))
	useful = min(useful, chanceUnit)
	th.fromHand = int16((chanceUnit - useful) * keeps / chanceUnit)
	th.drawn = int16(chanceUnit - useful - int32(th.fromHand))
	if st.outlook.shanten > 0 {
		th.fromHand += int16(useful)
	}
}

// uselessTo returns a kind that p may draw and that has least to do with his hand, one
// nearer to the ends before others; NoKind where there is none that he does not have.
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
				n = (aim.Near(k.Bit()) & had).Len()
			}
			if n < least {
				best, least = k, n
			}
		}
	}
	return best
}

// nextThrows tells what the discards after the next draws may cost p and bring him.
func (s *State) nextThrows(p sim.Player, scale int, c *columns) {
	pool := max(s.poolSize, 1)
	o := &s.seats[p].outlook
	wins := s.wins(p)
	var exposed, cost, get, pairs int
	calls := s.seats[p].hand.AtLeast(2)
	if !s.seats[p].open {
		calls &= s.valuedKinds(p)
	}
	own := &s.throws[p]
	for i := 1; i < sim.NumPlayers; i++ {
		q := s.after(p, i)
		if s.wins(q) {
			other := &s.seats[q].outlook
			hit := own.of(other.useful)
			exposed += hit
			rate := hit*int(own.fromHand)/chanceUnit + s.poolOf(other.useful&^o.useful)*int(own.drawn)/pool
			cost += rate * (int(other.onDiscard) * one / scale) / chanceUnit
		}
		th := &s.throws[q]
		if wins {
			get += th.of(o.useful)*int(th.fromHand)/chanceUnit + s.poolOf(o.useful&^s.seats[q].outlook.useful)*int(th.drawn)/pool
		}
		pairs += th.of(calls) * int(th.fromHand) / chanceUnit
	}
	c.put(exposed * one / chanceUnit)
	c.put(4 * cost)
	c.put(4 * get * one / chanceUnit)
	c.put(4 * get * (int(o.onDiscard) * one / scale) / chanceUnit)
	feed := 0
	if before := &s.throws[s.after(p, sim.NumPlayers-1)]; o.far > 0 {
		feed = before.of(o.toward) * int(before.fromHand) / chanceUnit
	}
	c.put(2 * feed * one / chanceUnit)
	c.put(2 * pairs * one / chanceUnit)
}
