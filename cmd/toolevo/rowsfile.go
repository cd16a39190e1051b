package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"reflect"

	"toolevo/envs/console"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// writeRows brings the trajectories.parquet of a run up to date with its log, and returns how many
// rows it has. A file that is the one the run ended with is never replaced by another one, but for a
// longer one where the run was extended: a log that says otherwise was damaged since.
func (a *app) writeRows(ctx context.Context, run *store.Run, now iter.Seq2[trajectories.Row, error]) (int, error) {
	path := filepath.Join(run.Dir, rowsFile)

	sum, err := fileSum(path)
	if errors.Is(err, fs.ErrNotExist) {
		return trajectories.WriteFile(ctx, path, now)
	}

	if err != nil {
		return 0, err
	}

	ended := run.Manifest.Finished
	n, same, err := trajectories.Differ(now, trajectories.ReadFile(path), rowName)

	intact := ended != nil && ended.SHA256 == sum
	switch {
	case err == nil && same == "" && (intact || ended == nil || ended.Extended):
		return n, nil
	case intact && err != nil:
		return 0, err
	case intact:
		lost, err := firstLost(now, trajectories.ReadFile(path))
		if err != nil {
			return 0, err
		}

		if lost != "" || !ended.Extended {
			return 0, fmt.Errorf("%s is what the run ended with, and the log in run.db now says otherwise: it is %w. "+
				"Neither was changed: put run.db back from a copy, or move %s away, and resume, to have it made "+
				"of this log",
				path, store.ErrDamaged, rowsFile)
		}
	case ended != nil:
		a.Say("%s changed after the run ended: rewriting it from the log.", path)
	default:
		if lost, err := firstLost(now, trajectories.ReadFile(path)); err != nil || lost != "" {
			a.Say("Rewriting %s: trees were regrown, and not everything in it was found again (%s).", path,
				cmp.Or(lost, fmt.Sprint(err)))
		}
	}

	return trajectories.WriteFile(ctx, path, now)
}

// firstLost names the first row of a file that is not among the rows now; "" is none.
func firstLost(now, was iter.Seq2[trajectories.Row, error]) (string, error) {
	next, stop := iter.Pull2(now)
	defer stop()

	for old, err := range was {
		if err != nil {
			return "", err
		}

		for found := false; !found; {
			row, err, ok := next()
			if err != nil {
				return "", err
			}

			old.RunHash = row.RunHash // it changes when a run is extended
			if !ok || trajectories.Compare(&old, &row) < 0 {
				return fmt.Sprintf("question %s, tree %d, node %d", old.QuestionID, old.Tree, old.Node), nil
			}

			found = reflect.DeepEqual(old, row)
		}
	}

	return "", nil
}

// fileSum returns the SHA-256 of a file.
func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}

	sum := sha256.New()

	_, err = io.Copy(sum, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("sum %s: %w", path, err)
	}

	return hex.EncodeToString(sum.Sum(nil)), nil
}

// rowName says in words which row it is.
func rowName(r *trajectories.Row) string {
	return fmt.Sprintf("that of question %s, tree %d, node %d", r.QuestionID, r.Tree, r.Node)
}

// resultFile returns the path of the file of a run that holds what came of it.
func resultFile(run *store.Run) string {
	name := rowsFile
	if run.Manifest.Kind == kindEval {
		name = trajectories.EpisodesParquet
	}

	return filepath.Join(run.Dir, name)
}

// finishRun notes that a run has nothing left to do, and which file its n rows are.
func finishRun(ctx context.Context, run *store.Run, n int) error {
	sum, err := fileSum(resultFile(run))
	if err != nil {
		return err
	}

	return run.Finish(ctx, n, sum)
}

// checkResult makes sure that the rows of a finished run are the ones it ended with.
func checkResult(run *store.Run) error {
	ended := run.Manifest.Finished
	if ended == nil {
		return nil
	}

	path := resultFile(run)

	sum, err := fileSum(path)
	if err == nil && sum != ended.SHA256 {
		err = fmt.Errorf("%s is %w: it changed after the run ended. To rewrite it from the log, resume the run: "+
			"toolevo %s --resume --out %s", path, store.ErrDamaged, run.Manifest.Kind, console.Shell(run.Dir))
	}

	return err
}
