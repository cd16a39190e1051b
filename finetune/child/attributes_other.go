//go:build !linux

package child

import "syscall"

// attributes of a child: it leads a process group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
