package sqltool

import (
	"sync"

	"toolevo/envs"
)

const (
	recentStatements = 1024    // in each of the two generations
	recentBytes      = 8 << 10 // of the longest observation that is kept
)

// recent holds the results of the latest statements: the trees of a question ask for much the same.
type recent struct {
	mu           sync.Mutex
	young, older map[string]envs.Result
}

func (r *recent) get(stmt string) (envs.Result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()

	result, ok := r.young[stmt]
	if !ok {
		result, ok = r.older[stmt]
	}

	return result, ok
}

// put keeps a result. When the young generation is full the older one is forgotten.
func (r *recent) put(stmt string, result envs.Result) {
	if len(result.Observation) > recentBytes {
		return
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	if r.young == nil || len(r.young) >= recentStatements {
		r.young, r.older = map[string]envs.Result{}, r.young
	}

	r.young[stmt] = result
}
