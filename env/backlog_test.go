package env

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TestAnswersAfterTheEnd writes an answer after the end of its call. It does not count.
func TestAnswersAfterTheEnd(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(ServerOptions{MaxConnections: 1, MaxCalls: 1, MaxWaiting: 1 << 20}, e)
	c := &connection{gate: g}
	m := &metered{connection: c}
	if !m.count(10) || g.backlog.bytes != 10 {
		t.Errorf("%d bytes wait, want 10", g.backlog.bytes)
	}
	g.backlog.left(c, m.end())
	if err := m.SendMsg(done()); status.Code(err) != codes.Canceled {
		t.Errorf("an answer after the end: %v", err)
	}
	if g.backlog.bytes != 0 {
		t.Errorf("%d bytes wait for a call that is over", g.backlog.bytes)
	}
}
