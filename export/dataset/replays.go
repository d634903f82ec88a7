package dataset

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/sparrowhall/sparrowhall/sim"
)

// ReplayedMatch is a replayed match.
type ReplayedMatch struct {
	*sim.Match
	// Names are those of the players; see [Dataset.Names].
	Names [sim.NumPlayers]string
}

// Replays replays all matches in their order. keep selects what is kept of them. A match is valid
// until the next one. The sequence ends with the first error.
func (d *Dataset) Replays(keep sim.KeepFlags) iter.Seq2[ReplayedMatch, error] {
	return d.ReplaysOf(keep, func(uint64) bool { return true })
}

// ReplaysOf is Replays of the matches for whose numbers pass returns true.
func (d *Dataset) ReplaysOf(keep sim.KeepFlags, pass func(match uint64) bool) iter.Seq2[ReplayedMatch, error] {
	return func(yield func(ReplayedMatch, error) bool) {
		m := &sim.Match{Keep: keep}
		for n := range d.parts() {
			if more, err := d.replayPart(n, m, pass, yield); err != nil {
				yield(ReplayedMatch{}, err)
				return
			} else if !more {
				return
			}
		}
	}
}

// VisitReplays replays all matches in a number of goroutines, at least 1. Each of them calls
// newVisitor once, and the function that it returns for each of its matches. It ends with the
// first error.
func (d *Dataset) VisitReplays(ctx context.Context, workers int, newVisitor func() func(*ReplayedMatch) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for n := range uint64(workers) {
		group.Go(func() error {
			visit := newVisitor()
			for m, err := range d.ReplaysOf(0, func(match uint64) bool { return match/sim.BlockSize%uint64(workers) == n }) {
				if err == nil && ctx.Err() != nil {
					err = context.Cause(ctx)
				}
				if err == nil {
					err = visit(&m)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// replayPart replays the matches of the n-th files and reports whether to continue.
func (d *Dataset) replayPart(n uint64, m *sim.Match, pass func(uint64) bool, yield func(ReplayedMatch, error) bool) (bool, error) {
	p, err := d.openPart(n, d.layout.ReplayTables(), false)
	if err != nil {
		return false, err
	}
	defer p.close()
	for i := range p.blocks() {
		if more, err := p.replayBlock(i, m, pass, yield); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (p *part) replayBlock(i int, m *sim.Match, pass func(uint64) bool, yield func(ReplayedMatch, error) bool) (bool, error) {
	b := p.block(i)
	defer b.release()
	logs, err := b.logs(nil)
	if err != nil {
		return false, err
	}
	for k := range logs {
		if !pass(b.first + uint64(k)) {
			continue
		}
		if err := b.replay(m, &logs[k], b.first+uint64(k)); err != nil {
			return false, err
		}
		names, err := b.names(m)
		if err != nil {
			return false, err
		}
		if !yield(ReplayedMatch{m, names}, nil) {
			return false, nil
		}
	}
	return true, nil
}
