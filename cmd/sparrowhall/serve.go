package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"golang.org/x/net/netutil"
	"golang.org/x/sync/errgroup"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/sim"
)

// tokenVariable is the environment variable that may hold the token of clients.
const tokenVariable = "SPARROWHALL_TOKEN"

// serveOptions are the flags of serve.
type serveOptions struct {
	listen      string
	insecure    bool
	certificate string
	key         string
	clientCA    string
	tokenFile   string
	metrics     string
	openMetrics bool
	logFormat   string
	drain       time.Duration
	withStdin   bool
	env         env.Options
	server      env.ServerOptions
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer tables to learners by gRPC",
		Long: `Serve lets clients play at tables that live in the server: thousands at once
over one stream, by the protocol sparrowhall.env.v1. It prints the address once it
listens, and stops on Ctrl-C or SIGTERM after its clients have come to an end.

Other machines are let in only with a certificate (--tls-cert, --tls-key), with
certificates of clients too (--client-ca), with a token (--token-file or the
variable ` + tokenVariable + `), or with --insecure.`,
		Example: `  sparrowhall serve
  sparrowhall serve --listen unix:/tmp/sparrowhall.sock
  sparrowhall serve --listen :50051 --tls-cert server.pem --tls-key server.key --token-file token --metrics 127.0.0.1:9090`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.serve(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:50051", "host:port, port 0 for any free one, or unix:PATH")
	f.BoolVar(&o.insecure, "insecure", false, "let other machines in without a certificate or token")
	f.StringVar(&o.certificate, "tls-cert", "", "certificate of the server, a PEM file")
	f.StringVar(&o.key, "tls-key", "", "key of the certificate, a PEM file")
	f.StringVar(&o.clientCA, "client-ca", "", "let in only clients with a certificate signed by one in this PEM file")
	f.StringVar(&o.tokenFile, "token-file", "", "file with the token that clients must send; otherwise the variable "+tokenVariable)
	f.StringVar(&o.metrics, "metrics", "", "host:port to offer Prometheus metrics at")
	f.BoolVar(&o.openMetrics, "insecure-metrics", false, "let other machines read the metrics, which have no protection")
	f.StringVar(&o.logFormat, "log", "text", "form of the log on standard error: text, json or off")
	f.IntVar(&o.env.MaxStreams, "max-streams", 128, "streams at a time")
	f.IntVar(&o.env.MaxTables, "max-tables", 8192, "tables of one stream")
	f.IntVar(&o.env.TotalTables, "total-tables", 65536, "tables of all streams")
	f.IntVar(&o.env.MaxHandles, "max-handles", 8192, "tables that one stream may keep for search")
	f.IntVar(&o.env.TotalHandles, "total-handles", 65536, "tables that all streams may keep for search")
	f.IntVar(&o.env.MaxShared, "max-shared", 1<<30, "bytes of memory that may be shared with clients on this machine")
	f.IntVar(&o.env.MaxRequest, "max-message", 1<<20, "bytes of one request")
	f.IntVar(&o.server.MaxConnections, "max-connections", 512, "connections at a time")
	f.IntVar(&o.server.MaxConnectionCalls, "max-connection-calls", 128, "calls under way on one connection, streams among them")
	f.IntVar(&o.server.MaxCalls, "max-calls", 128, "calls under way that are no streams")
	f.IntVar(&o.server.MaxWatches, "max-watches", 2, "health watches on one connection")
	f.IntVar(&o.server.MaxWaiting, "max-waiting", 256<<20, "bytes of answers that wait for clients to receive them")
	f.IntVar(&o.env.AddressShare, "address-share", 50, "percent of all connections, streams, calls, tables and handles that one address may have")
	f.DurationVar(&o.env.Idle, "idle", 10*time.Minute, "end a stream without a request for so long; 0 for never")
	f.DurationVar(&o.env.OpenTime, "open-time", time.Minute, "end a stream that opens no tables for so long; 0 for never")
	f.DurationVar(&o.env.RequestTime, "request-time", time.Minute, "end a stream at whose request the server works for so long; 0 for never")
	f.DurationVar(&o.server.CallTime, "call-time", 30*time.Second, "time of a call that is no stream")
	f.DurationVar(&o.server.ConnectionIdle, "connection-idle", 5*time.Minute, "close a connection without calls for so long")
	f.BoolVar(&o.env.AllowHidden, "allow-hidden", false, "offer the observation oracle, which shows all hands and the wall")
	f.IntVar(&o.env.Workers, "workers", 0, "workers of one stream; 0 for one a core")
	f.DurationVar(&o.drain, "drain", 30*time.Second, "time that clients have to end when the server stops")
	f.BoolVar(&o.withStdin, "stop-with-stdin", false, "stop when standard input ends, as it does when the parent process ends")
	return cmd
}

// check returns what is wrong with the flags themselves.
func (o *serveOptions) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	for _, name := range []string{
		"max-streams", "max-tables", "total-tables", "max-handles", "total-handles", "max-shared", "max-message",
		"max-connections", "max-connection-calls", "max-calls", "max-watches", "max-waiting", "address-share",
	} {
		if n, err := f.GetInt(name); err != nil || n < 1 {
			return usagef("--%s: %d is too few; at least 1", name, n)
		}
	}
	for _, name := range []string{"idle", "open-time", "request-time", "drain"} {
		if d, err := f.GetDuration(name); err != nil || d < 0 {
			return usagef("--%s: %v; at least 0", name, d)
		}
	}
	for _, name := range []string{"call-time", "connection-idle"} {
		if d, err := f.GetDuration(name); err != nil || d <= 0 {
			return usagef("--%s: %v; more than 0", name, d)
		}
	}
	switch {
	case o.env.Workers < 0:
		return usagef("--workers: %d; at least 0", o.env.Workers)
	case !slices.Contains([]string{"text", "json", "off"}, o.logFormat):
		return usagef("--log: %q; allowed: text, json, off", o.logFormat)
	case (o.certificate == "") != (o.key == ""):
		return usagef("--tls-cert and --tls-key belong together; give both")
	case o.clientCA != "" && o.certificate == "":
		return usagef("--client-ca needs a certificate of the server; give --tls-cert and --tls-key")
	}
	return nil
}

// token returns the token that clients must send, empty for none. One that is set
// but blank is an error: it would leave the server open, or let anybody in.
func (o *serveOptions) token() (string, error) {
	text, source := os.Getenv(tokenVariable), "the variable "+tokenVariable
	if o.tokenFile != "" {
		file, err := os.ReadFile(o.tokenFile)
		if err != nil {
			return "", err
		}
		text, source = string(file), o.tokenFile
	} else if text == "" {
		return "", nil
	}
	token := strings.TrimSpace(text)
	switch {
	case token == "":
		return "", fmt.Errorf("%s holds no token", source)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fmt.Errorf("the token of %s has blanks or other characters that cannot be sent; allowed: printable ASCII", source)
	}
	return token, nil
}

// log returns where the server tells what it does.
func (o *serveOptions) log(w io.Writer) *slog.Logger {
	switch o.logFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil))
	case "text":
		return slog.New(slog.NewTextHandler(w, nil))
	}
	return slog.New(slog.DiscardHandler)
}

func (o *serveOptions) serve(cmd *cobra.Command) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	options := o.server
	var err error
	if options.Token, err = o.token(); err != nil {
		return err
	}
	if o.certificate != "" {
		if options.TLS, err = env.LoadTLS(o.certificate, o.key, o.clientCA); err != nil {
			return err
		}
	}
	for _, d := range []*time.Duration{&o.env.Idle, &o.env.OpenTime, &o.env.RequestTime} {
		if *d == 0 {
			*d = -1
		}
	}
	o.env.Log = o.log(cmd.ErrOrStderr())
	o.env.NewAgent = newServedAgent
	o.env.Version = release
	for _, name := range agents.Names() {
		o.env.Agents = append(o.env.Agents, env.Agent{Name: name, About: agents.About(name)})
	}
	e, err := env.New(o.env)
	if err != nil {
		return err
	}
	// When all processors are taken by turns, one more looks after connections:
	// the runtime asks the network only when a processor has nothing else to do.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	options.Registry = registry
	server, err := env.NewServer(e, options)
	if err != nil {
		return err
	}
	l, err := env.Listen(o.listen, o.insecure || options.TLS != nil || options.Token != "")
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	var metrics net.Listener
	if o.metrics != "" {
		if metrics, err = listenMetrics(o.metrics, o.openMetrics); err != nil {
			return errors.Join(fmt.Errorf("--metrics: %w", err), l.Close())
		}
	}
	return o.run(cmd, server, l, metrics, registry)
}

// maxScrapes is the number of connections to the metrics at a time.
const maxScrapes = 16

// listenMetrics listens where the metrics are offered. They have no protection, so
// an address that other machines can reach must be asked for by open, unless it is
// a private one.
func listenMetrics(address string, open bool) (net.Listener, error) {
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%q: %w; want host:port", address, err)
	}
	if !open && !a.IP.IsLoopback() && !a.IP.IsPrivate() {
		return nil, fmt.Errorf("%s can be reached by other machines, and metrics have no protection: use a loopback or private address, or give --insecure-metrics", address)
	}
	l, err := net.ListenTCP("tcp", a)
	if err != nil {
		return nil, err
	}
	return netutil.LimitListener(l, maxScrapes), nil
}

// newServedAgent makes agents that a stranger names: built-in ones only, since
// others start processes or open connections, and none that reads a file.
func newServedAgent(spec string) (func() sim.Agent, error) {
	name, options, _ := strings.Cut(spec, ":")
	for option := range strings.SplitSeq(options, ",") {
		if strings.HasPrefix(option, "weights=") {
			return nil, fmt.Errorf("agent %q: %q names a file, which a client may not; leave it out", name, option)
		}
	}
	if !slices.Contains(agents.Names(), name) {
		return nil, fmt.Errorf("unknown agent %q; allowed: %s", name, strings.Join(agents.Names(), ", "))
	}
	return agents.New(spec)
}

// run serves until the command is to end.
func (o *serveOptions) run(cmd *cobra.Command, server *env.Server, l, metrics net.Listener, registry *prometheus.Registry) error {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	if o.withStdin {
		go func() {
			_, _ = io.Copy(io.Discard, cmd.InOrStdin())
			stop()
		}()
	}
	log := o.env.Log
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return server.Serve(l) })
	if metrics != nil {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
		s := &http.Server{
			Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
			MaxHeaderBytes: 16 << 10,
		}
		g.Go(func() error {
			if err := s.Serve(metrics); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
		defer s.Close()
		context.AfterFunc(ctx, func() { _ = s.Close() })
		log.Info("metrics", "address", metrics.Addr().String())
	}
	g.Go(func() error {
		<-ctx.Done()
		log.Info("stopping", "drain", o.drain)
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.drain)
		defer cancel()
		server.Shutdown(deadline)
		log.Info("stopped")
		return nil
	})
	address := l.Addr().String()
	if l.Addr().Network() == "unix" {
		address = "unix:" + address
	}
	log.Info("listening", "address", address)
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "listening on %s\n", address); err != nil {
		stop()
		return errors.Join(err, g.Wait())
	}
	return g.Wait()
}
