package experience

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// Sizes of what a number is encoded as: one-hot numbers, and channels by kinds of tiles.
const (
	phases, turns, causes, winds, shantens = 9, 5, 5, 4, 9

	planeChannels = 20
	// Of each other player the kinds that his hand has let pass since it last changed.
	passedChannels = sim.NumPlayers - 1
	shapeChannels  = 4
	// Of the candidates that discard a tile of a kind: the score, the score where they declare
	// ready, the chance to deal in, and what the hand can be expected to win.
	adviceChannels = 4
	// The scores of candidates that discard nothing, by the first action of each group.
	adviceGroups = len(groups) - 1
)

// groups are the first actions of the groups of adviceGroups: a chi by its place, with or without
// a red five, pons, kans, winning, passing, and the rest.
var groups = [...]sim.Action{sim.ActChi, sim.ActChi + 1, sim.ActChi + 2, sim.ActPon, sim.ActOpenKan, sim.ActWin, sim.ActPass, sim.ActReadyNow, sim.NumActions}

// The scores of candidates, which are added to their logits: bestScore for what the adviser
// would do; for others nextScore less what he expects of them less, in steps of 1/sharpness of
// the scale, at least nextScore - lessScore. Other actions have 0. So a network without weights
// plays as the adviser, and now and then as he nearly would.
const bestScore, nextScore, lessScore, sharpness = 8, 7, 6, 40

// Inputs converts the rows of an observation into those of a network. Kinds are counts of
// tiles by kind, the channels of a kind together; numbers are everything else, about -1 to 1.
// python/src/sparrowhall/learn/tiles.py does the same with tensors.
type Inputs struct {
	// Channels is the number of channels of a kind, Numbers that of numbers, Candidates that of
	// an adviser's, 0 without advice. The last numbers are their scores, after those by group.
	Channels, Numbers, Candidates int

	shaped                            bool // the observation has the tensors of features
	planes, state, amounts            int  // numbers of tensors
	discards, discardSize             int
	marks, markSize                   int
	shape, discarding, summary        int
	advice                            int // tensor of candidates
	words, dealIn, hope, total        int // numbers of a candidate, and which of them count
	stateSize, amountSize             int
	channel                           []int // of each plane, -1 for planes that are left out
	drawn, window                     int   // planes
	scale                             float32
	points, debts, counter, deposits  int
	phase, turn, cause, round, seat   int
	left, concealed, ready, open, ipp int
	flowers, held                     int
}

// NewInputs returns the conversion of an observation for four players. Points are divided by
// the scale, in units.
func NewInputs(s *observe.Spec, scale float64) (*Inputs, error) {
	in := &Inputs{scale: float32(scale), planes: -1, summary: -1, advice: -1}
	for i, t := range s.Tensors {
		switch t.Name {
		case "planes":
			in.planes = i
		case "state":
			in.state, in.stateSize = i, t.Size()
		case "amounts":
			in.amounts, in.amountSize = i, t.Size()
		case "shape":
			in.shape = i
		case "discards":
			in.discards, in.discardSize = i, t.Size()
		case "discard_marks":
			in.marks, in.markSize = i, t.Size()
		case "discarding":
			in.discarding = i
		case "summary":
			in.summary = i
		case "candidates":
			in.advice, in.words, in.Candidates = i, t.Shape[1], t.Shape[0]
			word := first(&s.Tensors[i])
			in.dealIn, in.hope, in.total = word("deal_in"), word("hope"), word("total")
		}
	}
	if in.planes < 0 || s.Seats == 3 {
		return nil, fmt.Errorf("learners do not read the observation %q of this table; allowed: planes, features and advice of four players", s.Name)
	}
	in.shaped = in.summary >= 0
	in.Channels, in.Numbers = planeChannels+passedChannels, phases+turns+causes+1+4+4+4+4+4+2*winds+3+4
	if in.shaped {
		in.Channels += shapeChannels
		in.Numbers += shantens + 3
	}
	if in.advice >= 0 {
		in.Channels += adviceChannels
		in.Numbers += adviceGroups + in.Candidates
	}
	in.setPlanes(&s.Tensors[in.planes])
	state := first(&s.Tensors[in.state])
	in.phase, in.turn, in.cause = state("phase"), state("turn"), state("cause")
	in.round, in.seat, in.left = state("round_wind"), state("seat_wind"), state("left")
	in.concealed, in.ready, in.open, in.ipp = state("concealed"), state("ready"), state("open"), state("one_shot")
	in.flowers, in.held = state("flowers"), state("held_flowers")
	amount := first(&s.Tensors[in.amounts])
	in.points, in.debts, in.counter, in.deposits = amount("points"), amount("debts"), amount("counter"), amount("deposits")
	return in, nil
}

// first returns the first index of a field.
func first(t *observe.Tensor) func(name string) int {
	return func(name string) int {
		for _, f := range t.Fields {
			if f.Name == name {
				return f.First
			}
		}
		panic("experience: " + t.Name + " has no field " + name)
	}
}

// setPlanes assigns the planes to channels. Planes of one channel are added, so that a
// thermometer becomes a count.
func (in *Inputs) setPlanes(t *observe.Tensor) {
	in.channel = make([]int, t.Shape[0])
	for i := range in.channel {
		in.channel[i] = -1
	}
	next := 0
	add := func(name string, each bool) {
		for _, f := range t.Fields {
			if f.Name != name {
				continue
			}
			for i := range f.Count {
				in.channel[f.First+i] = next
				if each {
					next++
				}
			}
			if !each {
				next++
			}
		}
	}
	add("hand", true)
	in.drawn, in.window = first(t)("drawn"), first(t)("window")
	for _, name := range []string{"drawn", "window", "round_wind", "seat_wind", "locked", "unseen", "dora"} {
		add(name, false)
	}
	for _, name := range []string{"river", "melds"} {
		for p := range sim.NumPlayers {
			add(fmt.Sprintf("%s_%d", name, p), false)
		}
	}
	add("reds", false)
	if next != planeChannels {
		panic("experience: planes have other fields")
	}
}

// addSet adds 1 to a channel of the kinds in a set, whose first kind begins at kinds.
func addSet(kinds []byte, channels int, set uint64) {
	for ; set != 0; set &= set - 1 {
		kinds[bits.TrailingZeros64(set)*channels]++
	}
}

// passed returns, of each player, the kinds that the others have discarded since he last
// discarded a tile other than the one he had drawn: but for a discard that he may still claim,
// his hand of now did not win on them. If he is ready, they are safe to the end of the hand, as
// his own river is (riichi 2.9).
func (in *Inputs) passed(tensors [][]byte, r int) (passed [sim.NumPlayers]tile.Set) {
	discards := tensors[in.discards][in.discardSize*r : in.discardSize*(r+1)]
	asDrawn := tensors[in.marks][in.markSize*r:]
	for i, code := range discards {
		if code == 0 {
			break
		}
		who := code >> 6
		own := passed[who]
		for p := range passed {
			passed[p] |= tile.Face(code&0x3f-1).Kind().Bit() & tile.All
		}
		if passed[who] = own; asDrawn[i/8]>>(i%8)&1 == 0 {
			passed[who] = 0
		}
	}
	return passed
}

// encode converts row r of the tensors. It returns 1 + the kind of the tile that was drawn or may
// be claimed, 0 without one, and 1 + the shanten, 0 where the observation has none.
func (in *Inputs) encode(tensors [][]byte, r int, kinds []byte, numbers []float32) (latestTile, shanten uint8) {
	clear(kinds)
	n := len(in.channel)
	planes := tensors[in.planes][r*n*5 : (r+1)*n*5]
	c := in.Channels
	for i, channel := range in.channel {
		if channel < 0 {
			continue
		}
		p := planes[5*i : 5*i+5]
		set := uint64(binary.LittleEndian.Uint32(p)) | uint64(p[4])<<32
		if (i == in.drawn || i == in.window) && set != 0 {
			latestTile = uint8(bits.TrailingZeros64(set)) + 1
		}
		addSet(kinds[channel:], c, set)
	}
	passed := in.passed(tensors, r)
	for i, set := range passed[1:] {
		addSet(kinds[planeChannels+i:], c, uint64(set))
	}
	if in.shaped {
		shape := tensors[in.shape][15*r : 15*r+15]
		for i := range 3 {
			p := shape[5*i : 5*i+5]
			addSet(kinds[planeChannels+passedChannels+i:], c, uint64(binary.LittleEndian.Uint32(p))|uint64(p[4])<<32)
		}
		discarding := tensors[in.discarding][2*tile.NumKinds*r : 2*tile.NumKinds*(r+1)]
		for k := range tile.NumKinds {
			kinds[k*c+planeChannels+passedChannels+3] = discarding[2*k+1]
		}
	}
	shanten = in.encodeNumbers(tensors, r, numbers)
	return latestTile, shanten
}

func (in *Inputs) encodeNumbers(tensors [][]byte, r int, out []float32) (shanten uint8) {
	clear(out)
	s := tensors[in.state][r*in.stateSize : (r+1)*in.stateSize]
	at := 0
	oneHot := func(v uint8, n int) {
		out[at+min(int(v), n-1)] = 1
		at += n
	}
	oneHot(s[in.phase], phases)
	oneHot(s[in.turn], turns)
	oneHot(s[in.cause], causes)
	oneHot(s[in.round], winds)
	oneHot(s[in.seat], winds)
	out[at] = float32(s[in.left]) / 70
	at++
	amounts := tensors[in.amounts][r*in.amountSize : (r+1)*in.amountSize]
	amount := func(i int) float32 { return float32(int32(binary.LittleEndian.Uint32(amounts[4*i:]))) }
	for p := range sim.NumPlayers {
		out[at+p] = float32(s[in.concealed+p]) / 14
		out[at+4+p] = float32(min(s[in.ready+p], 1))
		out[at+8+p] = float32(s[in.open+p])
		out[at+12+p] = float32(bits.OnesCount8(s[in.flowers+p])) / 4
		out[at+16+p] = float32(s[in.ipp+p])
		net := amount(in.points + p)
		for q := range sim.NumPlayers {
			net += amount(in.debts+4*p+q) - amount(in.debts+4*q+p)
		}
		out[at+20+p] = max(-1, min(1, net/in.scale/4))
	}
	at += 24
	out[at] = min(amount(in.counter), 5) / 5
	out[at+1] = min(amount(in.deposits), 5) / 5
	out[at+2] = float32(bits.OnesCount8(s[in.held])) / 4
	at += 3
	if in.shaped {
		summary := tensors[in.summary][4*r : 4*r+4]
		oneHot(summary[0], shantens)
		out[at], out[at+1], out[at+2] = float32(summary[1])/32, float32(summary[2])/8, float32(summary[3])
		shanten = summary[0]
	}
	return shanten
}

// readAdvice sets the candidates of row r of the tensors and their scores, and what a network
// sees of them: the last channels of kinds, and the numbers before the scores. Those have the
// order of the candidates; a network that sees no more cannot find again among the tiles which
// discard the adviser likes, and learns hardly any correction.
func (in *Inputs) readAdvice(tensors [][]byte, r int, drawn uint8, kinds []byte, numbers []float32, advised []byte) {
	rows := tensors[in.advice][4*in.Candidates*in.words*r:]
	word := func(i, w int) float32 {
		return float32(int32(binary.LittleEndian.Uint32(rows[4*(in.words*i+w):])))
	}
	scores := numbers[in.Numbers-in.Candidates:]
	byGroup := numbers[in.Numbers-in.Candidates-adviceGroups:]
	for i := range advised {
		action := uint8(word(i, 0))
		if advised[i] = action; action == 0 {
			scores[i] = 0
			continue
		}
		scores[i] = bestScore
		if i > 0 {
			less := (word(0, in.total) - word(i, in.total)) / (1000 * in.scale)
			scores[i] = nextScore - max(0, min(lessScore, sharpness*less))
		}
		a := sim.Action(action - 1)
		if !a.IsDiscard() {
			byGroup[groupOf[a]] += scores[i] / bestScore
			continue
		}
		kind, ready := discardOf(a, drawn)
		if kind < 0 {
			continue
		}
		seen := kinds[(kind+1)*in.Channels-adviceChannels:][:adviceChannels]
		add := func(channel int, v float32) {
			seen[channel] = uint8(min(255, int(seen[channel])+int(max(0, min(255, v)))))
		}
		// Two candidates may discard one kind, as with a red five; then these add up. The steps fit
		// a byte; ADVICE_SCALES in tiles.py bring them to about 1.
		add(ready, 16*scores[i])
		add(2, word(i, in.dealIn)/4000)
		add(3, word(i, in.hope)/(1000*in.scale)*32)
	}
}

// groupOf is the group of an action that discards nothing.
var groupOf = func() (of [sim.NumActions]uint8) {
	for g := range adviceGroups {
		for a := groups[g]; a < groups[g+1]; a++ {
			of[a] = uint8(g)
		}
	}
	for place := range sim.Action(3) {
		of[sim.ActChiRed+place] = uint8(place)
	}
	return of
}()

// discardOf returns the kind of the tile discarded by an action, -1 for a flower, and 1 if it
// declares ready, else 0. Drawn is 1 + the kind of the drawn tile.
func discardOf(a sim.Action, drawn uint8) (kind, ready int) {
	if a >= sim.ActReady {
		a, ready = a-sim.ActReady, 1
	}
	switch face := tile.Face(a); {
	case a == sim.ActDiscardDrawn || ready == 1 && a == sim.ActReadyDrawn-sim.ActReady:
		return int(drawn) - 1, ready
	case face.IsFlower():
		return -1, ready
	default:
		return int(face.Kind()), ready
	}
}
