//go:build unix

package admission

import (
	"math"
	"syscall"
)

// descriptors returns the number of connections for which the process has descriptors. A quarter of
// all, and at least 128, are a reserve for files and programs.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	n := int(limit.Cur)
	return max(n-max(n/4, 128), n/2)
}
