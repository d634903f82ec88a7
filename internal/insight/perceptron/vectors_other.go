//go:build !amd64

package perceptron

func addInputs([]int32, []int16, int, []Input) bool { return false }

const canPair = false

func (p *pairedLayer) evaluate(out, in *[MaxHidden]int32, shift int) {}
