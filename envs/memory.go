package envs

import "context"

// Memory remembers the results of tool calls that are not a pure function of the corpus, e.g. in
// the log of a run, so that every tree sees the same results and a run can be repeated.
// Implementations are safe for concurrent use.
type Memory interface {
	// Recall returns the result remembered under key, and whether there is one.
	Recall(ctx context.Context, key string) (Result, bool, error)
	// Remember keeps the result of key. The first one stays.
	Remember(ctx context.Context, key string, r Result) error
}

// Remembered returns what m remembers under key, or else finds it and has m remember it. Callers
// that find it at the same time all get the result that was kept. Without a memory (nil) it is
// found each time.
func Remembered(ctx context.Context, m Memory, key string,
	find func() (Result, error)) (Result, error) {
	if m == nil {
		return find()
	}

	if r, ok, err := m.Recall(ctx, key); ok || err != nil {
		return r, err
	}

	r, err := find()
	if err == nil {
		err = m.Remember(ctx, key, r)
	}

	if err != nil {
		return Result{}, err
	}

	// Another caller may have been first, and theirs is the result that stays.
	if first, ok, err := m.Recall(ctx, key); ok || err != nil {
		return first, err
	}
	return r, nil // a log that is open for reading keeps nothing
}
