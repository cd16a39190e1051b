package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/finetune/stored"
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
	s.app.Say("%s", inFlags(fmt.Sprintf(format, args...)))
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

// option is an option of a job, as its errors name it.
var option = regexp.MustCompile(`‹([a-z-]+)›`)

// inFlags is a text in which options of a job are flags.
func inFlags(text string) string { return option.ReplaceAllString(text, "--$1") }

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

// openEvaluation opens an evaluation to say what came of it.
func (a *app) openEvaluation(ctx context.Context, dir string) (*toolevo.StoredEvaluation, error) {
	host := a.host(console.ProgressNone)
	return host.OpenEvaluation(ctx, dir)
}

// playedEpisodes calls visit with every episode of some evaluations, in the order of their reports.
func (a *app) playedEpisodes(ctx context.Context, dirs []string, visit func(stored.Played)) error {
	host := a.host(console.ProgressNone)
	return host.PlayedEpisodes(ctx, dirs, visit)
}

// sayUnfinished says how to go on with a run that is not finished.
func (a *app) sayUnfinished(run *stored.Run) {
	host := a.host(console.ProgressNone)
	host.SayUnfinished(run)
}

// announce says, as the first line of a command that makes something, of what.
func (a *app) announce(command string, of ...string) {
	host := a.host(console.ProgressNone)
	host.Announce(command, of...)
}
