package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"toolevo/envs"
)

// Recall returns the logged result of a tool call that is not a pure function of the corpus, and
// whether the log has one.
func (s *Store) Recall(ctx context.Context, key string) (envs.Result, bool, error) {
	r, ok, err := s.recall(ctx, key)
	return r, ok, fail("recall a tool result", err)
}

func (s *Store) recall(ctx context.Context, key string) (envs.Result, bool, error) {
	var packed []byte
	var hash int64

	err := s.read.QueryRowContext(ctx, `SELECT result, hash FROM tools WHERE key = ?`, key).Scan(&packed, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return envs.Result{}, false, nil
	}

	if err != nil {
		return envs.Result{}, false, err
	}

	r, err := s.readResult(ctx, key, packed, hash)
	return r, err == nil, err
}

// readResult reads a row of tools and compares its hash.
func (s *Store) readResult(ctx context.Context, key string, packed []byte, hash int64) (envs.Result, error) {
	if hash != toolHash(key, packed) {
		return envs.Result{}, damaged("the result of a program is not as it was written")
	}

	raw, err := s.unpack(ctx, packed)
	if err != nil {
		return envs.Result{}, err
	}

	rows, _, err := readRows[envs.Result](raw)
	if err == nil && len(rows) != 1 {
		err = fmt.Errorf("%d results in place of one", len(rows))
	}

	if err != nil {
		return envs.Result{}, damaged("%w", err)
	}
	return rows[0], nil
}

func toolHash(key string, packed []byte) int64 {
	return hashOf("tools").text(key).bytes(packed).column()
}

// ReadOnly reports whether the run is open for reading, so that it logs nothing more; see
// [envs.Memory].
func (s *Store) ReadOnly() bool { return s.writer == nil }

// Remember logs a tool result. The first result under a key stays: every tree of the run sees the
// same. A run that is open for reading logs nothing more: a statement that was quick when the run
// was made may be slow when it is checked on a busy machine, and has the same result.
func (s *Store) Remember(ctx context.Context, key string, r envs.Result) error {
	if s.ReadOnly() {
		return nil
	}

	packed, err := s.pack(ctx, appendRows(nil, []envs.Result{r}))
	if err == nil {
		err = s.change(ctx, func(tx *sql.Tx) error {
			_, err := tx.Exec(`INSERT OR IGNORE INTO tools VALUES (?, ?, ?)`, key, packed, toolHash(key, packed))
			return err
		})
	}

	return fail("remember a tool result", err)
}
