package stored

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"reflect"

	"toolevo/envs/disk"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// RowsFile is the file of a collection that holds its trajectories once it is finished.
const RowsFile = "trajectories.parquet"

// WriteRows brings the trajectories.parquet of the run up to date with its log, and returns how
// many rows it has. The file that the run ended with is never replaced, except by a longer one if
// the run was extended: a log that says otherwise was damaged since.
func (r *Run) WriteRows(ctx context.Context, say func(format string, args ...any)) (int, error) {
	path, now := filepath.Join(r.Dir, RowsFile), r.Rows(ctx)

	sum, _, err := disk.Sum(path)
	if errors.Is(err, fs.ErrNotExist) {
		return trajectories.WriteFile(ctx, path, now)
	}

	if err != nil {
		return 0, err
	}

	ended := r.Manifest.Finished
	n, same, err := trajectories.Differ(now, trajectories.ReadFile(path), rowName)

	intact := ended != nil && ended.SHA256 == sum
	switch {
	// Equal rows in other bytes are written again, because the manifest has the sum of the bytes.
	case err == nil && same == "" && (intact || ended == nil || ended.Extended):
		return n, nil
	// The file has the right sum, so it is the log that cannot be read: the file stays.
	case intact && err != nil:
		return 0, err
	case intact:
		lost, err := firstLost(now, trajectories.ReadFile(path))
		if err != nil {
			return 0, err
		}

		if lost != "" || !ended.Extended {
			return 0, fmt.Errorf("%s is what the run ended with, and the log in run.db now says otherwise: "+
				"it is %w. Neither was changed: put run.db back from a copy, or move %s away, and resume, "+
				"to have it made of this log", path, store.ErrDamaged, RowsFile)
		}
	case ended != nil:
		say("%s changed after the run ended: rewriting it from the log.", path)
	default:
		// The run never ended, so trees may have been regrown since the file was written; rows that
		// are gone are no damage, but are worth a word.
		if lost, err := firstLost(now, trajectories.ReadFile(path)); err != nil || lost != "" {
			say("Rewriting %s: trees were regrown, and not everything in it was found again (%s).", path,
				cmp.Or(lost, fmt.Sprint(err)))
		}
	}

	return trajectories.WriteFile(ctx, path, now)
}

// firstLost names the first row of a file that is no longer among the rows; "" if all are.
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

// rowName names a row in words.
func rowName(r *trajectories.Row) string { return nameOf(r.QuestionID, r.Tree, r.Node) }

func nameOf(question string, tree, node int) string {
	return fmt.Sprintf("that of question %s, tree %d, node %d", question, tree, node)
}

// resultFile returns the path of the file of the run that holds its rows.
func (r *Run) resultFile() string {
	name := RowsFile
	if r.Manifest.Kind == Evaluated {
		name = trajectories.EpisodesParquet
	}
	return filepath.Join(r.Dir, name)
}

// End notes that the run has nothing left to do, and which file holds its n rows.
func (r *Run) End(ctx context.Context, n int) error {
	sum, _, err := disk.Sum(r.resultFile())
	if err != nil {
		return err
	}
	return r.Finish(ctx, n, sum)
}

// CheckResult makes sure that the rows of a finished run are the ones it ended with. A run that was
// extended since may have more.
func (r *Run) CheckResult() error {
	ended := r.Manifest.Finished
	if ended == nil || ended.Extended {
		return nil
	}

	path := r.resultFile()

	sum, _, err := disk.Sum(path)
	if err == nil && sum != ended.SHA256 {
		err = fmt.Errorf("%s is %w: it changed after the run ended. To rewrite it from the log, "+
			"resume the run: toolevo %s", path, store.ErrDamaged, Continuation(r.Run))
	}

	return err
}

// CompareRows compares the file of rows with the trajectories of the stored trees. It returns how
// many there are, and the first difference, or "". The error wraps fs.ErrNotExist while there
// is no file.
func (r *Run) CompareRows(ctx context.Context) (n int, difference string, err error) {
	path := filepath.Join(r.Dir, RowsFile)

	n, difference, err = trajectories.Differ(r.Rows(ctx), trajectories.ReadFile(path), rowName)
	if err == nil && difference == "" {
		err = r.CheckResult()
	}
	return n, difference, err
}
