package outside

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// room is a listener at which programs that connect by themselves wait for a table:
// mjsonp://ADDRESS/ROOM.
type room struct {
	address, name string
	waiting       chan net.Conn

	mu       sync.Mutex
	users    int
	listener net.Listener
}

// guest is a player by a program that has joined a room.
type guest struct {
	*mjaiPlayer
	room    *room
	started bool
}

// NewMJSONP returns a constructor of players by programs that connect by themselves and speak
// mjai lines. The text is //HOST:PORT/ROOM, with options such as ?timeout=10s after it.
func NewMJSONP(text string) (func() sim.Agent, error) {
	u, err := url.Parse("mjsonp:" + text)
	if err != nil {
		return nil, err
	}
	if u.Port() == "" {
		return nil, fmt.Errorf("%q names no port to listen on; want //HOST:PORT/ROOM, such as //localhost:11600/default", text)
	}
	c := newCommand("mjsonp")
	c.replies = toAll
	if err := c.setAll(u.Query()); err != nil {
		return nil, err
	}
	r := &room{address: u.Host, name: strings.Trim(u.Path, "/"), waiting: make(chan net.Conn, 64)}
	c.words, c.connect = []string{"mjsonp:" + text}, func(ctx context.Context) (net.Conn, error) { return r.next(ctx, c.startup) }
	program := &mjaiProgram{command: c}
	return func() sim.Agent { return &guest{mjaiPlayer: newMJAIPlayer(program), room: r} }, nil
}

// NewGuest returns a player by a program that has joined over a connection and speaks mjai lines.
// It plays match after match and closes the connection if the program forfeits.
func NewGuest(conn net.Conn, b Budget) sim.Listener {
	c := &command{timeout: b.Grace, startup: b.Grace, bank: b.Bank, replies: toAll, kita: mjai.KitaWord}
	c.connect = func(context.Context) (net.Conn, error) {
		if conn == nil {
			return nil, errLeft
		}
		defer func() { conn = nil }()
		return conn, nil
	}
	return newMJAIPlayer(&mjaiProgram{command: c})
}

// Start implements sim.Starter.
func (g *guest) Start(r *ruleset.Rules) error {
	if err := g.mjaiPlayer.Start(r); err != nil {
		return err
	}
	if err := g.room.open(); err != nil {
		return fmt.Errorf("agents: mjsonp: %w", err)
	}
	g.started = true
	return nil
}

// Close implements io.Closer.
func (g *guest) Close() error {
	err := g.mjaiPlayer.bridge.Close()
	if g.started {
		g.started = false
		g.room.leave()
	}
	return err
}

// open adds a user, and listens for the first.
func (r *room) open() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users == 0 {
		l, err := admission.Listen(r.address, admission.AllMachines)
		if err != nil {
			return err
		}
		r.listener = admission.New(l, admission.Limits{Connections: maxConnections, Greets: true})
		go r.accept(r.listener)
	}
	r.users++
	return nil
}

// leave removes a user. The last one closes the listener and all connections that
// have no match.
func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users--; r.users > 0 {
		return
	}
	r.listener.Close()
	for len(r.waiting) > 0 {
		(<-r.waiting).Close()
	}
}

const (
	// joinTime is how long a program may take to join.
	joinTime = 10 * time.Second
	// maxConnections is how many programs may be connected. Beyond it the oldest that has not
	// joined is disconnected.
	maxConnections = 256
)

// accept accepts connections until the listener is closed.
func (r *room) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go r.join(conn)
	}
}

// join greets a program and lets it wait for a table if it names the room.
func (r *room) join(conn net.Conn) {
	if err := r.readJoin(conn); err != nil {
		conn.Close()
		return
	}
	admission.Of(conn).Keep() // as long as it is open
	select {
	case r.waiting <- conn:
	default:
		conn.Close()
	}
}

// readJoin greets a program and reads its answer. The error is that of a program that
// does not join the room.
func (r *room) readJoin(conn net.Conn) error {
	// The program sends nothing more before its match begins.
	name, err := Greet(conn, bufio.NewReaderSize(conn, 4096))
	if errors.Is(err, ErrNoJoin) || err == nil && r.name != "" && name != r.name {
		_, _ = conn.Write(append(ErrorMessage("want join with room "+r.name), '\n')) // it may have left
		return errLeft
	}
	return err
}

// ErrNoJoin is the error of a program that answers the greeting by another message than join.
var ErrNoJoin = errors.New("want join")

// Greet greets a program that has connected by mjsonp, and returns the room that it joins. in
// reads from the connection. The program has ten seconds for its answer.
func Greet(conn net.Conn, in *bufio.Reader) (room string, err error) {
	_ = conn.SetDeadline(time.Now().Add(joinTime)) // of a connection it works
	if _, err := conn.Write([]byte(`{"type":"hello","protocol":"mjsonp","protocol_version":3}` + "\n")); err != nil {
		return "", err
	}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	var join struct{ Type, Room string }
	if err := json.Unmarshal(line, &join); err != nil {
		return "", err
	}
	if join.Type != "join" {
		return "", ErrNoJoin
	}
	return join.Room, conn.SetDeadline(time.Time{})
}

// ErrorMessage returns a message that ends a connection.
func ErrorMessage(text string) []byte {
	message, _ := json.Marshal(map[string]string{"type": "error", "message": text}) // strings can be written
	return message
}

// next returns the connection that has waited longest, and waits for one up to the limit.
func (r *room) next(ctx context.Context, limit time.Duration) (net.Conn, error) {
	select {
	case conn := <-r.waiting:
		return conn, nil
	case <-ctx.Done():
		return nil, errInterrupted
	case <-time.After(limit):
		return nil, fmt.Errorf("%w: no program has connected in %v", errLate, limit)
	}
}
