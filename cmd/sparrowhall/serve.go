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
	"golang.org/x/sync/errgroup"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/table"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// tokenVariable is the environment variable with the token of clients.
const tokenVariable = "SPARROWHALL_TOKEN"

// serveOptions are the flags of serve.
type serveOptions struct {
	tlsFlags
	listen      string
	tokenFile   string
	metrics     string
	openMetrics bool
	logFormat   string
	drain       time.Duration
	withStdin   bool
	networks    string
	watch       watchFlag
	env         env.Options
	server      env.ServerOptions
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the learning environment over gRPC",
		Long: `Serve runs the environment server: clients play thousands of tables over one
stream of the protocol sparrowhall.env.v1. It prints its address when it
listens. On Ctrl-C or SIGTERM it stops after its clients have finished.

With --watch a page on this machine shows the tables while they are played; the
second line printed is its address. Hands are shown once the hand has ended.

Clients on other machines need a certificate of the server (--tls-cert,
--tls-key), certificates of their own as well (--client-ca), a token
(--token-file or the variable ` + tokenVariable + `), or --insecure.`,
		Example: `  sparrowhall serve
  sparrowhall serve --listen unix:/tmp/sparrowhall.sock
  sparrowhall serve --listen :50051 --tls-cert server.pem --tls-key server.key \
    --token-file token --metrics 127.0.0.1:9090`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.serve(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:50051", "host:port, with port 0 for any free one, or unix:PATH")
	o.addTLS(cmd, "accept clients on other machines without certificate or token")
	f.StringVar(&o.clientCA, "client-ca", "", "PEM file of the certificates that must have signed those of clients")
	f.StringVar(&o.tokenFile, "token-file", "", "file with the token that clients must send; default: the variable "+tokenVariable)
	f.StringVar(&o.metrics, "metrics", "", "host:port of Prometheus metrics")
	f.BoolVar(&o.openMetrics, "insecure-metrics", false, "serve the metrics, which have no protection, to other machines")
	f.StringVar(&o.logFormat, "log", "text", "format of the log on standard error: text, json or off")
	f.IntVar(&o.env.MaxStreams, "max-streams", 128, "streams")
	f.IntVar(&o.env.MaxTables, "max-tables", 8192, "tables of a stream")
	f.IntVar(&o.env.TotalTables, "total-tables", 65536, "tables of all streams")
	f.IntVar(&o.env.MaxHandles, "max-handles", 8192, "snapshots of tables of a stream")
	f.IntVar(&o.env.TotalHandles, "total-handles", 65536, "snapshots of tables of all streams")
	f.IntVar(&o.env.MaxShared, "max-shared", 1<<30, "bytes of memory shared with clients on this machine")
	f.IntVar(&o.env.MaxRequest, "max-message", 1<<20, "bytes of a request")
	f.IntVar(&o.server.MaxConnections, "max-connections", 512, "connections")
	f.IntVar(&o.server.MaxConnectionCalls, "max-connection-calls", 128, "calls of a connection, streams included")
	f.IntVar(&o.server.MaxCalls, "max-calls", 128, "calls that are not streams")
	f.IntVar(&o.server.MaxWatches, "max-watches", 2, "health watches of a connection")
	f.IntVar(&o.server.MaxWaiting, "max-waiting", 256<<20, "bytes of answers that clients have not received yet")
	f.IntVar(&o.env.AddressShare, "address-share", 50, "percent of connections, streams, calls, tables and snapshots for one address")
	f.DurationVar(&o.env.Idle, "idle", 10*time.Minute, "time without a request after which a stream ends; 0 for never")
	f.DurationVar(&o.env.OpenTime, "open-time", time.Minute, "time without tables after which a new stream ends; 0 for never")
	f.DurationVar(&o.env.RequestTime, "request-time", time.Minute, "longest work on a request before its stream ends; 0 for no limit")
	f.DurationVar(&o.server.CallTime, "call-time", 30*time.Second, "longest call that is not a stream")
	f.DurationVar(&o.server.ConnectionIdle, "connection-idle", 5*time.Minute, "time without calls after which a connection is closed")
	f.BoolVar(&o.env.AllowHidden, "allow-hidden", false, "serve the observation oracle, and on the page of --watch all hands at once")
	o.watch.add(cmd)
	f.StringVar(&o.networks, "networks", "", "folder whose networks clients may play against, as net:FILE")
	f.IntVar(&o.env.Workers, "workers", 0, "workers of a stream; 0 for one per core")
	f.DurationVar(&o.drain, "drain", 30*time.Second, "time for clients to finish when the server stops")
	f.BoolVar(&o.withStdin, "stop-with-stdin", false, "stop when standard input ends, as with the parent process")
	require(cmd, func() error { return o.check(cmd) })
	return cmd
}

// check returns what is wrong with the flags.
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
	case o.clientCA != "" && o.certificate == "":
		return usagef("--client-ca needs a certificate of the server; add --tls-cert and --tls-key")
	}
	return nil
}

// maxToken is the largest size of the file of --token-file in bytes.
const maxToken = 64 << 10

// readToken returns the token that clients must send, of a file or of the variable, empty for
// none. A blank one is an error: it would leave a server open.
func readToken(ctx context.Context, tokenFile string) (string, error) {
	text, source := os.Getenv(tokenVariable), "the variable "+tokenVariable
	if tokenFile != "" {
		file, err := userfile.Read(ctx, tokenFile, maxToken)
		if err != nil {
			return "", fmt.Errorf("--token-file: %w", err)
		}
		text, source = string(file), tokenFile
	} else if text == "" {
		return "", nil
	}
	token := strings.TrimSpace(text)
	switch {
	case token == "":
		return "", fmt.Errorf("%s holds no token", source)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fmt.Errorf("%s: the token has blanks or characters that cannot be sent; allowed: printable ASCII", source)
	}
	return token, nil
}

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
	options := o.server
	var err error
	if options.Token, err = readToken(cmd.Context(), o.tokenFile); err != nil {
		return err
	}
	if options.TLS, err = o.config(cmd.Context()); err != nil {
		return err
	}
	for _, d := range []*time.Duration{&o.env.Idle, &o.env.OpenTime, &o.env.RequestTime} {
		if *d == 0 {
			*d = -1
		}
	}
	o.env.Log = o.log(cmd.ErrOrStderr())
	o.env.NewAgent = agents.NewServed
	if o.networks != "" {
		o.env.NewAgent = agents.NewServedNetworks(o.networks)
	}
	o.env.Version = release.Version
	g, err := o.watch.serve(o.env.AllowHidden)
	if err != nil {
		return err
	}
	defer g.Close()
	if g != nil {
		o.env.Watch = g.openRoom
	}
	for _, name := range agents.Names() {
		o.env.Agents = append(o.env.Agents, env.Agent{Name: name, About: agents.About(name)})
	}
	e, err := env.New(o.env)
	if err != nil {
		return err
	}
	// While turns occupy all processors, one more serves connections: the runtime polls the
	// network only when a processor is idle.
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
	page := ""
	if g != nil {
		page = "watch " + g.address + "\n"
	}
	return o.run(cmd, server, l, metrics, registry, page)
}

// openRoom lets spectators watch the tables of a stream.
func (g *gallery) openRoom(t env.WatchedTables) (sim.Watch, func()) {
	room := g.Open(table.RoomOptions(t))
	return room, room.Close
}

// maxScrapes is the largest number of connections to the metrics.
const maxScrapes = 16

// listenMetrics listens at the address of the metrics. They have no protection, so open must be
// set for an address that is neither local nor private.
func listenMetrics(address string, open bool) (net.Listener, error) {
	reach := admission.Private
	if open {
		reach = admission.AllMachines
	}
	l, err := admission.Listen(address, reach)
	if errors.Is(err, admission.ErrReach) {
		err = fmt.Errorf("%w, and metrics have no protection: use a loopback or private address, or add --insecure-metrics", err)
	}
	return l, err
}

// run serves until the context of the command ends. page is the line with the address of the page
// of --watch, empty without it.
func (o *serveOptions) run(cmd *cobra.Command, server *env.Server, l, metrics net.Listener, registry *prometheus.Registry, page string) error {
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
		g.Go(func() error { return serveHTTP(ctx, admission.NewServer(mux), metrics, maxScrapes) })
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
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "listening on %s\n%s", address, page); err != nil {
		stop()
		return errors.Join(err, g.Wait())
	}
	return g.Wait()
}
