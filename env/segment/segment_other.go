//go:build !linux

package segment

import (
	"errors"
	"runtime"
	"time"
)

type file struct{}

var errNone = errors.New("segment: there is no local transport on " + runtime.GOOS)

// Create makes a segment; here there are none.
func Create(*Layout) (*Segment, error) { return nil, errNone }

// Path returns where the client finds the file.
func (s *Segment) Path() string { return "" }

// Open maps the segment that a server has made; here there are none.
func Open(string, uint64, []byte) (*Segment, error) { return nil, errNone }

// CloseFile takes the file away once both sides have mapped it.
func (s *Segment) CloseFile() error { return nil }

// Close gives the memory back.
func (s *Segment) Close() error { return nil }

// Thread is the thread that a goroutine stays on; here it stays on none.
type Thread struct{}

// Bind has the goroutine run on one processor.
func (t *Thread) Bind(int) {}

// Bound reports whether the goroutine runs on one processor alone.
func (t *Thread) Bound() bool { return false }

// Free has the goroutine run on any processor again.
func (t *Thread) Free() {}

func processor() int { return -1 }

func wake(*uint32) {}

func sleep(_ *uint32, _ uint32, limit time.Duration) { time.Sleep(limit) }
