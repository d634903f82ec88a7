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
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Rate is the frequency of an event.
type Rate struct {
	// Count is the number of cases with the event, Of that of all cases.
	Count uint64  `json:"count"`
	Of    uint64  `json:"of"`
	Rate  float64 `json:"rate"`
	// Low and High are the 95 % interval of a report, whose clusters are matches. They are missing
	// for a single match, and where all matches have the same rate between 0 and 1.
	Low  interval.Number `json:"low"`
	High interval.Number `json:"high"`
}

func newRate(s *stats.Sample) Rate {
	e := s.Estimate()
	return Rate{Count: uint64(e.Sum), Of: uint64(e.Count), Rate: e.Value, Low: e.Low, High: e.High}
}

// Mean is the mean of a figure.
type Mean struct {
	// Count is the number of cases.
	Count uint64  `json:"count"`
	Mean  float64 `json:"mean"`
	// Interval is the 95 % interval of a report, nil for fewer than interval.LeastClusters cases
	// and where all are the same.
	Interval *[2]float64 `json:"interval"`
}

func newMean(s *stats.Sample) Mean {
	e := s.Estimate()
	m := Mean{Count: uint64(e.Count), Mean: e.Value}
	if e.Low.Known() {
		m.Interval = &[2]float64{float64(e.Low), float64(e.High)}
	}
	return m
}

// Summary adds up the rows of table matches. Its size does not depend on their number.
type Summary struct {
	// Matches, Hands and Decisions are their numbers, Truncated that of matches cut off.
	Matches, Hands, Decisions, Truncated uint64

	unit     float64 // units of the rows in a point
	agents   []*tally
	seats    []*tally
	together *tally
	match    [numCounts]float64 // counts of the last match that together has not
}

// New returns the summary of no rows under the rules.
func New(r *ruleset.Rules) *Summary {
	seats := r.NumSeats()
	s := &Summary{unit: float64(r.Unit()), together: newTally(seats)}
	for range seats {
		s.agents, s.seats = append(s.agents, newTally(seats)), append(s.seats, newTally(seats))
	}
	return s
}

// tally is the rows of one agent or seat, with matches as clusters.
type tally struct {
	points, placement *stats.Sample
	places            []*stats.Sample
	rates             [numCounts]*stats.Sample // of the hands, by the counts below
	forfeits          uint64
}

func newTally(seats int) *tally {
	t := &tally{points: stats.NewSample(stats.Points), placement: stats.NewSample(stats.Placement)}
	for range seats {
		t.places = append(t.places, stats.NewSample(stats.Share))
	}
	for i := range t.rates {
		t.rates[i] = stats.NewSample(stats.Share)
	}
	return t
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
		s.endMatch()
		s.Matches++
		s.Hands += uint64(r.Hands)
		if r.Truncated {
			s.Truncated++
		}
	}
	s.Decisions += uint64(r.Decisions)
	s.agents[r.Agent].add(r, s.unit)
	s.seats[r.Player].add(r, s.unit)
	for i, n := range counts(r) {
		s.match[i] += n
	}
	if r.Forfeited {
		s.together.forfeits++
	}
}

// endMatch adds the last match to those of all agents.
func (s *Summary) endMatch() {
	s.together.addHands(&s.match)
	s.match = [numCounts]float64{}
}

// counts returns the counts of hands of a row.
func counts(r *schema.MatchRow) (list [numCounts]float64) {
	for i, n := range [numCounts]uint16{r.Hands, r.Wins, r.SelfDraws, r.DealIns, r.Readies, r.Calls, r.Draws} {
		list[i] = float64(n)
	}
	return list
}

func (t *tally) add(r *schema.MatchRow, unit float64) {
	t.points.Add(float64(r.Points)/unit, 1)
	t.placement.Add(float64(r.Placement)/ruleset.PlacementUnit, 1)
	for i, place := range t.places {
		amount := 0.0
		if int(r.Rank) == i+1 {
			amount = 1
		}
		place.Add(amount, 1)
	}
	if r.Forfeited {
		t.forfeits++
	}
	hands := counts(r)
	t.addHands(&hands)
}

// addHands adds the counts of a match.
func (t *tally) addHands(counts *[numCounts]float64) {
	for i, n := range counts {
		t.rates[i].Add(n, counts[allHands])
	}
}

// Agents returns the results of the agents.
func (s *Summary) Agents() []AgentSummary { return summaries(s.agents) }

func summaries(tallies []*tally) (list []AgentSummary) {
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
	s.endMatch()
	a := s.together.summary()
	a.Matches = s.Matches
	a.Draws = s.agents[0].summary().Draws // a hand without a winner counts for all
	return a
}

func (t *tally) summary() AgentSummary {
	rate := func(count int) Rate { return newRate(t.rates[count]) }
	a := AgentSummary{
		Points: newMean(t.points), Placement: newMean(t.placement),
		Hands: rate(allHands).Of, Wins: rate(wonHands), SelfDraws: rate(selfDrawnHands), DealIns: rate(dealInHands),
		Readies: rate(readyHands), Calls: rate(callHands), Draws: rate(drawnHands), Forfeits: t.forfeits,
	}
	a.Matches = a.Points.Count
	for _, place := range t.places {
		a.Places = append(a.Places, newRate(place))
	}
	return a
}
