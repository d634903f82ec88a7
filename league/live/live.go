// Package live holds what a league plays at the moment.
//
//	var a live.Activity
//	a.SetQueue(queue)
//	a.Begin(live.Running{Round: 1, Match: 0, Bots: bots, Since: time.Now()})
//	running, queue := a.Snapshot()
package live

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Activity is what a league plays at the moment. What plays the matches reports to it, and a
// served site shows it. The zero value has no matches. Its methods may be called by many
// goroutines.
type Activity struct {
	mu      sync.Mutex
	running []Running
	queue   []Queued
}

// Running is a match that is being played.
type Running struct {
	// Round is that of the match, 0 for one that belongs to none. Match is its number; no two
	// running matches of a round have the same.
	Round int64
	Match uint64
	// Bots are the ids of the bots by seat.
	Bots  []int64
	Since time.Time
}

// Queued is matches of a lineup that wait for their turn.
type Queued struct {
	// Bots are the ids of the bots. Fewer than a table has wait for others.
	Bots    []int64
	Matches uint64
}

// SetQueue replaces the matches that wait.
func (a *Activity) SetQueue(queue []Queued) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = nil
	for _, q := range queue {
		a.queue = append(a.queue, Queued{slices.Sorted(slices.Values(q.Bots)), q.Matches})
	}
}

// Begin adds a match that begins. It takes one of the same bots from the queue, if there is any.
func (a *Activity) Begin(r Running) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = append(a.running, r)
	bots := slices.Sorted(slices.Values(r.Bots))
	i := slices.IndexFunc(a.queue, func(q Queued) bool { return slices.Equal(q.Bots, bots) })
	if i < 0 {
		return
	}
	if a.queue[i].Matches--; a.queue[i].Matches == 0 {
		a.queue = slices.Delete(a.queue, i, i+1)
	}
}

// End removes a match that has ended.
func (a *Activity) End(round int64, match uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = slices.DeleteFunc(a.running, func(r Running) bool { return r.Round == round && r.Match == match })
}

// EndRound removes all matches of a round, running or not, that can be played no more.
func (a *Activity) EndRound(round int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = slices.DeleteFunc(a.running, func(r Running) bool { return r.Round == round })
	a.queue = nil
}

// Snapshot returns the running matches, the longest first, and the queue in its order.
func (a *Activity) Snapshot() ([]Running, []Queued) {
	a.mu.Lock()
	defer a.mu.Unlock()
	running := slices.Clone(a.running)
	slices.SortStableFunc(running, func(x, y Running) int {
		return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(x.Round, y.Round), cmp.Compare(x.Match, y.Match))
	})
	return running, slices.Clone(a.queue)
}
