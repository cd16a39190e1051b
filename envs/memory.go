package envs

import (
	"context"
	"errors"
)

// Memory remembers the results of tool calls that are not a pure function of the corpus, e.g. in
// the log of a run, so that every tree sees the same results and a run can be repeated. One that
// takes no more, such as the log of a run that is looked at, says so in a method ReadOnly() bool.
// Implementations are safe for concurrent use.
type Memory interface {
	// Recall returns the result remembered under key, and whether there is one.
	Recall(ctx context.Context, key string) (Result, bool, error)
	// Remember keeps the result of key. The first one stays.
	Remember(ctx context.Context, key string, r Result) error
}

// ErrNotRemembered means that a memory that takes no more lacks a result.
var ErrNotRemembered = errors.New("the result is not in the log")

// Remembered returns what m remembers under key, or else finds it and has m remember it. Callers
// that find it at the same time all get the result that was kept. Without a memory (nil) it is
// found each time, and with one that takes no more it is not: that is ErrNotRemembered.
func Remembered(ctx context.Context, m Memory, key string,
	find func() (Result, error)) (Result, error) {
	if m == nil {
		return find()
	}

	if r, ok, err := m.Recall(ctx, key); ok || err != nil {
		return r, err
	}

	if log, ok := m.(interface{ ReadOnly() bool }); ok && log.ReadOnly() {
		return Result{}, Fail(StageTool, "recall a result", ErrNotRemembered)
	}

	r, err := find()
	if err != nil {
		return Result{}, err
	}
	return Remember(ctx, m, key, r)
}

// Remember has m remember what was found under key, and returns the result that was kept.
func Remember(ctx context.Context, m Memory, key string, r Result) (Result, error) {
	if err := m.Remember(ctx, key, r); err != nil {
		return Result{}, err
	}

	// Another caller may have been first, and theirs is the result that stays.
	if first, ok, err := m.Recall(ctx, key); ok || err != nil {
		return first, err
	}
	return r, nil // a log that is open for reading keeps nothing
}
