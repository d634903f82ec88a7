package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/league"
)

// leaguePageOptions are the flags of league page.
type leaguePageOptions struct {
	league.SiteOptions
	out, serve string
}

func newLeaguePageCommand() *cobra.Command {
	var o leaguePageOptions
	cmd := &cobra.Command{
		Use:   "page DIR",
		Short: "Write the site of a league",
		Long: `Page writes a site of files: the leaderboard, a page for each bot, head to head,
tests, replays of a sample of the matches, and a feed in JSON. No page has a
command, a path or an address of a bot. With --serve it serves the site, always
new, with a replay of any match.`,
		Example: `  sparrowhall league page cup --out site
  sparrowhall league page cup --serve localhost:8080`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (o.out == "") == (o.serve == ""):
				return usagef("name a folder by --out, or an address by --serve")
			case o.Replays < 0:
				return usagef("--replays: %d; at least 0", o.Replays)
			}
			return withLeague(cmd.Context(), args[0], func(l *league.League) error {
				if o.serve != "" {
					return serveLeague(cmd, l, &o)
				}
				site, err := l.NewSite(cmd.Context(), o.SiteOptions)
				if err == nil {
					err = site.WriteSite(cmd.Context(), o.out)
				}
				if err != nil {
					return explainInterrupt(err)
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has %d files; open index.html\n", sanitize.Line(o.out), len(site.Names()))
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder to write the site to")
	f.StringVar(&o.serve, "serve", "", "address at which the site is served, such as localhost:8080")
	f.BoolVar(&o.Anonymous, "anonymous", false, "replace names by numbers, and leave out authors and fingerprints")
	f.IntVar(&o.Replays, "replays", 12, "matches with a replay")
	return cmd
}

// siteAge is how old a served site may be.
const siteAge = 10 * time.Second

// leagueHandler serves the site of a league, which it reads again when it is old.
type leagueHandler struct {
	read func(context.Context) (*league.Site, error)

	mu   sync.Mutex
	site *league.Site
	at   time.Time
}

// ServeHTTP implements http.Handler.
func (h *leagueHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD are allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	// A league is for one goroutine.
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.site == nil || time.Since(h.at) > siteAge {
		site, err := h.read(r.Context())
		if err != nil {
			http.Error(w, "the league cannot be read", http.StatusInternalServerError)
			return
		}
		h.site, h.at = site, time.Now()
	}
	var b bytes.Buffer
	switch err := h.site.Render(r.Context(), &b, name); {
	case errors.Is(err, league.ErrNoPage):
		http.NotFound(w, r)
		return
	case err != nil: // its text may have a path
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	kind := "text/html; charset=utf-8"
	if strings.HasSuffix(name, ".json") {
		kind = "application/json"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(b.Bytes()) // the client may have gone
}

// serveLeague serves the site of a league until the context ends.
func serveLeague(cmd *cobra.Command, l *league.League, o *leaguePageOptions) error {
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", o.serve)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           &leagueHandler{read: func(ctx context.Context) (*league.Site, error) { return l.NewSite(ctx, o.SiteOptions) }},
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14,
	}
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s\n", listener.Addr())
	stop := context.AfterFunc(cmd.Context(), func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
