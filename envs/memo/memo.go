// Package memo remembers what pure functions of texts returned, and the latest values of keys.
package memo

import (
	"strings"
	"sync"
	"sync/atomic"
)

// size is for how many texts a memo remembers.
const size = 2048

// Memo remembers what a pure function of a text returned, which nobody may change. It forgets
// everything when it is full, and keeps no part of the text that a key was cut from: a server reads
// its questions out of prompts. It is safe for concurrent use.
type Memo[V any] struct {
	values sync.Map // by text
	size   atomic.Int64
}

// Get returns what compute returns for a text.
func (m *Memo[V]) Get(text string, compute func(text string) V) V {
	if v, ok := m.values.Load(text); ok {
		return v.(V)
	}

	text = strings.Clone(text)
	v := compute(text)

	if m.size.Add(1) > size {
		m.values.Clear()
		m.size.Store(1)
	}

	m.values.Store(text, v)
	return v
}
