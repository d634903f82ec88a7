package segment

import (
	"math"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestThread binds a goroutine to each processor in turn and frees it again.
func TestThread(t *testing.T) {
	runtime.LockOSThread() // what is asked about is this thread
	defer runtime.UnlockOSThread()
	allowed := func() (c unix.CPUSet) {
		t.Helper()
		if err := unix.SchedGetaffinity(0, &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	all := allowed()
	var thread Thread
	for n := range 8 * len(all) * 8 {
		if !all.IsSet(n) {
			continue
		}
		thread.Bind(n)
		if got := allowed(); got.Count() != 1 || !got.IsSet(n) || processor() != n {
			t.Fatalf("bound to %d it may run on %v and is on %d", n, got, processor())
		}
	}
	for _, nowhere := range []int{-1, 8 * len(all) * 8, math.MaxInt32} {
		thread.Bind(nowhere)
		if got := allowed(); got != all {
			t.Errorf("bound to %d, which is none, it may run on %v", nowhere, got)
		}
	}
	thread.Bind(processor())
	thread.Free()
	if got := allowed(); got != all {
		t.Errorf("freed it may run on %v, not %v", got, all)
	}
	thread.Free()
}
