package stats

import (
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Contrast is the interaction of two changes of a ruleset in a figure: the effect of both
// together minus the sum of the effects of each alone.
type Contrast struct {
	// Together is the number of the dataset with both changes, Apart are those with one
	// each.
	Together int    `json:"together"`
	Apart    [2]int `json:"apart"`
	Key
	Meaning
	Difference
}

// contrastSums are the cross sums of the headlines of three datasets, of which two have one
// change each and one has both.
type contrastSums struct {
	Apart [2]int `json:"Apart"`
	// Sums are, for each headline, those of Apart[0] with both, Apart[1] with both, and
	// Apart[0] with Apart[1].
	Sums [][3]crossSums `json:"Sums"`
	// at has the indices of the headlines among the figures of Apart[0], of Apart[1], and of
	// the dataset with both.
	at [3][]int
}

// planContrasts sets Contrast in each dataset whose changes are the union of those of two
// others. All of them must have the same walls and agents as the first.
func planContrasts(parts []*datasetSums) {
	var changes [][]Change
	for _, p := range parts {
		changes = append(changes, p.changesFrom(parts[0]))
	}
	for i, p := range parts {
		if i == 0 || p.Joint == nil || len(changes[i]) < 2 {
			continue
		}
		for a := 1; a < len(parts) && p.Contrast == nil; a++ {
			for b := a + 1; b < len(parts); b++ {
				if parts[a].Joint == nil || parts[b].Joint == nil || !unites(changes[i], changes[a], changes[b]) {
					continue
				}
				c := &contrastSums{Apart: [2]int{a, b}, Sums: make([][3]crossSums, len(Headlines))}
				for n, q := range [3]*datasetSums{parts[a], parts[b], p} {
					c.at[n] = q.headlines()
				}
				p.Contrast = c
				break
			}
		}
	}
}

// unites reports whether all is the union of a and b, which must be disjoint.
func unites(all, a, b []Change) bool {
	if len(a) == 0 || len(b) == 0 || len(all) != len(a)+len(b) {
		return false
	}
	for _, c := range slices.Concat(a, b) {
		if !slices.Contains(all, c) {
			return false
		}
	}
	return true
}

// headlines returns the index of each headline among the figures, -1 if it is missing.
func (p *datasetSums) headlines() []int {
	at := make([]int, len(Headlines))
	for i, k := range Headlines {
		at[i] = slices.IndexFunc(p.Figures, func(d definition) bool { return d.Key == k })
	}
	return at
}

// add adds the current cluster of the three datasets.
func (c *contrastSums) add(a, b, both *tally) {
	tallies := [3]*tally{a, b, both}
	for k := range Headlines {
		if c.at[0][k] < 0 || c.at[1][k] < 0 || c.at[2][k] < 0 {
			continue
		}
		for n, two := range [3][2]int{{0, 2}, {1, 2}, {0, 1}} {
			x, y := tallies[two[0]], tallies[two[1]]
			i, j := c.at[two[0]][k], c.at[two[1]][k]
			c.Sums[k][n].add(x.y[i], x.x[i], y.y[j], y.x[j])
		}
	}
}

// fits reports whether the sums can be those of three of the datasets.
func (c *contrastSums) fits(parts []*datasetSums) bool {
	if c == nil {
		return true
	}
	for _, i := range c.Apart {
		if i < 1 || i >= len(parts) || parts[i] == nil || parts[i].Joint == nil {
			return false
		}
	}
	return len(c.Sums) == len(Headlines)
}

// contrasts returns the contrasts of the datasets that have both changes of two others, with
// probabilities corrected for their number by Holm's method.
func (p *Partial) contrasts() []Contrast {
	var list []Contrast
	first := p.parts[0]
	for i, q := range p.parts {
		c := q.Contrast
		if c == nil {
			continue
		}
		a, b := p.parts[c.Apart[0]], p.parts[c.Apart[1]]
		at := [4][]int{first.headlines(), a.headlines(), b.headlines(), q.headlines()}
		for k, key := range Headlines {
			if slices.ContainsFunc(at[:], func(of []int) bool { return of[k] < 0 }) {
				continue
			}
			s := [4]*ratioSums{&first.Sums[at[0][k]], &a.Sums[at[1][k]], &b.Sums[at[2][k]], &q.Sums[at[3][k]]}
			base := at[0][k]
			joints := map[[2]int]*crossSums{
				{0, 1}: &a.Joint[base], {0, 2}: &b.Joint[base], {0, 3}: &q.Joint[base],
				{1, 3}: &c.Sums[k][0], {2, 3}: &c.Sums[k][1], {1, 2}: &c.Sums[k][2],
			}
			list = append(list, Contrast{i, c.Apart, key, first.Figures[base].Meaning, interaction(s, joints)})
		}
	}
	AdjustAll(list, func(c *Contrast) *Difference { return &c.Difference })
	return list
}

// interaction returns s[0] - s[1] - s[2] + s[3] for figures of the same clusters. joints has
// the cross sums of each two by their indices.
func interaction(s [4]*ratioSums, joints map[[2]int]*crossSums) Difference {
	sign := [4]float64{1, -1, -1, 1}
	d := noDifference()
	v, independent := 0.0, 0.0 // variances of the sum, and of one without covariances
	for i := range s {
		if s[i].N < 2 || s[i].empty() {
			return d
		}
		d.Value += sign[i] * s[i].ratio()
		v += s[i].variance()
		independent += s[i].variance()
		for j := i + 1; j < len(s); j++ {
			v += 2 * sign[i] * sign[j] * joints[[2]int{i, j}].covariance(s[i], s[j])
		}
	}
	d.P = 1
	if v < rounding*independent {
		return d
	}
	d.Error = math.Sqrt(v)
	freedom := float64(s[0].N - 1)
	d.P = twoSided(math.Abs(d.Value)/d.Error, freedom)
	if s[0].N < interval.LeastClusters {
		return d
	}
	d.Low, d.High = interval.Around(d.Value, interval.StudentT(freedom)*d.Error)
	return d
}
