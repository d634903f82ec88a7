package env_test

import (
	"errors"
	"io"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// FuzzPlay sends three requests of any content to an open stream. Whatever they
// are, the stream answers the request after them.
func FuzzPlay(f *testing.F) {
	e := newEnv(f, env.Options{MaxTables: 4, MaxHandles: 4})
	add := func(requests ...*envv1.PlayRequest) {
		var texts [3][]byte
		for i, r := range requests {
			text, err := proto.Marshal(r)
			if err != nil {
				f.Fatal(err)
			}
			texts[i] = text
		}
		f.Add(texts[0], texts[1], texts[2])
	}
	one, two := client.Column([]uint32{1}), client.Column([]uint32{2})
	snapshot := &envv1.PlayRequest{Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: one}}}
	add(
		snapshot,
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Restore{Restore: &envv1.Restore{Table: two, Handle: client.Column([]uint64{1})}}},
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Drop{Drop: &envv1.Drop{Handle: client.Column([]uint64{1})}}},
	)
	add(
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: &envv1.Act{Table: one, Player: []byte{0}, Step: one, Action: []byte{45}}}},
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: one, Seed: client.Column([]uint64{1})}}},
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Fork{Fork: &envv1.Fork{From: one, To: two}}},
	)
	add(
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Redeal{Redeal: &envv1.Redeal{From: one, Player: []byte{0}, Seed: client.Column([]uint64{1}), To: two}}},
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{Rules: preset("hkma_hktw"), Tables: 2, MinBatch: 3, Seats: lineups["one"], Observation: "events"}}},
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: &envv1.Act{Flush: true}}},
	)
	add(
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{Table: 1}}},
		&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{Rules: &envv1.Open_Toml{Toml: short}, Tables: 4, Episode: envv1.Episode_EPISODE_HAND}}},
		&envv1.PlayRequest{},
	)
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		s := e.Play(t.Context())
		open := &envv1.Open{Rules: preset("ema_2016"), Tables: 3, Seed: 1, AutoReset: true}
		if _, _, err := client.NewStream(s).Open(open); err != nil {
			t.Fatal(err)
		}
		received := make(chan error, 1)
		go func() {
			for answered := false; ; {
				r, err := s.Recv()
				if errors.Is(err, io.EOF) && answered {
					err = nil
				}
				if r == nil {
					received <- err
					return
				}
				answered = answered || r.RequestId == 1<<63
			}
		}()
		for _, text := range [][]byte{a, b, c} {
			req := new(envv1.PlayRequest)
			if proto.Unmarshal(text, req) == nil {
				if err := s.Send(req); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := s.Send(&envv1.PlayRequest{RequestId: 1 << 63, Request: &envv1.PlayRequest_Drop{}}); err != nil {
			t.Fatal(err)
		}
		if err := s.CloseSend(); err != nil {
			t.Fatal(err)
		}
		if err := <-received; err != nil {
			t.Fatal(err)
		}
	})
}
