package suite

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// LazyWriter is a language model of a choice that is opened when it is first asked: looking at a
// run needs no model. It implements [kept.Writer] and is safe for concurrent use.
type LazyWriter struct {
	open func() (Writer, error)

	mu     sync.Mutex
	writer Writer
}

// Lazy returns the model of a policy's name. what says in errors what the model is for.
func (c *Choice) Lazy(what, name string, o WriterOptions) *LazyWriter {
	return &LazyWriter{open: func() (Writer, error) {
		if c.Writer == nil {
			return nil, fmt.Errorf("%s: no language model can be asked here", what)
		}

		w, err := c.Writer(name, o)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", what, name, err)
		}
		return w, nil
	}}
}

// Open opens the model if it is not open, so that a run does not begin without its model.
func (w *LazyWriter) Open() (err error) {
	_, err = w.opened()
	return err
}

func (w *LazyWriter) opened() (Writer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.writer != nil {
		return w.writer, nil
	}

	var err error
	w.writer, err = w.open()
	return w.writer, err
}

// Write implements [kept.Writer].
func (w *LazyWriter) Write(ctx context.Context, instructions, request string, seed uint64) (
	string, error,
) {
	writer, err := w.opened()
	if err != nil {
		return "", err
	}
	return writer.Write(ctx, instructions, request, seed)
}

// Close closes the model if it was opened. Closing nil does nothing.
func (w *LazyWriter) Close() error {
	if w == nil {
		return nil
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	writer := w.writer
	w.writer, w.open = nil, func() (Writer, error) { return nil, errors.New("the model was closed") }

	if writer == nil {
		return nil
	}
	return writer.Close()
}
