package guard

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/sparrowhall/sparrowhall/agents/outside/guard/watch"
)

// hold is what a Child has of its guard.
type hold struct {
	lifeline, verdict *os.File
	group             string // as [watch.NewGroup] returns it
}

func (c *Child) start(p *Program) error {
	path, err := exec.LookPath(p.Words[0])
	if err != nil {
		return err
	}
	life, lifeEnd, err := os.Pipe()
	if err != nil {
		return err
	}
	defer life.Close()
	said, sayEnd, err := os.Pipe()
	if err != nil {
		lifeEnd.Close()
		return err
	}
	defer sayEnd.Close()
	l := p.Limits
	c.group = watch.NewGroup(l.Processes)
	seconds := (l.CPU + time.Second - 1) / time.Second
	c.cmd = &exec.Cmd{
		Path: "/proc/self/exe",
		Args: append([]string{
			watch.Name, strconv.FormatInt(l.Memory, 10), strconv.FormatInt(int64(seconds), 10), strconv.Itoa(l.Processes), c.group, path,
		}, p.Words...),
		Env: p.Env, Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr,
		ExtraFiles: []*os.File{life, sayEnd},
		// An interrupt from the terminal ends the run in order, and the programs
		// with it.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		WaitDelay:   time.Second,
	}
	c.lifeline, c.verdict = lifeEnd, said
	if err := c.cmd.Start(); err != nil {
		lifeEnd.Close()
		said.Close()
		watch.EndGroup(c.group)
		return err
	}
	return nil
}

func (c *Child) stop() { c.lifeline.Close() }

// status returns what the guard says of how the program ended; err is how the
// guard itself did.
func (c *Child) status(err error) string {
	defer c.lifeline.Close()
	defer c.verdict.Close()
	watch.EndGroup(c.group) // what a guard leaves that was ended itself
	// Whoever looks into another's files could keep this one open.
	_ = c.verdict.SetReadDeadline(time.Now().Add(time.Second))
	text, _ := io.ReadAll(io.LimitReader(c.verdict, 200))
	if len(text) == 0 && err != nil {
		return "its guard was ended: " + err.Error()
	}
	return string(text)
}
