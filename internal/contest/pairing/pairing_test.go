package pairing

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/sim"
)

// race draws the ranking of a match by the model of Plackett and Luce.
func race(r *rand.Rand, elo []float64, agents [sim.NumPlayers]uint8) strength.Ranking {
	m := strength.Ranking{Agents: agents, Seats: 4}
	var at [sim.NumPlayers]float64
	for p, a := range agents {
		at[p] = elo[a]/strength.Elo - math.Log(r.ExpFloat64())
	}
	for p := range at {
		m.Ranks[p] = 1
		for q := range at {
			if at[q] > at[p] {
				m.Ranks[p]++
			}
		}
	}
	return m
}

// topError plays so many matches of bots of known strength, by the pairings of the league or in
// a round robin, and returns the standard error of the mean difference between the first and
// the next two.
func topError(t *testing.T, r *rand.Rand, elo []float64, matches int, adaptive bool) float64 {
	t.Helper()
	p, err := strength.NewPool(len(elo))
	if err != nil {
		t.Fatal(err)
	}
	met := NewMeetings(len(elo))
	all := make([]int, len(elo))
	for i := range all {
		all[i] = i
	}
	for p.Matches() < matches {
		var lineups [][sim.NumPlayers]uint8
		if adaptive {
			var ratings *strength.Ratings
			if p.Matches() > 0 {
				if ratings, err = p.Fit(); err != nil {
					t.Fatal(err)
				}
			}
			pairer := New(4, ratings, all, met)
			lineups = pairer.Lineups(Tables(uint64(p.Matches()), uint64(matches-p.Matches()), 4), SetsPerTable)
		} else {
			perm := r.Perm(len(elo))
			lineups = [][sim.NumPlayers]uint8{{uint8(perm[0]), uint8(perm[1]), uint8(perm[2]), uint8(perm[3])}}
		}
		for _, lineup := range lineups {
			for range SetsPerTable {
				var set []strength.Ranking
				for range 4 {
					set = append(set, race(r, elo, lineup))
				}
				p.Add(p.Sets(), set)
				met.Add(set)
			}
		}
	}
	f, err := p.Fit()
	if err != nil {
		t.Fatal(err)
	}
	return math.Hypot(f.Deviation(0, 1), f.Deviation(0, 2)) / math.Sqrt2
}

// For the same standard error at the top the pairings of the league need at most 0.6 of the
// matches of a round robin. Standard errors fall with the square root of the matches, so their
// ratio says how many matches are needed.
func TestPairingGain(t *testing.T) {
	leagues, matches := 3, 4000
	if os.Getenv("SPARROWHALL_LONG") != "" {
		leagues, matches = 20, 20_000
	}
	for _, bots := range []int{8, 16} {
		r := rand.New(rand.NewPCG(1, uint64(bots)))
		var league, robin float64
		for range leagues {
			elo := make([]float64, bots)
			for i := range elo {
				elo[i] = -float64(i) * 160 / float64(bots) // the last is 150 points below the first
			}
			league += math.Pow(topError(t, r, elo, matches, true), 2)
			robin += math.Pow(topError(t, r, elo, matches, false), 2)
		}
		ratio := league / robin
		t.Logf("%d bots, %d matches: %.2f of the matches of a round robin", bots, matches, ratio)
		if ratio > 0.6 {
			t.Errorf("%d bots: %.2f of the matches of a round robin; want 0.6", bots, ratio)
		}
	}
}

// A bot that joins late, and pairs that have not met, come soon; two and three bots sit at a
// table more than once.
func TestPairings(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	elo := []float64{0, -20, -40, -60, -80, 10}
	p, err := strength.NewPool(len(elo))
	if err != nil {
		t.Fatal(err)
	}
	met := NewMeetings(len(elo))
	for range 300 {
		perm := r.Perm(5)
		set := []strength.Ranking{race(r, elo, [sim.NumPlayers]uint8{uint8(perm[0]), uint8(perm[1]), uint8(perm[2]), uint8(perm[3])})}
		p.Add(p.Sets(), set)
		met.Add(set)
	}
	f, err := p.Fit()
	if err != nil {
		t.Fatal(err)
	}
	late := 0
	lineups := New(4, f, []int{0, 1, 2, 3, 4, 5}, met).Lineups(8, SetsPerTable)
	for _, lineup := range lineups {
		for _, a := range lineup {
			if a == 5 {
				late++
			}
		}
	}
	if late < 6 {
		t.Errorf("the late bot has %d of 8 tables: %v", late, lineups)
	}
	for n := 2; n <= 3; n++ {
		active := []int{0, 1, 2}[:n]
		seen := map[[sim.NumPlayers]uint8]bool{}
		for _, lineup := range New(4, nil, active, met).Lineups(8, SetsPerTable) {
			counts := map[uint8]int{}
			for _, a := range lineup {
				counts[a]++
			}
			if len(counts) < 2 || int(lineup[3]) >= n {
				t.Errorf("%d bots: %v", n, lineup)
			}
			seen[lineup] = true
		}
		if n == 3 && len(seen) < 2 {
			t.Errorf("%d bots: always %v", n, seen)
		}
	}
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		matches, left uint64
		want          int
	}{{0, 1, 1}, {0, 16, 1}, {0, 17, 2}, {0, math.MaxUint64, 8}, {1 << 14, math.MaxUint64 / 2, 64}, {1 << 14, 100, 7}, {1 << 40, math.MaxUint64 / 2, 1024}} {
		if got := Tables(c.matches, c.left, 4); got != c.want {
			t.Errorf("%d matches, %d left: %d tables, want %d", c.matches, c.left, got, c.want)
		}
	}
}
