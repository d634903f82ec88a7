package report

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/chance"
)

// Adaptation is what a player who has adapted to a ruleset does among three who have not,
// at walls that he did not adapt by.
type Adaptation struct {
	// Agent is the player as he was, Found the one he has become.
	Agent string `json:"agent"`
	Found string `json:"found"`
	// Searched is how many matches he adapted in, Matches in how many he was looked at.
	Searched uint64 `json:"searched"`
	Matches  uint64 `json:"matches"`
	// LessLuck tells that the luck of the tiles was taken off.
	LessLuck bool `json:"less_luck"`
	// Worth is how many points a match he has more than the mean of the table.
	Worth Estimate `json:"worth"`
	// Before is the same of a player who has adapted to the ruleset as it is, and Beyond
	// how much more Worth is at the same walls; both are nil for that ruleset itself.
	Before *Estimate `json:"before,omitempty"`
	Beyond *Estimate `json:"beyond,omitempty"`
	// Habits are what he does at another rate than the others, clear among all that were
	// compared, those first that he does most times as often.
	Habits []Habit `json:"habits"`
}

// ErrNotAdapted is the error of a dataset that is not of one player among three others who
// are alike.
var ErrNotAdapted = errors.New("not a dataset of a player who has adapted and three others")

// Adapted looks at a player who has adapted among three who have not: the first agent of a
// dataset with hands. Before, if not nil, is of one who has adapted to the ruleset as it
// is, at the same walls. Without an estimate of luck for the ruleset it is not taken off.
func Adapted(ctx context.Context, d, before *export.Dataset, searched uint64, workers int) (*Adaptation, error) {
	m := d.Manifest
	if len(m.Agents) != sim.NumPlayers || m.Agents[0] == m.Agents[1] || m.Agents[1] != m.Agents[2] || m.Agents[2] != m.Agents[3] {
		return nil, ErrNotAdapted
	}
	a := &Adaptation{Agent: m.Agents[1], Found: m.Agents[0], Searched: searched, Matches: d.Matches(), Habits: []Habit{}}
	mine, seats, lessLuck, err := leads(ctx, d, workers)
	if err != nil {
		return nil, err
	}
	a.LessLuck = lessLuck
	a.Worth = meanOf(mine)
	if before != nil {
		other, _, _, err := leads(ctx, before, workers)
		if err != nil {
			return nil, err
		}
		if len(other) != len(mine) {
			return nil, fmt.Errorf("%d matches beside %d: %w", len(mine), len(other), ErrNotAdapted)
		}
		was := meanOf(other)
		for i := range other {
			other[i] = mine[i] - other[i]
		}
		beyond := meanOf(other)
		a.Before, a.Beyond = &was, &beyond
	}
	h := newHabits(d.Rules())
	for row, err := range d.HandRows() {
		if err != nil {
			return nil, err
		}
		h.add(&row, seats[row.Match-d.First()])
	}
	a.Habits = append(a.Habits, h.list()...)
	return a, nil
}

// leads returns by how many points the first agent is ahead of the mean of the table in
// each match, less luck where it can be told, and who he was.
func leads(ctx context.Context, d *export.Dataset, workers int) (list []float64, seats []int, lessLuck bool, err error) {
	luck, err := d.Luck(ctx, export.LuckOptions{Fast: true, Workers: workers})
	if lessLuck = err == nil; !lessLuck && ctx.Err() != nil {
		return nil, nil, false, err
	}
	unit := float64(d.Rules().Unit())
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return nil, nil, false, err
		}
		var points [sim.NumPlayers]float64
		for p, row := range rows {
			x := float64(row.Points)
			if lessLuck {
				x -= float64(luck[row.Match-d.First()].Points[p]) / chance.LuckUnit
			}
			points[p] = x / unit
			if row.Agent == 0 {
				seats = append(seats, p)
			}
		}
		mean := (points[0] + points[1] + points[2] + points[3]) / sim.NumPlayers
		list = append(list, points[seats[len(seats)-1]]-mean)
	}
	return list, seats, lessLuck, nil
}

// meanOf returns the mean of independent cases.
func meanOf(list []float64) Estimate {
	s := newSums(mean)
	for _, x := range list {
		s.add(x, 1)
	}
	return s.estimate(mean)
}

// Clear tells whether adapting is clearly worth something.
func (a *Adaptation) Clear() bool { return a.Worth.Low.Known() && a.Worth.Low > 0 }

// mostHabits is how many habits a sentence names.
const mostHabits = 6

// Sentences say what adapting is worth and what those do who have adapted. As tells that
// it is the ruleset as it is.
func (a *Adaptation) Sentences() (list []string) {
	luck := ""
	if a.LessLuck {
		luck = ", luck taken off"
	}
	text := fmt.Sprintf("Players who adapt: one %s whose weights were tuned in %d matches has %s points a match more than the mean of his table among three who go on as before, in %d others%s.",
		a.Agent, a.Searched, a.Worth.Text(Points), a.Matches, luck)
	if !a.Clear() {
		text += " That is not clearly anything: within these matches nothing better was found."
	}
	list = append(list, text)
	if a.Beyond != nil {
		what := "not clearly anything: as far as can be told, it is what tuning brings anyway"
		switch {
		case a.Beyond.Low.Known() && a.Beyond.Low > 0:
			what = "clearly something"
		case a.Beyond.High.Known() && a.Beyond.High < 0:
			what = "clearly less than nothing: the search has found less here than there"
		}
		list = append(list, fmt.Sprintf("One tuned for the ruleset as it is has %s here. So adapting to the change itself is worth %s points a match, which is %s.", a.Before.Text(Points), a.Beyond.Text(Points), what))
	}
	if len(a.Habits) == 0 {
		return append(list, "Who has adapted does nothing clearly more or less often than the others.")
	}
	var parts []string
	for i := range a.Habits {
		if i == mostHabits {
			parts = append(parts, fmt.Sprintf("and %d more", len(a.Habits)-i))
			break
		}
		parts = append(parts, a.Habits[i].String())
	}
	list = append(list, "What he does at another rate than each of the others, of their hands: "+strings.Join(parts, "; ")+".")
	var names []string
	for i := range a.Habits {
		if h := &a.Habits[i]; h.Dominant() {
			names = append(names, h.Name)
		}
	}
	if n := len(names); n > mostHabits {
		names = append(names[:mostHabits], fmt.Sprintf("and %d more", n-mostHabits))
	}
	switch text := strings.Join(names, ", "); {
	case len(names) == 0:
	case a.Clear():
		list = append(list, "A dominant strategy: who plays better does this clearly more than twice as often: "+text+".")
	default:
		list = append(list, "Clearly more than twice as often, though it is not shown to bring anything: "+text+".")
	}
	return list
}
