package table

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	webpage "github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed page
var pages embed.FS

const (
	heartbeat = 15 * time.Second
	writeTime = 20 * time.Second
	// maxSpectators is the number of event streams of spectators, who share one key.
	maxSpectators = 128
)

// site serves the files of the page and streams of events.
type site struct {
	// writeTime is the time in which a client must read a response or message.
	writeTime time.Duration
	// spectators is the number of event streams of spectators.
	spectators atomic.Int64
}

// newMux returns a mux with the files of the page.
func newMux() *http.ServeMux {
	mux := http.NewServeMux()
	file := func(path, kind, text string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
		})
	}
	file("/{$}", "text/html; charset=utf-8", board.MustRead(&pages, "page/index.html"))
	file("/table.css", "text/css; charset=utf-8", string(webpage.ChartStyle+board.Style)+board.MustRead(&pages, "page/table.css"))
	file("/table.js", "text/javascript; charset=utf-8", script())
	for _, l := range board.Languages {
		text, err := json.Marshal(sentences(l))
		if err != nil {
			panic(err) // strings
		}
		file("/"+l+".json", "application/json", string(text))
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

// sentences returns the sentences of the page in a language by key: those of the board, the names
// of patterns, and its own.
func sentences(language string) map[string]string {
	all := board.Sentences(language)
	maps.Copy(all, board.PatternNames(language))
	return board.AddSentences(all, &pages, "page/"+language+".json")
}

func script() string {
	return string(webpage.Chart) + "(async () => {\n" + board.Tiles + board.Language + board.MustRead(&pages, "page/data.js") + board.State + board.Draw + board.MustRead(&pages, "page/panel.js") + board.MustRead(&pages, "page/coach.js") + board.MustRead(&pages, "page/play.js") + "})();\n"
}

// requireKey passes on requests that have the key of a page and do not come from a foreign page.
func requireKey(keys map[string]audience, serve func(http.ResponseWriter, *http.Request, audience)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
				http.Error(w, fmt.Sprintf("requests from %q are refused; open the page of this server", origin), http.StatusForbidden)
				return
			}
		}
		key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		a, ok := keys[key]
		if !ok {
			http.Error(w, "the key of the page is wrong; open the address that the program printed", http.StatusUnauthorized)
			return
		}
		defer admission.Keep(r)()
		serve(w, r, a)
	}
}

// gameData describes a game to its page before the first message.
type gameData struct {
	board.Description
	// Player is the player of the page, -1 for spectators.
	Player int `json:"player"`
	// Patterns are the patterns of the ruleset that are not switched off.
	Patterns []pricedPattern `json:"patterns"`
	// IDs are the first actions of each kind by name.
	IDs map[string]sim.Action `json:"ids"`
	// Coach is set if the page receives advice.
	Coach bool `json:"coach,omitempty"`
	// Watch is set for the page of a gallery.
	Watch *watchData `json:"watch,omitempty"`
}

// pricedPattern is a pattern with its price in the ruleset, which is empty where a knob of
// another name has it.
type pricedPattern struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Native string `json:"native"`
	Price  string `json:"price"`
	// Yakuman is set if the price is a multiple of a yakuman.
	Yakuman bool `json:"yakuman,omitempty"`
}

// actionIDs are the actions of which the page shows a button, by name.
var actionIDs = map[string]sim.Action{
	"discard": sim.ActDiscard, "discardDrawn": sim.ActDiscardDrawn, "ready": sim.ActReady, "readyDrawn": sim.ActReadyDrawn,
	"chi": sim.ActChi, "chiRed": sim.ActChiRed, "pon": sim.ActPon, "openKan": sim.ActOpenKan, "closedKan": sim.ActClosedKan,
	"addedKan": sim.ActAddedKan, "win": sim.ActWin, "pass": sim.ActPass, "readyNow": sim.ActReadyNow, "nineKinds": sim.ActNineKinds,
	"tenpai": sim.ActTenpai, "noten": sim.ActNoten, "flower": sim.ActFlower, "flowerWin": sim.ActFlowerWin,
	"flowerAward": sim.ActFlowerAward, "cutDebt": sim.ActCutDebt, "endMatch": sim.ActEndMatch, "kita": sim.ActKita,
}

// describe returns the description of matches under a ruleset, for spectators. rules are those
// of the ruleset.
func describe(r *configs.Ruleset, rules *ruleset.Rules) gameData {
	return gameData{
		Description: board.Describe(rules), Player: -1, Patterns: patterns(r, rules.Patterns()), IDs: actionIDs,
	}
}

// patterns returns the patterns of a ruleset that are not switched off, with their prices.
func patterns(r *configs.Ruleset, all []ruleset.Pattern) []pricedPattern {
	var list []pricedPattern
	for _, k := range r.Knobs() {
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

// enter admits a spectator to an event stream, or refuses the request. The spectator must leave.
func (s *site) enter(w http.ResponseWriter) bool {
	if s.spectators.Add(1) > maxSpectators {
		s.leave()
		http.Error(w, fmt.Sprintf("there are %d spectators already; come back later", maxSpectators), http.StatusServiceUnavailable)
		return false
	}
	return true
}

func (s *site) leave() { s.spectators.Add(-1) }

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
// events, until the page closes or ended is closed. It then sends the event of that name.
func (s *site) stream(w http.ResponseWriter, r *http.Request, f *feed, last int64, ended <-chan struct{}, name string) {
	stream := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		messages, more := f.after(last)
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
		case <-ended:
			_ = stream.SetWriteDeadline(time.Now().Add(s.writeTime))
			sendEvent(w, name, struct{}{})
			_ = stream.Flush()
			return
		case <-r.Context().Done():
			return
		}
	}
}
