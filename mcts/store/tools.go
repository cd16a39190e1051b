package store

import (
	"context"
	"database/sql"
	"errors"

	"toolevo/envs"
)

// Recall returns the logged result of a tool call that is not a pure function of the corpus, and whether there is one.
func (s *Store) Recall(ctx context.Context, key string) (envs.Result, bool, error) {
	var r envs.Result
	var outcome string
	err := s.read.QueryRowContext(ctx, `SELECT observation, outcome FROM tools WHERE key = ?`, key).Scan(&r.Observation, &outcome)
	if errors.Is(err, sql.ErrNoRows) {
		return envs.Result{}, false, nil
	}
	if err == nil {
		r.Outcome, err = envs.ParseOutcome(outcome)
	}
	return r, err == nil, envs.Fail(envs.StageStore, "recall a tool result", err)
}

// Remember logs a tool result. The first result under a key stays: every tree of the run sees the same.
func (s *Store) Remember(ctx context.Context, key string, r envs.Result) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT OR IGNORE INTO tools VALUES (?, ?, ?)`, key, r.Observation, r.Outcome.String())
		return err
	})
	return envs.Fail(envs.StageStore, "remember a tool result", err)
}
