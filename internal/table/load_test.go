package table

import (
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestManyTables plays at many tables at once, a scripted person at each, who thinks for half a
// second. It measures the time from an answer to the next message about what follows, and with -v
// prints the distribution. With SPARROWHALL_LONG there are 200 tables: on two processors that have
// no other work the longest delay should be below half a second.
func TestManyTables(t *testing.T) {
	tables, answers, think := 8, 3, 20*time.Millisecond
	if os.Getenv("SPARROWHALL_LONG") != "" {
		tables, answers, think = 200, 20, 500*time.Millisecond
	}
	var mu sync.Mutex
	var delays []time.Duration
	var all sync.WaitGroup
	for i := range tables {
		o := options(t, "ema_2016", "value", 8)
		o.Seed, o.Pace = new(uint64(i)), 0
		s := serve(t, o)
		all.Go(func() {
			key, left := s.Key(0), answers
			time.Sleep(think * time.Duration(i) / time.Duration(tables)) // people do not answer in step
			var answered time.Time
			s.follow(t, key, "", func(m received) bool {
				if !answered.IsZero() && (m.kind == "events" || m.kind == "question") {
					mu.Lock()
					delays = append(delays, time.Since(answered))
					mu.Unlock()
					answered = time.Time{}
				}
				if m.kind != "question" {
					return true
				}
				if left--; left < 0 {
					return false
				}
				time.Sleep(think)
				q := questionOf(t, m)
				answered = time.Now()
				s.answerFirst(t, key, q)
				return true
			})
		})
	}
	all.Wait()
	slices.Sort(delays)
	at := func(q float64) time.Duration { return delays[int(q*float64(len(delays)-1))] }
	t.Logf("%d tables, %d answers: median %v, 99 %% within %v, longest %v", tables, len(delays), at(.5), at(.99), at(1))
	// Other tests may run beside this one.
	if most := 30 * time.Second; len(delays) < tables || at(1) > most {
		t.Errorf("%d answers, the longest delay is %v; allowed %v", len(delays), at(1), most)
	}
}
