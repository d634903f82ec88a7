//go:build !amd64

package perceptron

func addInputs([]int32, []int16, int, []Input) bool { return false }

const canPair = false

func (p *paired) layer(out, in *[MaxHidden]int32, shift int) {}
