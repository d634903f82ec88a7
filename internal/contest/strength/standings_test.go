package strength

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// long tells whether the long samples of the tests are wanted.
var long = os.Getenv("SPARROWHALL_LONG") != ""

func sample(quick, thorough int) int {
	if long {
		return thorough
	}
	return quick
}

func newTournament(t testing.TB, p arena.Plan) (*dataset.Run, *Tally) {
	t.Helper()
	s, err := arena.New(p)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := configs.Open("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{
		Ruleset: rules, Seed: p.Seed, Matches: s.Matches(), FileMatches: dataset.DefaultFileMatches,
		Tournament: &dataset.Tournament{Schedule: s},
	}
	for i := range p.Agents {
		run.Agents = append(run.Agents, fmt.Sprintf("agent%d", i))
	}
	if err := run.Check(); err != nil {
		t.Fatal(err)
	}
	tally, err := NewTally(run)
	if err != nil {
		t.Fatal(err)
	}
	return run, tally
}

// world makes the scores of synthetic players: strength, what the walls give a
// seat, how the walls suit an agent, and luck. The higher score is ahead.
type world struct {
	strength []float64
	// The deviations of what the walls give a seat and of how they suit an agent.
	seat, suit float64
	// luck returns the luck of one player in one match.
	luck func(*rand.Rand) float64
	// linear lets placement points be the scores themselves, not places.
	linear bool
}

func normal(r *rand.Rand) float64 { return r.NormFloat64() }

// gumbel is the luck under which the model of Plackett and Luce is exact.
func gumbel(r *rand.Rand) float64 { return -math.Log(r.ExpFloat64()) }

// byPlace are the placement points of a place.
var byPlace = [4]float64{15, 5, -5, -15}

// play adds the matches of the run, and calls look after each.
func (w *world) play(run *dataset.Run, seed uint64, add func([]schema.MatchRow)) {
	s := run.Tournament.Schedule
	r := rand.New(rand.NewPCG(seed, 7))
	var seats [4]float64
	suits := make([]float64, len(w.strength))
	for index := range s.Matches() {
		_, agents := s.Match(index)
		set, seating := s.SetAndSeating(index)
		if seating == 0 {
			for i := range seats {
				seats[i] = w.seat * r.NormFloat64()
			}
			for i := range suits {
				suits[i] = w.suit * r.NormFloat64()
			}
		}
		rows := make([]schema.MatchRow, 4)
		var scores [4]float64
		for p, a := range agents {
			scores[p] = w.strength[a] + seats[p] + suits[a] + w.luck(r)
			rows[p] = schema.MatchRow{Match: index, Player: uint8(p), Agent: a, Points: int32(1000 * scores[p]), WallSet: set, Seating: uint8(seating)}
		}
		for p := range rows {
			rank := 0
			for q := range rows {
				if scores[q] > scores[p] {
					rank++
				}
			}
			rows[p].Rank = uint8(rank + 1)
			placement := byPlace[rank]
			if w.linear {
				placement = scores[p]
			}
			rows[p].Placement = int32(math.Round(placement * ruleset.PlacementUnit))
		}
		add(rows)
	}
}

func compute(t testing.TB, tally *Tally) *Standings {
	t.Helper()
	s, err := tally.Compute()
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(s.Agents, func(a, b Agent) int { return a.Number - b.Number })
	return s
}

// TestRatings checks that strengths are found again, in lineups of all kinds.
func TestRatings(t *testing.T) {
	for _, c := range []struct {
		plan     arena.Plan
		strength []float64
	}{
		{arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: 4000}, []float64{0.9, 0.2, -0.1, -1}},
		{arena.Plan{Seed: 1, Agents: 7, Selection: arena.SampledLineups, Seatings: 4, Rounds: 1000}, []float64{1.2, 0.8, 0, 0, -0.3, -0.7, -1}},
		{arena.Plan{Seed: 1, Agents: 2, Selection: arena.EveryLineup, Repeats: true, Seatings: 4, Rounds: 2000}, []float64{0.25, -0.25}},
		{arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 24, Rounds: 700}, []float64{0.5, 0.5, -0.5, -0.5}},
	} {
		run, tally := newTournament(t, c.plan)
		w := world{strength: c.strength, luck: gumbel}
		w.play(run, 3, tally.Add)
		s := compute(t, tally)
		if s.Matches != run.Matches || s.Sets != run.Tournament.Schedule.Sets() {
			t.Errorf("%+v: %d matches, %d sets", c.plan, s.Matches, s.Sets)
		}
		for i, a := range s.Agents {
			want := Elo * c.strength[i]
			// The intervals are about two deviations each way.
			if e := a.Rating; math.Abs(float64(e.Value)-want) > float64(e.High-e.Low) || e.High-e.Low > 30 {
				t.Errorf("%+v: rating of agent %d: %v, want %.1f", c.plan, i, e, want)
			}
		}
		for _, p := range s.Pairs {
			want := 1 / (1 + math.Exp(c.strength[p.B]-c.strength[p.A]))
			if math.Abs(float64(p.Ahead.Value)-want) > 0.02 {
				t.Errorf("%+v: agent %d ahead of %d: %v, want %.3f", c.plan, p.A, p.B, p.Ahead, want)
			}
		}
	}
}

func of(agents ...uint8) (c choice) {
	c.n = uint8(copy(c.agents[:], agents))
	return c
}

// TestFitByHand compares fits with strengths that are easily found by other means.
func TestFitByHand(t *testing.T) {
	m := model{choices: []choice{of(0, 1)}, counts: []float64{100}, chosen: []float64{80, 20}}
	x, err := m.fit(make(strengths, 2))
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Log(4); math.Abs(x[0]-x[1]-want) > 0.01 || math.Abs(x[0]+x[1]) > 1e-12 {
		t.Errorf("%v, want a difference of %v", x, want)
	}
	m.fixed = []bool{false, true}
	if x, err = m.fit(strengths{0, 3}); err != nil || x[1] != 3 || math.Abs(x[0]-3-math.Log(4)) > 0.02 {
		t.Errorf("%v, want a difference of %v from 3", x, math.Log(4))
	}
	// Whoever always wins is far ahead, not infinitely.
	m = model{choices: []choice{of(0, 1)}, counts: []float64{1000}, chosen: []float64{1000, 0}}
	if x, err = m.fit(make(strengths, 2)); err != nil || x[0]-x[1] < 5 || x[0]-x[1] > 20 {
		t.Errorf("%v, %v", x, err)
	}
	// Two places of one agent against one of another, who is as strong.
	m = model{choices: []choice{of(0, 0, 1)}, counts: []float64{300}, chosen: []float64{200, 100}}
	if x, err = m.fit(make(strengths, 2)); err != nil || math.Abs(x[0]-x[1]) > 1e-6 {
		t.Errorf("%v, %v", x, err)
	}
}

// TestSlope compares gradient and Hessian with differences.
func TestSlope(t *testing.T) {
	m := model{
		choices: []choice{of(0, 1), of(0, 1, 2), of(0, 0, 2, 2)}, counts: []float64{5, 7, 11}, chosen: []float64{9, 6, 8},
		total: 23,
	}
	x := []float64{0.3, -0.2, 0.7}
	slope, moved := make([]float64, 3), make([]float64, 3)
	m.gradient(slope, x)
	h := mat.NewSymDense(3, nil)
	m.hessian(h, x)
	const step = 1e-6
	for a := range x {
		y := slices.Clone(x)
		y[a] += step
		if d := (m.loss(y) - m.loss(x)) / step; math.Abs(d-slope[a]) > 1e-5 {
			t.Errorf("slope %d: %v, by differences %v", a, slope[a], d)
		}
		m.gradient(moved, y)
		for b := range x {
			if d := (moved[b] - slope[b]) / step; math.Abs(d-h.At(a, b)) > 1e-5 {
				t.Errorf("curvature %d %d: %v, by differences %v", a, b, h.At(a, b), d)
			}
		}
	}
}

// TestCoverage checks that 95 % intervals hold 19 times out of 20 where matches of a duplicate
// set depend on each other, for agents that are equally good, at few sets and at many.
func TestCoverage(t *testing.T) {
	trials := sample(200, 2000)
	w := world{strength: make([]float64, 4), seat: 1, suit: 0.7, luck: normal}
	for _, rounds := range []uint64{LeastSets, 16, 50} {
		covered := map[string]int{}
		naive := 0
		for trial := range trials {
			run, tally := newTournament(t, arena.Plan{Seed: uint64(trial), Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: rounds})
			var single []float64
			w.play(run, uint64(trial), func(rows []schema.MatchRow) {
				tally.Add(rows)
				for i := range rows {
					if rows[i].Agent == 0 {
						single = append(single, float64(rows[i].Placement)/ruleset.PlacementUnit)
					}
				}
			})
			s := compute(t, tally)
			holds := func(name string, e Estimate, truth interval.Number) {
				if e.Low <= truth && truth <= e.High {
					covered[name]++
				}
			}
			for _, a := range s.Agents {
				holds("placement", a.Placement, 0)
				holds("rating", a.Rating, 0)
				holds("first", a.Places[0], 0.25)
			}
			for _, p := range s.Pairs {
				holds("ahead", p.Ahead, 0.5)
				holds("difference", p.Difference, 0)
				holds("rating difference", p.Rating, 0)
			}
			mean, half := meanOfIndependent(single)
			if math.Abs(mean) <= half {
				naive++
			}
		}
		perTrial := map[string]int{"placement": 4, "rating": 4, "first": 4, "ahead": 6, "difference": 6, "rating difference": 6}
		// The figures of a tournament depend on each other, so its trials count.
		slack := 3 * math.Sqrt(0.05*0.95/float64(trials))
		for name, n := range perTrial {
			share := float64(covered[name]) / float64(n*trials)
			t.Logf("| %s | %d | %.3f |", name, rounds, share)
			if long && (share < 0.94 || share > 0.97) || share < 0.93-slack || share > 0.99 {
				t.Errorf("%s, %d sets: intervals hold in %.3f of the cases", name, rounds, share)
			}
		}
		if share := float64(naive) / float64(trials); long && rounds > LeastSets && share > 0.935 {
			t.Errorf("intervals that take matches as independent hold in %.3f of the cases: the sample tells nothing", share)
		}
	}
}

// TestWidth holds intervals of 50 duplicate sets, which TestCoverage finds honest, against those of a
// bootstrap over the sets, the yardstick that assumes nothing: they are at most a tenth wider.
func TestWidth(t *testing.T) {
	const sets = 50
	trials, draws := sample(4, 40), sample(200, 1000)
	w := world{strength: make([]float64, 4), seat: 1, suit: 0.7, luck: normal}
	var width, yardstick float64
	for trial := range trials {
		run, tally := newTournament(t, arena.Plan{Seed: uint64(trial), Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: sets})
		var rows []schema.MatchRow
		w.play(run, uint64(trial), func(r []schema.MatchRow) {
			tally.Add(r)
			rows = append(rows, r...)
		})
		pair := compute(t, tally).Pairs[0]
		width += float64(pair.Rating.High - pair.Rating.Low)
		r := rand.New(rand.NewPCG(uint64(trial), 8))
		var values []float64
		for range draws {
			again, err := NewTally(run)
			if err != nil {
				t.Fatal(err)
			}
			for i := range sets {
				set := slices.Clone(rows[16*r.IntN(sets):][:16])
				for j := range set {
					set[j].Match = uint64(4*i + j/4)
				}
				for m := range slices.Chunk(set, 4) {
					again.Add(m)
				}
			}
			values = append(values, float64(compute(t, again).Pairs[0].Rating.Value))
		}
		slices.Sort(values)
		yardstick += values[draws*39/40] - values[draws/40]
	}
	if ratio := width / yardstick; ratio > 1.1 || ratio < 0.9 {
		t.Errorf("intervals are %.3f times as wide as those of a bootstrap", ratio)
	} else {
		t.Logf("%.3f times as wide", ratio)
	}
}

// TestNullTournaments holds that tournaments of equal agents by all schedules separate no pair
// with fewer than LeastSets common duplicate sets, and few of the others.
func TestNullTournaments(t *testing.T) {
	for _, p := range []arena.Plan{
		{Agents: 4, Selection: arena.EveryLineup, Rounds: 3},
		{Agents: 6, Selection: arena.EveryLineup, Rounds: 2},
		{Agents: 2, Selection: arena.EveryLineup, Repeats: true, Rounds: 1},
		{Agents: 8, Selection: arena.FirstAgainstOthers, Rounds: 1},
		{Agents: 24, Selection: arena.SampledLineups, Rounds: 3},
		{Agents: 24, Selection: arena.SampledLineups, Rounds: 30},
		{Agents: 12, Selection: arena.Swiss, Rounds: 3, SetsPerTable: arena.SwissSets(4)},
		{Agents: 8, Selection: arena.ListedLineups, Rounds: 1, SetsPerTable: 3, Lineups: [][4]uint8{{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 2, 4, 6}}},
	} {
		p.Seatings = 4
		separated, neighbors := 0, 0
		for trial := range sample(10, 200) {
			p.Seed = uint64(trial)
			run, tally := newTournament(t, p)
			w := world{strength: make([]float64, p.Agents), seat: 1, suit: 0.5, luck: normal}
			w.play(run, uint64(trial), func(rows []schema.MatchRow) {
				tally.Add(rows)
				run.Tournament.Add(rows)
			})
			s, err := tally.Compute()
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Pairs) != p.Agents*(p.Agents-1)/2 {
				t.Fatalf("%+v: %d pairs", p, len(s.Pairs))
			}
			r := &Result{Standings: s}
			for i := range s.Agents[1:] {
				pair := r.pair(s.Agents[i].Number, s.Agents[i+1].Number)
				neighbors++
				if pair.Separated() {
					separated++
				}
			}
			for _, pair := range s.Pairs {
				if pair.Sets < LeastSets && (pair.Separated() || pair.Ahead.Low.Known() || pair.Rating.Low.Known() || pair.Difference.Low.Known() || (pair.State == NotMet) != (pair.Sets == 0)) {
					t.Errorf("%+v: %+v", p, pair)
				}
			}
		}
		if share := float64(separated) / float64(neighbors); share > 0.05 {
			t.Errorf("%+v: %.3f of equal neighbors are separated", p, share)
		}
	}
}

// TestCoverageAtTheEdges checks the intervals of agents that hardly ever or nearly always
// come in a place or finish ahead, and of their ratings. The truth is the mean of many
// tournaments. With -v it prints rows of the table of docs/research/measurements.md.
func TestCoverageAtTheEdges(t *testing.T) {
	trials, rounds := sample(20, 400), uint64(60)
	w := world{strength: []float64{0.3, 0, -0.3, -3.3}, seat: 1, suit: 0.7, luck: normal}
	type figure struct {
		name string
		of   func(*Standings) Estimate
	}
	var figures []figure
	for a := range w.strength {
		agent := func(name string, of func(*Agent) Estimate) {
			figures = append(figures, figure{fmt.Sprintf("%s, agent %d", name, a), func(s *Standings) Estimate { return of(&s.Agents[a]) }})
		}
		for i, place := range []string{"first", "second", "third", "fourth"} {
			agent(place, func(a *Agent) Estimate { return a.Places[i] })
		}
		agent("placement points", func(a *Agent) Estimate { return a.Placement })
		agent("rating", func(a *Agent) Estimate { return a.Rating })
	}
	for i := range 6 {
		pair := func(name string, of func(*Pair) Estimate) {
			figures = append(figures, figure{fmt.Sprintf("%s, pair %d", name, i), func(s *Standings) Estimate { return of(&s.Pairs[i]) }})
		}
		pair("ahead", func(p *Pair) Estimate { return p.Ahead })
		pair("difference", func(p *Pair) Estimate { return p.Difference })
		pair("variance reduction", func(p *Pair) Estimate { return p.Reduction })
	}
	figures = append(figures, figure{"variance reduction", func(s *Standings) Estimate { return s.Reduction }})
	truth := make([]float64, len(figures))
	run, tally := newTournament(t, arena.Plan{Seed: 99, Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: uint64(sample(10000, 100000))})
	w.play(run, 99, tally.Add)
	s := compute(t, tally)
	for i, f := range figures {
		truth[i] = float64(f.of(s).Value)
	}
	held := make([]int, len(figures))
	for trial := range trials {
		run, tally := newTournament(t, arena.Plan{Seed: uint64(trial), Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: rounds})
		w.play(run, uint64(trial), tally.Add)
		s := compute(t, tally)
		for i, f := range figures {
			if e := f.of(s); float64(e.Low) <= truth[i] && truth[i] <= float64(e.High) {
				held[i]++
			}
		}
	}
	sumHeld := 0
	for i, f := range figures {
		share := float64(held[i]) / float64(trials)
		t.Logf("| %s | %.4g | %.3f |", f.name, truth[i], share)
		sumHeld += held[i]
		if slack := 3 * math.Sqrt(0.07*0.93/float64(trials)); share < 0.93-slack {
			t.Errorf("%s, in truth %.4g: covered in %.3f of the tournaments", f.name, truth[i], share)
		}
	}
	if mean := float64(sumHeld) / float64(len(figures)*trials); mean < 0.93 {
		t.Errorf("covered in %.3f of the cases", mean)
	}
}

// meanOfIndependent returns a mean and half of its 95 % interval, were the cases
// independent.
func meanOfIndependent(x []float64) (mean, half float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	squares := 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return mean, 1.96 * math.Sqrt(squares) / float64(len(x))
}

// TestReduction checks the measured gain of duplicate walls where it is known:
// what the walls give the seats cancels, luck remains.
func TestReduction(t *testing.T) {
	for _, c := range []struct {
		plan       arena.Plan
		seat, suit float64
		want       float64
	}{
		{arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: 6000}, 1, 0, 2},
		{arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 24, Rounds: 1500}, 1, 0, 2},
		{arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: 6000}, 0, 0, 1},
		// What suits an agent comes again in every seating: (1+1)/(1+4).
		{arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: 6000}, 0, 1, 0.4},
		// Agents of different strength in different lineups add nothing.
		{arena.Plan{Seed: 1, Agents: 3, Selection: arena.EveryLineup, Repeats: true, Seatings: 4, Rounds: 600}, 1, 0, 2},
	} {
		run, tally := newTournament(t, c.plan)
		w := world{strength: []float64{1, 0, -1, 0}[:c.plan.Agents], seat: c.seat, suit: c.suit, luck: normal, linear: true}
		w.play(run, 5, tally.Add)
		s := compute(t, tally)
		if e := s.Reduction; math.Abs(float64(e.Value)-c.want) > 0.07*c.want || e.Low > e.Value || e.High < e.Value || e.High-e.Low > 0.3*interval.Number(c.want) {
			t.Errorf("%+v: reduction %v, want %v", c, e, c.want)
		}
	}
}

// TestLeaderError checks that a tournament of equally good agents that is looked
// at again and again names a leader no more often than is allowed, and that one
// with a best agent names it.
func TestLeaderError(t *testing.T) {
	const alpha = 0.05
	for _, c := range []struct {
		agents int
		rounds uint64
		second float64 // strength of the agents after the first two
	}{
		{2, 170, 0}, {3, 40, 0}, {4, 500, 0}, {4, 500, -0.5}, {6, 40, 0}, {6, 40, -1},
	} {
		t.Run(fmt.Sprintf("%d agents, all but two of strength %v", c.agents, c.second), func(t *testing.T) {
			trials := sample(24, 1000)
			plan := arena.Plan{Agents: c.agents, Selection: arena.EveryLineup, Repeats: c.agents < 4, Seatings: 4, Rounds: c.rounds}
			w := world{strength: make([]float64, c.agents), seat: 1, suit: 0.5, luck: normal}
			for a := 2; a < c.agents; a++ {
				w.strength[a] = c.second
			}
			named, naive := 0, 0
			for trial := range trials {
				plan.Seed = uint64(trial)
				run, tally := newTournament(t, plan)
				run.Tournament.UntilClear = alpha
				l := NewLeader(run, tally)
				leader, apart := false, false
				look := l.Next(0)
				w.play(run, uint64(trial), func(rows []schema.MatchRow) {
					tally.Add(rows)
					if m := rows[0].Match + 1; m == min(look, run.Matches) {
						leader = leader || l.Decided()
						apart = apart || m >= 256 && fixedApart(tally)
						look = l.Next(look)
					}
				})
				if leader {
					named++
				}
				if apart {
					naive++
				}
			}
			rate, slack := float64(named)/float64(trials), 3*math.Sqrt(alpha*(1-alpha)/float64(trials))
			t.Logf("| %d | %v | %.3f | %.3f |", c.agents, c.second, rate, float64(naive)/float64(trials))
			if rate > alpha+slack {
				t.Errorf("%+v: a leader is named in %.3f of the tournaments without one", c, rate)
			}
			// What is allowed is used where it can be: between two.
			if (c.agents == 2 || c.second < 0) && long && rate < alpha/2 {
				t.Errorf("%+v: an error in %.3f of the tournaments only", c, rate)
			}
			if rate := float64(naive) / float64(trials); rate < 2*alpha {
				t.Errorf("%+v: an interval for one look errs in %.3f of the cases only: the looks are too few to tell anything", c, rate)
			}
		})
	}
	found, wrong := 0, 0
	w := world{strength: []float64{0, 0.5, 0, 0}, seat: 1, luck: normal}
	for trial := range 40 {
		run, tally := newTournament(t, arena.Plan{Seed: uint64(trial), Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: 400})
		w.play(run, uint64(trial), tally.Add)
		run.Tournament.UntilClear = alpha
		if agent := NewLeader(run, tally).Agent(); agent != nil && *agent == 1 {
			found++
		} else if agent != nil {
			wrong++
		}
	}
	if found < 38 || wrong > 0 {
		t.Errorf("the best agent is named in %d of 40 tournaments, another in %d", found, wrong)
	}
}

// fixedApart tells whether the 95 % interval for a single look tells agents 0 and 1
// apart.
func fixedApart(t *Tally) bool {
	gain := &t.pair(0, 1).gain
	return math.Abs(gain.mean()) > 1.96*gain.deviation()*math.Sqrt((gain.sets-1)/gain.sets)
}

// TestBound compares bounds with Pocock's table 1 (1977) for looks at equal distances,
// and with the interval for one look.
func TestBound(t *testing.T) {
	for looks, want := range map[int]float64{1: 1.960, 2: 2.178, 5: 2.413, 10: 2.555} {
		var times []float64
		for i := range looks {
			times = append(times, float64(i+1))
		}
		if got := crossing(times, want); math.Abs(got-0.05) > 2e-4 {
			t.Errorf("%d looks at bound %v: error rate %.4f, want 0.05", looks, want, got)
		}
	}
	// The last look may come soon after the one before, and adds the less.
	least := crossing([]float64{100, 112}, 1.96)
	for _, last := range []float64{100.001, 100.1, 101} {
		if got := crossing([]float64{100, 112, 1.12 * last}, 1.96); got < least || got > least+0.1*math.Sqrt(last/100-1)+1e-4 {
			t.Errorf("looks at 100, 112 and %v: %.5f, without the last %.5f", 1.12*last, got, least)
		}
	}
	bound := func(rounds uint64) float64 {
		run, tally := newTournament(t, arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: rounds})
		run.Tournament.UntilClear = 0.05
		return NewLeader(run, tally).bound
	}
	if a, b := bound(500), bound(530); math.Abs(a-b) > 0.02 || a < 2.3 || a > 2.6 {
		t.Errorf("bounds %v and %v", a, b)
	}
}

// TestTies checks that ties count as all orders of those who tie.
func TestTies(t *testing.T) {
	m := Ranking{Agents: [4]uint8{0, 1, 2, 3}, Ranks: [4]uint8{1, 2, 2, 4}, Seats: 4}
	counts, chosen := map[choice]int{}, [4]int{}
	m.visit(func(c choice, ahead uint8, weight int) {
		counts[c] += weight
		chosen[ahead] += weight
	})
	// The second choice is 1 or 2 by half, the third the other by half.
	if chosen != [4]int{24, 24, 24, 0} {
		t.Errorf("chosen %v/24 times", chosen)
	}
	if want := (map[choice]int{of(0, 1, 2, 3): 24, of(1, 2, 3): 24, of(1, 3): 12, of(2, 3): 12}); !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
	if ahead, all := m.ahead(1, 2); ahead != 0.5 || all != 1 {
		t.Errorf("1 and 2 tie, but count %v of %v", ahead, all)
	}
}

// TestSame checks that agents that do the same are told to be, and that figures
// that cannot be known are null.
func TestSame(t *testing.T) {
	w := world{strength: make([]float64, 4), seat: 1, luck: func(*rand.Rand) float64 { return 0 }}
	for _, seatings := range []int{arena.Permutations(4), arena.Rotations(4)} {
		run, tally := newTournament(t, arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: seatings, Rounds: 20})
		run.Tournament.UntilClear = 0.05
		w.play(run, 1, tally.Add)
		s := compute(t, tally)
		for _, p := range s.Pairs {
			if p.State != Identical || p.Separated() || p.Difference.Value != 0 || p.Difference.Low.Known() || p.Rating.Low.Known() {
				t.Errorf("%+v", p)
			}
		}
		for _, a := range s.Agents {
			if math.Abs(float64(a.Rating.Value)) > 1e-6 || a.Rating.Low.Known() || a.Placement.Value != 0 || a.Placement.Low.Known() {
				t.Errorf("%+v", a)
			}
		}
		b, err := json.Marshal(s)
		if err != nil || !strings.Contains(string(b), `"variance_reduction":{"value":null,"low":null,"high":null}`) {
			t.Errorf("%v: %s", err, b)
		}
		if NewLeader(run, tally).Decided() {
			t.Error("one of equal agents is clear")
		}
		r, err := NewResult(run, tally, nil)
		if err != nil {
			t.Fatal(err)
		}
		if list := r.Neighbors(); len(list) != 1 || !strings.HasPrefix(list[0].String(), "The same result as the agent above in every duplicate set") {
			t.Error(list)
		}
	}
	// Fewer than LeastSets have no interval.
	run, tally := newTournament(t, arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: LeastSets - 1})
	w.luck = normal
	w.play(run, 1, tally.Add)
	if s := compute(t, tally); s.Agents[0].Placement.Low.Known() || s.Agents[0].Rating.Low.Known() || s.Agents[0].Places[0].Low.Known() || s.Reduction.Low.Known() {
		t.Errorf("%+v", s.Agents[0])
	}
}

// TestNoPlacement holds that agents are compared by points where the ruleset has no
// placement points.
func TestNoPlacement(t *testing.T) {
	run, _ := newTournament(t, arena.Plan{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: 4, Rounds: 100})
	var err error
	if run.Ruleset, err = configs.Open("hkma_hktw"); err != nil {
		t.Fatal(err)
	}
	tally, err := NewTally(run)
	if err != nil {
		t.Fatal(err)
	}
	w := world{strength: []float64{0, 2, 0, 0}, seat: 1, luck: normal}
	w.play(run, 1, func(rows []schema.MatchRow) {
		for i := range rows {
			rows[i].Placement = 0
		}
		tally.Add(rows)
	})
	run.Tournament.UntilClear = 0.05
	if agent := NewLeader(run, tally).Agent(); agent == nil || *agent != 1 {
		t.Errorf("agent %v is clear", agent)
	}
	s, err := tally.Compute()
	if err != nil {
		t.Fatal(err)
	}
	// A unit of strength is 1,000 units, which are 500 points.
	if s.Agents[0].Number != 1 || math.Abs(float64(s.Pairs[0].Difference.Value)+1000) > 100 {
		t.Errorf("first is agent %d, difference %v", s.Agents[0].Number, s.Pairs[0].Difference)
	}
}

func TestNoTournament(t *testing.T) {
	if _, err := NewTally(&dataset.Run{}); err == nil {
		t.Error("a run of four agents has standings")
	}
}

func BenchmarkCompute(b *testing.B) {
	for _, agents := range []int{4, 8} {
		b.Run(fmt.Sprint(agents), func(b *testing.B) {
			run, tally := newTournament(b, arena.Plan{Seed: 1, Agents: agents, Selection: arena.SampledLineups, Seatings: 4, Rounds: 500})
			w := world{strength: make([]float64, agents), seat: 1, suit: 1, luck: normal}
			w.play(run, 1, tally.Add)
			for b.Loop() {
				if _, err := tally.Compute(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	run, tally := newTournament(b, arena.Plan{Seed: 1, Agents: 8, Selection: arena.EveryLineup, Seatings: 4, Rounds: 50})
	var all [][]schema.MatchRow
	w := world{strength: make([]float64, 8), seat: 1, luck: normal}
	w.play(run, 1, func(rows []schema.MatchRow) { all = append(all, rows) })
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tally.Add(all[i%len(all)])
	}
}
