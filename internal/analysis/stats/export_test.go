package stats

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Long reports whether the long samples of the tests are wanted.
var Long = long

// Simulation is matches under a ruleset and the same matches under a changed one, of which
// samples are drawn.
type Simulation struct {
	base, variant *population
	rng           *rand.Rand
}

// Simulate plays the matches of a simulation.
func Simulate(t *testing.T, ruleset string, knobs map[string]any, matches uint64, names ...string) *Simulation {
	return &Simulation{populate(t, ruleset, nil, matches, names...), populate(t, ruleset, knobs, matches, names...), rand.New(rand.NewPCG(35, 1))}
}

// draw returns two samples of matches: of both rulesets in pairs, in which each match is under
// either at random, or of the ruleset without changes alone. In neither case do they differ but
// by chance.
func (s *Simulation) draw(size int, paired bool) (a, b *population) {
	a, b = &population{defs: s.base.defs}, &population{defs: s.base.defs}
	for range size {
		i := s.rng.IntN(len(s.base.y))
		first, second, j := s.base, s.base, s.rng.IntN(len(s.base.y))
		if paired {
			if second, j = s.variant, i; s.rng.IntN(2) == 0 {
				first, second = second, first
			}
		}
		a.y, a.x = append(a.y, first.y[i]), append(a.x, first.x[i])
		b.y, b.x = append(b.y, second.y[j]), append(b.x, second.x[j])
	}
	return a, b
}

// all returns the indices of all matches.
func (p *population) all() []int {
	list := make([]int, len(p.y))
	for i := range list {
		list[i] = i
	}
	return list
}

// part returns the sums of a sample as those of a dataset.
func (s *Simulation) part(p *population) *datasetSums {
	sums := *s.base.sums
	sums.Sums, sums.Matches = nil, uint64(len(p.y))
	for i := range p.defs {
		sums.Sums = append(sums.Sums, *p.sample(i, p.all()))
	}
	return &sums
}

// Unchanged returns the statistics of two samples that differ by chance alone, in pairs or
// independent.
func (s *Simulation) Unchanged(size int, paired bool) *Results {
	a, b := s.draw(size, paired)
	first, second := s.part(a), s.part(b)
	if paired {
		for i := range a.defs {
			second.Joint = append(second.Joint, *sampleJoint(a, b, i, a.all()))
		}
	}
	return (&Partial{parts: []*datasetSums{first, second}}).Results()
}

// Alike returns the statistics of a sample in which all seats are worth the same: they are moved
// on by a random number in each match, and the edge of the dealer has a random sign.
func (s *Simulation) Alike(size int) *Results {
	a, _ := s.draw(size, false)
	for m := range a.y {
		y, by := slices.Clone(a.y[m]), s.rng.IntN(4)
		for i, d := range a.defs {
			switch {
			case d.Section == SectionSeat:
				wind := slices.Index(Winds(4), d.Of)
				from := d.Key
				from.Of = Winds(4)[(wind+by)%4]
				y[i] = a.y[m][slices.IndexFunc(a.defs, func(e definition) bool { return e.Key == from })]
			case strings.HasSuffix(d.Name, "_edge") && by%2 == 0:
				y[i] = -y[i]
			}
		}
		a.y[m] = y
	}
	return (&Partial{parts: []*datasetSums{s.part(a)}}).Results()
}

// Found returns in which part of some runs a change of a headline is found that is planted in
// samples without a difference: a part of its amounts, or of shares and edges, an amount for each
// case.
func (s *Simulation) Found(k Key, change float64, size, runs int, paired bool) float64 {
	at := slices.IndexFunc(s.base.defs, func(d definition) bool { return d.Key == k })
	d := &s.base.defs[at]
	found := 0
	for range runs {
		a, b := s.draw(size, paired)
		for m := range b.y {
			y := slices.Clone(b.y[m])
			if d.Unit == Share || d.Unit == Gap || strings.HasSuffix(k.Name, "_edge") {
				y[at] += change * b.x[m][at]
			} else {
				y[at] *= 1 + change
			}
			b.y[m] = y
		}
		var joint *crossSums
		if paired {
			joint = sampleJoint(a, b, at, a.all())
		}
		diff := difference(a.sample(at, a.all()), b.sample(at, b.all()), joint, d.kind())
		// The first step of the correction, with half of the level for the headlines.
		if float64(diff.P)*2*float64(len(Headlines)) < level && diff.Value*change > 0 {
			found++
		}
	}
	return float64(found) / float64(runs)
}

// Unit returns the unit of a figure.
func (s *Simulation) Unit(k Key) Unit {
	return s.base.defs[slices.IndexFunc(s.base.defs, func(d definition) bool { return d.Key == k })].Unit
}

// Mean returns a figure of all matches without changes.
func (s *Simulation) Mean(k Key) float64 {
	return s.base.ratio(slices.IndexFunc(s.base.defs, func(d definition) bool { return d.Key == k }))
}
