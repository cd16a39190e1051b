//go:build linux && amd64

// Package faulttest runs tests and programs as if on file systems that lack something, like network
// file systems: in a process to which the kernel denies system calls.
package faulttest

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// What a file system may lack.
const (
	Flock        = "flock"         // locks of whole files; ENOSYS
	RecordLocks  = "record locks"  // the locks of POSIX; ENOLCK
	SharedMemory = "shared memory" // of what is mapped for writing; ENODEV
)

// folderVariable is the environment variable with the folder of a test that lacks something.
const folderVariable = "TOOLEVO_TEST_LACKS"

// Without runs a test in another process that lacks something, in a folder that prepare, which may
// be nil, has filled in this process.
func Without(t *testing.T, prepare, test func(dir string), lacks ...string) {
	t.Helper()

	if dir := os.Getenv(folderVariable); dir != "" {
		test(dir)
		return
	}

	dir := t.TempDir()
	if prepare != nil {
		prepare(dir)
	}

	parts := strings.Split(t.Name(), "/")
	for i, part := range parts {
		parts[i] = "^" + part + "$"
	}

	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+strings.Join(parts, "/"), "-test.v")
	cmd.Env = append(os.Environ(), folderVariable+"="+dir)

	said, err := Run(cmd, lacks...)
	if err != nil || !strings.Contains(said, "--- PASS: "+t.Name()) {
		t.Fatalf("%v: %s", err, said)
	}
}

// Run runs a command, and all that it starts, so that it lacks something. It returns the output.
func Run(cmd *exec.Cmd, lacks ...string) (said string, err error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out

	started := make(chan error)
	go func() {
		// A process inherits what is denied to the thread that starts it. That cannot be undone, so
		// nothing else may run on the thread. Nor may it end: what it once started, a sandbox of
		// another test say, would end with it.
		runtime.LockOSThread()

		err := deny(lacks)
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		select {}
	}()

	if err := <-started; err != nil {
		return "", err
	}

	err = cmd.Wait()
	return out.String(), err
}

// The offset in struct seccomp_data of the number of a call.
const offsetCall = 0

func argument(n uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: 16 + 8*n, Size: 4} }

// refuse answers a call with an error.
func refuse(with unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(with)}
}

// rules deny what is lacking. Each ends with the number of the call loaded again.
func rules(lack string) []bpf.Instruction {
	is := func(value uint32, otherwise uint8) bpf.Instruction {
		return bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipFalse: otherwise}
	}
	number := bpf.LoadAbsolute{Off: offsetCall, Size: 4}

	switch lack {
	case Flock:
		return []bpf.Instruction{is(unix.SYS_FLOCK, 1), refuse(unix.ENOSYS)}
	case RecordLocks:
		return []bpf.Instruction{
			is(unix.SYS_FCNTL, 8), argument(1),
			is(unix.F_SETLK, 1), refuse(unix.ENOLCK), is(unix.F_SETLKW, 1), refuse(unix.ENOLCK),
			is(unix.F_OFD_SETLK, 1), refuse(unix.ENOLCK), number,
		}
	}

	return []bpf.Instruction{
		is(unix.SYS_MMAP, 6), argument(2), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.PROT_WRITE, SkipFalse: 3},
		argument(3), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.MAP_SHARED, SkipFalse: 1}, refuse(unix.ENODEV),
		number,
	}
}

// deny makes the kernel deny what is lacking to this thread.
func deny(lacks []string) error {
	code := []bpf.Instruction{bpf.LoadAbsolute{Off: offsetCall, Size: 4}}
	for _, lack := range lacks {
		code = slices.Concat(code, rules(lack))
	}

	raw, err := bpf.Assemble(append(code, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}))
	if err != nil {
		return err
	}

	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}

	program := unix.SockFprog{Len: uint16(len(raw)), Filter: (*unix.SockFilter)(unsafe.Pointer(&raw[0]))}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}
