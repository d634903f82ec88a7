package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Report is the result of an audit.
type Report struct {
	// Agents are the names of the agents, Matches the number of matches.
	Agents  []string `json:"agents"`
	Matches int      `json:"matches"`
	// Treatments are the treatments of all pairs, the most conspicuous first.
	Treatments []Treatment `json:"treatments"`
	// Anomalies are the seats and times at which agents do conspicuously better or worse
	// than usual, the most conspicuous first.
	Anomalies []Anomaly `json:"anomalies"`
}

// Anomaly is a seat, or a part of the matches, at which an agent does better or worse than
// against the same opponents at others.
type Anomaly struct {
	Agent string `json:"agent"`
	// Where is the seat or the matches.
	Where string `json:"where"`
	// Ahead is the share of opponents ahead of whom it finishes, less what is usual against
	// them.
	Ahead float64 `json:"ahead"`
	// Matches is the number of matches, P the two-sided p-value of no difference, Adjusted
	// the same corrected for all agents, seats and parts.
	Matches  int             `json:"matches"`
	P        interval.Number `json:"p"`
	Adjusted interval.Number `json:"p_adjusted"`
}

// Report compares the matches that have been added.
func (a *Audit) Report() *Report {
	a.mu.Lock()
	defer a.mu.Unlock()
	slices.SortFunc(a.matches, func(x, y matchCounts) int { return cmp.Compare(x.Match, y.Match) })
	return &Report{Agents: a.names, Matches: len(a.matches), Treatments: a.treatments(), Anomalies: a.anomalies()}
}

// Conspicuous returns the treatments that cannot be explained by chance.
func (r *Report) Conspicuous() []Treatment {
	i := slices.IndexFunc(r.Treatments, func(t Treatment) bool { return !t.Conspicuous() })
	if i < 0 {
		return r.Treatments
	}
	return r.Treatments[:i]
}

// parts is the number of parts into which the matches are divided by time.
const parts = 10

// minSets is the fewest duplicate sets whose mean is tested by the normal distribution.
const minSets = 20

// sample has the mean results of an agent in the duplicate sets at one seat or time. sum and
// matches are those of the set that is being added.
type sample struct {
	sum, matches float64
	set          uint64
	means        []float64 // of the sets before
	total        int       // matches of all sets
}

func (s *sample) add(set uint64, value float64) {
	if s.matches > 0 && s.set != set {
		s.end()
	}
	s.set, s.sum, s.matches, s.total = set, s.sum+value, s.matches+1, s.total+1
}

func (s *sample) end() {
	if s.matches > 0 {
		s.means = append(s.means, s.sum/s.matches)
	}
	s.sum, s.matches = 0, 0
}

// anomalies returns the conspicuous seats and times.
func (a *Audit) anomalies() []Anomaly {
	n, seats := len(a.names), a.rules.NumSeats()
	results := a.results()
	bySeat, byTime := make([]sample, n*seats), make([]sample, n*parts)
	var seatSums, seatCounts [sim.NumPlayers]float64
	for i := range a.matches {
		m := &a.matches[i]
		for p, agent := range m.agents[:seats] {
			if result := results[i][p]; !math.IsNaN(result) {
				bySeat[agent*seats+p].add(m.Set, result)
				byTime[agent*parts+i*parts/len(a.matches)].add(m.Set, result)
				seatSums[p], seatCounts[p] = seatSums[p]+result, seatCounts[p]+1
			}
		}
	}
	var list []Anomaly
	test := func(agent int, where string, s *sample, usual float64) {
		if s.end(); len(s.means) < minSets {
			return
		}
		mean, squares := 0.0, 0.0
		for _, x := range s.means {
			mean += x / float64(len(s.means))
		}
		for _, x := range s.means {
			squares += (x - mean) * (x - mean)
		}
		if squares == 0 {
			return
		}
		deviation := math.Sqrt(squares / float64(len(s.means)-1) / float64(len(s.means)))
		p := interval.Number(math.Erfc(math.Abs(mean-usual) / deviation / math.Sqrt2))
		list = append(list, Anomaly{Agent: a.names[agent], Where: where, Ahead: mean - usual, Matches: s.total, P: p})
	}
	for agent := range n {
		for p := range seats {
			test(agent, fmt.Sprintf("seat %d", p+1), &bySeat[agent*seats+p], seatSums[p]/seatCounts[p])
		}
		for k := range parts {
			first, end := (k*len(a.matches)+parts-1)/parts, ((k+1)*len(a.matches)+parts-1)/parts
			test(agent, fmt.Sprintf("matches %d to %d", first+1, end), &byTime[agent*parts+k], 0)
		}
	}
	correct(list, func(x *Anomaly) (p, adjusted *interval.Number) { return &x.P, &x.Adjusted })
	slices.SortStableFunc(list, func(x, y Anomaly) int { return cmp.Compare(x.P, y.P) })
	return slices.DeleteFunc(list, func(x Anomaly) bool { return x.Adjusted >= ConspicuousLevel })
}

// correct sets the p-values of a list that are corrected for its length.
func correct[T any](list []T, fields func(*T) (p, adjusted *interval.Number)) {
	values := make([]float64, len(list))
	for i := range list {
		p, _ := fields(&list[i])
		values[i] = float64(*p)
	}
	for i, x := range interval.Holm(values, slices.Repeat([]float64{1}, len(list))) {
		_, adjusted := fields(&list[i])
		*adjusted = interval.Number(x)
	}
}

// results returns, by match and player, the share of the opponents ahead of whom it finished
// less the mean of that over all matches against them; NaN without opponents.
func (a *Audit) results() [][sim.NumPlayers]float64 {
	n, seats := len(a.names), a.rules.NumSeats()
	ahead, all := make([]float64, n*n), make([]float64, n*n)
	visit := func(m *matchCounts, f func(p, pair int, ahead float64)) {
		for p, x := range m.agents[:seats] {
			for q, y := range m.agents[:seats] {
				if x != y {
					f(p, x*n+y, float64(1+cmp.Compare(m.ranks[q], m.ranks[p]))/2)
				}
			}
		}
	}
	for i := range a.matches {
		visit(&a.matches[i], func(_, pair int, share float64) { ahead[pair], all[pair] = ahead[pair]+share, all[pair]+1 })
	}
	list := make([][sim.NumPlayers]float64, len(a.matches))
	for i := range a.matches {
		var opponents [sim.NumPlayers]float64
		visit(&a.matches[i], func(p, pair int, share float64) {
			list[i][p] += share - ahead[pair]/all[pair]
			opponents[p]++
		})
		for p := range seats {
			list[i][p] /= opponents[p]
		}
	}
	return list
}
