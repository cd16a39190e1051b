// Package keeper ends programs that this process has started, and all that they have started in
// turn, when this process ends, however it ends.
//
// A keeper is this binary once more: it stands between this process and a command, waits for the
// end of both, and takes in every process that the command leaves behind. A signal at the death of
// the parent (PR_SET_PDEATHSIG) reaches the child alone, and none that has begun a session of its
// own.
//
// Children behind the walls of package confine, for SQL and for Python, have a keeper with
// bubblewrap only: else that signal is enough, as they can start no process. A keeper would cost a
// cell of SQL nothing (0.8 ms with and without, on two busy cores), but each child a second process
// of 3 MB and 60 ms at its start, and the engine process, which starts a child for each program,
// more than the program (280 ms for 120). What a program leaves in a session of its own where it
// may start processes, under unsafe or without the filter of system calls, stays.
package keeper

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// marker is the argument by which Main knows that this process is to be a keeper.
const marker = "__keep"

// NotStarted is the exit status of a keeper that did not come as far as the command, or whose
// parent ended before the command did.
const NotStarted = 125

// OwnBinary leads to this process's binary even after the file was replaced or removed, as a new
// build does.
const OwnBinary = "/proc/self/exe"

// Name is what lists of processes show of what this process starts of itself: the path [OwnBinary]
// says nothing.
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

	syscall.Exit(keep(os.Args[2], grace, os.Args[4:])) // not os.Exit, which has the test tools say things, too
}

// Command returns the command line of a keeper of a command. Self is a binary whose main calls
// [Main] first. A keeper that is sent SIGTERM leaves it to the command, which is in its process
// group, and ends what is there after the grace. It exits as the command does, with 128 more than
// the signal that ended it. The file that is open as 3, if one is, stays open as long as anything
// lives that the command started: a lock on it lasts so long.
//
// There are keepers on Linux only: elsewhere the command is returned as it is.
func Command(self string, grace time.Duration, command []string) []string {
	if runtime.GOOS != "linux" {
		return command
	}
	return append([]string{self, marker, strconv.Itoa(os.Getpid()), grace.String()}, command...)
}
