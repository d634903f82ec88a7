package perceptron

// paired is a layer for processors that multiply and add in pairs: the weights of two rows
// lie together. Its outputs are filled up with zeros to a multiple of pairedOutputs.
type paired struct {
	ins     int
	weights []int16 // [in/2][out][2]
	biases  []int32
}

const pairedOutputs = 8

// pair prepares the second and third layer of the network where their sums fit.
func (n *Network) pair() {
	n.fast = nil
	if !canPair || n.First%vector != 0 || n.Second%vector != 0 {
		return
	}
	for o, b := range n.biases[2] {
		sum := abs(int64(b))
		for i := range n.Second {
			sum += maxHidden * abs(int64(n.weights[2][i*n.Outputs+o]))
		}
		if sum > 1<<31-1 {
			return
		}
	}
	n.fast = &[2]paired{newPaired(n.weights[1], n.biases[1]), newPaired(n.weights[2], n.biases[2])}
}

func newPaired(weights []int16, biases []int32) paired {
	outs := len(biases)
	all := (outs + pairedOutputs - 1) &^ (pairedOutputs - 1)
	ins := len(weights) / outs
	p := paired{ins, make([]int16, ins*all), make([]int32, all)}
	copy(p.biases, biases)
	for i, w := range weights {
		in, out := i/outs, i%outs
		p.weights[(in/2*all+out)*2+in%2] = w
	}
	return p
}
