package admission

import "sync"

// Quota limits a number of things for all clients together and for each address. It
// is safe for use by any number of goroutines.
type Quota struct {
	most, share int

	mu   sync.Mutex
	used int
	by   map[string]int
}

// NewQuota returns a quota. One address may have a percentage of it, and at least one.
func NewQuota(most, percent int) *Quota {
	return &Quota{most: most, share: max(1, int(int64(most)*int64(percent)/100)), by: map[string]int{}}
}

// Take takes n for an address; Release returns them. If a limit forbids it, Take returns the
// limit's name, "all" or "address", and takes nothing. Only the limit for all applies to an
// empty address. A negative n is always taken.
func (q *Quota) Take(address string, n int) (why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case n <= 0:
	case q.used+n > q.most:
		return "all"
	case address != "" && q.by[address]+n > q.share:
		return "address"
	}
	q.used += n
	if address != "" {
		if q.by[address] += n; q.by[address] == 0 {
			delete(q.by, address)
		}
	}
	return ""
}

// Release returns n that were taken for an address.
func (q *Quota) Release(address string, n int) { q.Take(address, -n) }

// Limit returns the limit that Take has named.
func (q *Quota) Limit(why string) int {
	if why == "address" {
		return q.share
	}
	return q.most
}
