package env

import (
	"context"
	"net"
	"net/netip"
	"sync"

	"google.golang.org/grpc/peer"
)

// quota is a number of things that clients may have, in all and those of one
// address. It is safe for use by any number of goroutines.
type quota struct {
	most, share int

	mu   sync.Mutex
	used int
	by   map[string]int
}

// newQuota returns a quota of which one address may have so many percent, and at
// least one.
func newQuota(most, percent int) *quota {
	return &quota{most: most, share: max(1, int(int64(most)*int64(percent)/100)), by: map[string]int{}}
}

// take takes n for an address, or gives them back where n is negative. It returns
// what stands against it: "all", "address", or nothing, and only then takes them.
// An empty address has no share, only the whole.
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

// limit returns the number that stands against take.
func (q *quota) limit(why string) int {
	if why == "address" {
		return q.share
	}
	return q.most
}

// limitOf says whose limit stood against take.
func limitOf(why string) string {
	if why == "address" {
		return "one address"
	}
	return "all clients together"
}

// addressOf returns the machine behind an address, or its network where machines
// have many: of IPv6 the first 64 bits. It is empty for what is no other machine's,
// such as a Unix socket.
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

// caller returns the address a call comes from, empty within the program.
func caller(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok || p.Addr == nil {
		return ""
	}
	return addressOf(p.Addr)
}
