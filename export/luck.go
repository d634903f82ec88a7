package export

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/chance"
)

// Luck plays all matches that are there again and returns, in their order, what the
// tiles of each were worth to its players beyond what could be expected, by the
// estimate e. The work is divided among the given number of workers, whose number
// changes nothing; read, if not nil, is called by them with the number of matches done
// since it was called last.
func (d *Dataset) Luck(ctx context.Context, e *chance.Estimate, workers int, read func(matches int)) ([]chance.Luck, error) {
	all := make([]chance.Luck, d.Matches())
	group, ctx := errgroup.WithContext(ctx)
	for w := range uint64(workers) {
		group.Go(func() error {
			meter := chance.NewMeter(d.Rules(), e)
			mine := func(match uint64) bool { return (match-d.Manifest.first)/sim.BlockSize%uint64(workers) == w }
			for m, err := range d.ReplaysOf(0, mine) {
				if err != nil {
					return err
				}
				if err := ctx.Err(); err != nil {
					return context.Cause(ctx)
				}
				meter.Reset()
				l := &all[m.Index-d.Manifest.first]
				for _, event := range m.Events {
					x := meter.Follow(event)
					l.Add(&x)
				}
				if read != nil {
					read(1)
				}
			}
			return nil
		})
	}
	return all, group.Wait()
}
