//go:build linux && amd64

// Package faulttest runs tests as on file systems that lack something: in a process to which the
// kernel denies system calls, as those of networks do.
package faulttest

import (
	"errors"
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

// variable says in the environment what the process of a test lacks.
const variable = "TOOLEVO_TEST_LACKS"

// Without runs a test in another process that lacks something.
func Without(t *testing.T, test func(t *testing.T), lacks ...string) {
	t.Helper()

	if os.Getenv(variable) != "" {
		if err := deny(lacks); err != nil {
			t.Fatal(err)
		}

		test(t)

		return
	}

	parts := strings.Split(t.Name(), "/")
	for i, part := range parts {
		parts[i] = "^" + part + "$"
	}

	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+strings.Join(parts, "/"), "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+strings.Join(lacks, ","))

	said, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "--- PASS: "+t.Name()) {
		t.Fatalf("%v: %s", err, said)
	}
}

// Where struct seccomp_data has the number of a call and the lower halves of its arguments.
const offsetCall = 0

func argument(n uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: 16 + 8*n, Size: 4} }

// refuse answers a call with an error.
func refuse(with unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(with)}
}

// rules deny what is lacked. Each goes on at its end with the number of the call loaded.
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

// deny has the kernel deny what is lacked to all threads of this process, for good.
func deny(lacks []string) error {
	code := []bpf.Instruction{bpf.LoadAbsolute{Off: offsetCall, Size: 4}}
	for _, lack := range lacks {
		code = slices.Concat(code, rules(lack))
	}

	raw, err := bpf.Assemble(append(code, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}))
	if err != nil {
		return err
	}

	// The kernel wants no_new_privs of the thread that asks.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}

	program := unix.SockFprog{Len: uint16(len(raw)), Filter: (*unix.SockFilter)(unsafe.Pointer(&raw[0]))}

	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errors.Join(errors.New("seccomp"), errno)
	}

	return nil
}
