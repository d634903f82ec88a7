package perceptron

// pairedLayer is a layer for instructions that multiply and add in pairs: the weights of
// two rows are interleaved. Its outputs are padded with zeros to a multiple of
// pairedOutputs.
type pairedLayer struct {
	ins     int     // inputs
	weights []int16 // [in/2][out][2]
	biases  []int32
}

const pairedOutputs = 8

// pair prepares the second and third layer for vector instructions, if their sums fit into
// 32 bits.
func (n *Network) pair() {
	n.pairs = nil
	if !canPair || n.First%vector != 0 || n.Second%vector != 0 {
		return
	}
	for o := range n.Outputs {
		if n.layers[2].bound(o, maxHidden) > 1<<31-1 {
			return
		}
	}
	n.pairs = &[2]pairedLayer{newPairedLayer(&n.layers[1]), newPairedLayer(&n.layers[2])}
}

func newPairedLayer(l *Layer) pairedLayer {
	outs := len(l.Biases)
	all := (outs + pairedOutputs - 1) &^ (pairedOutputs - 1)
	ins := len(l.Weights) / outs
	p := pairedLayer{ins, make([]int16, ins*all), make([]int32, all)}
	copy(p.biases, l.Biases)
	for i, w := range l.Weights {
		in, out := i/outs, i%outs
		p.weights[(in/2*all+out)*2+in%2] = w
	}
	return p
}
