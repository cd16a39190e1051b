package kept

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Each calls do for every number below n, with at most workers calls at a time, until one fails,
// and returns once all have ended. It tells done, which may be nil, how many are done, one call
// after the other.
func Each(
	ctx context.Context, n, workers int, done func(done, total int),
	do func(ctx context.Context, i int) error,
) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))

	var (
		mu       sync.Mutex
		finished int
	)

	for i := range n {
		g.Go(func() error {
			// The group starts the rest even after one has failed.
			if err := ctx.Err(); err != nil {
				return err
			}

			if err := do(ctx, i); err != nil || done == nil {
				return err
			}

			// done is called under the lock, so that its counts come in order.
			mu.Lock()
			defer mu.Unlock()

			finished++
			done(finished, n)
			return nil
		})
	}
	return g.Wait()
}

// All returns what do returns for every number below n, called as by [Each].
func All[T any](ctx context.Context, n, workers int, done func(done, total int),
	do func(ctx context.Context, i int) (T, error)) ([]T, error) {
	all := make([]T, n)
	err := Each(ctx, n, workers, done, func(ctx context.Context, i int) (err error) {
		all[i], err = do(ctx, i)
		return err
	})

	return all, err
}
