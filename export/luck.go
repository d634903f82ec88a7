package export

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/chance"
	"github.com/sparrowhall/sparrowhall/sim/places"
)

// Luck is what the tiles were worth to the players beyond what could be expected.
type Luck struct {
	// Points is in 1/65536 of a unit, Places in 1/65536 of a placement point.
	Points chance.Luck
	Places chance.Luck // zero unless it was asked for
}

// add adds the luck of another event.
func (l *Luck) add(points, places *chance.Luck) {
	l.Points.Add(points)
	l.Places.Add(places)
}

// MatchLuck is the luck of a match.
type MatchLuck struct {
	Luck
	// Hands has that of each hand, where it was asked for.
	Hands []Luck
}

// LuckOptions say how luck is measured.
type LuckOptions struct {
	// Fast asks for the linear estimate in place of the network.
	Fast bool
	// Places asks for luck in placement points as well.
	Places bool
	// Hands asks for the luck of each hand as well.
	Hands bool
	// Player, if not nil, returns by the name of who played somebody who can be asked what
	// he would discard, nil where nobody can be; see [chance.Meter.Know].
	Player func(name string) sim.Agent
	// Workers is among how many the work is divided, which changes nothing; at least 1.
	Workers int
	// Read, if not nil, is called by them with the number of matches done since it was
	// called last.
	Read func(matches int)
}

// LuckMeter measures the luck of matches under one ruleset, one after another.
type LuckMeter struct {
	meter interface {
		FollowMatch(*sim.Match, func(sim.Event, chance.Luck)) error
		PlaceLuck(*chance.Luck) chance.Luck
		MeasurePlaces(*places.Places)
	}
	hands bool
	// Of the network: who can be asked what he would discard, and those who have been.
	network *chance.Meter
	player  func(name string) sim.Agent
	asked   map[string][sim.NumPlayers]sim.Agent
}

// NewLuckMeters returns what makes meters for matches under the rules as the options ask.
// The error says for what there is no estimate.
func NewLuckMeters(r *ruleset.Rules, o *LuckOptions) (func() *LuckMeter, error) {
	var p *places.Places
	if o.Places {
		var err error
		if p, err = places.For(r); err != nil {
			return nil, err
		}
	}
	e, err := chance.For(r)
	if err != nil {
		return nil, err
	}
	return func() *LuckMeter {
		m := &LuckMeter{hands: o.Hands, player: o.Player, asked: map[string][sim.NumPlayers]sim.Agent{}}
		if o.Fast {
			m.meter = chance.NewLinearMeter(r, &e.Linear)
		} else {
			m.network = chance.NewMeter(r, e)
			m.meter = m.network
		}
		if p != nil {
			m.meter.MeasurePlaces(p)
		}
		return m
	}, nil
}

// Measure adds the luck of a match that was played by those of the names. The error says
// where the match does not fit the rules.
func (m *LuckMeter) Measure(x *sim.Match, names *[sim.NumPlayers]string, l *MatchLuck) error {
	if m.network != nil && m.player != nil {
		m.network.Know(m.players(names))
	}
	return m.meter.FollowMatch(x, func(e sim.Event, points chance.Luck) {
		if m.hands && e.Type == sim.EvHandStart {
			l.Hands = append(l.Hands, Luck{})
		}
		if points == (chance.Luck{}) {
			return
		}
		places := m.meter.PlaceLuck(&points)
		l.add(&points, &places)
		if m.hands {
			l.Hands[len(l.Hands)-1].add(&points, &places)
		}
	})
}

// players returns those of the names who can be asked.
func (m *LuckMeter) players(names *[sim.NumPlayers]string) (players [sim.NumPlayers]sim.Agent) {
	for p, name := range names {
		four, ok := m.asked[name]
		if !ok {
			for q := range four {
				four[q] = m.player(name)
			}
			m.asked[name] = four
		}
		players[p] = four[p]
	}
	return players
}

// Luck plays all matches that are there again and returns, in their order, what the
// tiles of each were worth to its players beyond what could be expected.
func (d *Dataset) Luck(ctx context.Context, o LuckOptions) ([]MatchLuck, error) {
	newMeter, err := NewLuckMeters(d.Rules(), &o)
	if err != nil {
		return nil, err
	}
	all := make([]MatchLuck, d.Matches())
	group, ctx := errgroup.WithContext(ctx)
	for w := range uint64(o.Workers) {
		group.Go(func() error {
			meter := newMeter()
			mine := func(match uint64) bool {
				return (match-d.Manifest.first)/sim.BlockSize%uint64(o.Workers) == w
			}
			for m, err := range d.ReplaysOf(0, mine) {
				if err != nil {
					return err
				}
				if err := ctx.Err(); err != nil {
					return context.Cause(ctx)
				}
				if err := meter.Measure(m.Match, &m.Names, &all[m.Index-d.Manifest.first]); err != nil {
					return err
				}
				if o.Read != nil {
					o.Read(1)
				}
			}
			return nil
		})
	}
	return all, group.Wait()
}
