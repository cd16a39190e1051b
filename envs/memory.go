package envs

import "context"

// Memory remembers the results of tool calls that are not a pure function of the corpus, e.g. in the log of a run, so
// that every tree sees the same and a run can be repeated. Implementations are safe for concurrent use.
type Memory interface {
	// Recall returns the result remembered under key, and whether there is one.
	Recall(ctx context.Context, key string) (Result, bool, error)
	// Remember keeps the result of key. The first one stays.
	Remember(ctx context.Context, key string, r Result) error
}
