// Package outfolder writes the files of a report or of a search to a folder, and later replaces
// those files and no others.
//
//	kind := outfolder.Kind{Name: "report", Mark: "sparrowhall-report.json"}
//	err := kind.Write("runs/report", true, func(dir string) error { return fill(dir) })
package outfolder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// ErrOccupied is the error of a folder that has anything but files that may be replaced.
var ErrOccupied = errors.New("the folder is occupied")

// Kind is what the files of a folder are.
type Kind struct {
	// Name is what they are in an error, Mark the name of the file that lists them.
	Name, Mark string
}

// mark is the contents of that file. All other files in the folder are left alone.
type mark struct {
	Version int `json:"sparrowhall_report"`
	// Files has the SHA-256 of each file in hexadecimal. While a report is replaced it has
	// those of the old and the new file.
	Files map[string][]string `json:"files"`
}

// markOf returns the mark of a folder in which all files are those of the kind.
func markOf(dir string) (*mark, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	m := &mark{Version: 1, Files: map[string][]string{}}
	for _, e := range entries {
		if e.Name()[0] == '.' {
			continue // the folder's own mark, as a temporary one
		}
		sum, err := sumOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		m.Files[e.Name()] = []string{sum}
	}
	return m, nil
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// write writes a mark to a folder, replacing an earlier one in one step.
func (k Kind) write(m *mark, dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return tempdir.ReplaceFile(filepath.Join(dir, k.Mark), append(text, '\n'))
}

// occupied returns an error if a folder has anything but files that may be replaced, whose mark it
// returns.
func (k Kind) occupied(dir string, replace bool) (*mark, error) {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0:
		return nil, nil
	case err != nil:
		return nil, err
	}
	m, err := k.read(dir)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		if _, err := os.Lstat(filepath.Join(dir, "manifest.json")); err == nil {
			return nil, fmt.Errorf("%s: %w by a dataset", dir, ErrOccupied)
		}
		return nil, fmt.Errorf("%s: %w by something that is not a %s: it has no %s", dir, ErrOccupied, k.Name, k.Mark)
	case !replace:
		return nil, fmt.Errorf("%s: %w by another %s", dir, ErrOccupied, k.Name)
	}
	return m, k.unchanged(m, dir)
}

// read returns the mark of a folder, nil if it has none.
func (k Kind) read(dir string) (*mark, error) {
	text, err := os.ReadFile(filepath.Join(dir, k.Mark))
	m := &mark{}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case json.Unmarshal(text, m) != nil || m.Version != 1:
		return nil, fmt.Errorf("%s: %w: %s is not that of a %s", dir, ErrOccupied, k.Mark, k.Name)
	}
	return m, nil
}

// unchanged returns an error if a file of a mark is not as it was written.
func (k Kind) unchanged(m *mark, dir string) error {
	for name, sums := range m.Files {
		if filepath.Base(name) != name || name == k.Mark {
			return fmt.Errorf("%s: %w: %s is not that of a %s", dir, ErrOccupied, k.Mark, k.Name)
		}
		sum, err := sumOf(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !slices.Contains(sums, sum) {
			return fmt.Errorf("%s: %w: %s was changed after the %s was written; move it away", dir, ErrOccupied, name, k.Name)
		}
	}
	return nil
}

// free returns an error if a folder has a file of this name that is not in its mark.
func (k Kind) free(m *mark, dir, name string) error {
	if _, listed := m.Files[name]; !listed {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s: %w: %s is not of the %s, which has a file of that name; move it away", dir, ErrOccupied, name, k.Name)
		}
	}
	return nil
}

// replace replaces the files in dir, which has mark m, by those of a temporary folder. If it is
// interrupted, the mark still fits the files, so that it can be repeated.
func (k Kind) replace(m *mark, temp, dir string) error {
	fresh, err := markOf(temp)
	if err != nil {
		return err
	}
	both := &mark{Version: 1, Files: map[string][]string{}}
	for name, sums := range fresh.Files {
		if err := k.free(m, dir, name); err != nil {
			return err
		}
		both.Files[name] = sums
	}
	for name, sums := range m.Files {
		both.Files[name] = append(slices.Clone(sums), fresh.Files[name]...)
	}
	if err := k.write(both, dir); err != nil {
		return err
	}
	for name := range fresh.Files {
		if err := os.Rename(filepath.Join(temp, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for name := range m.Files {
		if _, stays := fresh.Files[name]; !stays {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return k.write(fresh, dir)
}

// Write lets fill write all files of a folder. A new folder appears once it is complete. An existing
// one must be empty or, with replace, have files of the kind; otherwise the error is ErrOccupied,
// and nothing is changed.
//
// When files are replaced, each stays until the new one takes its name. Files that are not of the
// kind, or that were changed since, are not touched.
func (k Kind) Write(dir string, replace bool, fill func(dir string) error) error {
	dir = filepath.Clean(dir)
	if _, err := k.occupied(dir, replace); err != nil {
		return err
	}
	temp, err := filled(dir, fill)
	if err != nil {
		return err
	}
	// The folder may have changed in the meantime.
	before, err := k.occupied(dir, replace)
	switch {
	case err != nil:
	case before == nil:
		err = k.publish(temp, dir)
	default:
		err = k.replace(before, temp.Path, dir)
	}
	if before == nil && err == nil {
		return nil
	}
	return errors.Join(err, temp.Remove())
}

// Check returns the error that Write would return before it writes anything.
func (k Kind) Check(dir string, replace bool) error {
	_, err := k.occupied(filepath.Clean(dir), replace)
	return err
}

// filled returns a temporary folder beside dir that fill has filled.
func filled(dir string, fill func(dir string) error) (*tempdir.Folder, error) {
	temp, err := tempdir.Beside(dir)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.Chmod(temp.Path, 0o755), fill(temp.Path)); err != nil {
		return nil, errors.Join(err, temp.Remove())
	}
	return temp, nil
}

// publish gives a temporary folder its name.
func (k Kind) publish(temp *tempdir.Folder, dir string) error {
	m, err := markOf(temp.Path)
	if err == nil {
		err = k.write(m, temp.Path)
	}
	if err == nil {
		err = temp.Rename(dir)
	}
	return err
}

// Update is Write to a folder that has other files as well, which stay. Several programs may update
// a folder at the same time, and the last is the one that counts.
func (k Kind) Update(dir string, fill func(dir string) error) (err error) {
	dir = filepath.Clean(dir)
	temp, err := filled(dir, fill)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Remove()) }()
	// The lock is on the folder itself, so it leaves no file.
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	m, err := k.updatable(dir, nil)
	if err != nil {
		return err
	}
	return k.replace(m, temp.Path, dir)
}

// CheckUpdate returns an error if Update would refuse to write files of these names.
func (k Kind) CheckUpdate(dir string, names []string) error {
	_, err := k.updatable(filepath.Clean(dir), names)
	return err
}

// updatable returns the mark of a folder, in which files of these names may be written.
func (k Kind) updatable(dir string, names []string) (*mark, error) {
	m, err := k.read(dir)
	if err != nil {
		return nil, err
	}
	if m == nil {
		m = &mark{Version: 1}
	}
	for _, name := range names {
		if err := k.free(m, dir, name); err != nil {
			return nil, err
		}
	}
	return m, k.unchanged(m, dir)
}
