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
