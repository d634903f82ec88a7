//go:build !js

package table

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Handler returns the pages of the sitting. The key of a page is in the fragment of its address,
// /#KEY, which browsers do not send; the page sends it as a bearer token.
func (s *Sitting) Handler() http.Handler {
	mux := newMux()
	mux.HandleFunc("GET /game.json", requireKey(s.keys, s.serveGame))
	mux.HandleFunc("GET /events", requireKey(s.keys, s.serveEvents))
	mux.HandleFunc("POST /answer", requireKey(s.keys, s.serveAnswer))
	mux.HandleFunc("GET /replay/{name}", s.serveReplay)
	mux.HandleFunc("GET /review/{name}", s.serveReview)
	return s.site.guard(mux)
}

// serveGame serves the description of the game.
func (s *Sitting) serveGame(w http.ResponseWriter, _ *http.Request, a audience) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.describe(a))
}

// serveEvents sends the messages of an audience as server-sent events. A page that connects
// again names the last one it received and gets the rest. A newer page of the same seat ends an
// older one.
func (s *Sitting) serveEvents(w http.ResponseWriter, r *http.Request, a audience) {
	last, err := lastEvent(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var replaced <-chan struct{}
	if a != spectators {
		page := s.seats[a].connect()
		defer s.seats[a].disconnect(page.number)
		replaced = page.replaced
		if c, ok := s.seats[a].clock(); ok {
			sendEvent(w, "clock", c)
		}
	} else {
		if !s.site.enter(w) {
			return
		}
		defer s.site.leave()
	}
	s.site.stream(w, r, s.feeds[a], last, replaced, "replaced")
}

// serveAnswer receives the answer of a person.
func (s *Sitting) serveAnswer(w http.ResponseWriter, r *http.Request, a audience) {
	if a == spectators {
		http.Error(w, "spectators do not play", http.StatusForbidden)
		return
	}
	seat := s.seats[a]
	// Only refused answers count, so that a flood of them does not use the CPU.
	if seat.limit.Tokens() < 1 {
		http.Error(w, "too many answers were refused; wait a second", http.StatusTooManyRequests)
		return
	}
	status, err := seat.acceptAnswer(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		seat.limit.Allow()
		http.Error(w, err.Error(), status)
		return
	}
	w.WriteHeader(status)
}

// serveReplay serves the viewer of a finished match.
func (s *Sitting) serveReplay(w http.ResponseWriter, r *http.Request) {
	f := s.games.get(r.PathValue("name"))
	if f == nil {
		http.Error(w, "no such replay", http.StatusNotFound)
		return
	}
	s.serveViewer(w, f.match, nil)
}

// reviewWait is the page that is shown until a review is complete: its language, title and sentence.
const reviewWait = `<!DOCTYPE html>
<html lang="%s">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>%[2]s</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/table.css">
<main><h1>%[2]s</h1><p>%[3]s</p></main>
</html>
`

// writeReviewWait writes that page in the language of the page that links to it, or the browser's.
func writeReviewWait(w http.ResponseWriter, r *http.Request, judged int) {
	language := board.Languages[0]
	for tag := range strings.SplitSeq(r.URL.Query().Get("language")+","+r.Header.Get("Accept-Language"), ",") {
		tag, _, _ = strings.Cut(strings.TrimSpace(tag), ";")
		if strings.HasPrefix(tag, "zh") {
			tag = "zh-Hant"
		}
		if i := slices.IndexFunc(board.Languages, func(l string) bool { return tag != "" && strings.HasPrefix(tag, l) }); i >= 0 {
			language = board.Languages[i]
			break
		}
	}
	s := sentences(language)
	w.Header().Set("Refresh", "1")
	_, _ = fmt.Fprintf(w, reviewWait, language, s["review_title"], strings.ReplaceAll(s["review_wait"], "{n}", strconv.Itoa(judged)))
}

// serveReview serves the viewer of a finished match with the review. Until the review is complete
// it serves a page that shows how far it is and loads again.
func (s *Sitting) serveReview(w http.ResponseWriter, r *http.Request) {
	f := s.games.get(r.PathValue("name"))
	if f == nil || s.o.Judge == nil {
		http.Error(w, "no such review", http.StatusNotFound)
		return
	}
	found, judged, err := f.review(s)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case err != nil:
		http.Error(w, fmt.Sprintf("the match cannot be reviewed: %v", err), http.StatusInternalServerError)
	case found == nil:
		writeReviewWait(w, r, judged)
	default:
		s.serveViewer(w, f.match, found)
	}
}

// serveViewer serves the page of a finished match, with the review if it is not nil.
func (s *Sitting) serveViewer(w http.ResponseWriter, m *sim.Match, found *review.Review) {
	admission.SetHeaders(w.Header(), admission.InlinePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := s.writeViewer(w, m, found); err != nil {
		s.o.Log.Warn("replay", "error", err)
	}
}
