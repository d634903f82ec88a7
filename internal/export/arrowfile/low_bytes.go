package arrowfile

import (
	"encoding/binary"
	"slices"

	"github.com/klauspost/compress/huff0"
)

// Columns of players, agents and actions are integers of four bytes that differ in the lowest
// alone and follow no pattern. An encoder of ZSTD that looks for repetitions needs 1.3 to 1.7 times
// the bytes of columns of one byte for them, and five times the time. So their frames are written
// here: the lowest bytes as literals with a Huffman code, and one sequence for each value, which
// repeats the other three bytes of the value before. All sequences are the same, so they take no
// bits. RFC 8878 describes the format; a test compares with the encoder and other decoders.

const (
	// lowByteMin is the fewest values of such a frame: with fewer, the codes take more than they
	// save.
	lowByteMin = 1024
	// lowByteSample is the number of values by which the two encodings are compared.
	lowByteSample = 2048
	// lowByteBlock is the most values of a block, which has at most 128 KiB.
	lowByteBlock = 1 << 15
)

// lowByteEncoder encodes integers of four bytes. The zero value is ready to use.
type lowByteEncoder struct {
	literals []byte
	huffman  huff0.Scratch
}

// append appends a ZSTD frame with the integers in b to dst, and reports whether they have such a
// frame.
func (l *lowByteEncoder) append(dst, b []byte) ([]byte, bool) {
	n := len(b) / 4
	first := binary.LittleEndian.Uint32(b)
	l.literals = slices.Grow(l.literals[:0], n)[:n]
	changes, high, last := 0, uint32(0), first
	for i := range l.literals {
		x := binary.LittleEndian.Uint32(b[4*i:])
		high |= x ^ first
		if x != last {
			changes++
		}
		last = x
		l.literals[i] = byte(x)
	}
	if high > 0xff || changes < n/8 { // repetitions are what ZSTD is good at
		return dst, false
	}
	const (
		magic         = 0xfd2fb528
		singleSegment = 0xa0 // with a size of four bytes
	)
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = append(dst, singleSegment)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b)))
	// The first block has the first value and the second one, whose sequence sets the offset that
	// those of the other blocks repeat.
	const (
		compressed   = 2 << 1 // type of a block
		rleTables    = 0x54   // all sequences have the same codes
		fourLiterals = 5      // codes of the length of literals, of the offset 4, of a match of 3
		offsetOf4    = 2
		matchOf3     = 0
	)
	block := []byte{fourLiterals << 3, b[0], b[1], b[2], b[3], b[4], 1, rleTables, fourLiterals, offsetOf4, matchOf3, 0x07}
	dst = appendBlockHeader(dst, compressed, len(block))
	dst = append(dst, block...)
	for rest := l.literals[2:]; len(rest) > 0; {
		literals := rest[:min(len(rest), lowByteBlock)]
		rest = rest[len(literals):]
		start := len(dst)
		dst = append(dst, 0, 0, 0)
		var ok bool
		if dst, ok = l.appendLiterals(dst, literals); !ok {
			return dst, false
		}
		switch count := len(literals); {
		case count < 128:
			dst = append(dst, byte(count))
		case count < 0x7f00:
			dst = append(dst, byte(count>>8)+128, byte(count))
		default:
			dst = binary.LittleEndian.AppendUint16(append(dst, 255), uint16(count-0x7f00))
		}
		dst = append(dst, rleTables, 1, 0, matchOf3, 0x01)
		kind := compressed
		if len(rest) == 0 {
			kind |= 1 // the last
		}
		appendBlockHeader(dst[:start], kind, len(dst)-start-3)
	}
	return dst, true
}

// appendBlockHeader appends the three bytes before a block.
func appendBlockHeader(dst []byte, kind, size int) []byte {
	h := kind | size<<3
	return append(dst, byte(h), byte(h>>8), byte(h>>16))
}

// appendLiterals appends the section of literals of a block. It reports false if Huffman codes
// make them no smaller.
func (l *lowByteEncoder) appendLiterals(dst, literals []byte) ([]byte, bool) {
	const raw, fourStreams = 0, 2 | 3<<2 // with sizes of 18 bits
	l.huffman.Reuse = huff0.ReusePolicyNone
	if len(literals) < lowByteMin {
		return append(binary.LittleEndian.AppendUint16(dst, uint16(raw|1<<2|len(literals)<<4)), literals...), true
	}
	out, _, err := huff0.Compress4X(literals, &l.huffman)
	if err != nil {
		return dst, false
	}
	h := uint64(fourStreams) | uint64(len(literals))<<4 | uint64(len(out))<<22
	dst = append(dst, byte(h), byte(h>>8), byte(h>>16), byte(h>>24), byte(h>>32))
	return append(dst, out...), true
}
