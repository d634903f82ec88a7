package env_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/internal/userfile"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

var plain = grpc.WithTransportCredentials(insecure.NewCredentials())

// authority signs certificates for the tests and writes them to files.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	a.file, _ = a.sign(t, name, true)
	return a
}

// sign writes a certificate for 127.0.0.1 and its key; the first one signs itself.
func (a *authority) sign(t *testing.T, name string, ca bool) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: ca, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ca {
		a.cert, a.key = c, private
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &private.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(suffix, kind string, der []byte) string {
		file := filepath.Join(a.dir, name+suffix)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write(".pem", "CERTIFICATE", der), write(".key", "PRIVATE KEY", secret)
}

// trusting returns the credentials of a client that trusts a, with a certificate
// of its own or none.
func (a *authority) trusting(t *testing.T, certificate, key string) grpc.DialOption {
	t.Helper()
	text, err := os.ReadFile(a.file)
	if err != nil {
		t.Fatal(err)
	}
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	c.RootCAs.AppendCertsFromPEM(text)
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			t.Fatal(err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return grpc.WithTransportCredentials(credentials.NewTLS(c))
}

// startServer starts a server on a loopback port and returns its address.
func startServer(t *testing.T, e *env.Env, o env.ServerOptions) string {
	t.Helper()
	s, err := env.NewServer(e, o)
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t, "127.0.0.1:0")
	start(t, s, l)
	return l.Addr().String()
}

// Who is let in, by the server's protection and the client's credentials.
func TestAccess(t *testing.T) {
	good, other := newAuthority(t, "authority"), newAuthority(t, "other")
	certificate, key := good.sign(t, "server", false)
	mine, mineKey := good.sign(t, "client", false)
	strange, strangeKey := other.sign(t, "stranger", false)
	load := func(ca string) *tls.Config {
		c, err := env.LoadTLS(t.Context(), certificate, key, ca)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	token := func(token string) grpc.DialOption { return grpc.WithPerRPCCredentials(client.Bearer(token)) }
	for _, server := range []struct {
		name    string
		options env.ServerOptions
		clients map[string]struct {
			options []grpc.DialOption
			want    codes.Code
		}
	}{
		{"plain", env.ServerOptions{}, map[string]struct {
			options []grpc.DialOption
			want    codes.Code
		}{
			"plain": {[]grpc.DialOption{plain}, codes.OK},
			"tls":   {[]grpc.DialOption{good.trusting(t, "", "")}, codes.Unavailable},
		}},
		{"token", env.ServerOptions{Token: "secret"}, map[string]struct {
			options []grpc.DialOption
			want    codes.Code
		}{
			"none":   {[]grpc.DialOption{plain}, codes.Unauthenticated},
			"wrong":  {[]grpc.DialOption{plain, token("Secret")}, codes.Unauthenticated},
			"longer": {[]grpc.DialOption{plain, token("secret1")}, codes.Unauthenticated},
			"right":  {[]grpc.DialOption{plain, token("secret")}, codes.OK},
		}},
		{"tls", env.ServerOptions{TLS: load("")}, map[string]struct {
			options []grpc.DialOption
			want    codes.Code
		}{
			"plain":     {[]grpc.DialOption{plain}, codes.Unavailable},
			"trusting":  {[]grpc.DialOption{good.trusting(t, "", "")}, codes.OK},
			"distrusts": {[]grpc.DialOption{other.trusting(t, "", "")}, codes.Unavailable},
		}},
		{"mutual", env.ServerOptions{TLS: load(good.file)}, map[string]struct {
			options []grpc.DialOption
			want    codes.Code
		}{
			"none":     {[]grpc.DialOption{good.trusting(t, "", "")}, codes.Unavailable},
			"stranger": {[]grpc.DialOption{good.trusting(t, strange, strangeKey)}, codes.Unavailable},
			"known":    {[]grpc.DialOption{good.trusting(t, mine, mineKey)}, codes.OK},
		}},
		{"both", env.ServerOptions{TLS: load(good.file), Token: "secret"}, map[string]struct {
			options []grpc.DialOption
			want    codes.Code
		}{
			"no token": {[]grpc.DialOption{good.trusting(t, mine, mineKey)}, codes.Unauthenticated},
			"all":      {[]grpc.DialOption{good.trusting(t, mine, mineKey), token("secret")}, codes.OK},
		}},
	} {
		address := startServer(t, newEnv(t, env.Options{}), server.options)
		for name, c := range server.clients {
			t.Run(server.name+"/"+name, func(t *testing.T) {
				d := dial(t, address, c.options...)
				if _, err := d.Describe(t.Context()); status.Code(err) != c.want {
					t.Errorf("describe: %v; want %v", err, c.want)
				}
				s, err := d.Play(t.Context())
				if err == nil {
					_, _, err = s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 1, AutoReset: true})
				}
				if status.Code(err) != c.want {
					t.Errorf("play: %v; want %v", err, c.want)
				}
			})
		}
	}
}

// Health is open to all, reflection only to those who have the token.
func TestServices(t *testing.T) {
	e := newEnv(t, env.Options{})
	address := startServer(t, e, env.ServerOptions{Token: "secret"})
	conn, err := grpc.NewClient(address, plain)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	health, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "sparrowhall.env.v1.EnvService"})
	if err != nil || health.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", health, err)
	}
	for _, c := range []struct {
		options []grpc.CallOption
		want    codes.Code
	}{
		{nil, codes.Unauthenticated},
		{[]grpc.CallOption{grpc.PerRPCCredentials(client.Bearer("secret"))}, codes.OK},
	} {
		s, err := reflectionv1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context(), c.options...)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Send(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}}); err != nil && err != io.EOF {
			t.Fatal(err) // at io.EOF the stream has ended, and Recv tells why
		}
		r, err := s.Recv()
		if status.Code(err) != c.want {
			t.Errorf("reflection: %v; want %v", err, c.want)
		}
		if err == nil && !strings.Contains(r.String(), "sparrowhall.env.v1.EnvService") {
			t.Errorf("reflection lists %v", r)
		}
	}
}

func TestDescribe(t *testing.T) {
	d, err := dial(t, startServer(t, newEnv(t, env.Options{MaxTables: 12, Agents: []env.Agent{{Name: "eager", About: "wins"}}}), env.ServerOptions{})).Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Rulesets) < 12 || len(d.Actions) != 180 || d.Actions[162].Text != "win" || len(d.Families) != len(configs.Families) || d.Limits.Tables != 12 || d.Agents[0].Name != "eager" {
		t.Errorf("%v", d)
	}
	for _, r := range d.Rulesets {
		s := client.NewStream(newEnv(t, env.Options{}).Play(t.Context()))
		// Its TOML is the ruleset.
		opened, _, err := s.Open(&envv1.Open{Rules: &envv1.Open_Toml{Toml: r.Toml}, Tables: 1, AutoReset: true})
		if err != nil || !bytes.Equal(opened.Ruleset.Hash, r.Hash) || len(r.Hash) != 32 || opened.Ruleset.Seats != r.Seats {
			t.Errorf("%s: %v, %v", r.Name, opened, err)
		}
	}
	three := d.ThreePlayers
	if d.ActionTableVersion != 1 || three.ActionTableVersion != 2 || len(three.Actions) != 181 || three.Actions[180].Text != "kita" {
		t.Errorf("three players: %v", three)
	}
	for _, name := range append([]string{"tenhou"}, threePlayers...) {
		for i, described := range d.Observations {
			version, actions, seats := d.ActionTableVersion, len(d.Actions), uint32(4)
			if name != "tenhou" {
				described, version, actions, seats = three.Observations[i], three.ActionTableVersion, len(three.Actions), 3
			}
			s := client.NewStream(newEnv(t, env.Options{}).Play(t.Context()))
			opened, _, err := s.Open(withRules(name, &envv1.Open{Tables: 1, Observation: described.Name}))
			if err != nil {
				t.Fatal(err)
			}
			if !proto.Equal(opened.Observation, described) || opened.ActionTableVersion != version || int(opened.Actions) != actions || opened.Ruleset.Seats != seats {
				t.Errorf("%s, %s: opened with %d players, version %d and %d actions", name, described.Name, opened.Ruleset.Seats, opened.ActionTableVersion, opened.Actions)
			}
		}
	}
	for _, o := range slices.Concat(d.Observations, three.Observations) {
		for _, tensor := range o.Tensors {
			elements := uint32(1)
			for i, n := range tensor.Shape {
				if tensor.Dtype == envv1.Dtype_DTYPE_BIT && i == len(tensor.Shape)-1 {
					n = (n + 7) / 8
				}
				elements *= n
			}
			if size := tensor.RowBytes; tensor.Dtype == envv1.Dtype_DTYPE_UNSPECIFIED || size == 0 || size%elements != 0 {
				t.Errorf("%s: %v", o.Name, tensor)
			}
		}
	}
}

// raw sends bytes as they are.
type raw struct{}

func (raw) Name() string { return "proto" }
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func rawStream(t *testing.T, ctx context.Context, address string) grpc.ClientStream {
	t.Helper()
	conn, err := grpc.NewClient(address, plain, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, envv1.EnvService_Play_FullMethodName)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Limits end the stream that passes them with a status, or refuse the request.
func TestLimits(t *testing.T) {
	e := newEnv(t, env.Options{MaxStreams: 2, AddressShare: 100, MaxRequest: 4096, Idle: time.Second})
	address := startServer(t, e, env.ServerOptions{})
	c := dial(t, address)
	open := func() (*client.Stream, error) {
		s, err := c.Play(t.Context())
		if err == nil {
			_, _, err = s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 4, AutoReset: true})
		}
		return s, err
	}
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	second, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a third stream: %v", err)
	}
	if err := request(second, &envv1.PlayRequest{Request: &envv1.PlayRequest_Act{Act: &envv1.Act{Table: make([]byte, 5000)}}}); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a request of 5000 bytes: %v", err)
	}
	if err := request(first, &envv1.PlayRequest{Request: &envv1.PlayRequest_Inspect{Inspect: &envv1.Inspect{}}}); err != nil {
		t.Errorf("the other stream: %v", err)
	}
	if _, err := first.Recv(); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("an idle stream: %v", err)
	}
	// Both streams have made room.
	for range 2 {
		if _, err := open(); err != nil {
			t.Error(err)
		}
	}
}

// Garbage ends the stream it comes on.
func TestGarbage(t *testing.T) {
	address := startServer(t, newEnv(t, env.Options{}), env.ServerOptions{})
	for _, text := range []string{"\xff\xff\xff\xff", "\x12\xff\x01", "garbage"} {
		s := rawStream(t, t.Context(), address)
		data := []byte(text)
		if err := s.SendMsg(&data); err != nil {
			t.Fatal(err)
		}
		if err := s.RecvMsg(&data); status.Code(err) != codes.Internal {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Shutdown tells clients, lets them end, and cuts off those who do not.
func TestShutdown(t *testing.T) {
	for _, ends := range []bool{true, false} {
		e := newEnv(t, env.Options{})
		server, err := env.NewServer(e, env.ServerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := listen(t, "127.0.0.1:0")
		start(t, server, l)
		s := playAt(t, l.Addr().String())
		_, b, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 4, AutoReset: true})
		if err != nil || b.Draining {
			t.Fatal(b, err)
		}
		patience := time.Minute
		if !ends {
			patience = 100 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		stopped := make(chan struct{})
		go func() {
			server.Shutdown(ctx)
			close(stopped)
		}()
		p := newPlayer()
		for !b.Draining {
			p.take(t, b)
			b = p.act(t, s)
		}
		if ends {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Recv(); err != io.EOF {
				t.Errorf("after the end: %v", err)
			}
		} else if _, err := s.Recv(); status.Code(err) != codes.Unavailable {
			t.Errorf("a stream that goes on: %v", err)
		}
		<-stopped
		if _, _, err := client.NewStream(e.Play(t.Context())).Open(&envv1.Open{}); status.Code(err) != codes.Unavailable {
			t.Errorf("a stream at a server that stops: %v", err)
		}
	}
}

func TestListen(t *testing.T) {
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		if _, err := env.Listen(address, false); err == nil || !strings.Contains(err.Error(), "other machines") {
			t.Errorf("%s: %v", address, err)
		}
		l, err := env.Listen(address, true)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		l.Close()
	}
	if _, err := env.Listen("unix:", false); err == nil || !strings.Contains(err.Error(), "no path is named") {
		t.Errorf("no path: %v", err)
	}
	dir := t.TempDir()
	socket := "unix:" + filepath.Join(dir, "s")
	l, err := env.Listen(socket, false)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "s")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := env.Listen(socket, false); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a socket in use: %v", err)
	}
	// A server that was killed leaves its socket behind.
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	if l, err = env.Listen(socket, false); err != nil {
		t.Fatal(err)
	}
	l.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Listen("unix:"+file, false); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("a file in the way: %v", err)
	}
	if _, err := env.LoadTLS(t.Context(), file, file, ""); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a bad certificate: %v", err)
	}
	if runtime.GOOS != "windows" {
		a := newAuthority(t, "ca")
		certificate, key := a.sign(t, "server", false)
		for _, files := range [][3]string{{"/dev/zero", key, ""}, {certificate, "/dev/zero", ""}, {certificate, key, "/dev/zero"}} {
			if _, err := env.LoadTLS(t.Context(), files[0], files[1], files[2]); !errors.Is(err, userfile.ErrTooLarge) {
				t.Errorf("%v: error %v", files, err)
			}
		}
	}
}

// Clients that stall, vanish and send garbage harm nobody: another plays on and
// the server's memory does not grow.
func TestSoak(t *testing.T) {
	rounds := 2
	if os.Getenv("SPARROWHALL_LONG") != "" {
		rounds = 40
	}
	e := newEnv(t, env.Options{Idle: time.Second, MaxStreams: 1000, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	registry := prometheus.NewRegistry()
	address := startServer(t, e, env.ServerOptions{Registry: registry})
	open := &envv1.Open{Rules: preset("hkma_hktw"), Tables: 200, Observation: "planes", AutoReset: true}
	opening, err := proto.Marshal(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: open}})
	if err != nil {
		t.Fatal(err)
	}
	o := &envv1.Open{Rules: preset("ema_2016"), Tables: 8, Seed: 9, Seats: lineups["one"], Observation: "planes", AutoReset: true}
	good := playAt(t, address)
	_, b, err := good.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlayer()
	var first, last uint64
	for round := range rounds {
		var wg sync.WaitGroup
		for i := range 4 {
			rng := mathrand.New(mathrand.NewPCG(uint64(round), uint64(i)))
			wg.Go(func() {
				// The status of a stream whose client does not receive stands behind
				// what it was sent, so such a client has to give up by itself.
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second/2)
				defer cancel()
				s := rawStream(t, ctx, address)
				data := opening
				_ = s.SendMsg(&data)
				switch i {
				case 0: // asks and never receives, until it is ended
					for s.SendMsg(&data) == nil {
					}
					for s.RecvMsg(&data) == nil {
					}
				case 1: // vanishes amid an answer
					_ = s.RecvMsg(&data)
				case 2: // sends garbage
					for range 100 {
						data = make([]byte, rng.IntN(300))
						for i := range data {
							data[i] = byte(rng.Uint32())
						}
						if s.SendMsg(&data) != nil {
							break
						}
					}
				case 3: // falls silent
					for s.RecvMsg(&data) == nil {
					}
				}
			})
		}
		done := make(chan struct{})
		go func() {
			wg.Wait()
			close(done)
		}()
		for playing := true; playing; {
			select {
			case <-done:
				playing = false
			default:
				p.rows = map[uint32][]seen{}
				p.take(t, b)
				b = p.act(t, good)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if last = m.HeapAlloc; round == 0 {
			first = last
		}
	}
	if last > 2*first+32<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", first, last)
	}
	// All but the good client are gone, and their tables with them.
	metrics := func() string {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, f := range families {
			text += strings.ReplaceAll(f.String(), " ", "") + "\n"
		}
		return text
	}
	var text string
	until(t, "only the tables of the good client are left", func() bool {
		p.take(t, b)
		b = p.act(t, good)
		text = metrics()
		return strings.Contains(text, `metric:{gauge:{value:8}}`)
	})
	for _, want := range []string{`name:"sparrowhall_env_streams_ended_total"`, `value:"DeadlineExceeded"`, `name:"grpc_server_handled_total"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
}
