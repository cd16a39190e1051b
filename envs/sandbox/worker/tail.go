package worker

import (
	"bytes"
	"sync"
)

// Tail keeps the last Max bytes written to it.
type Tail struct {
	Max int

	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer]. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-t.Max):]
	return len(p), nil
}

// Bytes returns a copy of what is kept.
func (t *Tail) Bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.text)
}

// LastLine returns the last non-empty line of a text; in a traceback, that is the exception.
func LastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
