package env_test

import (
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/env/internal/segment"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// TestLocalPunched has a client free the memory that it shares, which the server then reads as
// zeros. The server and another client go on.
func TestLocalPunched(t *testing.T) {
	needsShared(t)
	e, err := env.New(env.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := serveOnSocket(t, e)
	open := &envv1.Open{Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: 8, AutoReset: true}
	honest, b := attach(t, c, open)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		bad, _ := attach(t, c, open)
		if err := unix.Madvise(bad.Memory(), unix.MADV_REMOVE); err != nil {
			t.Fatal(err)
		}
		bad.Slot(0).SetRequest(segment.Head{Kind: segment.Answers, Count: 8})
		bad.side.Publish(1)
		for range 5 {
			r := honest.act(t, answersAtRandom(b, rng))
			if r.GetBatch().GetRows() == 0 {
				t.Fatalf("the honest client is answered by %v", r)
			}
			b = (*client.Batch)(r.GetBatch())
		}
	}
}
