package luck

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Sample is a state met in a match, and its outcome.
type Sample struct {
	In Inputs
	// Mover is the chair of the player in turn, Seats the number of players.
	Mover, Seats int8
	// Last marks the last sample of a hand.
	Last bool
	// Rest[c] is what chair c gained in the rest of the hand, in units.
	Rest [sim.NumPlayers]int32
}

// DiscardChoice is a discard made among others.
type DiscardChoice struct {
	// Discards are the possible discards.
	Discards []DiscardFeatures
	// Made is the place of the discard made.
	Made int
}

// AppendChoices appends a choice for each free discard of a match, given by its events:
// a discard of a player who has drawn a tile and is not in riichi.
func (m *ControlVariate) AppendChoices(dst []DiscardChoice, events []sim.Event) []DiscardChoice {
	m.Reset()
	for _, e := range events {
		s := &m.tracker.state
		switch {
		case e.Type == sim.EvDraw:
			m.summarizeAll()
		case s.isFreeDiscard(e):
			var d discards
			s.discardFeatures(&d, &m.tracker.score)
			if made := d.placeOf(e.Tile.Kind()); made >= 0 {
				dst = append(dst, DiscardChoice{slices.Clone(d.list[:d.n]), made})
			}
		}
		s.Apply(e)
	}
	return dst
}

// AppendSamples appends a sample for each deal of a match and for each draw that does
// not win at once. Amounts among the inputs are multiples of scale. The error says
// where the match does not fit the rules.
func (m *ControlVariate) AppendSamples(dst []Sample, scale int, x *sim.Match) ([]Sample, error) {
	m.Reset()
	first := len(dst)
	err := m.retrace(x, func(e sim.Event) {
		if e.Type == sim.EvDraw {
			m.summarizeAll()
		}
		m.updateDiscardModel(e)
		m.tracker.state.Apply(e)
		switch e.Type {
		case sim.EvDeal:
			if m.tracker.state.allDealt() {
				dst = m.appendSample(dst, scale, nil)
			}
		case sim.EvDraw:
			dst = m.appendSample(dst, scale, &e)
		case sim.EvHandStart:
			first = len(dst)
		case sim.EvHandEnd:
			w := m.tracker.state.NetPoints()
			for i := first; i < len(dst); i++ {
				for c := range dst[i].Rest {
					dst[i].Rest[c] += w[m.tracker.state.who[c]]
				}
			}
			if len(dst) > first {
				dst[len(dst)-1].Last = true
			}
		}
	})
	return dst, err
}

// appendSample appends the present state, after a draw if that is not nil. Rest is set
// to minus the present net points, to which the caller adds the final ones.
func (m *ControlVariate) appendSample(dst []Sample, scale int, draw *sim.Event) []Sample {
	m.tracker.other = m.tracker.state
	s := &m.tracker.other
	if draw != nil {
		s.removeTile(draw.Player, draw.Tile)
		var before *handSummary
		if s.isBetweenDraws(draw.Player) {
			o := *s.summarize(draw.Player, &m.tracker.score)
			before = &o
		}
		s.addTile(draw.Player, draw.Tile)
		if m.tracker.winsByDraw(s, before) {
			return dst
		}
	}
	dst = append(dst, Sample{Mover: int8(s.chairOf[s.mover]), Seats: int8(s.rules.NumSeats())})
	x := &dst[len(dst)-1]
	for p, n := range s.NetPoints() {
		x.Rest[s.chairOf[p]] = -n
	}
	t := s.playDrawnTile(&m.models, &m.policies, &m.tracker.score)
	s.encode(&t, scale, &x.In, &m.tracker.score)
	return dst
}
