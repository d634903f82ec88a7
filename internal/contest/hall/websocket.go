package hall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The paths at which bots connect.
const (
	validatePath = "/ws/validate"
	rankedPath   = "/ws/ranked"
)

// The time limits of a connection.
const (
	// writeTime is how long a bot may take to read a frame.
	writeTime = 10 * time.Second
	// pingTime is the time between two pings, and for the answer to one.
	pingTime = 20 * time.Second
)

// ServeHTTP implements http.Handler: bots connect to /ws/validate and /ws/ranked with their
// token as a bearer. A refusal has an error in JSON.
func (h *Hall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != validatePath && r.URL.Path != rankedPath {
		refuse(w, http.StatusNotFound, fmt.Errorf("bots connect to %s and %s", validatePath, rankedPath))
		return
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		refuse(w, http.StatusUnauthorized, errors.New("the header Authorization: Bearer TOKEN is missing"))
		return
	}
	bot, validated, err := h.league.RemoteBot(r.Context(), strings.TrimSpace(token))
	switch {
	case errors.Is(err, league.ErrToken):
		refuse(w, http.StatusUnauthorized, errors.New("the token is unknown, or its bot has retired"))
		return
	case err != nil:
		refuse(w, http.StatusInternalServerError, errors.New("the league cannot be read"))
		return
	case r.URL.Path == rankedPath && !validated:
		refuse(w, http.StatusForbidden, errValidate)
		return
	}
	g, err := h.enter(bot)
	if err != nil {
		status := http.StatusServiceUnavailable
		if errors.Is(err, errConnected) {
			status = http.StatusConflict
		}
		refuse(w, status, err)
		return
	}
	defer h.leave(g)
	defer admission.Keep(r)()
	// Accept refuses pages of other origins.
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	f := newFrames(conn)
	h.mu.Lock()
	g.connection = &webConnection{f, h, g}
	h.mu.Unlock()
	h.log(&bot, "connects to %s", r.URL.Path)
	if r.URL.Path == validatePath {
		h.setState(g, validating)
		err := h.validate(&bot, outside.NewRiichiLab(f, h.o.Budget))
		result := struct {
			Type   string `json:"type"`
			Passed bool   `json:"passed"`
			Reason string `json:"reason,omitempty"`
		}{"validation_result", err == nil, ""}
		if err != nil {
			result.Reason = err.Error()
		}
		text, _ := json.Marshal(result) // strings can be written
		h.leave(g)                      // it may connect again as soon as it reads the result
		_ = f.Send(text)                // the bot may have left
		f.close(websocket.StatusNormalClosure, "")
	} else {
		h.setState(g, waiting)
	}
	<-f.gone
	h.log(&bot, "leaves: %v", f.Err())
}

// refuse answers a request with an error.
func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	text, _ := json.Marshal(map[string]string{"error": err.Error()}) // strings can be written
	_, _ = w.Write(append(text, '\n'))                               // the client may have gone
}

// validate plays the match before the first ranked one: under the rules of the league, against
// players that discard each tile that they draw, on walls that no other match has. The error
// states why the bot has not passed.
func (h *Hall) validate(b *league.Bot, p player) error {
	newAgent, err := agents.New("tsumogiri")
	if err != nil {
		return err
	}
	m := sim.Match{Seed: seal.DrawSeed()}
	var times league.Clock
	players := [sim.NumPlayers]sim.Agent{times.Time(p)}
	for i := range h.rules.NumSeats() - 1 {
		players[i+1] = newAgent()
	}
	m.Play(h.rules, &players)
	if len(m.Forfeits) > 0 {
		h.log(b, "does not pass: %s", m.Forfeits[0].Reason)
		return errors.New("forfeit: " + m.Forfeits[0].Reason)
	}
	if reason := p.Explain(); reason != "" { // it left before the end
		return errors.New(reason)
	}
	if err := h.league.SetValidated(context.Background(), b.ID, true); err != nil {
		return errors.New("the result could not be stored")
	}
	h.mu.Lock()
	h.paces[b.ID] = times.Mean()
	h.mu.Unlock()
	h.log(b, "passes and may play ranked matches")
	return nil
}

// webConnection is the connection of a bot over WebSocket.
type webConnection struct {
	frames *frames
	hall   *Hall
	guest  *guest
}

// player implements connection.
func (l *webConnection) player() player { return outside.NewRiichiLab(l.frames, l.hall.o.Budget) }

// beginEnd implements connection: by the protocol a connection is for one match, so the bot may
// connect again as soon as it reads the end of it.
func (l *webConnection) beginEnd() { l.hall.leave(l.guest) }

// endMatch implements connection.
func (l *webConnection) endMatch() bool {
	l.frames.close(websocket.StatusNormalClosure, "")
	return false
}

// dismiss implements connection.
func (l *webConnection) dismiss(why string) {
	_ = l.frames.Send(outside.ErrorMessage(why)) // the bot may have left
	l.frames.close(websocket.StatusPolicyViolation, "")
}

// frames are the frames of a connection. It implements [outside.Frames].
type frames struct {
	conn     *websocket.Conn
	received chan []byte
	gone     chan struct{} // closed when the connection has ended
	once     sync.Once
	mu       sync.Mutex
	err      error // why it has ended
}

// newFrames reads the frames of a connection until it ends.
func newFrames(conn *websocket.Conn) *frames {
	f := &frames{conn: conn, received: make(chan []byte, maxWaiting), gone: make(chan struct{})}
	conn.SetReadLimit(maxFrame)
	go f.read()
	go f.ping()
	return f
}

// read reads frames until the connection ends.
func (f *frames) read() {
	defer close(f.received)
	defer close(f.gone)
	for {
		kind, frame, err := f.conn.Read(context.Background())
		if err != nil {
			f.fail(readError(err))
			return
		}
		if kind != websocket.MessageText {
			frame = nil // is unparseable
		}
		select {
		case f.received <- frame:
		default:
			f.fail(fmt.Errorf("it has sent more than %d frames ahead of its turn", maxWaiting))
			f.close(websocket.StatusPolicyViolation, "too many frames")
			return
		}
	}
}

// readError describes why a read failed.
func readError(err error) error {
	switch status := websocket.CloseStatus(err); {
	case status == websocket.StatusMessageTooBig || strings.Contains(err.Error(), "read limited"):
		return fmt.Errorf("it has sent a frame of more than %d bytes", maxFrame)
	case status >= 0:
		return fmt.Errorf("it has closed the connection with status %d", status)
	}
	return errors.New("the connection is lost")
}

// ping ends a connection whose other side does not answer.
func (f *frames) ping() {
	ticker := time.NewTicker(pingTime)
	defer ticker.Stop()
	for {
		select {
		case <-f.gone:
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(context.Background(), pingTime)
		err := f.conn.Ping(ctx)
		cancel()
		if err != nil {
			f.fail(errors.New("it does not answer pings"))
			_ = f.conn.CloseNow() // it has ended
			return
		}
	}
}

// fail stores why the connection ends, once.
func (f *frames) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

// close closes the connection from this side. It does not wait for the other.
func (f *frames) close(status websocket.StatusCode, reason string) {
	f.once.Do(func() {
		f.fail(errors.New("the match is over"))
		go func() { _ = f.conn.Close(status, reason) }() // it waits for the other side, some seconds
	})
}

// Send implements outside.Frames.
func (f *frames) Send(frame []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if err := f.conn.Write(ctx, websocket.MessageText, frame); err != nil {
		f.fail(errors.New("it has left or does not read its frames"))
		return f.Err()
	}
	return nil
}

// Received implements outside.Frames.
func (f *frames) Received() <-chan []byte { return f.received }

// Err implements outside.Frames.
func (f *frames) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
