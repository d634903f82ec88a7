package steps

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

// ErrUnknownPlayer is the error of a name that no player of the datasets has.
var ErrUnknownPlayer = errors.New("no player has this name")

// CheckPlayers returns an error for a name in [Options.Players] that no player of the datasets
// has.
func CheckPlayers(datasets []*dataset.Dataset, players []string) error {
	most := 0 // the largest number of a player
	for _, d := range datasets {
		most = max(most, d.Rules().NumSeats()-1)
	}
	names := slices.DeleteFunc(slices.Clone(players), func(p string) bool {
		n, err := strconv.Atoi(p)
		return err == nil && strconv.Itoa(n) == p && n >= 0 && n <= most
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
			return fmt.Errorf("%w: %q; allowed: 0 to %d and the names of those who played, nearest %s", ErrUnknownPlayer, name, most, strings.Join(nearest, ", "))
		}
	}
	return nil
}
