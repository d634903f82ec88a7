//go:build !amd64

package perceptron

// addVectors does nothing: only amd64 has vector code.
func addVectors([]int32, []int16, int, []Term) int { return 0 }
