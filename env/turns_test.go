package env

import (
	"sync"
	"testing"
	"time"
)

// A client with one worker has as many turns as one with fifty, and one who was
// away has no turns saved up.
func TestTurns(t *testing.T) {
	turns := newTurns(1)
	var mu sync.Mutex
	count := map[string]int{}
	stop := make(chan struct{})
	var workers sync.WaitGroup
	work := func(client string) {
		for {
			select {
			case <-stop:
				return
			default:
			}
			turn := turns.begin(client)
			mu.Lock()
			count[client]++
			mu.Unlock()
			time.Sleep(100 * time.Microsecond)
			turn.end()
		}
	}
	for range 50 {
		workers.Go(func() { work("many") })
	}
	time.Sleep(50 * time.Millisecond)
	mu.Lock()
	clear(count)
	mu.Unlock()
	workers.Go(func() { work("one") })
	time.Sleep(300 * time.Millisecond)
	mu.Lock()
	one, many := count["one"], count["many"]
	mu.Unlock()
	close(stop)
	workers.Wait()
	if one < many/3 || one > 2*many {
		t.Errorf("one worker had %d turns, fifty of another had %d", one, many)
	}
	if turns.free != 1 || len(turns.waiting) != 0 {
		t.Errorf("at the end %d turns are free and %d waited for", turns.free, len(turns.waiting))
	}
}
