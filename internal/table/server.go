//go:build !js

package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
)

// Handler returns the pages of the sitting. The key of a page is in the fragment of its address,
// /#KEY, which browsers do not send; the page sends it as a bearer token.
func (s *Sitting) Handler() http.Handler {
	mux := newMux()
	mux.HandleFunc("GET /game.json", requireKey(s.find, s.serveGame))
	mux.HandleFunc("GET /events", requireKey(s.find, s.serveEvents))
	mux.HandleFunc("POST /answer", requireKey(s.find, s.serveAnswer))
	mux.HandleFunc("GET /seats.json", requireKey(s.find, s.serveSeats))
	mux.HandleFunc("POST /sit", requireKey(s.find, s.serveSit))
	mux.HandleFunc("POST /leave", requireKey(s.find, s.serveLeave))
	mux.HandleFunc("GET /replay/{name}", s.serveReplay)
	mux.HandleFunc("GET /review/{name}", s.serveReview)
	return s.site.guard(mux)
}

// serveGame serves the description of the game.
func (s *Sitting) serveGame(w http.ResponseWriter, _ *http.Request, a audience) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.describe(a))
}

// serveSeats serves what pages show of the players. The lobby requests it again and again: event
// streams of the many who may have its link would keep connections.
func (s *Sitting) serveSeats(w http.ResponseWriter, _ *http.Request, _ audience) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.marks())
}

// serveSit gives a free seat to a person in the lobby.
func (s *Sitting) serveSit(w http.ResponseWriter, r *http.Request, a audience) {
	if a != lobby {
		http.Error(w, "people sit down in the lobby; open the link to share", http.StatusForbidden)
		return
	}
	var body sitBody
	if err := readBody(http.MaxBytesReader(w, r.Body, maxBody), &body); err != nil {
		http.Error(w, fmt.Sprintf("the request cannot be read: %v; it is {\"player\": number, \"name\": text}", err), http.StatusBadRequest)
		return
	}
	key, err := s.sit(body)
	switch {
	case errors.Is(err, errTaken):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"key": key})
	}
}

// serveLeave frees the seat of a person.
func (s *Sitting) serveLeave(w http.ResponseWriter, r *http.Request, a audience) {
	switch {
	case a >= spectators || s.shareKey == "":
		http.Error(w, "only one of several people leaves a seat", http.StatusForbidden)
	case !s.seats[a].leave(bearer(r), s.o.Agents[a].Name):
		http.Error(w, errWrongKey.Error(), http.StatusUnauthorized)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
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
	var ended <-chan struct{}
	var why *string
	switch a {
	case lobby:
		http.Error(w, "the lobby does not watch; sit down", http.StatusForbidden)
		return
	case spectators:
	default:
		page := s.seats[a].connect(bearer(r))
		if page == nil {
			http.Error(w, errWrongKey.Error(), http.StatusUnauthorized)
			return
		}
		defer s.seats[a].disconnect(page.number)
		ended, why = page.ended, &page.why
		if c, ok := s.seats[a].clock(); ok {
			sendEvent(w, "clock", c)
		}
	}
	s.site.stream(w, r, s.feeds[a], last, ended, why)
}

// serveAnswer receives the answer of a person.
func (s *Sitting) serveAnswer(w http.ResponseWriter, r *http.Request, a audience) {
	if a >= spectators {
		http.Error(w, "spectators do not play, and the lobby sits down first", http.StatusForbidden)
		return
	}
	seat := s.seats[a]
	// Slow bodies would else hold all connections of the table: those with the key of a seat are kept.
	defer seat.reading.Add(-1)
	if seat.reading.Add(1) > maxReading {
		http.Error(w, "too many answers are on the way; wait a second", http.StatusTooManyRequests)
		return
	}
	// Only refused answers count, so that a flood of them does not use the CPU.
	if seat.limit.Tokens() < 1 {
		http.Error(w, "too many answers were refused; wait a second", http.StatusTooManyRequests)
		return
	}
	status, err := seat.acceptAnswer(bearer(r), http.MaxBytesReader(w, r.Body, maxBody))
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
	s.serveViewer(w, f, nil)
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
		s.serveViewer(w, f, found)
	}
}

// serveViewer serves the page of a finished match, with the review if it is not nil.
func (s *Sitting) serveViewer(w http.ResponseWriter, f *finished, found *review.Review) {
	text, err := f.page(s.rules, found)
	if err != nil {
		s.o.Log.Warn("replay", "error", err)
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	admission.SetHeaders(w.Header(), admission.InlinePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text) // the client may have gone
}
