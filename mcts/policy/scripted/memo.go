package scripted

import (
	"strings"
	"sync"
	"sync/atomic"
)

// memoSize is for how many texts a memo remembers what it computed.
const memoSize = 2048

// memo remembers what a pure function of a text returned. It forgets everything when it is full, and keeps no part of
// the text that a key was cut from: a server reads its questions out of prompts. It is safe for concurrent use.
type memo[V any] struct {
	values sync.Map // by text
	size   atomic.Int64
}

// get returns what compute returns for a text.
func (m *memo[V]) get(text string, compute func(text string) V) V {
	if v, ok := m.values.Load(text); ok {
		return v.(V)
	}

	text = strings.Clone(text)
	v := compute(text)

	if m.size.Add(1) > memoSize {
		m.values.Clear()
		m.size.Store(1)
	}

	m.values.Store(text, v)

	return v
}
