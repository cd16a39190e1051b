//go:build amd64 || arm64

package confine

import "golang.org/x/sys/unix"

// newest is the last system call that the lists were made from. What is newer is ENOSYS, as on an
// older kernel: a C library then takes the older way, and a call that the lists do not know is not
// a hole.
const newest = unix.SYS_RSEQ_SLICE_YIELD

// denyList returns the filter that the launcher puts on itself: it denies what no program needs,
// from its first instruction on, but nothing that an interpreter needs to start, or a fork server
// to work.
func denyList() *filter {
	f := newFilter()
	f.answer(fail(unix.EPERM), denied...)
	f.answer(fail(unix.EPERM), deniedLegacy...)
	f.answer(fail(unix.EACCES), changing...)
	f.answer(fail(unix.EACCES), changingLegacy...)
	f.answer(fail(unix.ENOSYS), unix.SYS_CLONE3) // its flags are in memory, where no filter sees them
	f.rule(unix.SYS_CLONE, allow, fail(unix.EPERM), condition{arg: 0, mask: namespaces, is: []uint32{0}})
	f.rule(unix.SYS_IOCTL, fail(unix.EPERM), allow, condition{
		arg: 1,
		is:  []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD, unix.TIOCSCTTY},
	})
	f.rule(unix.SYS_SOCKETPAIR, allow, fail(unix.EPERM), streams...)
	f.opening(forUse)

	return f.otherwise(allow)
}

const namespaces = unix.CLONE_NEWCGROUP | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID |
	unix.CLONE_NEWUSER | unix.CLONE_NEWUTS

// streams is the kind of pair of sockets that leads only to its other end: asyncio wakes itself up
// with one.
var streams = []condition{
	{arg: 0, is: []uint32{unix.AF_UNIX}},
	{arg: 1, mask: ^uint32(unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC), is: []uint32{unix.SOCK_STREAM}},
}

// forUse are the flags of opening that ask to read, to write, or both, and to empty only what is
// opened for writing.
//
// A file can also be opened for neither, by the access mode 3. Landlock lets that pass, whatever
// the file: it opens devices, and with O_TRUNC it empties any file that the user may write, which
// Landlock knows since Linux 6.2 only, as it knows emptying what is opened for reading. A file
// without a name is made before Landlock is asked.
var forUse = condition{mask: unix.O_ACCMODE | unix.O_TRUNC | tmpfile, is: []uint32{
	unix.O_RDONLY, unix.O_WRONLY, unix.O_RDWR, unix.O_TRUNC | unix.O_WRONLY, unix.O_TRUNC | unix.O_RDWR,
}}

const tmpfile = unix.O_TMPFILE &^ unix.O_DIRECTORY // the bit that only O_TMPFILE has

// opening allows to open files with flags that meet a condition. openat2 has its flags in memory.
func (f *filter) opening(flags condition) {
	flags.arg = 2
	f.rule(unix.SYS_OPENAT, allow, fail(unix.EACCES), flags)
	f.answer(fail(unix.ENOSYS), unix.SYS_OPENAT2)

	if openLegacy != 0 {
		flags.arg = 1
		f.rule(openLegacy, allow, fail(unix.EACCES), flags)
	}
}

// denied are the calls that reach beyond the process, or that are there to administer a machine.
var denied = []uint32{
	// The network.
	unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	// Other processes.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PROCESS_MRELEASE, unix.SYS_KCMP, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_GET_ROBUST_LIST,
	// Namespaces and mounts.
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT,
	unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT, unix.SYS_LISTNS,
	// Parts of the kernel with a history of holes.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_FANOTIFY_INIT,
	unix.SYS_FANOTIFY_MARK, unix.SYS_PERSONALITY, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	// Files that no path leads to.
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	// Memory that outlives the process.
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT, unix.SYS_SEMGET, unix.SYS_SEMOP,
	unix.SYS_SEMTIMEDOP,
	unix.SYS_SEMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN,
	unix.SYS_MQ_UNLINK, unix.SYS_MQ_TIMEDSEND, unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_NOTIFY, unix.SYS_MQ_GETSETATTR,
	// The machine, and who one is on it.
	unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_SYSLOG, unix.SYS_VHANGUP, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_SETUID, unix.SYS_SETGID,
	unix.SYS_SETREUID, unix.SYS_SETREGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID, unix.SYS_SETFSUID, unix.SYS_SETFSGID,
	unix.SYS_SETGROUPS, unix.SYS_CAPSET,
}

// changing are the calls that change files by their path. Landlock does not know those of them that
// change what is known of a file, and knows truncate since Linux 6.2 only; for those it knows, the
// error is the one it gives.
var changing = []uint32{
	unix.SYS_TRUNCATE, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_UTIMENSAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
	unix.SYS_MKNODAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT,
	unix.SYS_SYMLINKAT,
}
