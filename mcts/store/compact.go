package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"toolevo/envs"
	"toolevo/envs/durable"
	"toolevo/envs/sqlite"
	"toolevo/mcts"
)

// metaCompacted notes the format that a database had before Compact.
const metaCompacted = "compacted"

// Compact rewrites the database of the run in dir in today's format if it has an older one, and reports whether it did.
// The new one is written beside the old one, read back and compared with it, and only then takes its place: whenever
// this is interrupted, the run is whole. It refuses a run that another process works on (ErrLocked).
//
// A compacted run holds what it held. Its log does not say what the model was shown, which format 1 did not note: like
// before, the run is inspected and exported, but not resumed.
func Compact(ctx context.Context, dir string) (compacted bool, err error) {
	if err := Busy(dir); err != nil {
		return false, err
	}

	run, err := OpenRun(ctx, dir)
	if err != nil {
		return false, err
	}

	old := run.old
	if err := run.Close(); err != nil || !old {
		return false, err
	}

	run, err = locked(dir, func() (*Run, error) {
		if err := compact(ctx, filepath.Join(dir, databaseFile)); err != nil {
			return nil, err
		}

		return OpenRun(ctx, dir)
	})
	if err != nil {
		return false, err
	}

	return true, run.Close()
}

// Compacted reports whether the database was rewritten by Compact.
func (s *Store) Compacted(ctx context.Context) (bool, error) {
	format, err := s.Meta(ctx, metaCompacted)
	return format != "", err
}

// compact rewrites the database at path.
func compact(ctx context.Context, path string) (err error) {
	if err := foldJournal(ctx, path); err != nil {
		return fail("compact "+path, err)
	}

	from, err := OpenReadOnly(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.closeUnsealed()) }()

	if !from.old {
		return nil // another process was faster
	}

	next := path + durable.Unfinished

	to, err := Open(ctx, next)
	if err != nil {
		return err
	}

	if err := errors.Join(from.copyTo(ctx, to), to.Close()); err != nil {
		return errors.Join(fail("compact "+path, err), remove(sqlite.Parts(next)...))
	}

	if err := from.compare(ctx, next); err != nil {
		return errors.Join(fail("compare "+next, err), remove(next))
	}

	if err := durable.Rename(next, path); err != nil {
		return fmt.Errorf("store: %w", err)
	}

	return nil
}

// foldJournal makes a database one file. What a process that was killed left in the journal of the old database must
// not be taken for that of the new one.
func foldJournal(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite3", sqlite.Address(path, "mode=rw"))
	if err != nil {
		return err
	}

	if err := errors.Join(sqlite.Fold(ctx, db), db.Close()); err != nil {
		return err
	}

	if _, err := os.Lstat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s-wal is still there: another process reads the run; try again when it has ended", path)
	}

	return nil
}

// copyTo writes all that a database of format 1 holds to a new one. What is noted comes last, for it makes the new
// database one that is not written any more.
func (s *Store) copyTo(ctx context.Context, to *Store) error {
	if err := s.eachOld(ctx, oldRows{to.addCall, to.Remember, to.SaveTree}); err != nil {
		return err
	}

	var key, value string

	err := each(ctx, s.read, `SELECT key, value FROM meta WHERE key <> 'format'`, nil, []any{&key, &value},
		func() error { return to.SetMeta(ctx, key, value) })
	if err != nil {
		return err
	}

	return to.SetMeta(ctx, metaCompacted, oldFormatVersion)
}

// compare makes sure that the database at path holds all that this one of format 1 does.
func (s *Store) compare(ctx context.Context, path string) (err error) {
	to, err := OpenReadOnly(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.closeUnsealed()) }()

	problems, err := to.Check(ctx)
	if err == nil && len(problems) > 0 {
		err = errors.New(problems[0])
	}

	if err == nil {
		err = s.sameCounts(ctx, to)
	}

	if err != nil {
		return err
	}

	return s.eachOld(ctx, oldRows{to.hasCall, to.hasResult, to.hasTree})
}

func (s *Store) sameCounts(ctx context.Context, to *Store) error {
	for _, table := range []string{"calls", "tools", "trees"} {
		had, err := s.count(ctx, table)
		if err != nil {
			return err
		}

		has, err := to.count(ctx, table)
		if err != nil {
			return err
		}

		if had != has {
			return fmt.Errorf("%d rows of %s became %d", had, table, has)
		}
	}

	return nil
}

// hasCall makes sure that the log has a call as it was.
func (s *Store) hasCall(ctx context.Context, id mcts.NodeID, first int, want logged, proposals []mcts.Proposal) error {
	var c callRow

	err := s.read.QueryRowContext(ctx, callsOfTree+` AND path = ? AND first = ?`, id.Question, id.Tree, id.Path, first).
		Scan(c.into()...)
	if err != nil {
		return err
	}

	got, err := c.read()
	if err != nil {
		return err
	}

	has, err := s.proposals(ctx, got)
	if err == nil && (got.n != want.n || got.seed != want.seed || !reflect.DeepEqual(has, proposals)) {
		err = fmt.Errorf("the call at %s is not the same", id)
	}

	return err
}

// hasResult makes sure that the log has a tool result as it was.
func (s *Store) hasResult(ctx context.Context, key string, want envs.Result) error {
	got, _, err := s.Recall(ctx, key)
	if err == nil && got != want {
		err = errors.New("the result of a program is not the same")
	}

	return err
}

// hasTree makes sure that a tree is stored as it was.
func (s *Store) hasTree(ctx context.Context, want *mcts.TreeRecord) error {
	got, _, err := s.LoadTree(ctx, want.Question, want.Tree)
	if err == nil && !reflect.DeepEqual(got, want) {
		err = fmt.Errorf("the tree %s/%d is not the same", want.Question, want.Tree)
	}

	return err
}
