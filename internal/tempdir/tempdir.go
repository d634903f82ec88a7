// Package tempdir creates temporary folders that a later run removes if the process that
// created them was killed.
//
//	temp, err := tempdir.Beside("runs/lake")
//	... // write to temp.Path
//	err = temp.Rename("runs/lake") // or temp.Remove()
//
// A folder contains a mark and is locked while its process lives. A folder with the mark
// but without a lock was left behind; one without the mark belongs to another program,
// whatever its name is.
package tempdir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// mark is the name of the file that marks the folders of this package.
const mark = ".sparrowhall-temporary"

// Folder is a temporary folder.
type Folder struct {
	// Path is its path.
	Path string
	lock *flock.Flock
}

// New creates a folder in parent whose name begins with a prefix. It first removes folders
// with that prefix that were left behind there.
func New(parent, prefix string) (*Folder, error) {
	if err := removeLeftovers(parent, prefix); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: path, lock: lockOf(path)}
	// It is locked before it has the mark, so that no other process removes it as one that
	// was left behind.
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

// Beside creates a folder next to dir that will become dir, and the folders above it.
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
		// A folder that cannot be locked or removed belongs to another process.
		lock := lockOf(path)
		if ok, err := lock.TryLock(); err == nil && ok {
			_ = os.RemoveAll(path)
		}
		_ = lock.Unlock()
	}
	return nil
}

// Remove removes the folder and its contents.
func (f *Folder) Remove() error { return errors.Join(os.RemoveAll(f.Path), f.lock.Unlock()) }

// Rename renames the folder, which is no longer temporary. The path must not exist or be an
// empty folder.
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

// WriteFile writes a file that appears under its name, in place of an earlier one, when it is
// complete. Until then it has a random name beside it, so that no other user who may write there
// can put a link where it will be.
func WriteFile(path string, write func(io.Writer) error) error { return writeFile(path, 0o644, write) }

// WriteSecret is WriteFile of a file that only its owner may read.
func WriteSecret(path string, write func(io.Writer) error) error {
	return writeFile(path, 0o600, write)
}

func writeFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok { // not with the temporary name
			err = fmt.Errorf("%s: %w", path, e.Err)
		}
		return err
	}
	err = errors.Join(write(f), f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return Sync(filepath.Dir(path))
}

// ContinueFile opens a file that an earlier process may have left to go on with, or makes it. The
// file of another name, by a link, and what is no file are errors: writing would change them. A mode
// for its owner alone is set on a file that is there too, which fails for that of another user.
func ContinueFile(path string, mode fs.FileMode) (*os.File, error) {
	errOther := fmt.Errorf("%s: not a regular file; remove it to begin again", path)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errOther
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
	if err != nil {
		return nil, err
	}
	// It may have been replaced meanwhile.
	named, err := os.Lstat(path)
	opened, err2 := f.Stat()
	if err := errors.Join(err, err2); err != nil || !os.SameFile(named, opened) || !opened.Mode().IsRegular() {
		return nil, errors.Join(cmp.Or(err, errOther), f.Close())
	}
	if mode&0o077 == 0 {
		err = f.Chmod(mode)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReplaceFile is WriteFile of a text.
func ReplaceFile(path string, text []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Sync commits the names in a folder to the disk.
func Sync(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
