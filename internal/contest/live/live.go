// Package live holds the running and waiting matches of a league.
//
//	var a live.Activity
//	a.SetQueue(queue)
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
	queue   []Lineup
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

// Lineup is bots with the number of their matches that have not begun.
type Lineup struct {
	// Bots are the ids of the bots. Fewer than a table has wait for others.
	Bots    []int64
	Matches uint64
}

// SetQueue replaces the matches that have not begun.
func (a *Activity) SetQueue(queue []Lineup) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = nil
	for _, q := range queue {
		a.queue = append(a.queue, Lineup{slices.Sorted(slices.Values(q.Bots)), q.Matches})
	}
}

// Begin adds a match that begins. It takes one of the same bots from the queue, if there is any.
func (a *Activity) Begin(r Match) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = append(a.running, r)
	bots := slices.Sorted(slices.Values(r.Bots))
	i := slices.IndexFunc(a.queue, func(q Lineup) bool { return slices.Equal(q.Bots, bots) })
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
	a.running = slices.DeleteFunc(a.running, func(r Match) bool { return r.Round == round && r.Index == match })
}

// EndRound removes the running matches of a round, and the whole queue.
func (a *Activity) EndRound(round int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = slices.DeleteFunc(a.running, func(r Match) bool { return r.Round == round })
	a.queue = nil
}

// Snapshot returns the running matches, the longest first, and the queue in its order.
func (a *Activity) Snapshot() ([]Match, []Lineup) {
	a.mu.Lock()
	defer a.mu.Unlock()
	running := slices.Clone(a.running)
	slices.SortStableFunc(running, func(x, y Match) int {
		return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(x.Round, y.Round), cmp.Compare(x.Index, y.Index))
	})
	return running, slices.Clone(a.queue)
}
