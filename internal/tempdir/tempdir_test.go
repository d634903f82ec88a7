package tempdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// What a killed process left behind is removed; what is in use, of another name, or
// somebody's own stays.
func TestLeftovers(t *testing.T) {
	parent := t.TempDir()
	left, err := New(parent, "work-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left.Path, "half"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	// The lock of a killed process ends with it.
	if err := left.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	used, err := New(parent, "other-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(parent, "work-notes"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := names(t, parent); !slices.Contains(got, filepath.Base(left.Path)) {
		t.Fatalf("another prefix has removed it: %v", got)
	}
	f, err := New(parent, "work-")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Base(used.Path), filepath.Base(f.Path), "work-notes"}
	slices.Sort(want)
	if got := names(t, parent); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	again, err := New(parent, "work-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.Path); err != nil {
		t.Errorf("a folder in use is gone: %v", err)
	}
	for _, f := range []*Folder{used, f, again} {
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
	if got := names(t, parent); !slices.Equal(got, []string{"work-notes"}) {
		t.Errorf("%v", got)
	}
}

func TestRename(t *testing.T) {
	parent := t.TempDir()
	for range 2 { // where there is nothing, and an empty folder
		f, err := New(parent, "x")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.Path, "page"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(parent, "whole")
		if err := f.Rename(to); err != nil {
			t.Fatal(err)
		}
		if got := names(t, to); !slices.Equal(got, []string{"page"}) {
			t.Errorf("%v", got)
		}
		if err := f.Rename(to); err == nil {
			t.Error("a folder with something in it is replaced")
		}
		if err := os.Remove(filepath.Join(to, "page")); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that is continued is the one of its name: no link is followed, not even one to nothing.
func TestContinueFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("own"), nil, 0o666); err != nil { // that others may read
		t.Fatal(err)
	}
	for range 2 {
		f, err := ContinueFile(at("own"), 0o600)
		if err == nil {
			_, err = f.WriteString("x")
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(at("own")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of a file for its owner is %v, %v", info.Mode(), err)
	}
	for target, link := range map[string]string{at("own"): at("link"), at("missing"): at("dangling"), os.DevNull: at("device")} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if f, err := ContinueFile(link, 0o600); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v, %v", link, f, err)
		}
	}
	if _, err := os.Lstat(at("missing")); err == nil {
		t.Error("the target of a link is made")
	}
}
