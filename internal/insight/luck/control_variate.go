package luck

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/placement"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Points is the luck of each player, in 1/Unit of a unit of points.
type Points [sim.NumPlayers]int64

// Unit is the fixed-point scale of Points.
const Unit = 1 << amountBits

// Add adds the luck of another event.
func (l *Points) Add(other *Points) {
	for p := range l {
		l[p] += other[p]
	}
}

// ControlVariate follows a match and measures its luck with a value function.
//
// A drawn tile is compared with all tiles that could have been drawn: those that no
// player holds or has seen, all equally likely. So are dora and ura indicators. The
// deal is compared with the other ways to give these hands to the players.
type ControlVariate struct {
	tracker tracker
	network evaluator
	inputs  Inputs // scratch space
	linear  LinearControlVariate
	// parts, if not nil, accumulates the luck by the network and by the linear function
	// for each class, to fit the blend.
	parts    *[numParts][NumClasses]Points
	policies policies
	models   discardModels
}

// tracker is the common part of control variates: the state of the match, and scratch
// space for an alternative state and for a win in it.
type tracker struct {
	state, other State
	score        winScratch
	// places, if not nil, converts points to placement points; slopes are its derivatives
	// for the present hand, and step is about what a win is worth, in units.
	places *placement.Evaluator
	slopes placementSlopes
	step   int
}

func newTracker(r *ruleset.Rules) tracker {
	return tracker{state: NewState(r), step: r.Traits.Scale}
}

func (m *tracker) apply(e sim.Event) {
	m.state.Apply(e)
	if e.Type == sim.EvHandStart {
		// Once a hand, before any of its tiles: luck times a rate that is known beforehand has
		// mean zero as luck has.
		m.measureSlopes()
	}
}

// reset prepares for another match under the same rules.
func (m *tracker) reset() { m.state = NewState(m.state.rules) }

// NewControlVariate returns a control variate before the first event of a match.
func NewControlVariate(r *ruleset.Rules, e *ValueFunction) *ControlVariate {
	m := &ControlVariate{tracker: newTracker(r), network: evaluator{function: e, seats: r.NumSeats()}}
	m.linear = LinearControlVariate{tracker: newTracker(r), function: &e.Linear}
	m.models.begin(&e.DiscardWeights)
	return m
}

// Reset prepares m for another match under the same rules.
func (m *ControlVariate) Reset() {
	m.tracker.reset()
	m.models.begin(&m.network.function.DiscardWeights)
	m.linear.tracker.reset()
}

// Follow takes the next event of the match, with all tiles known, and returns its luck,
// zero for an event without chance. It does not allocate.
func (m *ControlVariate) Follow(e sim.Event) (l Points) {
	// A model learns from a discard before the next tile is known, so that no estimate of a tile
	// depends on what came after it.
	m.updateDiscardModel(e)
	// Luck is computed, and its class taken, before the tile is applied: a weight that depended
	// on the tile that came would give the blend a mean other than zero.
	class := classDeal
	switch {
	case e.Type == sim.EvDraw:
		l = m.drawLuck(e)
		class = m.tracker.state.classOf(e.Player)
	case e.Type == sim.EvIndicator && e.Ura():
		// Payments of a declared win are exact, so there is nothing to blend. The linear part only
		// follows: its own luck would be the same.
		l = m.tracker.uraLuck(e)
		m.linear.tracker.apply(e)
		m.tracker.apply(e)
		return l
	case e.Type == sim.EvIndicator:
		l = m.indicatorLuck(e)
		class = classIndicator
	}
	// The linear part has a state of its own, and applies the event to it here.
	linear := m.linear.Follow(e)
	m.tracker.apply(e)
	if e.Type == sim.EvDeal && m.tracker.state.allDealt() {
		l = m.dealLuck()
	}
	return m.blend(class, l, linear)
}

func (s *State) classOf(p sim.Player) int {
	st := &s.seats[p]
	if st.ready {
		return classReady
	}
	// A class for each shanten: the blend has weights for each, since the two functions err
	// differently near and far.
	return min(classTenpai+int(max(st.summary.shanten, 0)), classFarther)
}

// blend returns the weighted sum of the luck by the network and by the linear function.
func (m *ControlVariate) blend(class int, network, linear Points) (l Points) {
	if m.parts != nil {
		m.parts[byNetwork][class].Add(&network)
		m.parts[byLinear][class].Add(&linear)
	}
	b := &m.network.function.Blend
	for p := range l {
		// A blend of two estimates with mean zero by weights fixed beforehand has mean zero.
		l[p] = (network[p]*int64(b[byNetwork][class]) + linear[p]*int64(b[byLinear][class])) / BlendUnit
	}
	return l
}

// allDealt reports whether the last tiles of the deal have come.
func (s *State) allDealt() bool { return s.dealt == s.rules.NumSeats()*s.rules.HandSize }

// isBetweenDraws reports whether p has a hand without a drawn tile and without flowers.
func (s *State) isBetweenDraws(p sim.Player) bool {
	st := &s.seats[p]
	return st.hand.Len() == 3*s.sets(st)+1 && st.heldFlowers == 0
}

// summarizeAll updates the summaries of all hands without a drawn tile, and predicts
// the discards after their next draws.
func (m *ControlVariate) summarizeAll() {
	// This is the cost of a draw, and is paid once: the copies of the state in which each face
	// is tried have these summaries, and compute again only that of the hand that changes.
	s := &m.tracker.state
	for p := range sim.Player(sim.NumPlayers) {
		if s.isBetweenDraws(p) {
			s.summarize(p, &m.tracker.score)
			s.predictNextDiscard(p, &m.models[p], &m.policies, &m.tracker.score)
		}
	}
}

func (m *ControlVariate) drawLuck(e sim.Event) (l Points) {
	base := &m.tracker.state
	m.summarizeAll()
	return m.tracker.minusMean(e.Tile, tile.NumFaces, func(f tile.Face) [sim.NumPlayers]int64 {
		m.tracker.other = *base
		// A tile changes what the nearest plans are worth, rarely which they are, and to search
		// all of them for each face would take most of the time.
		m.tracker.other.onlyKnownPlans = true
		m.tracker.other.draw(e, f)
		return m.evaluateOther(&base.seats[e.Player].summary)
	})
}

// indicatorLuck returns the luck of a dora indicator that is turned. Flowers indicate nothing.
func (m *ControlVariate) indicatorLuck(e sim.Event) Points {
	return m.tracker.minusMean(e.Tile, tile.FirstFlower, func(f tile.Face) [sim.NumPlayers]int64 {
		m.tracker.other = m.tracker.state
		// As for a draw: an indicator changes what plans are worth, not what they are.
		m.tracker.other.onlyKnownPlans = true
		m.tracker.other.turnIndicator(f)
		return m.evaluateOther(nil)
	})
}

// minusMean returns the value of the face that came minus the mean over the pool. Faces
// from end on cannot come.
func (m *tracker) minusMean(came tile.Face, end tile.Face, worth func(tile.Face) [sim.NumPlayers]int64) (l Points) {
	// The proof that luck has mean zero rests on this loop: worth is a function of the face and
	// of what was known before, never of the face that came, and the weights are the true odds.
	// The face that came is still in the pool, so total is positive.
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
	// The quotient is cut off toward zero, which is less than 1/Unit of a unit.
	for p := range l {
		l[p] -= sum[p] / total
	}
	return l
}

// evaluateOther returns what each player can expect to gain in the rest of the hand
// from m.other on, in 1/Unit of a unit. If a player has just drawn, before summarizes
// the hand without the drawn tile. It changes m.other.
func (m *ControlVariate) evaluateOther(before *handSummary) (w [sim.NumPlayers]int64) {
	s := &m.tracker.other
	// A win that can be declared is worth what it pays, which no estimate knows better. That the
	// player may pass it costs accuracy, not the mean.
	if m.tracker.winsByDraw(s, before) {
		return m.tracker.gains()
	}
	// The network knows states between draws alone: the drawn tile is played first.
	t := s.playDrawnTile(&m.models, &m.policies, &m.tracker.score)
	s.encode(&t, m.network.function.Scale, &m.inputs, &m.tracker.score)
	answer := m.network.evaluate(&m.inputs)
	for i := range s.rules.NumSeats() {
		w[s.playerAfter(s.mover, i)] = answer[i]
	}
	return w
}

// playDrawnTile exposes a flower or sets a North aside that the mover has drawn, or discards
// the likeliest tile.
func (s *State) playDrawnTile(models *discardModels, who *policies, sc *winScratch) discardForecast {
	st := &s.seats[s.mover]
	t := discardForecast{drawn: tile.NoKind, discard: tile.NoKind}
	switch {
	// While a dealt flower is held as well, the opening is not over, and the hand stays as it is:
	// what the network lacks in accuracy it lacks for every face alike.
	case s.drawn.IsFlower() && st.heldFlowers == 1<<s.drawn.Flower(): // to be replaced
		s.removeTile(s.mover, s.drawn)
		st.flowers |= 1 << s.drawn.Flower()
	// Without a tile left to replace it, a North is a tile like others.
	case s.rules.Kita != ruleset.NoKita && s.left > 0 && s.drawn == tile.Face(tile.North):
		s.setNorthAside(s.mover) // to be replaced
	case s.hasDrawn():
		t = s.discardLikeliest(&models[s.mover], who, sc)
	}
	return t
}

// hasDrawn reports whether the mover has a drawn tile and no flowers.
func (s *State) hasDrawn() bool {
	st := &s.seats[s.mover]
	return st.hand.Len() == 3*s.sets(st)+2 && st.heldFlowers == 0
}

// winsByDraw reports whether the mover wins with the drawn tile, and sets m.score to
// that win. Before summarizes the hand without it.
func (m *tracker) winsByDraw(s *State, before *handSummary) bool {
	return before != nil && s.hasDrawn() && before.shanten == 0 && before.useful.Has(s.drawn.Kind()) && m.settleDraw(s)
}

// settleDraw sets m.score to the mover's win by self-draw and reports whether it is
// allowed.
func (m *tracker) settleDraw(s *State) bool {
	k := s.drawn.Kind()
	s.removeTile(s.mover, s.drawn) // describeWin adds the winning tile itself
	reds := s.seats[s.mover].reds
	if s.drawn.IsRed() {
		s.seats[s.mover].reds[k.Suit()]++ // it counts, though not among the concealed tiles now
	}
	s.describeWin(&m.score.win, s.mover, k, true)
	s.seats[s.mover].reds = reds
	s.addTile(s.mover, s.drawn)
	return s.settleWin(&m.score, s.mover, ruleset.NoChair)
}

// gains returns the payments of m.score.
func (m *tracker) gains() (w [sim.NumPlayers]int64) {
	for p, gain := range m.score.gain {
		// Payments are in units, luck in 1/Unit of one.
		w[p] = int64(gain) << amountBits
	}
	return w
}

// uraLuck returns the luck of an ura indicator turned for a winner.
func (m *tracker) uraLuck(e sim.Event) (l Points) {
	// The indicators are turned for the first of several winners. For the others they are known
	// already, and what is known is no luck.
	won := &m.state.won
	k := won.face.Kind()
	if won.winner != e.Player || won.numUra >= m.state.numDora || k == tile.NoKind {
		return l
	}
	m.other = m.state
	s := &m.other
	// describeWin adds the winning tile. A drawn one is in the hand already; a red five that was
	// discarded is not, and would not count.
	selfDraw := won.from == ruleset.NoChair
	if selfDraw {
		s.seats[e.Player].hand.Remove(k)
	} else if won.face.IsRed() {
		s.seats[e.Player].reds[k.Suit()]++
	}
	return m.minusMean(e.Tile, tile.FirstFlower, func(f tile.Face) [sim.NumPlayers]int64 {
		w := &m.score.win
		s.describeWin(w, e.Player, k, selfDraw)
		w.Ura, w.NumUra = won.ura, uint8(won.numUra+1)
		w.Ura[won.numUra] = f.Kind()
		s.settleWin(&m.score, e.Player, won.from)
		return m.gains()
	})
}

// orders are the permutations of the players.
var orders = func() (list [][sim.NumPlayers]int) {
	for code := range 256 {
		o := [sim.NumPlayers]int{code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6}
		if 1<<o[0]|1<<o[1]|1<<o[2]|1<<o[3] == 0b1111 {
			list = append(list, o)
		}
	}
	return list
}()

// dealLuck returns the luck of the deal: its value minus the mean over the ways to give
// these hands to the players. All of these are equally likely, so the mean over all
// deals is zero, but for the rounding of the mean.
func (m *ControlVariate) dealLuck() (l Points) {
	// The mean over all deals cannot be enumerated. That over who got which hand can, and what it
	// leaves out, how good the hands are together, is no player's luck more than another's.
	var sum [sim.NumPlayers]int64
	seats, ways := m.tracker.state.rules.NumSeats(), int64(0)
	for _, order := range orders {
		if seats == 3 && order[3] != 3 {
			continue // the fourth place is empty and stays so
		}
		ways++
		m.tracker.other = m.tracker.state
		for p, from := range order {
			m.tracker.other.seats[p] = m.tracker.state.seats[from]
			m.tracker.other.seats[p].summarized = false // the worth of honors depends on the seat
		}
		w := m.evaluateOther(nil)
		for p := range w {
			sum[p] += w[p]
			// The order in which nothing is exchanged is the deal that came.
			if order == [sim.NumPlayers]int{0, 1, 2, 3} {
				l[p] = w[p]
			}
		}
	}
	for p := range l {
		l[p] -= sum[p] / ways
	}
	return l
}
