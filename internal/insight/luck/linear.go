package luck

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Linear is a linear value function, far faster than the network: the worth of a draw
// is the sum of a few terms, each an amount in 1/65536 of a unit.
type Linear [NumTerms]int64

// Terms of a Linear. Each other player pays an equal share of what a player gains.
const (
	// A draw that lowers the shanten, by the shanten and by the tiles left to draw.
	termNearer = 0
	// The same for each tile that counts as dora.
	termNearerDora = termNearer + farthest*stretches
	// A tile that counts as dora.
	termDora = termNearerDora + farthest
	// A tile on which another player wins, for each unit of that win, by the standing of
	// the player who draws it and whether the other has declared ready.
	termDanger = termDora + 1
	// The deal: a shanten lower by one, and each dora.
	termDealt = termDanger + 2*standings
	// NumTerms is the number of terms.
	NumTerms = termDealt + 2

	farthest  = 5
	stretches = 3
	standings = 4
)

// mostTerm bounds the terms so that their sums fit.
const mostTerm = 1 << 40

// check returns an error if a term is out of bounds.
func (l *Linear) check() error {
	for _, term := range l {
		if term > mostTerm || term < -mostTerm {
			return fmt.Errorf("luck: a linear term of %d is out of bounds", term)
		}
	}
	return nil
}

// LinearControlVariate measures the luck of a match with a Linear.
type LinearControlVariate struct {
	tracker  tracker
	function *Linear
	// terms, if not nil, accumulates how much of each term came beyond its mean, in
	// 1/65536, to fit a Linear: the player has all of it, the others lose it in equal shares.
	terms *[sim.NumPlayers][NumTerms]int64
}

// NewLinearControlVariate returns a control variate before the first event of a match.
func NewLinearControlVariate(r *ruleset.Rules, l *Linear) *LinearControlVariate {
	return &LinearControlVariate{tracker: newTracker(r), function: l}
}

// Reset prepares m for another match under the same rules.
func (m *LinearControlVariate) Reset() { m.tracker.reset() }

// Follow takes the next event and returns its luck, as [ControlVariate.Follow] does.
func (m *LinearControlVariate) Follow(e sim.Event) (l Points) {
	switch {
	case e.Type == sim.EvDraw:
		l = m.drawLuck(e)
	case e.Type == sim.EvIndicator && e.Ura():
		l = m.tracker.uraLuck(e)
	}
	m.tracker.apply(e)
	if e.Type == sim.EvDeal && m.tracker.state.allDealt() {
		l = m.dealLuck()
	}
	return l
}

// FollowMatch follows a whole match, as [ControlVariate.FollowMatch] does.
func (m *LinearControlVariate) FollowMatch(x *sim.Match, each func(e sim.Event, l Points)) error {
	m.Reset()
	for _, e := range x.Events {
		each(e, m.Follow(e))
	}
	return nil
}

// summarize updates the parts of the summary of p's hand that a Linear uses.
func (m *LinearControlVariate) summarize(p sim.Player) *handSummary {
	s := &m.tracker.state
	st := &s.seats[p]
	o := &st.summary
	if st.summarized || !s.isBetweenDraws(p) {
		return o
	}
	st.summarized = true
	*o = handSummary{}
	s.findUkeire(st, o)
	if o.shanten == 0 {
		s.valueWaits(p, st, o, &m.tracker.score)
	}
	o.dora = s.doraOf(st)
	return o
}

func (s *State) doraOf(st *seat) int8 {
	n := int8(st.reds[0] + st.reds[1] + st.reds[2])
	for i := range st.melds[:st.n] {
		n += int8(st.melds[i].Reds)
	}
	n += int8(st.norths)
	for _, k := range s.indicators[:s.numDora] {
		dora := s.rules.DoraOf(k)
		n += int8(st.hand.Count(dora))
		for i := range st.melds[:st.n] {
			n += int8(st.melds[i].Count(dora))
		}
		if dora == tile.North {
			n += int8(st.norths)
		}
	}
	return n
}

// addTerm adds the fraction n/all of a term for p.
func (m *LinearControlVariate) addTerm(l *Points, p sim.Player, term int, n, all int64) {
	if m.terms != nil {
		m.terms[p][term] += n << amountBits / all
	}
	payFromOthers(l, p, m.function[term]*n/all, m.tracker.state.rules.NumSeats())
}

// payFromOthers gives p, one of the players in so many seats, an amount that the others pay.
func payFromOthers(l *Points, p sim.Player, amount int64, seats int) {
	share := amount / int64(seats-1)
	for q := range l[:seats] {
		l[q] -= share
	}
	l[p] += share + amount
}

func (m *LinearControlVariate) drawLuck(e sim.Event) (l Points) {
	s := &m.tracker.state
	p := e.Player
	st := &s.seats[p]
	if !s.isBetweenDraws(p) || s.poolSize == 0 {
		return l // flowers are still to be replaced
	}
	o := m.summarize(p)
	k := e.Tile.Kind()
	all := int64(s.poolSize)
	// beyond returns all times the difference of 1, if the tile is of some kinds, and the
	// probability of that.
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
		m.addTerm(&l, p, termNearer+far*stretches+stretch, n, all)
		m.addTerm(&l, p, termNearerDora+far, n*int64(o.dora), all)
	}
	if s.rules.Dora && !st.ready {
		var n int64
		for _, i := range s.indicators[:s.numDora] {
			n += beyond(s.rules.DoraOf(i).Bit() &^ wins)
		}
		if s.rules.Kita != ruleset.NoKita {
			n += beyond(tile.North.Bit() &^ wins) // counts as a dora when set aside
		}
		m.addTerm(&l, p, termDora, n, all)
	}
	standing := min(int(o.shanten), 2)
	if st.ready {
		standing = standings - 1
	}
	for i := 1; i < s.rules.NumSeats(); i++ {
		q := s.playerAfter(p, i)
		if !s.isBetweenDraws(q) {
			continue
		}
		other := m.summarize(q)
		if !s.mayWinOnDiscard(q) {
			continue
		}
		n := beyond(other.useful&^wins) * int64(other.onDiscard)
		at := termDanger + 2*standing + toInt(s.seats[q].ready)
		if m.terms != nil {
			m.terms[p][at] -= n << amountBits / all
			m.terms[q][at] += n << amountBits / all
		}
		n = n * m.function[at] / all
		l[p] -= n
		l[q] += n
	}
	return l
}

// dealLuck returns the luck of the deal: the value of the hands minus its mean over the
// ways to give them to the players.
func (m *LinearControlVariate) dealLuck() (l Points) {
	s := &m.tracker.state
	var near, dora [sim.NumPlayers]int64
	var nearSum, doraSum int64
	seats := s.rules.NumSeats()
	all := int64(seats)
	for p := range seats {
		st := &s.seats[p]
		near[p] = -int64(s.rules.HandShanten(&st.hand, nil))
		dora[p] = int64(s.doraOf(st))
		nearSum += near[p]
		doraSum += dora[p]
	}
	for p := range seats {
		m.addTerm(&l, sim.Player(p), termDealt, all*near[p]-nearSum, all)
		m.addTerm(&l, sim.Player(p), termDealt+1, all*dora[p]-doraSum, all)
	}
	return l
}

// LinearSample is the gain of a player in a hand, and the terms of a Linear for it.
type LinearSample struct {
	// Terms are how much of each term came to the player beyond its mean, minus an
	// equal share of what came to each other player.
	Terms [NumTerms]float64
	// Gain is the player's gain in units, minus the luck known without terms.
	Gain float64
}

// AppendLinearSamples appends a sample for each hand of a match, given by its events,
// and each player.
func AppendLinearSamples(dst []LinearSample, r *ruleset.Rules, events []sim.Event) []LinearSample {
	m := NewLinearControlVariate(r, new(Linear))
	m.terms = new([sim.NumPlayers][NumTerms]int64)
	var known Points
	var before [sim.NumPlayers]int32
	for _, e := range events {
		if e.Type == sim.EvHandStart {
			*m.terms, known, before = [sim.NumPlayers][NumTerms]int64{}, Points{}, m.tracker.state.NetPoints()
		}
		l := m.Follow(e)
		known.Add(&l)
		if e.Type != sim.EvHandEnd {
			continue
		}
		seats := r.NumSeats()
		net := m.tracker.state.NetPoints()
		for p, now := range net[:seats] {
			x := LinearSample{Gain: float64(now-before[p]) - float64(float64(known[p])/Unit)}
			for t := range x.Terms {
				own := float64(float64(m.terms[p][t]) / Unit)
				if t >= termDanger && t < termDealt {
					x.Terms[t] = own // noted for both players
					continue
				}
				var all float64
				for q := range m.terms {
					all += float64(float64(m.terms[q][t]) / Unit)
				}
				x.Terms[t] = own - (all-own)/float64(seats-1)
			}
			dst = append(dst, x)
		}
	}
	return dst
}

// BlendSample is the gain of a player in a hand, and the luck of each class.
type BlendSample struct {
	// Parts are the luck by the network, then by the linear function, by class, in units.
	Parts [2 * NumClasses]float64
	// Gain is the player's gain in units, minus the luck known exactly.
	Gain float64
}

// AppendBlendSamples appends a sample for each hand of a match and each player. The
// error says where the match does not fit the rules.
func (m *ControlVariate) AppendBlendSamples(dst []BlendSample, x *sim.Match) ([]BlendSample, error) {
	m.Reset()
	m.parts = new([numParts][NumClasses]Points)
	defer func() { m.parts = nil }()
	var known Points
	var before [sim.NumPlayers]int32
	err := m.retrace(x, func(e sim.Event) {
		if e.Type == sim.EvHandStart {
			*m.parts, known, before = [numParts][NumClasses]Points{}, Points{}, m.tracker.state.NetPoints()
		}
		l := m.Follow(e)
		if e.Type == sim.EvIndicator && e.Ura() {
			known.Add(&l)
		}
		if e.Type != sim.EvHandEnd {
			return
		}
		net := m.tracker.state.NetPoints()
		for p, now := range net[:m.tracker.state.rules.NumSeats()] {
			b := BlendSample{Gain: float64(now-before[p]) - float64(float64(known[p])/Unit)}
			for i := range m.parts {
				for c := range m.parts[i] {
					b.Parts[i*NumClasses+c] = float64(m.parts[i][c][p]) / Unit
				}
			}
			dst = append(dst, b)
		}
	})
	return dst, err
}
