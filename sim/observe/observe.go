// Package observe encodes a sim.View as an observation: tensors of fixed size, or text.
// One schema serves all rulesets of four players, and one of the same shapes those of three.
//
//	spec, err := observe.Lookup("planes")
//	encoder := spec.For(rules.NumSeats()).NewEncoder()
//	tensors := make([][]byte, len(spec.Tensors))
//	encoder.Append(tensors, view, nil)
//
// An observation is a pure function of the view and, where its Spec says so, of the public
// History of the hand. It contains nothing that is hidden from the player.
// docs/observations.md lists every tensor.
//
// # Conventions
//
//   - players: relative to the viewer: 0 is the viewer, 1 the next in turn order, 2 the one
//     across, 3 the one before; where three play 2 is the one before
//   - kinds of tiles: 0-33: `1m`-`9m`, `1p`-`9p`, `1s`-`9s`, East, South, West, North, White,
//     Green, Red
//   - faces: 0-44: the kinds, 34-36 the red fives `0m 0p 0s`, 37-44 the flowers `1f`-`8f`; a
//     code of 1 + face or 1 + kind leaves 0 for none
//   - arrays: row-major, and numbers little endian. In a `bit` tensor eight elements share a
//     byte, the first in the lowest bit. Each row, the last axis, is padded to whole bytes: a
//     plane of 34 kinds takes five bytes
//   - thermometer: a number up to n in n planes, of which plane i holds the kinds with more
//     than i tiles; their sum is the number
//   - fields, parts: names of runs of indices along one axis of a tensor, and of bits of each
//     element
//
// # Special cases
//
//   - the player has no choice: the view of any player can be encoded at any time; the mask is
//     all zero, in a row that ends an episode it has `pass` alone
//   - before the first hand: no tiles; all kinds are unseen
//   - between hands and after the match: `phase` is 0, 7 or 8; the tiles of the hand that has
//     ended, with the points after it. Other hands and ura indicators are not shown, even if
//     they were revealed
//   - several answers at once: no answer shows before all have answered
//   - a declaration of ready: shows with its discard at once, in `discard_marks` or the token;
//     `ready` of `state` changes when no player has won on that discard
//   - a kan that may be robbed: an added kan is a pon in `melds` with its fourth tile in
//     `window` alone; a closed kan of hidden kind is in `window` only for players who may rob
//     it
//   - hidden closed kans of others: meld type 5 and kind 0; their four tiles count as unseen
//   - discards of hidden origin: with `discard_origin_hidden = true` the marks `drawn` of
//     others are 0, except after they have declared ready; in tokens they are 0 even then
//   - flowers: of no kind: bits in `state`, faces in `discards` and tokens
//   - debts (hktw): `points` are those paid, `debts` and `debt_wins` what is outstanding
//   - a table dealt again for a search: the encodings of the player for whom it was dealt stay
//     the same, byte for byte
package observe

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Version is the version of the schema for four players, and VersionOfThree that for three.
// It is raised whenever a Spec or the encoding of any view changes. Version 1 differs from 3
// in rulesets with discard_origin_hidden = true alone: there others' discards were marked as drawn.
const (
	Version        = 3
	VersionOfThree = 2
)

// DType is the element type of a tensor. Numbers are little endian.
type DType string

// The types of elements.
const (
	// Bit packs eight elements into a byte, the first in the lowest bit. The last
	// axis of a tensor is padded with zero bits to whole bytes.
	Bit    DType = "bit"
	Uint8  DType = "uint8"
	Uint16 DType = "uint16"
	Int32  DType = "int32"
	// Text is UTF-8 of any length.
	Text DType = "text"
)

// Spec describes an encoding. Specs are shared and must not be changed.
type Spec struct {
	// Name identifies the encoding, Version is the version of its bytes, Doc its purpose.
	Name    string `json:"name"`
	Version int    `json:"version"`
	Doc     string `json:"doc"`
	// History reports whether Append needs the history of the hand.
	History bool     `json:"history"`
	Tensors []Tensor `json:"tensors"`
	// Seats is 3 if the encoding is for three players, 0 if it is for four; see For.
	Seats int `json:"seats,omitempty"`

	append func(e *Encoder, dst [][]byte, v sim.View, h *History, b *Board)
	// newAdviser creates the adviser of Advice; nil for other specs.
	newAdviser func() sim.Adviser
	// truth encodes hidden tiles as well; nil for encodings of a view.
	truth func(dst [][]byte, t *sim.Table, p sim.Player, b *Board)
}

// Tensor describes one array of an encoding. Its elements are in row-major order.
type Tensor struct {
	// Name is unique within the encoding.
	Name  string `json:"name"`
	DType DType  `json:"dtype"`
	// Shape is empty for text, whose length varies.
	Shape []int `json:"shape"`
	// Low and High bound the elements, both included.
	Low  int64  `json:"low"`
	High int64  `json:"high"`
	Doc  string `json:"doc"`
	// Fields divide the first axis, or the last one if LastAxis is set. Without fields
	// all elements have the same meaning.
	Fields   []Field `json:"fields,omitempty"`
	LastAxis bool    `json:"last,omitempty"`
	// BitFields divide the bits of every element that holds several numbers.
	BitFields []BitField `json:"parts,omitempty"`
}

// Field is a run of indices along one axis of a tensor.
type Field struct {
	// Name is unique within the tensor.
	Name string `json:"name"`
	// First is the first index, Count the number of indices.
	First int `json:"first"`
	Count int `json:"count"`
	// Low and High bound the elements, both included.
	Low  int64  `json:"low"`
	High int64  `json:"high"`
	Doc  string `json:"doc"`
}

// BitField is a range of bits of an element.
type BitField struct {
	// Name is unique within the tensor.
	Name string `json:"name"`
	// Shift is the lowest bit, Width the number of bits.
	Shift int `json:"shift"`
	Width int `json:"width"`
	// Values are the names of the values from 0, if they have names.
	Values []string `json:"values,omitempty"`
	Doc    string   `json:"doc"`
}

// Size returns the number of bytes of the tensor in one observation, 0 for text.
func (t *Tensor) Size() int {
	if t.DType == Text {
		return 0
	}
	n := map[DType]int{Bit: 1, Uint8: 1, Uint16: 2, Int32: 4}[t.DType]
	for i, d := range t.Shape {
		if t.DType == Bit && i == len(t.Shape)-1 {
			d = (d + 7) / 8
		}
		n *= d
	}
	return n
}

// UnpackedSize is Size for bits unpacked to bytes.
func (t *Tensor) UnpackedSize() int {
	if t.DType != Bit {
		return t.Size()
	}
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// AppendUnpacked appends the whole tensors in packed to dst, with bits unpacked to bytes of
// 0 or 1.
func (t *Tensor) AppendUnpacked(dst, packed []byte) []byte {
	if t.DType != Bit {
		return append(dst, packed...)
	}
	last := t.Shape[len(t.Shape)-1]
	size := (last + 7) / 8
	n := len(dst)
	end := n + len(packed)/size*last
	dst = slices.Grow(dst, end-n)[:end]
	out := dst[n:]
	// Whole words are written where there is room; the next row overwrites what is too much.
	for ; size == 5 && len(out) >= 40; out, packed = out[last:], packed[size:] { // 34 kinds
		from, to := (*[5]byte)(packed), (*[40]byte)(out)
		binary.LittleEndian.PutUint64(to[0:], bitBytes[from[0]])
		binary.LittleEndian.PutUint64(to[8:], bitBytes[from[1]])
		binary.LittleEndian.PutUint64(to[16:], bitBytes[from[2]])
		binary.LittleEndian.PutUint64(to[24:], bitBytes[from[3]])
		binary.LittleEndian.PutUint64(to[32:], bitBytes[from[4]])
	}
	for ; len(out) >= 8*size; out, packed = out[last:], packed[size:] {
		for i, b := range packed[:size] {
			binary.LittleEndian.PutUint64(out[8*i:], bitBytes[b])
		}
	}
	for ; len(out) > 0; out, packed = out[last:], packed[size:] {
		for i := range out[:last] {
			out[i] = packed[i/8] >> (i % 8) & 1
		}
	}
	return dst
}

// AppendPacked is the inverse of AppendUnpacked.
func (t *Tensor) AppendPacked(dst, unpacked []byte) []byte {
	if t.DType != Bit {
		return append(dst, unpacked...)
	}
	for row := range slices.Chunk(unpacked, t.Shape[len(t.Shape)-1]) {
		for bits := range slices.Chunk(row, 8) {
			packed := byte(0)
			for i, b := range bits {
				packed |= b << i
			}
			dst = append(dst, packed)
		}
	}
	return dst
}

// bitBytes are the bits of each byte as bytes, lowest first.
var bitBytes = func() (list [256]uint64) {
	for b := range list {
		for i := range 8 {
			list[b] |= uint64(b) >> i & 1 << (8 * i)
		}
	}
	return list
}()

// Size returns the number of bytes of all tensors of fixed size in one observation,
// without the mask of legal actions.
func (s *Spec) Size() int {
	n := 0
	for i := range s.Tensors {
		n += s.Tensors[i].Size()
	}
	return n
}

// specs lists the encodings.
var specs = []*Spec{&planesSpec, &eventsSpec, &featuresSpec, &textSpec}

// Names returns the names of the encodings.
func Names() []string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return names
}

// Lookup returns the spec of the encoding with the given name. The error lists the valid
// names.
func Lookup(name string) (*Spec, error) {
	for _, s := range specs {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("observe: unknown encoding %q: want one of %s", name, strings.Join(Names(), ", "))
}

// Encoder encodes observations of one spec. It is not safe for concurrent use.
type Encoder struct {
	spec  *Spec
	shape shape
	board Board // for callers without one

	adviser    sim.Adviser
	candidates []sim.Candidate
}

// NewEncoder returns an encoder for s.
func (s *Spec) NewEncoder() *Encoder {
	e := &Encoder{spec: s}
	if s.newAdviser != nil {
		e.adviser = s.newAdviser()
	}
	return e
}

// Spec returns the spec of the encoder.
func (e *Encoder) Spec() *Spec { return e.spec }

// Append encodes v and appends each tensor to the buffer of the same index: dst[i] grows
// by Spec().Tensors[i].Size() bytes, or by the length of a text. dst needs one buffer for
// each tensor; h may be nil unless the spec needs a history. Except for text, Append
// allocates only to grow buffers.
//
// The player need not be asked. Between hands and after the match the observation shows
// the last state of the table.
func (e *Encoder) Append(dst [][]byte, v sim.View, h *History) {
	e.board.Reset()
	e.spec.append(e, dst, v, h, &e.board)
}

// AppendTable is Append for the view of player p of a table. The spec Oracle adds hidden
// tiles. A Board kept for the table makes it faster; b may be nil.
func (e *Encoder) AppendTable(dst [][]byte, t *sim.Table, p sim.Player, h *History, b *Board) {
	if b == nil {
		e.board.Reset()
		b = &e.board
	}
	if e.spec.truth != nil {
		e.spec.truth(dst, t, p, b)
		return
	}
	e.spec.append(e, dst, t.View(p), h, b)
}

// grow appends n zero bytes to *b and returns them.
func grow(b *[]byte, n int) []byte {
	out := extend(b, n)
	clear(out)
	return out
}

// extend appends n uninitialized bytes to *b and returns them.
func extend(b *[]byte, n int) []byte {
	old := len(*b)
	if cap(*b)-old < n {
		*b = slices.Grow(*b, n)
	}
	*b = (*b)[:old+n]
	return (*b)[old:]
}
