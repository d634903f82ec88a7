package sweep

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

// Shards are the folders of the shards of a sweep, grouped by dataset.
type Shards struct {
	// Names are the folders of the datasets below the folder of the sweep: for each lineup the
	// ruleset without changes, then the variants.
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

// Lineups returns lineups whose datasets are the merged ones in a folder, for [Sweep.Reports].
func (s *Shards) Lineups(dir string) []*Lineup {
	var list []*Lineup
	for i, name := range s.Names {
		if i == 0 || path.Dir(name) != path.Dir(s.Names[i-1]) {
			list = append(list, &Lineup{})
		}
		l := list[len(list)-1]
		l.Dirs = append(l.Dirs, filepath.Join(dir, name))
	}
	return list
}

// DatasetNames returns the folders of the datasets of a sweep below its own, in the order of
// [Shards.Names].
func DatasetNames(dir string) ([]string, error) {
	var names []string
	for i := 0; ; i++ {
		files, err := fs.Glob(os.DirFS(dir), path.Join(lineupFolder(i), "[0-9][0-9]*_*/manifest.json"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			break
		}
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
