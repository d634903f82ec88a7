package fairqueue

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// machine is the processors of a server in a test whose time is not the clock's:
// what works takes one for as long as it says, by turns of a tenth of a millisecond.
type machine chan struct{}

func (m machine) work(took time.Duration) {
	for ; took > 0; took -= 100 * time.Microsecond {
		m <- struct{}{}
		time.Sleep(min(took, 100*time.Microsecond))
		<-m
	}
}

// repeat works until the bubble's stop is closed.
func repeat(stop chan struct{}, work func()) {
	for {
		select {
		case <-stop:
			return
		default:
			work()
		}
	}
}

// rested fails if turns are taken or waited for.
func rested(t *testing.T, queue *Queue, free int) {
	t.Helper()
	queue.mu.Lock()
	defer queue.mu.Unlock()
	if queue.free != free || queue.opening != max(1, free/4) || len(queue.waiting) != 0 {
		t.Errorf("at the end %d turns are free, %d to open, and %d waited for", queue.free, queue.opening, len(queue.waiting))
	}
}

// A client with one worker has as many turns as one with fifty, and one who was
// away has no turns saved up.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue, stop := New(1), make(chan struct{})
		var one, many atomic.Int64
		work := func(client string, count *atomic.Int64) func() {
			return func() {
				turn := queue.Begin(client)
				count.Add(1)
				time.Sleep(100 * time.Microsecond)
				turn.End()
			}
		}
		for range 50 {
			go repeat(stop, work("many", &many))
		}
		time.Sleep(50 * time.Millisecond)
		many.Store(0)
		go repeat(stop, work("one", &one))
		time.Sleep(300 * time.Millisecond)
		if one, many := one.Load(), many.Load(); one < many*9/10 || one > many*11/10 {
			t.Errorf("one worker had %d turns, fifty of another had %d", one, many)
		}
		close(stop)
		synctest.Wait()
		time.Sleep(time.Second)
		rested(t, queue, 1)
	})
}

// A client whose work is no turn waits while another has had less, and nobody waits
// where a processor is free. Who passes takes no processor.
func TestTurnsPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := New(1)
		passed := make(chan struct{}, 3)
		pass := func(client string, took time.Duration) {
			queue.Charge(client, took, 0)
			passed <- struct{}{}
		}
		pass("reader", time.Second)
		pass("reader", time.Second)
		own := queue.Begin("player")
		next := make(chan *Turn)
		go pass("reader", time.Second)
		go func() { next <- queue.Begin("player") }()
		synctest.Wait()
		if n := len(passed); n != 2 {
			t.Fatalf("%d have passed, want 2: the third while another who has had less is at work", n)
		}
		own.End()
		own = <-next // first, as the player has had less
		synctest.Wait()
		if n := len(passed); n != 2 {
			t.Errorf("%d have passed, want 2", n)
		}
		own.End()
		synctest.Wait()
		if n := len(passed); n != 3 {
			t.Errorf("%d have passed, want 3", n)
		}
		rested(t, queue, 1)
		if a := queue.clients["reader"]; a.live != 0 || a.used < 3*time.Second {
			t.Errorf("at the end the reader has %d turns and has had %v", a.live, a.used)
		}
	})
}

// What a client sends takes a sixteenth of the processors beside another who plays,
// and all the time there is when nobody else does.
func TestTurnsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const processors, took = 4, 10 * time.Millisecond
		queue := New(processors)
		queue.Begin("player").End()
		if wait := queue.wait("player", time.Hour); wait > 0 {
			t.Errorf("alone a client waits %v", wait)
		}
		time.Sleep(time.Hour)
		if wait := queue.wait("player", time.Hour); wait > 0 {
			t.Errorf("after others a client waits %v", wait)
		}
		var wait time.Duration
		for range 10 {
			queue.Begin("player").End()
			wait = queue.wait("sender", took)
		}
		if want := 10*took*16/processors - burst; wait != want {
			t.Errorf("beside another a client waits %v for %v of work at what it has sent, want %v", wait, 10*took, want)
		}
		if wait = queue.wait("sender", time.Hour); wait != maxWait {
			t.Errorf("a client waits %v, allowed %v", wait, maxWait)
		}
	})
}

// Those who open tables leave a client who is away between its turns most of its
// speed, and have all the time there is when nobody else plays.
func TestTurnsOfOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue, stop := New(1), make(chan struct{})
		var played, opened atomic.Int64
		counted := func() (int64, int64) {
			played.Store(0)
			opened.Store(0)
			time.Sleep(200 * time.Millisecond)
			return played.Load(), opened.Load()
		}
		for range 20 {
			go repeat(stop, func() {
				turn := queue.BeginOpening("opener")
				time.Sleep(4 * time.Millisecond)
				turn.End()
				opened.Add(1)
			})
		}
		if _, n := counted(); n < 200/4-1 {
			t.Errorf("alone openers had %d turns, want %d", n, 200/4)
		}
		go repeat(stop, func() {
			time.Sleep(time.Millisecond)
			turn := queue.Begin("player")
			time.Sleep(time.Millisecond)
			turn.End()
			played.Add(1)
		})
		if player, opener := counted(); player < 50 || opener < 10 {
			t.Errorf("a player had %d turns of 100 beside %d of openers", player, opener)
		}
		close(stop)
		synctest.Wait()
		time.Sleep(time.Second) // what rests comes back
		rested(t, queue, 1)
	})
}

// A hundred hostile clients from three addresses leave ten honest ones more than
// half of their speed, whatever they have the server do. How long work takes is
// told here and not measured, so the answer is the same on every machine.
func TestTurnsHostile(t *testing.T) {
	const processors = 2
	for name, kinds := range map[string][]string{
		"all":   {"plays", "opens", "sends", "opens by messages"},
		"plays": {"plays"}, "opens": {"opens"}, "sends": {"sends"}, "opens by messages": {"opens by messages"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, queue, stop := make(machine, processors), New(processors), make(chan struct{})
				// A client that reads does so on its connection, as connection.Read.
				sends := func(client string, owed *time.Duration, took time.Duration) {
					server.work(took)
					if *owed += took; *owed >= TurnTime {
						queue.Charge(client, *owed, *owed)
						*owed = 0
					}
				}
				// A long turn yields, as that of a worker does.
				long := func(turn *Turn, steps int) {
					for range steps {
						server.work(50 * time.Microsecond)
						turn.Yield()
					}
					turn.End()
				}
				var decisions atomic.Int64
				for i := range 10 {
					client, owed := fmt.Sprint("honest ", i), time.Duration(0)
					go repeat(stop, func() {
						time.Sleep(500 * time.Microsecond) // it thinks
						sends(client, &owed, 20*time.Microsecond)
						turn := queue.Begin(client)
						server.work(250 * time.Microsecond)
						turn.End()
						decisions.Add(1)
					})
				}
				counted := func() int64 {
					decisions.Store(0)
					time.Sleep(2 * time.Second)
					return decisions.Load()
				}
				alone := counted()
				for i := range 100 {
					client, owed := fmt.Sprint("hostile ", i%3), time.Duration(0)
					hostile := map[string]func(){
						"plays": func() { long(queue.Begin(client), 200) },
						"opens": func() { long(queue.BeginOpening(client), 2000) },
						"sends": func() { sends(client, &owed, 100*time.Microsecond) },
						"opens by messages": func() {
							sends(client, &owed, 10*time.Millisecond)
							turn := queue.BeginOpening(client)
							server.work(5 * time.Millisecond) // it cannot yield
							turn.End()
						},
					}[kinds[i%len(kinds)]]
					go repeat(stop, hostile)
				}
				beside := counted()
				t.Logf("%d decisions alone, %d beside hostile clients: %.2f", alone, beside, float64(beside)/float64(alone))
				if beside < alone*55/100 {
					t.Errorf("%d decisions alone, %d beside hostile clients, want more than half", alone, beside)
				}
				close(stop)
				time.Sleep(time.Minute)
				rested(t, queue, processors)
			})
		})
	}
}
