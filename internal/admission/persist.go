package admission

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// IsExhausted reports whether an error is a lack of descriptors or of room on the disk, which
// passes.
func IsExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// persistPause is the time between two attempts of [Persist].
const persistPause = 500 * time.Millisecond

// Persist calls f until it returns an error that is no lack of something, or none. lacks decides
// that; [IsExhausted] is one. note, which may be nil, is called with the first lack. When ctx ends
// Persist returns its cause.
//
// Use it where data would be lost by giving up, and where f can be repeated.
func Persist(ctx context.Context, f func() error, lacks func(error) bool, note func(error)) error {
	for first := true; ; first = false {
		err := f()
		if err == nil || !lacks(err) {
			return err
		}
		if first && note != nil {
			note(err)
		}
		select {
		case <-time.After(persistPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
