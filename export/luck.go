package export

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/chance"
	"github.com/jansou/jansou/sim/places"
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
	// Workers is among how many the work is divided, which changes nothing; at least 1.
	Workers int
	// Read, if not nil, is called by them with the number of matches done since it was
	// called last.
	Read func(matches int)
}

// LuckMeter follows the events of a match and tells the luck in each: a [chance.Meter] or
// a [chance.LinearMeter].
type LuckMeter interface {
	// Follow takes the next event of the match and returns the luck in it.
	Follow(sim.Event) chance.Luck
	// PlaceLuck returns what luck of the present hand is worth in placement points, if
	// places are measured.
	PlaceLuck(*chance.Luck) chance.Luck
	// MeasurePlaces has luck in places told as well.
	MeasurePlaces(*places.Places)
	// Reset begins another match under the same rules.
	Reset()
}

// NewLuckMeters returns what makes meters for matches under the rules, of which Fast and
// Places are asked. The error says for what there is no estimate.
func NewLuckMeters(r *ruleset.Rules, o *LuckOptions) (func() LuckMeter, error) {
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
	return func() (m LuckMeter) {
		if o.Fast {
			m = chance.NewLinearMeter(r, &e.Linear)
		} else {
			m = chance.NewMeter(r, e)
		}
		if p != nil {
			m.MeasurePlaces(p)
		}
		return m
	}, nil
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
				measure(meter, m.Events, &all[m.Index-d.Manifest.first], o.Hands)
				if o.Read != nil {
					o.Read(1)
				}
			}
			return nil
		})
	}
	return all, group.Wait()
}

// measure measures the luck of a match, given by its events.
func measure(m LuckMeter, events []sim.Event, l *MatchLuck, hands bool) {
	m.Reset()
	for _, e := range events {
		if hands && e.Type == sim.EvHandStart {
			l.Hands = append(l.Hands, Luck{})
		}
		points := m.Follow(e)
		if points == (chance.Luck{}) {
			continue
		}
		places := m.PlaceLuck(&points)
		l.add(&points, &places)
		if hands {
			l.Hands[len(l.Hands)-1].add(&points, &places)
		}
	}
}
