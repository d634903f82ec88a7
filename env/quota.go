package env

import (
	"context"
	"net"
	"net/netip"
	"sync"

	"google.golang.org/grpc/peer"
)

// quota limits a number of things for all clients together and for each address. It
// is safe for use by any number of goroutines.
type quota struct {
	most, share int

	mu   sync.Mutex
	used int
	by   map[string]int
}

// newQuota returns a quota. One address may have a percentage of it, and at least one.
func newQuota(most, percent int) *quota {
	return &quota{most: most, share: max(1, int(int64(most)*int64(percent)/100)), by: map[string]int{}}
}

// take takes n for an address; release returns them. If a limit forbids it, take returns the
// limit's name, "all" or "address", and takes nothing. Only the limit for all applies to an
// empty address. A negative n is always taken.
func (q *quota) take(address string, n int) (why string) {
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

// release returns n that were taken for an address.
func (q *quota) release(address string, n int) { q.take(address, -n) }

// limit returns the limit that take has named.
func (q *quota) limit(why string) int {
	if why == "address" {
		return q.share
	}
	return q.most
}

// limitOf returns, for an error, who shares the limit that take has named.
func limitOf(why string) string {
	if why == "address" {
		return "one address"
	}
	return "all clients together"
}

// addressOf returns the IP address that limits apply to; for IPv6 its /64 prefix, since
// a machine may have many addresses of it. It is empty for other networks, such as
// Unix sockets.
func addressOf(a net.Addr) string {
	p, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	ip := p.Addr().Unmap().WithZone("")
	if ip.Is6() {
		return netip.PrefixFrom(ip, 64).Masked().String()
	}
	return ip.String()
}

// clientAddress returns the address that a call comes from; empty within the process.
func clientAddress(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok || p.Addr == nil {
		return ""
	}
	return addressOf(p.Addr)
}
