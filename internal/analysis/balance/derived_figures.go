package balance

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// groups is the number of groups of the jackknife.
const groups = 50

// sums are sums over matches. Points are in units of payments, which cancel in the figures.
type sums struct {
	players              float64 // of a match
	matches, hands, wins float64
	value, squares       float64 // of wins
	swings               float64 // squares of what each player gained in a hand
	spread               float64 // of the first over the last at the end
	patterns             map[string]float64
	values               map[int32]float64 // number of wins of each value
}

func newSums(players float64) sums {
	return sums{players: players, patterns: map[string]float64{}, values: map[int32]float64{}}
}

// add adds the sums of o if sign is 1, and subtracts them if it is -1.
func (s *sums) add(o *sums, sign float64) {
	s.matches += sign * o.matches
	s.hands += sign * o.hands
	s.wins += sign * o.wins
	s.value += sign * o.value
	s.squares += sign * o.squares
	s.swings += sign * o.swings
	s.spread += sign * o.spread
	for id, x := range o.patterns {
		s.patterns[id] += sign * x
	}
	for v, n := range o.values {
		s.values[v] += sign * n
	}
}

func (s *sums) addMatch(points []int32) {
	s.matches++
	s.spread += float64(slices.Max(points) - slices.Min(points))
}

// addHand adds a hand, before which debts were owed.
func (s *sums) addHand(h *schema.HandRow, debts []schema.Debt) {
	s.hands++
	for _, p := range stats.Gains(h, debts) {
		s.swings += float64(p) * float64(p) / s.players
	}
	for i := range h.Wins {
		w := &h.Wins[i]
		value, total := float64(w.Points), 0.0
		s.wins++
		s.value += value
		s.squares += value * value
		s.values[w.Points]++
		for _, p := range w.Patterns {
			total += float64(p.Value)
		}
		for _, p := range w.Patterns {
			if total > 0 {
				s.patterns[p.ID] += value * float64(p.Value) / total
			}
		}
	}
}

// The figures that are quotients of several sums.
const (
	swing = iota
	spread
	variation
	tenth
	patterns
	largest
	numDerived
)

// figures returns the figures by the constants above.
func (s *sums) figures() (f [numDerived]float64) {
	mean := s.value / s.wins
	f[swing] = math.Sqrt(s.swings/s.hands) / mean
	f[spread] = s.spread / s.matches / mean
	f[variation] = math.Sqrt(max(s.squares/s.wins-mean*mean, 0)) / mean
	f[tenth] = s.valueOfDearest(s.wins/10) / s.value
	total, squares, most := 0.0, 0.0, 0.0
	for _, id := range slices.Sorted(maps.Keys(s.patterns)) {
		x := s.patterns[id]
		total += x
		squares += x * x
		most = max(most, x)
	}
	f[patterns], f[largest] = total*total/squares, most/total
	return f
}

// valueOfDearest returns the value of the n most valuable wins.
func (s *sums) valueOfDearest(n float64) (value float64) {
	for _, v := range slices.Backward(slices.Sorted(maps.Keys(s.values))) {
		k := min(s.values[v], n)
		value += k * float64(v)
		if n -= k; n <= 0 {
			break
		}
	}
	return value
}

// leadingPattern returns the pattern with the largest share of the value.
func (s *sums) leadingPattern() (id string) {
	for _, p := range slices.Sorted(maps.Keys(s.patterns)) {
		if id == "" || s.patterns[p] > s.patterns[id] {
			id = p
		}
	}
	return id
}

// derive computes the figures that a report does not have, with intervals by a jackknife
// over groups of matches (Miller, The jackknife: a review, 1974).
func derive(d *dataset.Dataset) ([]Figure, error) {
	var parts [groups]sums
	for i := range parts {
		parts[i] = newSums(float64(d.Rules().NumSeats()))
	}
	if err := gather(d, func(match uint64) *sums { return &parts[match%groups] }); err != nil {
		return nil, err
	}
	return jackknife(&parts), nil
}

// gather adds each match of a dataset to the sums that sumsOf returns for it.
func gather(d *dataset.Dataset, sumsOf func(match uint64) *sums) error {
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		var points []int32
		for i := range rows {
			points = append(points, rows[i].Points)
		}
		sumsOf(rows[0].Match).addMatch(points)
	}
	var debts []schema.Debt
	for row, err := range d.HandRows() {
		if err != nil {
			return err
		}
		if row.Hand == 0 {
			debts = nil
		}
		sumsOf(row.Match).addHand(&row, debts)
		debts = row.Debts
	}
	return nil
}

// jackknife returns the figures of matches in groups, nil if no hand was won.
func jackknife(parts *[groups]sums) []Figure {
	all := newSums(parts[0].players)
	for i := range parts {
		all.add(&parts[i], 1)
	}
	if all.value == 0 {
		return nil
	}
	whole := all.figures()
	var without [][numDerived]float64
	for i := range parts {
		if parts[i].matches == 0 {
			continue
		}
		all.add(&parts[i], -1)
		if all.value > 0 {
			without = append(without, all.figures())
		}
		all.add(&parts[i], 1)
	}
	figure := func(at int, g Group, name, about string, u stats.Unit, cases float64, per string) Figure {
		f := Figure{Group: g, Name: name, About: about, Unit: u, Value: whole[at], Low: interval.Missing, High: interval.Missing, Cases: cases, Per: per}
		n := float64(len(without))
		if n < interval.LeastClusters {
			return f
		}
		values := make([]float64, len(without))
		for i, x := range without {
			values[i] = x[at]
		}
		f.Error = interval.Jackknife(values)
		switch half := interval.StudentT(n-1) * f.Error; {
		case half == 0:
		case u == stats.Share:
			f.Low, f.High = interval.AroundShare(f.Value, interval.Effective(f.Value, f.Error, n-1))
		default: // of the logarithm, as these quotients are above 0
			factor := math.Exp(half / f.Value)
			f.Low, f.High = interval.Number(f.Value/factor), interval.Number(f.Value*factor)
		}
		return f
	}
	return []Figure{
		figure(swing, Volatility, "swing of a hand", "standard deviation of the points of a player in a hand, in mean wins", stats.Times, all.hands, "hands"),
		figure(spread, Volatility, "spread at the end", "points between the first and the last, in mean wins", stats.Times, all.matches, "matches"),
		figure(variation, Volatility, "variation of wins", "standard deviation of the value of a win, in mean wins", stats.Times, all.wins, "wins"),
		figure(tenth, Volatility, "value in the dearest", "share of the value of all wins in the most valuable tenth", stats.Share, all.wins, "wins"),
		figure(patterns, Economy, "patterns that matter", "number of equally valuable patterns with the same diversity (inverse Simpson index)", stats.Times, all.wins, "wins"),
		figure(largest, Economy, "largest pattern", fmt.Sprintf("share of the value of wins that the largest pattern has, here %s", all.leadingPattern()), stats.Share, all.wins, "wins"),
	}
}
