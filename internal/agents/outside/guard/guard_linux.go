package guard

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/agents/outside/guard/watch"
)

// hold is what a Child has of its guard: the pipes, and the control group as
// [watch.NewGroup] returns it.
type hold struct {
	lifeline, verdict *os.File
	group             string
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
	verdict, verdictEnd, err := os.Pipe()
	if err != nil {
		lifeEnd.Close()
		return err
	}
	defer verdictEnd.Close()
	l := p.Limits
	c.hold.group = watch.NewGroup(l.Processes)
	seconds := (l.CPU + time.Second - 1) / time.Second
	c.cmd = &exec.Cmd{
		Path: "/proc/self/exe",
		Args: append([]string{
			watch.Name, strconv.FormatInt(l.Memory, 10), strconv.FormatInt(int64(seconds), 10), strconv.Itoa(l.Processes), c.hold.group, path,
		}, p.Words...),
		Env: p.Env, Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr,
		ExtraFiles: []*os.File{life, verdictEnd},
		// An interrupt from the terminal must not end the program before its match.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		WaitDelay:   time.Second,
	}
	c.hold.lifeline, c.hold.verdict = lifeEnd, verdict
	if err := c.cmd.Start(); err != nil {
		lifeEnd.Close()
		verdict.Close()
		watch.EndGroup(c.hold.group)
		return err
	}
	return nil
}

func (c *Child) stop() { c.hold.lifeline.Close() }

// status returns how the program ended, as its guard reports; err is how the guard ended.
func (c *Child) status(err error) string {
	defer c.hold.lifeline.Close()
	defer c.hold.verdict.Close()
	watch.EndGroup(c.hold.group) // in case the guard was killed
	// Another process could have opened the pipe through /proc and keep it open.
	_ = c.hold.verdict.SetReadDeadline(time.Now().Add(time.Second))
	text, _ := io.ReadAll(io.LimitReader(c.hold.verdict, 200))
	if len(text) == 0 && err != nil {
		return "its guard was ended: " + err.Error()
	}
	return string(text)
}
