package bench

import "sync"

// recent is a cache of the values of the keys added last. It is safe for concurrent use.
type recent[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
	ring   []K // the keys, the oldest at next
	next   int
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{values: make(map[K]V, most), ring: make([]K, 0, most)}
}

// get returns the value of a key, which make makes if it is not kept. If two goroutines make it at
// once, both get the one kept first.
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

	// The oldest key makes room, even if it is in use: making its value again is slow, not wrong.
	delete(r.values, r.ring[r.next])
	r.ring[r.next] = key
	r.next = (r.next + 1) % len(r.ring)
	return v, nil
}
