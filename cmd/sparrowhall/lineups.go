package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// maxLineups is the size of the largest file of lineups.
const maxLineups = 1 << 20

// readLineups reads a file with a lineup in each line: the agents of a table, by name or by their
// number from 1, separated by commas. Empty lines and those after # are left out.
func readLineups(ctx context.Context, path string, names []string, seats int) (list [][sim.NumPlayers]uint8, err error) {
	text, err := userfile.Read(ctx, path, maxLineups)
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, ",")
		if len(cells) != seats {
			return nil, fmt.Errorf("%s: line %d: %d agents; a table has %d", path, n+1, len(cells), seats)
		}
		var lineup [sim.NumPlayers]uint8
		for p, cell := range cells {
			cell = strings.TrimSpace(cell)
			agent := slices.Index(names, cell)
			if i, err := strconv.Atoi(cell); agent < 0 && err == nil && i >= 1 && i <= len(names) {
				agent = i - 1
			}
			if agent < 0 {
				return nil, fmt.Errorf("%s: line %d: no agent %.60q; write its name, or its number from 1 to %d", path, n+1, cell, len(names))
			}
			lineup[p] = uint8(agent)
		}
		list = append(list, lineup)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no lineups; want a line for each, the agents separated by commas", path)
	}
	return list, nil
}
