// Package matchluck measures the luck of the matches of a dataset: the worth of the tiles
// drawn beyond its expectation, for every player. Subtracting it from the results leaves
// luck-adjusted results, with the control variate of internal/insight/luck.
//
//	list, err := matchluck.Measure(ctx, d, matchluck.Options{Fast: true, Workers: 2})
//	fmt.Println(list[0].Points[0]) // of player 0 in the first match
package matchluck

import (
	"context"
	"errors"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/insight/placement"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Luck is the worth of the tiles to the players beyond its expectation.
type Luck struct {
	// Points is in 1/65536 of a unit, Places in 1/65536 of a placement point.
	Points luck.Points
	Places luck.Points // zero without Options.Places
}

func (l *Luck) add(points, places *luck.Points) {
	l.Points.Add(points)
	l.Places.Add(places)
}

// Match is the luck of a match.
type Match struct {
	Luck
	// Hands is the luck of each hand, nil without Options.Hands.
	Hands []Luck
}

// Options configure the measurement of luck.
type Options struct {
	// Fast selects the linear value function instead of the network.
	Fast bool
	// Places adds luck in placement points.
	Places bool
	// Hands adds the luck of each hand.
	Hands bool
	// Player, if not nil, returns the agent to query for the discards of the player of a
	// name, nil if there is none; see [luck.ControlVariate.SetPolicies].
	Player func(name string) sim.Agent
	// Workers is the number of goroutines, at least 1. It does not change the result.
	Workers int
	// Read, if not nil, is called by these goroutines with the number of matches done since
	// its last call.
	Read func(matches int)
}

// Meter measures the luck of matches under one ruleset, one after another.
type Meter struct {
	meter interface {
		FollowMatch(*sim.Match, func(sim.Event, luck.Points)) error
		PlacementLuck(*luck.Points) luck.Points
		SetPlacement(*placement.Evaluator)
	}
	hands bool
	// network is nil with the linear value function. agents caches the agents that player
	// returns, by name, one for each seat.
	network *luck.ControlVariate
	player  func(name string) sim.Agent
	agents  map[string][sim.NumPlayers]sim.Agent
}

// NewMeters returns a constructor of meters for matches under the rules. The error is that
// of rules without a value function, or whose first wall is given: it is not luck.
func NewMeters(r *ruleset.Rules, o *Options) (func() *Meter, error) {
	if r.FirstWall != nil {
		return nil, errors.New("the wall of the first hand is given, so luck cannot be measured; leave out the adjustment for luck")
	}
	var p *placement.Evaluator
	if o.Places {
		var err error
		if p, err = placement.EvaluatorFor(r); err != nil {
			return nil, err
		}
	}
	e, err := luck.ValueFunctionFor(r)
	if err != nil {
		return nil, err
	}
	return func() *Meter {
		m := &Meter{hands: o.Hands, player: o.Player, agents: map[string][sim.NumPlayers]sim.Agent{}}
		if o.Fast {
			m.meter = luck.NewLinearControlVariate(r, &e.Linear)
		} else {
			m.network = luck.NewControlVariate(r, e)
			m.meter = m.network
		}
		if p != nil {
			m.meter.SetPlacement(p)
		}
		return m
	}, nil
}

// Measure adds the luck of a match between players of these names to l. The error is that
// of a match that does not fit the rules.
func (m *Meter) Measure(x *sim.Match, names *[sim.NumPlayers]string, l *Match) error {
	if m.network != nil && m.player != nil {
		m.network.SetPolicies(m.players(names))
	}
	return m.meter.FollowMatch(x, func(e sim.Event, points luck.Points) {
		if m.hands && e.Type == sim.EvHandStart {
			l.Hands = append(l.Hands, Luck{})
		}
		if points == (luck.Points{}) {
			return
		}
		places := m.meter.PlacementLuck(&points)
		l.add(&points, &places)
		if m.hands {
			l.Hands[len(l.Hands)-1].add(&points, &places)
		}
	})
}

// players returns the agents to query for discards.
func (m *Meter) players(names *[sim.NumPlayers]string) (players [sim.NumPlayers]sim.Agent) {
	for p, name := range names {
		seats, ok := m.agents[name]
		if !ok {
			for q := range seats {
				seats[q] = m.player(name)
			}
			m.agents[name] = seats
		}
		players[p] = seats[p]
	}
	return players
}

// Measure replays all matches of a dataset and returns the luck of each, in their order.
func Measure(ctx context.Context, d *dataset.Dataset, o Options) ([]Match, error) {
	newMeter, err := NewMeters(d.Rules(), &o)
	if err != nil {
		return nil, err
	}
	all := make([]Match, d.Matches())
	return all, d.VisitReplays(ctx, o.Workers, func() func(*dataset.ReplayedMatch) error {
		meter := newMeter()
		return func(m *dataset.ReplayedMatch) error {
			err := meter.Measure(m.Match, &m.Names, &all[m.Match.Index-d.First()])
			if err == nil && o.Read != nil {
				o.Read(1)
			}
			return err
		}
	})
}
