package outside

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// room is where programs that connect by themselves wait for a table:
// mjsonp://ADDRESS/ROOM.
type room struct {
	address, name string
	waiting       chan net.Conn

	mu       sync.Mutex
	users    int
	listener net.Listener
}

// guest is a player outside the program that has come into a room.
type guest struct {
	*mjaiPlayer
	room    *room
	started bool
}

// NewMJSONP returns the factory for programs that connect by themselves and speak
// mjai lines: //HOST:PORT/ROOM, with options such as ?timeout=10s after it.
func NewMJSONP(text string) (func() sim.Agent, error) {
	u, err := url.Parse("mjsonp:" + text)
	if err != nil {
		return nil, err
	}
	if u.Port() == "" {
		return nil, fmt.Errorf("%q names no port to listen on; want //HOST:PORT/ROOM, such as //localhost:11600/default", text)
	}
	c := &command{timeout: 10 * time.Second, startup: time.Minute, restarts: 1, replies: toAll}
	for key, values := range u.Query() {
		switch key {
		case "timeout", "startup":
			if err := c.set(key, values[0], nil); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("option %s is unknown; allowed: timeout, startup", key)
		}
	}
	r := &room{address: u.Host, name: strings.Trim(u.Path, "/"), waiting: make(chan net.Conn, 64)}
	c.words, c.connect = []string{"mjsonp:" + text}, func(over context.Context) (net.Conn, error) { return r.next(over, c.startup) }
	program := &mjaiProgram{command: c}
	return func() sim.Agent { return &guest{mjaiPlayer: newMJAIPlayer(program), room: r} }, nil
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
	err := g.mjaiPlayer.Close()
	if g.started {
		g.started = false
		g.room.leave()
	}
	return err
}

// open listens for one more user.
func (r *room) open() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users == 0 {
		var err error
		if r.listener, err = net.Listen("tcp", r.address); err != nil {
			return err
		}
		go r.receive(r.listener)
	}
	r.users++
	return nil
}

// leave ends the listening with the last user.
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

// receive lets programs in until the listening ends.
func (r *room) receive(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go r.welcome(conn)
	}
}

// welcome lets a program wait that knows the protocol and the room.
func (r *room) welcome(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second)) // of a connection it works
	var join struct{ Type, Room string }
	_, err := conn.Write([]byte(`{"type":"hello","protocol":"mjsonp","protocol_version":3}` + "\n"))
	if err == nil {
		var line []byte
		// A program says nothing more before it is told of its match.
		if line, err = bufio.NewReaderSize(conn, 4096).ReadSlice('\n'); err == nil {
			err = json.Unmarshal(line, &join)
		}
	}
	if err == nil && (join.Type != "join" || r.name != "" && join.Room != r.name) {
		text, _ := json.Marshal("want join with room " + r.name) // a text can be written
		_, _ = fmt.Fprintf(conn, `{"type":"error","message":%s}`+"\n", text)
		err = errDied
	}
	if err != nil {
		conn.Close()
		return
	}
	_ = conn.SetDeadline(time.Time{})
	select {
	case r.waiting <- conn:
	default:
		conn.Close()
	}
}

// next returns the connection of the program that has waited longest.
func (r *room) next(over context.Context, limit time.Duration) (net.Conn, error) {
	select {
	case conn := <-r.waiting:
		return conn, nil
	case <-over.Done():
		return nil, errInterrupted
	case <-time.After(limit):
		return nil, fmt.Errorf("%w: nobody has connected in %v", errLate, limit)
	}
}
