package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"toolevo/envs/keeper"
)

// attributes returns those of the launcher's process, or a keeper's. The signal at the parent's
// death holds until the launcher has set its own; a keeper watches its parent by itself.
func attributes(keeper bool) *syscall.SysProcAttr {
	if keeper {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// launch puts up the walls around this process and becomes the program. It returns only what went
// wrong.
//
// Walls belong to a thread, not to a process. So everything happens on one thread, and it is this
// thread that calls execve, at which the kernel ends all others.
func launch(spec string) error {
	runtime.LockOSThread()

	var j Jail
	if err := json.Unmarshal([]byte(spec), &j); err != nil {
		return fmt.Errorf("read the description of the jail: %w", err)
	}
	// The parent's death signal was set for the first thread, which need not be this one.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("ask to end with the parent: %w", err)
	}

	// Without this the kernel lets only root put up the walls below.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("renounce new privileges: %w", err)
	}

	// The kernel itself writes core dumps, past all walls.
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core dumps: %w", err)
	}

	if j.Dir == "" {
		j.Dir = "/"
	}

	if err := unix.Chdir(j.Dir); err != nil {
		return fmt.Errorf("go to %s: %w", j.Dir, err)
	}

	landlocked := !slices.Contains(j.Without, Landlock)
	if landlocked {
		if err := restrictFiles(j.files(), j.Hide, j.Write, j.Scratch, j.LandlockABI); err != nil {
			return fmt.Errorf("put up %s: %w", Landlock, err)
		}
	}

	if err := dropCapabilities(landlocked); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}

	if err := closeOnExec(); err != nil {
		return fmt.Errorf("close descriptors: %w", err)
	}

	// The filter comes last: it denies calls that the steps above make.
	if !slices.Contains(j.Without, Seccomp) {
		if err := install(denyList()); err != nil {
			return fmt.Errorf("put up %s: %w", Seccomp, err)
		}
	}

	name := j.Path
	if name == keeper.OwnBinary {
		name = keeper.Name
	}

	err := syscall.Exec(j.Path, append([]string{name}, j.Args...), j.Env)
	return fmt.Errorf("start %s: %w: it and what it needs, its dynamic linker and libraries, must "+
		"be among the files it may read", j.Path, err)
}

// hide keeps the user's other processes from reading this one's memory and environment, and the
// system from dumping it.
func hide() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// dropCapabilities makes root an ordinary user who happens to own root's files. If Landlock says
// which files can be opened at all, root keeps the right to read them whoever owns them: the
// interpreter may be another user's.
func dropCapabilities(landlocked bool) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}

	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}

	var keep uint32
	if landlocked {
		keep = 1 << unix.CAP_DAC_READ_SEARCH
	}

	keep &= data[0].Permitted & data[0].Effective
	data = [2]unix.CapUserData{{Permitted: keep, Effective: keep}}
	return unix.Capset(&header, &data[0])
}

// closeOnExec marks all descriptors except the standard ones to be closed at execve. Closing them
// at once could take descriptors away from the Go runtime.
func closeOnExec() error {
	err := unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}

	entries, failed := os.ReadDir("/proc/self/fd") // Linux before 5.11
	if failed != nil {
		return errors.Join(err, failed)
	}

	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}

	return nil
}
