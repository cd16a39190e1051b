package layout

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"
)

// batchRows is how many rows go from the maker of rows to the inserter at a time.
const batchRows = 256

// writeRows inserts every row into the typed table, and encodes the columns. One goroutine
// makes, hashes and encodes the rows, another inserts them.
func (w *writer) writeRows(ctx context.Context, folder string, next func() ([]Cell, error)) (err error) {
	insert, err := w.db.prepare(insertInto(w.schema.Table, len(w.schema.Columns)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.close()) }()

	if w.columns, err = newColumnWriter(*w.schema, folder); err != nil {
		return err
	}

	// Six batches go round: four that wait, one that is filled and one that is inserted.
	full, empty := make(chan [][]driver.Value, 4), make(chan [][]driver.Value, 6)
	for range cap(empty) {
		empty <- newBatch(len(w.schema.Columns))
	}

	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(full)
		return w.makeRows(ctx, next, full, empty)
	})
	// Of the two, only this goroutine uses the database, which has one connection.
	group.Go(func() error { return w.insertRows(ctx, insert, full, empty) })

	if err := group.Wait(); err != nil {
		return err
	}

	c := w.columns
	w.contents = append(w.contents, Content{Table: w.schema.Table, Rows: c.rows, Sum: c.digest.Sum()})
	return nil
}

func newBatch(columns int) [][]driver.Value {
	batch := make([][]driver.Value, batchRows)
	for i := range batch {
		batch[i] = make([]driver.Value, columns)
	}
	return batch
}

// makeRows fills empty batches with the values of rows until next is at its end.
func (w *writer) makeRows(ctx context.Context, next func() ([]Cell, error), full chan<- [][]driver.Value,
	empty <-chan [][]driver.Value) error {
	for last := false; !last; {
		// Batches are few, so that rows cannot pile up in memory when the disk is slow.
		var batch [][]driver.Value
		select {
		case batch = <-empty:
		case <-ctx.Done():
			return fmt.Errorf("corpus: make row %d of %s: %w", w.columns.rows+1, w.schema.Table, ctx.Err())
		}

		batch = batch[:batchRows]
		for i, values := range batch {
			row, err := next()
			if errors.Is(err, io.EOF) {
				batch, last = batch[:i], true
				break
			}

			if err != nil {
				return err
			}

			for j := range row {
				values[j] = row[j].Value
			}

			if err := w.columns.add(row); err != nil {
				return err
			}
		}

		w.meter.add(len(batch))

		// The last batch, too, which may be short or empty. An insert that failed takes no more
		// batches, but it ends ctx.
		select {
		case full <- batch:
		case <-ctx.Done():
			return fmt.Errorf("corpus: make row %d of %s: %w", w.columns.rows+1, w.schema.Table, ctx.Err())
		}
	}

	return nil
}

// insertRows inserts full batches until there are no more.
func (w *writer) insertRows(ctx context.Context, insert *statement, full <-chan [][]driver.Value,
	empty chan<- [][]driver.Value) error {
	n := 0

	for batch := range full {
		for _, values := range batch {
			n++
			if err := insert.run(values); err != nil {
				return fmt.Errorf("corpus: insert row %d of %s: %w", n, w.schema.Table, err)
			}
		}

		if err := cmp.Or(ctx.Err(), w.disk.advance()); err != nil {
			return fmt.Errorf("corpus: insert row %d of %s: %w", n+1, w.schema.Table, err)
		}

		empty <- batch // has room for all batches
	}
	return nil
}
