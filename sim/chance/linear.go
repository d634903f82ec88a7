package chance

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Linear is an estimate that takes no more time than the play: what a draw is worth is a
// sum of a few terms, each an amount in 1/65536 of a unit.
type Linear [NumTerms]int64

// Terms of a Linear. What is worth something to a player costs each other a third.
const (
	// A draw that lowers the shanten, by the shanten and by the tiles left to draw.
	termNearer = 0
	// The same for each tile that counts as dora.
	termNearerDora = termNearer + farthest*stretches
	// A tile that counts as dora.
	termDora = termNearerDora + farthest
	// A tile on which another wins, of each unit it would bring him, by how the player who
	// draws it stands and whether the other has declared ready.
	termDanger = termDora + 1
	// What is dealt: an exchange nearer to ready, and each tile that counts as dora.
	termDealt = termDanger + 2*standings
	// NumTerms is the number of terms.
	NumTerms = termDealt + 2

	farthest  = 5
	stretches = 3
	standings = 4
)

// mostTerm bounds the terms so that sums of them fit.
const mostTerm = 1 << 40

// check returns what no linear estimate has.
func (l *Linear) check() error {
	for _, term := range l {
		if term > mostTerm || term < -mostTerm {
			return fmt.Errorf("chance: a linear estimate with a term of %d", term)
		}
	}
	return nil
}

// LinearMeter measures the luck of a match as a Meter does, by a Linear.
type LinearMeter struct {
	follower
	line *Linear
	// note, if not nil, is told how much of each term came beyond what could be
	// expected, in 1/65536, to be fitted: a player has all of it, each other loses a
	// third.
	note *[sim.NumPlayers][NumTerms]int64
}

// NewLinearMeter returns a meter for a match about to begin.
func NewLinearMeter(r *ruleset.Rules, l *Linear) *LinearMeter {
	return &LinearMeter{follower: newFollower(r), line: l}
}

// Follow takes the next event of the match as that of Meter does.
func (m *LinearMeter) Follow(e sim.Event) (l Luck) {
	switch {
	case e.Type == sim.EvDraw:
		l = m.drawn(e)
	case e.Type == sim.EvIndicator && e.Ura():
		l = m.turned(e)
	}
	m.apply(e)
	if e.Type == sim.EvDeal && m.state.dealt == sim.NumPlayers*m.state.rules.HandSize {
		l = m.dealt()
	}
	return l
}

// FollowMatch measures a match as that of Meter does.
func (m *LinearMeter) FollowMatch(x *sim.Match, each func(e sim.Event, l Luck)) error {
	m.Reset()
	for _, e := range x.Events {
		each(e, m.Follow(e))
	}
	return nil
}

// glance brings what a Linear asks of p's hand up to date.
func (m *LinearMeter) glance(p sim.Player) *outlook {
	s := &m.state
	st := &s.seats[p]
	o := &st.outlook
	if st.known || !s.whole(p) {
		return o
	}
	st.known = true
	*o = outlook{}
	s.measure(st, o)
	if o.shanten == 0 {
		s.weighWaits(p, st, o, &m.score)
	}
	o.dora = s.doraOf(st)
	return o
}

// doraOf returns how many tiles of a seat count as dora.
func (s *State) doraOf(st *seat) int8 {
	n := int8(st.reds[0] + st.reds[1] + st.reds[2])
	for i := range st.melds[:st.n] {
		n += int8(st.melds[i].Reds)
	}
	for _, k := range s.indicators[:s.numDora] {
		dora := k.Next()
		n += int8(st.hand.Count(dora))
		for i := range st.melds[:st.n] {
			n += int8(st.melds[i].Count(dora))
		}
	}
	return n
}

// term gives p n parts of all of what a term is worth.
func (m *LinearMeter) term(l *Luck, p sim.Player, term int, n, all int64) {
	if m.note != nil {
		m.note[p][term] += n << amountBits / all
	}
	share(l, p, m.line[term]*n/all)
}

// share gives p an amount that the others pay.
func share(l *Luck, p sim.Player, amount int64) {
	third := amount / (sim.NumPlayers - 1)
	for q := range l {
		l[q] -= third
	}
	l[p] += third + amount
}

// drawn returns the luck of a draw.
func (m *LinearMeter) drawn(e sim.Event) (l Luck) {
	s := &m.state
	p := e.Player
	st := &s.seats[p]
	if !s.whole(p) || s.poolSize == 0 {
		return l // flowers are still to be replaced
	}
	o := m.glance(p)
	k := e.Tile.Kind()
	all := int64(s.poolSize)
	// beyond returns whether the tile is of some kinds less how likely that was, in parts
	// of all.
	beyond := func(kinds tile.Set) int64 {
		n := -int64(s.poolOf(kinds))
		if k != tile.NoKind && kinds.Has(k) {
			n += all
		}
		return n
	}
	var wins tile.Set
	if o.shanten == 0 {
		if o.onDraw != 0 {
			wins = o.useful
			n := beyond(wins)
			for q, gain := range o.drawGain {
				l[q] += n * int64(gain) << amountBits / all
			}
		}
	} else {
		n := beyond(o.useful)
		stretch := min(max(s.left, 0)*stretches/56, stretches-1)
		far := min(int(o.shanten), farthest) - 1
		m.term(&l, p, termNearer+far*stretches+stretch, n, all)
		m.term(&l, p, termNearerDora+far, n*int64(o.dora), all)
	}
	if s.rules.Dora && !st.ready {
		var n int64
		for _, i := range s.indicators[:s.numDora] {
			n += beyond(i.Next().Bit() &^ wins)
		}
		m.term(&l, p, termDora, n, all)
	}
	standing := min(int(o.shanten), 2)
	if st.ready {
		standing = standings - 1
	}
	for i := 1; i < sim.NumPlayers; i++ {
		q := s.after(p, i)
		if !s.whole(q) {
			continue
		}
		other := m.glance(q)
		if !s.wins(q) {
			continue
		}
		n := beyond(other.useful&^wins) * int64(other.onDiscard)
		at := termDanger + 2*standing + toInt(s.seats[q].ready)
		if m.note != nil {
			m.note[p][at] -= n << amountBits / all
			m.note[q][at] += n << amountBits / all
		}
		n = n * m.line[at] / all
		l[p] -= n
		l[q] += n
	}
	return l
}

// dealt returns the luck of the deal: what the hands promise less their mean, which is
// that over the ways to give them to the players.
func (m *LinearMeter) dealt() (l Luck) {
	s := &m.state
	var near, dora [sim.NumPlayers]int64
	var nearSum, doraSum int64
	for p := range near {
		st := &s.seats[p]
		near[p] = -int64(s.rules.HandShanten(&st.hand, nil))
		dora[p] = int64(s.doraOf(st))
		nearSum += near[p]
		doraSum += dora[p]
	}
	for p := range near {
		m.term(&l, sim.Player(p), termDealt, sim.NumPlayers*near[p]-nearSum, sim.NumPlayers)
		m.term(&l, sim.Player(p), termDealt+1, sim.NumPlayers*dora[p]-doraSum, sim.NumPlayers)
	}
	return l
}

// LinearSample is what a hand brought a player, and what a Linear sees in it.
type LinearSample struct {
	// Terms are how much of each term came to him beyond what could be expected,
	// less a third of what came to each other.
	Terms [NumTerms]float64
	// Gain is what he gained in units, less the luck of what is known without terms.
	Gain float64
}

// AppendLinearSamples appends a sample for each hand of a match, given by its events, and
// each player.
func AppendLinearSamples(dst []LinearSample, r *ruleset.Rules, events []sim.Event) []LinearSample {
	m := NewLinearMeter(r, new(Linear))
	m.note = new([sim.NumPlayers][NumTerms]int64)
	var known Luck
	var before [sim.NumPlayers]int32
	for _, e := range events {
		if e.Type == sim.EvHandStart {
			*m.note, known, before = [sim.NumPlayers][NumTerms]int64{}, Luck{}, m.state.Wealth()
		}
		l := m.Follow(e)
		known.Add(&l)
		if e.Type != sim.EvHandEnd {
			continue
		}
		for p, now := range m.state.Wealth() {
			x := LinearSample{Gain: float64(now-before[p]) - float64(known[p])/LuckUnit}
			for t := range x.Terms {
				own := float64(m.note[p][t]) / LuckUnit
				if t >= termDanger && t < termDealt {
					x.Terms[t] = own // who pays it is told
					continue
				}
				var all float64
				for q := range m.note {
					all += float64(m.note[q][t]) / LuckUnit
				}
				x.Terms[t] = own - (all-own)/(sim.NumPlayers-1)
			}
			dst = append(dst, x)
		}
	}
	return dst
}

// BlendSample is what a hand brought a player, and what luck of each class was seen in it.
type BlendSample struct {
	// Parts are the luck by the network, then that by the linear estimate, by class, in
	// units.
	Parts [2 * NumClasses]float64
	// Gain is what he gained in units, less the luck that is known exactly.
	Gain float64
}

// AppendBlendSamples appends a sample for each hand of a match and each player. The error
// says where the match does not fit the rules.
func (m *Meter) AppendBlendSamples(dst []BlendSample, x *sim.Match) ([]BlendSample, error) {
	m.Reset()
	m.note = new([2][NumClasses]Luck)
	defer func() { m.note = nil }()
	var known Luck
	var before [sim.NumPlayers]int32
	err := m.retrace(x, func(e sim.Event) {
		if e.Type == sim.EvHandStart {
			*m.note, known, before = [2][NumClasses]Luck{}, Luck{}, m.state.Wealth()
		}
		l := m.Follow(e)
		if e.Type == sim.EvIndicator && e.Ura() {
			known.Add(&l)
		}
		if e.Type != sim.EvHandEnd {
			return
		}
		for p, now := range m.state.Wealth() {
			b := BlendSample{Gain: float64(now-before[p]) - float64(known[p])/LuckUnit}
			for i := range m.note {
				for c := range m.note[i] {
					b.Parts[i*NumClasses+c] = float64(m.note[i][c][p]) / LuckUnit
				}
			}
			dst = append(dst, b)
		}
	})
	return dst, err
}
