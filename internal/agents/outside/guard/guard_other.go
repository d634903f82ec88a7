//go:build !linux

package guard

import (
	"errors"
	"os/exec"
	"time"
)

type hold struct{}

func (c *Child) start(p *Program) error {
	if p.Limits != (Limits{}) {
		return errors.New("memory, cpu and processes are limited on Linux only")
	}
	c.cmd = exec.Command(p.Words[0], p.Words[1:]...)
	c.cmd.Env, c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = p.Env, p.Stdin, p.Stdout, p.Stderr
	c.cmd.WaitDelay = time.Second
	group(c.cmd)
	return c.cmd.Start()
}

func (c *Child) stop() { kill(c.cmd) }

func (c *Child) status(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
