// Package keeper ends programs that this process has started, and everything that they have started
// in turn, when this process ends in any way.
//
// A keeper is this binary once more: it runs between this process and a command, waits for the end
// of both, and adopts every process that the command leaves behind. A signal at the death of the
// parent (PR_SET_PDEATHSIG) reaches only the child, and no process that has begun a session of its
// own.
//
// Children behind the walls of package confine, for SQL and for Python, have a keeper only with
// bubblewrap: otherwise that signal is enough, since they cannot start processes. A keeper would
// cost a cell of SQL nothing (0.8 ms with and without, on two busy cores), but each child a second
// process of 3 MB and 60 ms at its start, and the engine process, which starts a child for each
// program, more than the program (280 ms for 120). What a program leaves in a session of its own
// where it may start processes, under unsafe or without the filter of system calls, stays.
package keeper

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// marker is the argument that tells Main to make this process a keeper.
const marker = "__keep"

// NotStarted is the exit status of a keeper that did not get as far as the command, or whose parent
// ended before the command did.
const NotStarted = 125

// OwnBinary leads to this process's binary even after a new build has replaced or removed the file.
const OwnBinary = "/proc/self/exe"

// Name is what lists of processes show for the copies of itself that this process starts: the path
// [OwnBinary] says nothing.
const Name = "toolevo"

// Main makes this process a keeper if it was started as one, and does not return then.
func Main() {
	if len(os.Args) < 5 || os.Args[1] != marker {
		return
	}

	grace, err := time.ParseDuration(os.Args[3])
	if err != nil {
		syscall.Exit(NotStarted)
	}

	syscall.Exit(keep(os.Args[2], grace, os.Args[4:])) // not os.Exit: test tools would print
}

// Command returns the command line of a keeper of a command. Self is a binary whose main calls
// [Main] first. A keeper that is sent SIGTERM leaves it to the command, which is in its process
// group, and ends what is left after the grace. It exits as the command does, with 128 plus the
// signal that ended it. An open file 3 stays open as long as anything lives that the command
// started, and so does a lock on it.
//
// Keepers exist only on Linux: elsewhere the command is returned unchanged.
func Command(self string, grace time.Duration, command []string) []string {
	if runtime.GOOS != "linux" {
		return command
	}
	return append([]string{self, marker, strconv.Itoa(os.Getpid()), grace.String()}, command...)
}
