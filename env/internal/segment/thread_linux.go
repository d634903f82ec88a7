package segment

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Thread binds a goroutine and its thread to a processor. The zero value is not bound.
// Only that goroutine may use it.
type Thread struct {
	bound bool
	on    int
	all   unix.CPUSet // processors allowed while it is not bound
}

// Bind binds the goroutine to a processor, or frees it if the processor is not allowed.
func (t *Thread) Bind(processor int) {
	switch {
	case processor < 0:
		t.Free()
		return
	case t.bound && t.on == processor:
		return
	case !t.bound:
		// What is bound is the thread, so the goroutine must not move to another.
		runtime.LockOSThread()
		if unix.SchedGetaffinity(0, &t.all) != nil {
			runtime.UnlockOSThread()
			return
		}
		t.bound = true
	}
	var one unix.CPUSet
	one.Set(processor)
	if !t.all.IsSet(processor) || unix.SchedSetaffinity(0, &one) != nil {
		t.Free()
		return
	}
	t.on = processor
}

// Bound reports whether the goroutine runs on one processor alone.
func (t *Thread) Bound() bool { return t.bound }

// Free lets the goroutine run on any processor again.
func (t *Thread) Free() {
	if !t.bound {
		return
	}
	t.bound = false
	// If this fails, the thread stays locked and ends with its goroutine.
	if unix.SchedSetaffinity(0, &t.all) == nil {
		runtime.UnlockOSThread()
	}
}

// processor returns the number of the processor that runs the caller, -1 if unknown.
func processor() int {
	var n uint32
	if _, _, e := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&n)), 0, 0); e != 0 {
		return -1
	}
	return int(n)
}
