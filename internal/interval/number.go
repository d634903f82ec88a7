package interval

import (
	"encoding/json"
	"math"
)

// Number is a float that may be missing: NaN in Go, null in JSON.
type Number float64

// Missing is the number of a figure that cannot be computed.
var Missing = Number(math.NaN())

// Known reports whether the number is not missing.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) }

// Around returns the ends of an interval that reaches half to both sides of a value.
func Around(value, half float64) (low, high Number) {
	return Number(value - half), Number(value + half)
}

// AroundShare returns the 95 % interval of a share of n independent cases by Clopper and
// Pearson's method.
func AroundShare(share, n float64) (low, high Number) {
	l, h := Share(share, n)
	return Number(l), Number(h)
}

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Missing
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
