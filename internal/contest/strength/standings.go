package strength

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Standings is the results of the agents of a tournament.
type Standings struct {
	// Matches is the number of matches played.
	Matches uint64 `json:"matches"`
	// Sets is the number of complete duplicate sets, from which all figures are.
	Sets uint64 `json:"duplicate_sets"`
	// Agents is in the order of the mean placement points, then of the mean points. Where
	// opponents differ from agent to agent it is in the order of the ratings.
	Agents []Agent `json:"agents"`
	// Pairs has all pairs of agents, in the order of their numbers.
	Pairs []Pair `json:"pairs"`
	// Reduction is the variance reduction by duplicate sets over all pairs, missing if no two
	// agents ever differed. So many matches on walls of their own estimate a difference as
	// precisely as one match of a duplicate set.
	Reduction Estimate `json:"variance_reduction"`
}

// Agent is the results of one agent.
type Agent struct {
	// Number is the index in the list of agents of the run, Rank the position in the
	// standings, from 1. Agents with equal results share the best of their ranks.
	Number int    `json:"number"`
	Rank   int    `json:"rank"`
	Name   string `json:"agent"`
	// Matches counts a match once for each of the agent's seats in it.
	Matches  uint64 `json:"matches"`
	Forfeits uint64 `json:"forfeits"`
	// Placement and Points are means of a match, in placement points and points.
	Placement Estimate `json:"placement"`
	Points    Estimate `json:"points"`
	// Places are the shares of the places from the first to the last.
	Places []Estimate `json:"places"`
	// Rating is in Elo points: a difference of 400 means odds of ten to one. The sum over
	// all agents is 0.
	Rating Estimate `json:"rating"`
}

// Compute returns the standings. The error is that of ratings whose fit failed.
func (t *Tally) Compute() (*Standings, error) {
	ratings, err := t.pool.Fit()
	if err != nil {
		return nil, err
	}
	s := &Standings{Matches: t.matches, Sets: uint64(t.pool.Sets()), Reduction: t.reduction(&t.apart)}
	for a, name := range t.names {
		own := &t.agents[a]
		agent := Agent{
			Number: a, Name: name, Matches: uint64(own.points.cases), Forfeits: own.forfeits,
			Placement: own.placement.estimate().times(1. / ruleset.PlacementUnit),
			Points:    own.points.estimate().times(1 / t.unit), Rating: ratings.Rating(a),
		}
		for i := range t.players {
			agent.Places = append(agent.Places, own.places[i].share())
		}
		s.Agents = append(s.Agents, agent)
	}
	for a := range t.names {
		for b := a + 1; b < len(t.names); b++ {
			s.Pairs = append(s.Pairs, t.compare(a, b, ratings))
		}
	}
	// Stable, so agents with equal results are in the order of the run.
	slices.SortStableFunc(s.Agents, t.order)
	for i := range s.Agents {
		a := &s.Agents[i]
		if a.Rank = i + 1; i > 0 && t.order(s.Agents[i-1], *a) == 0 {
			a.Rank = s.Agents[i-1].Rank
		}
	}
	return s, nil
}

// order compares two agents by their places in the standings.
func (t *Tally) order(a, b Agent) int {
	if t.byRating {
		return cmp.Compare(b.Rating.Value, a.Rating.Value)
	}
	return cmp.Or(cmp.Compare(b.Placement.Value, a.Placement.Value), cmp.Compare(b.Points.Value, a.Points.Value))
}

func (t *Tally) compare(a, b int, ratings *Ratings) Pair {
	p, x := t.heads.Pair(a, b), t.pair(a, b)
	// Agents whose placement points are equal in every set played alike, though who of them was
	// ahead may have depended on who followed whom.
	if p.State == Compared && x.gain.identical() && x.gain.sum == 0 {
		p.State = Identical
	}
	p.Rating = ratings.Difference(a, b)
	// The pool has an interval for any two agents of enough sets. Their common matches do not
	// support it, and every print would have to hide it.
	if p.State != Compared {
		p.Rating = around(float64(p.Rating.Value), math.NaN())
	}
	p.Difference = x.gain.estimate().times(1. / gainUnit)
	p.Reduction = t.reduction(&x.apart)
	return p
}

// reduction returns the variance of the mean of as many independent matches as a duplicate set
// has, over the variance of the mean of a duplicate set. It is missing if the results do not vary.
func (t *Tally) reduction(apart *ratio) Estimate {
	return apart.quotient().times(1 / float64(t.seatings))
}
