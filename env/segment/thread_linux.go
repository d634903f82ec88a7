package segment

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Thread is the thread of a goroutine while it is bound to a processor. The zero
// value is that of one that is not. It is used by that goroutine alone.
type Thread struct {
	bound bool
	on    int
	all   unix.CPUSet // where it may run unless it is bound
}

// Bind has the goroutine run on one processor from now on; on any if it is none of
// those where it may run.
func (t *Thread) Bind(processor int) {
	switch {
	case processor < 0:
		t.Free()
		return
	case t.bound && t.on == processor:
		return
	case !t.bound:
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

// Free has the goroutine run on any processor again.
func (t *Thread) Free() {
	if !t.bound {
		return
	}
	t.bound = false
	// Should this fail the thread ends with its goroutine, to which it stays locked.
	if unix.SchedSetaffinity(0, &t.all) == nil {
		runtime.UnlockOSThread()
	}
}

// processor returns the number of the processor that runs the caller, -1 if the
// system does not say.
func processor() int {
	var n uint32
	if _, _, e := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&n)), 0, 0); e != 0 {
		return -1
	}
	return int(n)
}
