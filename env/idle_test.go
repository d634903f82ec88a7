package env_test

import (
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/env/internal/segment"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// TestIdleClient makes requests while tables of earlier ones are in play, then pauses for
// longer than the server may work at a request. The pause must not count as work.
func TestIdleClient(t *testing.T) {
	const requestTime = 4 * time.Second // opening takes a second with the race detector on a busy machine
	refused := &envv1.PlayRequest{RequestId: 2, Request: &envv1.PlayRequest_Drop{Drop: &envv1.Drop{Handle: make([]byte, 8)}}}
	inspect := &envv1.PlayRequest{RequestId: 2, Request: &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{}}}
	for name, dial := range transports {
		for next, second := range map[string]*envv1.PlayRequest{"refused": refused, "inspect": inspect} {
			t.Run(name+"/"+next, func(t *testing.T) {
				t.Parallel()
				s := dial(t, newEnv(t, env.Options{RequestTime: requestTime, Workers: 2}))
				_, b, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 1000, AutoReset: true})
				if err != nil {
					t.Fatal(err)
				}
				var a client.Answers
				for i := range b.Len() {
					legal := b.Legal(i)
					a.Add(b, i, legal.First())
				}
				for _, req := range []*envv1.PlayRequest{{RequestId: 1, Request: &envv1.PlayRequest_Act{Act: a.Act()}}, second} {
					if err := s.Send(req); err != nil {
						t.Fatal(err)
					}
				}
				for id := range uint64(2) {
					r, err := s.Conn().Recv()
					if err != nil || r.RequestId != id+1 {
						t.Fatalf("answer %v, error %v; want one to request %d", r, err, id+1)
					}
				}
				time.Sleep(requestTime * 5 / 4)
				if _, err := s.Inspect(0, 0); err != nil {
					t.Errorf("after a pause the stream has ended: %v", err)
				}
			})
		}
	}
}

// TestIdleStreamOfSharedMemory plays in shared memory for longer than a client may be
// idle, then requests answers that are too long for it. The stream must carry them.
func TestIdleStreamOfSharedMemory(t *testing.T) {
	needsShared(t)
	const idle = 300 * time.Millisecond
	c := serveOnSocket(t, newEnv(t, env.Options{Idle: idle}))
	near, _ := attach(t, c, &envv1.Open{Rules: preset("ema_2016"), Tables: 1})
	for start := time.Now(); time.Since(start) < 2*idle; time.Sleep(idle / 20) {
		near.answer(t, segment.Head{Kind: segment.Answers})
	}
	for range 10 {
		r := near.call(t, &envv1.PlayRequest{Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: make([]byte, 4*4000)}}})
		handles := r.GetHandles().GetHandle()
		if len(handles) != 8*4000 {
			t.Fatalf("%d bytes of handles", len(handles))
		}
		near.call(t, &envv1.PlayRequest{Request: &envv1.PlayRequest_Drop{Drop: &envv1.Drop{Handle: handles}}})
	}
}
