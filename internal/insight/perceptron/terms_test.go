package perceptron

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAddTerms compares with the definition, for all numbers of sums up to some.
func TestAddTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for columns := range 131 {
		const rows = 40
		stride := columns + rng.IntN(20)
		weights := make([]int16, rows*stride+columns)
		for i := range weights {
			weights[i] = int16(rng.Uint32())
		}
		for numTerms := range 20 {
			terms := make([]Term, numTerms)
			for i := range terms {
				terms[i] = Term{rng.Int32N(rows), rng.Int32()>>rng.IntN(32) - 4}
			}
			got := make([]int32, columns)
			for i := range got {
				got[i] = int32(rng.Uint32())
			}
			want, other := slices.Clone(got), slices.Clone(got)
			for _, term := range terms {
				for i := range want {
					want[i] += term.Times * int32(weights[int(term.Row)*stride+i])
				}
			}
			if AddTerms(got, weights, stride, terms); !slices.Equal(got, want) {
				t.Fatalf("%d sums %d apart, %v: %v, want %v", columns, stride, terms, got, want)
			}
			if addOneByOne(other, weights, stride, terms); !slices.Equal(other, want) { // where there are no vectors
				t.Fatalf("%d sums %d apart, %v: one by one %v, want %v", columns, stride, terms, other, want)
			}
		}
	}
}

// TestAddTermsOutside adds rows of which a part lies outside.
func TestAddTermsOutside(t *testing.T) {
	for _, row := range []int32{-1, 2, 1 << 30} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("row %d of 2 was added", row)
				}
			}()
			AddTerms(make([]int32, 16), make([]int16, 32, 64), 16, []Term{{0, 1}, {row, 1}, {1, 1}})
		}()
	}
}
