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
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/jansou/jansou/agents"
	"github.com/jansou/jansou/env"
	"github.com/jansou/jansou/sim"
)

// tokenVariable is the environment variable that may hold the token of clients.
const tokenVariable = "JANSOU_TOKEN"

// serveOptions are the flags of serve.
type serveOptions struct {
	listen      string
	insecure    bool
	certificate string
	key         string
	clientCA    string
	tokenFile   string
	metrics     string
	logFormat   string
	drain       time.Duration
	withStdin   bool
	env         env.Options
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer tables to learners by gRPC",
		Long: `Serve lets clients play at tables that live in the server: thousands at once
over one stream, by the protocol jansou.env.v1. It prints the address once it
listens, and stops on Ctrl-C or SIGTERM after its clients have come to an end.

Other machines are let in only with a certificate (--tls-cert, --tls-key), with
certificates of clients too (--client-ca), with a token (--token-file or the
variable ` + tokenVariable + `), or with --insecure.`,
		Example: `  jansou serve
  jansou serve --listen unix:/tmp/jansou.sock
  jansou serve --listen :50051 --tls-cert server.pem --tls-key server.key --token-file token --metrics 127.0.0.1:9090`,
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
	f.StringVar(&o.logFormat, "log", "text", "form of the log on standard error: text, json or off")
	f.IntVar(&o.env.MaxStreams, "max-streams", 64, "streams at a time")
	f.IntVar(&o.env.MaxTables, "max-tables", 8192, "tables of one stream")
	f.IntVar(&o.env.MaxHandles, "max-handles", 8192, "tables that one stream may keep for search")
	f.IntVar(&o.env.MaxRequest, "max-message", 4<<20, "bytes of one request")
	f.DurationVar(&o.env.Idle, "idle", 10*time.Minute, "end a stream without a request for so long; 0 for never")
	f.IntVar(&o.env.Workers, "workers", 0, "workers of one stream; 0 for one a core")
	f.DurationVar(&o.drain, "drain", 30*time.Second, "time that clients have to end when the server stops")
	f.BoolVar(&o.withStdin, "stop-with-stdin", false, "stop when standard input ends, as it does when the parent process ends")
	return cmd
}

// check returns what is wrong with the flags themselves.
func (o *serveOptions) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	for _, name := range []string{"max-streams", "max-tables", "max-handles", "max-message"} {
		if n, err := f.GetInt(name); err != nil || n < 1 {
			return usagef("--%s: %d is too few; at least 1", name, n)
		}
	}
	switch {
	case o.env.Workers < 0:
		return usagef("--workers: %d; at least 0", o.env.Workers)
	case o.env.Idle < 0:
		return usagef("--idle: %v; at least 0", o.env.Idle)
	case o.drain < 0:
		return usagef("--drain: %v; at least 0", o.drain)
	case !slices.Contains([]string{"text", "json", "off"}, o.logFormat):
		return usagef("--log: %q; allowed: text, json, off", o.logFormat)
	case (o.certificate == "") != (o.key == ""):
		return usagef("--tls-cert and --tls-key belong together; give both")
	case o.clientCA != "" && o.certificate == "":
		return usagef("--client-ca needs a certificate of the server; give --tls-cert and --tls-key")
	}
	return nil
}

// token returns the token that clients must send, empty for none.
func (o *serveOptions) token() (string, error) {
	if o.tokenFile == "" {
		return os.Getenv(tokenVariable), nil
	}
	text, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s holds no token", o.tokenFile)
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
	var options env.ServerOptions
	var err error
	if options.Token, err = o.token(); err != nil {
		return err
	}
	if o.certificate != "" {
		if options.TLS, err = env.LoadTLS(o.certificate, o.key, o.clientCA); err != nil {
			return err
		}
	}
	if o.env.Idle == 0 {
		o.env.Idle = -1
	}
	o.env.Log = o.log(cmd.ErrOrStderr())
	o.env.NewAgent = newServedAgent
	for _, name := range agents.Names() {
		o.env.Agents = append(o.env.Agents, env.Agent{Name: name, About: agents.About(name)})
	}
	e, err := env.New(o.env)
	if err != nil {
		return err
	}
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
		if metrics, err = net.Listen("tcp", o.metrics); err != nil {
			return errors.Join(fmt.Errorf("--metrics: %w", err), l.Close())
		}
	}
	return o.run(cmd, server, l, metrics, registry)
}

// newServedAgent makes agents that a stranger names: built-in ones only, since
// others start processes or open connections.
func newServedAgent(spec string) (func() sim.Agent, error) {
	name, _, _ := strings.Cut(spec, ":")
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
		s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
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
