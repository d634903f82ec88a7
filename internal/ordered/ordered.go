// Package ordered is an ordered worker pool: workers process the items of a sequence in
// parallel, and results are delivered in the order of the items. The output does not
// depend on the number of workers.
//
//	err := ordered.Run(ctx, workers, items, func() ordered.Worker[Item, Result] {
//		return ordered.Worker[Item, Result]{Work: process}
//	}, func() *Result { return &Result{} }, write)
package ordered

import (
	"context"
	"iter"
	"sync"
)

// Worker processes one item after another, in one goroutine.
type Worker[T, R any] struct {
	// Work processes an item and stores its result in r, which may have been used for an
	// earlier item.
	Work func(ctx context.Context, item T, r *R) error
	// Close, if not nil, is called when the worker ends.
	Close func() error
}

// Numbers yields the numbers from first on that are below end, in steps.
func Numbers(first, end, step uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for n := first; n < end && yield(n); n += step {
		}
	}
}

// Run processes all items by a number of workers, at least 1, and calls done for the
// results in the order of the items, from one goroutine. Another goroutine iterates over
// items, at most a few items per worker ahead of done. Results are created by newResult
// and reused, so done must reset them as Work requires.
//
// Run ends early with the cause of ctx, or the first error of Work or done; done has then
// been called for the results of a prefix of the items. Otherwise it returns the first
// error of Close.
func Run[T, R any](ctx context.Context, workers int, items iter.Seq[T], newWorker func() Worker[T, R], newResult func() *R, done func(*R) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type task struct {
		number int
		item   T
	}
	type result struct {
		number int
		r      *R
	}
	todo := make(chan task)
	results := make(chan result, workers)
	// tickets bounds the number of items in progress, so that no worker runs far ahead of
	// done.
	tickets := make(chan struct{}, 4*workers)
	// free holds results to be reused, at most as many as tickets.
	free := make(chan *R, cap(tickets))

	// drawn counts the items read; whole is set at the end of the sequence.
	drawn, whole := 0, false
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(todo)
		for item := range items {
			select {
			case tickets <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case todo <- task{drawn, item}:
			case <-ctx.Done():
				return
			}
			drawn++
		}
		whole = true
	})
	var working sync.WaitGroup
	closing := make([]error, workers)
	for n := range workers {
		working.Go(func() {
			w := newWorker()
			if w.Close != nil {
				defer func() { closing[n] = w.Close() }()
			}
			for t := range todo {
				var r *R
				select {
				case r = <-free:
				default:
					r = newResult()
				}
				if err := w.Work(ctx, t.item, r); err != nil {
					cancel(err)
					return
				}
				results <- result{t.number, r}
			}
		})
	}
	wg.Go(func() {
		working.Wait()
		close(results)
	})

	waiting := make(map[int]*R)
	next := 0
	var failed error
	for r := range results {
		waiting[r.number] = r.r
		for {
			r, ok := waiting[next]
			if !ok {
				break
			}
			delete(waiting, next)
			next++
			if failed == nil {
				if failed = done(r); failed != nil {
					cancel(failed)
				}
			}
			free <- r
			<-tickets
		}
	}
	wg.Wait()
	if failed == nil && (next < drawn || !whole) {
		failed = context.Cause(ctx)
	}
	for _, err := range closing {
		if failed == nil {
			failed = err
		}
	}
	return failed
}
