package experiment

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Shards are the folders of the shards of a plan, grouped by dataset.
type Shards struct {
	// Names are the folders of the datasets below the folder of the plan: for each line-up the
	// ruleset without changes, then the others.
	Names []string
	// Dirs has, for each name, its folder in each shard.
	Dirs [][]string
}

// FindShards returns the datasets of the shards in some folders, which must all have the same.
func FindShards(dirs []string) (*Shards, error) {
	s := &Shards{}
	for i, dir := range dirs {
		names, err := DatasetNames(dir)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.Names, s.Dirs = names, make([][]string, len(names))
		} else if !slices.Equal(names, s.Names) {
			return nil, fmt.Errorf("%s and %s are shards of different sweeps: the variants are %s there, %s here", dirs[0], dir, strings.Join(s.Names, ", "), strings.Join(names, ", "))
		}
		for k, name := range names {
			s.Dirs[k] = append(s.Dirs[k], filepath.Join(dir, name))
		}
	}
	return s, nil
}

// Merged returns the cells of a folder that has the datasets of these names, by line-up. They
// have a folder alone and cannot be played.
func Merged(dir string, names []string) []Cells {
	var list []Cells
	for i, name := range names {
		// The folder above that of the dataset is the line-up's.
		if i == 0 || path.Dir(name) != path.Dir(names[i-1]) {
			list = append(list, nil)
		}
		last := &list[len(list)-1]
		*last = append(*last, &Cell{Dir: filepath.Join(dir, name)})
	}
	return list
}

// DatasetNames returns the folders of the datasets of a plan below its own, in the order of
// [Shards.Names].
func DatasetNames(dir string) ([]string, error) {
	var names []string
	for i := 0; ; i++ {
		files, err := fs.Glob(os.DirFS(dir), path.Join(LineupFolder(i), "[0-9][0-9]*_*/manifest.json"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 { // line-ups are numbered without gaps
			break
		}
		// By number and not by text: from the hundredth ruleset on, names have three digits and 100
		// would come before 11.
		slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(numberOf(a), numberOf(b)), cmp.Compare(a, b)) })
		for _, file := range files {
			names = append(names, path.Dir(file))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: it holds no sweep", dir)
	}
	return names, nil
}

// numberOf returns the number at the beginning of the folder of a manifest, 0 without one.
func numberOf(manifest string) int {
	digits, _, _ := strings.Cut(path.Base(path.Dir(manifest)), "_")
	n, _ := strconv.Atoi(digits)
	return n
}
