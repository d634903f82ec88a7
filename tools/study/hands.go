package main

import (
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/sim"
)

// counts are figures of the hands and matches of a ruleset that reports do not have.
type counts struct {
	// afterDealer is the number of hands that South, who plays after the dealer, wins more
	// than North, who plays before the dealer. seats is the rank of the player who starts as North less
	// that of the player who starts as East.
	afterDealer, seats ratio
	// values and turns count the wins by their value, in points, and the won hands by
	// whole turns.
	values, turns map[int]int
}

// ratio adds up amounts of cases, cluster by cluster.
type ratio struct{ n, x, y, xx, xy, yy float64 }

func (r *ratio) add(y, x float64) {
	r.n++
	r.x += x
	r.y += y
	r.xx += x * x
	r.xy += x * y
	r.yy += y * y
}

// estimate returns the amount of a case, with the error of a ratio of sums over
// independent clusters.
func (r *ratio) estimate(unit stats.Unit) stats.Estimate {
	v := r.y / r.x
	e := stats.Estimate{Value: v, Sum: r.y, Count: r.x, Clusters: int(r.n)}
	e.Error = math.Sqrt(max(0, r.yy-2*v*r.xy+v*v*r.xx)*r.n/(r.n-1)) / r.x
	withInterval(&e, unit)
	return e
}

// count returns the counts of the datasets of a ruleset.
func count(dirs []string) (*counts, error) {
	c := &counts{values: map[int]int{}, turns: map[int]int{}}
	for _, dir := range dirs {
		d, err := dataset.Open(dir)
		if err != nil {
			return nil, err
		}
		if err := c.hands(d); err != nil {
			return nil, err
		}
		if err := c.matches(d); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *counts) matches(d *dataset.Dataset) error {
	first := 0.0
	for m, err := range d.MatchRows() {
		if err != nil {
			return err
		}
		switch m.Player {
		case 0:
			first = float64(m.Rank)
		case sim.NumPlayers - 1:
			c.seats.add(float64(m.Rank)-first, 1)
		}
	}
	return nil
}

func (c *counts) hands(d *dataset.Dataset) error {
	rules := d.Rules()
	match, hands, lead := uint64(0), 0.0, 0.0 // lead of South over North
	for h, err := range d.HandRows() {
		if err != nil {
			return err
		}
		if h.Match != match && hands > 0 {
			c.afterDealer.add(lead, hands)
			hands, lead = 0, 0
		}
		match = h.Match
		hands++
		chairs := sim.Seats(&rules.Flow, int(h.Round))
		dealer := slices.Index(chairs[:], sim.Player(h.Dealer))
		for i := range h.Wins {
			w := &h.Wins[i]
			c.values[int(w.Points)/rules.Unit()]++
			switch (slices.Index(chairs[:], sim.Player(w.Player)) - dealer + sim.NumPlayers) % sim.NumPlayers {
			case 1:
				lead++
			case sim.NumPlayers - 1:
				lead--
			}
		}
		if len(h.Wins) > 0 {
			c.turns[int(h.Discards)/sim.NumPlayers]++
		}
	}
	if hands > 0 {
		c.afterDealer.add(lead, hands)
	}
	return nil
}

// quantile returns the least value that a part of all cases does not exceed.
func quantile(cases map[int]int, part float64) int {
	var values []int
	total := 0
	for v, n := range cases {
		values = append(values, v)
		total += n
	}
	slices.Sort(values)
	seen := 0
	for _, v := range values {
		if seen += cases[v]; float64(seen) >= part*float64(total) {
			return v
		}
	}
	return 0
}
