package env

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"runtime/debug"
	"slices"
	"time"

	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/auth"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/selector"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Sizes and times of connections. The window is what a client may send unrequested, and
// enough for the answers of 25,000 rows. Connections share their write buffers.
const (
	windowBytes      = 256 << 10
	writeBytes       = 256 << 10
	headerBytes      = 16 << 10
	handshakeTime    = 10 * time.Second
	keepaliveTime    = 30 * time.Second
	keepaliveTimeout = 20 * time.Second
	keepaliveMinimum = 10 * time.Second
	cutOffTime       = time.Second
	shortBytes       = 16 << 10 // a shorter request is decoded without a turn
)

// ServerOptions configures a Server. The zero value of each field is a default.
type ServerOptions struct {
	// TLS encrypts connections; nil leaves them plain. With ClientCAs and
	// RequireAndVerifyClientCert it admits only clients with a certificate.
	TLS *tls.Config
	// Token, if not empty, must be sent by clients as "authorization: Bearer
	// TOKEN" with every call but those of the health service.
	Token string
	// MaxConnections is the number of connections at a time; by default 512. The
	// Env's AddressShare applies to it and to MaxCalls.
	MaxConnections int
	// MaxConnectionCalls is the number of calls under way on one connection, Play
	// streams among them; by default 128. A client that would make more waits.
	MaxConnectionCalls int
	// MaxCalls is the number of calls other than Play under way on all
	// connections; by default 128. Health watches do not count.
	MaxCalls int
	// MaxWatches is the number of health watches of one connection; by default 2. A
	// client needs one.
	MaxWatches int
	// MaxWaiting is the number of bytes that may wait for clients to receive them;
	// by default 256 MB. If there are more, clients that receive nothing are
	// disconnected.
	MaxWaiting int
	// CallTime is how long a call other than Play or Watch may take; by default 30
	// seconds.
	CallTime time.Duration
	// ConnectionIdle is how long a connection may be without a call; by default
	// five minutes.
	ConnectionIdle time.Duration
	// Registry, if not nil, receives the metrics of the server and its Env.
	Registry prometheus.Registerer
}

// Server offers an Env by gRPC, along with the health and reflection services.
type Server struct {
	env    *Env
	gate   *gate
	grpc   *grpc.Server
	health *health.Server
}

// service is the gRPC side of an Env.
type service struct {
	envv1.UnimplementedEnvServiceServer
	env *Env
}

// Describe implements envv1.EnvServiceServer.
func (s service) Describe(context.Context, *envv1.DescribeRequest) (*envv1.DescribeResponse, error) {
	return s.env.describe, nil
}

// Play implements envv1.EnvServiceServer.
func (s service) Play(stream envv1.EnvService_PlayServer) error {
	client := clientAddress(stream.Context())
	receive := func() (*envv1.PlayRequest, error) {
		var m message
		if err := stream.RecvMsg(&m); err != nil {
			return nil, err
		}
		return s.env.read(m, client)
	}
	return s.env.serve(stream.Context(), receive, func(r response) error { return stream.SendMsg(r) })
}

// read decodes a request, a long one in a turn of its client.
func (e *Env) read(m message, client string) (*envv1.PlayRequest, error) {
	if len(m.text) > shortBytes && client != "" {
		defer e.queue.Begin(client).End()
	}
	req := &envv1.PlayRequest{}
	if err := proto.Unmarshal(m.text, req); err != nil {
		return nil, status.Errorf(codes.Internal, "the message is not a PlayRequest: %v", err)
	}
	return req, nil
}

// complete sets defaults. The error names an option that is out of range.
func (o *ServerOptions) complete() error {
	for _, d := range []struct {
		time     *time.Duration
		standard time.Duration
	}{{&o.CallTime, 30 * time.Second}, {&o.ConnectionIdle, 5 * time.Minute}} {
		if *d.time <= 0 {
			*d.time = d.standard
		}
	}
	return complete([]limit{
		{"MaxConnections", &o.MaxConnections, 512, math.MaxInt32},
		{"MaxConnectionCalls", &o.MaxConnectionCalls, 128, math.MaxInt32},
		{"MaxCalls", &o.MaxCalls, 128, math.MaxInt32},
		{"MaxWatches", &o.MaxWatches, 2, math.MaxInt32},
		{"MaxWaiting", &o.MaxWaiting, 256 << 20, math.MaxInt},
	})
}

// NewServer returns a server that is not listening yet. The error names an option
// that is out of range, or comes from the registry.
func NewServer(e *Env, o ServerOptions) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	codec, err := newCodec(e.describe)
	if err != nil {
		return nil, err
	}
	calls := grpcprom.NewServerMetrics()
	gate := newGate(o, e)
	if o.Registry != nil {
		for _, c := range slices.Concat(e.metrics.collectors(), gate.collectors(), []prometheus.Collector{calls}) {
			if err := o.Registry.Register(c); err != nil {
				return nil, err
			}
		}
	}
	recovered := recovery.WithRecoveryHandlerContext(func(ctx context.Context, p any) error {
		e.options.Log.ErrorContext(ctx, "panic", "value", p, "stack", string(debug.Stack()))
		return status.Error(codes.Internal, "the server failed to carry out the call")
	})
	guarded := selector.MatchFunc(func(_ context.Context, c interceptors.CallMeta) bool {
		return o.Token != "" && c.Service != grpc_health_v1.Health_ServiceDesc.ServiceName
	})
	allowed := bearer(o.Token)
	check := auth.AuthFunc(func(ctx context.Context) (context.Context, error) {
		given, err := allowed(ctx)
		if err != nil {
			method, _ := grpc.Method(ctx)
			e.metrics.refused.WithLabelValues(kindOf(method), "token").Inc()
		}
		return given, err
	})
	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(codec),
		grpc.MaxRecvMsgSize(e.options.MaxRequest),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.MaxHeaderListSize(headerBytes),
		grpc.MaxConcurrentStreams(uint32(o.MaxConnectionCalls)),
		grpc.InitialWindowSize(windowBytes),
		grpc.InitialConnWindowSize(windowBytes),
		grpc.WriteBufferSize(writeBytes),
		grpc.ConnectionTimeout(handshakeTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: keepaliveTime, Timeout: keepaliveTimeout, MaxConnectionIdle: o.ConnectionIdle}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: keepaliveMinimum, PermitWithoutStream: true}),
		grpc.InTapHandle(gate.deadline),
		grpc.ChainStreamInterceptor(
			calls.StreamServerInterceptor(),
			gate.charge,
			selector.StreamServerInterceptor(auth.StreamServerInterceptor(check), guarded),
			gate.admit,
			recovery.StreamServerInterceptor(recovered),
		),
	}
	if o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	s := &Server{env: e, gate: gate, grpc: grpc.NewServer(options...), health: health.NewServer()}
	s.grpc.RegisterService(asStreams(envv1.EnvService_ServiceDesc), service{env: e})
	s.grpc.RegisterService(asStreams(grpc_health_v1.Health_ServiceDesc), s.health)
	s.health.SetServingStatus(envv1.EnvService_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	reflection.Register(s.grpc)
	calls.InitializeMetrics(s.grpc)
	return s, nil
}

// bearer returns a check of the client's token in constant time.
func bearer(token string) auth.AuthFunc {
	want := sha256.Sum256([]byte(token))
	return func(ctx context.Context) (context.Context, error) {
		given, err := auth.AuthFromMD(ctx, "bearer")
		if err != nil {
			return nil, status.Error(codes.Unauthenticated, `a token is required: send "authorization: Bearer TOKEN"`)
		}
		if sum := sha256.Sum256([]byte(given)); subtle.ConstantTimeCompare(sum[:], want[:]) != 1 {
			return nil, status.Error(codes.Unauthenticated, "the token is wrong")
		}
		return ctx, nil
	}
}

// Serve accepts connections until Shutdown, then returns nil. It closes the listener.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(listener{admission.New(l, s.gate.limits), s.gate}); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil // Shutdown came first
}

// Shutdown stops the server. It refuses new connections and streams, reports to health
// checks that it is not serving, and sets the draining flag of batches. Streams that
// have not ended when ctx ends are cut off; Shutdown then waits at most one second for
// their work to end.
func (s *Server) Shutdown(ctx context.Context) {
	s.env.drain()
	s.health.Shutdown()
	stopped := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
		s.grpc.Stop()
		select {
		case <-stopped:
		case <-time.After(cutOffTime):
		}
	}
}
