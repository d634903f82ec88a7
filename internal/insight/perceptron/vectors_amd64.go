package perceptron

// addInputs adds the rows of inputs to sums by vector instructions and reports whether it
// could. It panics if the network does not have an input.
func addInputs(sums []int32, weights []int16, rows int, inputs []Input) bool {
	if !avx2 || len(sums)%vector != 0 {
		return false
	}
	_ = weights[:rows*len(sums)]
	if !addInputsAVX2(&sums[0], &weights[0], len(sums), rows, &inputs[0], len(inputs)) {
		panic("perceptron: an input that the network does not have")
	}
	return true
}

// addInputsAVX2 adds inputs, at least one, to the columns, a multiple of vector and all that a
// row has. It stops at an input beyond the rows and reports false.
//
//go:noescape
func addInputsAVX2(sums *int32, weights *int16, columns, rows int, inputs *Input, numInputs int) (ok bool)

// canPair reports whether layers can be evaluated by pairs of rows.
var canPair = avx2

// evaluate writes the sums of a layer over the values of the one before.
func (p *pairedLayer) evaluate(out, in *[MaxHidden]int32, shift int) {
	layerAVX2(&out[0], &in[0], shift, p.ins, &p.weights[0], &p.biases[0], len(p.biases))
}

// layerAVX2 shifts the sums of the layer before to the right and clamps them to
// 0..maxHidden: ins values, a multiple of vector. It writes the sums of outs outputs, a
// multiple of pairedOutputs.
//
//go:noescape
func layerAVX2(out, in *int32, shift, ins int, weights *int16, biases *int32, outs int)
