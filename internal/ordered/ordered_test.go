package ordered_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/ordered"
)

// below returns the numbers below n and counts in drawn how many were asked for.
func below(n int, drawn *atomic.Int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			drawn.Add(1)
			if !yield(i) {
				return
			}
		}
	}
}

var (
	errWork  = errors.New("work")
	errDone  = errors.New("done")
	errClose = errors.New("close")
)

// Results come in order, errors end the run after a prefix, and the sequence is
// not drawn from without bound.
func TestRun(t *testing.T) {
	const n = 1000
	for _, workers := range []int{1, 3, 8} {
		for _, c := range []struct {
			name            string
			work, done, end error
			want            error
			least, most     int // results
		}{
			{"whole", nil, nil, nil, nil, n, n},
			{"work", errWork, nil, nil, errWork, 0, 499},
			{"done", nil, errDone, nil, errDone, 501, 501},
			{"close", nil, nil, errClose, errClose, n, n},
			{"work before close", errWork, nil, errClose, errWork, 0, 499},
		} {
			var drawn atomic.Int64
			next := 0
			err := ordered.Run(t.Context(), workers, below(n, &drawn),
				func() ordered.Worker[int, int] {
					return ordered.Worker[int, int]{
						Work: func(_ context.Context, i int, r *int) error {
							if *r = i; i == 499 {
								return c.work
							}
							return nil
						},
						Close: func() error { return c.end },
					}
				},
				func() *int { return new(int) },
				func(r *int) error {
					if *r != next {
						t.Fatalf("%s: result %d, want %d", c.name, *r, next)
					}
					if ahead := drawn.Load() - int64(next); ahead > int64(5*workers+2) {
						t.Fatalf("%s: %d items ahead of the results", c.name, ahead)
					}
					if next++; *r == 500 {
						return c.done
					}
					return nil
				})
			if !errors.Is(err, c.want) || next < c.least || next > c.most {
				t.Errorf("%d workers, %s: error %v after %d results, want %v after %d to %d", workers, c.name, err, next, c.want, c.least, c.most)
			}
		}
	}
}

// The end of the context ends the run, whatever is going on.
func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var drawn atomic.Int64
	err := ordered.Run(ctx, 2, below(1000, &drawn),
		func() ordered.Worker[int, int] {
			return ordered.Worker[int, int]{Work: func(_ context.Context, i int, _ *int) error {
				if i == 100 {
					cancel(errDone)
				}
				return nil
			}}
		},
		func() *int { return new(int) },
		func(*int) error { return nil })
	if !errors.Is(err, errDone) || drawn.Load() > 200 {
		t.Errorf("error %v after %d items", err, drawn.Load())
	}
}
