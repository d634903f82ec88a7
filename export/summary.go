package export

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
)

// confidence is the probability that an interval covers what it estimates.
const confidence = 0.95

// Rate is how often something happened.
type Rate struct {
	// Count is the number of cases in which it happened, Of that of all.
	Count uint64  `json:"count"`
	Of    uint64  `json:"of"`
	Rate  float64 `json:"rate"`
	// Low and High are the 95 % interval by Wilson's score. It takes the cases
	// as independent.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// newRate returns the rate of count cases of n; without cases it is 0 and the
// interval everything.
func newRate(count, n uint64) Rate {
	r := Rate{Count: count, Of: n, High: 1}
	if n == 0 {
		return r
	}
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	cases, p := float64(n), float64(count)/float64(n)
	center := (p + z*z/(2*cases)) / (1 + z*z/cases)
	half := z / (1 + z*z/cases) * math.Sqrt(p*(1-p)/cases+z*z/(4*cases*cases))
	r.Rate, r.Low, r.High = p, max(0, center-half), min(1, center+half)
	return r
}

// Mean is the mean of a figure.
type Mean struct {
	// Count is the number of cases.
	Count uint64  `json:"count"`
	Mean  float64 `json:"mean"`
	// Interval is the 95 % interval by Student's t, nil for fewer than two
	// cases.
	Interval *[2]float64 `json:"interval"`
}

// moments are the mean and the squared deviations of a figure, updated with each
// case.
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
	if m.n < 2 {
		return s
	}
	freedom := float64(m.n - 1)
	t := distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + confidence) / 2)
	half := t * math.Sqrt(m.squares/freedom/float64(m.n))
	s.Interval = &[2]float64{m.mean - half, m.mean + half}
	return s
}

// Summary adds up the rows of table matches. Its size does not depend on their
// number. The zero value is the summary of nothing.
type Summary struct {
	// Matches and Hands were played, Decisions made, Truncated matches cut off.
	Matches, Hands, Decisions, Truncated uint64
	// Unit is how many units of the rows make a point, 0 for one.
	Unit int

	agents [NumAgents]tally
}

// tally is what the rows of one agent add up to.
type tally struct {
	places            [sim.NumPlayers]uint64
	points, placement moments
	forfeits          uint64

	hands, wins, selfDraws, dealIns, readies, calls, draws uint64
}

// AgentSummary is how one agent did, whatever players it played for.
type AgentSummary struct {
	// Matches is the number of matches that it played, counted once for each player.
	Matches uint64 `json:"matches"`
	// Places are the shares of the matches in which it came first to fourth.
	Places [sim.NumPlayers]Rate `json:"places"`
	Points Mean                 `json:"points"`
	// Placement is in placement points.
	Placement Mean   `json:"placement"`
	Hands     uint64 `json:"hands"`
	// The rates are shares of the hands: won, won by self-draw, lost by giving
	// the tile, ready declared, called, and won by nobody.
	Wins      Rate `json:"wins"`
	SelfDraws Rate `json:"self_draws"`
	DealIns   Rate `json:"deal_ins"`
	Readies   Rate `json:"readies"`
	Calls     Rate `json:"calls"`
	Draws     Rate `json:"draws"`
	// Forfeits is the number of matches in which it answered illegally.
	Forfeits uint64 `json:"forfeits"`
}

// Add adds a row.
func (s *Summary) Add(r *MatchRow) {
	if r.Player == 0 {
		s.Matches++
		s.Hands += uint64(r.Hands)
		if r.Truncated {
			s.Truncated++
		}
	}
	s.Decisions += uint64(r.Decisions)
	t := &s.agents[r.Agent]
	t.places[r.Rank-1]++
	t.points.add(float64(r.Points) / float64(max(s.Unit, 1)))
	t.placement.add(float64(r.Placement) / ruleset.PlacementUnit)
	if r.Forfeited {
		t.forfeits++
	}
	t.hands += uint64(r.Hands)
	t.wins += uint64(r.Wins)
	t.selfDraws += uint64(r.SelfDraws)
	t.dealIns += uint64(r.DealIns)
	t.readies += uint64(r.Readies)
	t.calls += uint64(r.Calls)
	t.draws += uint64(r.Draws)
}

// Agents returns how the agents did.
func (s *Summary) Agents() [NumAgents]AgentSummary {
	var list [NumAgents]AgentSummary
	for i := range list {
		t := &s.agents[i]
		rate := func(n uint64) Rate { return newRate(n, t.hands) }
		list[i] = AgentSummary{
			Matches: t.points.n, Points: t.points.summary(), Placement: t.placement.summary(),
			Hands: t.hands, Wins: rate(t.wins), SelfDraws: rate(t.selfDraws), DealIns: rate(t.dealIns),
			Readies: rate(t.readies), Calls: rate(t.calls), Draws: rate(t.draws), Forfeits: t.forfeits,
		}
		for place, n := range t.places {
			list[i].Places[place] = newRate(n, t.points.n)
		}
	}
	return list
}
