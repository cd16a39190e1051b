package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/finetune/rundir"
	"toolevo/mcts/store"
	"toolevo/trajectories/export"
)

// advice returns what to do about an error that does not say so itself: a folder without a run, or
// an error of the system. It is "" for any other.
func advice(err error) string {
	var (
		none *store.NoRunError
		path *fs.PathError
	)

	switch {
	case errors.As(err, &none):
		return aboutRuns(none.Dir)
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &path) &&
		strings.HasSuffix(err.Error(), path.Err.Error()): // the message adds no advice of its own
		return "There is no such file or folder: check the path, or name another one."
	case errors.Is(err, fs.ErrPermission):
		return "You have no permission for this file or folder: choose another one, or ask its owner (`ls -ld` shows " +
			"who that is)."
	case errors.Is(err, syscall.ENOSPC):
		return "The disk is full: make room, or choose a folder on another one."
	case errors.Is(err, syscall.EROFS):
		return "The disk is read-only: choose a folder on another one."
	case errors.Is(err, syscall.ENOTDIR):
		return "There is a file where a folder is needed: choose another path."
	}

	return ""
}

// aboutRuns suggests which runs the user may have meant by a folder without one.
func aboutRuns(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, export.ManifestFile)); err == nil {
		return fmt.Sprintf("It is an export: `toolevo %s` looks at it.", console.Shell("check", dir))
	}

	// A folder that cannot be read has nothing to offer: the error is dropped.
	if below, _ := rundir.Find(dir, rundir.Deep); len(below) > 0 {
		return "Name one of the runs in it: " + listed(below)
	}

	beside, _ := rundir.Find(filepath.Dir(filepath.Clean(dir)), 1)
	if meant, ok := names.Closest(filepath.Clean(dir), beside); ok {
		return fmt.Sprintf("Did you mean %s?", display.Line(meant, 0))
	}

	if len(beside) > 0 {
		return "Runs beside it: " + listed(beside)
	}

	if inside, err := os.ReadDir(dir); errors.Is(err, fs.ErrNotExist) || err == nil && len(inside) == 0 {
		return fmt.Sprintf("`toolevo %s` makes one there.", console.Shell("collect", "--out", dir))
	}
	return ""
}

// listed names the first few runs on one line.
func listed(dirs []string) string {
	const most = 5

	text := display.Line(strings.Join(dirs[:min(most, len(dirs))], ", "), 0)
	if n := len(dirs) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
