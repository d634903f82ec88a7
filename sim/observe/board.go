package observe

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Board caches the encoded discards and melds of a hand between the observations of a
// table, so that an observation encodes only what is new. The zero value is an empty
// cache. It is a plain value: copy it together with its table.
type Board struct {
	n uint8
	// codes are the bytes of the tensor discards, eight in each number, with the chair of
	// the discarder.
	codes [maxDiscards / 8]uint64
	marks [numMarks][maxDiscards / 64]uint64
	// rivers and drawn are by chair; packed are the rivers as encoded planes.
	rivers [sim.NumPlayers]tile.Copies
	drawn  [sim.NumPlayers]tile.Set
	packed [sim.NumPlayers]fourPlanes
	melds  [sim.NumPlayers]melds // by chair
}

// melds are the encoded melds of a player.
type melds struct {
	n     uint8
	after uint8 // kans of all players when they were encoded
	codes [hand.MaxMelds * meldFields]byte
	tiles fourPlanes
	kans  tile.Set // closed ones
	// hidden is set if players see them differently.
	hidden bool
}

// Reset clears the cache. Call it when the table begins another hand or is replaced.
func (b *Board) Reset() {
	if b.n > 0 {
		*b = Board{}
		return
	}
	for i := range b.melds {
		if b.melds[i].n > 0 {
			b.melds[i] = melds{}
		}
	}
}

// see encodes the new discards.
func (b *Board) see(v sim.View) {
	n := min(v.NumDiscards(), maxDiscards)
	if b.n > 0 { // the last one may have been claimed since
		i := b.n - 1
		_, _, m := v.DiscardMarks(int(i))
		b.marks[2][i>>6&1] |= uint64(m) >> 2 & 1 << (i & 63)
	}
	for i := int(b.n); i < n; i++ {
		player, f, m := v.DiscardMarks(i)
		chair := uint8(v.ChairOf(player)) & 3
		b.codes[i>>3&(len(b.codes)-1)] |= uint64(faceCode(f)|chair<<6) << (i & 7 * 8)
		s := kindSet(f)
		b.rivers[chair].Add(s)
		b.packed[chair].pack((*[4]tile.Set)(&b.rivers[chair]))
		b.drawn[chair] |= s & -tile.Set(m&1)
		word, bit := i>>6&1, i&63
		for k := range b.marks {
			b.marks[k][word] |= uint64(m) >> k & 1 << bit
		}
	}
	b.n = uint8(n)
}

// append appends the tensors discards and discard_marks, and adds the discards to
// the planes.
func (b *Board) append(dst [][]byte, v sim.View, planes *[numPlanes * planeBytes]byte) {
	if v.Rules().OriginHidden {
		b.Reset() // players see the marks of others differently
	}
	b.see(v)
	viewer := uint8(v.ChairOf(v.Player())) & 3
	out := (*[maxDiscards]byte)(extend(&dst[0], maxDiscards))
	*out = [maxDiscards]byte{}
	if v.Rules().Seats == ruleset.FourSeats {
		b.appendCodes(out, viewer)
	} else {
		b.appendCodesOfThree(out, &places(v)[viewer])
	}
	var drawn [sim.NumPlayers]tile.Set
	for i := range uint8(sim.NumPlayers) {
		chair := chairs(v)[viewer][i] & 3
		at(planes, planeRivers+4*int(i)).put(&b.packed[chair])
		drawn[i] = b.drawn[chair]
	}
	at(planes, planeDrawnOnes).pack(&drawn)
	marks := (*[numMarks * markBytes]byte)(extend(&dst[1], numMarks*markBytes))
	for i := range b.marks {
		binary.LittleEndian.PutUint64(marks[i*markBytes:], b.marks[i][0])
		binary.LittleEndian.PutUint64(marks[i*markBytes+8:], b.marks[i][1])
	}
}

// appendCodes sets out to the tensor discards for the viewer in a chair.
func (b *Board) appendCodes(out *[maxDiscards]byte, viewer uint8) {
	// Eight codes at a time: the chair in the upper two bits of each becomes relative to
	// the viewer, without a carry into the next code.
	const upper = 0x8080808080808080
	add := uint64(-viewer&3) << 6 * 0x0101010101010101
	n := int(b.n)
	for i, c := range b.codes[:(n+7)/8] {
		c = (c&^upper + add&^upper) ^ (c^add)&upper
		if after := 8*i + 8 - n; after > 0 {
			c &= ^uint64(0) >> (8 * after)
		}
		binary.LittleEndian.PutUint64(out[8*i:], c)
	}
}

// appendCodesOfThree is appendCodes for three players, given the places of the chairs.
func (b *Board) appendCodesOfThree(out *[maxDiscards]byte, places *[sim.NumPlayers]uint8) {
	for i := range out[:min(int(b.n), maxDiscards)] {
		c := uint8(b.codes[i>>3] >> (i & 7 * 8))
		out[i] = c&0x3f | places[c>>6]<<6
	}
}

// appendMelds appends the tensor melds, and adds the melds to the planes.
func (b *Board) appendMelds(dst *[]byte, v sim.View, planes *[numPlanes * planeBytes]byte) {
	out := (*[meldBytes]byte)(extend(dst, meldBytes))
	viewer, kans, seats := v.ChairOf(v.Player())&3, uint8(v.NumKans()), v.Rules().NumSeats()
	var closed [sim.NumPlayers]tile.Set
	for i := range sim.NumPlayers {
		m := &b.melds[chairs(v)[viewer][i]&3]
		if i < seats {
			who := v.PlayerAfter(i)
			n := v.NumMelds(who)
			// Without a new meld, melds change only by a kan. Hidden ones differ by viewer.
			if n != int(m.n) || n > 0 && m.after != kans || m.hidden {
				*m = melds{n: uint8(n), after: kans}
				m.see(v, who)
			}
		}
		*(*[hand.MaxMelds * meldFields]byte)(out[i*len(m.codes):]) = m.codes
		*at(planes, planeMelds+4*i) = m.tiles
		closed[i] = m.kans
	}
	at(planes, planeClosedKans).pack(&closed)
}

func (m *melds) see(v sim.View, who sim.Player) {
	var tiles tile.Copies
	for j := range int(m.n) {
		meld := v.Meld(who, j)
		o := m.codes[j*meldFields:][:meldFields]
		o[0] = uint8(meld.Type) + 1
		o[1] = uint8(meld.Kind) + 1
		o[2] = meld.Claimed
		o[3] = meld.From
		o[4] = meld.Reds | uint8(b2u(meld.ClaimedRed))<<3 | uint8(b2u(meld.AddedRed))<<4
		s := meld.Kind.Bit() & tile.All
		if meld.Type == hand.Chi {
			tiles.Add(s | s<<1 | s<<2)
			continue
		}
		for range meld.Size() {
			tiles.Add(s)
		}
		if meld.Type == hand.ClosedKan {
			m.kans |= s
			m.hidden = !v.Rules().ClosedKanVisible
		}
	}
	m.tiles.pack((*[4]tile.Set)(&tiles))
}
