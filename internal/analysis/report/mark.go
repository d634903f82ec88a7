package report

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

	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// markFile is the name of the file that makes a folder that of a report.
const markFile = "sparrowhall-report.json"

// mark is the contents of that file: the files of the report. All other files in the folder
// are left alone.
type mark struct {
	Version int `json:"sparrowhall_report"`
	// Files has the SHA-256 of each file in hexadecimal. While a report is replaced it has
	// those of the old and the new file.
	Files map[string][]string `json:"files"`
}

// markOf returns the mark of a folder in which all files are those of a report.
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

// write writes the mark to a folder, replacing an earlier one in one step.
func (m *mark) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return tempdir.ReplaceFile(filepath.Join(dir, markFile), append(text, '\n'))
}

// occupied returns an error if a report cannot be written to a folder. If the folder has a
// report that may be replaced, it returns its mark.
func occupied(dir string, replace bool) (*mark, error) {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0:
		return nil, nil
	case err != nil:
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, markFile))
	m := &mark{}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(filepath.Join(dir, "manifest.json")); err == nil {
			return nil, fmt.Errorf("%s: %w by a dataset", dir, ErrOccupied)
		}
		return nil, fmt.Errorf("%s: %w by something that is not a report: it has no %s", dir, ErrOccupied, markFile)
	case err != nil:
		return nil, err
	case json.Unmarshal(text, m) != nil || m.Version != 1:
		return nil, fmt.Errorf("%s: %w: %s is not that of a report", dir, ErrOccupied, markFile)
	case !replace:
		return nil, fmt.Errorf("%s: %w by another report", dir, ErrOccupied)
	}
	for name, sums := range m.Files {
		if filepath.Base(name) != name || name == markFile {
			return nil, fmt.Errorf("%s: %w: %s is not that of a report", dir, ErrOccupied, markFile)
		}
		sum, err := sumOf(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(sums, sum) {
			return nil, fmt.Errorf("%s: %w: %s was changed after the report was written; move it away", dir, ErrOccupied, name)
		}
	}
	return m, nil
}

// replace replaces the files of the report in dir, which has mark m, by those of a temporary
// folder. If it is interrupted, the mark still fits the files, so that it can be repeated.
func (m *mark) replace(temp, dir string) error {
	fresh, err := markOf(temp)
	if err != nil {
		return err
	}
	both := &mark{Version: 1, Files: map[string][]string{}}
	for name, sums := range fresh.Files {
		if _, listed := m.Files[name]; !listed {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return fmt.Errorf("%s: %w: %s is not of the report, which has a file of that name; move it away", dir, ErrOccupied, name)
			}
		}
		both.Files[name] = sums
	}
	for name, sums := range m.Files {
		both.Files[name] = append(slices.Clone(sums), fresh.Files[name]...)
	}
	if err := both.write(dir); err != nil {
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
	return fresh.write(dir)
}
