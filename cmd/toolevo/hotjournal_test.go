package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestHotJournal leaves a finished run as a process does that is killed while it folds the log into
// the database: a transaction is half in the file, and its journal stands beside it.
func TestHotJournal(t *testing.T) {
	t.Parallel()

	whole := uninterrupted["efficient"](t)

	for _, command := range []string{"collect", "check", "inspect", "export"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()

			run := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(run, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}

			halfWritten(t, filepath.Join(run, "run.db"))

			args := map[string][]string{
				"collect": {"--resume", "--out", run, "--data", smallData(t), "--progress", "none"},
				"check":   {run, "--data", smallData(t)},
				"inspect": {run},
				"export": {run, "--data", smallData(t), "--allow-scripted",
					"--out", filepath.Join(t.TempDir(), "export")},
			}
			must(t, append([]string{command}, args[command]...)...)
			leavesNothing(t, whole, run)
		})
	}
}

// halfWritten leaves a database in the middle of a transaction.
func halfWritten(t *testing.T, path string) {
	t.Helper()

	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}

	db.SetMaxOpenConns(1)

	for _, statement := range []string{
		`PRAGMA cache_size = 1`, `BEGIN IMMEDIATE`, `CREATE TABLE extra (a)`,
		`INSERT INTO extra WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 200)
			SELECT zeroblob(4000) FROM n`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}

	half, journal := read(t, path), read(t, path+"-journal")

	err = errors.Join(db.Close(), os.WriteFile(path, half, 0o644), os.WriteFile(path+"-journal", journal, 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

// TestFileSizeLimit has the files that the program may write limited, from before the run is made
// to late in it: that is a disk that is full, and the run goes on once it is not.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()

	for _, blocks := range []int{8, 40, 80, 300} {
		t.Run(fmt.Sprint(blocks), func(t *testing.T) {
			t.Parallel()

			run := filepath.Join(t.TempDir(), "run")
			args := grown("efficient", "--data", smallData(t), "--workers", "2", "--out", run)

			limited := exec.Command("/bin/sh", append([]string{"-c", `ulimit -f "$0"; exec "$@"`, fmt.Sprint(blocks),
				binary()}, args...)...)
			limited.Env = slices.Clip(ordinary)

			if p := launch(t, limited); p.wait() != exitGaveUp {
				t.Fatalf("exit %d\n%s", p.wait(), p.err)
			}

			if p := start(t, goOn(run, args)...); p.wait() != exitDone {
				t.Fatalf("going on: exit %d\n%s", p.wait(), p.err)
			}

			sameRun(t, "efficient", run)
		})
	}
}
