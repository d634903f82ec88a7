// Package guard runs programs that nobody vouches for: it can always be told to
// end one, and nothing that the program has started is left running then.
//
// On Linux each program has a process of its own that watches over it, which is
// this executable once more: importing the package is all that is needed for that.
// It adopts whatever the program detaches, and ends all of it when the program has
// ended, when it is told so, and when the process that wanted the program is gone,
// however that came about. Where it may, it puts the program into a control group
// first, which holds all of it together and bounds it from the beginning. On other
// systems the process group of the program is ended.
package guard

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Limits are what a program may take; 0 is no limit. They are known on Linux only.
type Limits struct {
	// Memory is the address space in bytes of each process of the program.
	Memory int64
	// CPU is the processor time of each process of the program.
	CPU time.Duration
	// Processes is how many processes there may be at a time, the program among
	// them. With more, all are ended. What a program becomes until it has been
	// counted is bounded by its control group, where it has one, also if Processes is 0.
	Processes int
}

// Program is what to run and what it is given.
type Program struct {
	// Words are the program, found as by [exec.LookPath], and its arguments.
	Words []string
	// Env is its whole environment, as [os.Environ] writes it.
	Env []string
	// Stdin and Stdout are its ends of two pipes.
	Stdin, Stdout *os.File
	// Stderr is written what the program puts there.
	Stderr io.Writer
	Limits Limits
}

// Child is a program that has been started.
type Child struct {
	cmd *exec.Cmd
	// ended is closed when the program has ended and all it has left running.
	ended chan struct{}
	// said is how it ended; there once ended is closed.
	said string
	kill sync.Once
	hold
}

// patience is how long the end of a program that has been told to end may take.
const patience = 5 * time.Second

// Start starts a program.
func Start(p *Program) (*Child, error) {
	c := &Child{ended: make(chan struct{})}
	if err := c.start(p); err != nil {
		return nil, err
	}
	go func() {
		c.said = c.status(c.cmd.Wait())
		close(c.ended)
	}()
	return c, nil
}

// Ended is closed when the program has ended by itself or by Kill.
func (c *Child) Ended() <-chan struct{} { return c.ended }

// Status waits for the end of the program and returns how that came about, such as
// "exit status 3", empty if it was in order.
func (c *Child) Status() string {
	<-c.ended
	return c.said
}

// Kill ends the program and all that it has started, and waits for that, but never
// long. It may be called at any time, from any goroutine, more than once.
func (c *Child) Kill() {
	c.kill.Do(func() {
		c.stop()
		select {
		case <-c.ended:
		case <-time.After(patience):
			_ = c.cmd.Process.Kill() // it may have ended
		}
	})
}
