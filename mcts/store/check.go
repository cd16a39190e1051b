package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// metaSeal notes how many rows there were when the last process that wrote the run closed it, so
// that what goes missing later is noticed. It is there only while nothing has changed since.
const metaSeal = "seal"

// countRows is a column that says how many rows the tables have.
const countRows = `(SELECT count(*) FROM trees) || ' trees, ' || (SELECT count(*) FROM calls) || ' calls and ' ||
	(SELECT count(*) FROM tools) || ' tool results of ' || (SELECT count(*) FROM questions) || ' questions'`

// seal notes how many rows there are.
func (s *Store) seal(ctx context.Context) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		var now string

		err := tx.QueryRow(`SELECT ` + countRows).Scan(&now)
		if err == nil {
			err = setMeta(tx, metaSeal, now)
		}
		return err
	})
}

// checkSeal makes sure that a sealed database has all that it had.
func (s *Store) checkSeal(ctx context.Context) error {
	var then, now string
	var hash int64
	// One statement, because another process may be writing.
	err := s.read.QueryRowContext(ctx, `SELECT value, hash, `+countRows+` FROM meta WHERE key = ?`, metaSeal).
		Scan(&then, &hash, &now)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}

	if err != nil {
		return err
	}

	if hash != metaHash(metaSeal, then) {
		return damaged("the note of how much it holds is not as it was written")
	}

	if now != then {
		return damaged("it holds %s, and held %s when it was closed", now, then)
	}

	s.sealed.Store(true)
	return nil
}

// change writes what adds to a run or takes from it. The seal goes with the first such write.
func (s *Store) change(ctx context.Context, fn func(*sql.Tx) error) error {
	if !s.sealed.Load() {
		return s.write(ctx, fn)
	}

	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}

		_, err := tx.Exec(`DELETE FROM meta WHERE key = ?`, metaSeal)
		return err
	})
	if err == nil {
		s.sealed.Store(false)
	}

	return err
}

// Intact looks for damage that would make rows disappear or turn up under another key, and returns
// it as an error (ErrDamaged). What a row holds is checked whenever it is read.
func (s *Store) Intact(ctx context.Context) error {
	var found string

	err := s.read.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found)
	if err == nil && found != "ok" {
		err = damaged("%s", found)
	}
	return fail("check "+s.path, err)
}

// Check reads every row and returns what is wrong with the database. The error is a failure to
// check.
func (s *Store) Check(ctx context.Context) (problems []string, err error) {
	for _, check := range []func(context.Context, func(error)) error{
		s.checkIntegrity, s.checkMeta, s.checkCalls, s.checkTools, s.checkTrees,
	} {
		err := check(ctx, func(problem error) { problems = append(problems, problem.Error()) })
		if err = fail("check "+s.path, err); errors.Is(err, ErrDamaged) {
			problems = append(problems, err.Error())
		} else if err != nil {
			return nil, err
		}
	}

	return problems, nil
}

func (s *Store) checkIntegrity(ctx context.Context, report func(error)) error {
	var found string
	return eachRow(ctx, s.read, `PRAGMA integrity_check(20)`, nil, []any{&found}, func() error {
		if found != "ok" {
			report(damaged("%s", found))
		}
		return nil
	})
}

func (s *Store) checkMeta(ctx context.Context, report func(error)) error {
	var key string
	return eachRow(ctx, s.read, `SELECT key FROM meta`, nil, []any{&key}, func() error {
		if _, err := s.Meta(ctx, key); err != nil {
			report(err)
		}
		return nil
	})
}

func (s *Store) checkCalls(ctx context.Context, report func(error)) error {
	var c callRow
	return eachRow(ctx, s.read, `SELECT path, first, n, seed, history, proposals, hash, coalesce(name, ''), tree
		FROM calls LEFT JOIN questions ON id = question`, nil, c.into(), func() error {
		if _, err := c.read(); err != nil {
			report(fmt.Errorf("question %s, tree %d: %w", c.question, c.tree, err))
		}
		return nil
	})
}

func (s *Store) checkTools(ctx context.Context, report func(error)) error {
	var (
		key    string
		packed []byte
		hash   int64
	)

	into := []any{&key, &packed, &hash}
	return eachRow(ctx, s.read, `SELECT key, result, hash FROM tools`, nil, into, func() error {
		if _, err := s.readResult(ctx, key, packed, hash); err != nil {
			report(err)
		}
		return nil
	})
}

func (s *Store) checkTrees(ctx context.Context, report func(error)) error {
	var (
		question string
		tree     int
		packed   []byte
		hash     int64
	)

	return eachRow(ctx, s.read, `SELECT coalesce(name, ''), tree, record, hash
		FROM trees LEFT JOIN questions ON id = question`, nil, []any{&question, &tree, &packed, &hash}, func() error {
		if _, err := s.readTree(ctx, question, tree, packed, hash); err != nil {
			report(fmt.Errorf("question %s, tree %d: %w", question, tree, err))
		}
		return nil
	})
}

// eachRow reads the columns of each row of a query into some variables, and then calls fn.
func eachRow(ctx context.Context, db *sql.DB, query string, args, into []any, fn func() error) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()

	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}

		if err := fn(); err != nil {
			return err
		}
	}
	return rows.Err()
}
