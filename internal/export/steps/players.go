package steps

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

// ErrUnknownPlayer is the error of a name that no player of the datasets has.
var ErrUnknownPlayer = errors.New("no player has this name")

// CheckPlayers returns an error for a name in [Options.Players] that no player of the datasets
// has.
func CheckPlayers(datasets []*dataset.Dataset, players []string) error {
	names := slices.DeleteFunc(slices.Clone(players), func(p string) bool {
		return slices.Contains([]string{"0", "1", "2", "3"}, p)
	})
	if len(names) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, d := range datasets {
		for _, name := range d.Run.Agents {
			known[name] = true
		}
		if d.Run.Import == nil {
			continue
		}
		for r, err := range d.Origins() {
			if err != nil {
				return err
			}
			for _, name := range r.Names {
				known[name] = true
			}
		}
	}
	delete(known, "")
	for _, name := range names {
		if !known[name] {
			nearest := suggest.Nearest(name, slices.Sorted(maps.Keys(known)), 3)
			return fmt.Errorf("%w: %q; allowed: 0 to 3 and the names of those who played, nearest %s", ErrUnknownPlayer, name, strings.Join(nearest, ", "))
		}
	}
	return nil
}
