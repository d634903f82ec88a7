package chance

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Sample is a state that was met in a match, and what came of it.
type Sample struct {
	In Inputs
	// Mover is the chair of the player whose turn it was.
	Mover int8
	// Last tells that no later sample is of the same hand.
	Last bool
	// Rest[c] is what chair c gained in the rest of the hand, in units.
	Rest [sim.NumPlayers]int32
}

// Choice is a discard that was made among others.
type Choice struct {
	// Discards are those that could be made.
	Discards []Discard
	// Made is the place of the one that was made.
	Made int
}

// AppendChoices appends a choice for each discard of a match, given by its events, of a
// player who had drawn a tile and was free to choose.
func (m *Meter) AppendChoices(dst []Choice, events []sim.Event) []Choice {
	m.Reset()
	for _, e := range events {
		s := &m.state
		switch {
		case e.Type == sim.EvDraw:
			m.lookAround()
		case s.chose(e):
			var d discards
			s.figures(&d, &m.score)
			if made := d.placeOf(e.Tile.Kind()); made >= 0 {
				dst = append(dst, Choice{slices.Clone(d.list[:d.n]), made})
			}
		}
		s.Apply(e)
	}
	return dst
}

// AppendSamples appends a sample for each deal of a match and for each draw that did not win
// the hand at once. Amounts among the inputs are multiples of scale. The error says where
// the match does not fit the rules.
func (m *Meter) AppendSamples(dst []Sample, scale int, x *sim.Match) ([]Sample, error) {
	m.Reset()
	first := len(dst)
	err := m.retrace(x, func(e sim.Event) {
		if e.Type == sim.EvDraw {
			m.lookAround()
		}
		m.learn(e)
		m.state.Apply(e)
		switch e.Type {
		case sim.EvDeal:
			if m.state.dealt == sim.NumPlayers*m.state.rules.HandSize {
				dst = m.appendSample(dst, scale, nil)
			}
		case sim.EvDraw:
			dst = m.appendSample(dst, scale, &e)
		case sim.EvHandStart:
			first = len(dst)
		case sim.EvHandEnd:
			w := m.state.Wealth()
			for i := first; i < len(dst); i++ {
				for c := range dst[i].Rest {
					dst[i].Rest[c] += w[m.state.who[c]]
				}
			}
			if len(dst) > first {
				dst[len(dst)-1].Last = true
			}
		}
	})
	return dst, err
}

// appendSample appends the state as it is, after a draw if that is not nil, with what
// the players have by now taken off what they will gain.
func (m *Meter) appendSample(dst []Sample, scale int, draw *sim.Event) []Sample {
	m.other = m.state
	s := &m.other
	if draw != nil {
		s.give(draw.Player, draw.Tile)
		var before *outlook
		if s.whole(draw.Player) {
			o := *s.look(draw.Player, &m.score)
			before = &o
		}
		s.put(draw.Player, draw.Tile)
		if m.wins(s, before) {
			return dst
		}
	}
	dst = append(dst, Sample{Mover: int8(s.chairOf[s.mover])})
	x := &dst[len(dst)-1]
	for p, n := range s.Wealth() {
		x.Rest[s.chairOf[p]] = -n
	}
	t := s.act(&m.manners, &m.known, &m.score)
	s.inputs(&t, scale, &x.In, &m.score)
	return dst
}
