package arrowfile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// The frames are those of ZSTD: the library's decoder reads them, for all sizes of blocks. They
// are smaller than its encoder's, and columns that they do not fit are left to it.
func TestLowBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	var l lowByteEncoder
	for _, high := range []uint32{0, 0xffffff00, 0x12345600} {
		for _, n := range []int{
			lowByteMin, lowByteMin + 1, lowByteMin + 2, lowByteMin + 3, 5000, 0x7eff, 0x7f01, 0x7f02, 0x7f03,
			lowByteBlock + 2, lowByteBlock + 3, lowByteBlock + 129, lowByteBlock + 130, lowByteBlock + lowByteMin + 1, 2*lowByteBlock + 7, 1 << 16,
		} {
			for _, kinds := range []int{4, 40, 180} {
				b := make([]byte, 4*n)
				for i := range n {
					x := uint32(r.IntN(kinds) * r.IntN(3) / 2)
					binary.LittleEndian.PutUint32(b[4*i:], high|x&0xff)
				}
				packed, ok := l.append([]byte("before"), b)
				if !ok {
					t.Fatalf("%d values of %d kinds have no frame", n, kinds)
				}
				packed = packed[len("before"):]
				if got, err := decoder.DecodeAll(packed, nil); err != nil || !bytes.Equal(got, b) {
					t.Fatalf("%d values of %d kinds: %d bytes are read: %v", n, kinds, len(got), err)
				}
				if other := encoder.EncodeAll(b, nil); n >= 5000 && len(packed) >= len(other) {
					t.Errorf("%d values of %d kinds: %d bytes; ZSTD has %d", n, kinds, len(packed), len(other))
				}
			}
		}
	}
	constant, wide := make([]byte, 4*5000), make([]byte, 4*5000)
	for i := range wide {
		wide[i] = byte(r.Uint32())
	}
	for _, b := range [][]byte{constant, wide} {
		if _, ok := l.append(nil, b); ok {
			t.Error("values that repeat, or differ in other bytes, have a frame")
		}
	}
}
