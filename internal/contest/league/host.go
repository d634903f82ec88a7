package league

import (
	"context"
	"errors"
	"slices"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sparrowhall/sparrowhall/internal/admission"
)

// slowPace is the mean time for a decision above which a bot is slow.
const slowPace = time.Second

// choose returns the numbers in the pool of the bots of which the next round is made. In a hall the
// bot that has waited longest comes first, if it can play. The others are bots that wait and are as
// slow or quick as it is, and the quick ones of this machine, unless there are none.
func (s *session) choose(guests []Guest) []int {
	waits := map[int64]bool{}
	for _, g := range guests {
		waits[g.ID] = true
		if _, ok := s.paces[g.ID]; !ok {
			s.paces[g.ID] = g.Pace
		}
	}
	isSlow := func(id int64) bool { return s.paces[id] > slowPace }
	var all, alike []int
	for i := range s.pool.members {
		b := s.member(i)
		isRemote := b.Agent == RemoteAgent
		if b.Retired != "" || s.leftOut[b.ID] || isRemote && !waits[b.ID] {
			continue
		}
		at := len(all)
		if len(guests) > 0 && b.ID == guests[0].ID {
			at = 0
		}
		all = slices.Insert(all, at, i)
		if len(guests) == 0 || isSlow(b.ID) == (isRemote && isSlow(guests[0].ID)) {
			alike = slices.Insert(alike, min(at, len(alike)), i)
		}
	}
	if !s.fill(alike) {
		return all
	}
	return alike
}

// fill reports whether members can fill a table, at which one of this machine may sit more than once.
func (s *session) fill(members []int) bool {
	return len(members) >= s.league.seats() || slices.ContainsFunc(members, func(i int) bool { return s.member(i).Agent != RemoteAgent })
}

// errFewBots is the error of bots that are too few for a match. In a hall others may come.
var errFewBots = errors.New("at least 2 must, and fill a table: league add adds one")

// member returns a member of the pool.
func (s *session) member(member int) *Bot { return &s.pool.bots[s.pool.members[member]] }

// addPace adds the time that a bot took for the decisions of a round. The last rounds weigh most.
func (s *session) addPace(bot int64, f *figures) {
	pace := time.Duration(f.Nanoseconds / max(1, f.Timed))
	if old := s.paces[bot]; old > 0 {
		pace = (3*old + pace) / 4
	}
	s.paces[bot] = pace
}

// persist repeats what the lack of bots, of descriptors or of room on the disk has prevented, in a hall:
// what its bots have played they cannot play again.
func (s *session) persist(ctx context.Context, f func() error) error {
	if s.o.Hall == nil {
		return f()
	}
	passes := func(err error) bool { return isExhausted(err) || errors.Is(err, errFewBots) }
	return admission.Persist(ctx, f, passes, func(err error) { s.o.warn("waiting to go on: %v", err) })
}

// isExhausted reports whether an error is a lack of descriptors or of room on the disk.
func isExhausted(err error) bool {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		// The driver keeps no error of the system.
		code := e.Code() & 0xff
		return code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_CANTOPEN
	}
	return admission.IsExhausted(err)
}
