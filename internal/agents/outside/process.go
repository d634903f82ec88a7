package outside

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/kballard/go-shellquote"

	"github.com/sparrowhall/sparrowhall/internal/agents/outside/guard"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// command is how to run an external program, and its options. All players by the program share
// it.
type command struct {
	kind    string   // of agent, such as "mjai"
	given   []string // options that have been set
	words   []string
	wrapper []string // words before those of the program
	// timeout is the limit for an answer, startup for the first answer of a new process.
	timeout, startup time.Duration
	bank             time.Duration // more time for the answers of a hand together
	restarts         int           // how often in a match a process that ended is restarted
	replies          replies       // mjai; where it is empty, a probe sets it
	kita             mjai.Kita
	io               string   // botzone: "json" or "simple"; where it is empty, a probe sets it
	tries            int      // llm: requests for a decision
	tokens           int64    // llm: what the answers of a match may take, 0 for any number
	log              string   // llm: file for counts, "" for none
	tls              bool     // grpc
	env              []string // variables that the program sees besides inherited
	limits           guard.Limits
	dialogue         *dialogue // if not nil, records the lines
	// connect, if not nil, replaces starting the program.
	connect func(ctx context.Context) (net.Conn, error)
}

// probed is the result of a probe: whether and how a program replies.
type probed struct {
	mu   sync.Mutex
	done bool
	err  error // why the program cannot be used
}

// once calls probe unless that was done before, and returns its error. The result of a probe
// that was interrupted is dropped.
func (p *probed) once(ctx context.Context, probe func(context.Context) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return p.err
	}
	err := probe(ctx)
	if ctx.Err() != nil {
		return errInterrupted
	}
	p.done, p.err = true, err
	return err
}

// inherited are the environment variables of every program. Others, such as tokens, are
// kept from it unless the option env names them.
var inherited = func() []string {
	names := []string{"PATH", "HOME", "LANG", "TMPDIR"}
	if runtime.GOOS == "windows" {
		names = append(names, "PATHEXT", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE")
	}
	return names
}()

func (c *command) environment() []string {
	env := []string{}
	for _, name := range slices.Concat(inherited, c.env) {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// playerWord is replaced by the number of the player, 0 to 3, in a command.
const playerWord = "{player}"

// parseCommand parses options of a kind of agent and a command: such as timeout=10s, then the
// program and its arguments, split as by a shell.
func parseCommand(kind, text string) (*command, error) {
	words, err := shellquote.Split(text)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	c := newCommand(kind)
	for len(words) > 0 {
		name, value, ok := strings.Cut(words[0], "=")
		if !ok {
			break
		}
		if err := c.set(name, value); err != nil {
			return nil, err
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, errors.New("names no program; write its command after the colon")
	}
	// A wrapper may run the program elsewhere, such as in a container.
	if c.words = words; c.wrapper == nil {
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *command) String() string { return strings.Join(c.words, " ") }

// arguments returns the words to execute for a player.
func (c *command) arguments(p sim.Player) []string {
	words := slices.Concat(c.wrapper, c.words)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], playerWord, strconv.Itoa(int(p)))
	}
	return words
}

// Errors that end the dialogue with a process.
var (
	errLate = errors.New("no answer in time")
	errDied = errors.New("the program has ended")
	errLeft = fmt.Errorf("%w, or its connection", errDied)
	errLong = errors.New("the line is too long")
)

// maxLine is the longest line that is read from a process, in bytes.
const maxLine = 1 << 20

// process is a running program that exchanges lines on its standard input and output. It is
// used by one goroutine.
type process struct {
	command  []string
	child    *guard.Child // nil for a program that has connected by itself
	in       io.WriteCloser
	out      io.ReadCloser
	lines    *bufio.Reader
	stderr   tail      // the end of its standard error
	dialogue *dialogue // if not nil, records the lines
	stop     sync.Once
	ctx      context.Context // its end kills the process
	bank     time.Duration   // what is left in this hand
}

// start starts the program for a player. When ctx ends during an exchange, the process is
// killed.
func (c *command) start(ctx context.Context, player sim.Player) (*process, error) {
	p := &process{command: c.arguments(player), dialogue: c.dialogue, ctx: ctx, bank: c.bank}
	if c.connect != nil {
		conn, err := c.connect(ctx)
		if err != nil {
			return nil, err
		}
		p.in, p.out, p.lines = conn, conn, bufio.NewReaderSize(conn, maxLine)
		return p, nil
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	p.child, err = guard.Start(&guard.Program{
		Words: p.command, Env: c.environment(), Stdin: theirIn, Stdout: theirOut, Stderr: &p.stderr, Limits: c.limits,
	})
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	p.in, p.out, p.lines = in, out, bufio.NewReaderSize(out, maxLine)
	return p, nil
}

// within calls f and kills the process when the limit and the bank have passed or the run is
// interrupted. What f takes above the limit is taken from the bank.
func (p *process) within(limit time.Duration, f func() error) error {
	start, all := time.Now(), limit+p.bank
	timer := time.AfterFunc(all, p.kill)
	spare := context.AfterFunc(p.ctx, p.kill)
	err := f()
	inTime := timer.Stop()
	p.bank -= min(max(0, time.Since(start)-limit), p.bank)
	if !spare() {
		return errInterrupted
	}
	if !inTime {
		return fmt.Errorf("%w: %v", errLate, all)
	}
	return err
}

// send writes lines, each ended by a newline.
func (p *process) send(lines []byte) error {
	halves := [][]byte{lines}
	if d := p.dialogue; d != nil {
		if d.sent(lines); d.slow {
			halves = [][]byte{lines[:len(lines)/2], lines[len(lines)/2:]}
		}
	}
	for i, half := range halves {
		if i > 0 {
			time.Sleep(pause)
		}
		if _, err := p.in.Write(half); err != nil {
			return p.died()
		}
	}
	return nil
}

// receive reads the next line that is not blank.
func (p *process) receive() ([]byte, error) {
	for {
		line, err := p.lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, errLong
		case err != nil && len(bytes.TrimSpace(line)) == 0:
			return nil, p.died()
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if p.dialogue != nil {
				p.dialogue.heard(line)
			}
			return line, nil
		}
	}
}

// died waits for the end of the program and returns how it ended, as an errDied.
func (p *process) died() error {
	p.finish()
	err := errDied
	if p.child == nil {
		return err
	}
	if how := p.child.Status(); how != "" {
		err = fmt.Errorf("%w: %s", errDied, how)
	}
	if said := p.stderr.String(); said != "" {
		err = fmt.Errorf("%w; it last said: %s", err, said)
	}
	return err
}

// kill ends the program and all processes that it has started. It may be called more than
// once and from any goroutine.
func (p *process) kill() {
	p.stop.Do(func() {
		p.in.Close()
		p.out.Close()
		if p.child != nil {
			p.child.Kill()
		}
	})
}

// grace is how long a program may take to end by itself.
const grace = time.Second

// finish closes the input of the program and gives it grace to end by itself.
func (p *process) finish() {
	p.stop.Do(func() {
		p.in.Close()
		if p.child == nil {
			return
		}
		// A full pipe would keep it from ending.
		go io.Copy(io.Discard, p.out)
		select {
		case <-p.child.Ended():
		case <-time.After(grace):
		}
		p.child.Kill()
		p.out.Close()
	})
}

// tail is a writer that keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if n := len(t.text) - 4096; n > 0 {
		t.text = t.text[n:]
	}
	return len(b), nil
}

// String returns the last line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return shorten(lines[len(lines)-1])
}

// shorten makes a quoted text short and printable.
func shorten(text string) string {
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "..."
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// reason returns why there is no answer to a request, with the legal actions.
func reason(asked string, v sim.View, err error) string {
	text := fmt.Sprintf("asked by %s: %v", strings.TrimSpace(asked), err)
	if illegal := (*record.IllegalError)(nil); !errors.As(err, &illegal) {
		text += "; legal: " + v.Legal().String()
	}
	return text
}
