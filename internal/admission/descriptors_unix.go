//go:build unix

package admission

import (
	"fmt"
	"math"
	"syscall"
)

// leastDescriptors are what the program needs to read a file and write another.
const leastDescriptors = 16

// CheckDescriptors returns an error if the process may open so few files that the runtime of Go ends
// it, with a trace of all goroutines, when it first waits for one.
func CheckDescriptors() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < leastDescriptors {
		return fmt.Errorf("the limit of open files is %d; it must be at least %d (ulimit -n)", limit.Cur, leastDescriptors)
	}
	return nil
}

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
