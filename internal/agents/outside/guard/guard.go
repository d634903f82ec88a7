// Package guard runs untrusted programs and ends them together with all processes that they
// have started.
//
//	child, err := guard.Start(&guard.Program{Words: words, Stdin: in, Stdout: out, Stderr: log})
//	defer child.Kill()
//	<-child.Ended()
//
// On Linux each program has a guard, a process of this executable: importing the package is
// all that is needed. The guard is a subreaper (prctl(2)), so it adopts what the program
// detaches. It ends all of it when the program has ended, on Kill, and when this process is
// gone, even by a kill signal. Where it may, it puts the program into a control group, which
// bounds the number of processes. On other systems the process group of the program is ended.
package guard

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Limits bound what a program may take; 0 is no limit. They are supported on Linux only.
type Limits struct {
	// Memory is the address space in bytes of each process of the program.
	Memory int64
	// CPU is the CPU time of each process of the program.
	CPU time.Duration
	// Processes is the number of processes at a time, the program included. With more, all are
	// ended. Until they are counted, and if Processes is 0, the control group bounds them.
	Processes int
}

// Program is a program to run.
type Program struct {
	// Words are the program, which [exec.LookPath] finds, and its arguments.
	Words []string
	// Env is its whole environment, as [os.Environ] writes it.
	Env []string
	// Stdin and Stdout are its ends of two pipes.
	Stdin, Stdout *os.File
	// Stderr receives its standard error.
	Stderr io.Writer
	Limits Limits
}

// Child is a program that has been started.
type Child struct {
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the program and all its processes have ended
	reason string        // how it ended; set before ended is closed
	kill   sync.Once
	hold   hold
}

// patience is how long ending a program may take.
const patience = 5 * time.Second

// Start starts a program.
func Start(p *Program) (*Child, error) {
	c := &Child{ended: make(chan struct{})}
	if err := c.start(p); err != nil {
		return nil, err
	}
	go func() {
		c.reason = c.status(c.cmd.Wait())
		close(c.ended)
	}()
	return c, nil
}

// Ended returns a channel that is closed when the program has ended, by itself or by Kill.
func (c *Child) Ended() <-chan struct{} { return c.ended }

// Status waits for the end of the program and returns how it ended, such as "exit status 3",
// or "" for success.
func (c *Child) Status() string {
	<-c.ended
	return c.reason
}

// Kill ends the program and all processes that it has started, and waits for that for a few
// seconds at most. It may be called more than once and from any goroutine.
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
