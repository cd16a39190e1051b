package toolqa

import (
	"sync"

	"toolevo/envs"
)

// Recent holds the results of the latest calls of a tool: the trees of a question make many of the
// same calls. It is safe for concurrent use.
type Recent struct {
	Most int // results in each of two generations

	mu           sync.Mutex
	young, older map[string]envs.Result
}

// Get returns the result of a call, if it is still kept.
func (r *Recent) Get(call string) (envs.Result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()

	result, ok := r.young[call]
	if !ok {
		result, ok = r.older[call]
	}
	return result, ok
}

// Put keeps a result. When the young generation is full the older one is forgotten.
func (r *Recent) Put(call string, result envs.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()

	if r.young == nil || len(r.young) >= r.Most {
		r.young, r.older = map[string]envs.Result{}, r.young
	}

	r.young[call] = result
}
