package env

import (
	"sync"
	"sync/atomic"
	"time"
)

// turnTime is how long a turn lasts where others wait. It is short beside what an
// honest client's request takes, so that many long ones before it do not slow it.
const turnTime = 200 * time.Microsecond

// turns shares the processors among clients. Who works takes a turn, and the next
// is that of the client who has had least, so that many streams or long requests
// of one client leave the others their part. It is start-time fair queueing for
// several processors.
type turns struct {
	wanted atomic.Int32 // len(waiting)

	mu      sync.Mutex
	free    int
	clock   time.Duration // what those who come back are taken to have had
	of      map[string]*account
	waiting []*turn // in the order they came
}

// account is what a client has had.
type account struct {
	had  time.Duration
	mean time.Duration // of turns, to be charged when one begins
	live int           // turns taken or waited for
}

// turn is one client's at work. It belongs to one goroutine.
type turn struct {
	turns   *turns
	account *account
	granted chan struct{}
	began   time.Time
	charged time.Duration
}

func newTurns(processors int) *turns { return &turns{free: processors, of: map[string]*account{}} }

// begin waits for a turn.
func (t *turns) begin(client string) *turn {
	t.mu.Lock()
	a := t.of[client]
	if a == nil {
		t.tidy()
		a = &account{mean: turnTime}
		t.of[client] = a
	}
	if a.live == 0 {
		a.had = max(a.had, t.least())
	}
	own := &turn{turns: t, account: a, granted: make(chan struct{}, 1)}
	own.enter()
	return own
}

// enter waits for the turn. It unlocks the turns.
func (o *turn) enter() {
	t := o.turns
	o.account.live++
	if t.free > 0 {
		t.free--
		o.charge()
		t.mu.Unlock()
	} else {
		t.waiting = append(t.waiting, o)
		t.wanted.Store(int32(len(t.waiting)))
		t.mu.Unlock()
		<-o.granted
	}
	o.began = time.Now()
}

// charge has the client pay for the turn what turns have cost it so far, lest all
// its waiting ones seem to be free while the first is at work.
func (o *turn) charge() {
	o.charged = o.account.mean
	o.account.had += o.charged
}

// end ends the turn.
func (o *turn) end() {
	t := o.turns
	t.mu.Lock()
	o.leave(time.Since(o.began))
	t.mu.Unlock()
}

// leave ends the turn and begins that of the client who has had least.
func (o *turn) leave(took time.Duration) {
	t, a := o.turns, o.account
	a.had += took - o.charged
	a.mean = (7*a.mean + took) / 8
	a.live--
	if len(t.waiting) == 0 {
		t.free++
		return
	}
	next := 0
	for i, w := range t.waiting {
		if w.account.had < t.waiting[next].account.had {
			next = i
		}
	}
	w := t.waiting[next]
	t.waiting = append(t.waiting[:next], t.waiting[next+1:]...)
	t.wanted.Store(int32(len(t.waiting)))
	w.charge()
	w.granted <- struct{}{}
}

// yield lets others have their turns if this one has lasted long enough.
func (o *turn) yield() {
	if o.turns.wanted.Load() == 0 {
		return
	}
	took := time.Since(o.began)
	if took < turnTime {
		return
	}
	o.turns.mu.Lock()
	o.account.live++ // it does not go away meanwhile
	o.leave(took)
	o.account.live--
	o.enter()
}

// least returns the least that a client has had who works or waits now, and never
// less than before.
func (t *turns) least() time.Duration {
	least, live := time.Duration(0), false
	for _, a := range t.of {
		if a.live > 0 && (!live || a.had < least) {
			least, live = a.had, true
		}
	}
	t.clock = max(t.clock, least)
	return t.clock
}

// tidy forgets clients who are gone and have had no more than the others.
func (t *turns) tidy() {
	if len(t.of) < 1024 {
		return
	}
	for client, a := range t.of {
		if a.live == 0 && a.had <= t.clock {
			delete(t.of, client)
		}
	}
}
