package cmdline

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"syscall"

	"toolevo/envs/console"
	"toolevo/envs/disk"
)

// The exit codes.
const (
	ExitDone        = 0
	ExitBad         = 1   // the result is bad: a check failed, an accuracy is too low
	ExitUsage       = 2   // wrong usage or configuration
	ExitGaveUp      = 3   // infrastructure gave up
	ExitInterrupted = 130 // interrupted, resumable
)

// ExitCode returns the exit code of an error that ends the program. An error without a kind is a
// matter of usage or configuration: commands give kinds to everything that can happen once they
// work.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}

	if errors.Is(err, disk.ErrDamaged) {
		return ExitBad
	}

	switch console.KindOf(err) {
	case console.BadResult:
		return ExitBad
	case console.WrongUsage:
		return ExitUsage
	case console.Infrastructure:
		return ExitGaveUp
	case console.Interruption:
		return ExitInterrupted
	}

	var path *fs.PathError
	if errors.As(err, &path) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err,
		syscall.ENOTDIR) {
		return ExitGaveUp // a full disk, a folder that may not be written
	}

	return ExitUsage
}

// option matches an option as it is named in errors and reports, which know no flags.
var option = regexp.MustCompile(`‹([a-z-]+)›`)

// Flags returns a text with its options written as flags.
func Flags(text string) string { return option.ReplaceAllString(text, "--$1") }

// Message returns the text of an error, with options as flags.
func Message(err error) string { return strings.TrimSpace(Flags(err.Error())) }
