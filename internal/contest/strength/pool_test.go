package strength

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
				p.Add(p.Sets(), set)
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
					truth := Elo * (strength[a] - strength[b])
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

// TestLuckOfFewSets holds that luck-adjusted intervals cover as they should at few duplicate sets and
// at many, where luck decides half of a result.
func TestLuckOfFewSets(t *testing.T) {
	strength := []float64{0.2, -0.2}
	r := rand.New(rand.NewPCG(5, 50))
	pools := sample(400, 3000)
	slack := 3 * math.Sqrt(0.05*0.95/float64(pools))
	for _, sets := range []int{LeastSets, leastAdjusted, 16, 50} {
		covered, width, raw := 0, 0.0, 0.0
		for range pools {
			p, err := NewPool(len(strength))
			if err != nil {
				t.Fatal(err)
			}
			without, err := NewPool(len(strength))
			if err != nil {
				t.Fatal(err)
			}
			for n := range sets {
				var set, unknown []Ranking
				for range 4 {
					m := drawRanking(r, strength, [sim.NumPlayers]uint8{0, 0, 1, 1})
					for i := range m.Luck {
						m.Luck[i] += float32(1.3 * r.NormFloat64())
					}
					set = append(set, m)
					m.Luck = [sim.NumPlayers]float32{}
					unknown = append(unknown, m)
				}
				p.Add(n, set)
				without.Add(n, unknown)
			}
			f, err := p.Fit()
			if err != nil {
				t.Fatal(err)
			}
			plain, err := without.Fit()
			if err != nil {
				t.Fatal(err)
			}
			e, truth := f.Difference(0, 1), Elo*(strength[0]-strength[1])
			if float64(e.Low) <= truth && truth <= float64(e.High) {
				covered++
			}
			width += float64(e.High - e.Low)
			before := plain.Difference(0, 1)
			raw += float64(before.High - before.Low)
		}
		share := float64(covered) / float64(pools)
		t.Logf("| %d | %.3f | %.2f |", sets, share, width/raw)
		if share < 0.94-slack || share > 0.96+slack {
			t.Errorf("%d duplicate sets: covered in %.3f of the pools", sets, share)
		}
		if width > raw {
			t.Errorf("%d duplicate sets: luck adjustment widens intervals, %.2f", sets, width/raw)
		}
	}
}

// TestFixed holds that strengths are found on the scale of fixed ones, with an interval that
// covers as it should at few sets and at many, and that sets on the same walls are one cluster.
func TestFixed(t *testing.T) {
	const walls = 12
	r := rand.New(rand.NewPCG(1, 2))
	strength := []float64{0, -1.5, 0, 0.5} // of the entrant first
	for _, sets := range []int{LeastSets, walls, 40} {
		covered, pools := 0, sample(150, 3000)
		for range pools {
			strength[0] = r.Float64()*2 - 1
			p, err := NewPool(len(strength))
			if err != nil {
				t.Fatal(err)
			}
			for a := 1; a < len(strength); a++ {
				p.Fix(a, 100+Elo*strength[a])
				for n := range sets {
					var set []Ranking
					for seat := range 4 {
						lineup := [4]uint8{uint8(a), uint8(a), uint8(a), uint8(a)}
						lineup[seat] = 0
						set = append(set, drawRanking(r, strength, lineup))
						set[seat].Luck = [4]float32{}
					}
					p.Add(n, set)
				}
			}
			f, err := p.Fit()
			if err != nil {
				t.Fatal(err)
			}
			if f.Sets[0] != sets || math.Abs(f.Elo[2]-100) > 1e-9 || f.Covariance.At(2, 2) != 0 {
				t.Fatalf("%d clusters, rating of a fixed agent %v with variance %v", f.Sets[0], f.Elo[2], f.Covariance.At(2, 2))
			}
			if e, truth := f.Rating(0), 100+Elo*strength[0]; float64(e.Low) <= truth && truth <= float64(e.High) {
				covered++
			}
		}
		share := float64(covered) / float64(pools)
		t.Logf("%d duplicate sets: covered in %.3f", sets, share)
		if share < 0.91 || share > 0.99 {
			t.Errorf("%d duplicate sets: covered in %.3f of the pools", sets, share)
		}
	}
}

// TestExtremes holds that an agent that won or lost all has a finite rating, and no interval, as
// no set differs from another.
func TestExtremes(t *testing.T) {
	for rank, above := range map[uint8]bool{1: true, 4: false} {
		p, err := NewPool(2)
		if err != nil {
			t.Fatal(err)
		}
		p.Fix(1, 0)
		m := Ranking{Agents: [4]uint8{0, 1, 1, 1}, Ranks: [4]uint8{rank, 2, 3, 5 - rank}, Seats: 4}
		if rank == 4 {
			m.Ranks = [4]uint8{4, 1, 2, 3}
		}
		for n := range 10 {
			p.Add(n, []Ranking{m, m, m, m})
		}
		f, err := p.Fit()
		if err != nil {
			t.Fatal(err)
		}
		if e := f.Rating(0); (e.Value > 0) != above || math.Abs(float64(e.Value)) > 3000 || e.Low.Known() {
			t.Errorf("place %d: %+v", rank, e)
		}
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
				p.Add(p.Sets(), set)
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
			if math.Abs(f.Elo[agents-1]-f.Elo[0]-Elo*(strength[agents-1]-strength[0])) < half {
				covered++
			}
		}
		if share := float64(covered) / pools; own >= LeastSets && share < 0.93 {
			t.Errorf("%d duplicate sets: the interval covers in %.2f of the pools", own, share)
		}
	}
}

// TestStates holds what is said of pairs: no interval and no order below LeastSets, nor where the
// spread cannot be estimated.
func TestStates(t *testing.T) {
	var one, two Ranking
	one = Ranking{Agents: [4]uint8{0, 1, 2, 3}, Ranks: [4]uint8{1, 2, 3, 4}, Seats: 4}
	two = Ranking{Agents: [4]uint8{0, 1, 2, 3}, Ranks: [4]uint8{1, 4, 3, 2}, Seats: 4}
	for sets := range 8 {
		h := NewHeadToHead(5)
		for n := range sets {
			h.Add([][]Ranking{{one, two}, {one, one}}[n%2])
		}
		oneSided, identical := h.Pair(0, 1), h.Pair(0, 4)
		want := OneSided
		switch {
		case sets == 0:
			want = NotMet
		case sets < LeastSets:
			want = FewSets
		}
		if oneSided.State != want || identical.State != NotMet || int(oneSided.Sets) != sets {
			t.Errorf("%d sets: %+v, %+v", sets, oneSided, identical)
		}
		if oneSided.Separated() != (sets >= leastOneSided) || oneSided.Ahead.Low.Known() != (sets >= LeastSets) {
			t.Errorf("%d sets: %+v", sets, oneSided)
		}
		p := h.Pair(3, 1)
		if want == OneSided {
			want = Compared
		}
		if p.State != want || p.A != 3 || sets > 1 && (p.Ahead.Value >= 0.5 || p.Ahead.Low > p.Ahead.High) {
			t.Errorf("%d sets: %+v", sets, p)
		}
	}
	h := NewHeadToHead(4)
	for range 20 {
		h.Add([]Ranking{one, two})
	}
	if p := h.Pair(1, 3); p.State != Identical || p.Ahead.Low.Known() || p.Separated() {
		t.Errorf("%+v", p)
	}
}
