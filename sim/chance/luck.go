package chance

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
	"github.com/sparrowhall/sparrowhall/sim/places"
)

// Luck is what the tiles that came by chance were worth to each player beyond what
// could have been expected, in 1/65536 of a unit.
type Luck [sim.NumPlayers]int64

// LuckUnit is the luck that is worth one unit of points.
const LuckUnit = 1 << amountBits

// Add adds the luck of another event.
func (l *Luck) Add(other *Luck) {
	for p := range l {
		l[p] += other[p]
	}
}

// Meter follows a match and measures its luck.
//
// A tile drawn is set against all that could have been drawn in its place: those
// that nobody has and nobody has seen, each as likely as the others. So are dora
// indicators and the tiles below them. The deal is set against the other ways to
// give the four hands to the four players.
type Meter struct {
	follower
	ask    evaluator
	in     Inputs // room for what the estimate is asked
	linear LinearMeter
	// note, if not nil, is told the luck by the network and by the linear estimate of
	// each class, to be blended.
	note    *[2][NumClasses]Luck
	known   known
	manners manners
}

// follower is what all meters have: the state of the match, and room for another that
// could have come about and for a win in it.
type follower struct {
	state, other State
	score        score
	// places, if not nil, tells what points are worth in places; slopes is that for the
	// present hand, and step about what a hand is worth in units.
	places *places.Places
	slopes slopes
	step   int
}

func newFollower(r *ruleset.Rules) follower {
	return follower{state: NewState(r), step: aim.Scale(r)}
}

// apply lets the state follow an event.
func (m *follower) apply(e sim.Event) {
	m.state.Apply(e)
	if e.Type == sim.EvHandStart {
		m.begin()
	}
}

// Reset makes m ready for another match under the same rules.
func (m *follower) Reset() { m.state = NewState(m.state.rules) }

// NewMeter returns a meter for a match about to begin.
func NewMeter(r *ruleset.Rules, e *Estimate) *Meter {
	m := &Meter{follower: newFollower(r), ask: evaluator{e: e}}
	m.linear = LinearMeter{follower: newFollower(r), line: &e.Linear}
	m.manners.begin(&e.Habits)
	return m
}

// Reset makes m ready for another match under the same rules.
func (m *Meter) Reset() {
	m.follower.Reset()
	m.manners.begin(&m.ask.e.Habits)
	m.linear.Reset()
}

// Follow takes the next event of the match, with all tiles known, and returns the
// luck in it: none for what is no chance. It allocates nothing.
func (m *Meter) Follow(e sim.Event) (l Luck) {
	m.learn(e)
	class := classDeal
	switch {
	case e.Type == sim.EvDraw:
		l = m.drawn(e)
		class = m.state.classOf(e.Player)
	case e.Type == sim.EvIndicator && e.Ura():
		l = m.turned(e)
		m.linear.apply(e)
		m.apply(e)
		return l
	case e.Type == sim.EvIndicator:
		l = m.indicated(e)
		class = classIndicator
	}
	linear := m.linear.Follow(e)
	m.apply(e)
	if e.Type == sim.EvDeal && m.state.dealt == sim.NumPlayers*m.state.rules.HandSize {
		l = m.dealt()
	}
	return m.blend(class, l, linear)
}

// classOf returns the class of a draw of p.
func (s *State) classOf(p sim.Player) int {
	st := &s.seats[p]
	if st.ready {
		return classReady
	}
	return min(classTenpai+int(max(st.outlook.shanten, 0)), classFarther)
}

// blend returns what counts of the luck by the network and by the linear estimate.
func (m *Meter) blend(class int, network, linear Luck) (l Luck) {
	if m.note != nil {
		m.note[0][class].Add(&network)
		m.note[1][class].Add(&linear)
	}
	b := &m.ask.e.Blend
	for p := range l {
		l[p] = (network[p]*int64(b[0][class]) + linear[p]*int64(b[1][class])) / blendUnit
	}
	return l
}

// whole reports whether p has a hand without a drawn tile and without flowers.
func (s *State) whole(p sim.Player) bool {
	st := &s.seats[p]
	return st.hand.Len() == 3*s.sets(st)+1 && st.held == 0
}

// lookAround brings the outlooks of all up to date whose hands are whole, and what they
// will discard after their next draws.
func (m *Meter) lookAround() {
	s := &m.state
	for p := range sim.Player(sim.NumPlayers) {
		if s.whole(p) {
			s.look(p, &m.score)
		}
	}
	for p := range sim.Player(sim.NumPlayers) {
		if s.whole(p) {
			s.foresee(p, &m.manners[p], &m.known, &m.score)
		}
	}
}

// drawn returns the luck of a draw.
func (m *Meter) drawn(e sim.Event) (l Luck) {
	base := &m.state
	m.lookAround()
	return m.compare(e.Tile, tile.NumFaces, func(f tile.Face) [sim.NumPlayers]int64 {
		m.other = *base
		m.other.hurry = true
		m.other.draw(e, f)
		return m.worth(&base.seats[e.Player].outlook)
	})
}

// indicated returns the luck of a dora indicator.
func (m *Meter) indicated(e sim.Event) Luck {
	return m.compare(e.Tile, tile.FirstFlower, func(f tile.Face) [sim.NumPlayers]int64 {
		m.other = m.state
		m.other.hurry = true
		m.other.indicate(f)
		return m.worth(nil)
	})
}

// compare returns the worth of what came less the mean of that of all that could
// have come: the faces of the pool below end.
func (m *follower) compare(came tile.Face, end tile.Face, worth func(tile.Face) [sim.NumPlayers]int64) (l Luck) {
	var sum [sim.NumPlayers]int64
	total := int64(0)
	for f := range end {
		n := int64(m.state.pool[f])
		if n == 0 {
			continue
		}
		total += n
		w := worth(f)
		for p := range w {
			sum[p] += n * w[p]
			if f == came {
				l[p] = w[p]
			}
		}
	}
	for p := range l {
		l[p] -= sum[p] / total
	}
	return l
}

// worth returns what each player can expect to gain in the rest of the hand from
// m.other on, in 1/65536 of a unit. Of a player who has drawn a tile, before is what
// his hand came to without it. It changes m.other.
func (m *Meter) worth(before *outlook) (w [sim.NumPlayers]int64) {
	s := &m.other
	if m.wins(s, before) {
		return m.gains()
	}
	t := s.act(&m.manners, &m.known, &m.score)
	s.inputs(&t, m.ask.e.Scale, &m.in, &m.score)
	answer := m.ask.ask(&m.in)
	for i := range w {
		w[s.after(s.mover, i)] = answer[i]
	}
	return w
}

// act lets the mover do with his drawn tile what he seems likely to do.
func (s *State) act(ways *manners, who *known, sc *score) turn {
	st := &s.seats[s.mover]
	t := turn{drawn: tile.NoKind, discard: tile.NoKind}
	switch {
	case s.drawn.IsFlower() && st.held == 1<<s.drawn.Flower(): // to be replaced
		s.give(s.mover, s.drawn)
		st.flowers |= 1 << s.drawn.Flower()
	case s.complete():
		t = s.discardLikely(&ways[s.mover], who, sc)
	}
	return t
}

// complete reports whether the mover has a drawn tile and no flowers.
func (s *State) complete() bool {
	st := &s.seats[s.mover]
	return st.hand.Len() == 3*s.sets(st)+2 && st.held == 0
}

// wins reports whether the mover wins with the tile he has drawn, which m.score then
// tells; before is what his hand came to without it.
func (m *follower) wins(s *State, before *outlook) bool {
	return before != nil && s.complete() && before.shanten == 0 && before.useful.Has(s.drawn.Kind()) && m.win(s)
}

// win works out the mover's win by self-draw and reports whether it may be.
func (m *follower) win(s *State) bool {
	k := s.drawn.Kind()
	s.give(s.mover, s.drawn)
	reds := s.seats[s.mover].reds
	if s.drawn.IsRed() {
		s.seats[s.mover].reds[k.Suit()]++ // it counts, though not among the concealed tiles now
	}
	s.describe(&m.score.win, s.mover, k, true)
	s.seats[s.mover].reds = reds
	s.put(s.mover, s.drawn)
	return s.settle(&m.score, s.mover, ruleset.NoChair)
}

// gains returns what m.score brings.
func (m *follower) gains() (w [sim.NumPlayers]int64) {
	for p, gain := range m.score.gain {
		w[p] = int64(gain) << amountBits
	}
	return w
}

// turned returns the luck of a tile below an indicator, turned for a winner.
func (m *follower) turned(e sim.Event) (l Luck) {
	won := &m.state.won
	k := won.face.Kind()
	if won.winner != e.Player || won.numUra >= m.state.numDora || k == tile.NoKind {
		return l
	}
	m.other = m.state
	s := &m.other
	selfDraw := won.from == ruleset.NoChair
	if selfDraw {
		s.seats[e.Player].hand.Remove(k)
	} else if won.face.IsRed() {
		s.seats[e.Player].reds[k.Suit()]++
	}
	return m.compare(e.Tile, tile.FirstFlower, func(f tile.Face) [sim.NumPlayers]int64 {
		w := &m.score.win
		s.describe(w, e.Player, k, selfDraw)
		w.Ura, w.NumUra = won.ura, uint8(won.numUra+1)
		w.Ura[won.numUra] = f.Kind()
		s.settle(&m.score, e.Player, won.from)
		return m.gains()
	})
}

// orders are the ways to give four hands to four players.
var orders = func() (list [][sim.NumPlayers]int) {
	for code := range 256 {
		o := [sim.NumPlayers]int{code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6}
		if 1<<o[0]|1<<o[1]|1<<o[2]|1<<o[3] == 0b1111 {
			list = append(list, o)
		}
	}
	return list
}()

// dealt returns the luck of the deal: what it promises, less the mean over the ways to
// give these hands to the players. The mean over all deals is thus zero exactly, as
// every player is as likely to get each of the hands.
func (m *Meter) dealt() (l Luck) {
	var sum [sim.NumPlayers]int64
	for _, order := range orders {
		m.other = m.state
		for p, from := range order {
			m.other.seats[p] = m.state.seats[from]
			m.other.seats[p].known = false
		}
		w := m.worth(nil)
		for p := range w {
			sum[p] += w[p]
			if order == [sim.NumPlayers]int{0, 1, 2, 3} {
				l[p] = w[p]
			}
		}
	}
	for p := range l {
		l[p] -= sum[p] / int64(len(orders))
	}
	return l
}
