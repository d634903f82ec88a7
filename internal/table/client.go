package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Bounds on requests.
const (
	maxBody    = 1 << 10 // bytes of an answer
	maxRate    = 20      // refused answers of a seat in a second
	maxReading = 8       // answers of a seat that are being received
)

const writeTime = 20 * time.Second

// site serves the files of the page and streams of events.
type site struct {
	// writeTime is the time in which a client must read a response or message.
	writeTime time.Duration
}

// answerBody is the body of an answer. Action is left out to go on to the next hand. Again is set
// to begin a branch again instead.
type answerBody struct {
	Question int64 `json:"question"`
	Action   *int  `json:"action"`
	Again    bool  `json:"again"`
}

// The statuses of an answer, which the page reads: those of HTTP.
const (
	accepted   = 204
	unreadable = 400
	unknown    = 401
	late       = 409
	refused    = 422
)

// readBody reads the body of a request.
func readBody(text io.Reader, body any) error {
	decoder := json.NewDecoder(text)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(body)
	if err == nil && decoder.More() {
		err = errors.New("more follows after it")
	}
	return err
}

// acceptAnswer reads an answer of the page with a key and passes it on. The error states why
// the answer is refused, with the status of the response.
func (s *seat) acceptAnswer(key string, text io.Reader) (status int, err error) {
	var body answerBody
	_, actions := sim.ActionTable(s.seats)
	if err := readBody(text, &body); err != nil {
		return unreadable, fmt.Errorf("the answer cannot be read: %w; it is {\"question\": number, \"action\": number}", err)
	}
	action := nextHand
	if body.Again {
		action = restartBranch
	}
	if body.Action != nil {
		if *body.Action < 0 || *body.Action >= actions {
			return refused, fmt.Errorf("%d is no action; allowed: 0 to %d", *body.Action, actions-1)
		}
		action = sim.Action(*body.Action)
	}
	switch err := s.answer(key, body.Question, action); {
	case errors.Is(err, errWrongKey):
		return unknown, err
	case errors.Is(err, errNotOpen):
		return late, err
	case err != nil:
		return refused, err
	}
	return accepted, nil
}

// names returns the names that pages show.
func (s *Sitting) names() (names [sim.NumPlayers]string) {
	for p, seat := range s.seats {
		seat.mu.Lock()
		names[p] = seat.name
		seat.mu.Unlock()
	}
	return names
}

// describe returns the description of the game for an audience.
func (s *Sitting) describe(a audience) gameData {
	d := describe(s.o.Ruleset, s.rules)
	d.Player, d.Lobby = int(a.player()), a == lobby
	if a < spectators {
		d.Coach, d.Share = s.o.Coach != nil, s.shareKey
	}
	return d
}

// Progress is a match in progress: its number and the actions so far.
type Progress struct {
	Match   uint64       `json:"match"`
	Actions []sim.Action `json:"actions"`
}

// Progress returns the match in progress, for Options.Resume of a later sitting with the same seed.
func (s *Sitting) Progress() Progress {
	s.progressing.Lock()
	defer s.progressing.Unlock()
	return Progress{s.progress.Match, slices.Clone(s.progress.Actions)}
}

func (s *Sitting) begin(match uint64) {
	s.progressing.Lock()
	defer s.progressing.Unlock()
	s.progress = Progress{Match: match}
}

func (s *Sitting) proceed(a sim.Action) {
	s.progressing.Lock()
	defer s.progressing.Unlock()
	s.progress.Actions = append(s.progress.Actions, a)
}

// Client is the table as the page of one player calls it: what Handler offers over HTTP, for a program
// that is in the page itself.
type Client struct {
	s *Sitting
	p sim.Player
}

// Client returns the client of a player for whom no agent plays.
func (s *Sitting) Client(p sim.Player) Client { return Client{s, p} }

// Game returns the description of the game as JSON.
func (c Client) Game() ([]byte, error) { return json.Marshal(c.s.describe(audience(c.p))) }

// Follow sends the messages after the last one that the page has, until ctx ends. Those that come
// together are one text of server-sent events, which the page draws once.
func (c Client) Follow(ctx context.Context, last int64, send func(text string)) {
	page := c.s.seats[c.p].connect(c.s.Key(c.p))
	defer c.s.seats[c.p].disconnect(page.number)
	for {
		messages, more := c.s.feeds[c.p].after(last)
		if n := len(messages); n > 0 {
			send(string(events(messages)))
			last = messages[n-1].id
		}
		select {
		case <-more:
		case <-page.ended:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Answer reads the answer of the player. The status is that of HTTP; the error states why the answer
// is refused.
func (c Client) Answer(text io.Reader) (status int, err error) {
	return c.s.seats[c.p].acceptAnswer(c.s.Key(c.p), text)
}
