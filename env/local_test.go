package env_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/env/internal/segment"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// neighbor is a client in shared memory, as plain as can be: one request at a
// time, every answer in the next frame.
type neighbor struct {
	*segment.Segment
	stream *client.Stream
	side   segment.Side
	n      uint32
	spec   *observe.Spec // of observations whose bits take bytes
}

// attach opens tables and goes on in shared memory.
func attach(t *testing.T, c *client.Client, o *envv1.Open) (*neighbor, *client.Batch) {
	t.Helper()
	s, err := c.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o.Local = segment.Version
	opened, batch, err := s.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if opened.Local.GetRefused() != "" {
		t.Fatalf("no memory is shared: %s", opened.Local.Refused)
	}
	g, err := segment.Open(opened.Local.Path, opened.Local.Size, opened.Local.Token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	// A batch is valid until the stream receives again, as it does next.
	first := (*client.Batch)(proto.CloneOf((*envv1.Batch)(batch)))
	if err := s.Attach(); err != nil {
		t.Fatal(err)
	}
	near := &neighbor{Segment: g, stream: s, side: g.Client()}
	switch {
	case !o.LocalUnpacked || o.Observation == "":
	case o.Observation == "oracle":
		near.spec = observe.Oracle()
	default:
		if near.spec, err = observe.Lookup(o.Observation); err != nil {
			t.Fatal(err)
		}
	}
	return near, first
}

// ask makes a request and waits for the answer.
func (c *neighbor) ask(t *testing.T, h segment.Head) (segment.Head, segment.Part) {
	t.Helper()
	h.Frame = c.n % uint32(c.Layout.Frames)
	c.Slot(c.n).SetRequest(h)
	c.side.Publish(c.n + 1)
	for deadline := time.Now().Add(20 * time.Second); c.side.Seen() == c.n; {
		if c.Ended() || time.Now().After(deadline) {
			t.Fatalf("request %d is not answered (ended: %v)", c.n, c.Ended())
		}
		c.side.Wait(c.n, c.side.MaySpin(), 20*time.Millisecond)
	}
	c.n++
	f := c.Frame(int(h.Frame))
	return f.Response(), f
}

// act answers rows.
func (c *neighbor) act(t *testing.T, a *envv1.Act) *envv1.PlayResponse {
	t.Helper()
	slot := c.Slot(c.n)
	for i, column := range [][]byte{a.Table, a.Player, a.Step, a.Action} {
		copy(c.AnswerColumn(slot, i, len(a.Player)), column)
	}
	return c.answer(t, segment.Head{Kind: segment.Answers, Count: uint32(len(a.Player)), ID: 7})
}

func (c *neighbor) call(t *testing.T, req *envv1.PlayRequest) *envv1.PlayResponse {
	t.Helper()
	text, err := proto.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	room := c.Slot(c.n).Text()
	if len(text) > len(room) {
		if err := c.stream.Send(req); err != nil {
			t.Fatal(err)
		}
		return c.answer(t, segment.Head{Kind: segment.Elsewhere})
	}
	copy(room, text)
	return c.answer(t, segment.Head{Kind: segment.Message, Count: uint32(len(text)), ID: req.RequestId})
}

func (c *neighbor) answer(t *testing.T, h segment.Head) *envv1.PlayResponse {
	t.Helper()
	r, f := c.ask(t, h)
	return c.read(t, r, f)
}

// read returns an answer as the stream would have it.
func (c *neighbor) read(t *testing.T, r segment.Head, f segment.Part) *envv1.PlayResponse {
	t.Helper()
	out := &envv1.PlayResponse{}
	switch r.Kind {
	case segment.Message:
		if err := proto.Unmarshal(f.Text()[:r.Count], out); err != nil {
			t.Fatal(err)
		}
	case segment.Elsewhere:
		conn, err := c.stream.Conn().Recv()
		if err != nil {
			t.Fatal(err)
		}
		return conn
	case segment.Batch:
		rows, lasts := int(r.Count), int(r.Lasts)
		column := func(i, n int) []byte { return append([]byte(nil), c.ColumnOf(f, i)[:n*c.Layout.Columns[i].Bytes]...) }
		b := &envv1.Batch{Rows: r.Count, Draining: r.Flags&segment.Draining != 0}
		if rows > 0 {
			b.Table, b.Player, b.Step, b.Flags, b.Reward = column(0, rows), column(1, rows), column(2, rows), column(3, rows), column(4, rows)
			if c.Layout.Columns[5].Bytes > 0 {
				b.Owed = column(5, rows)
			}
			for i := range rows {
				b.Mask = append(b.Mask, column(6, rows)[24*i:24*i+client.MaskSize]...)
			}
		}
		for i := range c.Layout.Columns[13:] {
			tensor := column(13+i, rows)
			if c.spec != nil {
				tensor = c.spec.Tensors[i].AppendPacked([]byte{}, tensor)
			}
			b.Observation = append(b.Observation, tensor)
		}
		if lasts > 0 {
			b.LastRow, b.LastPoints, b.LastRank = column(7, lasts), column(8, lasts), column(9, lasts)
			b.LastPlacement, b.LastSeed, b.LastSharedRank = column(10, lasts), column(11, lasts), column(12, lasts)
		}
		out.RequestId, out.Response = r.ID, &envv1.PlayResponse_Batch{Batch: b}
	default:
		t.Fatalf("an answer of kind %d", r.Kind)
	}
	return out
}

// needsShared skips where no memory can be shared.
func needsShared(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there is no local transport on " + runtime.GOOS)
	}
}

func serveOnSocket(t *testing.T, e *env.Env) *client.Client {
	t.Helper()
	address := startServer(t, e, env.ServerOptions{})
	c, err := client.Dial(address, plain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func answersAtRandom(b *client.Batch, rng *rand.Rand) *envv1.Act {
	var a client.Answers
	for i := range b.Len() {
		if b.Asked(i) {
			legal := b.Legal(i)
			a.Add(b, i, legal.Nth(rng.IntN(legal.Len())))
		}
	}
	return a.Act()
}

// TestLocalRows plays the same tables over a stream and in shared memory: all
// answers are the same, byte by byte, for all rulesets and observations, few and
// many tables, and so are refusals.
func TestLocalRows(t *testing.T) {
	needsShared(t)
	e, err := env.New(env.Options{Workers: 3, AllowHidden: true, NewAgent: newAgent})
	if err != nil {
		t.Fatal(err)
	}
	c := serveOnSocket(t, e)
	for k, name := range configs.Names() {
		if testing.Short() && k%4 != 0 && name != "tenhou_sanma" {
			continue // all sizes and observations are there
		}
		for j, observation := range []string{"", "planes", "events", "features", "oracle"} {
			tables := []uint32{1, 3, 40, 100, 7}[(k+j)%5]
			open := func() *envv1.Open {
				o := withRules(name, &envv1.Open{
					Tables: tables, Seed: uint64(k), Observation: observation,
					AutoReset: j%2 == 0, Episode: envv1.Episode(1 + (k+j)%2), LocalUnpacked: (k/5+j)%2 == 0,
				})
				if (k+j)%3 == 0 {
					o.Seats = []string{env.External, "eager", env.External, "tsumogiri"}[:rulesOf(t, o).NumSeats()]
				}
				return o
			}
			t.Run(fmt.Sprintf("%s/%s/%d", name, observation, tables), func(t *testing.T) {
				far, err := c.Play(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				_, b, err := far.Open(open())
				if err != nil {
					t.Fatal(err)
				}
				near, b2 := attach(t, c, open())
				if !proto.Equal((*envv1.Batch)(b), (*envv1.Batch)(b2)) {
					t.Fatal("the first batches differ")
				}
				rng := rand.New(rand.NewPCG(uint64(k), uint64(j)))
				for range max(20, 400/int(tables)) {
					req := &envv1.PlayRequest{RequestId: 7}
					act := answersAtRandom(b, rng)
					var over []uint32 // tables that rest
					for i := range b.Len() {
						if !b.Asked(i) && !open().AutoReset {
							over = append(over, b.TableOf(i))
						}
					}
					wrong := rng.IntN(20) == 0 && len(act.Action) > 0
					switch {
					case wrong:
						act.Action[rng.IntN(len(act.Action))] = 200
						fallthrough
					case len(act.Action) > 0:
						req.Request = &envv1.PlayRequest_Act{Act: act}
					default:
						req.Request = &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: client.Column(unique(over))}}
					}
					if err := far.Send(req); err != nil {
						t.Fatal(err)
					}
					want, err := far.Conn().Recv()
					if err != nil {
						t.Fatal(err)
					}
					var got *envv1.PlayResponse
					if len(act.Action) > 0 {
						got = near.act(t, act)
					} else {
						got = near.call(t, req)
					}
					if !proto.Equal(want, got) {
						t.Fatalf("the stream answers\n%.600v\nthe shared memory\n%.600v", want, got)
					}
					if !wrong {
						if b = (*client.Batch)(want.GetBatch()); b.Len() == 0 {
							break
						}
					}
				}
			})
		}
	}
}

func unique(list []uint32) (out []uint32) {
	seen := map[uint32]bool{}
	for _, n := range list {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// TestLocalAnswersTo answers the rows of a frame in their order, last rows among
// them, and asks for tables as text.
func TestLocalAnswersTo(t *testing.T) {
	needsShared(t)
	e, err := env.New(env.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	near, b := attach(t, serveOnSocket(t, e), &envv1.Open{Rules: &envv1.Open_Preset{Preset: "zung_jung"}, Tables: 50, Episode: envv1.Episode_EPISODE_HAND, AutoReset: true})
	rng := rand.New(rand.NewPCG(1, 2))
	r := near.act(t, answersAtRandom(b, rng))
	lasts := 0
	for range 200 {
		b = (*client.Batch)(r.GetBatch())
		lasts += len(b.LastRank)
		at := (near.n - 1) % uint32(near.Layout.Frames)
		actions := near.AnswerColumn(near.Slot(near.n), 3, b.Len())
		for i := range b.Len() {
			actions[i] = 255 // of rows that are not asked it means nothing
			if b.Asked(i) {
				legal := b.Legal(i)
				actions[i] = uint8(legal.Nth(rng.IntN(legal.Len())))
			}
		}
		if r = near.answer(t, segment.Head{Kind: segment.AnswersTo, Count: uint32(b.Len()), Answered: at, ID: 9}); r.GetBatch() == nil || r.RequestId != 9 {
			t.Fatalf("answered by %v", r)
		}
	}
	if lasts == 0 {
		t.Error("no episode has ended; the test shows less than it should")
	}
	if r := near.call(t, &envv1.PlayRequest{RequestId: 3, Request: &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{}}}); !strings.Contains(r.GetInspected().GetJson(), "zung_jung") || r.RequestId != 3 {
		t.Errorf("Inspect is answered by %v", r)
	}
	if r := near.call(t, &envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{}}}); r.GetError().GetCode() != envv1.ErrorCode_ERROR_CODE_NOT_LOCAL {
		t.Errorf("a second Open is answered by %v", r)
	}
	// What is too long for the memory goes by the stream, there and back.
	long := &envv1.PlayRequest{RequestId: 4, Request: &envv1.PlayRequest_Snapshot{Snapshot: &envv1.Snapshot{Table: make([]byte, 4<<16)}}}
	if r := near.call(t, long); r.RequestId != 4 || r.GetError() == nil {
		t.Errorf("a long request is answered by %v", r)
	}
}

// TestLocalFull lets a batch be larger than the memory has room for.
func TestLocalFull(t *testing.T) {
	needsShared(t)
	t.Run("packed", func(t *testing.T) { testLocalFull(t, false) })
	t.Run("unpacked", func(t *testing.T) { testLocalFull(t, true) })
}

func testLocalFull(t *testing.T, unpacked bool) {
	e, err := env.New(env.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := serveOnSocket(t, e)
	open := func() *envv1.Open {
		return &envv1.Open{Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: 600, Observation: "planes", LocalUnpacked: unpacked}
	}
	far, err := c.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = far.Open(open()); err != nil {
		t.Fatal(err)
	}
	near, _ := attach(t, c, open())
	// Copies of a table where two are asked at once have two rows each.
	rng := rand.New(rand.NewPCG(5, 6))
	all := make([]uint32, 600)
	for i := range all {
		all[i] = uint32(i)
	}
	reset := &envv1.PlayRequest{Request: &envv1.PlayRequest_Reset_{Reset_: &envv1.Reset{Table: client.Column(all)}}}
	if err := far.Send(reset); err != nil {
		t.Fatal(err)
	}
	want, err := far.Conn().Recv()
	if err != nil {
		t.Fatal(err)
	}
	if got := near.call(t, reset); !proto.Equal(want, got) {
		t.Fatal("the batches differ")
	}
	b := (*client.Batch)(want.GetBatch())
	for {
		most := -1
		rows := map[uint32]int{}
		for i := range b.Len() {
			if n := b.TableOf(i); b.Asked(i) {
				if rows[n]++; rows[n] > 1 {
					most = int(n)
				}
			}
		}
		if most >= 0 {
			others := append(append([]uint32{}, all[:most]...), all[most+1:]...)
			from := make([]uint32, len(others))
			for i := range from {
				from[i] = uint32(most)
			}
			fork := &envv1.PlayRequest{Request: &envv1.PlayRequest_Fork{Fork: &envv1.Fork{From: client.Column(from), To: client.Column(others)}}}
			if err := far.Send(fork); err != nil {
				t.Fatal(err)
			}
			if want, err = far.Conn().Recv(); err != nil {
				t.Fatal(err)
			}
			got := near.call(t, fork)
			if int(want.GetBatch().Rows) <= near.Layout.Rows {
				t.Fatalf("%d rows fit into a frame of %d", want.GetBatch().Rows, near.Layout.Rows)
			}
			if !proto.Equal(want, got) {
				t.Fatal("the batch that does not fit differs")
			}
			return
		}
		act := answersAtRandom(b, rng)
		if err := far.Send(&envv1.PlayRequest{RequestId: 7, Request: &envv1.PlayRequest_Act{Act: act}}); err != nil {
			t.Fatal(err)
		}
		if want, err = far.Conn().Recv(); err != nil {
			t.Fatal(err)
		}
		if got := near.act(t, act); !proto.Equal(want, got) {
			t.Fatal("the batches differ")
		}
		b = (*client.Batch)(want.GetBatch())
	}
}

// TestLocalRefused names every reason for which no memory is shared, and the stream
// goes on without.
func TestLocalRefused(t *testing.T) {
	needsShared(t)
	e, err := env.New(env.Options{MaxShared: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(e.Collectors()...)
	c := serveOnSocket(t, e)
	open := func(change func(*envv1.Open)) *envv1.Open {
		o := &envv1.Open{Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: 1, Local: segment.Version}
		change(o)
		return o
	}
	for reason, o := range map[string]*envv1.Open{
		"version":      open(func(o *envv1.Open) { o.Local = 99 }),
		"asynchronous": open(func(o *envv1.Open) { o.MinBatch = 1 }),
		"no more":      open(func(o *envv1.Open) { o.Tables, o.Observation = 500, "planes" }),
	} {
		s, err := c.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: o}}); err != nil {
			t.Fatal(err)
		}
		opened, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if l := opened.GetOpened().GetLocal(); !strings.Contains(l.GetRefused(), reason) || l.Path != "" {
			t.Errorf("%s: the offer is %v", reason, l)
		}
		if first, err := s.Recv(); err != nil || first.GetBatch().GetRows() == 0 {
			t.Errorf("%s: the first batch is %v, %v", reason, first, err)
		}
	}
	if n := gauge(t, registry, "sparrowhall_env_refused_total", "all", "memory"); n != 1 {
		t.Errorf("memory was refused %.0f times for want of it; want 1", n)
	}
	// In the program itself there is no other machine, and no other memory either.
	s := client.NewStream(e.Play(t.Context()))
	opened, _, err := s.Open(open(func(*envv1.Open) {}))
	if err != nil || !strings.Contains(opened.Local.GetRefused(), "machine") {
		t.Errorf("within the program: %v, %v", opened.GetLocal(), err)
	}
	if err := s.Attach(); err == nil || !strings.Contains(err.Error(), "NOT_LOCAL") {
		t.Errorf("Attach without an offer: %v", err)
	}
}

// TestLocalHostile has clients write what they like where they share memory. Only
// their own streams end, and the others go on.
func TestLocalHostile(t *testing.T) {
	needsShared(t)
	e, err := env.New(env.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := serveOnSocket(t, e)
	open := func() *envv1.Open {
		return &envv1.Open{Rules: &envv1.Open_Preset{Preset: "mcr_2006"}, Tables: 40, Observation: "planes", AutoReset: true}
	}
	honest, b := attach(t, c, open())
	play := func(rounds int) {
		rng := rand.New(rand.NewPCG(1, 1))
		for range rounds {
			r := honest.act(t, answersAtRandom(b, rng))
			if r.GetBatch().GetRows() == 0 {
				t.Fatalf("the honest client is answered by %v", r)
			}
			b = (*client.Batch)(r.GetBatch())
		}
	}
	// post makes a request and returns how the stream ends.
	post := func(h segment.Head, number uint32) error {
		bad, _ := attach(t, c, open())
		bad.Slot(0).SetRequest(h)
		bad.side.Publish(number)
		_, err := bad.stream.Recv()
		return err
	}
	for name, try := range map[string]func() error{
		"counter": func() error { return post(segment.Head{Kind: segment.Answers}, 1000) },
		"back":    func() error { return post(segment.Head{Kind: segment.Answers}, 1<<32-1) },
		"frame":   func() error { return post(segment.Head{Kind: segment.Answers, Frame: 77}, 1) },
		"kind":    func() error { return post(segment.Head{Kind: 77}, 1) },
	} {
		if err := try(); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: the stream ends with %v", name, err)
		}
		play(5)
	}
	bad, _ := attach(t, c, open())
	for _, h := range []segment.Head{
		{Kind: segment.Answers, Count: 1<<32 - 1},
		{Kind: segment.Answers, Count: uint32(bad.Layout.Answers) + 1},
		{Kind: segment.AnswersTo, Count: 1, Answered: 99},
		{Kind: segment.AnswersTo, Count: uint32(bad.Layout.Rows) + 1},
		{Kind: segment.Message, Count: 1 << 30},
	} {
		if r := bad.answer(t, h); r.GetError() == nil {
			t.Errorf("%+v is answered by %v", h, r)
		}
	}
	// Noise everywhere, the header included, again and again while tables play.
	noise := rand.New(rand.NewPCG(3, 4))
	for i := range 30 {
		bad, b := attach(t, c, open())
		stop := make(chan struct{})
		var writer sync.WaitGroup
		writer.Go(func() {
			memory := bad.Memory()
			rng := rand.New(rand.NewPCG(uint64(i), 9))
			for {
				select {
				case <-stop:
					return
				default:
					// Not the counters: the stream would end before anything is tried.
					at := 2432 + 8*rng.IntN((len(memory)-2432)/8)
					binary.LittleEndian.PutUint64(memory[at:], rng.Uint64())
				}
			}
		})
		_ = answersAtRandom(b, noise)
		for n := uint32(1); n <= 20; n++ {
			bad.Slot(n - 1).SetRequest(segment.Head{Kind: segment.AnswersTo, Count: uint32(noise.IntN(50)), Answered: uint32(noise.IntN(6)), Frame: uint32(noise.IntN(6))})
			bad.side.Publish(n)
			for end := time.Now().Add(50 * time.Millisecond); bad.side.Seen() != n && !bad.Ended() && time.Now().Before(end); {
				bad.side.Wait(n-1, false, time.Millisecond)
			}
		}
		close(stop)
		// The memory is unmapped when the test ends, however it ends.
		writer.Wait()
		play(2)
	}
	// What the server has mapped cannot be cut off.
	s, err := c.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := open()
	o.Local = segment.Version
	opened, _, err := s.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(opened.Local.Path, 0); err == nil {
		t.Error("the memory can be truncated")
	}
	play(5)
}

// TestLocalEnds lets a client go while it is waited for, and a server stop.
func TestLocalEnds(t *testing.T) {
	needsShared(t)
	open := &envv1.Open{Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: 2}
	left := func() int { // files of segments that this process has open
		n := 0
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if to, _ := os.Readlink("/proc/self/fd/" + f.Name()); strings.HasPrefix(to, "/memfd:sparrowhall") {
				n++
			}
		}
		return n
	}
	// The server closes the file when the client has mapped it, while the stream goes on: it would
	// be idle only after the test has lost its patience.
	near, _ := attach(t, serveOnSocket(t, newEnv(t, env.Options{Idle: 10 * poll.Patience})), open)
	if !poll.Until(func() bool { return left() == 0 }) {
		t.Fatalf("%d files are open after the memory was shared", left())
	}
	if near.Ended() {
		t.Fatal("the stream has ended")
	}
	// Nobody else finds it.
	if _, err := segment.Open(fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), 9999), near.Layout.Size, near.Layout.Token[:]); err == nil {
		t.Error("a file that is none was opened")
	}
	c := serveOnSocket(t, newEnv(t, env.Options{Idle: 500 * time.Millisecond}))
	near, _ = attach(t, c, open)
	if _, err := near.stream.Recv(); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("an idle client's stream ends with %v", err)
	}
	near, _ = attach(t, c, open)
	if err := near.stream.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := near.stream.Recv(); err != io.EOF {
		t.Errorf("a stream that the client closes ends with %v", err)
	}
	if !poll.Until(near.Ended) {
		t.Fatal("the memory does not tell that the server has ended")
	}
}
