package env_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/env/internal/segment"
	"github.com/sparrowhall/sparrowhall/env/internal/tables"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// inlineConn is an Inline as the transport of a client. Rows go to its memory.
type inlineConn struct {
	t         testing.TB
	stream    *env.Inline
	frames    *segment.Segment // nil before the tables are open
	spec      *observe.Spec
	responses []*envv1.PlayResponse
	next      int   // frame
	err       error // why the stream has ended
}

func newInline(t testing.TB, e *env.Env) *inlineConn {
	t.Helper()
	s, err := e.Inline()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &inlineConn{t: t, stream: s}
}

// Send implements client.Conn.
func (c *inlineConn) Send(req *envv1.PlayRequest) error {
	text, err := proto.Marshal(req)
	if err != nil {
		return err
	}
	frame := 0
	if c.frames != nil {
		c.next++
		frame = c.next % c.frames.Layout.Frames
	}
	rows, lasts, placed, err := c.stream.Request(text, frame)
	if err != nil {
		c.err = err
		return err
	}
	c.take(req.RequestId, frame, rows, lasts, placed)
	if o := req.GetOpen(); o != nil && c.stream.Size() > 0 {
		if o.Observation != "" {
			if c.spec, err = observe.Lookup(o.Observation); err != nil {
				return err
			}
		}
		memory := make([]byte, c.stream.Size())
		if err := c.stream.Attach(memory); err != nil {
			return err
		}
		if err := c.stream.Unpack(); err != nil {
			return err
		}
		c.frames = mapped(c.t, memory)
	}
	return nil
}

// mapped returns the segment that Attach has laid out.
func mapped(t testing.TB, memory []byte) *segment.Segment {
	t.Helper()
	var l segment.Layout
	if err := l.Read(memory); err != nil {
		t.Fatal(err)
	}
	s, err := segment.Over(&l, memory)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// take takes what answers a request.
func (c *inlineConn) take(id uint64, frame, rows, lasts int, placed bool) {
	if placed {
		c.responses = append(c.responses, &envv1.PlayResponse{
			RequestId: id, Response: &envv1.PlayResponse_Batch{Batch: c.batch(frame, rows, lasts)},
		})
	}
	for n := c.stream.Answer(nil); n > 0; n = c.stream.Answer(nil) {
		text, r := make([]byte, n), &envv1.PlayResponse{}
		if c.stream.Answer(text) != n || proto.Unmarshal(text, r) != nil {
			c.t.Fatalf("an answer of %d bytes is none", n)
		}
		c.responses = append(c.responses, r)
	}
}

// batch returns the rows of a frame, and checks that bits and bytes agree.
func (c *inlineConn) batch(frame, rows, lasts int) *envv1.Batch {
	column := func(i, n int) []byte {
		return slices.Clone(c.frames.ColumnOf(c.frames.Frame(frame), i)[:c.frames.Layout.Columns[i].Bytes*n])
	}
	b := &envv1.Batch{
		Rows: uint32(rows), Table: column(0, rows), Player: column(1, rows), Step: column(2, rows),
		Flags: column(3, rows), Reward: column(4, rows), Owed: column(5, rows),
	}
	mask := column(tables.ColumnMask, rows)
	for i := range rows {
		b.Mask = append(b.Mask, mask[tables.MaskBytes*i:][:client.MaskSize]...)
	}
	tensors := 0
	if c.spec != nil {
		tensors = len(c.spec.Tensors)
	}
	for i := range tensors {
		packed, unpacked := column(tables.NumColumns+i, rows), column(tables.NumColumns+tensors+i, rows)
		if !slices.Equal(c.spec.Tensors[i].AppendUnpacked(nil, packed), unpacked) {
			c.t.Errorf("tensor %d: the bytes are not the bits", i)
		}
		b.Observation = append(b.Observation, packed)
	}
	actions := c.frames.Layout.Columns[tables.NumColumns+2*tensors].Bytes
	for i, cell := range column(tables.NumColumns+2*tensors, rows) {
		if a := i % actions; mask[tables.MaskBytes*(i/actions)+a/8]>>(a%8)&1 != cell {
			c.t.Errorf("row %d: the byte of action %d of %d is not its bit", i/actions, a, actions)
		}
	}
	if lasts > 0 {
		b.LastRow, b.LastPoints, b.LastRank = column(7, lasts), column(8, lasts), column(9, lasts)
		b.LastPlacement, b.LastSeed, b.LastSharedRank = column(10, lasts), column(11, lasts), column(12, lasts)
	}
	return b
}

// Recv implements client.Conn.
func (c *inlineConn) Recv() (*envv1.PlayResponse, error) {
	switch {
	case c.err != nil:
		return nil, c.err
	case len(c.responses) == 0:
		return nil, io.EOF
	}
	r := c.responses[0]
	c.responses = c.responses[1:]
	return r, nil
}

// CloseSend implements client.Conn.
func (c *inlineConn) CloseSend() error { return nil }

// TestInline makes the same requests of all kinds inline and in a stream of messages, and
// compares the answers byte for byte.
func TestInline(t *testing.T) {
	for n, name := range configs.Names() {
		if testing.Short() && n%4 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, env.Options{})
			streams := []*client.Stream{client.NewStream(newInline(t, e)), transports["process"](t, e)}
			ask := func(req *envv1.PlayRequest, answers int) (all []*envv1.PlayResponse) {
				t.Helper()
				for i, s := range streams {
					if err := s.Conn().Send(req); err != nil {
						t.Fatal(err)
					}
					for k := range answers {
						r, err := s.Conn().Recv()
						if err != nil {
							t.Fatal(err)
						}
						if i == 0 {
							all = append(all, r)
						} else if !proto.Equal(all[k], r) {
							t.Fatalf("inline %v\nin a stream %v", all[k], r)
						}
					}
				}
				return all
			}
			open := withRules(name, &envv1.Open{
				Tables: 40, Seed: uint64(n), Observation: []string{"planes", "features", ""}[n%3],
				Episode: envv1.Episode_EPISODE_HAND, AutoReset: n%2 == 0,
			})
			seat(t, open, []string{"all", "two"}[n%2])
			b := (*client.Batch)(ask(&envv1.PlayRequest{RequestId: 1, Request: &envv1.PlayRequest_Open{Open: open}}, 2)[1].GetBatch())
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			id := uint64(1)
			request := func(r *envv1.PlayRequest) *envv1.PlayResponse {
				t.Helper()
				id++
				r.RequestId = id
				return ask(r, 1)[0]
			}
			for range 25 {
				act := answersAtRandom(b, rng)
				b = (*client.Batch)(request(&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: act}}).GetBatch())
			}
			act := answersAtRandom(b, rng)
			act.Action[0] = 255
			if r := request(&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: act}}); r.GetError() == nil {
				t.Errorf("an illegal action: %v", r)
			}
			waiting := b.Table[:4]
			handle := request(&envv1.PlayRequest{Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: waiting}}}).GetHandles().GetHandle()
			legal := b.Legal(0)
			for _, r := range []*envv1.PlayRequest{
				{Request: &envv1.PlayRequest_Playout{Playout: &envv1.Playout{Table: waiting, Player: b.Player[:1], Action: []byte{byte(legal.First())}, Agent: "eager"}}},
				{Request: &envv1.PlayRequest_Redeal{Redeal: &envv1.Redeal{From: waiting, Player: b.Player[:1], Seed: make([]byte, 8), To: uint32s(39)}}},
				{Request: &envv1.PlayRequest_Fork{Fork: &envv1.Fork{From: waiting, To: uint32s(38)}}},
				{Request: &envv1.PlayRequest_Restore{Restore: &envv1.Restore{Table: uint32s(37), Handle: handle}}},
				{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: uint32s(36), Seed: make([]byte, 8)}}},
				{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: uint32s(40)}}},
				{Request: &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{Player: uint32(b.Player[0])}}},
				{Request: &envv1.PlayRequest_Drop{Drop: &envv1.Drop{Handle: handle}}},
				{Request: &envv1.PlayRequest_Attach{Attach: &envv1.Attach{}}},
				{},
			} {
				request(r)
			}
		})
	}
}

func uint32s(list ...uint32) (column []byte) {
	for _, n := range list {
		column = binary.LittleEndian.AppendUint32(column, n)
	}
	return column
}

// TestInlineAct answers frames, and compares with a stream of messages.
func TestInlineAct(t *testing.T) {
	e := newEnv(t, env.Options{})
	c := newInline(t, e)
	s := transports["process"](t, e)
	o := &envv1.Open{Rules: preset("zung_jung"), Tables: 3, Seed: 2, Observation: "planes", Episode: envv1.Episode_EPISODE_HAND, AutoReset: true}
	if _, _, err := client.NewStream(c).Open(o); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Open(o); err != nil {
		t.Fatal(err)
	}
	// Rows are in no frame yet: start all over.
	again := &envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: uint32s(0, 1, 2)}}}
	if err := c.Send(again); err != nil {
		t.Fatal(err)
	}
	b, err := s.Reset([]uint32{0, 1, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	of, ends := c.next%c.frames.Layout.Frames, 0
	for n := 0; n < 600 || ends == 0 && n < 3000; n++ {
		actions := make([]byte, b.Len())
		for i := range actions {
			if legal := b.Legal(i); b.Asked(i) {
				actions[i] = byte(legal.Nth(rng.IntN(legal.Len())))
			}
		}
		var answers client.Answers
		for i := range actions {
			if b.Asked(i) {
				answers.Add(b, i, sim.Action(actions[i]))
			}
		}
		to := (of + 1) % c.frames.Layout.Frames
		rows, lasts, placed, err := c.stream.Act(of, to, actions)
		if err != nil || !placed {
			t.Fatalf("placed %v: %v", placed, err)
		}
		if b, err = s.Act(&answers); err != nil {
			t.Fatal(err)
		}
		if got := c.batch(to, rows, lasts); !proto.Equal(got, (*envv1.Batch)(b)) {
			t.Fatalf("inline %v\nin a stream %v", got, (*envv1.Batch)(b))
		}
		of, ends = to, ends+lasts
	}
	if ends == 0 {
		t.Error("no episode has ended")
	}
	if _, _, placed, err := c.stream.Act(of, 99, make([]byte, 1)); placed || err != nil {
		t.Errorf("an answer in a frame that is not there: %v", err)
	}
	if c.take(0, 0, 0, 0, false); c.responses[len(c.responses)-1].GetError().GetCode() != envv1.ErrorCode_ERROR_CODE_BAD_LENGTH {
		t.Errorf("an answer in a frame that is not there: %v", c.responses)
	}
	for _, frame := range []int{-1, 99} {
		if _, _, placed, err := c.stream.Request(nil, frame); placed || err != nil {
			t.Errorf("a request whose answer is for frame %d: %v", frame, err)
		}
		if c.take(0, 0, 0, 0, false); c.responses[len(c.responses)-1].GetError().GetCode() != envv1.ErrorCode_ERROR_CODE_BAD_LENGTH {
			t.Errorf("a request whose answer is for frame %d: %v", frame, c.responses)
		}
	}
}

// TestInlineRefusals makes requests that are refused, and some that end the stream.
func TestInlineRefusals(t *testing.T) {
	e := newEnv(t, env.Options{MaxStreams: 1})
	c := newInline(t, e)
	if _, err := e.Inline(); err == nil || !strings.Contains(err.Error(), "1 streams are open") {
		t.Errorf("one stream too many: %v", err)
	}
	text, err := proto.Marshal(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{Rules: preset("ema_2016"), Tables: 1, MinBatch: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := c.stream.Request(text, 0); err != nil {
		t.Fatal(err)
	}
	if c.take(0, 0, 0, 0, false); !strings.Contains(c.responses[0].GetError().GetMessage(), "asynchronous") {
		t.Errorf("asynchronous tables: %v", c.responses)
	}
	if err := c.stream.Attach(make([]byte, 8)); err == nil {
		t.Error("memory before tables are open")
	}
	if err := c.stream.Unpack(); err == nil {
		t.Error("observations before tables are open")
	}
	if _, _, _, err := c.stream.Request([]byte{255}, 0); err == nil {
		t.Error("a request that is none")
	}
	if _, _, _, err := c.stream.Request(text, 0); err == nil {
		t.Error("a stream goes on after an error")
	}
	c.stream.Close()
	c.stream.Close()
	if _, _, _, err := c.stream.Request(text, 0); !errors.Is(err, env.ErrClosed) {
		t.Errorf("a closed stream: %v", err)
	}
	newInline(t, e) // its place is free again
}

// TestInlinePanics lets an agent panic: the stream ends with an error that has the value.
func TestInlinePanics(t *testing.T) {
	e := newEnv(t, env.Options{Workers: 2})
	c := newInline(t, e)
	_, _, err := client.NewStream(c).Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 100, Seats: []string{"broken", "broken", "broken", env.External}})
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error %v; want the panic", err)
	}
}

// TestInlineThreads makes requests from two threads: each is carried out or refused.
func TestInlineThreads(t *testing.T) {
	e := newEnv(t, env.Options{})
	c := newInline(t, e)
	if _, _, err := client.NewStream(c).Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 200, Observation: "planes"}); err != nil {
		t.Fatal(err)
	}
	text, err := proto.Marshal(&envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: uint32s(upTo(200)...)}}})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var refused atomic.Bool
	for frame := range 2 {
		group.Go(func() {
			for n := 0; n < 300 && (n < 20 || !refused.Load()); n++ {
				if _, _, _, err := c.stream.Request(text, frame); errors.Is(err, env.ErrTwoThreads) {
					refused.Store(true)
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if !refused.Load() {
		t.Error("no request was refused")
	}
	group.Go(func() { _, _, _, _ = c.stream.Request(text, 0) })
	c.stream.Close() // at any time
	group.Wait()
}

// BenchmarkInline answers a table with random actions.
func BenchmarkInline(b *testing.B) {
	for _, observation := range []string{"", "planes"} {
		b.Run("observation="+observation, func(b *testing.B) {
			c := newInline(b, newEnv(b, env.Options{}))
			s := client.NewStream(c)
			if _, _, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 1, Observation: observation, AutoReset: true}); err != nil {
				b.Fatal(err)
			}
			if err := c.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: uint32s(0)}}}); err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			of, rows := c.next%c.frames.Layout.Frames, 1
			actions := make([]byte, 64)
			b.ReportAllocs()
			for b.Loop() {
				frame := c.frames.Frame(of)
				mask := c.frames.ColumnOf(frame, tables.ColumnMask)[:tables.MaskBytes*rows]
				for i := range rows {
					var legal sim.ActionSet
					for w := range legal {
						legal[w] = binary.LittleEndian.Uint64(mask[24*i+8*w:])
					}
					if n := legal.Len(); n > 0 {
						actions[i] = byte(legal.Nth(rng.IntN(n)))
					}
				}
				to := (of + 1) % 2
				var err error
				if rows, _, _, err = c.stream.Act(of, to, actions[:rows]); err != nil {
					b.Fatal(err)
				}
				of = to
			}
		})
	}
}
