//go:build amd64 || arm64

package confine

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Filter returns the seccomp filter that a process puts on itself before it runs a snippet: an
// array of struct sock_filter, which allows what a computing program needs. Before that, the
// process writes its own number, as a uint32 in the machine's byte order, to the offsets in pids.
//
// The walls in without are missing. Without Landlock, the filter refuses to open any file for
// writing; without Seccomp, there is no filter, and program is nil.
func Filter(without ...Wall) (program []byte, pids []int) {
	if slices.Contains(without, Seccomp) {
		return nil, nil
	}

	f := allowList(!slices.Contains(without, Landlock))

	instructions, err := f.assemble()
	if err != nil {
		panic(err) // it is the same filter on every machine of a kind
	}

	for _, s := range instructions {
		program = binary.NativeEndian.AppendUint16(program, s.Code)
		program = append(program, s.Jt, s.Jf)
		program = binary.NativeEndian.AppendUint32(program, s.K)
	}

	for _, at := range f.own {
		pids = append(pids, at*int(unsafe.Sizeof(unix.SockFilter{}))+int(unsafe.Offsetof(unix.SockFilter{}.K)))
	}
	return program, pids
}

// allowList returns what a computing program may do: use memory, timers and pipes of its own, and
// read files; everything else fails.
//
// To find the call that something fails for, run it under `strace -f -Z -o trace`, which sees what
// a filter answers, and look for EPERM in the trace. A call that reaches nothing but the process
// itself can be added to computing.
func allowList(landlocked bool) *filter {
	f := newFilter()
	f.answer(allow, computing...)
	f.answer(allow, computingLegacy...)

	eperm := fail(unix.EPERM)

	// No process, and no thread: no limit counts the threads of root, and with small stacks tens of
	// thousands fit into the memory that a program may have, which is all the numbers for processes
	// that many machines have.
	f.answer(eperm, unix.SYS_CLONE)
	f.answer(fail(unix.ENOSYS), unix.SYS_CLONE3) // C libraries then try clone

	// abort() ends in one of these.
	abort := []uint32{uint32(unix.SIGABRT)}
	f.rule(unix.SYS_KILL, allow, eperm, condition{arg: 0, own: true}, condition{arg: 1, is: abort})
	f.rule(unix.SYS_TKILL, allow, eperm, condition{arg: 0, own: true}, condition{arg: 1, is: abort})
	f.rule(unix.SYS_TGKILL, allow, eperm,
		condition{arg: 0, own: true}, condition{arg: 2, is: abort})

	// Limits can be read, not changed, and only one's own.
	f.rule(unix.SYS_PRLIMIT64, allow, eperm, condition{arg: 0, is: zero},
		condition{arg: 2, is: zero}, condition{arg: 2, upper: true, is: zero})

	// Not F_SETOWN and F_SETSIG, by which a descriptor sends signals to any process, and no locks
	// or leases.
	f.rule(unix.SYS_FCNTL, allow, eperm, condition{arg: 1, is: []uint32{
		unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
		unix.F_GETPIPE_SZ,
	}})
	// Not EPERM: a file that is no terminal says the same, and programs then go on.
	f.rule(unix.SYS_IOCTL, allow, fail(unix.ENOTTY), condition{arg: 1, is: []uint32{
		unix.TCGETS, unix.TIOCGWINSZ, unix.TIOCINQ, fioNonBlocking, fioClose, fioNoClose,
	}})
	f.rule(unix.SYS_PRCTL, allow, eperm,
		condition{arg: 0, is: []uint32{unix.PR_SET_NAME, unix.PR_GET_NAME}})

	// Pairs of sockets, without an address to send to.
	f.rule(unix.SYS_SOCKETPAIR, allow, eperm, streams...)
	f.rule(unix.SYS_SENDTO, allow, eperm,
		condition{arg: 4, is: zero}, condition{arg: 4, upper: true, is: zero})

	f.answer(fail(unix.EACCES), changing...)
	f.answer(fail(unix.EACCES), changingLegacy...)
	f.answer(fail(unix.EACCES), leading...)
	f.answer(fail(unix.EACCES), leadingLegacy...)

	if landlocked {
		f.opening(forUse)
	} else {
		f.opening(condition{mask: unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC | tmpfile, is: zero})
	}

	return f.otherwise(eperm)
}

// FIONBIO, FIOCLEX, and FIONCLEX.
const (
	fioNonBlocking = 0x5421
	fioClose       = 0x5451
	fioNoClose     = 0x5450
)

var zero = []uint32{0}

// computing are the calls that are allowed whatever their arguments.
var computing = []uint32{
	// Descriptors.
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64,
	unix.SYS_PREADV,
	unix.SYS_PWRITEV, unix.SYS_PREADV2, unix.SYS_PWRITEV2, unix.SYS_LSEEK, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE,
	unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2, unix.SYS_FSTAT, unix.SYS_FADVISE64, unix.SYS_PPOLL, unix.SYS_PSELECT6,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2, unix.SYS_RECVFROM,
	unix.SYS_GETSOCKNAME,
	// Files, which an import looks for.
	unix.SYS_NEWFSTATAT, unix.SYS_STATX, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_GETDENTS64, unix.SYS_GETCWD,
	// Memory.
	unix.SYS_BRK, unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE,
	// Threads.
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ, unix.SYS_SCHED_YIELD,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETCPU, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	// Signals to oneself, which timers send.
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPENDING,
	unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_RT_SIGSUSPEND, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETITIMER, unix.SYS_SETITIMER,
	// Time, chance, and who one is.
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP, unix.SYS_GETTIMEOFDAY,
	unix.SYS_TIMES, unix.SYS_GETRUSAGE, unix.SYS_GETRANDOM, unix.SYS_GETPID, unix.SYS_GETPPID,
	unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_GETRESUID,
	unix.SYS_GETRESGID, unix.SYS_GETGROUPS, unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_UMASK,
}

// leading are the calls that follow a path, or change to it, without opening it: Landlock does not
// see them.
var leading = []uint32{unix.SYS_READLINKAT, unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_STATFS}
