package perceptron

// vector is the number of sums that vector instructions add at a time.
const vector = 16

// Term is a multiple of a row of weights.
type Term struct {
	// Row is the index of a row of weights, Times the factor by which it is added.
	Row, Times int32
}

// AddTerms adds to sums the rows of weights that terms name, each times its factor. Row i is
// weights[i*stride:][:len(sums)]; AddTerms panics if a row does not lie within weights. Sums
// that do not fit into 32 bits wrap around.
func AddTerms(sums []int32, weights []int16, stride int, terms []Term) {
	if len(sums) == 0 || len(terms) == 0 {
		return
	}
	weights = weights[:len(weights):len(weights)] // no reslicing beyond them
	low, high := terms[0].Row, terms[0].Row
	for _, t := range terms {
		low, high = min(low, t.Row), max(high, t.Row)
	}
	_ = weights[int(low)*stride:][:len(sums)]
	_ = weights[int(high)*stride:][:len(sums)]
	if n := addVectors(sums, weights, stride, terms); n < len(sums) {
		addOneByOne(sums[n:], weights[n:], stride, terms)
	}
}

// addOneByOne is AddTerms without vector instructions.
func addOneByOne(sums []int32, weights []int16, stride int, terms []Term) {
	for _, t := range terms {
		row := weights[int(t.Row)*stride:][:len(sums)]
		for i, w := range row {
			sums[i] += t.Times * int32(w)
		}
	}
}
