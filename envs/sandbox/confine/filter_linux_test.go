//go:build amd64 || arm64

package confine

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// call is what a filter sees of a system call.
type call struct {
	arch uint32
	nr   uint32
	args [6]uint64
}

// verdict runs a filter on a call, as the kernel would: bpf's machine reads words of network byte
// order, the kernel those of its own.
func verdict(t interface{ Fatal(...any) }, vm *bpf.VM, c call) uint32 {
	words := []uint32{c.nr, c.arch, 0, 0}
	for _, a := range c.args {
		words = append(words, uint32(a), uint32(a>>32))
	}

	var data []byte
	for _, w := range words {
		data = binary.BigEndian.AppendUint32(data, w)
	}

	answer, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(answer)
}

const (
	self = 4711 // the process's number

	isAllowed = unix.SECCOMP_RET_ALLOW
	isKilled  = unix.SECCOMP_RET_KILL_PROCESS
	eperm     = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	eacces    = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	enosys    = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	enotty    = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOTTY)
)

// launchers is the launcher's filter.
func launchers(t *testing.T) *bpf.VM {
	t.Helper()

	vm, err := bpf.NewVM(denyList().code)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

// own is a program's own filter in the process self, as it gets it.
func own(t *testing.T, without ...Wall) *bpf.VM {
	t.Helper()

	program, pids := Filter(without...)
	for _, at := range pids {
		binary.NativeEndian.PutUint32(program[at:], self)
	}

	var code []bpf.Instruction
	for b := range slices.Chunk(program, 8) {
		code = append(code, bpf.RawInstruction{
			Op: binary.NativeEndian.Uint16(b), Jt: b[2], Jf: b[3], K: binary.NativeEndian.Uint32(b[4:]),
		}.Disassemble())
	}

	vm, err := bpf.NewVM(code)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

// pthread are the flags by which C libraries make threads.
const pthread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD |
	unix.CLONE_SYSVSEM |
	unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID

func TestVerdicts(t *testing.T) {
	const here = auditArch
	type args = [6]uint64
	tests := []struct {
		name                     string
		call                     call
		launcher, own, noWriting uint32 // the launcher's filter, a program's own, and a program's own without Landlock
	}{
		{"read", call{here, unix.SYS_READ, args{}}, isAllowed, isAllowed, isAllowed},
		{"no call", call{here, ^uint32(0), args{}}, isKilled, isKilled, isKilled},
		{"x32", call{here, 0x40000000 | unix.SYS_READ, args{}}, isKilled, isKilled, isKilled},
		{"i386", call{unix.AUDIT_ARCH_I386, unix.SYS_READ, args{}}, isKilled, isKilled, isKilled},
		{"arm", call{unix.AUDIT_ARCH_ARM, unix.SYS_READ, args{}}, isKilled, isKilled, isKilled},
		{"a call of the future", call{here, newest + 1, args{}}, enosys, enosys, enosys},
		{"socket", call{here, unix.SYS_SOCKET, args{unix.AF_INET, unix.SOCK_DGRAM}}, eperm, eperm, eperm},
		{"socketpair", call{here, unix.SYS_SOCKETPAIR, args{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}},
			isAllowed, isAllowed, isAllowed},
		{"socketpair of datagrams", call{here, unix.SYS_SOCKETPAIR, args{unix.AF_UNIX, unix.SOCK_DGRAM}}, eperm, eperm,
			eperm},
		{"socketpair of another kind", call{here, unix.SYS_SOCKETPAIR, args{unix.AF_TIPC, unix.SOCK_STREAM}}, eperm,
			eperm, eperm},
		{"send", call{here, unix.SYS_SENDTO, args{5, 6, 7}}, isAllowed, isAllowed, isAllowed},
		{"send to an address", call{here, unix.SYS_SENDTO, args{5, 6, 7, 0, 1 << 40}}, isAllowed, eperm, eperm},
		{"fork", call{here, unix.SYS_CLONE, args{uint64(unix.SIGCHLD)}}, isAllowed, eperm, eperm},
		{"vfork", call{here, unix.SYS_CLONE, args{unix.CLONE_VM | unix.CLONE_VFORK | uint64(unix.SIGCHLD)}}, isAllowed,
			eperm, eperm},
		{"thread", call{here, unix.SYS_CLONE, args{pthread}}, isAllowed, eperm, eperm},
		{"thread with upper bits", call{here, unix.SYS_CLONE, args{1<<32 | pthread}}, isAllowed, eperm, eperm},
		{"thread in a namespace", call{here, unix.SYS_CLONE, args{pthread | unix.CLONE_NEWUSER}}, eperm, eperm, eperm},
		{"process in a namespace", call{here, unix.SYS_CLONE, args{unix.CLONE_NEWNET | uint64(unix.SIGCHLD)}}, eperm,
			eperm, eperm},
		{"clone3", call{here, unix.SYS_CLONE3, args{}}, enosys, enosys, enosys},
		{"execve", call{here, unix.SYS_EXECVE, args{}}, isAllowed, eperm, eperm},
		{"abort", call{here, unix.SYS_TGKILL, args{self, 9, uint64(unix.SIGABRT)}}, isAllowed, isAllowed, isAllowed},
		{"kill oneself", call{here, unix.SYS_KILL, args{self, uint64(unix.SIGKILL)}}, isAllowed, eperm, eperm},
		{"abort another", call{here, unix.SYS_KILL, args{self + 1, uint64(unix.SIGABRT)}}, isAllowed, eperm, eperm},
		{"abort all", call{here, unix.SYS_KILL, args{^uint64(0), uint64(unix.SIGABRT)}}, isAllowed, eperm, eperm},
		{"abort the group", call{here, unix.SYS_KILL, args{0, uint64(unix.SIGABRT)}}, isAllowed, eperm, eperm},
		{"abort by thread", call{here, unix.SYS_TKILL, args{self, uint64(unix.SIGABRT)}}, isAllowed, isAllowed,
			isAllowed},
		{"queue a signal", call{here, unix.SYS_RT_SIGQUEUEINFO, args{self, uint64(unix.SIGABRT)}}, isAllowed, eperm,
			eperm},
		{"read a limit", call{here, unix.SYS_PRLIMIT64, args{0, unix.RLIMIT_CPU, 0, 1 << 33}}, isAllowed, isAllowed,
			isAllowed},
		{"set a limit", call{here, unix.SYS_PRLIMIT64, args{0, unix.RLIMIT_CPU, 1 << 33}}, isAllowed, eperm, eperm},
		{"set a limit, low address", call{here, unix.SYS_PRLIMIT64, args{0, unix.RLIMIT_CPU, 1 << 13}}, isAllowed,
			eperm, eperm},
		{"read another's limit", call{here, unix.SYS_PRLIMIT64, args{1, unix.RLIMIT_CPU}}, isAllowed, eperm, eperm},
		{"setrlimit", call{here, unix.SYS_SETRLIMIT, args{}}, isAllowed, eperm, eperm},
		{"dup", call{here, unix.SYS_FCNTL, args{1, unix.F_DUPFD_CLOEXEC}}, isAllowed, isAllowed, isAllowed},
		{"owner of a descriptor", call{here, unix.SYS_FCNTL, args{1, unix.F_SETOWN, 1}}, isAllowed, eperm, eperm},
		{"signal of a descriptor", call{here, unix.SYS_FCNTL, args{1, unix.F_SETSIG, 9}}, isAllowed, eperm, eperm},
		{"isatty", call{here, unix.SYS_IOCTL, args{1, unix.TCGETS}}, isAllowed, isAllowed, isAllowed},
		{"type for the user", call{here, unix.SYS_IOCTL, args{0, unix.TIOCSTI}}, eperm, enotty, enotty},
		{"type for the user, upper bits", call{here, unix.SYS_IOCTL, args{0, 1<<32 | unix.TIOCSTI}}, eperm, enotty,
			enotty},
		{"name a thread", call{here, unix.SYS_PRCTL, args{unix.PR_SET_NAME}}, isAllowed, isAllowed, isAllowed},
		{"outlive the parent", call{here, unix.SYS_PRCTL, args{unix.PR_SET_PDEATHSIG}}, isAllowed, eperm, eperm},
		{"be dumpable", call{here, unix.SYS_PRCTL, args{unix.PR_SET_DUMPABLE, 1}}, isAllowed, eperm, eperm},
		{"another filter", call{here, unix.SYS_SECCOMP, args{}}, isAllowed, eperm, eperm},
		{"open", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_RDONLY | unix.O_CLOEXEC}}, isAllowed, isAllowed,
			isAllowed},
		{"list", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_RDONLY | unix.O_DIRECTORY}}, isAllowed, isAllowed,
			isAllowed},
		{"open to write", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_WRONLY}}, isAllowed, isAllowed, eacces},
		{"open to write, truncating", call{here, unix.SYS_OPENAT,
			args{0, 0, unix.O_WRONLY | unix.O_CREAT | unix.O_TRUNC}}, isAllowed, isAllowed, eacces},
		{"open for both", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_RDWR}}, isAllowed, isAllowed, eacces},
		{"open to read, creating", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_CREAT}}, isAllowed, isAllowed, eacces},
		{"open to read, truncating", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_TRUNC}}, eacces, eacces, eacces},
		{"open a file without name", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_TMPFILE | unix.O_WRONLY}}, eacces,
			eacces, eacces},
		{"open for neither", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_ACCMODE}}, eacces, eacces, eacces},
		{"open for neither, truncating", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_ACCMODE | unix.O_TRUNC}}, eacces,
			eacces, eacces},
		{"open for neither, without name", call{here, unix.SYS_OPENAT, args{0, 0, unix.O_ACCMODE | unix.O_TMPFILE}},
			eacces, eacces, eacces},
		{"open for neither, upper bits", call{here, unix.SYS_OPENAT, args{0, 0, 1<<32 | unix.O_ACCMODE}}, eacces,
			eacces, eacces},
		{"openat2", call{here, unix.SYS_OPENAT2, args{}}, enosys, enosys, enosys},
		{"unlink", call{here, unix.SYS_UNLINKAT, args{}}, eacces, eacces, eacces},
		{"rename", call{here, unix.SYS_RENAMEAT2, args{}}, eacces, eacces, eacces},
		{"chmod", call{here, unix.SYS_FCHMODAT, args{}}, eacces, eacces, eacces},
		{"truncate", call{here, unix.SYS_TRUNCATE, args{}}, eacces, eacces, eacces},
		{"where a link leads", call{here, unix.SYS_READLINKAT, args{}}, isAllowed, eacces, eacces},
		{"stat", call{here, unix.SYS_NEWFSTATAT, args{}}, isAllowed, isAllowed, isAllowed},
		{"ptrace", call{here, unix.SYS_PTRACE, args{}}, eperm, eperm, eperm},
		{"io_uring", call{here, unix.SYS_IO_URING_SETUP, args{}}, eperm, eperm, eperm},
		{"shared memory", call{here, unix.SYS_SHMGET, args{}}, eperm, eperm, eperm},
		{"memory that is a file", call{here, unix.SYS_MEMFD_CREATE, args{}}, eperm, eperm, eperm},
		{"affinity", call{here, unix.SYS_SCHED_SETAFFINITY, args{}}, isAllowed, eperm, eperm},
		{"watch files", call{here, unix.SYS_INOTIFY_INIT1, args{}}, isAllowed, eperm, eperm},
	}

	filters := []*bpf.VM{launchers(t), own(t), own(t, Landlock)}
	for _, test := range tests {
		for i, want := range []uint32{test.launcher, test.own, test.noWriting} {
			if got := verdict(t, filters[i], test.call); got != want {
				t.Errorf("%s: filter %d answers %#x, want %#x", test.name, i, got, want)
			}
		}
	}
}

// What a program's own filter allows the launcher's allows too, or it would be in vain; and what is
// allowed without Landlock is allowed with it.
func TestFiltersAgree(t *testing.T) {
	launcher, with, without := launchers(t), own(t), own(t, Landlock)
	rapid.Check(t, func(t *rapid.T) {
		argument := rapid.OneOf(rapid.Uint64Range(0, 16), rapid.Uint64(), rapid.SampledFrom([]uint64{
			self, pthread, pthread | unix.CLONE_NEWNS, unix.O_RDWR | unix.O_CREAT, unix.O_TRUNC, unix.O_ACCMODE,
			unix.O_TMPFILE, unix.TIOCSTI, unix.TCGETS, unix.F_SETOWN,
		}))

		c := call{arch: auditArch, nr: rapid.Uint32Range(0, newest+2).Draw(t, "call")}
		for i := range c.args {
			c.args[i] = argument.Draw(t, "argument")
		}

		chain := []uint32{verdict(t, without, c), verdict(t, with, c), verdict(t, launcher, c)}
		for i, answer := range chain[:2] {
			if answer == isAllowed && chain[i+1] != isAllowed {
				t.Fatalf("answers without Landlock, with it, and the launcher's to %+v: %#x", c, chain)
			}
		}
	})
}

// Every list is of calls of its own: a call in two of them would get the answer of the first.
func TestListsAreDisjoint(t *testing.T) {
	seen := make(map[uint32]bool)

	for _, list := range [][]uint32{
		denied, deniedLegacy, changing, changingLegacy, computing, computingLegacy, leading, leadingLegacy,
		{unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_PRLIMIT64,
			unix.SYS_FCNTL,
			unix.SYS_IOCTL, unix.SYS_PRCTL, unix.SYS_SOCKETPAIR, unix.SYS_SENDTO, unix.SYS_OPENAT, unix.SYS_OPENAT2},
	} {
		for _, nr := range list {
			if seen[nr] {
				t.Errorf("call %d is in two lists", nr)
			}

			seen[nr] = true
			if nr > newest {
				t.Errorf("call %d is newer than the newest, %d", nr, newest)
			}
		}
	}
}

func TestFilterWithoutSeccomp(t *testing.T) {
	if program, pids := Filter(Landlock, Seccomp); program != nil || pids != nil {
		t.Errorf("there is a filter of %d bytes", len(program))
	}
}
