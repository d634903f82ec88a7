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
	unseen   tile.Copies
	others   irregular // nil if the rules do not say
}

// irregular is what scorers with [hand.Shapes] know of their shapes other than sets and a pair.
// With it no tile needs to be tried, which takes most of the time otherwise.
type irregular interface {
	Irregular(h *hand.Hand, melds int) (shanten int, ukeire tile.Set)
}

// look copies the viewer's hand.
func (s *shape) look(v sim.View) {
	if r := v.Rules(); r != s.rules {
		s.rules = r
		s.others, _ = r.Scorer.(irregular)
	}
	s.hand = v.Hand()
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
	var held tile.Copies
	held[0], held[1], held[2], held[3] = v.HeldAtLeast()
	unseen(&s.unseen, v, &held)
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
func (s *shape) live(kinds tile.Set) uint8 {
	u := &s.unseen
	return uint8((kinds & u[0]).Len() + (kinds & u[1]).Len() + (kinds & u[2]).Len() + (kinds & u[3]).Len())
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
	} else if s.others != nil && s.hand.Len() == 3*s.sets+1 {
		planes[shapeUseful] = s.known(shanten, s.hand.Shanten(s.sets), s.hand.Ukeire(s.sets))
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
	if s.others != nil && len(regular) > 0 {
		return s.weighDiscards(regular, out)
	}
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

// known returns the kinds of ukeire of a hand with the given shanten, given that toward sets and
// a pair and its ukeire.
func (s *shape) known(shanten, regular int, ukeire tile.Set) (useful tile.Set) {
	if regular == shanten {
		useful = ukeire
	}
	// A draw lowers the shanten toward no shape by more than one, so that those farther off do
	// not count.
	if n, more := s.others.Irregular(&s.hand, len(s.melds)); n == shanten {
		useful |= more
	}
	return useful & s.kinds
}

// weighDiscards is tryDiscards, given all discards toward sets and a pair.
func (s *shape) weighDiscards(regular []hand.Discard, out *[discardWords * tile.NumKinds]byte) (best, useful tile.Set) {
	// Without one of its tiles the hand is no nearer to any shape than with it.
	whole, _ := s.others.Irregular(&s.hand, len(s.melds))
	least := 0
	for i, d := range regular {
		shanten := int(d.Shanten)
		if whole < shanten {
			s.hand.Remove(d.Kind)
			n, _ := s.others.Irregular(&s.hand, len(s.melds))
			s.hand.Add(d.Kind)
			shanten = min(shanten, n)
		}
		if i == 0 || shanten < least {
			best, least = 0, shanten
		}
		if shanten == least {
			best |= d.Kind.Bit()
		}
		out[discardWords*d.Kind] = uint8(shanten + 1)
	}
	for _, d := range regular {
		if !best.Has(d.Kind) {
			continue
		}
		set := d.Ukeire & s.kinds
		if whole <= least {
			s.hand.Remove(d.Kind)
			set = s.known(least, int(d.Shanten), d.Ukeire)
			s.hand.Add(d.Kind)
		}
		out[discardWords*d.Kind+1] = s.live(set)
		useful |= set
	}
	return best, useful
}
