package engines

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Lists of processes show names of what engines start, and no source.
func TestNamesOfProcesses(t *testing.T) {
	const most = 4 << 10 // bytes: bubblewrap is given a list of files

	for _, engine := range []string{ForkServer, Bwrap, Unsafe} {
		e, err := Open(t.Context(), Options{Engine: engine, Executable: "/usr/bin/python3", Servers: 1})
		if err != nil {
			t.Logf("not on this machine: %v", err)
			continue
		}

		named := 0

		for _, line := range commandLines(t, os.Getpid()) {
			if len(line) > most || strings.Contains(line, "def ") {
				t.Errorf("%s: %d bytes: %.200s", engine, len(line), line)
			}

			if strings.HasSuffix(line, " toolevo-fork-server") {
				named++
			}
		}

		if named == 0 {
			t.Errorf("%s: no process has the name", engine)
		}

		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// commandLines are those of all processes below one.
func commandLines(t *testing.T, root int) (all []string) {
	t.Helper()

	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", root))
	if err != nil {
		t.Fatal(err)
	}

	for _, path := range paths {
		text, _ := os.ReadFile(path) // a thread may just have ended

		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}

			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			line = bytes.TrimRight(bytes.ReplaceAll(line, []byte{0}, []byte(" ")), " ")
			all = append(append(all, string(line)), commandLines(t, pid)...)
		}
	}

	return all
}
