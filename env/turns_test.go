package env

import (
	"maps"
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

// A client whose work is no turn waits while another has had less, and nobody waits
// where a processor is free. Who passes takes no processor.
func TestTurnsPassed(t *testing.T) {
	turns := newTurns(1)
	passed := make(chan struct{}, 3)
	pass := func(client string, took time.Duration) {
		turns.pass(client, took, 0)
		passed <- struct{}{}
	}
	pass("reader", time.Second)
	pass("reader", time.Second)
	own := turns.begin("player")
	next := make(chan *turn)
	go pass("reader", time.Second)
	go func() { next <- turns.begin("player") }()
	for turns.wanted.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	if n := len(passed); n != 2 {
		t.Fatalf("%d have passed, want 2: the third while another who has had less is at work", n)
	}
	own.end()
	own = <-next // first, as the player has had less
	if n := len(passed); n != 2 {
		t.Errorf("%d have passed, want 2", n)
	}
	own.end()
	<-passed
	<-passed
	<-passed
	turns.mu.Lock()
	defer turns.mu.Unlock()
	if a := turns.of["reader"]; turns.free != 1 || len(turns.waiting) != 0 || a.live != 0 || a.had < 3*time.Second {
		t.Errorf("at the end %d turns are free, %d waited for, and the reader has %d and has had %v", turns.free, len(turns.waiting), a.live, a.had)
	}
}

// What a client sends takes a sixteenth of the processors beside another who plays,
// and all the time there is when nobody else does.
func TestTurnsPaced(t *testing.T) {
	const processors, took = 4, 10 * time.Millisecond
	turns := newTurns(processors)
	turns.begin("player").end()
	if wait := turns.paced("player", time.Hour); wait > 0 {
		t.Errorf("alone a client waits %v", wait)
	}
	var wait time.Duration
	const want = 10*took*16/processors - ahead
	for attempt := 0; wait < want*3/4; attempt++ {
		if attempt == 5 { // the machine may be busy: another who played long ago is no other
			t.Fatalf("beside another a client waits %v for %v of work at what it has sent, want about %v", wait, 10*took, want)
		}
		for range 10 {
			turns.begin("player").end()
			wait = turns.paced("sender", took)
		}
	}
	for wait = 0; wait <= 0; {
		turns.begin("player").end()
		wait = turns.paced("sender", time.Hour)
	}
	if wait > mostWait {
		t.Errorf("a client waits %v, allowed %v", wait, mostWait)
	}
}

// Those who open tables leave a client who is away between its turns most of its
// speed, and have all the time there is when nobody else plays.
func TestTurnsOfOpening(t *testing.T) {
	for attempt := range 5 { // the machine may be busy
		turns := newTurns(1)
		var mu sync.Mutex
		count := map[string]int{}
		stop := make(chan struct{})
		var workers sync.WaitGroup
		work := func(client string, begin func(string) *turn, takes, away time.Duration) {
			for {
				select {
				case <-stop:
					return
				case <-time.After(away):
				}
				turn := begin(client)
				time.Sleep(takes)
				turn.end()
				mu.Lock()
				count[client]++
				mu.Unlock()
			}
		}
		counted := func() map[string]int {
			mu.Lock()
			clear(count)
			mu.Unlock()
			time.Sleep(200 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(count)
		}
		workers.Go(func() { work("player", turns.begin, time.Millisecond, time.Millisecond) })
		alone := counted()["player"]
		for range 20 {
			workers.Go(func() { work("opener", turns.open, 4*time.Millisecond, 0) })
		}
		both := counted()
		close(stop)
		workers.Wait()
		time.Sleep(50 * time.Millisecond) // what rests comes back
		turns.mu.Lock()
		if turns.free != 1 || turns.opening != 1 || len(turns.waiting) != 0 {
			t.Fatalf("at the end %d turns are free, %d to open, and %d waited for", turns.free, turns.opening, len(turns.waiting))
		}
		turns.mu.Unlock()
		if both["player"] >= alone/2 && both["opener"] >= 4 {
			return
		}
		t.Logf("attempt %d: a player had %d turns alone, %d beside %d of openers", attempt, alone, both["player"], both["opener"])
	}
	t.Error("openers take a player's turns, or have none themselves")
}
