package memo

import "sync"

// Recent remembers the values put last, by texts. It is safe for concurrent use.
type Recent[V any] struct {
	Most int // values in each of two generations

	mu           sync.Mutex
	young, older map[string]V
}

// Get returns the value of a key, if it is still kept.
func (r *Recent[V]) Get(key string) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.get(key)
}

func (r *Recent[V]) get(key string) (V, bool) {
	v, ok := r.young[key]
	if !ok {
		v, ok = r.older[key]
	}
	return v, ok
}

// Put keeps a value, unless the key has one, and returns the value that is kept: of several made at
// once all callers get the first. When the young generation is full the older one is forgotten.
func (r *Recent[V]) Put(key string, v V) V {
	r.mu.Lock()
	defer r.mu.Unlock()

	if first, ok := r.get(key); ok {
		return first
	}

	if r.young == nil || len(r.young) >= r.Most {
		r.young, r.older = map[string]V{}, r.young
	}

	r.young[key] = v
	return v
}
