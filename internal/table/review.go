package table

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/sim"
)

// reviewDeals is the number of deals of the unseen tiles at a decision that is reviewed, the
// default of the verb review.
const reviewDeals = 100

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

// finished is a finished match, with a review of the people's choices once a page has opened it.
type finished struct {
	match *sim.Match

	mu     sync.Mutex
	begun  bool
	judged int // decisions so far
	found  *review.Review
	err    error
}

// review begins the review on its first call. It returns the review, or nil and the number of
// decisions judged so far.
func (f *finished) review(s *Sitting) (found *review.Review, judged int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.begun {
		f.begun = true
		go f.compute(s)
	}
	return f.found, f.judged, f.err
}

// compute reviews the choices of the people. One match is reviewed at a time, by one worker, so
// that the next match can go on beside it.
func (f *finished) compute(s *Sitting) {
	s.reviewing.Lock()
	defer s.reviewing.Unlock()
	o := review.Options{NewJudge: s.o.Judge, Deals: reviewDeals, Workers: 1, Done: func(decisions int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.judged += decisions
	}}
	for _, seat := range s.seats {
		if seat.agent == nil {
			o.Players |= seat.player.Bit()
		}
	}
	found, err := review.Match(s.ctx, s.rules, f.match, o)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found, f.err = found, err
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
		s.writeViewer(w, f.match, found)
	}
}

// writeViewer writes the page of a finished match, with the review if it is not nil.
func (s *Sitting) writeViewer(w http.ResponseWriter, m *sim.Match, found *review.Review) {
	admission.SetHeaders(w.Header(), admission.InlinePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := viewer.Write(w, s.rules, m, s.names(), [sim.NumPlayers]sim.Agent{}, found); err != nil {
		s.o.Log.Warn("replay", "error", err)
	}
}
