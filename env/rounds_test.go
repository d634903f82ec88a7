package env_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/env/internal/segment"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// conversation plays with one request under way and returns the requests and their
// answers. Tables are in parts, of which each request is about one, so that the
// next is now about tables in play and now about others; some are refused.
func conversation(t *testing.T, conn client.Conn, o *envv1.Open, parts, n int) (requests []*envv1.PlayRequest, answers []*envv1.PlayResponse) {
	t.Helper()
	recv := func() *envv1.PlayResponse {
		r, err := conn.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return proto.CloneOf(r)
	}
	if err := conn.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: o}}); err != nil {
		t.Fatal(err)
	}
	recv()
	batches := make([]*client.Batch, parts) // the last of each part
	part := func(table uint32) int { return int(table) * parts / int(o.Tables) }
	first := (*client.Batch)(recv().GetBatch())
	rng := rand.New(rand.NewPCG(1, uint64(parts)))
	for i := range n {
		k := rng.IntN(parts)
		req := &envv1.PlayRequest{RequestId: uint64(i + 1)}
		var tables []uint32
		for table := range o.Tables {
			if part(table) == k {
				tables = append(tables, table)
			}
		}
		b, all := batches[k], batches[k] == nil
		if all {
			b = first
		}
		a := new(client.Answers)
		for row := range b.Len() {
			if b.Asked(row) && part(b.TableOf(row)) == k {
				legal := b.Legal(row)
				a.Add(b, row, legal.Nth(rng.IntN(legal.Len())))
			}
		}
		act := a.Act()
		req.Request = &envv1.PlayRequest_Act{Act: act}
		switch rng.IntN(12) {
		case 0:
			act.Step[0] ^= 1
		case 1:
			act.Action[len(act.Action)-1] = 200
		case 2:
			req.Request = &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: client.Column(tables)}}
		case 3:
			req.Request = &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{Table: tables[0], Player: uint32(i) % 4}}
		case 4:
			req.Request = &envv1.PlayRequest_Act{Act: new(envv1.Act)}
		}
		if err := conn.Send(proto.CloneOf(req)); err != nil {
			t.Fatal(err)
		}
		answer := recv()
		requests, answers = append(requests, req), append(answers, answer)
		if b := answer.GetBatch(); b.GetRows() > 0 {
			batches[k] = (*client.Batch)(b)
		}
	}
	return requests, answers
}

// TestUnderWay makes the requests of a conversation without waiting for answers,
// which are the same, in their order.
func TestUnderWay(t *testing.T) {
	tables, rounds := uint32(200), 120
	if testing.Short() {
		tables, rounds = 50, 40
	}
	for _, workers := range []int{1, 4} {
		made := func(t *testing.T) *env.Env { return newEnv(t, env.Options{Workers: workers}) }
		open := func() *envv1.Open {
			return &envv1.Open{Rules: preset("ema_2016"), Tables: tables, Seed: 3, Observation: "planes", AutoReset: true}
		}
		requests, want := conversation(t, made(t).Play(t.Context()), open(), 3, rounds)
		check := func(t *testing.T, i int, got *envv1.PlayResponse) {
			t.Helper()
			if !proto.Equal(want[i], got) {
				t.Fatalf("request %d, %.300v\none by one\n%.600v\nunder way\n%.600v", i, requests[i], want[i], got)
			}
		}
		for name, dial := range transports {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				s := dial(t, made(t))
				if _, _, err := s.Open(open()); err != nil {
					t.Fatal(err)
				}
				go func() {
					for _, req := range requests {
						if err := s.Send(proto.CloneOf(req)); err != nil {
							return
						}
					}
					_ = s.Close()
				}()
				for i := range requests {
					got, err := s.Conn().Recv()
					if err != nil {
						t.Fatal(err)
					}
					check(t, i, got)
				}
				if _, err := s.Conn().Recv(); !errors.Is(err, io.EOF) {
					t.Fatalf("the stream ends with %v", err)
				}
			})
		}
		t.Run(fmt.Sprint("shared", workers), func(t *testing.T) {
			needsShared(t)
			near, _ := attach(t, serveOnSocket(t, made(t)), open())
			replay(t, near, requests, check)
		})
		t.Run(fmt.Sprint("beside others", workers), func(t *testing.T) {
			needsShared(t)
			c := serveOnSocket(t, made(t))
			for range 4 {
				t.Run("", func(t *testing.T) {
					t.Parallel()
					near, _ := attach(t, c, open())
					replay(t, near, requests, check)
				})
			}
		})
	}
}

// replay makes requests in shared memory, as many as may be under way, and checks
// their answers.
func replay(t *testing.T, near *neighbor, requests []*envv1.PlayRequest, check func(t *testing.T, i int, got *envv1.PlayResponse)) {
	t.Helper()
	sent, frames := uint32(0), uint32(near.Layout.Frames)
	for i := range requests {
		for sent < uint32(len(requests)) && sent < near.n+min(frames-1, segment.Slots) {
			req := requests[sent]
			slot := near.Slot(sent)
			h := segment.Head{Frame: sent % frames, ID: req.RequestId}
			if a := req.GetAct(); a != nil {
				for c, column := range [][]byte{a.Table, a.Player, a.Step, a.Action} {
					copy(near.AnswerColumn(slot, c, len(a.Player)), column)
				}
				h.Kind, h.Count = segment.Answers, uint32(len(a.Player))
			} else {
				text, err := proto.Marshal(req)
				if err != nil {
					t.Fatal(err)
				}
				h.Kind, h.Count = segment.Message, uint32(copy(slot.Text(), text))
			}
			slot.SetRequest(h)
			sent++
			near.side.Publish(sent)
		}
		for deadline := time.Now().Add(20 * time.Second); near.side.Seen() == near.n; {
			if near.Ended() || time.Now().After(deadline) {
				t.Fatalf("request %d is not answered (ended: %v)", i, near.Ended())
			}
			near.side.Wait(near.n, false, 20*time.Millisecond)
		}
		f := near.Frame(i % int(frames))
		check(t, i, near.read(t, f.Response(), f))
		near.n++
	}
}
