//go:build !unix

package admission

import "math"

// descriptors returns no limit: the system has none.
func descriptors() int { return math.MaxInt32 }

// CheckDescriptors returns no error, for the same reason.
func CheckDescriptors() error { return nil }
