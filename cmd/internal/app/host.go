package app

import (
	"cmp"
	"io"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// Host is the program around a job. The zero Host has an empty environment and shows nothing.
type Host struct {
	Environ  []string      // the variables of the environment, each KEY=VALUE
	Progress Progress      // is shown how the job goes; nil shows nothing
	Screen   io.Writer     // takes what servers do wrong where there is no log file; nil takes nothing
	Backoff  time.Duration // before a server is asked again, at first; 0 is the default
	Open     OpenFunc      // opens engines; nil is engines.Open

	// Continue says how people resume a run that stopped; nil uses words of its own.
	Continue func(Stop) string

	// Attack attacks an engine of this stamp before a run uses it; nil is attack.Check.
	Attack engines.Attack

	warned map[string]bool // what was said once; nil in a job that makes a single run
}

// Progress is shown how a job goes.
type Progress interface {
	// Say tells people what no result holds.
	Say(format string, args ...any)
	// Step says what is being prepared, until done is called.
	Step(what string) (done func())
	// Report shows how far the job is, until stop is called.
	Report(read func() console.Status) (stop func())
}

// Say tells people what no result holds.
func (h *Host) Say(format string, args ...any) {
	if h.Progress != nil {
		h.Progress.Say(format, args...)
	}
}

// Step says what is being prepared, until done is called.
func (h *Host) Step(what string) (done func()) {
	if h.Progress == nil {
		return func() {}
	}
	return h.Progress.Step(what)
}

// Report shows how far the job is, until stop is called.
func (h *Host) Report(read func() console.Status) (stop func()) {
	if h.Progress == nil {
		return func() {}
	}
	return h.Progress.Report(read)
}

// warn says something, only once in a job that makes several runs.
func (h *Host) warn(text string) {
	if h.warned[text] {
		return
	}

	if h.warned != nil {
		h.warned[text] = true
	}

	h.Say("%s", text)
}

// Lookup returns a variable of the environment.
func (h *Host) Lookup(variable string) string { return h.program().Lookup(variable) }

// program returns the host as packages below know a program.
func (h *Host) program() *console.Program {
	screen := h.Screen
	if screen == nil {
		screen = io.Discard
	}
	return &console.Program{Environ: h.Environ, Err: &console.Screen{W: screen}}
}

// DefaultServers returns what the environment says about servers.
func (h *Host) DefaultServers() *serving.Servers {
	return serving.FromEnvironment(h.program(), h.Backoff)
}

// DefaultData returns the data folder of a job that names none.
func (h *Host) DefaultData() string { return cmp.Or(h.Lookup("TOOLEVO_DATA"), "data") }

// DataOf returns the data folder of a run in a directory, unless another one is given.
func (h *Host) DataOf(given string, m *store.Manifest, dir string) string {
	return cmp.Or(given, m.DataFolder(dir), h.DefaultData())
}
