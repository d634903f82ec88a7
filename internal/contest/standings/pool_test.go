package standings

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// drawRanking draws a match of four agents by the model of Plackett and Luce, as a race: the
// times are exponential, at rates that grow with the strength. luck is the noise that a
// control variate sees in part.
func drawRanking(r *rand.Rand, strength []float64, agents [sim.NumPlayers]uint8) Ranking {
	m := Ranking{Agents: agents, Seats: 4}
	var at [sim.NumPlayers]float64
	for p, a := range agents {
		noise := -math.Log(r.ExpFloat64())
		at[p] = strength[a] + noise
		m.Luck[p] = float32(noise)
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

// The ratings of pools of known strengths are those strengths, their intervals cover as often as
// they should, and luck makes them narrower without a bias.
func TestPool(t *testing.T) {
	strength := []float64{0.6, 0.3, 0.2, 0, -0.4, -0.7}
	const pools, sets = 60, 200
	r := rand.New(rand.NewPCG(1, 2))
	var covered, all int
	var variance [2]float64
	for range pools {
		for adjusted := range 2 {
			p, err := NewPool(len(strength))
			if err != nil {
				t.Fatal(err)
			}
			for range sets {
				perm := r.Perm(len(strength))
				lineup := [sim.NumPlayers]uint8{uint8(perm[0]), uint8(perm[1]), uint8(perm[2]), uint8(perm[3])}
				var set []Ranking
				for range 4 {
					m := drawRanking(r, strength, lineup)
					if adjusted == 0 {
						m.Luck = [sim.NumPlayers]float32{}
					}
					set = append(set, m)
				}
				p.Add(set)
			}
			f, err := p.Fit()
			if err != nil {
				t.Fatal(err)
			}
			if (f.Explained > 0) != (adjusted == 1) {
				t.Errorf("luck explains %v", f.Explained)
			}
			for a := range strength {
				for b := range a {
					all++
					truth := elo * (strength[a] - strength[b])
					deviation := f.Deviation(a, b)
					variance[adjusted] += deviation * deviation
					if math.Abs(f.Elo[a]-f.Elo[b]-truth) < 1.96*deviation {
						covered++
					}
				}
			}
		}
	}
	if share := float64(covered) / float64(all); share < 0.92 || share > 0.98 {
		t.Errorf("%.3f of the intervals cover the truth", share)
	}
	if ratio := variance[1] / variance[0]; ratio > 0.6 {
		t.Errorf("luck leaves %.2f of the variance", ratio)
	}
}

// Without luck a pool has the ratings of the standings of a tournament.
func TestPoolIsTally(t *testing.T) {
	strength := []float64{0.5, 0, -0.2, -0.3}
	r := rand.New(rand.NewPCG(3, 4))
	p, err := NewPool(4)
	if err != nil {
		t.Fatal(err)
	}
	choices := map[choice]float64{}
	m := choiceModel{chosen: make([]float64, 4)}
	for range 100 {
		x := drawRanking(r, strength, [sim.NumPlayers]uint8{0, 1, 2, 3})
		x.Luck = [sim.NumPlayers]float32{}
		p.Add([]Ranking{x})
		x.visit(func(c choice, ahead byte, weight float64) {
			choices[c] += weight
			m.chosen[ahead] += weight
		})
	}
	for c, n := range choices {
		m.choices, m.counts = append(m.choices, c), append(m.counts, n)
	}
	want, err := m.fit(make(strengths, 4))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Fit()
	if err != nil {
		t.Fatal(err)
	}
	for a := range want {
		if math.Abs(f.Elo[a]-elo*want[a]) > 0.01 {
			t.Errorf("agent %d: %v, want %v", a, f.Elo[a], elo*want[a])
		}
	}
	if _, err := NewPool(257); err == nil {
		t.Error("a pool of 257 agents")
	}
}

// TestNewcomers holds that the interval of an agent that has few duplicate sets in a pool with
// many covers its strength, and that below LeastSets there is none.
func TestNewcomers(t *testing.T) {
	const pools, agents, sets = 120, 12, 60
	r := rand.New(rand.NewPCG(3, 4))
	for _, own := range []int{2, LeastSets, 8} {
		covered := 0
		for range pools {
			strength := make([]float64, agents)
			for a := range strength {
				strength[a] = 0.3 * r.NormFloat64()
			}
			p, err := NewPool(agents)
			if err != nil {
				t.Fatal(err)
			}
			for n := range sets + own {
				perm := r.Perm(agents - 1)
				lineup := [sim.NumPlayers]uint8{uint8(perm[0]), uint8(perm[1]), uint8(perm[2]), uint8(perm[3])}
				if n >= sets {
					lineup[0] = agents - 1
				}
				var set []Ranking
				for range 4 {
					set = append(set, drawRanking(r, strength, lineup))
				}
				p.Add(set)
			}
			f, err := p.Fit()
			if err != nil {
				t.Fatal(err)
			}
			if f.Sets[agents-1] != own {
				t.Fatalf("%d duplicate sets of the newcomer, want %d", f.Sets[agents-1], own)
			}
			half, ok := f.Interval(agents-1, 0)
			if ok != (own >= LeastSets) {
				t.Fatalf("%d duplicate sets: an interval is %v", own, ok)
			}
			if math.Abs(f.Elo[agents-1]-f.Elo[0]-elo*(strength[agents-1]-strength[0])) < half {
				covered++
			}
		}
		if share := float64(covered) / pools; own >= LeastSets && share < 0.93 {
			t.Errorf("%d duplicate sets: the interval covers in %.2f of the pools", own, share)
		}
	}
}

// TestFewCommonSets holds that two agents with fewer than LeastSets common duplicate sets have
// no interval, however equal the sets are.
func TestFewCommonSets(t *testing.T) {
	h := NewHeadToHead(4)
	set := []Ranking{{Agents: [4]uint8{0, 1, 2, 3}, Ranks: [4]uint8{1, 2, 3, 4}, Seats: 4}}
	for n := range LeastSets {
		h.Add(set)
		_, half, sets := h.Share(0, 1)
		if int(sets) != n+1 || math.IsNaN(half) != (n+1 < LeastSets) {
			t.Errorf("%v duplicate sets: half-width %v", sets, half)
		}
		if n+1 == LeastSets && half < 0.1 {
			t.Errorf("%v equal duplicate sets: half-width %v", sets, half)
		}
	}
}
