package away

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
)

// frame is a frame of RiichiLab that is no event, or the members of one beside those of mjai.
type frame struct {
	Type   string           `json:"type"`
	ID     *json.RawMessage `json:"request_id"`
	Status string           `json:"status"`
	Reason string           `json:"reason"`
	Passed bool             `json:"passed"`
	Time   struct {
		Deadline int64 `json:"deadline_ms"`
	} `json:"time"`
	Possible []*mjai.Message `json:"possible_actions"`
}

// RiichiLab plays one match by the frames of RiichiLab, of which it answers the requests. read
// returns io.EOF or a close of the connection at the end.
func RiichiLab(s *Seat, read func() ([]byte, error), write func([]byte) error) error {
	m := &mjaiSeat{Seat: s, kita: mjai.KitaWord}
	limit := s.options.Limit
	defer func() { s.options.Limit = limit }()
	ended := false
	for {
		text, err := read()
		if err != nil {
			m.end()
			if ended {
				err = nil
			}
			return errors.Join(err, s.Err())
		}
		m.event++
		var f frame
		if err := json.Unmarshal(text, &f); err != nil {
			m.refuse(fmt.Errorf("no frame: %w", err))
			continue
		}
		switch f.Type {
		case "request_action":
			if deadline := time.Duration(f.Time.Deadline) * time.Millisecond * 9 / 10; deadline > 0 && (limit == 0 || deadline < limit) {
				s.options.Limit = deadline
			}
			if err := write(m.respond(&f)); err != nil {
				return fmt.Errorf("the other program is gone: %w", err)
			}
		case "action_ack":
			if f.Status != "accepted" {
				m.logf("the answer is %s: %s", f.Status, f.Reason)
			}
		case "validation_result":
			if !f.Passed {
				return fmt.Errorf("validation failed: %s", f.Reason)
			}
			ended = true
		default:
			message, err := mjai.Parse(text)
			if err != nil {
				m.refuse(err)
				continue
			}
			m.message(message)
			ended = ended || message.Type == "end_game"
		}
	}
}

// respond returns the answer to a request.
func (m *mjaiSeat) respond(f *frame) []byte {
	answer := m.dahai // the discard of a reach has a request of its own
	m.dahai = nil
	if answer == nil {
		v, a, asked := m.decide()
		if asked {
			answer, m.dahai = m.translate(v, m.compare(v, a, f.Possible))
		} else if answer = defaultOf(f.Possible); m.matches == 0 && !m.lost {
			m.lose(errors.New("an answer is requested before a match"))
		} else if !m.lost {
			m.logf("an answer is requested where the rules have no choice; it is %s %s", answer.Type, answer.Pai)
		}
	}
	reply := struct {
		*mjai.Message
		ID *json.RawMessage `json:"request_id,omitempty"`
	}{answer, f.ID}
	text, err := json.Marshal(reply)
	if err != nil {
		panic(err) // strings and numbers can be written, and what was read as JSON
	}
	return text
}

// defaultOf returns the pass among the offered answers, else a discard, else the first.
func defaultOf(offer []*mjai.Message) *mjai.Message {
	for _, t := range []string{"none", "dahai", ""} {
		for _, m := range offer {
			if m != nil && (m.Type == t || t == "") {
				return m
			}
		}
	}
	return none
}

// Dial connects to an address: ws://HOST/PATH or wss://HOST/PATH for RiichiLab with a token, and
// mjsonp://HOST:PORT/ROOM for mjai lines, and plays there until the connection ends.
func Dial(ctx context.Context, s *Seat, address, token string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	if u.Scheme == "mjsonp" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
		if err != nil {
			return err
		}
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		return MJAI(s, conn, conn, strings.Trim(u.Path, "/"))
	}
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	conn, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxLine)
	return RiichiLab(s, func() ([]byte, error) {
		_, text, err := conn.Read(ctx)
		return text, err
	}, func(text []byte) error { return conn.Write(ctx, websocket.MessageText, text) })
}
