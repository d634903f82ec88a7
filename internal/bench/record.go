package bench

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Recorded returns the ratio of the speed of play with decisions recorded to a dataset to
// that with nothing written. Both use the given number of workers. It is the median of
// pairs of runs, one after the other, of about d each.
func Recorded(ctx context.Context, r *configs.Ruleset, spec string, newAgent func() sim.Agent, workers int, d time.Duration) (float64, error) {
	rules := r.Rules()
	probe, err := MeasurePlay(ctx, rules, newAgent, workers, d)
	if err != nil {
		return 0, err
	}
	run := &dataset.Run{
		Ruleset: r, Seed: 1, Matches: max(uint64(probe.MatchesPerSecond*d.Seconds()), sim.BlockSize),
		Agents: slices.Repeat([]string{spec}, r.Config.Common().NumSeats()), Record: schema.Decisions, FileMatches: dataset.DefaultFileMatches,
	}
	job := newJob(rules, newAgent, workers, run.Matches)
	var none *dataset.Writer // as the verb play has without --out
	return medianOfThree(func() (float64, error) {
		bare, err := timed(func() error { return sim.Run(ctx, job, none.NewBlock, (*dataset.Block).Add, none.Append) })
		if err != nil {
			return 0, err
		}
		dir, err := os.MkdirTemp("", "sparrowhall-bench-")
		if err != nil {
			return 0, err
		}
		recorded, err := timed(func() error {
			w, err := dataset.Create(dir, run, false)
			if err != nil {
				return err
			}
			recording := *job
			return w.Play(ctx, &recording)
		})
		return bare.Seconds() / recorded.Seconds(), errors.Join(err, os.RemoveAll(dir))
	})
}

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}
