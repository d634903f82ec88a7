package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Bounds on requests.
const (
	maxBody = 1 << 10 // bytes of an answer
	maxRate = 20      // refused answers of a seat in a second
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
	d := describe(s.o.Ruleset, s.rules)
	d.Player, d.Coach = int(a.player()), s.o.Coach != nil && a != spectators
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(d)
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

// answerBody is the body of an answer. Action is left out to go on to the next hand. Again is set
// to begin a branch again instead.
type answerBody struct {
	Question int64 `json:"question"`
	Action   *int  `json:"action"`
	Again    bool  `json:"again"`
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
	status, err := seat.acceptAnswer(w, r)
	if err != nil {
		seat.limit.Allow()
		http.Error(w, err.Error(), status)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// acceptAnswer reads the answer in the body of a request and passes it on. The error states why
// the answer is refused, with the status of the response.
func (s *seat) acceptAnswer(w http.ResponseWriter, r *http.Request) (status int, err error) {
	var body answerBody
	_, actions := sim.ActionTable(s.seats)
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&body)
	if err == nil && decoder.More() {
		err = errors.New("more follows after it")
	}
	if err != nil {
		return http.StatusBadRequest, fmt.Errorf("the answer cannot be read: %w; it is {\"question\": number, \"action\": number}", err)
	}
	action := nextHand
	if body.Again {
		action = restartBranch
	}
	if body.Action != nil {
		if *body.Action < 0 || *body.Action >= actions {
			return http.StatusUnprocessableEntity, fmt.Errorf("%d is no action; allowed: 0 to %d", *body.Action, actions-1)
		}
		action = sim.Action(*body.Action)
	}
	switch err := s.answer(body.Question, action); {
	case errors.Is(err, errNotOpen):
		return http.StatusConflict, err
	case err != nil:
		return http.StatusUnprocessableEntity, err
	}
	return http.StatusNoContent, nil
}

// serveReplay serves the viewer of a finished match.
func (s *Sitting) serveReplay(w http.ResponseWriter, r *http.Request) {
	f := s.games.get(r.PathValue("name"))
	if f == nil {
		http.Error(w, "no such replay", http.StatusNotFound)
		return
	}
	s.writeViewer(w, f.match, nil)
}

func (s *Sitting) names() (names [sim.NumPlayers]string) {
	for p, seat := range s.seats {
		names[p] = seat.name
	}
	return names
}
