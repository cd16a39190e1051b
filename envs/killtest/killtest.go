//go:build linux && amd64

// Package killtest traces programs of tests, and kills them with SIGKILL at each of their system
// calls that change a file: a random moment seldom hits the few that matter.
package killtest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Now is called by the program under test: it is killed only after that.
func Now() { _, _ = os.Stdout.Write([]byte("now\n")) }

// EachCall starts the command that make returns, kills it at its first system call after [Now] that
// changes a file, and calls check. Then it starts another one and kills it at the second call, and
// so on, until one ends by itself. The call itself is not carried out.
func EachCall(t *testing.T, make func() *exec.Cmd, check func(call string)) {
	t.Helper()

	for n := 1; ; n++ {
		name, err := killAt(make(), n)
		if err != nil {
			t.Fatal(err)
		}

		if name == "" {
			if n < 3 {
				t.Fatalf("the program made %d calls: nothing was tried", n-1)
			}
			return
		}

		check(fmt.Sprintf("%s, call %d", name, n))
	}
}

// changing are the system calls that change a file. Those that make it durable do not count: what a
// killed process has written stays.
var changing = map[uint64]string{
	unix.SYS_PWRITE64: "pwrite", unix.SYS_WRITE: "write", unix.SYS_FTRUNCATE: "ftruncate", unix.SYS_UNLINK: "unlink",
	unix.SYS_UNLINKAT: "unlinkat", unix.SYS_RENAME: "rename", unix.SYS_RENAMEAT: "renameat",
	unix.SYS_RENAMEAT2: "renameat2", unix.SYS_MKDIRAT: "mkdirat", unix.SYS_OPENAT: "openat", unix.SYS_OPEN: "open",
	unix.SYS_FCHMOD: "fchmod", unix.SYS_SYMLINKAT: "symlinkat", unix.SYS_LINKAT: "linkat",
}

// stop is the relevant part of what the kernel says about a stop at a system call (struct
// ptrace_syscall_info).
type stop struct {
	Op   uint8
	_    [23]byte
	Call uint64
	Args [6]uint64
	_    [8]byte
}

// atEntry is the stop before a call is carried out.
const atEntry = 1

// counts returns the name of a call that changes a file, and reports whether the call is that of
// Now.
func (s *stop) counts() (name string, now bool) {
	name = changing[s.Call]

	switch {
	case s.Op != atEntry || name == "":
		return "", false
	case s.Call == unix.SYS_WRITE:
		// Standard files do not count, and the Go runtime writes to its pipes one byte at a time.
		return map[bool]string{true: name}[s.Args[0] > 2 && s.Args[2] > 8], s.Args[0] == 1
	case s.Call == unix.SYS_OPENAT:
		return map[bool]string{true: name}[s.Args[2]&unix.O_CREAT != 0], false
	case s.Call == unix.SYS_OPEN:
		return map[bool]string{true: name}[s.Args[1]&unix.O_CREAT != 0], false
	}

	return name, false
}

// killAt runs a command, kills it at the nth call that counts, and returns the name of that call,
// or "" if the command ended by itself.
func killAt(cmd *exec.Cmd, n int) (name string, err error) {
	// To the kernel, the tracer is a thread and not the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return "", err
	}

	pid := cmd.Process.Pid

	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return "", err
	}

	// All threads are traced, and the program does not outlive the test.
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		return "", err
	}

	t := &tracer{pid: pid, left: n}

	for thread := pid; ; {
		if signal := t.stopped(thread, status); !t.ended {
			_ = syscall.PtraceSyscall(thread, signal) // an error: it was killed meanwhile
		}

		// Only for threads that this thread traces: other tests have children, too.
		thread, err = syscall.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		if err == syscall.EINTR {
			continue
		}

		if err != nil {
			break // nobody is left
		}
	}

	if t.name == "" && t.exit != 0 {
		return "", fmt.Errorf("the program under test failed: exit status %d", t.exit)
	}
	return t.name, nil
}

// tracer follows a program under test.
type tracer struct {
	pid   int
	now   bool   // it has called Now
	left  int    // calls until it is killed
	name  string // of the call at which it was
	ended bool   // the thread that stopped last has ended
	exit  int    // its exit status
}

// syscallStop marks a stop at a system call.
const syscallStop = syscall.SIGTRAP | 0x80

// stopped handles a thread that stopped, and returns the signal that it continues with.
func (t *tracer) stopped(thread int, status syscall.WaitStatus) (signal int) {
	t.ended = status.Exited() || status.Signaled()

	switch {
	case t.ended:
		if thread == t.pid && status.Exited() {
			t.exit = status.ExitStatus()
		}
		return 0
	case status.StopSignal() == syscallStop:
		t.atCall(thread)
		return 0
	case status.StopSignal() == syscall.SIGTRAP, status.StopSignal() == syscall.SIGSTOP:
		return 0 // a new thread, or a new program
	}

	return int(status.StopSignal())
}

// atCall counts a call, and kills the program at the last one.
func (t *tracer) atCall(thread int) {
	var s stop

	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread),
		unsafe.Sizeof(s), uintptr(unsafe.Pointer(&s)), 0, 0)
	if errno != 0 || t.name != "" {
		return
	}

	name, now := s.counts()

	switch {
	case now:
		t.now = true
	case t.now && name != "":
		if t.left--; t.left == 0 {
			t.name = name
			_ = syscall.Kill(t.pid, syscall.SIGKILL)
		}
	}
}
