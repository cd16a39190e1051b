package keeper

import (
	"os/exec"
	"syscall"
	"time"
)

// outputDelay is how long a command that has ended is waited for while others hold its outputs.
const outputDelay = time.Second

// Bound has a command of [exec.CommandContext], and all that it starts in its process group, end
// when its context does: otherwise whatever holds its outputs is waited for, and is left. A Ctrl-C
// on the terminal does not reach them. If the command itself went well, but left others that hold
// its outputs, Run and Output return [exec.ErrWaitDelay].
func Bound(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = outputDelay
}
