package stats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
)

// Adaptation is the result of a player whose weights were tuned for a ruleset at a table with
// untuned ones, on walls that the tuning did not use.
type Adaptation struct {
	// Agent is the untuned player, Found the tuned one.
	Agent string `json:"agent"`
	Found string `json:"found"`
	// Searched is the number of matches of the tuning, Matches that of the evaluation.
	Searched uint64 `json:"searched"`
	Matches  uint64 `json:"matches"`
	// LuckAdjusted reports whether the points are luck-adjusted.
	LuckAdjusted bool `json:"less_luck"`
	// Worth is the points a match of the tuned player over the mean of the table.
	Worth Estimate `json:"worth"`
	// Before is Worth for a player tuned for the base ruleset, Beyond the difference of the
	// two with common random numbers. Both are nil for the base ruleset.
	Before *Estimate `json:"before,omitempty"`
	Beyond *Estimate `json:"beyond,omitempty"`
	// Habits are those of the tuned player with a clearly different rate, in descending order
	// of the ratio of the rates.
	Habits []Habit `json:"habits"`
}

// ErrNotAdapted is the error of a dataset whose agents are not one tuned player followed
// by equal ones.
var ErrNotAdapted = errors.New("not a dataset of a tuned player and equal ones")

// EvaluateAdaptation evaluates a tuned player, the first agent of a dataset with hands, which was tuned
// in the given number of matches. before, if not nil, is the dataset of a player tuned for the
// base ruleset, on the same walls. Points are luck-adjusted where the ruleset has a value
// function.
func EvaluateAdaptation(ctx context.Context, d, before *dataset.Dataset, searched uint64, workers int) (*Adaptation, error) {
	m := d.Manifest
	equal := func(name string) bool { return name == m.Agents[1] }
	if len(m.Agents) != m.NumSeats() || slices.IndexFunc(m.Agents, equal) != 1 || slices.ContainsFunc(m.Agents[1:], func(name string) bool { return !equal(name) }) {
		return nil, ErrNotAdapted
	}
	a := &Adaptation{Agent: m.Agents[1], Found: m.Agents[0], Searched: searched, Matches: d.Matches(), Habits: []Habit{}}
	leads, hasLuck, err := readLeads(ctx, d, workers)
	if err != nil {
		return nil, err
	}
	a.LuckAdjusted = hasLuck
	a.Worth = meanLead(leads)
	if before != nil {
		other, _, err := readLeads(ctx, before, workers)
		if err != nil {
			return nil, err
		}
		if len(other) != len(leads) {
			return nil, fmt.Errorf("%d matches beside %d: %w", len(leads), len(other), ErrNotAdapted)
		}
		differences := make([]lead, len(leads))
		for i, l := range leads {
			differences[i] = lead{points: l.points - other[i].points, luck: l.luck - other[i].luck}
		}
		was, beyond := meanLead(other), meanLead(differences)
		a.Before, a.Beyond = &was, &beyond
	}
	h := newHabits(d.Rules())
	for row, err := range d.HandRows() {
		if err != nil {
			return nil, err
		}
		h.add(&row, leads[row.Match-d.First()].seat)
	}
	a.Habits = append(a.Habits, h.list()...)
	return a, nil
}

// lead is the result of the first agent in a match: its points and luck in points over the
// means of the table, and its seat.
type lead struct {
	points, luck float64
	seat         int
}

// readLeads returns the lead of the first agent in each match. Without a value function the
// luck is 0.
func readLeads(ctx context.Context, d *dataset.Dataset, workers int) (list []lead, hasLuck bool, err error) {
	lucks, err := matchluck.Measure(ctx, d, matchluck.Options{Fast: true, Workers: workers})
	if hasLuck = err == nil; !hasLuck && ctx.Err() != nil {
		return nil, false, err
	}
	unit := float64(d.Rules().Unit())
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return nil, false, err
		}
		var l lead
		for p, row := range rows {
			points, tiles := float64(row.Points)/unit, 0.0
			if hasLuck {
				tiles = float64(lucks[row.Match-d.First()].Points[p]) / luck.Unit / unit
			}
			l.points -= points / float64(len(rows))
			l.luck -= tiles / float64(len(rows))
			if row.Agent == 0 {
				l.seat = p
				l.points += points
				l.luck += tiles
			}
		}
		list = append(list, l)
	}
	return list, hasLuck, nil
}

// meanLead returns the mean of independent leads, luck-adjusted where that reduces the
// variance.
func meanLead(list []lead) Estimate {
	s, c := newRatioSums(kindMean), &controlSums{}
	for i, l := range list {
		s.add(l.points, 1)
		c.add(uint64(i), l.points-l.luck, 1, l.luck)
	}
	return c.estimate(s.estimate(kindMean))
}

// Clear reports whether the tuned player is clearly better.
func (a *Adaptation) Clear() bool { return a.Worth.Low.Known() && a.Worth.Low > 0 }
