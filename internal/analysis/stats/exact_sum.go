package stats

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// exactSum is a sum of numbers without rounding errors, so that it does not depend on the
// order in which they are added: a whole number of units of 2^-exactFraction, in two's
// complement with the lowest word first. The upper 128 bits hold the sum of the squares of
// more points than any number of matches has.
type exactSum [5]uint64

const (
	exactFraction = 192
	exactBits     = 5 * 64
)

// add adds a number, truncated to whole units.
func (e *exactSum) add(v float64) {
	if v == 0 {
		return
	}
	const mantissa, bias = 52, 1075
	b := math.Float64bits(v)
	n, exponent := b&(1<<mantissa-1), int(b>>mantissa&0x7ff)
	if exponent == 0 {
		exponent = 1
	} else {
		n |= 1 << mantissa
	}
	shift := exponent - bias + exactFraction
	if shift < 0 {
		n >>= uint(-shift)
		shift = 0
	}
	word, off := shift/64, uint(shift%64)
	var o exactSum
	o[word] = n << off
	if high := n >> (64 - off); high != 0 {
		o[word+1] = high
	}
	if b>>63 != 0 {
		o.negate()
	}
	e.merge(&o)
}

func (e *exactSum) merge(o *exactSum) {
	var carry uint64
	for i := range e {
		e[i], carry = bits.Add64(e[i], o[i], carry)
	}
}

func addAll(to []*exactSum, values ...float64) {
	for i, v := range values {
		to[i].add(v)
	}
}

// mergeAll adds to each of some sums the other of the same index.
func mergeAll(to, from []*exactSum) {
	for i, o := range from {
		to[i].merge(o)
	}
}

func (e *exactSum) negate() {
	carry := uint64(1)
	for i := range e {
		e[i], carry = bits.Add64(^e[i], 0, carry)
	}
}

func (e *exactSum) float() *big.Float {
	o, negative := *e, int64(e[len(e)-1]) < 0
	if negative {
		o.negate()
	}
	n := new(big.Int)
	for i := len(o) - 1; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(o[i]))
	}
	if negative {
		n.Neg(n)
	}
	f := new(big.Float).SetPrec(exactBits).SetInt(n)
	return f.SetMantExp(f, -exactFraction)
}

// value returns the number that is nearest to the sum.
func (e *exactSum) value() float64 {
	if *e == (exactSum{}) {
		return 0
	}
	v, _ := e.float().Float64()
	return v
}

// MarshalText returns the sum in hexadecimal.
func (e exactSum) MarshalText() ([]byte, error) { return []byte(e.float().Text('p', 0)), nil }

// UnmarshalText parses the text that MarshalText returns.
func (e *exactSum) UnmarshalText(text []byte) error {
	f, _, err := big.ParseFloat(string(text), 0, exactBits, big.ToZero)
	if err != nil || f.IsInf() || f.MantExp(nil) > exactBits {
		return fmt.Errorf("%q is no exact sum, such as 0x.8p+1", text)
	}
	n, accuracy := f.SetMantExp(f, exactFraction).Int(nil)
	if accuracy != big.Exact || n.BitLen() >= exactBits {
		return fmt.Errorf("%q is no exact sum, such as 0x.8p+1", text)
	}
	*e = exactSum{}
	for i, low := 0, new(big.Int).Abs(n); i < len(e); i++ {
		e[i] = new(big.Int).And(low, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		low.Rsh(low, 64)
	}
	if n.Sign() < 0 {
		e.negate()
	}
	return nil
}
