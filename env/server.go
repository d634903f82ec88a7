package env

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"math"
	"net"
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

	envv1 "github.com/jansou/jansou/proto/jansou/env/v1"
)

// Sizes and times of connections. The windows hold a batch of some thousand
// rows, so that a batch does not wait for the client between its parts.
const (
	windowBytes      = 4 << 20
	bufferBytes      = 256 << 10
	headerBytes      = 16 << 10
	otherCalls       = 16 // of one connection, besides its Play streams
	handshakeTime    = 10 * time.Second
	keepaliveTime    = 30 * time.Second
	keepaliveTimeout = 20 * time.Second
	keepaliveMinimum = 10 * time.Second
)

// ServerOptions say how a Server meets its clients.
type ServerOptions struct {
	// TLS encrypts connections; nil leaves them plain. With ClientCAs and
	// RequireAndVerifyClientCert it lets in only clients with a certificate.
	TLS *tls.Config
	// Token, if not empty, must be sent by clients as "authorization: Bearer
	// TOKEN" with every call but those of the health service.
	Token string
	// Registry, if not nil, receives the metrics of the server and its Env.
	Registry prometheus.Registerer
}

// Server offers an Env by gRPC, along with the health and reflection services.
type Server struct {
	env    *Env
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
	return s.env.serve(stream.Context(), stream.Recv, func(r response) error { return stream.SendMsg(r) })
}

// NewServer returns a server that is not listening yet. The error comes from the
// registry.
func NewServer(e *Env, o ServerOptions) (*Server, error) {
	calls := grpcprom.NewServerMetrics()
	if o.Registry != nil {
		for _, c := range append(e.Collectors(), calls) {
			if err := o.Registry.Register(c); err != nil {
				return nil, err
			}
		}
	}
	recovered := recovery.WithRecoveryHandlerContext(func(ctx context.Context, p any) error {
		e.options.Log.ErrorContext(ctx, "panic", "value", p)
		return status.Error(codes.Internal, "the server has failed at this call")
	})
	guarded := selector.MatchFunc(func(_ context.Context, c interceptors.CallMeta) bool {
		return o.Token != "" && c.Service != grpc_health_v1.Health_ServiceDesc.ServiceName
	})
	check := auth.AuthFunc(bearer(o.Token))
	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(newCodec()),
		grpc.MaxRecvMsgSize(e.options.MaxRequest),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.MaxHeaderListSize(headerBytes),
		grpc.MaxConcurrentStreams(uint32(e.options.MaxStreams) + otherCalls),
		grpc.InitialWindowSize(windowBytes),
		grpc.InitialConnWindowSize(windowBytes),
		grpc.WriteBufferSize(bufferBytes),
		grpc.ReadBufferSize(bufferBytes),
		grpc.ConnectionTimeout(handshakeTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: keepaliveTime, Timeout: keepaliveTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: keepaliveMinimum, PermitWithoutStream: true}),
		grpc.ChainUnaryInterceptor(
			calls.UnaryServerInterceptor(),
			selector.UnaryServerInterceptor(auth.UnaryServerInterceptor(check), guarded),
			recovery.UnaryServerInterceptor(recovered),
		),
		grpc.ChainStreamInterceptor(
			calls.StreamServerInterceptor(),
			selector.StreamServerInterceptor(auth.StreamServerInterceptor(check), guarded),
			recovery.StreamServerInterceptor(recovered),
		),
	}
	if o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	s := &Server{env: e, grpc: grpc.NewServer(options...), health: health.NewServer()}
	envv1.RegisterEnvServiceServer(s.grpc, service{env: e})
	grpc_health_v1.RegisterHealthServer(s.grpc, s.health)
	s.health.SetServingStatus(envv1.EnvService_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	reflection.Register(s.grpc)
	calls.InitializeMetrics(s.grpc)
	return s, nil
}

// bearer returns a check of the client's token. It takes as long for a wrong
// token as for the right one.
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

// Serve accepts connections until Shutdown; it then returns nil. It closes the
// listener.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(l); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil // Shutdown came first
}

// Shutdown stops the server. It accepts nothing new, reports to health checks
// that it is not serving, and tells clients in their batches that it is about to
// stop. Streams that have not ended when ctx ends are cut off.
func (s *Server) Shutdown(ctx context.Context) {
	s.env.Drain()
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
		<-stopped
	}
}
