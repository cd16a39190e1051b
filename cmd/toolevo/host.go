package main

import (
	"errors"
	"fmt"
	"strings"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
)

// host is this program as jobs see it. mode is a value of --progress.
func (a *app) host(mode string) toolevo.Host {
	return toolevo.Host{
		Environ:  a.Environ,
		Progress: &shown{app: a, mode: mode},
		Screen:   a.Err,
		Backoff:  a.backoff,
		Open:     a.open,
		Attack:   a.attack,
	}
}

// shown shows on the screen how a job goes.
type shown struct {
	*app
	mode     string
	starting *console.Starting // of the steps before the job's own progress; nil before the first
	begun    bool
}

// Say writes a line for people.
func (s *shown) Say(format string, args ...any) {
	s.app.Say("%s", cmdline.Flags(fmt.Sprintf(format, args...)))
}

// Step shows a step once the start takes a while.
func (s *shown) Step(what string) (done func()) {
	if !s.begun {
		s.begun, s.starting = true, s.app.starting(s.mode)
	}

	return s.starting.Step(what)
}

// Report shows progress.
func (s *shown) Report(read func() console.Status) (stop func()) { return s.app.Report(s.mode, read) }

// resumableError is the error of a run that stopped, with the command that goes on with it.
type resumableError struct {
	error
	text string
}

// Error says why the run stopped, and how to go on.
func (e resumableError) Error() string { return e.text }

// Unwrap returns the error of the job.
func (e resumableError) Unwrap() error { return e.error }

// withCommand puts the command that goes on with a run into the error of one that stopped.
func withCommand(err error, command func(*toolevo.StoppedError) string) error {
	var stop *toolevo.StoppedError
	if !errors.As(err, &stop) {
		return err
	}

	return resumableError{err, strings.Replace(err.Error(), stop.Error(), stop.With(command(stop)), 1)}
}

// same says how to go on where the command that was given does.
func same(*toolevo.StoppedError) string { return "the same command" }
