//go:build !linux

package segment

import (
	"errors"
	"runtime"
	"time"
)

type file struct{}

var errNone = errors.New("segment: there is no local transport on " + runtime.GOOS)

// Create returns an error: only Linux has segments.
func Create(*Layout) (*Segment, error) { return nil, errNone }

// Path returns the path for the client.
func (s *Segment) Path() string { return "" }

// Open returns an error: only Linux has segments.
func Open(string, uint64, []byte) (*Segment, error) { return nil, errNone }

// CloseFile does nothing.
func (s *Segment) CloseFile() error { return nil }

// Close does nothing.
func (s *Segment) Close() error { return nil }

// Thread is the thread of a goroutine; only Linux binds it.
type Thread struct{}

// Bind does nothing.
func (t *Thread) Bind(int) {}

// Bound reports whether the goroutine runs on one processor alone.
func (t *Thread) Bound() bool { return false }

// Free does nothing.
func (t *Thread) Free() {}

func processor() int { return -1 }

func wake(*uint32) {}

func sleep(_ *uint32, _ uint32, limit time.Duration) { time.Sleep(limit) }
