package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A server that has run out of descriptors says so, answers those that it has, and takes others
// once it can.
func TestServeEnvWithoutDescriptors(t *testing.T) {
	t.Parallel()

	s := startServing(t, nil, "serve", "env", "--data", smallData(t), "--dataset", "coffee")
	a := newAgent(t, s.url)
	a.asks("reset", map[string]any{"seed": 1})

	pid := s.cmd.Process.Pid

	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Skip("no /proc: ", err)
	}

	few := unix.Rlimit{Cur: uint64(len(open) + 4), Max: 1 << 10}
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &few, nil); err != nil {
		t.Skip("the limit of another process cannot be set: ", err)
	}

	for range 20 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}

	for said := ""; !strings.Contains(said, "ulimit -n"); {
		if said, err = s.words.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}

	load := map[string]any{"tool_name": "LoadDB", "arguments": map[string]any{"DBName": "coffee"}}
	if r := a.asks("step", load); r.Type != "observation" {
		t.Errorf("who was there gets %+v", r)
	}

	enough := unix.Rlimit{Cur: 1 << 10, Max: 1 << 10}
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &enough, nil); err != nil {
		t.Fatal(err)
	}

	newAgent(t, s.url)
}
