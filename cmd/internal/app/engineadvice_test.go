package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/mcts/policy/serving"
)

// What is missing is installed for the interpreter at hand: the system's packages are for its own.
func TestInstallAdvice(t *testing.T) {
	t.Parallel()

	own := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(own, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}

	for executable, want := range map[string]string{
		own:                "Install it: " + own + " -m pip install numpy; or name",
		"/usr/bin/python3": "On Debian: apt-get install python3-numpy; or name",
	} {
		c := &configs.Resolved{}
		c.Python.Executable = executable
		b := &Bench{Models: &serving.Models{Config: c}}

		if got := installAdvice(b, []string{"numpy"}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", executable, got, want)
		}
	}
}

// A job that makes several runs warns once.
func TestWarnsOnce(t *testing.T) {
	t.Parallel()

	said := &sayings{}
	h := Host{Progress: said, warned: map[string]bool{}}
	again := h // a run of the job has a copy

	h.warn("no numpy")
	again.warn("no numpy")
	again.warn("no walls")

	if got := strings.Join(*said, ", "); got != "no numpy, no walls" {
		t.Errorf("it says %s", got)
	}
}

// sayings are what a job says. It implements [Progress].
type sayings []string

func (s *sayings) Say(format string, args ...any) { *s = append(*s, fmt.Sprintf(format, args...)) }

func (*sayings) Step(string) (done func()) { return func() {} }

func (*sayings) Report(func() console.Status) (stop func()) { return func() {} }
