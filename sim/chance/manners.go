package chance

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// manner is how a player seems to choose his discards: what each figure of one counts, in
// 1/65536. After the habits comes what it counts to be late in the order of the kinds, by
// which many programs choose among discards that are alike to them.
type manner [NumHabits + 1]int32

const (
	mannerBits = 8 // of which habits have so many fewer
	mostManner = 1 << 22

	// orderUnit is what a kind is later than the one before it, in multiples of InputUnit.
	orderUnit = 2

	// learningBits say how much a discard teaches: a quarter of what was not foreseen of it.
	learningBits = 2
)

// manners are those of the players of a match. Who cannot be asked shows by his earlier
// discards how he will choose the next, which is known before it is known what comes.
type manners [sim.NumPlayers]manner

// begin makes them the habits of everybody.
func (m *manners) begin(habits *[NumHabits]int16) {
	for p := range m {
		m[p] = mannerOf(habits)
	}
}

// mannerOf returns the manner of a player who has the habits.
func mannerOf(habits *[NumHabits]int16) (m manner) {
	for i, x := range habits {
		m[i] = int32(x) << mannerBits
	}
	return m
}

// figure returns one of the figures by which a manner judges a discard.
func (d *Discard) figure(i int) int32 {
	if i == NumHabits {
		return int32(d.Kind) * orderUnit
	}
	return int32(d.Figures[i])
}

// score tells how likely a discard is, in 1/64 of 1/256: chances are in proportion to its
// exponential.
func (m *manner) score(d *Discard) (sum int32) {
	for i, x := range d.Figures {
		sum += int32(x) * (m[i] >> mannerBits)
	}
	return sum + d.figure(NumHabits)*(m[NumHabits]>>mannerBits)
}

// learn makes m foresee better the discard that was made, one of d of which t tells how
// likely each was: a step up the slope of its logarithm.
func (m *manner) learn(d *discards, t *turn, made int) {
	for i := range m {
		mean, all := int64(0), int64(0)
		for j := range d.list[:d.n] {
			n := int64(t.chances[d.list[j].Kind])
			mean += n * int64(d.list[j].figure(i))
			all += n
		}
		const figureBits = inputBits + learningBits
		step := (int64(d.list[made].figure(i))*all - mean) << (16 - figureBits) / all
		m[i] = int32(max(-mostManner, min(int64(m[i])+step, mostManner)))
	}
}

// chose reports whether e, which has not been applied, is a discard by somebody who had
// drawn a tile and was free to choose.
func (s *State) chose(e sim.Event) bool {
	return e.Type == sim.EvDiscard && s.mover == e.Player && s.drawn != tile.NoFace && !s.seats[e.Player].ready && s.complete()
}

// placeOf returns the place of the discard of a kind, -1 where there is none.
func (d *discards) placeOf(k tile.Kind) int {
	for i := range d.list[:d.n] {
		if d.list[i].Kind == k {
			return i
		}
	}
	return -1
}

// learn sees by the next event how a player chooses who cannot be asked.
func (m *Meter) learn(e sim.Event) {
	s := &m.state
	if !s.chose(e) || m.known.players[e.Player] != nil {
		return
	}
	var d discards
	s.figures(&d, &m.score)
	made := d.placeOf(e.Tile.Kind())
	if made < 0 {
		return // of a record that does not fit
	}
	own := &m.manners[e.Player]
	var t turn
	t.weigh(&d, own)
	own.learn(&d, &t, made)
}
