//go:build !linux

package process

import "syscall"

// attributes of an interpreter without walls: it leads a process group of its own.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
