package audit

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Treatment is how often an agent acted for another.
type Treatment struct {
	// Agent is the agent that acts, Other the one that gains.
	Agent string `json:"agent"`
	Other string `json:"other"`
	Act   Act    `json:"act"`
	// Times is how often it did, Chances how often it could; see the acts.
	Times   int     `json:"times"`
	Chances float64 `json:"chances"`
	// Expected is the number of times that follows from how both treat, and are treated by,
	// the rest.
	Expected float64 `json:"expected"`
	// Matches is the number of matches in which the two met.
	Matches int `json:"matches"`
	// P is the one-sided p-value of at most [Tolerance] times Expected, Adjusted the same
	// corrected for all treatments of the audit.
	P        interval.Number `json:"p"`
	Adjusted interval.Number `json:"p_adjusted"`
}

// ConspicuousLevel is the corrected p-value below which something is conspicuous.
const ConspicuousLevel = 0.01

// Tolerance is how many times as often as expected an honest agent may favor another:
// the factors describe different styles of play only in part.
const Tolerance = 1.3

// Conspicuous reports whether the treatment cannot be explained by chance.
func (t *Treatment) Conspicuous() bool { return t.Adjusted.Known() && t.Adjusted < ConspicuousLevel }

// treatments returns all treatments that can be tested in ascending order of their p-values.
func (a *Audit) treatments() (list []Treatment) {
	for act := range numActs {
		list = append(list, a.newCrossTable(act).treatments(a.names, acts[act])...)
	}
	correct(list, func(t *Treatment) (p, adjusted *interval.Number) { return &t.P, &t.Adjusted })
	slices.SortStableFunc(list, func(x, y Treatment) int { return cmp.Compare(x.P, y.P) })
	return list
}

// cell has the sums of a pair: how often the first acted, how often it would have at the mean rate
// of all agents at the same distance, and the chances.
type cell struct{ times, mean, chances float64 }

// entry is the part of a cell from one match.
type entry struct {
	match, from, to int
	cell            cell
}

// crossTable is the cross-classification of an act by agents.
type crossTable struct {
	n       int
	cells   []cell // of from and to at from*n+to
	entries []entry
	// rows and columns are the places in entries of each agent that acts or gains.
	rows, columns [][]int
	meetings      map[[2]int]int // matches in which agents met, the smaller one first
}

func (a *Audit) newCrossTable(act int) *crossTable {
	n := len(a.names)
	x := &crossTable{n: n, cells: make([]cell, n*n), rows: make([][]int, n), columns: make([][]int, n), meetings: map[[2]int]int{}}
	var times, chances [4]float64 // by distance
	for i := range a.matches {
		for _, c := range a.matches[i].counts {
			if int(c.act) == act {
				times[c.distance] += float64(c.times)
				chances[c.distance] += float64(c.chances) / unit
			}
		}
	}
	for i := range a.matches {
		m := &a.matches[i]
		for _, c := range m.counts {
			if int(c.act) != act {
				continue
			}
			e := entry{i, m.agents[c.from], m.agents[c.to], cell{float64(c.times), 0, float64(c.chances) / unit}}
			e.cell.mean = e.cell.chances * times[c.distance] / chances[c.distance]
			k := &x.cells[e.from*n+e.to]
			k.times, k.mean, k.chances = k.times+e.cell.times, k.mean+e.cell.mean, k.chances+e.cell.chances
			x.rows[e.from] = append(x.rows[e.from], len(x.entries))
			x.columns[e.to] = append(x.columns[e.to], len(x.entries))
			x.entries = append(x.entries, e)
		}
		seats := m.agents[:a.rules.NumSeats()]
		for p, one := range seats {
			for q, two := range seats {
				if one < two && !slices.Contains(seats[:p], one) && !slices.Contains(seats[:q], two) {
					x.meetings[[2]int{one, two}]++
				}
			}
		}
	}
	return x
}

// factors are the factors of agents that act and of agents that gain, relative to the mean.
type factors struct{ from, to []float64 }

// Bounds of the fit.
const (
	maxRounds = 100
	precision = 1e-6
)

// fit fits the factors to all cells but one, -1 for none. It scales rows and columns in turns,
// which leads to the maximum-likelihood estimate for Poisson counts.
func (x *crossTable) fit(f *factors, without int) {
	for range maxRounds {
		change := 0.0
		scale := func(list, by []float64, row, column int) {
			for i := range list {
				times, mean := 0.0, 0.0
				for j, factor := range by {
					if at := i*row + j*column; at != without {
						times, mean = times+x.cells[at].times, mean+x.cells[at].mean*factor
					}
				}
				next := 1.0 // if nothing is known of the agent
				if mean > 0 {
					next = times / mean
				}
				change = max(change, math.Abs(next-list[i])/(1+next))
				list[i] = next
			}
		}
		scale(f.from, f.to, x.n, 1)
		scale(f.to, f.from, 1, x.n)
		if change < precision {
			return
		}
	}
}

// comparable reports whether a cell has others to compare with: the first agent acts for further
// ones, and further ones act for the second.
func (x *crossTable) comparable(from, to int) bool {
	row, column := false, false
	for i := range x.n {
		row = row || i != to && x.cells[from*x.n+i].mean > 0
		column = column || i != from && x.cells[i*x.n+to].mean > 0
	}
	return row && column
}

// treatments returns the treatments of all pairs with others to compare with.
func (x *crossTable) treatments(names []string, act Act) (list []Treatment) {
	all := &factors{slices.Repeat([]float64{1}, x.n), slices.Repeat([]float64{1}, x.n)}
	x.fit(all, -1)
	sums := map[int]float64{} // of a match
	for from := range x.n {
		for to := range x.n {
			c := x.cells[from*x.n+to]
			if c.mean == 0 || !x.comparable(from, to) {
				continue
			}
			f := factors{slices.Clone(all.from), slices.Clone(all.to)}
			x.fit(&f, from*x.n+to)
			expected := c.mean * f.from[from] * f.to[to]
			clear(sums)
			x.deviations(from, to, &f, expected, sums)
			t := Treatment{
				Agent: names[from], Other: names[to], Act: act, Times: int(c.times), Chances: c.chances, Expected: expected,
				Matches: x.meetings[[2]int{min(from, to), max(from, to)}], P: 1,
			}
			if squares := sumOfSquares(sums); squares > 0 {
				t.P = interval.Number(math.Erfc((c.times-Tolerance*expected)/math.Sqrt(2*squares)) / 2)
			}
			list = append(list, t)
		}
	}
	return list
}

// deviations adds to the sums of each match the deviation of a pair from Tolerance times the
// expectation. The factors of the pair are estimates, so the deviations of others from their
// expectation by these factors count in proportion.
func (x *crossTable) deviations(from, to int, f *factors, expected float64, sums map[int]float64) {
	row, column := 0.0, 0.0 // times of the others
	for i := range x.n {
		if i != to {
			row += x.cells[from*x.n+i].times
		}
		if i != from {
			column += x.cells[i*x.n+to].times
		}
	}
	for _, k := range x.rows[from] {
		e := &x.entries[k]
		mean := e.cell.mean * f.from[from] * f.to[e.to]
		if e.to == to {
			sums[e.match] += e.cell.times - Tolerance*mean
		} else if row > 0 {
			sums[e.match] -= Tolerance * expected * (e.cell.times - mean) / row
		}
	}
	if column == 0 {
		return
	}
	for _, k := range x.columns[to] {
		if e := &x.entries[k]; e.from != from {
			sums[e.match] -= Tolerance * expected * (e.cell.times - e.cell.mean*f.from[e.from]*f.to[to]) / column
		}
	}
}

// sumOfSquares adds the squares in the order of the matches, so that rounding is always the
// same.
func sumOfSquares(sums map[int]float64) (squares float64) {
	for _, match := range slices.Sorted(maps.Keys(sums)) {
		squares += sums[match] * sums[match]
	}
	return squares
}
