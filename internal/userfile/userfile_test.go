package userfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRead reads files around the bound, and what is no file.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, size := range []int{0, 1, 1023, 1024, 1025, 100_000} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		for name, read := range map[string]func(string, int64) ([]byte, error){
			"Read":        func(path string, n int64) ([]byte, error) { return Read(t.Context(), path, n) },
			"ReadRegular": ReadRegular,
		} {
			data, err := read(path, 1024)
			if size <= 1024 {
				if err != nil || len(data) != size {
					t.Errorf("%s of %d bytes: %d bytes, error %v", name, size, len(data), err)
				}
			} else if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), path+" has more than 1 KiB, the most") {
				t.Errorf("%s of %d bytes: error %v", name, size, err)
			}
		}
	}
	for name, read := range map[string]func(string) error{
		"Read":        func(path string) error { _, err := Read(t.Context(), path, 10); return err },
		"ReadRegular": func(path string) error { _, err := ReadRegular(path, 10); return err },
	} {
		if err := read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of no file: %v", name, err)
		}
		if err := read(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s of a folder: %v", name, err)
		}
	}
}

// TestReadAfterTheEnd ends the context between two reads.
func TestReadAfterTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f, err := Open(ctx, path, 100)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := f.Read(make([]byte, 10)); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestSize writes bounds.
func TestSize(t *testing.T) {
	for n, want := range map[int64]string{64 << 20: "64 MiB", 3 << 30: "3 GiB", 32 << 10: "32 KiB", 1000: "1000 bytes", 0: "0 bytes"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
}
