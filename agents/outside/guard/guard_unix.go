//go:build unix && !linux

package guard

import (
	"os/exec"
	"syscall"
)

// group starts the program in a process group of its own, so that an interrupt
// from the terminal, which ends the run in order, does not end it first.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the program and those of its group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may have ended
