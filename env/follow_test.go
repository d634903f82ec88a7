package env

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/peer"

	"github.com/sparrowhall/sparrowhall/env/internal/segment"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

func TestFollowsClientAtLoad(t *testing.T) {
	for _, c := range []struct {
		lively, processors, threads int
		want                        bool
	}{
		{1, 4, 4, false},
		{3, 4, 4, false}, // a processor would be left over
		{4, 4, 4, true},
		{5, 4, 4, false}, // one would wait for a thread
		{5, 4, 8, true},
		{4, 4, 2, false},
	} {
		if got := followsClient(c.lively, c.processors, c.threads); got != c.want {
			t.Errorf("followsClient(%d, %d, %d) = %v", c.lively, c.processors, c.threads, got)
		}
	}
}

// TestFollowsClient plays as if there were one processor: the session's thread is
// bound to the processor of its client while that asks, and to none afterwards.
func TestFollowsClient(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.NumCPU() == 1 {
		t.Skip("threads are bound on Linux, where there are two processors")
	}
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	e.processors, e.threads = 1, 8
	s := e.Play(peer.NewContext(t.Context(), &peer.Peer{Addr: &net.UnixAddr{Net: "unix"}}))
	call := func(req *envv1.PlayRequest) *envv1.PlayResponse {
		t.Helper()
		if err := s.Send(req); err != nil {
			t.Fatal(err)
		}
		r, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	local := call(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{
		Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: 1, Local: segment.Version,
	}}}).GetOpened().GetLocal()
	g, err := segment.Open(local.Path, local.Size, local.Token)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := s.Recv(); err != nil { // the first batch
		t.Fatal(err)
	}
	call(&envv1.PlayRequest{Request: &envv1.PlayRequest_Attach{Attach: &envv1.Attach{}}})

	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		side := g.Client()
		for n := uint32(0); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			g.Slot(n).SetRequest(segment.Head{Kind: segment.Answers, Frame: n % uint32(g.Layout.Frames)})
			side.Publish(n + 1)
			for side.Seen() == n && !g.Ended() {
				side.Wait(n, false, time.Second)
			}
		}
	}()
	end := sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
	defer end() // before the memory goes
	awaitBound(t, true)
	end()
	awaitBound(t, false)
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
}

// awaitBound waits until a thread of the process is bound to a processor, or none.
func awaitBound(t *testing.T, want bool) {
	t.Helper()
	var bound string
	if !poll.Until(func() bool {
		threads, err := filepath.Glob("/proc/self/task/*/status")
		if err != nil || len(threads) == 0 {
			t.Fatalf("no threads: %v", err)
		}
		bound = ""
		for _, name := range threads {
			status, err := os.ReadFile(name)
			if err != nil {
				continue // it has ended
			}
			_, list, _ := strings.Cut(string(status), "Cpus_allowed_list:\t")
			list, _, _ = strings.Cut(list, "\n")
			if !strings.ContainsAny(list, "-,") {
				bound = fmt.Sprintf("%s to processor %s", name, list)
			}
		}
		return (bound != "") == want
	}) {
		t.Fatalf("a thread is bound: %v, want %v; %s", !want, want, bound)
	}
}
