package hall

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/agents/outside"
	"github.com/sparrowhall/sparrowhall/league"
)

// joinTime is how long a bot may take to join.
const joinTime = 10 * time.Second

// ServeMJSONP lets bots in that connect to a listener and speak mjai lines, until the listener
// is closed. The room that a bot joins is its token. A bot that has not validated plays that
// match first; its connection then stays for ranked matches.
func (h *Hall) ServeMJSONP(l net.Listener) error {
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil: // such as too many open files
			time.Sleep(100 * time.Millisecond)
			continue
		}
		go h.serveLine(conn)
	}
}

// serveLine serves a bot over mjsonp until it leaves.
func (h *Hall) serveLine(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, maxFrame)
	g, validated, err := h.join(conn, in)
	if err != nil {
		text, _ := json.Marshal(map[string]string{"type": "error", "message": err.Error()}) // strings can be written
		_, _ = conn.Write(append(text, '\n'))                                               // the bot may have left
		return
	}
	defer h.leave(g)
	l := &textLine{hall: h, guest: g, conn: conn, in: in, gone: make(chan struct{})}
	l.playing = outside.NewGuest(l.pipe(), h.o.Budget).(player)
	h.mu.Lock()
	g.line = l
	h.mu.Unlock()
	h.log(&g.bot, "connects by mjsonp")
	if !validated {
		h.set(g, validating)
		if err := h.validate(&g.bot, l.playing); err != nil {
			l.send(err.Error())
			return
		}
	}
	l.watch()
	h.set(g, waiting)
	<-l.gone
	h.log(&g.bot, "leaves")
}

// join greets a bot and lets it in.
func (h *Hall) join(conn net.Conn, in *bufio.Reader) (*guest, bool, error) {
	_ = conn.SetDeadline(time.Now().Add(joinTime)) // of a connection it works
	if _, err := conn.Write([]byte(`{"type":"hello","protocol":"mjsonp","protocol_version":3}` + "\n")); err != nil {
		return nil, false, err
	}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, false, errors.New("want join with the token as the room")
	}
	var join struct{ Type, Room string }
	if err := json.Unmarshal(line, &join); err != nil || join.Type != "join" {
		return nil, false, errors.New("want join with the token as the room")
	}
	bot, validated, err := h.league.RemoteBot(context.Background(), join.Room)
	switch {
	case errors.Is(err, league.ErrToken):
		return nil, false, errors.New("the room is no token of a bot")
	case err != nil:
		return nil, false, errors.New("the league cannot be read")
	}
	g, err := h.enter(bot)
	if err != nil {
		return nil, false, err
	}
	return g, validated, conn.SetDeadline(time.Time{})
}

// textLine is the line of a bot over mjsonp.
type textLine struct {
	hall    *Hall
	guest   *guest
	conn    net.Conn
	in      *bufio.Reader
	playing player // of all matches

	gone chan struct{} // closed when the bot has left
	once sync.Once
	// watched is closed when watch has ended.
	watched chan struct{}
}

// watch finds out that a waiting bot leaves, or sends what it was not asked for.
func (l *textLine) watch() {
	l.watched = make(chan struct{})
	go func() {
		defer close(l.watched)
		_, err := l.in.Peek(1)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return // a match begins
		}
		l.close()
	}()
}

// player implements line.
func (l *textLine) player() player {
	_ = l.conn.SetReadDeadline(time.Now()) // ends watch
	<-l.watched
	_ = l.conn.SetReadDeadline(time.Time{})
	return l.playing
}

// end implements line.
func (l *textLine) end() bool {
	select {
	case <-l.gone:
		return false
	default:
	}
	l.watch()
	return true
}

// send implements line.
func (l *textLine) send(why string) {
	text, _ := json.Marshal(map[string]string{"type": "error", "message": why}) // strings can be written
	_ = l.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = fmt.Fprintf(l.conn, "%s\n", text) // the bot may have left
	l.close()
}

// close closes the connection.
func (l *textLine) close() {
	l.once.Do(func() {
		close(l.gone)
		l.conn.Close()
		l.hall.leave(l.guest)
	})
}

// pipe returns the connection for a player, whose end of it ends the line.
func (l *textLine) pipe() net.Conn { return &pipe{l.conn, l} }

// pipe is a connection that is read by the reader of its line.
type pipe struct {
	net.Conn
	line *textLine
}

// Read implements net.Conn.
func (p *pipe) Read(b []byte) (int, error) { return p.line.in.Read(b) }

// Close implements net.Conn.
func (p *pipe) Close() error {
	p.line.close()
	return nil
}
