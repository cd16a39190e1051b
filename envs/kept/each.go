package kept

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Each does something for every number below n, so many at a time, until one fails, and returns once none is at work.
// done is told how many are done, one call after the other; it may be nil.
func Each(ctx context.Context, n, workers int, done func(done, total int),
	do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))

	var (
		mu       sync.Mutex
		finished int
	)

	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}

			if err := do(ctx, i); err != nil || done == nil {
				return err
			}

			mu.Lock()
			defer mu.Unlock()

			finished++
			done(finished, n)

			return nil
		})
	}

	return g.Wait()
}
