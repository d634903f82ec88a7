package hall

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
)

// ServeMJSONP serves bots that connect to a listener and speak mjai lines, until the listener
// is closed. The room that a bot joins is its token. A bot that has not validated plays the
// validation match first; its connection then serves for ranked matches.
func (h *Hall) ServeMJSONP(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		} else if err != nil {
			return err
		}
		go h.serveMJSONP(conn)
	}
}

// serveMJSONP serves a bot over mjsonp until it leaves.
func (h *Hall) serveMJSONP(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, maxFrame)
	g, validated, err := h.join(conn, in)
	if err != nil {
		_, _ = conn.Write(append(outside.ErrorMessage(err.Error()), '\n')) // the bot may have left
		return
	}
	defer h.leave(g)
	defer admission.Of(conn).Keep()()
	l := &mjsonpConnection{hall: h, guest: g, conn: conn, in: in, gone: make(chan struct{})}
	l.playing = outside.NewGuest(&pipe{conn, l}, h.o.Budget).(player)
	h.mu.Lock()
	g.connection = l
	h.mu.Unlock()
	h.log(&g.bot, "connects by mjsonp")
	if !validated {
		h.setState(g, validating)
		if err := h.validate(&g.bot, l.playing); err != nil {
			l.dismiss(err.Error())
			return
		}
	}
	l.watch()
	h.setState(g, waiting)
	<-l.gone
	h.log(&g.bot, "leaves")
}

// join greets a bot and adds it to the guests. It reports whether the bot has validated.
func (h *Hall) join(conn net.Conn, in *bufio.Reader) (*guest, bool, error) {
	token, err := outside.Greet(conn, in)
	if err != nil {
		return nil, false, errors.New("want join with the token as the room")
	}
	bot, validated, err := h.league.RemoteBot(context.Background(), token)
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
	return g, validated, nil
}

// mjsonpConnection is the connection of a bot over mjsonp.
type mjsonpConnection struct {
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

// watch closes the connection if the waiting bot leaves, or sends anything between matches.
func (l *mjsonpConnection) watch() {
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

// player implements connection.
func (l *mjsonpConnection) player() player {
	_ = l.conn.SetReadDeadline(time.Now()) // ends watch
	<-l.watched
	_ = l.conn.SetReadDeadline(time.Time{})
	return l.playing
}

// beginEnd implements connection: the connection stays.
func (l *mjsonpConnection) beginEnd() {}

// endMatch implements connection.
func (l *mjsonpConnection) endMatch() bool {
	select {
	case <-l.gone:
		return false
	default:
	}
	l.watch()
	return true
}

// dismiss implements connection.
func (l *mjsonpConnection) dismiss(why string) {
	_ = l.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = l.conn.Write(append(outside.ErrorMessage(why), '\n')) // the bot may have left
	l.close()
}

// close closes the connection.
func (l *mjsonpConnection) close() {
	l.once.Do(func() {
		close(l.gone)
		l.conn.Close()
		l.hall.leave(l.guest)
	})
}

// pipe is the end of a mjsonpConnection that a player reads, through the buffer, and closes.
type pipe struct {
	net.Conn
	connection *mjsonpConnection
}

// Read implements net.Conn.
func (p *pipe) Read(b []byte) (int, error) { return p.connection.in.Read(b) }

// Close implements net.Conn.
func (p *pipe) Close() error {
	p.connection.close()
	return nil
}
