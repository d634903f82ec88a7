package summary

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// The intervals are those of a report of the same dataset, whose clusters are matches.
func TestAsReport(t *testing.T) {
	rules, err := configs.Open("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	exporttest.Play(t, &dataset.Run{
		Ruleset: rules, Seed: 5, Matches: 20, FileMatches: 64, Record: schema.Matches,
		Agents: []string{"greedy", "value", "random", "tsumogiri"},
	}, dir)
	r, err := stats.Collect(t.Context(), []string{dir}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := New(rules.Rules())
	for row, err := range d.MatchRows() {
		if err != nil {
			t.Fatal(err)
		}
		s.Add(&row)
	}
	for i, name := range d.Run.Agents {
		a := s.Agents()[i]
		for figure, got := range map[string]Rate{"win": a.Wins, "deal_in": a.DealIns, "ready": a.Readies, "call": a.Calls, "draw": a.Draws, "first": a.Places[0]} {
			want := r.Datasets[0].Figure(stats.Key{Section: stats.SectionAgent, Name: figure, Of: name})
			if d := cmp.Diff(Rate{uint64(want.Sum), uint64(want.Count), want.Value, want.Low, want.High}, got, cmpopts.EquateNaNs()); d != "" {
				t.Errorf("%s, %s: %s", name, figure, d)
			}
		}
		want := r.Datasets[0].Figure(stats.Key{Section: stats.SectionAgent, Name: "points", Of: name})
		if m := a.Points; m.Mean != want.Value || m.Interval == nil || *m.Interval != [2]float64{float64(want.Low), float64(want.High)} {
			t.Errorf("%s: points %+v, want %+v", name, m, want)
		}
	}
}

// Of four equal players one wins each hand: the rate of wins is a quarter without any error, however
// many hands there are, and that of ready declarations is as sure as the matches differ.
func TestTogether(t *testing.T) {
	s := New(&ruleset.Rules{})
	for match := range uint64(20) {
		for player := range uint8(4) {
			r := schema.MatchRow{Match: match, Player: player, Agent: player, Rank: player + 1, Hands: 8, Wins: 2}
			if match%2 == 0 {
				r.Readies = 8
			}
			s.Add(&r)
		}
	}
	a := s.Together()
	if a.Wins.Count != 160 || a.Wins.Of != 640 || a.Wins.Rate != 0.25 || a.Wins.Low.Known() || a.Hands != 640 || a.Matches != 20 {
		t.Errorf("wins %+v of %d hands", a.Wins, a.Hands)
	}
	// That of 10 of 20 matches is from 0.27 to 0.73.
	if r := a.Readies; r.Rate != 0.5 || r.Low > 0.28 || r.High < 0.72 {
		t.Errorf("ready %+v", r)
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
	if none := list[2]; none.Matches != 0 || none.Hands != 0 || none.Wins.Low.Known() || none.Points.Interval != nil {
		t.Errorf("an agent without matches: %+v", none)
	}
	three := *four
	three.Seats = ruleset.ThreeSeats
	if s := New(&three); len(s.Agents()) != 3 || len(s.Seats()) != 3 || len(s.Together().Places) != 3 {
		t.Errorf("three players: %+v", s)
	}
}
