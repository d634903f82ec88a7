//go:build unix && !linux

package guard

import (
	"os/exec"
	"syscall"
)

// group starts the program in a process group of its own, so that an interrupt from the
// terminal does not end it before its match.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the process group of the program.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may have ended
