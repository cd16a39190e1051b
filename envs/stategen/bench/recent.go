package bench

import "sync"

// recent keeps the values of the last keys that were new. It is safe for concurrent use.
type recent[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
	ring   []K // the keys, the oldest at next
	next   int
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{values: make(map[K]V, most), ring: make([]K, 0, most)}
}

// get returns the value of a key, which make makes where it is not kept. Of two that are made at
// once one stays.
func (r *recent[K, V]) get(key K, make func() (V, error)) (V, error) {
	r.mu.Lock()
	v, ok := r.values[key]
	r.mu.Unlock()

	if ok {
		return v, nil
	}

	// Others need not wait while a value is made.
	v, err := make()
	if err != nil {
		return v, err
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	if first, ok := r.values[key]; ok {
		return first, nil
	}

	r.values[key] = v

	if len(r.ring) < cap(r.ring) {
		r.ring = append(r.ring, key)
		return v, nil
	}

	delete(r.values, r.ring[r.next])
	r.ring[r.next] = key
	r.next = (r.next + 1) % len(r.ring)
	return v, nil
}
