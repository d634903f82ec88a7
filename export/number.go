package export

import (
	"encoding/json"
	"math"
)

// Number is a float that may be missing: NaN in Go, null in JSON.
type Number float64

// Missing stands where nothing can be said.
var Missing = Number(math.NaN())

// Known tells whether there is a number.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) }

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
