package env

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// turnTime is how long a turn lasts where others wait. It is short beside what an
// honest client's request takes, so that many long ones before it do not slow it.
const turnTime = 200 * time.Microsecond

const (
	// recently is how long ago others have had turns beside whom a client is paced.
	recently = 10 * time.Millisecond
	// ahead is how much of its pace a client may be ahead of.
	ahead = 10 * time.Millisecond
	// mostWait is the most that it waits for its pace at a time.
	mostWait = 500 * time.Millisecond
)

// turns shares the processors among clients. Who works takes a turn, and the next
// is that of the client who has had least, so that many streams or long requests
// of one client leave the others their part. It is start-time fair queueing for
// several processors.
//
// To read rules and to deal many tables takes long and cannot always yield. It has
// a quarter of the processors, and of them a quarter of the time while others
// play, lest those who are about to want their next turn find none.
//
// To take apart what clients send is no turn, and nothing keeps the processors from
// it. While others play, a client may send no more than what takes a sixteenth of
// the processors: beside it they find them free.
type turns struct {
	wanted atomic.Int32 // len(waiting)
	pace   int          // how long a client is paced for the work at what it sends, over that work

	mu      sync.Mutex
	free    int
	opening int           // turns left to those who open tables
	played  bool          // others have had turns since the last that opened tables
	clock   time.Duration // what those who come back are taken to have had
	of      map[string]*account
	waiting []*turn // in the order they came
	recent  [2]struct {
		account *account
		ended   time.Time
	} // the last two clients who have had turns, the last first
}

// account is what a client has had.
type account struct {
	had  time.Duration
	mean time.Duration // of turns, to be charged when one begins
	owes time.Duration // charged for turns that have not ended
	live int           // turns taken or waited for
	pace time.Time     // until when it is paced
}

// turn is one client's at work. It belongs to one goroutine.
type turn struct {
	turns   *turns
	account *account
	opens   bool // tables
	passes  bool // takes no processor
	granted chan struct{}
	began   time.Time
	charged time.Duration
}

func newTurns(processors int) *turns {
	return &turns{free: processors, opening: max(1, processors/4), pace: max(1, 16/processors), of: map[string]*account{}}
}

// begin waits for a turn.
func (t *turns) begin(client string) *turn { return t.enter(client, false) }

// open waits for a turn to open tables.
func (t *turns) open(client string) *turn { return t.enter(client, true) }

// pass charges a client for work that was no turn, of which a part was at what it
// has sent, and waits for what would be its next turn.
func (t *turns) pass(client string, took, sent time.Duration) {
	time.Sleep(t.paced(client, sent))
	t.mu.Lock()
	own := &turn{turns: t, account: t.account(client), passes: true, charged: took}
	own.enter()
}

// paced returns how long a client is to wait before more of what it sends is taken
// apart, for what that has taken so far: not at all if no other client has played.
func (t *turns) paced(client string, sent time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, now := t.account(client), time.Now()
	other := t.recent[0]
	if other.account == a {
		other = t.recent[1]
	}
	if now.Sub(other.ended) > recently {
		return 0
	}
	if a.pace.Before(now) {
		a.pace = now
	}
	a.pace = a.pace.Add(time.Duration(t.pace) * sent)
	if most := now.Add(ahead + mostWait); a.pace.After(most) {
		a.pace = most
	}
	return a.pace.Sub(now) - ahead
}

func (t *turns) enter(client string, opens bool) *turn {
	t.mu.Lock()
	own := &turn{turns: t, account: t.account(client), opens: opens}
	own.enter()
	return own
}

// account returns what a client has had, as one who has saved up nothing.
func (t *turns) account(client string) *account {
	a := t.of[client]
	if a == nil {
		t.tidy()
		a = &account{mean: turnTime}
		t.of[client] = a
	}
	if a.live == 0 {
		a.had = max(a.had, t.least())
	}
	return a
}

// enter waits for the turn. It unlocks the turns.
func (o *turn) enter() {
	t := o.turns
	o.account.live++
	if t.may(o) {
		t.grant(o)
		t.mu.Unlock()
	} else {
		if o.granted == nil {
			o.granted = make(chan struct{}, 1)
		}
		t.waiting = append(t.waiting, o)
		t.wanted.Store(int32(len(t.waiting)))
		t.mu.Unlock()
		<-o.granted
	}
	o.began = time.Now()
}

// may tells whether a turn may begin.
func (t *turns) may(o *turn) bool { return t.free > 0 && (!o.opens || t.opening > 0) }

// grant begins a turn. It has the client pay for it what turns have cost it so
// far, lest all its waiting ones seem to be free while the first is at work.
func (t *turns) grant(o *turn) {
	if o.passes {
		o.account.had += o.charged
		o.account.live--
		return
	}
	t.free--
	if o.opens {
		t.opening--
	}
	o.charged = o.account.mean
	o.account.had += o.charged
	o.account.owes += o.charged
}

// end ends the turn, and returns how long it took since it began or yielded last.
func (o *turn) end() time.Duration {
	t := o.turns
	took := time.Since(o.began)
	t.mu.Lock()
	o.leave(took)
	t.mu.Unlock()
	return took
}

// leave ends the turn and begins that of the client who has had least.
func (o *turn) leave(took time.Duration) {
	t, a := o.turns, o.account
	a.had += took - o.charged
	a.owes -= o.charged
	a.mean = (7*a.mean + took) / 8
	if t.recent[0].account != a {
		t.recent[1] = t.recent[0]
		t.recent[0].account = a
	}
	t.recent[0].ended = time.Now()
	a.live--
	t.free++
	switch {
	case !o.opens:
		t.played = true
	case !t.played && !slices.ContainsFunc(t.waiting, func(w *turn) bool { return !w.opens }):
		t.opening++
	default:
		t.played = false
		time.AfterFunc(3*took, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.opening++
			t.next()
		})
	}
	t.next()
}

// next begins the turns that may begin.
func (t *turns) next() {
	for {
		next := -1
		for i, w := range t.waiting {
			if t.may(w) && (next < 0 || w.account.had < t.waiting[next].account.had) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		w := t.waiting[next]
		t.waiting = slices.Delete(t.waiting, next, next+1)
		t.grant(w)
		w.granted <- struct{}{}
	}
	t.wanted.Store(int32(len(t.waiting)))
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

// least returns the least that a client had who works or waits now, before the turns
// that have not ended, and never less than before.
func (t *turns) least() time.Duration {
	least, live := time.Duration(0), false
	for _, a := range t.of {
		if had := a.had - a.owes; a.live > 0 && (!live || had < least) {
			least, live = had, true
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
