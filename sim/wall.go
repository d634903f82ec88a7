package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// WallSize is the number of tiles of the largest set: 34 kinds x 4 copies and
// 8 flowers.
const WallSize = 144

// Wall is the wall of a hand as faces, in the order of drawing from the front of a full
// wall. Rulesets without flowers use the first 136.
type Wall [WallSize]tile.Face

// domain strings keep the derivations apart; see docs/determinism.md.
const (
	wallDomain  = "jansou wall 1"
	matchDomain = "jansou match 1"
	agentDomain = "jansou agent 1"
	windDomain  = "jansou wind 1"

	secretMatchDomain = "jansou sealed match 1"
	secretAgentDomain = "jansou sealed agent 1"
)

// derive hashes a domain and numbers to 32 bytes: SHA-256 over the domain
// string followed by each number as 8 bytes, little-endian.
func derive(domain string, numbers ...uint64) [32]byte {
	d := derivations.Get().(*derivation)
	defer derivations.Put(d)
	d.input = append(d.input[:0], domain...)
	for _, n := range numbers {
		d.input = binary.LittleEndian.AppendUint64(d.input, n)
	}
	d.hash.Reset()
	d.hash.Write(d.input)
	d.hash.Sum(d.sum[:0])
	return d.sum
}

// derivations saves allocations per hand: with a profile, the compiler puts what
// [sha256.Sum256] needs on the heap.
var derivations = sync.Pool{New: func() any { return &derivation{hash: sha256.New()} }}

// derivation is room for a call of derive.
type derivation struct {
	hash  hash.Hash
	input []byte
	sum   [sha256.Size]byte
}

// MatchSeed returns the seed of match number index of a run with the given seed.
func MatchSeed(run, index uint64) uint64 {
	key := derive(matchDomain, run, index)
	return binary.LittleEndian.Uint64(key[:])
}

// Secret is the seed of a sealed run, too long to guess.
type Secret [32]byte

// MatchSeed returns the seed of match number index of a sealed run. It does not reveal
// the secret or the seeds of other matches.
func (s *Secret) MatchSeed(index uint64) uint64 {
	key := sha256.Sum256(binary.LittleEndian.AppendUint64(append([]byte(secretMatchDomain), s[:]...), index))
	return binary.LittleEndian.Uint64(key[:])
}

// NewWall returns the wall of a hand. It depends on the seed of the match, the round, the
// chair of the dealer, and the number of hands already played in this round under this
// dealer. Red fives are the lowest copies of a five, so that their number does not
// change the order of the tiles.
func NewWall(r *ruleset.Flow, seed uint64, round int, dealer ruleset.Chair, dealIndex int) Wall {
	var w Wall
	fillWall(&w, r, seed, round, dealer, dealIndex)
	return w
}

// SetSize returns the number of tiles in the set: 136, 144 with flowers, 108 without the
// middle of characters.
func SetSize(r *ruleset.Flow) int {
	switch {
	case r.TileSet == ruleset.NoMiddleCharacters:
		return 136 - 28
	case r.Flowers == ruleset.NoFlowers:
		return 136
	}
	return WallSize
}

// generators saves an allocation per hand; a generator is seeded before each use.
var generators = sync.Pool{New: func() any { return new(rand.ChaCha8) }}

func fillWall(w *Wall, r *ruleset.Flow, seed uint64, round int, dealer ruleset.Chair, dealIndex int) {
	src := generators.Get().(*rand.ChaCha8)
	defer generators.Put(src)
	src.Seed(derive(wallDomain, seed, uint64(round), uint64(dealer), uint64(dealIndex)))
	*w = *facesOf(r)
	// Fisher-Yates from the end; the faces stand for the physical tiles
	// kind*4+copy, flowers last, those not in the set left out.
	for rest := w[:SetSize(r)]; len(rest) > 1; rest = rest[:len(rest)-1] {
		last, j := len(rest)-1, below(src, uint64(len(rest)))
		rest[last], rest[j] = rest[j], rest[last]
	}
}

// below returns a uniform number in [0, n) from 64-bit outputs of src: the high
// word of the product, rejecting the biased low part.
func below(src *rand.ChaCha8, n uint64) uint64 {
	hi, lo := bits.Mul64(src.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(src.Uint64(), n)
		}
	}
	return hi
}

// faceTables holds the unshuffled set for every number of red fives per suit.
var faceTables = func() (t [5][5][5]Wall) {
	for m := range t {
		for p := range t[m] {
			for s := range t[m][p] {
				aka := [3]int{m, p, s}
				for i := range t[m][p][s] {
					f := tile.Face(i / 4)
					if i >= 136 {
						f = tile.FirstFlower + tile.Face(i-136)
					} else if k := f.Kind(); k.IsFive() && i%4 < aka[k.Suit()] {
						f = tile.RedOf(k.Suit())
					}
					t[m][p][s][i] = f
				}
			}
		}
	}
	return t
}()

func facesOf(r *ruleset.Flow) *Wall {
	full := &faceTables[r.AkaDora[0]][r.AkaDora[1]][r.AkaDora[2]]
	if r.TileSet == ruleset.FullSet {
		return full
	}
	var w Wall
	copy(w[copy(w[:], full[:4]):], full[8*4:]) // 1 of characters, then from 9 on
	return &w
}

// HasFullSet reports whether the tiles of w, in any order, are those of the set. It
// ignores tiles beyond the size of the set.
func (w *Wall) HasFullSet(r *ruleset.Flow) bool {
	var left [tile.NumFaces]int
	n := SetSize(r)
	for i, f := range facesOf(r)[:n] {
		left[f]++
		if w[i] >= tile.NumFaces {
			return false
		}
		left[w[i]]--
	}
	return left == [tile.NumFaces]int{}
}

// FirstInvalid returns the index of the first tile of w that is not in the set of the
// rules, -1 if there is none. It ignores tiles beyond the size of the set.
func (w *Wall) FirstInvalid(r *ruleset.Flow) int {
	for i, f := range w[:SetSize(r)] {
		if f >= tile.NumFaces || f.IsFlower() && r.Flowers == ruleset.NoFlowers || !r.HasKind(f.Kind()) {
			return i
		}
	}
	return -1
}

// replacementPosition returns the index in the wall of the k-th replacement tile, from
// 0, for a set of n tiles.
func replacementPosition(order ruleset.ReplacementOrder, n, k int) int {
	if order == ruleset.Linear {
		return n - 1 - k
	}
	return n - 2 - k&^1 + k&1
}

// IndicatorIndex returns the index in the wall of the i-th dora indicator, from 0.
// The indicators start after the replacement tiles at the tail, with four of them at the
// fifth stack from the tail (S4 2.7, S0 break 3). The tile after an indicator is its ura
// indicator.
func IndicatorIndex(r *ruleset.Flow, i int) int {
	return SetSize(r) - 2 - max(4, r.ReplacementTiles) - 2*i
}

// DealtIndex returns the index in a shared wall of the i-th tile dealt to chair c, for i
// from 0 below the hand size. Ordinary draws follow from the index that is the number of
// players times the hand size, starting with the dealer's extra tile.
func DealtIndex(r *ruleset.Flow, dealer, c ruleset.Chair, i int) int {
	j := int(r.SeatWind(c, dealer))
	if r.DealTurn == ruleset.Backward {
		j = int(r.SeatWind(dealer, c))
	}
	if r.Deal == ruleset.Sequential {
		return j*r.HandSize + i
	}
	if pass := i / 4; pass < r.HandSize/4 {
		return (pass*r.NumSeats()+j)*4 + i%4
	}
	return r.HandSize/4*4*r.NumSeats() + j
}

// ReplacementIndex returns the index in a shared wall of the i-th replacement tile, from
// 0, where they come from the tail.
func ReplacementIndex(r *ruleset.Flow, i int) int {
	return replacementPosition(r.ReplacementOrder, SetSize(r), i)
}

// Stream is a random stream for one decision: splitmix64 (Steele, Lea and Flood, 2014)
// started from the match, the player and the number of his decision. It does not depend
// on numbers drawn before.
type Stream struct{ state uint64 }

const goldenGamma = 0x9e3779b97f4a7c15

func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// streamKeys returns the starting point of the streams of each player.
func streamKeys(agentKey uint64) (keys [NumPlayers]uint64) {
	for p := range keys {
		keys[p] = mix64(agentKey + goldenGamma*uint64(p+1))
	}
	return keys
}

func streamOf(key uint64, decision uint32) Stream {
	return Stream{key ^ mix64(goldenGamma*uint64(decision+1))}
}

// sealedStreamOf is streamOf for the matches of a sealed run. The starting point is a
// hash, so that the numbers of a decision do not reveal the key or those of others.
func sealedStreamOf(agentKey uint64, p Player, decision uint32) Stream {
	key := derive(secretAgentDomain, agentKey, uint64(p), uint64(decision))
	return Stream{binary.LittleEndian.Uint64(key[:])}
}

// Uint64 returns the next 64 random bits. It makes Stream a rand.Source.
func (s *Stream) Uint64() uint64 {
	s.state += goldenGamma
	return mix64(s.state)
}

// Below returns a number in [0, n) for n > 0; its bias is below n/2^64.
func (s *Stream) Below(n int) int {
	hi, _ := bits.Mul64(s.Uint64(), uint64(n))
	return int(hi)
}
