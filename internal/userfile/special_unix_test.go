//go:build unix

package userfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDevice reads a device that has no end, whose size is 0 to the file system.
func TestDevice(t *testing.T) {
	if _, err := Read(t.Context(), "/dev/zero", 1<<20); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Read: %v", err)
	}
	if _, err := ReadRegular("/dev/zero", 1<<20); err == nil || !strings.Contains(err.Error(), "/dev/zero is not a regular file") {
		t.Errorf("ReadRegular: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	f, err := Open(ctx, "/dev/zero", 1<<62)
	for buffer := make([]byte, 4096); err == nil; {
		_, err = f.Read(buffer)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open: %v", err)
	}
}

// TestPipe reads a named pipe: without a writer, with one that writes nothing, with
// one that writes.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRegular(path, 10); err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
		t.Errorf("ReadRegular: %v", err)
	}
	cut := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := Read(ctx, path, 10)
		return err
	}
	if err := cut(); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
		t.Errorf("without a writer: %v", err)
	}
	writer, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := cut(); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
		t.Errorf("with a silent writer: %v", err)
	}
	time.AfterFunc(10*time.Millisecond, func() {
		_, _ = writer.WriteString("content")
		_ = writer.Close()
	})
	if text, err := Read(t.Context(), path, 10); err != nil || string(text) != "content" {
		t.Errorf("with a writer: %q, %v", text, err)
	}
}
