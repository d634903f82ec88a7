//go:build !js

package table

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/admission"
)

const heartbeat = 15 * time.Second

// newMux returns a mux with the files of the page.
func newMux() *http.ServeMux {
	mux := http.NewServeMux()
	for i, f := range Files() {
		path := "/" + f.Name
		if i == 0 {
			path = "/{$}"
		}
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", f.Kind)
			_, _ = io.WriteString(w, f.Text)
		})
	}
	return mux
}

// guard sets the headers of all responses and limits the time of each.
func (s *site) guard(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		admission.SetHeaders(h, admission.FilesPolicy)
		h.Set("Cache-Control", "no-store")
		// Clients that do not read would otherwise keep their connections for ever.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.writeTime))
		mux.ServeHTTP(w, r)
	})
}

// bearer returns the key that a request names.
func bearer(r *http.Request) string {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return key
}

// requireKey passes on requests that have the key of a page and do not come from a foreign page.
func requireKey(find func(key string) (audience, bool), serve func(http.ResponseWriter, *http.Request, audience)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
				http.Error(w, fmt.Sprintf("requests from %q are refused; open the page of this server", origin), http.StatusForbidden)
				return
			}
		}
		a, ok := find(bearer(r))
		if !ok {
			http.Error(w, errWrongKey.Error(), http.StatusUnauthorized)
			return
		}
		// Many may have the links to share and to watch: they keep no connection from those who play,
		// and none of them keeps the others out.
		if a < spectators {
			defer admission.Keep(r)()
		}
		serve(w, r, a)
	}
}

// lastEvent returns the id of the last message that a page has, 0 for none.
func lastEvent(r *http.Request) (int64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("Last-Event-ID %q is no number", text)
	}
	return id, nil
}

// sendEvent sends an event that is no message of a feed and so has no id.
func sendEvent(w http.ResponseWriter, name string, data any) {
	w.Header().Set("Content-Type", "text/event-stream")
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // plain data
	}
	_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, text)
}

// stream sends the messages of a feed after the last one that the page has, as server-sent
// events, until the page closes or ended is closed. It then sends the event that why names.
func (s *site) stream(w http.ResponseWriter, r *http.Request, f *feed, last int64, ended <-chan struct{}, why *string) {
	stream := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		messages, more := f.after(last)
		_ = stream.SetWriteDeadline(time.Now().Add(s.writeTime))
		select {
		case <-ended:
			// The messages are perhaps those of the person who has the seat now.
			sendEvent(w, *why, struct{}{})
			_ = stream.Flush()
			return
		default:
		}
		if n := len(messages); n > 0 {
			if _, err := w.Write(events(messages)); err != nil {
				return // the page has gone
			}
			last = messages[n-1].id
		}
		if err := stream.Flush(); err != nil {
			return
		}
		select {
		case <-more:
		case <-beat.C:
			_ = stream.SetWriteDeadline(time.Now().Add(s.writeTime))
			if _, err := io.WriteString(w, ": beat\n\n"); err != nil {
				return
			}
		case <-ended:
		case <-r.Context().Done():
			return
		}
	}
}
