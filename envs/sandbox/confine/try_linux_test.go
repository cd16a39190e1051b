//go:build amd64 || arm64

package confine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tryMarker makes the test binary the program in a jail: the other arguments are what to try, and
// with what, in turn. It prints a line for each.
const tryMarker = "__try"

// The death signal is a thread's own: that of the one that called execve, on which main begins.
// Without this, what is tried may go on on another one.
func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	Main()

	if len(os.Args) > 2 && os.Args[1] == tryMarker {
		for pair := range slices.Chunk(append(os.Args[2:], ""), 2) {
			if len(pair) == 2 {
				fmt.Println(try(pair[0], pair[1]))
			}
		}

		syscall.Exit(0) // os.Exit waits a second where it looks for races
	}

	os.Exit(m.Run())
}

// try does what a name says and returns how it went: "ok", an error, or what was asked for.
func try(what, with string) string {
	if f := tries[what]; f != nil {
		if err := f(with); err != nil {
			return err.Error()
		}
		return "ok"
	}

	if f := questions[what]; f != nil {
		return f()
	}
	return "there is no " + what
}

var tries = map[string]func(with string) error{
	"read": func(file string) error { return open(file, unix.O_RDONLY) },
	"read truncating": func(file string) error {
		return open(file, unix.O_RDONLY|unix.O_TRUNC)
	},
	"neither":            func(file string) error { return open(file, unix.O_ACCMODE) },
	"neither truncating": func(file string) error { return open(file, unix.O_ACCMODE|unix.O_TRUNC) },
	"nameless":           func(folder string) error { return open(folder, unix.O_ACCMODE|unix.O_TMPFILE) },
	"write":              func(file string) error { return open(file, unix.O_RDWR) },
	"create":             func(file string) error { return open(file+".new", unix.O_RDWR|unix.O_CREAT) },
	"list":               func(folder string) error { return open(folder, unix.O_RDONLY|unix.O_DIRECTORY) },
	"remove":             func(file string) error { return unix.Unlink(file) },
	"chmod":              func(file string) error { return unix.Chmod(file, 0o777) },
	"touch":              func(file string) error { return unix.Utimes(file, make([]unix.Timeval, 2)) },
	"connect": func(port string) error {
		n, err := strconv.Atoi(port)
		if err != nil {
			return err
		}

		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Connect(fd, &unix.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}})
	},
	"datagram": func(port string) error {
		n, err := strconv.Atoi(port)
		if err != nil {
			return err
		}

		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}})
	},
	"signal": func(pid string) error {
		n, err := strconv.Atoi(pid)
		if err != nil {
			return err
		}
		return unix.Kill(n, 0)
	},
	"namespace": func(string) error {
		cmd := exec.Command(os.Args[0], tryMarker, "pair")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		err := cmd.Run()

		var failed *os.PathError
		if errors.As(err, &failed) {
			return failed.Err
		}
		return err
	},
	"memfd": func(string) error {
		_, err := unix.MemfdCreate("x", 0)
		return err
	},
	"ring": func(string) error { // io_uring_setup; EFAULT is the kernel's own answer
		return errno(unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0))
	},
	"clone3": func(string) error { return errno(unix.Syscall(unix.SYS_CLONE3, 0, 0, 0)) },
	"start":  startAndWait,
	"jail":   runJail,
	"pair": func(string) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	},
}

var questions = map[string]func() string{
	"environment": func() string { return strings.Join(os.Environ(), " ") },
	"folder": func() string {
		dir, err := unix.Getwd()
		if err != nil {
			return err.Error()
		}
		return dir
	},
	"descriptors": func() string {
		var found []string

		for fd := range 256 { // the runtime's own are closed on exec
			flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
			if err == nil && flags&unix.FD_CLOEXEC == 0 {
				found = append(found, strconv.Itoa(fd))
			}
		}

		return strings.Join(found, " ")
	},
	"state": func() string {
		privileges, _ := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		var death int32
		unix.Prctl(unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&death)), 0, 0, 0)
		var core unix.Rlimit
		unix.Getrlimit(unix.RLIMIT_CORE, &core)

		session, _ := unix.Getsid(0)
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var caps [2]unix.CapUserData
		unix.Capget(&header, &caps[0])
		rest := caps[0].Effective | caps[0].Permitted | caps[0].Inheritable | caps[1].Permitted

		return fmt.Sprintf("privileges %d, death %v, core %d, leads session %t, capabilities %#x",
			privileges, syscall.Signal(death), core.Max, session == os.Getpid(), rest)
	},
	"old kernel": func() string { return missing(unix.ENOSYS) },
	"container":  func() string { return missing(unix.EPERM) },
	"wait": func() string {
		fmt.Println(os.Getpid())
		unix.Pause()
		return ""
	},
}

// missing says what is missing where the calls of Landlock fail.
func missing(with unix.Errno) string {
	runtime.LockOSThread()

	f := newFilter()
	f.answer(fail(with), unix.SYS_LANDLOCK_CREATE_RULESET)

	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err.Error()
	}

	if err := install(f.otherwise(allow)); err != nil {
		return err.Error()
	}

	j := Jail{Path: os.Args[0]}
	program, err := j.Command(context.Background())

	j.Without = []Wall{Landlock}
	if _, failed := j.Command(context.Background()); failed != nil {
		return failed.Error()
	}
	return fmt.Sprint(program, " ", err)
}

// runJail runs a jail that JSON describes, and shows what its program shows.
func runJail(spec string) error {
	var j Jail
	if err := json.Unmarshal([]byte(spec), &j); err != nil {
		return err
	}

	cmd, err := j.Command(context.Background())
	if err != nil {
		return err
	}

	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}

	syscall.Exit(0)
	return nil
}

// startAndWait starts a program in a jail, lets it say its number, makes threads come and go, and
// says its number.
func startAndWait(binary string) error {
	libraries, err := libraryFolders(binary)
	if err != nil {
		return err
	}

	cmd, err := Jail{Path: binary, Args: []string{tryMarker, "wait"}, Read: libraries}.Command(context.Background())
	if err != nil {
		return err
	}

	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}

	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}

	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		return err
	}

	for range 20 {
		var threads sync.WaitGroup
		for range 10 {
			threads.Go(func() { open("/dev/null", unix.O_RDONLY) })
		}

		threads.Wait()
		runtime.GC()
	}

	fmt.Println(pid)
	return cmd.Wait()
}

func open(file string, flags int) error {
	_, err := unix.Open(file, flags, 0o600)
	return err
}

func errno(_, _ uintptr, e unix.Errno) error {
	if e != 0 {
		return e
	}
	return nil
}
