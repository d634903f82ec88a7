//go:build unix

package outside

import (
	"os/exec"
	"syscall"
)

// separate puts the program into a process group of its own, so that an interrupt
// from the terminal, which ends the run in order, does not end it first.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the program and those it has started.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may have ended
