//go:build unix

package main

import (
	"syscall"
	"testing"
)

// makePipe makes a named pipe, which no writer opens: a reader of it would wait forever.
func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
}
