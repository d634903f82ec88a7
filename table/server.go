package table

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/export/board"
	"github.com/sparrowhall/sparrowhall/export/viewer"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed page
var pages embed.FS

// Bounds on requests.
const (
	maxBody   = 1 << 10 // bytes of an answer
	maxRate   = 20      // refused answers of a seat in a second
	heartbeat = 15 * time.Second
	// maxSpectators is the number of event streams of spectators, who share one key.
	maxSpectators = 128
)

// policy allows the page what it loads from this server alone; replayPolicy allows a replay,
// which is one file, its own script and style.
const (
	policy       = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	replayPolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// Handler returns the pages of the sitting. The key of a page stands in the fragment of its
// address, /#KEY, which browsers do not send; the page sends it as a bearer token.
func (s *Sitting) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.file("page/index.html", "text/html; charset=utf-8"))
	mux.HandleFunc("GET /table.css", s.text("text/css; charset=utf-8", string(board.Style)+mustRead("page/table.css")))
	mux.HandleFunc("GET /table.js", s.text("text/javascript; charset=utf-8", script()))
	for _, l := range board.Languages {
		mux.HandleFunc("GET /"+l+".json", s.text("application/json", sentences(l)))
	}
	mux.HandleFunc("GET /game.json", s.keyed(s.serveGame))
	mux.HandleFunc("GET /events", s.keyed(s.serveEvents))
	mux.HandleFunc("POST /answer", s.keyed(s.serveAnswer))
	mux.HandleFunc("GET /replay/{name}", s.serveReplay)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		// Clients that do not read would otherwise keep their connections for ever.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.writeTime))
		mux.ServeHTTP(w, r)
	})
}

// sentences returns the sentences of the page in a language, as JSON: those of the board and its
// own.
func sentences(language string) string {
	all := board.Sentences(language)
	if err := json.Unmarshal([]byte(mustRead("page/"+language+".json")), &all); err != nil {
		panic(err) // a test parses it
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // strings
	}
	return string(text)
}

// mustRead returns an embedded file.
func mustRead(name string) string {
	text, err := pages.ReadFile(name)
	if err != nil {
		panic(err) // embedded
	}
	return string(text)
}

// script returns the script of the page.
func script() string {
	return "(async () => {\n" + board.Tiles + mustRead("page/data.js") + board.State + board.Draw + mustRead("page/panel.js") + mustRead("page/coach.js") + mustRead("page/play.js") + "})();\n"
}

// file serves an embedded file.
func (s *Sitting) file(name, kind string) http.HandlerFunc { return s.text(kind, mustRead(name)) }

func (s *Sitting) text(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text)
	}
}

// keyed passes requests that have the key of a page and do not come from a foreign page.
func (s *Sitting) keyed(serve func(http.ResponseWriter, *http.Request, audience)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
				http.Error(w, fmt.Sprintf("requests from %q are refused; open the page of this server", origin), http.StatusForbidden)
				return
			}
		}
		key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		a, ok := s.keys[key]
		if !ok {
			http.Error(w, "the key of the page is wrong; open the address that the program printed", http.StatusUnauthorized)
			return
		}
		serve(w, r, a)
	}
}

// gameData is what a page must know before the first message.
type gameData struct {
	board.Description
	// Player is whose page it is, -1 for spectators.
	Player int `json:"player"`
	// Patterns are those of the ruleset that are not switched off.
	Patterns []pricedPattern `json:"patterns"`
	// Family is the name of the family of the rules, Ready the word of the knob of that name.
	Family string `json:"family"`
	Ready  string `json:"ready"`
	// IDs are the first actions of each kind by name.
	IDs map[string]sim.Action `json:"ids"`
	// Coach is set if the page receives advice.
	Coach bool `json:"coach,omitempty"`
}

// pricedPattern is a pattern and what the ruleset says that it counts, empty where a knob of
// another name says it.
type pricedPattern struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Native string `json:"native"`
	Price  string `json:"price"`
	// Yakuman is set if the price is a multiple of a yakuman.
	Yakuman bool `json:"yakuman,omitempty"`
}

// ids are the actions of which the page shows a button, by name.
var ids = map[string]sim.Action{
	"discard": sim.ActDiscard, "discardDrawn": sim.ActDiscardDrawn, "ready": sim.ActReady, "readyDrawn": sim.ActReadyDrawn,
	"chi": sim.ActChi, "chiRed": sim.ActChiRed, "pon": sim.ActPon, "openKan": sim.ActOpenKan, "closedKan": sim.ActClosedKan,
	"addedKan": sim.ActAddedKan, "win": sim.ActWin, "pass": sim.ActPass, "readyNow": sim.ActReadyNow, "nineKinds": sim.ActNineKinds,
	"tenpai": sim.ActTenpai, "noten": sim.ActNoten, "flower": sim.ActFlower, "flowerWin": sim.ActFlowerWin,
	"flowerAward": sim.ActFlowerAward, "cutDebt": sim.ActCutDebt, "endMatch": sim.ActEndMatch, "kita": sim.ActKita,
}

// patterns returns the patterns of the ruleset that are not switched off, with their prices.
func (s *Sitting) patterns() []pricedPattern {
	var list []pricedPattern
	all := s.rules.Patterns()
	for _, k := range s.o.Ruleset.Knobs() {
		prices := k.Prices()
		for i, l := range k.Listings() {
			if i == len(all) {
				break // with four players, patterns of three follow
			}
			p := pricedPattern{ID: all[i].ID, Name: all[i].Name, Native: all[i].Native, Yakuman: all[i].Yakuman}
			switch price := prices[i]; {
			case price.IsSet() && price.Value() == "off":
				continue
			case price.IsSet():
				p.Price = price.Text()
			case l.Listed.Open != 0 && l.Listed.Open != l.Listed.Closed:
				p.Price = fmt.Sprintf("%d, %d", l.Listed.Closed, l.Listed.Open)
			case l.Listed.Closed != 0:
				p.Price = strconv.Itoa(int(l.Listed.Closed))
			}
			list = append(list, p)
		}
	}
	return list
}

// readyMode returns how players declare ready: none, riichi or ding.
func (s *Sitting) readyMode() string {
	k, _ := ruleset.FindKnob(s.o.Ruleset.Knobs(), "ready")
	return k.Text()
}

// serveGame serves what a page must know of the game.
func (s *Sitting) serveGame(w http.ResponseWriter, _ *http.Request, a audience) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(gameData{
		Description: board.Describe(s.rules), Player: int(a.player()), Patterns: s.patterns(), IDs: ids,
		Family: s.o.Ruleset.Family.Name, Ready: s.readyMode(), Coach: s.o.Coach != nil && a != spectators,
	})
}

// serveEvents sends the messages of an audience as server-sent events. A page that connects
// again names the last one it received and gets the rest. A newer page of the same seat ends an
// older one.
func (s *Sitting) serveEvents(w http.ResponseWriter, r *http.Request, a audience) {
	last := int64(0)
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			http.Error(w, fmt.Sprintf("Last-Event-ID %q is no number", id), http.StatusBadRequest)
			return
		}
		last = n
	}
	stream := http.NewResponseController(w)
	var replaced <-chan struct{}
	if a != spectators {
		page := s.seats[a].connect()
		defer s.seats[a].disconnect(page.number)
		replaced = page.replaced
	} else {
		if s.spectators.Add(1) > maxSpectators {
			s.spectators.Add(-1)
			http.Error(w, fmt.Sprintf("there are %d spectators already; come back later", maxSpectators), http.StatusServiceUnavailable)
			return
		}
		defer s.spectators.Add(-1)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		messages, more := s.feeds[a].after(last)
		_ = stream.SetWriteDeadline(time.Now().Add(s.writeTime))
		for _, m := range messages {
			if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", m.id, m.kind, m.data); err != nil {
				return // the page has gone
			}
			last = m.id
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
		case <-replaced:
			_ = stream.SetWriteDeadline(time.Now().Add(s.writeTime))
			_, _ = io.WriteString(w, "event: replaced\ndata: {}\n\n")
			_ = stream.Flush()
			return
		case <-r.Context().Done():
			return
		}
	}
}

// reply is the body of an answer. Action is left out to go on to the next hand. Again is set to
// begin a branch again instead.
type reply struct {
	Question int64 `json:"question"`
	Action   *int  `json:"action"`
	Again    bool  `json:"again"`
}

// serveAnswer takes the answer of a person.
func (s *Sitting) serveAnswer(w http.ResponseWriter, r *http.Request, a audience) {
	if a == spectators {
		http.Error(w, "spectators do not play", http.StatusForbidden)
		return
	}
	seat := s.seats[a]
	// Only answers that are refused count: a flood of them must not keep the program busy.
	if seat.limit.Tokens() < 1 {
		http.Error(w, "too many answers were refused; wait a second", http.StatusTooManyRequests)
		return
	}
	status, err := seat.take(w, r)
	if err != nil {
		seat.limit.Allow()
		http.Error(w, err.Error(), status)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// take takes the answer in the body of a request. The error says why it is refused, with the
// status of the response.
func (s *seat) take(w http.ResponseWriter, r *http.Request) (status int, err error) {
	var body reply
	_, actions := sim.ActionTable(s.seats)
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		return http.StatusBadRequest, fmt.Errorf("the answer cannot be read: %w; it is {\"question\": number, \"action\": number}", err)
	}
	action := goOn
	if body.Again {
		action = startAgain
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
	m := s.games.get(r.PathValue("name"))
	if m == nil {
		http.Error(w, "no such replay", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Security-Policy", replayPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := viewer.Write(w, s.rules, m, s.names(), [sim.NumPlayers]sim.Agent{}, nil); err != nil {
		s.o.Log.Warn("replay", "error", err)
	}
}

// names returns the names of the players.
func (s *Sitting) names() (names [sim.NumPlayers]string) {
	for p, seat := range s.seats {
		names[p] = seat.name
	}
	return names
}
