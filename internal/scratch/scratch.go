// Package scratch makes temporary folders that a later run removes if the process
// that made them was killed.
//
// A folder bears a mark, and is locked as long as its process lives. One that
// bears the mark and is not locked has been left behind; one without the mark is
// somebody else's, whatever its name is.
package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// mark is the file that tells the folders of this package.
const mark = ".sparrowhall-temporary"

// Folder is a temporary folder.
type Folder struct {
	// Path is where it is.
	Path string
	lock *flock.Flock
}

// New makes a folder in parent whose name begins with a prefix. Folders of that
// prefix that were left behind there are removed first.
func New(parent, prefix string) (*Folder, error) {
	if err := removeLeftovers(parent, prefix); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: path, lock: lockOf(path)}
	// It is locked before it bears the mark, so that no other process takes it for
	// one that was left behind.
	ok, err := f.lock.TryLock()
	if err == nil && !ok {
		err = errors.New(path + ": a new folder is locked")
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(path, mark), nil, 0o666)
	}
	if err != nil {
		return nil, errors.Join(err, f.Remove())
	}
	return f, nil
}

// Beside makes a folder that is to become dir, beside it, and the folders above it.
func Beside(dir string) (*Folder, error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, err
	}
	return New(parent, "."+filepath.Base(dir)+".tmp-")
}

func lockOf(path string) *flock.Flock { return flock.New(path, flock.SetFlag(os.O_RDONLY)) }

func removeLeftovers(parent, prefix string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(path, mark)); err != nil {
			continue
		}
		// What cannot be locked or removed is another's.
		lock := lockOf(path)
		if ok, err := lock.TryLock(); err == nil && ok {
			_ = os.RemoveAll(path)
		}
		_ = lock.Unlock()
	}
	return nil
}

// Remove removes the folder and all in it.
func (f *Folder) Remove() error { return errors.Join(os.RemoveAll(f.Path), f.lock.Unlock()) }

// Rename gives the folder a name for good: it is temporary no more. What has that
// name must be an empty folder or nothing.
func (f *Folder) Rename(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(f.Path, path); err != nil {
		return err
	}
	f.Path = path
	return errors.Join(os.Remove(filepath.Join(path, mark)), f.lock.Unlock())
}
