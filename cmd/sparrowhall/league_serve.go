package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/contest/hall"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/contest/live"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// leagueServeOptions are the flags of league serve.
type leagueServeOptions struct {
	workFlags
	tlsFlags
	hall           hall.Options
	tables         int
	wrapper        botWrapper
	listen, mjsonp string
	site           league.SiteOptions
}

func newLeagueServeCommand() *cobra.Command {
	var o leagueServeOptions
	cmd := &cobra.Command{
		Use:   "serve DIR",
		Short: "Let bots connect by themselves, and play",
		Long: `Serve lets bots connect to the league over WebSocket with the protocol of
RiichiLab, at /ws/validate and then /ws/ranked, and over TCP with mjai lines
(--mjsonp). A bot shows the token that league add DIR NAME remote has printed.
Whenever bots wait, they are paired with each other and with the bots of this
machine, for one match each. The pages of the league are at the same address.

Bots on other machines need a certificate of the server (--tls-cert, --tls-key),
or --insecure behind a proxy that has one. docs/contests.md has the rules.`,
		Example: `  sparrowhall league serve cup
  sparrowhall league serve cup --listen :443 --tls-cert a.pem --tls-key a.key`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "host:port of WebSocket and pages, with port 0 for any free one")
	f.StringVar(&o.mjsonp, "mjsonp", "", "host:port at which bots connect that speak mjai lines")
	o.addTLS(cmd, "serve other machines without a certificate")
	f.DurationVar(&o.hall.Budget.Grace, "grace", 3*time.Second, "time for each decision")
	f.DurationVar(&o.hall.Budget.Bank, "bank", 15*time.Second, "more time for all decisions of a hand together")
	f.DurationVar(&o.hall.ReturnTime, "return", 2*time.Minute, "time for a bot to come back when its match begins")
	f.DurationVar(&o.hall.GatherTime, "gather", 3*time.Second, "time for more bots to come before one is paired")
	f.IntVar(&o.tables, "tables", 8, "most matches at a time")
	f.BoolVar(&o.site.Anonymous, "anonymous", false, "pages have numbers for names, and no authors and fingerprints")
	f.IntVar(&o.site.Replays, "replays", 12, "matches with a replay")
	o.wrapper.add(cmd)
	o.addWork(cmd, "matches played")
	require(cmd, o.check)
	return cmd
}

func (o *leagueServeOptions) check() error {
	switch {
	case o.hall.Budget.Grace < time.Millisecond || o.hall.Budget.Bank < 0:
		return usagef("--grace: at least 1ms; --bank: at least 0")
	case o.hall.ReturnTime <= 0 || o.hall.GatherTime <= 0:
		return usagef("--return and --gather are above 0")
	case o.tables < 1 || o.tables > 64:
		return usagef("--tables: %d; allowed: 1 to 64", o.tables)
	case o.site.Replays < 0:
		return usagef("--replays: %d; at least 0", o.site.Replays)
	}
	return nil
}

func (o *leagueServeOptions) run(cmd *cobra.Command, dir string) error {
	return withLeague(cmd.Context(), dir, func(l *league.League) error {
		if err := l.Lock(); err != nil {
			return err
		}
		// The pages read the league by a handle of their own.
		return withLeague(cmd.Context(), dir, func(pages *league.League) error { return o.serve(cmd, l, pages) })
	})
}

// serve plays and serves until the context ends.
func (o *leagueServeOptions) serve(cmd *cobra.Command, l, pages *league.League) error {
	p := o.progress(cmd, "matches", 0)
	defer p.End()
	messages := log.New(cmd.ErrOrStderr(), "", 0)
	play := newRunOptions(messages, p, &o.workFlags, &o.wrapper)
	o.hall.Log = func(text string) { messages.Print(text) }
	h, err := hall.New(l, o.hall)
	if err != nil {
		return err
	}
	defer h.Close()
	play.Hall, play.Tables = h, o.tables
	play.Live = &live.Activity{}
	o.site.Live = play.Live
	certificate, err := o.config(cmd.Context())
	if err != nil {
		return err
	}
	scheme := ""
	if certificate != nil {
		scheme = "s"
	}
	listener, err := o.open("--listen", o.listen)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/ws/", h)
	mux.Handle("/", newLeagueHandler(pages, o.site))
	server := admission.NewServer(mux)
	server.TLSConfig = certificate
	server.ErrorLog = newServerLog(func(line string) { messages.Print(sanitize.Line(line)) })
	var lines net.Listener
	if o.mjsonp != "" {
		if lines, err = o.open("--mjsonp", o.mjsonp); err != nil {
			return errors.Join(err, listener.Close())
		}
		if lines = admission.New(lines, admission.Limits{Connections: maxHallConnections, Greets: true}); certificate != nil {
			lines = tls.NewListener(lines, certificate)
		}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "bots: ws%s://%s/ws/validate, ws%[1]s://%[2]s/ws/ranked\n", scheme, listener.Addr())
	if lines != nil {
		fmt.Fprintf(out, "bots: mjsonp://%s/TOKEN\n", lines.Addr())
	}
	fmt.Fprintf(out, "pages: http%s://%s/\n", scheme, listener.Addr())
	g, ctx := errgroup.WithContext(cmd.Context())
	g.Go(func() error { return serveHTTP(ctx, server, listener, maxHallConnections) })
	if lines != nil {
		g.Go(func() error { return h.ServeMJSONP(lines) })
		context.AfterFunc(ctx, func() { _ = lines.Close() })
	}
	g.Go(func() error {
		_, err := l.Run(ctx, play)
		return err
	})
	if err := g.Wait(); err != nil && cmd.Context().Err() == nil {
		return err
	}
	fmt.Fprintln(out, "the hall is closed; league serve goes on with the matches in work")
	return nil
}

// maxHallConnections is the largest number of connections to a hall or its pages.
const maxHallConnections = 1024

func newLeagueTokenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "token DIR NAME",
		Short: "Make a new token for a bot that connects by itself",
		Long: `Token replaces the token of a bot that was added as remote. The one before is of
no use from then on. The league keeps only a digest of it.`,
		Example: `  sparrowhall league token cup theirs`,
		Args:    arguments(2, 2),
		RunE: onLeague(func(cmd *cobra.Command, l *league.League, args []string) error {
			b, token, err := l.ReplaceToken(cmd.Context(), args[1])
			return printToken(cmd, &b, token, err)
		}),
	}
}

// printToken prints the token of a bot unless there is an error.
func printToken(cmd *cobra.Command, b *league.Bot, token string, err error) error {
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s connects with this token, which is not shown again:\n%s\n", sanitize.Line(b.Label()), token)
	}
	return err
}
