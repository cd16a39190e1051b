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
	"toolevo/mcts/store"
	"toolevo/trajectories/export"
)

// advice returns what to do about an error that does not say so itself: a folder without a run, or an error of the
// system. "" is none.
func advice(err error) string {
	var none *store.NoRunError
	switch {
	case errors.As(err, &none):
		return aboutRuns(none.Dir)
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

// aboutRuns says which runs may have been meant by a folder that holds none.
func aboutRuns(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, export.ManifestFile)); err == nil {
		return fmt.Sprintf("It is an export: `toolevo %s` looks at it.", console.Shell("check", dir))
	}

	if below := runsIn(dir); len(below) > 0 {
		return "Name one of the runs in it: " + display.Line(strings.Join(below, ", "), 0)
	}

	beside := runsIn(filepath.Dir(filepath.Clean(dir)))
	if meant, ok := names.Closest(filepath.Clean(dir), beside); ok {
		return fmt.Sprintf("Did you mean %s?", display.Line(meant, 0))
	}

	if len(beside) > 0 {
		return "Runs beside it: " + display.Line(strings.Join(beside, ", "), 0)
	}

	return fmt.Sprintf("`toolevo %s` makes one there.", console.Shell("collect", "--out", dir))
}

// runsIn lists the runs among the folders in a folder.
func runsIn(dir string) []string {
	entries, _ := os.ReadDir(dir) // one that cannot be read has none to offer
	var runs []string

	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(path, store.ManifestFile)); err == nil {
			runs = append(runs, path)
		}
	}

	return runs
}
