package review

import (
	"math/rand/v2"
	"testing"
)

// TestNoMistakes holds that where no choice costs anything, few reviews find a mistake: the
// costs are those of real decisions, moved so that their mean is zero.
func TestNoMistakes(t *testing.T) {
	list, err := populations()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	const decisions = 40
	reviews, wrong := sampleSize(300, 3000), 0
	for range reviews {
		var r Review
		for range decisions {
			population := list[rng.IntN(len(list))]
			mean := float64(costOf(population).Cost)
			drawn := func(times int) Cost {
				costs := draw(rng, population, 100*times)
				for j := range costs {
					costs[j] -= mean
				}
				return costOf(costs)
			}
			d := Decision{first: drawn(1)}
			if d.Cost, d.Again = d.first, seemsCostly(&d.first); d.Again {
				d.Cost = drawn(againTimes)
			}
			r.Decisions = append(r.Decisions, d)
		}
		if r.findMistakes(); r.Noise.Mistakes > 0 {
			wrong++
		}
	}
	t.Logf("%d of %d reviews without mistakes find one", wrong, reviews)
	if wrong > reviews*8/100 {
		t.Errorf("%d of %d reviews find mistakes where no choice costs anything", wrong, reviews)
	}
}

// TestMistakes holds that a choice that always costs is found among others, with an interval
// above zero, and that a certain gain is none.
func TestMistakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var r Review
	for i := range 30 {
		sample := make([]float64, 100)
		for j := range sample {
			sample[j] = rng.NormFloat64() * 1000
			switch i {
			case 0:
				sample[j] += 700
			case 1:
				sample[j] -= 700
			}
		}
		r.Decisions = append(r.Decisions, Decision{Cost: costOf(sample), first: costOf(sample), Again: true})
	}
	r.findMistakes()
	d := &r.Decisions[0]
	if n := r.Noise; n.Mistakes != 1 || !d.Mistake || n.Compared != 30 || n.Clear < 1 || n.Chance != 0.75 {
		t.Fatalf("%+v", n)
	}
	if c := d.Corrected; !(c[0] > 0 && c[0] < d.Low && c[1] > d.High) {
		t.Errorf("corrected interval %v of %+v", *c, d.Cost)
	}
	if text := r.Noise.Text("en"); text != "By their first deals 1 of 30 decisions with another answer of the judge would cost points; "+
		"by chance alone about 0.75 would. Dealt again, as they might cost points or places: 30 decisions. "+
		"After correction for these 30 figures 1 is a mistake; chance alone would account for at most 0.05 of them." {
		t.Error(text)
	}
}
