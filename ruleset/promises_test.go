package ruleset

import (
	"math"
	"strings"
	"testing"
)

// TestPromises breaks what Add and Pay ask of their callers: nothing is dropped in
// silence.
func TestPromises(t *testing.T) {
	var full Value
	for i := range MaxPatterns {
		full.Add(uint8(i), 1)
	}
	var paid Settlement
	for range maxPayments {
		paid.Pay(0, 1, 1, ForWin)
	}
	paid.Pay(0, 1, 0, ForWin) // nothing to pay
	paid.Pay(1, 1, 5, ForWin)
	for want, call := range map[string]func(){
		"more than MaxPatterns patterns":                    func() { full.Add(0, 1) },
		"more than maxPayments payments":                    func() { paid.Pay(0, 1, 1, ForWin) },
		"chair 2 pays -5 to 3 for noten: allowed are":       func() { new(Settlement).Pay(2, 3, -5, ForNoten) },
		"chair 9 pays 5 to 3 for noten: allowed are chairs": func() { new(Settlement).Pay(9, 3, 5, ForNoten) },
		"chair 0 pays 2147483648 to 4 for riichi: allowed":  func() { new(Settlement).Pay(0, Pot, math.MaxInt32+1, ForRiichi) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("panic %q, want %s", text, want)
				}
			}()
			call()
		}()
	}
}
