package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
)

// planFile is the name of the file that says what the plan of a folder is: the datasets and the
// files of adapting agents, each on a line.
const planFile = "plan.txt"

// planned matches a line of it.
var planned = regexp.MustCompile(`^(field\d+/)?(adapt/)?\d{2,}_[A-Za-z0-9._=-]*$`)

// names returns what the plan writes in its folder.
func (p *Plan) names() (list []string) {
	for i := range p.Lineups {
		for n, r := range p.Rulesets {
			list = append(list, filepath.Join(LineupFolder(i), folderName(n, r)))
		}
		if a := p.adapters[i]; a != nil {
			for n, r := range p.Rulesets {
				for _, end := range []string{".tune", "_adapted", "_usual"} {
					list = append(list, filepath.Join(a.dir, folderName(n, r))+end)
				}
			}
		}
	}
	for i := range list {
		list[i] = filepath.ToSlash(list[i])
	}
	return list
}

// readPlan returns what the plan of a folder writes there, nil if the folder has none.
func readPlan(dir string) ([]string, error) {
	path := filepath.Join(dir, planFile)
	text, err := userfile.ReadRegular(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if slices.ContainsFunc(list, func(name string) bool { return !planned.MatchString(name) }) {
		return nil, fmt.Errorf("%s is not that of a sweep; name another folder", path)
	}
	return list, nil
}

// Claim makes a folder that of a plan that writes these names there. The folder of another plan is
// an error, unless force removes what that has written; other files stay. run is any run.
func Claim(dir string, names []string, run *dataset.Run, force bool) error {
	before, err := readPlan(dir)
	if err != nil {
		return err
	}
	if before != nil && !slices.Equal(before, names) && !force {
		var there, here string
		for i := 0; there == here; i++ {
			there, here = at(before, i), at(names, i)
		}
		return fmt.Errorf("%s: %w by another sweep: %s there, %s here", sanitize.Line(dir), dataset.ErrOccupied, there, here)
	}
	for _, name := range before {
		if !slices.Contains(names, name) {
			if err := remove(filepath.Join(dir, filepath.FromSlash(name)), run); err != nil {
				return err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return tempdir.ReplaceFile(filepath.Join(dir, planFile), []byte(strings.Join(names, "\n")+"\n"))
}

// at returns name i of a list as text.
func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing more"
}

// remove removes a file or a dataset, and its folder if that has nothing else.
func remove(path string, run *dataset.Run) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return os.Remove(path)
	}
	manifest := filepath.Join(path, "manifest.json")
	if _, err := os.Lstat(manifest); err != nil {
		return nil
	}
	// A dataset in its place that has nothing yet leaves the manifest alone.
	if err := (&Cell{Run: run, Dir: path}).Create(true); err != nil {
		return err
	}
	if err := os.Remove(manifest); err != nil {
		return err
	}
	_ = os.Remove(path) // other files keep it
	return nil
}
