package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// refusing is a listener that has an error of each call.
type refusing struct {
	net.Listener
	errs []error
}

func (l *refusing) Accept() (net.Conn, error) {
	err := l.errs[0]
	l.errs = l.errs[1:]

	return nil, err
}

// A server that can take no connection says why and what to do, and says it again after a minute only.
func TestAcceptorSays(t *testing.T) {
	full := &net.OpError{Op: "accept", Err: syscall.EMFILE}
	crowded := &net.OpError{Op: "accept", Err: syscall.ENFILE}
	reset := &net.OpError{Op: "accept", Err: syscall.ECONNABORTED}

	for name, tt := range map[string]struct {
		errs []error
		says []string
	}{
		"no descriptors":                {[]error{full, full, nil, full}, []string{"ulimit -n"}},
		"none in the whole system":      {[]error{nil, crowded}, []string{"ulimit -n"}},
		"something else":                {[]error{reset}, []string{"connection abort"}},
		"the end of the server":         {[]error{nil, fmt.Errorf("accept: %w", net.ErrClosed)}, nil},
		"nothing":                       {[]error{nil, nil}, nil},
		"again after more than a while": {slices.Repeat([]error{full}, 70), []string{"open files", "open files"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said []string

				l := &acceptor{
					Listener: &refusing{errs: slices.Clone(tt.errs)},
					say:      func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) },
				}

				for _, want := range tt.errs {
					if _, err := l.Accept(); !errors.Is(err, want) {
						t.Errorf("it returns %v, not %v", err, want)
					}

					<-time.After(time.Second)
				}

				same := func(line, want string) bool { return strings.Contains(line, want) }
				if !slices.EqualFunc(said, tt.says, same) {
					t.Errorf("it says %q, want %q", said, tt.says)
				}
			})
		})
	}
}

// A server that has run out of descriptors says so, answers those that it has, and takes others once it
// can.
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
