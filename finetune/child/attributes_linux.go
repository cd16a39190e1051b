package child

import "syscall"

// attributes of a child: it leads a process group, and is told to end when this process dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
