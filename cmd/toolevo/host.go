package main

import (
	"fmt"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
)

// host returns this program as jobs see it. mode is a value of --progress.
func (a *app) host(mode string) toolevo.Host {
	return toolevo.Host{
		Environ:  a.Environ,
		Progress: &shown{app: a, mode: mode},
		Screen:   a.Err,
		Backoff:  a.backoff,
		Open:     a.open,
		Continue: sameCommand,
		Attack:   a.attack,
	}
}

// shown shows on the screen how a job is going.
type shown struct {
	*app
	mode     string
	starting *console.Starting // shows the steps before the job's own progress; nil before the first
	begun    bool
}

// Say writes a line for people.
func (s *shown) Say(format string, args ...any) {
	s.app.Say("%s", cmdline.Flags(fmt.Sprintf(format, args...)))
}

// Step shows a step if the start takes a while.
func (s *shown) Step(what string) (done func()) {
	if !s.begun {
		s.begun, s.starting = true, s.app.starting(s.mode)
	}
	return s.starting.Step(what)
}

// Report shows progress.
func (s *shown) Report(read func() console.Status) (stop func()) { return s.app.Report(s.mode, read) }

// sameCommand says how to continue where the command that was given does that itself.
func sameCommand(stop toolevo.Stop) string {
	if stop.Reached != "" {
		return "run the same command again, without --" + stop.Reached
	}
	return "run the same command again"
}
