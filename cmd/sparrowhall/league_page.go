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
	"golang.org/x/sync/singleflight"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/contest/live"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
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
new, with a replay of any match and the round in work. League run --serve does
so while it plays, and shows the running matches too.`,
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
					listener, err := listenLeague(cmd, o.serve)
					if err != nil {
						return err
					}
					o.Live = &live.Activity{}
					return serveLeague(cmd.Context(), l, o.SiteOptions, listener)
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
	cmd.Flags().StringVar(&o.out, "out", "", "folder to write the site to")
	o.addSite(cmd)
	cmd.Flags().IntVar(&o.Replays, "replays", 12, "matches with a replay")
	return cmd
}

// addSite adds the flags of verbs that serve the site.
func (o *leaguePageOptions) addSite(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.serve, "serve", "", "address at which the site is served, such as localhost:8080")
	f.BoolVar(&o.Anonymous, "anonymous", false, "replace names by numbers, and leave out authors and fingerprints")
}

// siteAge is how old a served site may be, if reading it does not take a tenth of that.
const siteAge = 10 * time.Second

// leagueHandler serves the site of a league, which it reads again when it is old. Meanwhile it serves
// the old one.
type leagueHandler struct {
	read func(context.Context) (*league.Site, error)
	// work has the pages that are being made: each is made once for all who wait for it. A replay
	// takes long, so one is made at a time; see makeReplay.
	work   singleflight.Group
	replay chan struct{}

	mu    sync.Mutex
	site  *league.Site
	end   time.Time         // when the site is old
	pages map[string][]byte // of the site, and replays, which never change
	bytes int               // of pages
}

func newLeagueHandler(l *league.League, o league.SiteOptions) *leagueHandler {
	return &leagueHandler{
		read:   func(ctx context.Context) (*league.Site, error) { return l.NewSite(ctx, o) },
		replay: make(chan struct{}, 1),
	}
}

// ServeHTTP implements http.Handler.
func (h *leagueHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	admission.SetHeaders(w.Header(), admission.InlineFetchPolicy)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD are allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	text, err := h.render(r.Context(), name)
	switch {
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
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // the client may have gone
}

// maxPageBytes is how many bytes of pages are kept.
const maxPageBytes = 64 << 20

// render returns a file of the site.
func (h *leagueHandler) render(ctx context.Context, name string) ([]byte, error) {
	h.mu.Lock()
	site, old := h.site, time.Now().After(h.end)
	h.mu.Unlock()
	// What a client has begun others wait for, so it is made even if that client goes.
	ctx = context.WithoutCancel(ctx)
	if old {
		made := h.work.DoChan("", func() (any, error) { return nil, h.renew(ctx) })
		if site == nil {
			if r := <-made; r.Err != nil {
				return nil, r.Err
			}
			return h.render(ctx, name)
		}
	}
	key := name
	if name == league.WallsFile {
		version, err := site.WallsVersion(ctx)
		if err != nil {
			return nil, err
		}
		key += " " + version
	}
	h.mu.Lock()
	text := h.pages[key]
	h.mu.Unlock()
	if text != nil {
		return text, nil
	}
	made, err, _ := h.work.Do(key, func() (any, error) {
		isReplay := strings.HasPrefix(name, "match-")
		var b bytes.Buffer
		render := func() error { return site.Render(ctx, &b, name) }
		work := render
		if isReplay {
			work = func() error { return h.makeReplay(render) }
		}
		if err := work(); err != nil {
			return nil, err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.bytes+b.Len() > maxPageBytes {
			h.pages, h.bytes = map[string][]byte{}, 0
		}
		if isReplay || h.site == site && name != league.LiveFile {
			h.pages[key] = b.Bytes()
			h.bytes += b.Len()
		}
		return b.Bytes(), nil
	})
	if err != nil {
		return nil, err
	}
	return made.([]byte), nil
}

// makeReplay makes one replay at a time, and then rests three times as long: readers who want
// replay after replay take a quarter of a processor, however many they are.
func (h *leagueHandler) makeReplay(render func() error) error {
	h.replay <- struct{}{}
	start := time.Now()
	defer func() { time.AfterFunc(3*time.Since(start), func() { <-h.replay }) }()
	return render()
}

// renew reads the site again.
func (h *leagueHandler) renew(ctx context.Context) error {
	start := time.Now()
	site, err := h.read(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end = time.Now().Add(max(siteAge, 10*time.Since(start)))
	if err != nil {
		return err
	}
	h.site = site
	kept := map[string][]byte{}
	h.bytes = 0
	for name, text := range h.pages {
		if strings.HasPrefix(name, "match-") {
			kept[name] = text
			h.bytes += len(text)
		}
	}
	h.pages = kept
	return nil
}

// listenLeague listens at an address for the clients of a site, and prints its URL.
func listenLeague(cmd *cobra.Command, address string) (net.Listener, error) {
	listener, err := admission.Listen(address, admission.AllMachines)
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "http://%s\n", listener.Addr())
	}
	return listener, err
}

// serveLeague serves the site of a league until the context ends.
func serveLeague(ctx context.Context, l *league.League, o league.SiteOptions, listener net.Listener) error {
	return serveHTTP(ctx, admission.NewServer(newLeagueHandler(l, o)), listener, maxHallConnections)
}
