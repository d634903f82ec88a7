package perceptron

// addVectors does what AddTerms does for the first sums, as many as it returns. Rows
// must lie within weights.
func addVectors(sums []int32, weights []int16, stride int, terms []Term) int {
	n := len(sums) &^ (vector - 1)
	if n == 0 || !avx2 {
		return 0
	}
	addAVX2(&sums[0], &weights[0], n, stride, &terms[0], len(terms))
	return n
}

// addAVX2 adds terms to n sums, n being a multiple of vector and above zero, as is the
// number of terms.
//
//go:noescape
func addAVX2(sums *int32, weights *int16, n, stride int, terms *Term, numTerms int)

// avx2 reports whether the processor has AVX2 and the system keeps its registers.
var avx2 = func() bool {
	const (
		osxsave, avx = 1 << 27, 1 << 28 // of leaf 1
		leaf7AVX2    = 1 << 5
		registers    = 0b110
	)
	if most, _, _ := cpuid(0, 0); most < 7 {
		return false
	}
	if _, _, c := cpuid(1, 0); c&osxsave == 0 || c&avx == 0 || xgetbv()&registers != registers {
		return false
	}
	_, b, _ := cpuid(7, 0)
	return b&leaf7AVX2 != 0
}()

func cpuid(leaf, subleaf uint32) (a, b, c uint32)

// xgetbv returns which registers the system keeps.
func xgetbv() (low uint32)
