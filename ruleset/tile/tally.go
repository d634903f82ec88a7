package tile

import "encoding/binary"

// Tally is a number of tiles of each kind, 0 to 7, in binary: Tally[i] holds the kinds
// whose number has bit i set. It counts the tiles of many kinds at a time.
type Tally [3]Set

// TallyOf returns the tally of counts below 8.
func TallyOf(counts *[NumKinds]uint8) (t Tally) {
	a, b := binary.LittleEndian.Uint64(counts[0:]), binary.LittleEndian.Uint64(counts[8:])
	c, d := binary.LittleEndian.Uint64(counts[16:]), binary.LittleEndian.Uint64(counts[24:])
	e := binary.LittleEndian.Uint64(counts[26:])
	t[0] = lowBits(a) | lowBits(b)<<8 | lowBits(c)<<16 | lowBits(d)<<24 | lowBits(e)<<26
	t[1] = lowBits(a>>1) | lowBits(b>>1)<<8 | lowBits(c>>1)<<16 | lowBits(d>>1)<<24 | lowBits(e>>1)<<26
	t[2] = lowBits(a>>2) | lowBits(b>>2)<<8 | lowBits(c>>2)<<16 | lowBits(d>>2)<<24 | lowBits(e>>2)<<26
	return t
}

// lowBits returns the set of the places of those of eight bytes that are odd.
func lowBits(eight uint64) Set {
	const (
		lowest = 0x0101_0101_0101_0101
		// The product has the lowest bits of the eight bytes in its highest byte.
		gather = 0x0102_0408_1020_4080
	)
	return Set(eight & lowest * gather >> 56)
}

// Of returns the number of tiles of the kinds.
func (t *Tally) Of(kinds Set) int {
	return (t[0] & kinds).Len() + 2*(t[1]&kinds).Len() + 4*(t[2]&kinds).Len()
}

// Count returns the number of tiles of kind k.
func (t *Tally) Count(k Kind) int { return int(t[0]>>k&1 + t[1]>>k&1*2 + t[2]>>k&1*4) }

// Add adds one of each of the kinds of ones, two of those of twos and four of those of
// fours; of no kind may there be more than seven together.
func (t *Tally) Add(ones, twos, fours Set) {
	carried := t[0] & ones
	t[2] |= fours | t[1]&twos | (t[1]|twos)&carried
	t[1] ^= twos ^ carried
	t[0] ^= ones
}

// Kinds returns the kinds of which there is a tile.
func (t *Tally) Kinds() Set { return t[0] | t[1] | t[2] }
