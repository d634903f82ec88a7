package experiment

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
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
			s.Dirs[k] = append(s.Dirs[k], filepath.Join(dir, filepath.FromSlash(name)))
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
	names, err := readPlan(dir)
	if err == nil && names == nil {
		err = fmt.Errorf("%s: it holds no sweep", dir)
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "adapt/") }), err
}
