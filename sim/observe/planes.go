package observe

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A plane is a set of kinds. Numbers of tiles are thermometers: four planes, of
// which plane i holds the kinds with more than i tiles, as in tile.Copies.
const (
	planeHand       = 0
	planeReds       = planeHand + 4
	planeDrawn      = planeReds + 1
	planeWindow     = planeDrawn + 1
	planeRoundWind  = planeWindow + 1
	planeSeatWind   = planeRoundWind + 1
	planeLocked     = planeSeatWind + 1
	planeUnseen     = planeLocked + 1
	planeIndicators = planeUnseen + 4
	planeDora       = planeIndicators + 4
	planeRivers     = planeDora + 4
	planeDrawnOnes  = planeRivers + 4*sim.NumPlayers
	planeMelds      = planeDrawnOnes + sim.NumPlayers
	planeClosedKans = planeMelds + 4*sim.NumPlayers
	numPlanes       = planeClosedKans + sim.NumPlayers

	planeBytes = (tile.NumKinds + 7) / 8

	// maxDiscards is the size of the table's log of discards.
	maxDiscards = 128
	markBytes   = maxDiscards / 8
	numMarks    = 3

	meldFields = 5
	meldBytes  = sim.NumPlayers * hand.MaxMelds * meldFields
)

var planesSpec = Spec{
	Name: "planes", Version: Version,
	Doc:     "the table as sets of kinds, the discards in order, the melds, and all other numbers; for networks over the kinds of tiles",
	Tensors: append(tableTensors(), stateTensors()...),
	append: func(_ *Encoder, dst [][]byte, v sim.View, _ *History, b *Board) {
		appendTable(dst, v, b)
		appendState(dst[numTableTensors:], v)
	},
}

const numTableTensors = 4

func tableTensors() []Tensor {
	planes := newFields(1)
	planes.add("hand", 4, "own concealed tiles, the drawn one included; thermometer")
	planes.add("reds", 1, "kinds of own concealed red fives")
	planes.add("drawn", 1, "the drawn tile in an own turn; empty after a claim and for a flower")
	planes.add("window", 1, "the tile that may be claimed or robbed; empty outside a window, for a flower, and for a closed kan of hidden kind that the viewer may not rob")
	planes.add("round_wind", 1, "the wind of the round")
	planes.add("seat_wind", 1, "the viewer's wind")
	planes.add("locked", 1, "kinds on which own discards or passed wins forbid to win (furiten), waits or not")
	planes.add("unseen", 4, "tiles the viewer neither holds nor sees; thermometer")
	planes.add("indicators", 4, "dora indicators; thermometer")
	planes.add("dora", 4, "kinds the indicators point to; thermometer; empty without dora")
	planes.each("river", 4, "all tiles discarded by %s, claimed ones included; thermometer")
	planes.each("drawn_discards", 1, "kinds %s discarded at least once just as drawn")
	planes.each("melds", 4, "tiles in the sets laid down by %s; thermometer; a closed kan of hidden kind is left out")
	planes.each("closed_kans", 1, "kinds of the closed kans of %s, hidden ones left out")

	melds := newFields(0)
	melds.bound("type", 1, 0, 5, "0 no meld, 1 chi, 2 pon, 3 open kan, 4 added kan, 5 closed kan; an added kan is a pon until it can no longer be robbed")
	melds.bound("kind", 1, 0, tile.NumKinds, "1 + the kind, of a chi the lowest; 0 hidden or no meld")
	melds.bound("claimed", 1, 0, 2, "place of the claimed tile in a chi, 0 lowest")
	melds.bound("from", 1, 0, 3, "who gave the claimed tile, counted in turn order from the owner of the meld: 1 next, 2 across, 3 before; 0 for a closed kan or no meld")
	melds.bound("reds", 1, 0, 4|8|16, "bits 0-2: number of red fives in the meld; bit 3: the claimed tile is one; bit 4: the tile added to a pon is one")
	return []Tensor{
		{
			Name: "planes", DType: Bit, Shape: []int{numPlanes, tile.NumKinds}, High: 1, Fields: planes.list,
			Doc: "sets of kinds 0-33: 1m-9m, 1p-9p, 1s-9s, East South West North, White Green Red; a red five counts as its kind, a flower is of no kind. In a thermometer of n planes plane i holds the kinds of which there are more than i",
		},
		{
			Name: "discards", DType: Uint8, Shape: []int{maxDiscards}, High: tile.NumFaces | 3<<6,
			Doc: "all discards of the hand in order, oldest first; 0 after the last",
			BitFields: []BitField{
				{"face", 0, 6, nil, "1 + face; 0 after the last discard"},
				{"player", 6, 2, nil, "who discarded it"},
			},
		},
		{
			Name: "discard_marks", DType: Bit, Shape: []int{numMarks, maxDiscards}, High: 1,
			Doc: "marks of the discards at the same places",
			Fields: []Field{
				{"drawn", 0, 1, 0, 1, "the tile had just been drawn (tsumogiri)"},
				{"ready", 1, 1, 0, 1, "ready was declared with it"},
				{"claimed", 2, 1, 0, 1, "another player took it"},
			},
		},
		{
			Name: "melds", DType: Uint8, Shape: []int{sim.NumPlayers, hand.MaxMelds, meldFields}, High: tile.NumKinds, Fields: melds.list, LastAxis: true,
			Doc: "the sets each player has laid down, in order",
		},
	}
}

// placeOf returns the place of a player relative to the viewer: 1 next, 2 across,
// 3 before; where three play, 2 before.
func placeOf(v sim.View, p sim.Player) uint8 {
	return places(v)[v.ChairOf(v.Player())&3][v.ChairOf(p)&3]
}

// A turnOrder has for the chair of a viewer the place of each chair or, the other way
// round, the chair at each place.
type turnOrder [sim.NumPlayers][sim.NumPlayers]uint8

// placesOf and chairsOf are by [ruleset.Seats]. The fourth chair of three players is at the
// fourth place of all.
var (
	placesOf = [2]turnOrder{
		ruleset.FourSeats:  {{0, 1, 2, 3}, {3, 0, 1, 2}, {2, 3, 0, 1}, {1, 2, 3, 0}},
		ruleset.ThreeSeats: {{0, 1, 2, 3}, {2, 0, 1, 3}, {1, 2, 0, 3}, {0, 1, 2, 3}},
	}
	chairsOf = [2]turnOrder{
		ruleset.FourSeats:  {{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}},
		ruleset.ThreeSeats: {{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {0, 1, 2, 3}},
	}
)

func places(v sim.View) *turnOrder { return &placesOf[v.Rules().Seats&1] }
func chairs(v sim.View) *turnOrder { return &chairsOf[v.Rules().Seats&1] }

// faceCode is 1 + the face, 0 for none.
func faceCode(f tile.Face) uint8 { return uint8(f) + 1 }

// kindSet returns the set of the kind of a face; it is empty for a flower or no
// face.
func kindSet(f tile.Face) tile.Set { return f.Kind().Bit() & tile.All }

// appendTable appends the tensors of tableTensors.
func appendTable(dst [][]byte, v sim.View, b *Board) {
	out := (*[numPlanes * planeBytes]byte)(extend(&dst[0], numPlanes*planeBytes))
	// The planes before those that a Board keeps, up to a whole number of eights.
	var p [(planeRivers + 7) / 8 * 8]tile.Set
	p[planeHand], p[planeHand+1], p[planeHand+2], p[planeHand+3] = v.HeldAtLeast()
	for suit, n := range v.Reds() {
		if n > 0 {
			p[planeReds] |= tile.RedOf(tile.Suit(suit)).Kind().Bit()
		}
	}
	p[planeDrawn] = kindSet(v.Drawn())
	p[planeWindow] = kindSet(v.ClaimableTile())
	p[planeRoundWind] = v.RoundWind().Kind().Bit()
	p[planeSeatWind] = v.SeatWind(v.Player()).Kind().Bit()
	p[planeLocked] = v.FuritenKinds()
	unseen((*tile.Copies)(p[planeUnseen:]), v, (*tile.Copies)(p[planeHand:]))
	r := v.Rules()
	for i := range v.NumIndicators() {
		k := v.Indicator(i).Kind()
		(*tile.Copies)(p[planeIndicators:]).Add(k.Bit())
		if r.Dora {
			(*tile.Copies)(p[planeDora:]).Add(r.DoraOf(k).Bit())
		}
	}
	for i := 0; i < len(p); i += 8 {
		packPlanes((*[8 * planeBytes]byte)(out[i*planeBytes:]), (*[8]tile.Set)(p[i:]))
	}
	b.append(dst[1:], v, out)
	b.appendMelds(&dst[3], v, out)
}

// packPlanes writes eight planes one after another, five bytes each.
func packPlanes(out *[8 * planeBytes]byte, p *[8]tile.Set) {
	binary.LittleEndian.PutUint64(out[0:], uint64(p[0]|p[1]<<40))
	binary.LittleEndian.PutUint64(out[8:], uint64(p[1]>>24|p[2]<<16|p[3]<<56))
	binary.LittleEndian.PutUint64(out[16:], uint64(p[3]>>8|p[4]<<32))
	binary.LittleEndian.PutUint64(out[24:], uint64(p[4]>>32|p[5]<<8|p[6]<<48))
	binary.LittleEndian.PutUint64(out[32:], uint64(p[6]>>16|p[7]<<24))
}

// fourPlanes is four encoded planes.
type fourPlanes [4 * planeBytes]byte

// pack is packPlanes of four.
func (out *fourPlanes) pack(p *[4]tile.Set) {
	binary.LittleEndian.PutUint64(out[0:], uint64(p[0]|p[1]<<40))
	binary.LittleEndian.PutUint64(out[8:], uint64(p[1]>>24|p[2]<<16|p[3]<<56))
	binary.LittleEndian.PutUint32(out[16:], uint32(p[3]>>8))
}

// put copies four planes that have just been packed, number by number: a copy by wider
// loads would stall on the pending stores.
func (out *fourPlanes) put(p *fourPlanes) {
	binary.LittleEndian.PutUint64(out[0:], binary.LittleEndian.Uint64(p[0:]))
	binary.LittleEndian.PutUint64(out[8:], binary.LittleEndian.Uint64(p[8:]))
	binary.LittleEndian.PutUint32(out[16:], binary.LittleEndian.Uint32(p[16:]))
}

// at returns the bytes of plane i and the three after it.
func at(out *[numPlanes * planeBytes]byte, i int) *fourPlanes {
	return (*fourPlanes)(out[i*planeBytes:])
}

// unseen sets n to the unseen tiles: four of each kind less those visible and held.
func unseen(n *tile.Copies, v sim.View, held *tile.Copies) {
	one, two, three, four := v.VisibleAtLeast()
	if !v.Rules().ClosedKanVisible { // only its owner sees it
		for i := range v.NumMelds(v.Player()) {
			if m := v.Meld(v.Player(), i); m.Type == hand.ClosedKan {
				k := m.Kind.Bit()
				one, two, three, four = one|k, two|k, three|k, four|k
			}
		}
	}
	// More than i unseen tiles means fewer than 4-i visible or held ones.
	n[0] = tile.All &^ (four | held[3] | three&held[0] | two&held[1] | one&held[2])
	n[1] = tile.All &^ (three | held[2] | two&held[0] | one&held[1])
	n[2] = tile.All &^ (two | held[1] | one&held[0])
	n[3] = tile.All &^ (one | held[0])
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
