// Package live holds the running and waiting matches of a league.
//
//	var a live.Activity
//	a.SetQueue(16)
//	a.Begin(live.Match{Round: 1, Index: 0, Bots: bots, Since: time.Now()})
//	running, queue := a.Snapshot()
package live

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Activity is the running and waiting matches of a league: the runner reports them, and a served
// site shows them. The zero value has no matches. Its methods may be called by many goroutines.
type Activity struct {
	mu      sync.Mutex
	running []Match
	queue   uint64
}

// Match is a match that is being played.
type Match struct {
	// Round is the round of the match, 0 without one. Index is its number in the round.
	Round int64
	Index uint64
	// Bots are the ids of the bots by seat.
	Bots  []int64
	Since time.Time
}

// SetQueue sets the number of matches that have not begun.
func (a *Activity) SetQueue(matches uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = matches
}

// Begin adds a match that begins. It takes one from the queue, if there is any.
func (a *Activity) Begin(r Match) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = append(a.running, r)
	a.queue -= min(a.queue, 1)
}

// End removes a match that has ended.
func (a *Activity) End(round int64, match uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = slices.DeleteFunc(a.running, func(r Match) bool { return r.Round == round && r.Index == match })
}

// EndRound removes the running matches of a round, and the whole queue.
func (a *Activity) EndRound(round int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = slices.DeleteFunc(a.running, func(r Match) bool { return r.Round == round })
	a.queue = 0
}

// Snapshot returns the running matches, the longest first, and how many have not begun.
func (a *Activity) Snapshot() (running []Match, queue uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	running = slices.Clone(a.running)
	slices.SortStableFunc(running, func(x, y Match) int {
		return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(x.Round, y.Round), cmp.Compare(x.Index, y.Index))
	})
	return running, a.queue
}
