// Package inorder lets workers handle the items of a sequence side by side and
// takes their results in the order of the items, so that what comes out does not
// depend on how many workers there are.
package inorder

import (
	"context"
	"iter"
	"sync"
)

// Worker handles one item after another. It belongs to one goroutine.
type Worker[T, R any] struct {
	// Work handles an item into a result, which may hold what is left of an
	// earlier one that has been done with.
	Work func(ctx context.Context, item T, r *R) error
	// Close, if not nil, is called when the work ends.
	Close func() error
}

// Run handles all items by a number of workers, at least 1, and calls done for
// the results in the order of the items, from one goroutine. The sequence is drawn
// from another goroutine, no further ahead of done than a few items for each
// worker. Results are made by newResult and used again, so done must leave nothing
// in them that the next item must not find.
//
// Run ends early with the cause of ctx's end, or the first error of Work or done,
// or at last of Close; done has then been called for the results of a prefix of
// the items.
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
	// tickets bounds how far the fastest worker runs ahead of done.
	tickets := make(chan struct{}, 4*workers)
	// free holds results to be used again; there are no more than tickets.
	free := make(chan *R, cap(tickets))

	// drawn counts the items, whole tells that there are no more.
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
