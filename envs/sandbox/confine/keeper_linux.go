package confine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
)

// keeperMarker is the argument by which Main knows that this process is to be a keeper.
//
// A keeper stands between this process and bubblewrap. Bubblewrap starts a process in new namespaces, which
// only later asks to end with its parent: where everything is killed before that, it waits forever for a
// parent that is gone. The keeper is told of the end of this process, however it ends, and ends all that it
// has started, which is in its process group.
const keeperMarker = "__keep"

// keeperSignal is what a keeper is sent when its parent ends.
const keeperSignal = syscall.SIGTERM

// kept returns the command line of a keeper of a command.
func kept(command []string) []string {
	return append([]string{helper, keeperMarker, strconv.Itoa(os.Getpid())}, command...)
}

// keep runs a command until it or this process's parent ends, and returns the exit status.
func keep(parent string, command []string) int {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, keeperSignal)

	if strconv.Itoa(os.Getppid()) != parent {
		return notLaunched // it ended before that; nobody is there to tell
	}

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr

	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "confine: start %s: %v\n", command[0], err)
		return notLaunched
	}

	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()

	select {
	case <-ended:
		syscall.Kill(0, syscall.SIGKILL) // the group, and this process with it
		return notLaunched
	case err := <-done:
		return status(err)
	}
}

// status is the exit status of a command as a shell reports it.
func status(err error) int {
	var failed *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &failed):
		return notLaunched
	}

	if waited, ok := failed.Sys().(syscall.WaitStatus); ok && waited.Signaled() {
		return 128 + int(waited.Signal())
	}

	return failed.ExitCode()
}
