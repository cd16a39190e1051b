package wasi

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is how long the processors worked for a process, all its threads together.
func processorTime(pid int) (time.Duration, error) {
	const processClock = 2 // CPUCLOCK_SCHED; the number of the process is above its three bits, inverted

	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|processClock), &t); err != nil {
		return 0, os.NewSyscallError("clock_gettime", err)
	}

	return time.Duration(t.Nano()), nil
}
