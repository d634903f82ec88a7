package placement

import (
	"bytes"
	"cmp"
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
// chair gains, counted from the dealer.
type Table struct{ rows []row }

// row is one way in which hands end.
type row struct {
	weight int
	ending sim.Ending
	// winners are the chairs that won and ready those tenpai at an exhausted wall, counted
	// from the dealer.
	winners, ready ruleset.Chairs
	// giver is the chair that dealt in. It is not written: change shows it.
	giver ruleset.Chair
	// change is what each chair gained in units, counted from the dealer.
	change [sim.NumPlayers]int32
}

// handResult is a row in the form in which the rest of a match is computed.
type handResult struct {
	weight int32
	winner int8 // the first winner, who takes the deposits; -1 if there is none
	end    sim.HandEnd
	change [sim.NumPlayers]int32
}

//go:embed tables
var files embed.FS

// tableFor returns the embedded table for the rules: that of the family, with or
// without red fives.
func tableFor(r *ruleset.Rules) (*Table, error) {
	name := r.Family
	if r.AkaDora != [3]int{} {
		name += "_red"
	}
	data, err := files.ReadFile("tables/" + name + ".csv")
	if err != nil {
		return nil, fmt.Errorf("placement: there is no table of hand results for the family %s: make one with train places", r.Family)
	}
	return ParseTable(data)
}

// columns are the header of a table.
var columns = []string{"weight", "ending", "winners", "ready", "east", "south", "west", "north"}

var endings = [...]string{sim.EndWin: "win", sim.EndDraw: "draw", sim.EndAbort: "abort"}

// maxWeight bounds the weights so that their sums times values fit.
const maxWeight = 1 << 20

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
		t.rows = append(t.rows, x)
	}
	return t, nil
}

func parseRow(line []string) (x row, err error) {
	if x.weight, err = strconv.Atoi(line[0]); err != nil || x.weight < 1 || x.weight > maxWeight {
		return x, fmt.Errorf("weight %q: a number from 1 to %d", line[0], maxWeight)
	}
	ending := slices.Index(endings[:], line[1])
	if ending < 0 {
		return x, fmt.Errorf("ending %q: one of %s", line[1], strings.Join(endings[:], ", "))
	}
	x.ending = sim.Ending(ending)
	if x.winners, err = parseChairs(line[2]); err != nil {
		return x, err
	}
	if x.ready, err = parseChairs(line[3]); err != nil {
		return x, err
	}
	if (x.ending == sim.EndWin) != (x.winners != 0) {
		return x, errors.New("winners: want some for a win, and none for another ending")
	}
	for c := range x.change {
		n, err := strconv.ParseInt(line[4+c], 10, 24)
		if err != nil {
			return x, fmt.Errorf("%s %q: no amount", columns[4+c], line[4+c])
		}
		x.change[c] = int32(n)
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
	for _, x := range t.rows {
		dst = fmt.Appendf(dst, "%d,%s,%s,%s", x.weight, endings[x.ending], chairsText(x.winners), chairsText(x.ready))
		for _, n := range x.change {
			dst = fmt.Appendf(dst, ",%d", n)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// hands converts the rows. Deposits left on the table are divided among all, as any
// player may win them next.
func (t *Table) hands(r *ruleset.Rules) (list []handResult) {
	for _, x := range t.rows {
		u := handResult{weight: int32(x.weight), winner: -1, change: x.change}
		u.end = sim.HandEnd{
			Ending: x.ending, DealerWon: x.winners.Has(0), MultipleWinners: x.winners.Len() > 1, DealerReady: x.ready.Has(0),
		}
		var left int32
		for c, n := range x.change {
			left -= n
			if u.winner < 0 && x.winners.Has(ruleset.Chair(c)) {
				u.winner = int8(c)
			}
		}
		for c := range u.change {
			u.change[c] += left / sim.NumPlayers
		}
		u.change[0] += left % sim.NumPlayers
		list = append(list, u)
	}
	return list
}

// Collector collects hand results.
type Collector struct{ ends []row }

// Add adds the hands of a match, given by its events, that began without repeats and
// without deposits.
func (c *Collector) Add(events []sim.Event) {
	var x row
	var dealer sim.Player
	who, fresh := [sim.NumPlayers]sim.Player{0, 1, 2, 3}, false
	chair := func(p sim.Player) ruleset.Chair {
		return ruleset.Chair(slices.Index(who[:], p)-slices.Index(who[:], dealer)) & 3
	}
	for _, e := range events {
		switch e.Type {
		case sim.EvSeats:
			who, _, _ = e.Seats()
		case sim.EvHandStart:
			_, _, counter, deposits := e.HandStart()
			x, dealer, fresh = row{giver: ruleset.NoChair}, e.Player, counter == 0 && deposits == 0
		case sim.EvWin:
			x.winners |= chair(e.Player).Bit()
			if kind, giver := e.Win(); kind != sim.WinSelfDraw && kind != sim.WinFlower {
				x.giver = chair(giver)
			}
		case sim.EvExhausted:
			x.ending = sim.EndDraw
		case sim.EvAbort:
			x.ending = sim.EndAbort
		case sim.EvDeclare:
			if e.Declare() {
				x.ready |= chair(e.Player).Bit()
			}
		case sim.EvPay:
			from, to, amount, _ := e.Pay()
			if from < sim.NumPlayers {
				x.change[chair(from)] -= amount
			}
			if to < sim.NumPlayers {
				x.change[chair(to)] += amount
			}
		case sim.EvHandEnd:
			if fresh && (x.ending != sim.EndWin || x.winners != 0) {
				c.ends = append(c.ends, x)
			}
			fresh = false
		}
	}
}

// levels is the largest number of parts into which hands that end alike are divided by
// the points that change hands.
const levels = 5

// rarest is the number of hands of which one is a part of its own.
const rarest = 200

// Table returns the table of the hands. It groups those with the same winners, giver
// and ready players, divided into parts by the points that change hands.
func (c *Collector) Table() (*Table, error) {
	if len(c.ends) == 0 {
		return nil, errors.New("placement: no hands to make a table of")
	}
	if len(c.ends) > maxWeight {
		return nil, fmt.Errorf("placement: %d hands; a table is made of at most %d", len(c.ends), maxWeight)
	}
	ends := slices.SortedFunc(slices.Values(c.ends), func(a, b row) int {
		return cmp.Or(compareKinds(&a, &b), cmp.Compare(a.moved(), b.moved()), slices.Compare(a.change[:], b.change[:]))
	})
	t := &Table{}
	for first := 0; first < len(ends); {
		last := first + 1
		for last < len(ends) && compareKinds(&ends[first], &ends[last]) == 0 {
			last++
		}
		same := ends[first:last]
		parts := 1
		if same[0].ending == sim.EndWin {
			parts = min(levels, 1+len(same)*rarest/len(ends), len(same))
		}
		for i := range parts {
			t.rows = append(t.rows, mean(same[i*len(same)/parts:(i+1)*len(same)/parts]))
		}
		first = last
	}
	return t, nil
}

// compareKinds orders hands by how they ended.
func compareKinds(a, b *row) int {
	return cmp.Or(cmp.Compare(a.ending, b.ending), cmp.Compare(a.winners, b.winners), cmp.Compare(a.ready, b.ready), cmp.Compare(a.giver, b.giver))
}

// moved returns how many units the losers paid together.
func (x *row) moved() (n int32) {
	for _, change := range x.change {
		n -= min(change, 0)
	}
	return n
}

// mean returns the mean of hands that ended alike, weighted by their number.
func mean(same []row) row {
	x := same[0]
	x.weight = len(same)
	for c := range x.change {
		var sum int64
		for i := range same {
			sum += int64(same[i].change[c])
		}
		x.change[c] = int32(sum / int64(len(same)))
	}
	return x
}

// Join moves the hands of another collector to c.
func (c *Collector) Join(other *Collector) {
	c.ends = append(c.ends, other.ends...)
	other.ends = other.ends[:0]
}

// Hands returns the number of hands collected.
func (c *Collector) Hands() int { return len(c.ends) }
