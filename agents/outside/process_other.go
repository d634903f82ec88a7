//go:build !unix

package outside

import "os/exec"

func separate(*exec.Cmd) {}

// kill ends the program.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended
