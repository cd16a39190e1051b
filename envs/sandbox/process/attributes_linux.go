package process

import "syscall"

// attributes of an interpreter without walls: it leads a process group of its own and ends with this process.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
