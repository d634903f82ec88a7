package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Environment is the speed of a client that answers at random for all players of
// the tables of one stream. Client and server share the machine.
type Environment struct {
	Tables int `json:"tables"`
	// Observation is the name of the encoding that is requested.
	Observation string `json:"observation"`
	// Decisions is the number of those answered in Seconds of wall time. BytesPerDecision
	// is the size of a row on the wire, per decision.
	Decisions          uint64  `json:"decisions"`
	Seconds            float64 `json:"seconds"`
	DecisionsPerSecond float64 `json:"decisions_per_second"`
	BytesPerDecision   float64 `json:"bytes_per_decision"`
	// AllocationsPerDecision counts those of client and server. All are made per batch.
	AllocationsPerDecision float64 `json:"allocations_per_decision"`
	// BytesPerSecond is the throughput of the batches. BarePerSecond is that of a gRPC
	// stream that sends messages of the same size and does nothing else; OfBare is their
	// ratio.
	BytesPerSecond float64 `json:"bytes_per_second"`
	BarePerSecond  float64 `json:"bare_bytes_per_second"`
	OfBare         float64 `json:"share_of_bare"`
}

// envParts is the number of requests under way: while the client answers one part of the
// tables, the server plays at the other.
const envParts = 2

// MeasureEnv measures an environment of a preset over a network, "tcp" or "unix",
// for about d.
func MeasureEnv(ctx context.Context, network, preset, observation string, tables int, d time.Duration) (Environment, error) {
	e, err := env.New(env.Options{MaxTables: tables})
	if err != nil {
		return Environment{}, err
	}
	server, err := env.NewServer(e, env.ServerOptions{})
	if err != nil {
		return Environment{}, err
	}
	figures := Environment{Tables: tables, Observation: observation}
	err = over(network, server.Serve, func(target string) error {
		c, err := client.Dial(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return err
		}
		defer c.Close()
		s, err := c.Play(ctx)
		if err != nil {
			return err
		}
		return figures.play(s, preset, d)
	}, func() {
		now, cancel := context.WithCancel(ctx)
		cancel()
		server.Shutdown(now)
	})
	if err != nil {
		return figures, err
	}
	size := int(figures.BytesPerDecision) * tables / envParts
	figures.BarePerSecond, err = bareStream(ctx, network, size, d/2)
	figures.OfBare = figures.BytesPerSecond / figures.BarePerSecond
	return figures, err
}

// over listens on a network, calls serve, and calls use with the address. Then it calls
// stop, which must end serve.
func over(network string, serve func(net.Listener) error, use func(target string) error, stop func()) error {
	address := "127.0.0.1:0"
	if network == "unix" {
		dir, err := os.MkdirTemp("", "sparrowhall")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		address = "unix:" + filepath.Join(dir, "s")
	}
	l, err := env.Listen(address, false)
	if err != nil {
		return err
	}
	target := l.Addr().String()
	if network == "unix" {
		target = address
	}
	served := make(chan error, 1)
	go func() { served <- serve(l) }()
	err = use(target)
	stop()
	return errors.Join(err, <-served)
}

// play plays for about d, after a quarter of that in which buffers grow.
func (f *Environment) play(s *client.Stream, preset string, d time.Duration) error {
	opened, batch, err := s.Open(&envv1.Open{
		Rules: &envv1.Open_Preset{Preset: preset}, Tables: uint32(f.Tables), Seed: 1, Observation: f.Observation, AutoReset: true,
	})
	if err != nil {
		return err
	}
	// The parts are ranges of tables.
	var answers [envParts]client.Answers
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range batch.Len() {
		part := int(batch.TableOf(i)) * envParts / f.Tables
		answerRow(&answers[part], batch, i, rng)
	}
	send := func(a *client.Answers) error {
		return s.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: a.Act()}})
	}
	for i := range answers {
		if err := send(&answers[i]); err != nil {
			return err
		}
	}
	row := 4 + 1 + 4 + 1 + 4 + client.MaskSize
	if opened.Observation != nil {
		for _, t := range opened.Observation.Tensors {
			row += int(t.RowBytes)
		}
	}
	var before, after runtime.MemStats
	var rows uint64
	start, measuring := time.Now(), false
	for part := 0; ; part = (part + 1) % envParts {
		r, err := s.Recv()
		if err != nil {
			return err
		}
		batch := (*client.Batch)(r.GetBatch())
		a := &answers[part]
		a.Reset()
		for i := range batch.Len() {
			if batch.Asked(i) {
				answerRow(a, batch, i, rng)
			}
		}
		rows += uint64(batch.Len())
		f.Decisions += uint64(a.Len())
		if err := send(a); err != nil {
			return err
		}
		switch passed := time.Since(start); {
		case !measuring && passed > d/4:
			runtime.ReadMemStats(&before)
			start, measuring, f.Decisions, rows = time.Now(), true, 0, 0
		case measuring && passed > d:
			f.Seconds = time.Since(start).Seconds()
			runtime.ReadMemStats(&after)
			f.DecisionsPerSecond = float64(f.Decisions) / f.Seconds
			f.BytesPerDecision = float64(rows) * float64(row) / float64(f.Decisions)
			f.BytesPerSecond = f.BytesPerDecision * f.DecisionsPerSecond
			f.AllocationsPerDecision = float64(after.Mallocs-before.Mallocs) / float64(f.Decisions)
			return s.Close()
		}
	}
}

func answerRow(a *client.Answers, b *client.Batch, row int, rng *rand.Rand) {
	legal := b.Legal(row)
	a.Add(b, row, legal.Nth(rng.IntN(legal.Len())))
}

// bare is a codec of messages that are numbers of bytes, as *int. It sends that many zeros
// from one buffer, and reads the number of bytes received.
type bare struct{ zeros []byte }

func (bare) Name() string { return "bare" }

func (b bare) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(b.zeros[:*v.(*int)])}, nil
}

func (bare) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*int) = data.Len()
	return nil
}

// bareStream returns the bytes per second of a stream on which a server answers small
// requests, envParts at a time, with messages of a given size.
func bareStream(ctx context.Context, network string, size int, d time.Duration) (float64, error) {
	const request = 10 << 10
	codec := bare{make([]byte, max(size, request))}
	s := grpc.NewServer(grpc.ForceServerCodecV2(codec), grpc.InitialWindowSize(4<<20), grpc.InitialConnWindowSize(4<<20),
		grpc.WriteBufferSize(256<<10), grpc.ReadBufferSize(256<<10))
	desc := grpc.StreamDesc{StreamName: "Send", ServerStreams: true, ClientStreams: true, Handler: func(_ any, stream grpc.ServerStream) error {
		for n := 0; ; {
			if err := stream.RecvMsg(&n); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
			n = size
			if err := stream.SendMsg(&n); err != nil {
				return err
			}
		}
	}}
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "bare", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{desc}}, struct{}{})
	var speed float64
	err := over(network, s.Serve, func(target string) error {
		conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.ForceCodecV2(codec), grpc.MaxCallRecvMsgSize(math.MaxInt32)),
			grpc.WithInitialWindowSize(4<<20), grpc.WithInitialConnWindowSize(4<<20), grpc.WithReadBufferSize(256<<10))
		if err != nil {
			return err
		}
		defer conn.Close()
		stream, err := conn.NewStream(ctx, &desc, "/bare/Send")
		if err != nil {
			return err
		}
		n := request
		for range envParts {
			if err := stream.SendMsg(&n); err != nil {
				return err
			}
		}
		bytes, start := 0, time.Now()
		for time.Since(start) < d {
			if err := stream.RecvMsg(&n); err != nil {
				return err
			}
			if n != size {
				return fmt.Errorf("bench: received %d bytes instead of a message of %d", n, size)
			}
			bytes += n
			n = request
			if err := stream.SendMsg(&n); err != nil {
				return err
			}
		}
		speed = float64(bytes) / time.Since(start).Seconds()
		return stream.CloseSend()
	}, s.Stop)
	return speed, err
}
