package keeper

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// inherited is the file that a keeper holds open and its command does not.
const inherited = 3

// keep runs a command until it or this process's parent ends, and returns the exit status.
func keep(parent string, grace time.Duration, command []string) int {
	runtime.LockOSThread() // a command ends with the thread that started it

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	syscall.CloseOnExec(inherited)

	// Processes that the command leaves behind become this process's children, for endAll to find.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintf(os.Stderr, "keeper: take in what is left behind: %v\n", err)
		return NotStarted
	}

	gone := make(chan struct{})
	if pid, err := strconv.Atoi(parent); err != nil || !watch(pid, gone) {
		return NotStarted // it ended before; nobody is there to tell
	}

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr

	// The command ends even if the keeper itself is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "keeper: start %s: %v\n", command[0], err)
		return NotStarted
	}

	done := make(chan syscall.WaitStatus, 1)
	go reap(cmd.Process.Pid, done)

	var late <-chan time.Time

	for {
		select {
		case <-gone:
			endAll()
			return NotStarted
		case <-signals:
			// The signal has gone to the whole group, so the command has it as well, and gets the
			// grace.
			if late == nil {
				late = time.After(grace)
			}
		case <-late:
			endAll()
		case status := <-done:
			endAll()
			return exitStatus(status)
		}
	}
}

// watch closes a channel when the parent ends, and reports whether it still lives.
func watch(parent int, gone chan<- struct{}) bool {
	fd, err := unix.PidfdOpen(parent, 0)

	go func() {
		defer close(gone)

		for err == nil && os.Getppid() == parent {
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		}

		for os.Getppid() == parent { // a kernel without such files
			<-time.After(100 * time.Millisecond)
		}
	}()
	return os.Getppid() == parent
}

// reap waits for the command and for everything that it leaves behind.
func reap(command int, done chan<- syscall.WaitStatus) {
	for {
		var status syscall.WaitStatus

		pid, err := syscall.Wait4(-1, &status, 0, nil)

		switch {
		case err == syscall.EINTR:
		case err != nil:
			return // nobody is left
		case pid == command:
			done <- status
		}
	}
}

// endAll ends all processes below this one, and returns when they are gone.
func endAll() {
	for {
		left, err := descendants()
		if err != nil {
			_ = syscall.Kill(0, syscall.SIGKILL) // the group, and this process with it
		}

		if len(left) == 0 {
			return
		}

		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may just have ended
		}

		<-time.After(time.Millisecond)
	}
}

// descendants returns the processes that this one has started, and all that these have started.
func descendants() (all []int, err error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(paths) == 0 {
		// An empty list would say that nothing is left to end.
		return nil, fmt.Errorf("no processes in /proc: %w", err)
	}

	children := map[int][]int{}

	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}

		// A line has the number, the name in parentheses, which may contain anything, the state and
		// the parent. A zombie (Z) has ended already.
		at := strings.LastIndexByte(string(text), ')')
		if fields := strings.Fields(string(text[at+1:])); len(fields) > 1 && fields[0] != "Z" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			parent, _ := strconv.Atoi(fields[1])
			children[parent] = append(children[parent], pid)
		}
	}

	for next := children[os.Getpid()]; len(next) > 0; {
		pid := next[0]
		all = append(all, pid)
		next = append(next[1:], children[pid]...)
	}

	return all, nil
}

// exitStatus returns the exit status of a command as a shell reports it.
func exitStatus(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
