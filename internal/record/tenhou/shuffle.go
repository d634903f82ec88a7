package tenhou

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"gonum.org/v1/gonum/mathext/prng"
)

// shuffleName is the name of the documented shuffle: a 32-bit Mersenne twister, of which
// 288 outputs per hand are hashed by SHA-512, with a key in base64.
const shuffleName = "mt19937ar-sha512-n288-base64"

// seedWords is the length of a key in 32-bit words.
const seedWords = 624

// seed generates the walls of a match one after another.
type seed struct{ twister *prng.MT19937 }

// newSeed returns the seed of a key in base64: seedWords words, little-endian.
func newSeed(text string) (*seed, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the seed is no base64: %v", err)
	}
	if len(raw) != 4*seedWords {
		return nil, fmt.Errorf("the seed has %d bytes; %d are needed", len(raw), 4*seedWords)
	}
	key := make([]uint32, seedWords)
	for i := range key {
		key[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	s := &seed{prng.NewMT19937()}
	s.twister.SeedFromKeys(key)
	return s, nil
}

// next returns the wall of the next hand, which is drawn from last to first, and the
// dice, each from 0.
func (s *seed) next() (wall [136]uint8, dice [2]int) {
	const blocks, block = 9, 128
	var random [blocks * sha512.Size / 4]uint32
	for b := range blocks {
		var in [block]byte
		for i := 0; i < block; i += 4 {
			binary.LittleEndian.PutUint32(in[i:], s.twister.Uint32())
		}
		for i, sum := 0, sha512.Sum512(in[:]); i < sha512.Size; i += 4 {
			random[b*sha512.Size/4+i/4] = binary.LittleEndian.Uint32(sum[i:])
		}
	}
	for i := range wall {
		wall[i] = uint8(i)
	}
	for i := range len(wall) - 1 {
		j := i + int(random[i]%uint32(len(wall)-i))
		wall[i], wall[j] = wall[j], wall[i]
	}
	// The shuffle has used an output for each tile but the last.
	used := len(wall) - 1
	return wall, [2]int{int(random[used] % 6), int(random[used+1] % 6)}
}
