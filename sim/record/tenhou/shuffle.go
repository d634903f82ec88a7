package tenhou

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

// shuffleName is the name of the documented shuffle: a 32-bit Mersenne twister, of which
// 288 outputs per hand are hashed by SHA-512, with a key in base64.
const shuffleName = "mt19937ar-sha512-n288-base64"

// seed generates the walls of a match one after another.
type seed struct{ twister twister }

// newSeed returns the seed of a key in base64: 624 words, little-endian.
func newSeed(text string) (*seed, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the seed is no base64: %v", err)
	}
	if len(raw) != 4*twisterSize {
		return nil, fmt.Errorf("the seed has %d bytes; %d are needed", len(raw), 4*twisterSize)
	}
	key := make([]uint32, twisterSize)
	for i := range key {
		key[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	s := &seed{}
	s.twister.init(key)
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
			binary.LittleEndian.PutUint32(in[i:], s.twister.next())
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
	return wall, [2]int{int(random[135] % 6), int(random[136] % 6)}
}

const (
	twisterSize = 624
	twisterStep = 397
)

// twister is MT19937 (Matsumoto and Nishimura, 1998) in the revision of 2002.
type twister struct {
	state [twisterSize]uint32
	n     int
}

// init seeds the twister with a key of at least one word, as init_by_array does.
func (t *twister) init(key []uint32) {
	s := &t.state
	s[0] = 19650218
	for i := uint32(1); i < twisterSize; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + i
	}
	i := 1
	step := func() {
		if i++; i == twisterSize {
			s[0] = s[twisterSize-1]
			i = 1
		}
	}
	for n := range max(twisterSize, len(key)) {
		j := n % len(key)
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		step()
	}
	for range twisterSize - 1 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		step()
	}
	s[0] = 1 << 31
	t.n = twisterSize
}

// next returns the next 32 bits.
func (t *twister) next() uint32 {
	if t.n == twisterSize {
		t.refill()
	}
	y := t.state[t.n]
	t.n++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (t *twister) refill() {
	const upper, lower, matrix = 1 << 31, 1<<31 - 1, 0x9908b0df
	s := &t.state
	for i := range s {
		y := s[i]&upper | s[(i+1)%twisterSize]&lower
		s[i] = s[(i+twisterStep)%twisterSize] ^ y>>1 ^ y&1*matrix
	}
	t.n = 0
}
