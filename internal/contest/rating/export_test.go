package rating

import (
	"io/fs"
	"testing"
)

// SetFiles replaces the suites for a test.
func SetFiles(t *testing.T, f fs.FS) {
	old := files
	files = f
	t.Cleanup(func() { files = old })
}
