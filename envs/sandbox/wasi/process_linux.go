package wasi

import (
	"bufio"
	"bytes"
	"os"
	"strings"
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

// libraries are the files that this binary consists of beside itself: the dynamic linker and its libraries.
// There are none if it is linked statically.
func libraries() ([]string, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, err
	}

	seen := make(map[string]bool)
	files := []string{"/etc/ld.so.cache"}

	lines := bufio.NewScanner(bytes.NewReader(maps))
	for lines.Scan() {
		// Addresses, permissions, offset, device, inode, and, of a file, its path.
		_, path, ok := strings.Cut(lines.Text(), "/")

		path = "/" + path
		if !ok || seen[path] || !strings.Contains(path, ".so") {
			continue
		}

		seen[path] = true
		files = append(files, path)
	}

	return files, lines.Err()
}
