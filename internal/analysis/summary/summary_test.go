package summary

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// near allows for the digits the sources give.
func near(a, b float64) bool { return math.Abs(a-b) < 5e-5 }

// The intervals are those of Clopper and Pearson's tables.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		count, n        uint64
		rate, low, high float64
	}{
		{0, 0, 0, 0, 1},
		{0, 10, 0, 0, 0.3085},
		{10, 10, 1, 0.6915, 1},
		{10, 100, 0.1, 0.0490, 0.1762},
		{1, 2, 0.5, 0.0126, 0.9874},
	} {
		r := newRate(c.count, c.n)
		if r.Count != c.count || r.Of != c.n || !near(r.Rate, c.rate) || !near(r.Low, c.low) || !near(r.High, c.high) {
			t.Errorf("%d of %d: %+v", c.count, c.n, r)
		}
	}
}

// Of 1 to 10 the standard error is 0.9574; t with nine degrees of freedom 2.2622. Fewer than ten
// cases have no interval.
func TestMean(t *testing.T) {
	var m moments
	for n := range uint64(10) {
		if s := m.summary(); s.Count != n || s.Mean != float64(n+1)/2 && n > 0 || s.Interval != nil {
			t.Errorf("%d cases: %+v", n, s)
		}
		m.add(float64(n + 1))
	}
	s := m.summary()
	if s.Count != 10 || s.Mean != 5.5 || s.Interval == nil || !near(s.Interval[0], 3.3341) || !near(s.Interval[1], 7.6659) {
		t.Errorf("ten: %+v %v", s, s.Interval)
	}
}

func TestSummary(t *testing.T) {
	four := &ruleset.Rules{}
	s := New(four)
	for _, r := range []schema.MatchRow{
		{Match: 0, Player: 0, Agent: 0, Points: 40000, Rank: 1, Placement: 15 * 120, Hands: 8, Wins: 3, SelfDraws: 1, Readies: 4, Calls: 2, Draws: 1, Decisions: 90},
		{Match: 0, Player: 1, Agent: 1, Points: 20000, Rank: 2, Placement: -60, Hands: 8, DealIns: 2, Draws: 1, Decisions: 80, Forfeited: true},
		{Match: 1, Player: 0, Agent: 1, Points: 30000, Rank: 1, Hands: 4, Draws: 4, Decisions: 10, Truncated: true},
		{Match: 1, Player: 3, Agent: 0, Points: 30000, Rank: 1, Hands: 4, Draws: 4, Decisions: 20, Truncated: true},
	} {
		s.Add(&r)
	}
	if s.Matches != 2 || s.Hands != 12 || s.Decisions != 200 || s.Truncated != 1 {
		t.Errorf("%+v", s)
	}
	list := s.Agents()
	first := list[0]
	if first.Matches != 2 || first.Places[0].Count != 2 || first.Points.Mean != 35000 || first.Placement.Mean != 7.5 || first.Hands != 12 ||
		first.Wins.Count != 3 || first.SelfDraws.Count != 1 || first.Readies.Count != 4 || first.Calls.Count != 2 || first.Draws.Count != 5 || first.DealIns.Count != 0 {
		t.Errorf("%+v", first)
	}
	second := list[1]
	if second.Places[0].Count != 1 || second.Places[1].Count != 1 || second.Places[1].Of != 2 || second.DealIns.Count != 2 || second.DealIns.Of != 12 || second.Forfeits != 1 || second.Placement.Mean != -0.25 {
		t.Errorf("%+v", second)
	}
	var none AgentSummary
	for range 4 {
		none.Places = append(none.Places, newRate(0, 0))
	}
	for _, r := range []*Rate{&none.Wins, &none.SelfDraws, &none.DealIns, &none.Readies, &none.Calls, &none.Draws} {
		*r = newRate(0, 0)
	}
	if d := cmp.Diff(none, list[2]); d != "" {
		t.Error(d)
	}
	three := *four
	three.Seats = ruleset.ThreeSeats
	if s := New(&three); len(s.Agents()) != 3 || len(s.Seats()) != 3 || len(s.Together().Places) != 3 {
		t.Errorf("three players: %+v", s)
	}
}
