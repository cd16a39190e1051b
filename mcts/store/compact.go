package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"toolevo/envs"
	"toolevo/envs/durable"
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
		return errors.Join(fail("compact "+path, err), remove(next, next+"-wal", next+"-shm"))
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
	db, err := sql.Open("sqlite3", dsn(path, "mode=rw"))
	if err != nil {
		return err
	}

	_, err = db.ExecContext(ctx, `PRAGMA journal_mode = DELETE`)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}

	if _, err := os.Lstat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s-wal is still there: another process reads the run; try again when it has ended", path)
	}

	return nil
}

// copyTo writes all that a database of format 1 holds to a new one.
func (s *Store) copyTo(ctx context.Context, to *Store) error {
	for _, copyRows := range []func(context.Context, *Store) error{s.copyCalls, s.copyTools, s.copyTrees, s.copyMeta} {
		if err := copyRows(ctx, to); err != nil {
			return err
		}
	}

	return nil
}

// copyMeta comes last: what it notes makes the new database one that is not written any more.
func (s *Store) copyMeta(ctx context.Context, to *Store) error {
	err := each(ctx, s.read, `SELECT key, value FROM meta WHERE key <> 'format'`, nil, func(rows *sql.Rows) error {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}

		return to.SetMeta(ctx, key, value)
	})
	if err != nil {
		return err
	}

	return to.SetMeta(ctx, metaCompacted, oldFormatVersion)
}

func (s *Store) copyCalls(ctx context.Context, to *Store) error {
	return s.eachOldTree(ctx, "calls", func(question string, tree int) error {
		calls, err := s.oldCalls(ctx, question, tree)
		if err != nil {
			return err
		}

		for _, c := range calls {
			id := mcts.NodeID{Question: question, Tree: tree, Path: c.path}
			if err := to.addCall(ctx, id, c.first, logged{n: c.n, seed: c.seed}, c.proposals); err != nil {
				return err
			}
		}

		return nil
	})
}

func (s *Store) copyTools(ctx context.Context, to *Store) error {
	return s.eachOldTool(ctx, to.Remember)
}

func (s *Store) copyTrees(ctx context.Context, to *Store) error {
	return s.eachOldTree(ctx, "trees", func(question string, tree int) error {
		t, _, err := s.LoadTree(ctx, question, tree)
		if err != nil {
			return err
		}

		return to.SaveTree(ctx, t)
	})
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

	if err != nil {
		return err
	}

	for _, same := range []func(context.Context, *Store) error{s.sameCounts, s.sameCalls, s.sameTools, s.sameTrees} {
		if err := same(ctx, to); err != nil {
			return err
		}
	}

	return nil
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

func (s *Store) sameCalls(ctx context.Context, to *Store) error {
	return s.eachOldTree(ctx, "calls", func(question string, tree int) error {
		calls, err := s.oldCalls(ctx, question, tree)
		if err != nil {
			return err
		}

		p, err := to.Policy(ctx, question, tree, nil)
		if err != nil {
			return err
		}

		for _, c := range calls {
			l := p.logged[c.callKey]

			proposals, err := to.proposals(ctx, l)
			if err != nil {
				return err
			}

			if l.n != c.n || l.seed != c.seed || !reflect.DeepEqual(proposals, c.proposals) {
				return fmt.Errorf("the call at %s/%d/%s is not the same", question, tree, c.path)
			}
		}

		return nil
	})
}

func (s *Store) sameTools(ctx context.Context, to *Store) error {
	return s.eachOldTool(ctx, func(ctx context.Context, key string, want envs.Result) error {
		got, _, err := to.Recall(ctx, key)
		if err == nil && got != want {
			err = errors.New("the result of a program is not the same")
		}

		return err
	})
}

func (s *Store) sameTrees(ctx context.Context, to *Store) error {
	return s.eachOldTree(ctx, "trees", func(question string, tree int) error {
		want, _, err := s.LoadTree(ctx, question, tree)
		if err != nil {
			return err
		}

		got, _, err := to.LoadTree(ctx, question, tree)
		if err == nil && !reflect.DeepEqual(got, want) {
			err = fmt.Errorf("the tree %s/%d is not the same", question, tree)
		}

		return err
	})
}

// eachOldTree calls fn for each tree of which a table of format 1 has rows.
func (s *Store) eachOldTree(ctx context.Context, table string, fn func(question string, tree int) error) error {
	return each(ctx, s.read, `SELECT DISTINCT question, tree FROM `+table+` ORDER BY question, tree`, nil,
		func(rows *sql.Rows) error {
			var question string
			var tree int

			if err := rows.Scan(&question, &tree); err != nil {
				return err
			}

			return fn(question, tree)
		})
}

// eachOldTool calls fn for each tool result of format 1.
func (s *Store) eachOldTool(ctx context.Context, fn func(context.Context, string, envs.Result) error) error {
	return each(ctx, s.read, `SELECT key, observation, outcome FROM tools`, nil, func(rows *sql.Rows) error {
		var key, outcome string
		var r envs.Result

		err := rows.Scan(&key, &r.Observation, &outcome)
		if err == nil {
			r.Outcome, err = envs.ParseOutcome(outcome)
		}

		if err != nil {
			return err
		}

		return fn(ctx, key, r)
	})
}

// oldCall is a row of calls of format 1.
type oldCall struct {
	callKey
	n         int
	seed      uint64
	proposals []mcts.Proposal
}

func (s *Store) oldCalls(ctx context.Context, question string, tree int) (calls []oldCall, err error) {
	err = each(ctx, s.read, `SELECT path, first, n, seed, proposals FROM calls WHERE question = ? AND tree = ?`,
		[]any{question, tree}, func(rows *sql.Rows) error {
			var c oldCall
			var seed int64
			var text []byte

			if err := rows.Scan(&c.path, &c.first, &c.n, &seed, &text); err != nil {
				return err
			}

			if err := json.Unmarshal(text, &c.proposals); err != nil {
				return damaged("the call at %s/%d/%s: %w", question, tree, c.path, err)
			}

			c.seed = uint64(seed)
			calls = append(calls, c)

			return nil
		})

	return calls, err
}
