// Package summary adds up the rows of matches to the rates and means of agents and seats,
// with 95 % intervals. The figures of whole datasets are those of internal/analysis/stats.
//
//	s := summary.New(rules)
//	for row, err := range d.MatchRows() {
//		s.Add(&row) // if err is nil
//	}
//	fmt.Println(s.Agents()[0].Points.Mean)
package summary

import (
	"math"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Rate is the frequency of an event.
type Rate struct {
	// Count is the number of cases with the event, Of that of all cases.
	Count uint64  `json:"count"`
	Of    uint64  `json:"of"`
	Rate  float64 `json:"rate"`
	// Low and High are the 95 % interval of Clopper and Pearson, for independent cases.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// newRate returns the rate of count cases of n. Without cases it is 0 with the interval 0
// to 1.
func newRate(count, n uint64) Rate {
	r := Rate{Count: count, Of: n, High: 1}
	if n == 0 {
		return r
	}
	r.Rate = float64(count) / float64(n)
	r.Low, r.High = interval.Share(r.Rate, float64(n))
	return r
}

// Mean is the mean of a figure.
type Mean struct {
	// Count is the number of cases.
	Count uint64  `json:"count"`
	Mean  float64 `json:"mean"`
	// Interval is the 95 % interval of Student's t, nil for fewer than
	// interval.LeastClusters cases.
	Interval *[2]float64 `json:"interval"`
}

// moments are the mean of a figure and the sum of its squared deviations, updated with
// each case (Welford's algorithm).
type moments struct {
	n       uint64
	mean    float64
	squares float64
}

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.squares += d * (x - m.mean)
}

func (m *moments) summary() Mean {
	s := Mean{Count: m.n, Mean: m.mean}
	if m.n < interval.LeastClusters {
		return s
	}
	freedom := float64(m.n - 1)
	half := interval.StudentT(freedom) * math.Sqrt(m.squares/freedom/float64(m.n))
	s.Interval = &[2]float64{m.mean - half, m.mean + half}
	return s
}

// Summary adds up the rows of table matches. Its size does not depend on their number.
type Summary struct {
	// Matches, Hands and Decisions are their numbers, Truncated that of matches cut off.
	Matches, Hands, Decisions, Truncated uint64

	unit   float64 // units of the rows in a point
	agents []tally
	seats  []tally
}

// New returns the summary of no rows under the rules.
func New(r *ruleset.Rules) *Summary {
	s := &Summary{unit: float64(r.Unit()), agents: make([]tally, r.NumSeats()), seats: make([]tally, r.NumSeats())}
	for i := range s.agents {
		s.agents[i].places, s.seats[i].places = make([]uint64, r.NumSeats()), make([]uint64, r.NumSeats())
	}
	return s
}

// tally is the sums over the rows of one agent or seat.
type tally struct {
	places            []uint64
	points, placement moments
	forfeits          uint64
	hands             [numCounts]uint64 // by the counts below
}

// The counts of hands: all, and those with each event.
const (
	allHands = iota
	wonHands
	selfDrawnHands
	dealInHands
	readyHands
	callHands
	drawnHands
	numCounts
)

// AgentSummary is the results of one agent in all seats, or of one seat.
type AgentSummary struct {
	// Matches is the number of matches, counted once for each seat of the agent.
	Matches uint64 `json:"matches"`
	// Places are the rates of the ranks from the first to the last.
	Places []Rate `json:"places"`
	Points Mean   `json:"points"`
	// Placement is in placement points.
	Placement Mean   `json:"placement"`
	Hands     uint64 `json:"hands"`
	// The rates are shares of the hands: won, won by self-draw, dealt into, with a ready
	// declaration, with a call, and without a winner.
	Wins      Rate `json:"wins"`
	SelfDraws Rate `json:"self_draws"`
	DealIns   Rate `json:"deal_ins"`
	Readies   Rate `json:"readies"`
	Calls     Rate `json:"calls"`
	Draws     Rate `json:"draws"`
	// Forfeits is the number of matches with an illegal action.
	Forfeits uint64 `json:"forfeits"`
}

// Add adds a row. Those of a match are added in the order of the players.
func (s *Summary) Add(r *schema.MatchRow) {
	if r.Player == 0 {
		s.Matches++
		s.Hands += uint64(r.Hands)
		if r.Truncated {
			s.Truncated++
		}
	}
	s.Decisions += uint64(r.Decisions)
	s.agents[r.Agent].add(r, s.unit)
	s.seats[r.Player].add(r, s.unit)
}

func (t *tally) add(r *schema.MatchRow, unit float64) {
	t.places[r.Rank-1]++
	t.points.add(float64(r.Points) / unit)
	t.placement.add(float64(r.Placement) / ruleset.PlacementUnit)
	if r.Forfeited {
		t.forfeits++
	}
	for i, n := range [numCounts]uint16{r.Hands, r.Wins, r.SelfDraws, r.DealIns, r.Readies, r.Calls, r.Draws} {
		t.hands[i] += uint64(n)
	}
}

// Agents returns the results of the agents.
func (s *Summary) Agents() []AgentSummary { return summaries(s.agents) }

func summaries(tallies []tally) (list []AgentSummary) {
	for i := range tallies {
		list = append(list, tallies[i].summary())
	}
	return list
}

// Seats returns the results of the seats, whichever agents played in them. The first is
// that of the first dealer.
func (s *Summary) Seats() []AgentSummary { return summaries(s.seats) }

// Together returns the results of all agents as one. Its means and places, which are the
// same in all matches, stay empty.
func (s *Summary) Together() AgentSummary {
	sum := tally{places: make([]uint64, len(s.agents))}
	for i := range s.agents {
		for j, n := range s.agents[i].hands {
			sum.hands[j] += n
		}
		sum.forfeits += s.agents[i].forfeits
	}
	a := sum.summary()
	a.Matches = s.Matches
	a.Draws = s.agents[0].summary().Draws // a hand without a winner counts for all
	return a
}

func (t *tally) summary() AgentSummary {
	rate := func(count int) Rate { return newRate(t.hands[count], t.hands[allHands]) }
	a := AgentSummary{
		Matches: t.points.n, Points: t.points.summary(), Placement: t.placement.summary(),
		Hands: t.hands[allHands], Wins: rate(wonHands), SelfDraws: rate(selfDrawnHands), DealIns: rate(dealInHands),
		Readies: rate(readyHands), Calls: rate(callHands), Draws: rate(drawnHands), Forfeits: t.forfeits,
	}
	for _, n := range t.places {
		a.Places = append(a.Places, newRate(n, t.points.n))
	}
	return a
}
