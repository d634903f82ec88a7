// Package fairqueue shares the processors of a server among its clients by start-time
// fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996), extended to several processors.
// Work is done in turns; the next turn is that of the client with the least processor
// time so far, whatever the number of its streams and requests.
//
//	queue := fairqueue.New(runtime.GOMAXPROCS(0))
//	turn := queue.Begin("client")
//	for step() {
//		turn.Yield()
//	}
//	turn.End()
package fairqueue

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// TurnTime is the length of a turn while other turns wait. It is short compared with
// an honest client's request, so that long turns ahead of it hardly delay it.
const TurnTime = 200 * time.Microsecond

const (
	// recentTime is how long another client's turn counts as recent; only then is a
	// client paced.
	recentTime = 10 * time.Millisecond
	// burst is how far a client may be ahead of its pace without a wait.
	burst = 10 * time.Millisecond
	// maxWait limits one wait for the pace.
	maxWait = 500 * time.Millisecond
)

// Queue hands out turns. It is safe for use by any number of goroutines.
//
// Opening tables takes long and cannot always yield. Such turns get a quarter of the
// processors, and a quarter of the time of those while other clients play, so that
// short turns find a free processor.
//
// Decoding what clients send is not done in turns, since it waits for the network.
// While others play, a client is paced so that decoding takes at most a sixteenth of
// the processors.
type Queue struct {
	waiters atomic.Int32 // len(waiting)
	factor  int          // a paced client waits so many times its decoding time

	mu      sync.Mutex
	free    int                 // processors without a turn
	opening int                 // turns that open tables and may begin
	played  bool                // a turn that opens no tables has ended since the last one that does
	clock   time.Duration       // virtual time: the processor time credited to a returning client
	clients map[string]*account // by name
	waiting []*Turn             // in order of arrival
	recent  [2]struct {
		account *account
		ended   time.Time
	} // the last two clients with turns, the latest first
}

// account is the processor time of a client.
type account struct {
	used    time.Duration
	mean    time.Duration // of its turns; charged when one begins
	charged time.Duration // for turns under way
	live    int           // turns under way or waiting
	next    time.Time     // when more of what it sends may be decoded
}

// Turn is the right to use one processor. It belongs to one goroutine. A nil *Turn
// belongs to work that is not shared with others: its methods do nothing.
type Turn struct {
	queue   *Queue
	account *account
	opens   bool // it opens tables
	charge  bool // it only charges the client, and takes no processor
	granted chan struct{}
	began   time.Time
	charged time.Duration
}

// New returns a queue for a number of processors.
func New(processors int) *Queue {
	return &Queue{free: processors, opening: max(1, processors/4), factor: max(1, 16/processors), clients: map[string]*account{}}
}

// Begin waits for a turn of a client.
func (q *Queue) Begin(client string) *Turn { return q.begin(client, false) }

// BeginOpening waits for a turn that opens tables.
func (q *Queue) BeginOpening(client string) *Turn { return q.begin(client, true) }

// Charge charges a client for work outside turns, of which the time in sent was for
// decoding what it sent. It waits for the client's pace and its place in the queue.
func (q *Queue) Charge(client string, took, sent time.Duration) {
	time.Sleep(q.wait(client, sent))
	q.mu.Lock()
	t := &Turn{queue: q, account: q.account(client), charge: true, charged: took}
	t.enter()
}

// wait returns how long a client must wait before more of what it sends is decoded, given
// how long decoding took: 0 or less if it need not, as when no other client has played
// recently.
func (q *Queue) wait(client string, sent time.Duration) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	a, now := q.account(client), time.Now()
	other := q.recent[0]
	if other.account == a {
		other = q.recent[1]
	}
	if now.Sub(other.ended) > recentTime {
		return 0
	}
	if a.next.Before(now) {
		a.next = now
	}
	a.next = a.next.Add(time.Duration(q.factor) * sent)
	if latest := now.Add(burst + maxWait); a.next.After(latest) {
		a.next = latest
	}
	return a.next.Sub(now) - burst
}

func (q *Queue) begin(client string, opens bool) *Turn {
	q.mu.Lock()
	t := &Turn{queue: q, account: q.account(client), opens: opens}
	t.enter()
	return t
}

// account returns the account of a client. A client that returns after a break starts at the
// virtual time, so that it cannot save up processor time.
func (q *Queue) account(client string) *account {
	a := q.clients[client]
	if a == nil {
		q.forget()
		a = &account{mean: TurnTime}
		q.clients[client] = a
	}
	if a.live == 0 {
		a.used = max(a.used, q.virtualTime())
	}
	return a
}

// enter waits until the turn is granted. It unlocks the queue.
func (t *Turn) enter() {
	q := t.queue
	t.account.live++
	if q.available(t) {
		q.grant(t)
		q.mu.Unlock()
	} else {
		if t.granted == nil {
			t.granted = make(chan struct{}, 1)
		}
		q.waiting = append(q.waiting, t)
		q.waiters.Store(int32(len(q.waiting)))
		q.mu.Unlock()
		<-t.granted
	}
	t.began = time.Now()
}

// available reports whether a turn may begin.
func (q *Queue) available(t *Turn) bool { return q.free > 0 && (!t.opens || q.opening > 0) }

// grant begins a turn. The client is charged the mean of its turns at once; otherwise
// all its waiting turns would seem free while the first is under way.
func (q *Queue) grant(t *Turn) {
	if t.charge {
		t.account.used += t.charged
		t.account.live--
		return
	}
	q.free--
	if t.opens {
		q.opening--
	}
	t.charged = t.account.mean
	t.account.used += t.charged
	t.account.charged += t.charged
}

// End ends the turn and returns the time since it began or last yielded.
func (t *Turn) End() time.Duration {
	if t == nil {
		return 0
	}
	took := time.Since(t.began)
	t.queue.mu.Lock()
	t.leave(took)
	t.queue.mu.Unlock()
	return took
}

// leave ends the turn and begins that of the client with the least processor time.
func (t *Turn) leave(took time.Duration) {
	q, a := t.queue, t.account
	a.used += took - t.charged
	a.charged -= t.charged
	a.mean = (7*a.mean + took) / 8
	if q.recent[0].account != a {
		q.recent[1] = q.recent[0]
		q.recent[0].account = a
	}
	q.recent[0].ended = time.Now()
	a.live--
	q.free++
	switch {
	case !t.opens:
		q.played = true
	case !q.played && !slices.ContainsFunc(q.waiting, func(w *Turn) bool { return !w.opens }):
		q.opening++
	default:
		q.played = false
		time.AfterFunc(3*took, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.opening++
			q.next()
		})
	}
	q.next()
}

// next grants the waiting turns that may begin.
func (q *Queue) next() {
	for {
		next := -1
		for i, w := range q.waiting {
			if q.available(w) && (next < 0 || w.account.used < q.waiting[next].account.used) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		w := q.waiting[next]
		q.waiting = slices.Delete(q.waiting, next, next+1)
		q.grant(w)
		w.granted <- struct{}{}
	}
	q.waiters.Store(int32(len(q.waiting)))
}

// Yield lets other clients have their turns if this one has lasted TurnTime.
func (t *Turn) Yield() {
	if t == nil || t.queue.waiters.Load() == 0 {
		return
	}
	took := time.Since(t.began)
	if took < TurnTime {
		return
	}
	t.queue.mu.Lock()
	t.account.live++ // so that it counts as present meanwhile
	t.leave(took)
	t.account.live--
	t.enter()
}

// virtualTime returns the least processor time of the clients with turns, without the
// turns under way. It never decreases.
func (q *Queue) virtualTime() time.Duration {
	least, live := time.Duration(0), false
	for _, a := range q.clients {
		if used := a.used - a.charged; a.live > 0 && (!live || used < least) {
			least, live = used, true
		}
	}
	q.clock = max(q.clock, least)
	return q.clock
}

// forget drops the accounts of absent clients with no more time than the others.
func (q *Queue) forget() {
	if len(q.clients) < 1024 {
		return
	}
	for client, a := range q.clients {
		if a.live == 0 && a.used <= q.clock {
			delete(q.clients, client)
		}
	}
}
