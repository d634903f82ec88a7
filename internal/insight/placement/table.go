package placement

import (
	"bytes"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Table is a sample of hand results: how often hands end in each way, and what each
// chair gains.
type Table struct {
	// Rows are the ways, each with the number of its hands.
	Rows []Row
}

// Row is one way in which hands end. Chairs are counted from the dealer.
type Row struct {
	// Weight is the number of hands that end so, from 1 to MaxWeight.
	Weight int
	// Ending is whether by a win, an exhaustive draw or an abortive draw.
	Ending sim.Ending
	// Winners are the chairs that won, Ready those tenpai at an exhaustive draw.
	Winners, Ready ruleset.Chairs
	// Change is what each chair gained, in units.
	Change [sim.NumPlayers]int32
}

// handResult is a Row in the form from which an Evaluator computes the rest of a match.
type handResult struct {
	weight int32
	winner int8 // the first winner, who takes the deposits; -1 if there is none
	end    sim.HandEnd
	change [sim.NumPlayers]int32
}

//go:embed tables
var files embed.FS

// tableFor returns the embedded table for the rules: that of the family and the number of
// players, with or without red fives.
func tableFor(r *ruleset.Rules) (*Table, error) {
	name := r.FittedName()
	if r.AkaDora != [3]int{} {
		name += "_red"
	}
	data, err := files.ReadFile("tables/" + name + ".csv")
	if err != nil {
		return nil, fmt.Errorf("placement: there is no table of hand results for %s: make one with tools/train places", name)
	}
	return ParseTable(data)
}

// columns are the first line of a table.
var columns = []string{"weight", "ending", "winners", "ready", "east", "south", "west", "north"}

var endings = [...]string{sim.EndWin: "win", sim.EndDraw: "draw", sim.EndAbort: "abort"}

// MaxWeight bounds weights, so that their sums times values fit into 64 bits.
const MaxWeight = 1 << 20

// ParseTable reads a table in the form that AppendTo writes.
func ParseTable(data []byte) (*Table, error) {
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("placement: table of hand results: %w", err)
	}
	if len(lines) < 2 || !slices.Equal(lines[0], columns) {
		return nil, fmt.Errorf("placement: table of hand results: want a first line %s and at least one row", strings.Join(columns, ","))
	}
	t := &Table{}
	for i, line := range lines[1:] {
		x, err := parseRow(line)
		if err != nil {
			return nil, fmt.Errorf("placement: table of hand results: line %d: %w", i+2, err)
		}
		t.Rows = append(t.Rows, x)
	}
	return t, nil
}

func parseRow(line []string) (x Row, err error) {
	if x.Weight, err = strconv.Atoi(line[0]); err != nil || x.Weight < 1 || x.Weight > MaxWeight {
		return x, fmt.Errorf("weight %q: a number from 1 to %d", line[0], MaxWeight)
	}
	ending := slices.Index(endings[:], line[1])
	if ending < 0 {
		return x, fmt.Errorf("ending %q: one of %s", line[1], strings.Join(endings[:], ", "))
	}
	x.Ending = sim.Ending(ending)
	if x.Winners, err = parseChairs(line[2]); err != nil {
		return x, err
	}
	if x.Ready, err = parseChairs(line[3]); err != nil {
		return x, err
	}
	if (x.Ending == sim.EndWin) != (x.Winners != 0) {
		return x, errors.New("winners: want some for a win, and none for another ending")
	}
	for c := range x.Change {
		n, err := strconv.ParseInt(line[4+c], 10, 24)
		if err != nil {
			return x, fmt.Errorf("%s %q: no amount", columns[4+c], line[4+c])
		}
		x.Change[c] = int32(n)
	}
	return x, nil
}

const winds = "ESWN"

func parseChairs(s string) (set ruleset.Chairs, err error) {
	for _, wind := range s {
		c := strings.IndexRune(winds, wind)
		if c < 0 {
			return 0, fmt.Errorf("players %q: letters of %s", s, winds)
		}
		set |= ruleset.Chair(c).Bit()
	}
	return set, nil
}

func chairsText(set ruleset.Chairs) string {
	s := ""
	for c := range ruleset.Chair(sim.NumPlayers) {
		if set.Has(c) {
			s += winds[c : c+1]
		}
	}
	return s
}

// AppendTo appends the table as CSV.
func (t *Table) AppendTo(dst []byte) []byte {
	dst = append(dst, strings.Join(columns, ",")+"\n"...)
	for _, x := range t.Rows {
		dst = fmt.Appendf(dst, "%d,%s,%s,%s", x.Weight, endings[x.Ending], chairsText(x.Winners), chairsText(x.Ready))
		for _, n := range x.Change {
			dst = fmt.Appendf(dst, ",%d", n)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// hands converts the rows. Deposits left on the table are divided among all, as any
// player may win them next.
func (t *Table) hands(r *ruleset.Rules) (list []handResult) {
	for _, x := range t.Rows {
		u := handResult{weight: int32(x.Weight), winner: -1, change: x.Change}
		u.end = sim.HandEnd{
			Ending: x.Ending, DealerWon: x.Winners.Has(0), MultipleWinners: x.Winners.Len() > 1, DealerReady: x.Ready.Has(0),
		}
		var left int32
		for c, n := range x.Change {
			left -= n
			if u.winner < 0 && x.Winners.Has(ruleset.Chair(c)) {
				u.winner = int8(c)
			}
		}
		seats := r.NumSeats()
		for c := range seats {
			u.change[c] += left / int32(seats)
		}
		u.change[0] += left % int32(seats)
		list = append(list, u)
	}
	return list
}
