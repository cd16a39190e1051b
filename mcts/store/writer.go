package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"toolevo/envs/sqlite"
)

// maxGroup bounds how many writes share a commit, so that the first of them need not wait long.
const maxGroup = 256

// writer owns the one connection that writes. Its goroutine gathers the writes that wait and
// commits them together: group commit, which is what makes a durable log cheap when many trees grow
// at once.
type writer struct {
	db    *sql.DB
	queue chan pending
	done  sync.WaitGroup

	mu     sync.RWMutex // held for reading while sending, for writing while closing
	closed bool
}

type pending struct {
	fn     func(*sql.Tx) error
	result chan error
}

func newWriter(ctx context.Context, path string) (*writer, error) {
	db, err := sqlite.OpenToWrite(ctx, path, "&_stmt_cache_size=32")
	if err != nil {
		return nil, fmt.Errorf("not writable: %w", err)
	}

	db.SetMaxOpenConns(1)

	w := &writer{db: db, queue: make(chan pending, maxGroup)}

	w.done.Add(1)
	go w.run()
	return w, nil
}

// do waits until fn's writes are committed. Once handed over a write is carried out whatever
// happens to ctx.
func (w *writer) do(ctx context.Context, fn func(*sql.Tx) error) error {
	p := pending{fn: fn, result: make(chan error, 1)}

	w.mu.RLock()

	if w.closed {
		w.mu.RUnlock()
		return errors.New("the run database is closed")
	}

	select {
	case w.queue <- p:
		w.mu.RUnlock()
	case <-ctx.Done():
		w.mu.RUnlock()
		return ctx.Err()
	}

	return <-p.result
}

func (w *writer) run() {
	defer w.done.Done()

	group := make([]pending, 0, maxGroup)
	for first := range w.queue {
		group = append(group[:0], first)

		for len(group) < maxGroup && len(w.queue) > 0 {
			group = append(group, <-w.queue) // nobody else receives, so one is there
		}

		w.commit(group)
	}
}

// commit writes a group in one transaction. If one write fails, all are tried again one by one, so
// that only the faulty one fails.
func (w *writer) commit(group []pending) {
	fns := make([]func(*sql.Tx) error, len(group))
	for i, p := range group {
		fns[i] = p.fn
	}

	err := w.transaction(fns...)
	for _, p := range group {
		if err != nil && len(group) > 1 {
			p.result <- w.transaction(p.fn)
			continue
		}

		p.result <- err
	}
}

func (w *writer) transaction(fns ...func(*sql.Tx) error) error {
	tx, err := w.db.Begin()
	if err != nil {
		return err
	}

	for _, fn := range fns {
		if err := fn(tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}

	return tx.Commit()
}

func (w *writer) close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.mu.Unlock()
	w.done.Wait()

	return errors.Join(sqlite.Fold(context.Background(), w.db), w.db.Close())
}
