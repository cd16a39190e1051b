package confine

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_X86_64
	openLegacy = unix.SYS_OPEN
)

// The calls that newer machines do not have, by the lists they belong to.
var (
	deniedLegacy = []uint32{
		unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS,
		unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE, unix.SYS_QUERY_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_UPROBE,
		unix.SYS_URETPROBE,
	}
	changingLegacy = []uint32{
		unix.SYS_CREAT, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES,
		unix.SYS_FUTIMESAT, unix.SYS_MKNOD, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_UNLINK, unix.SYS_RENAME,
		unix.SYS_LINK, unix.SYS_SYMLINK, unix.SYS_RENAMEAT,
	}
	computingLegacy = []uint32{
		unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_GETDENTS, unix.SYS_PIPE, unix.SYS_DUP2, unix.SYS_POLL,
		unix.SYS_SELECT, unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_ALARM, unix.SYS_PAUSE, unix.SYS_TIME,
		unix.SYS_GETPGRP, unix.SYS_GETRLIMIT,
	}
	leadingLegacy = []uint32{unix.SYS_READLINK}
)
