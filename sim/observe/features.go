package observe

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	shapeWaits   = 0
	shapeUseful  = shapeWaits + 1
	shapeBest    = shapeUseful + 1
	numShapes    = shapeBest + 1
	discardWords = 2

	summaryShanten = 0
	summaryUseful  = summaryShanten + 1
	summaryWaits   = summaryUseful + 1
	summaryFuriten = summaryWaits + 1
	summaryBytes   = summaryFuriten + 1
)

var featuresSpec = Spec{
	Name: "features", Version: Version,
	Doc:     "planes, and how far the own hand is: shanten, waits, ukeire and furiten by the shapes of the ruleset",
	Tensors: append(planesSpec.Tensors[:len(planesSpec.Tensors):len(planesSpec.Tensors)], shapeTensors()...),
	append: func(e *Encoder, dst [][]byte, v sim.View, h *History, b *Board) {
		planesSpec.append(e, dst, v, h, b)
		e.shape.append(dst[len(planesSpec.Tensors):], v)
	},
}

func shapeTensors() []Tensor {
	shape := newFields(1)
	shape.add("waits", 1, "kinds that complete the hand without the drawn tile, whether or not they are left and a win would be legal")
	shape.add("useful", 1, "kinds of which one more tile lowers the shanten; in an own turn after some discard that leaves the least shanten")
	shape.add("best_discards", 1, "in an own turn the kinds whose discard leaves the least shanten, legal or not")
	discards := newFields(0)
	discards.bound("shanten", 1, 0, 20, "1 + shanten after the discard; 0 if the kind is not held or it is not an own turn")
	discards.bound("useful", 1, 0, 136, "unseen tiles that lower it then; 0 unless the kind is among best_discards")
	summary := newFields(0)
	summary.bound("shanten", 1, 0, 20, "1 + shanten of the hand: 0 complete, 1 ready, 2 one away")
	summary.bound("useful", 1, 0, 136, "unseen tiles of the kinds in useful")
	summary.bound("waits", 1, 0, 136, "unseen tiles of the kinds in waits")
	summary.bound("furiten", 1, 0, 1, "some wait is locked")
	return []Tensor{
		{Name: "shape", DType: Bit, Shape: []int{numShapes, tile.NumKinds}, High: 1, Fields: shape.list, Doc: "sets of kinds as in planes"},
		{Name: "discarding", DType: Uint8, Shape: []int{tile.NumKinds, discardWords}, High: 136, Fields: discards.list, LastAxis: true, Doc: "what discarding a tile of each kind leads to, for all kinds held in an own turn"},
		{Name: "summary", DType: Uint8, Shape: []int{summaryBytes}, High: 136, Fields: summary.list, Doc: "the hand in numbers"},
	}
}

// shape computes the shanten, ukeire and waits of a hand. It is part of the Encoder
// because arguments of a Scorer escape to the heap.
type shape struct {
	rules    *ruleset.Rules
	hand     hand.Hand
	store    [hand.MaxMelds]hand.Meld
	melds    []hand.Meld
	sets     int      // concealed sets of the complete hand
	kinds    tile.Set // in the tile set of the rules
	discards [hand.MaxDiscards]hand.Discard
	unseen   [tile.NumKinds]uint8
}

// look copies the viewer's hand.
func (s *shape) look(v sim.View) {
	s.rules, s.hand = v.Rules(), v.Hand()
	me := v.Player()
	s.melds = s.store[:v.NumMelds(me)]
	for i := range s.melds {
		s.melds[i] = v.Meld(me, i)
	}
	s.sets = s.rules.HandSize/3 - len(s.melds)
	s.kinds = tile.All
	if s.rules.TileSet == ruleset.NoMiddleCharacters {
		s.kinds &^= 0x7f << 1
	}
	for k := range tile.Kind(tile.NumKinds) {
		s.unseen[k] = uint8(v.Unseen(k))
	}
}

func (s *shape) shanten() int { return s.rules.HandShanten(&s.hand, s.melds) }

// useful returns the kinds of ukeire: one more tile brings the hand below the given
// shanten. It need not check the known ones.
func (s *shape) useful(shanten int, known tile.Set) tile.Set {
	known &= s.kinds
	for rest := s.kinds &^ known &^ s.hand.AtLeast(4); rest != 0; rest = rest.Rest() {
		k := rest.First()
		s.hand.Add(k)
		if s.shanten() < shanten {
			known |= k.Bit()
		}
		s.hand.Remove(k)
	}
	return known
}

// live returns the number of unseen tiles of the kinds.
func (s *shape) live(kinds tile.Set) (n uint8) {
	for ; kinds != 0; kinds = kinds.Rest() {
		n += s.unseen[kinds.First()]
	}
	return n
}

// append appends the tensors of shapeTensors.
func (s *shape) append(dst [][]byte, v sim.View) {
	s.look(v)
	var planes [numShapes]tile.Set
	discarding := (*[discardWords * tile.NumKinds]byte)(grow(&dst[1], discardWords*tile.NumKinds))
	summary := (*[summaryBytes]byte)(grow(&dst[2], summaryBytes))

	shanten := s.shanten()
	waits := v.Waits()
	if v.Phase() == sim.PhaseTurn && v.Turn() == v.Player() {
		planes[shapeBest], planes[shapeUseful] = s.tryDiscards(discarding)
	} else {
		var known tile.Set
		if s.hand.Shanten(s.sets) == shanten {
			known = s.hand.Ukeire(s.sets)
		}
		planes[shapeUseful] = s.useful(shanten, known)
	}
	planes[shapeWaits] = waits
	out := grow(&dst[0], numShapes*planeBytes)
	for i, p := range planes {
		binary.LittleEndian.PutUint32(out[i*planeBytes:], uint32(p))
		out[i*planeBytes+4] = byte(p >> 32)
	}
	summary[summaryShanten] = uint8(shanten + 1)
	summary[summaryUseful] = s.live(planes[shapeUseful])
	summary[summaryWaits] = s.live(waits)
	summary[summaryFuriten] = uint8(b2u(waits&v.FuritenKinds() != 0))
}

// tryDiscards writes the shanten and ukeire after each discard. It returns the discards
// that leave the least shanten and the kinds of ukeire after one of them.
func (s *shape) tryDiscards(out *[discardWords * tile.NumKinds]byte) (best, useful tile.Set) {
	// The shapes common to all families are fast and give most of the ukeire.
	regular := s.discards[:s.hand.Discards(s.sets, &s.discards)]
	least := 0
	for kinds := s.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		s.hand.Remove(k)
		shanten := s.shanten()
		s.hand.Add(k)
		if best == 0 || shanten < least {
			best, least = 0, shanten
		}
		if shanten == least {
			best |= k.Bit()
		}
		out[discardWords*k] = uint8(shanten + 1)
	}
	for kinds := best; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		var known tile.Set
		for _, d := range regular {
			if d.Kind == k && int(d.Shanten) == least {
				known = d.Ukeire
			}
		}
		s.hand.Remove(k)
		set := s.useful(least, known)
		s.hand.Add(k)
		out[discardWords*k+1] = s.live(set)
		useful |= set
	}
	return best, useful
}
